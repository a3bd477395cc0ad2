"""`make check`: each of its own checks finds the mistakes that it is for."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from tests.checks import NAMES, long_lines, long_modules, names_in, old_modules, old_names, tree

PAGE = """# Names

## Modules

| old | new |
|---|---|
| `gamed/old.py` | `gamed/core/new.py` |
| `gamed/web/was.py` | `gamed/web/is_now.py` |

## Classes

| old | new | in |
|---|---|---|
| `Old` | `New` | `gamed` `tests` |
| `Narrow` | `Wide` | `gamed/web` |

## Functions, methods and fields

| old | new | in |
|---|---|---|
| `was` | `is_now` | `gamed/web/one.py` |
"""

TREE = """
## The tree

    gamed/       the package. `tap.py`
    gamed/core/  the core, in `new.py`
                 and `gone.py`

Planned folders:
"""


class NameTests(SynchronousTestCase):
    def found(self, file: str, code: str) -> list[str]:
        return list(old_names(PAGE, {file: names_in(code)}, {}))

    def test_an_old_class(self) -> None:
        self.assertEqual(self.found("gamed/a.py", "class Old: pass"), [f"gamed/a.py: `Old` is `New` now ({NAMES})"])
        self.assertEqual(self.found("gamed/a.py", "class Older: 'Old'  # Old"), [])

    def test_a_name_is_old_in_its_place_alone(self) -> None:
        self.assertEqual(len(self.found("gamed/web/a.py", "Narrow()")), 1)
        self.assertEqual(self.found("gamed/website/a.py", "Narrow()"), [])
        self.assertEqual(len(self.found("gamed/web/one.py", "x.was()")), 1)
        self.assertEqual(self.found("gamed/web/two.py", "x.was()"), [])

    def test_a_page_that_names_an_old_class(self) -> None:
        pages = {"a.md": "an `Old(x)`", "b.md": "Old; `Older`; `Narrow`"}
        self.assertEqual(list(old_names(PAGE, {}, pages)), [f"a.md: `Old` is `New` now ({NAMES})"])

    def test_an_old_module(self) -> None:
        message = f"{{}}: gamed/old.py is gamed/core/new.py now ({NAMES})"
        texts = {"gamed/old.py": "", "a.py": "from gamed.old import x", "b.md": "`gamed/old.py`", "c.py": "gamed.older"}
        found = list(old_modules(PAGE, texts))
        self.assertEqual(found, [message.format(name) for name in ("gamed/old.py", "a.py", "b.md")])

    def test_the_path_of_an_old_module_without_the_package(self) -> None:
        texts = {"a.md": "`web/was.py`", "b.md": "`gamed/web/was.py`", "c.md": "old.py, net/web/was.py"}
        found = list(old_modules(PAGE, texts))
        message = f"{{}}: gamed/web/was.py is gamed/web/is_now.py now ({NAMES})"
        self.assertEqual(found, [message.format(name) for name in ("a.md", "b.md")])


class TreeTests(SynchronousTestCase):
    def test_a_folder_that_is_not_shown_and_one_that_is_gone(self) -> None:
        found = list(tree(TREE, ["gamed/tap.py", "gamed/net/session.py"]))
        self.assertIn("docs/topics/design.md: gamed/net/ is not in the tree", found)
        self.assertIn("docs/topics/design.md: there is no folder gamed/core/", found)

    def test_a_module_that_is_gone(self) -> None:
        found = list(tree(TREE, ["gamed/tap.py", "gamed/core/new.py"]))
        self.assertEqual(found, ["docs/topics/design.md: there is no gamed/core/gone.py"])


class LengthTests(SynchronousTestCase):
    def test_a_line(self) -> None:
        self.assertEqual(len(list(long_lines("a.md", "word " * 30))), 1)
        self.assertEqual(list(long_lines("a.md", "word " * 20)), [])

    def test_tables_code_and_targets_of_links_may_be_longer(self) -> None:
        long = "word " * 30
        page = f"| {long} |\n    {long}\n```text\n{long}\n```\n[a link]({'x' * 200}) and words\n[a]: {long}\n"
        self.assertEqual(list(long_lines("a.md", page)), [])
        self.assertEqual(len(list(long_lines("a.md", f"{page}{long}\n"))), 1)

    def test_a_module(self) -> None:
        self.assertEqual(list(long_modules({"a.py": "\n" * 600})), [])
        self.assertEqual(list(long_modules({"a.py": "\n" * 601})), ["a.py: 601 lines, more than 600"])
