"""The checks of `make check` besides lint and types: the design's tree, the lengths of lines and modules.

`python -m tests.checks` prints what is wrong, a line each, and fails if there is anything.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
DESIGN: Final = "docs/topics/design.md"

LINE: Final = 100
"""Characters of a line of Markdown; tables, code and link targets may be longer."""

MODULE: Final = 560
"""Lines of a module of gamed."""

TEST_MODULE: Final = 600
"""Lines of a module of tests."""


def files(*patterns: str) -> list[str]:
    """Return the files of the repository that match, without those that were deleted."""
    found = subprocess.run(["git", "ls-files", "--", *patterns], cwd=ROOT, capture_output=True, text=True, check=True)
    return [name for name in found.stdout.splitlines() if (ROOT / name).is_file()]


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
        most = MODULE if name.startswith("gamed/") else TEST_MODULE
        if (lines := text.count("\n")) > most:
            yield f"{name}: {lines} lines, more than {most}"


def main() -> int:
    """Print all mistakes; return the exit status."""
    code = {name: (ROOT / name).read_text() for name in files("gamed/*.py", "tests/*.py", "twisted/*.py")}
    pages = {
        name: (ROOT / name).read_text()
        for name in files("*.md")
        if not name.startswith("changes/") and name != "CHANGELOG.md"
    }
    found = [
        *tree(pages[DESIGN], [name for name in code if name.startswith("gamed/")]),
        *(problem for name, text in pages.items() for problem in long_lines(name, text)),
        *long_modules(code),
    ]
    print(*found, sep="\n", end="\n" * bool(found))
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
