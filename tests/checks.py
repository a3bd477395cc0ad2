"""The checks of `make check` besides lint and types: names, the design's tree, the lengths of lines and modules.

`python -m tests.checks` prints what is wrong, a line each, and fails if there is anything.
"""

from __future__ import annotations

import io
import re
import subprocess
import sys
import tokenize
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
NAMES: Final = "docs/topics/names.md"
DESIGN: Final = "docs/topics/design.md"

LINE: Final = 100
"""Characters of a line of Markdown; tables, code and link targets may be longer."""

MODULE: Final = 600
"""Lines of a module."""


def files(*patterns: str) -> list[str]:
    """Return the files of the repository that match, without those that were deleted."""
    found = subprocess.run(["git", "ls-files", "--", *patterns], cwd=ROOT, capture_output=True, text=True, check=True)
    return [name for name in found.stdout.splitlines() if (ROOT / name).is_file()]


def rows(page: str, heading: str) -> Iterator[list[list[str]]]:
    """Yield the rows of a section's table: the code in each cell."""
    section = page.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    for line in section.splitlines():
        if line.startswith("| `"):
            yield [re.findall(r"`([^`]+)`", cell) for cell in line.strip("|").split("|")]


def names_in(code: str) -> set[str]:
    """Return the names that Python code uses."""
    tokens = tokenize.generate_tokens(io.StringIO(code).readline)
    return {token.string for token in tokens if token.type == tokenize.NAME}


def old_names(page: str, code: dict[str, set[str]], pages: dict[str, str]) -> Iterator[str]:
    """Yield where a class, a function or a field has its old name. `code`: the names of each Python file."""
    for heading in ("Classes", "Functions, methods and fields"):
        for (old,), new, places in rows(page, heading):
            for file, used in code.items():
                if old in used and any(file == place or file.startswith(f"{place}/") for place in places):
                    yield f"{file}: `{old}` is `{new[0]}` now ({NAMES})"
            if "gamed" in places and "tests" in places:
                for file, text in pages.items():
                    if re.search(rf"`{old}[`(.]", text):
                        yield f"{file}: `{old}` is `{new[0]}` now ({NAMES})"


def old_modules(page: str, texts: dict[str, str]) -> Iterator[str]:
    """Yield where a module is, or is named, as before."""
    modules = [(old, new) for (old,), (new, *_) in rows(page, "Modules")]
    for old, new in modules:
        dotted = re.escape(old.removesuffix(".py").replace("/", "."))
        short = old.removeprefix("gamed/")
        path = f"(?:gamed/)?{re.escape(short)}" if "/" in short else re.escape(old)
        pattern = re.compile(rf"(?<![\w/.]){path}|(?<![\w/.]){dotted}(?![\w(])")
        for file, text in texts.items():
            if file == old or pattern.search(text):
                yield f"{file}: {old} is {new} now ({NAMES})"


def tree(page: str, modules: Iterable[str]) -> Iterator[str]:
    """Yield where the design's tree and the folders of the package differ. `modules`: all Python files in it."""
    section = page.partition("\n## The tree\n")[2].partition("\nPlanned folders:\n")[0]
    shown = dict(re.findall(r"^    (gamed/[\w/]*) +(.+(?:\n {8,}\S.*)*)", section, re.MULTILINE))
    known = set(modules)
    folders = {f"{Path(module).parent}/" for module in known}
    yield from (f"{DESIGN}: {folder} is not in the tree" for folder in sorted(folders - set(shown)))
    yield from (f"{DESIGN}: there is no folder {folder}" for folder in sorted(set(shown) - folders))
    for folder, text in shown.items():
        for module in re.findall(r"`(\w+\.py)`", text):
            if f"{folder}{module}" not in known:
                yield f"{DESIGN}: there is no {folder}{module}"


def long_lines(name: str, page: str) -> Iterator[str]:
    """Yield the lines of a page that are too long."""
    is_code = False
    for number, line in enumerate(page.splitlines(), 1):
        is_code ^= line.startswith("```")
        text = re.sub(r"\]\([^)]*\)", "]()", line)
        is_free = is_code or line.startswith(("    ", "|", "[", "```")) or " " not in text.strip()
        if len(text) > LINE and not is_free:
            yield f"{name}:{number}: {len(text)} characters, more than {LINE}"


def long_modules(texts: dict[str, str]) -> Iterator[str]:
    """Yield the modules that are too long."""
    for name, text in texts.items():
        if (lines := text.count("\n")) > MODULE:
            yield f"{name}: {lines} lines, more than {MODULE}"


def main() -> int:
    """Print all mistakes; return the exit status."""
    code = {name: (ROOT / name).read_text() for name in files("gamed/*.py", "tests/*.py", "twisted/*.py")}
    pages = {
        name: (ROOT / name).read_text()
        for name in files("*.md")
        if not name.startswith("changes/") and name not in {NAMES, "CHANGELOG.md"}
    }
    page, modules = (ROOT / NAMES).read_text(), [name for name in code if name.startswith("gamed/")]
    wrapped = {**pages, NAMES: page}
    found = [
        *old_names(page, {name: names_in(text) for name, text in code.items()}, pages),
        *old_modules(page, {**code, **pages, "pyproject.toml": (ROOT / "pyproject.toml").read_text()}),
        *tree(pages[DESIGN], modules),
        *(problem for name, text in wrapped.items() for problem in long_lines(name, text)),
        *long_modules(code),
    ]
    print(*found, sep="\n", end="\n" * bool(found))
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
