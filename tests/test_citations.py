"""Links between documents and citations in code have a target; lines of Markdown are short.

A citation is the path of a page from the root, possibly with the anchor of a heading, as in
docs/specs/roborally.md#47-power-down. Other forms, such as the name of a page alone, are reported.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", ROOT / "tests" / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
CODE = {".py", ".js", ".css", ".html", ".pl", ".rkt", ".toml", ".service", ".conf"}

CITATION = re.compile(r"(?<![/\w.:-])(?<!\]\()((?:[\w.-]+/)*[\w-]+\.md)(?:#([\w-]+))?(?![\w/])")
"""A page, with its anchor."""

OLD = re.compile(r"\b(?:[Ii]ssues?[ #]+[\d\"]|[\w-]+\.md(?:,? (?:[A-D]\d|\d|part\b)|,? (?:and )?\"))")
"""What names a document that is not here, or a place by anything but its anchor."""

MADE_UP = {"tests/test_citations.py", "tests/test_checklist.py"}
"""Tests that name pages which are not there."""

LINK = re.compile(r"\]\(([^)\s]+)\)")


def prose(text: str) -> str:
    """Return a Markdown text with empty code blocks: the links in them are examples."""
    return re.sub(
        r"^( *```+)\w*\n.*?^\1$", lambda block: "\n" * block[0].count("\n"), text, flags=re.DOTALL | re.MULTILINE
    )


@cache
def anchors(page: Path) -> frozenset[str]:
    """Return the anchors that GitHub derives from the headings of a page."""
    found: list[str] = []
    for heading in re.findall(r"^#+ (.+)$", prose(page.read_text()), re.MULTILINE):
        words = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower()
        anchor = re.sub(r"[^\w -]", "", words).replace(" ", "-")
        found.append(f"{anchor}-{count}" if (count := found.count(anchor)) else anchor)
    return frozenset(found)


def missing(page: Path, anchor: str) -> str:
    """Return why a link to a page and an anchor has no target; "" if it has one."""
    if not page.exists():
        return "there is no such file"
    return f"there is no heading #{anchor}" if anchor and anchor not in anchors(page) else ""


def citations(text: str) -> Iterator[tuple[int, str]]:
    """Yield the line and the error of each citation without a target in the code `text`."""
    for number, line in enumerate(text.split("\n"), 1):
        if ".md" not in line and "ssue" not in line:
            continue
        for old in OLD.finditer(line):
            yield number, f"{old[0]}: not a path with an anchor"
        for found in CITATION.finditer(line):
            path, anchor = found.groups()
            # A quoted name without a folder is part of a path that the code joins.
            quoted = line[: found.start()].endswith(('"', "'")) and "/" not in path
            if not quoted and (wrong := missing(ROOT / path, anchor)):
                yield number, f"{found[0]}: {wrong}"


def links(page: Path, text: str) -> Iterator[tuple[int, str]]:
    """Yield the line and the error of each link without a target in the Markdown `text` of a page."""
    for number, line in enumerate(prose(text).split("\n"), 1):
        for target in LINK.findall(re.sub(r"(`+)[^`]+\1", "", line)):
            path, _, anchor = target.partition("#")
            if "://" not in target and (wrong := missing((page.parent / path).resolve() if path else page, anchor)):
                yield number, f"{target}: {wrong}"


@cache
def sources() -> dict[str, str]:
    """Return the source files of gamed and the tests, and the files that are installed with them."""
    found = {
        str(path.relative_to(ROOT)): path
        for folder in ("gamed", "tests", "etc", "twisted")
        for path in sorted((ROOT / folder).rglob("*"))
        if path.suffix in CODE
    }
    return {name: path.read_text() for name, path in found.items() if name not in MADE_UP}


class CitationTests(SynchronousTestCase):
    def test_every_citation_in_code_leads_somewhere(self) -> None:
        wrong = [f"{path}:{line}: {what}" for path, text in sources().items() for line, what in citations(text)]
        self.assertEqual(wrong, [])

    def test_every_link_leads_somewhere(self) -> None:
        wrong = [
            f"{page.relative_to(ROOT)}:{line}: {what}" for page in PAGES for line, what in links(page, page.read_text())
        ]
        self.assertEqual(wrong, [])

    def test_every_page_can_be_reached_from_the_readme(self) -> None:
        def targets(page: Path) -> set[Path]:
            return {
                (page.parent / target.partition("#")[0]).resolve() for target in LINK.findall(prose(page.read_text()))
            }

        reached, new = set[Path](), {ROOT / "README.md"}
        while new:
            reached |= new
            new = {page for known in new for page in targets(known) if page in PAGES} - reached
        self.assertEqual([str(page.relative_to(ROOT)) for page in PAGES if page not in reached], [])

    def test_no_page_names_an_issue(self) -> None:
        for page in PAGES:
            self.assertEqual(re.findall(r"\b[Ii]ssues? [\d\"]", page.read_text()), [], page.name)

    def test_every_specification_is_cited(self) -> None:
        text = "".join(sources().values())
        for page in sorted((ROOT / "docs" / "specs").glob("*.md")):
            self.assertIn(f"docs/specs/{page.name}#", text)

    def test_the_rules_of_the_scenarios_are_there(self) -> None:
        page = (ROOT / "docs" / "specs" / "roborally.md").read_text()
        rules = set(re.findall(r"^(?:#+|\*) (\d\.[\d.]*\d) ", page, re.MULTILINE))
        for name in ("scenarios.json", "leaving.json"):
            told = json.loads((ROOT / "tests" / "games" / "roborally" / name).read_text())["scenarios"]
            self.assertEqual({scenario["rule"] for scenario in told} - rules, set(), name)


class FormTests(SynchronousTestCase):
    """The mistakes that the tests above would report."""

    def test_old_forms(self) -> None:
        for text in (
            "battleship.md A1",
            "roborally.md 4.7",
            "software-challenge.md, part D",
            'design.md, "Time"',
            'docs/reference/web-api.md, "Events"',
            "issue 8",
            'issue "Running it", 7',
            "issues 8 and 16",
        ):
            self.assertTrue(list(citations(f"x\n# Source: {text}.")), text)

    def test_what_is_not_there(self) -> None:
        for text in ("docs/specs/chess.md", "docs/specs/roborally.md#chess", "README.md#chess", "roborally.md"):
            ((line, _),) = citations(f"x\n# Source: {text}.")
            self.assertEqual(line, 2)

    def test_what_is_there(self) -> None:
        for text in ("docs/specs/roborally.md#47-power-down.", "README.md", 'ROOT / "docs" / "roborally.md"'):
            self.assertEqual(list(citations(text)), [], text)

    def test_links(self) -> None:
        page = ROOT / "docs" / "specs" / "roborally.md"
        text = "[a](quoridor.md#walls) [`b`](#47-power-down) `[c](chess.md)`\n````md\n```\n[f](chess.md)\n```\n````\n"
        self.assertEqual(list(links(page, text)), [])
        text += "[c](#chess) [d](chess.md) [e](https://example.org/x.md)"
        self.assertEqual([line for line, _ in links(page, text)], [7, 7])

    def test_anchors_of_headings_that_stand_twice(self) -> None:
        page = Path(self.mktemp())
        page.write_text("# A `b` (c)\n## A *b* c\n```\n# code\n```\n### [A](b.md) d.e\n")
        self.assertEqual(anchors(page), {"a-b-c", "a-b-c-1", "a-de"})
