"""`make check`: each of its own checks finds the mistakes that it is for."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from tests.checks import long_lines, long_modules, tree

TREE = """
## The tree

    gamed/       the package. `tap.py`
    gamed/core/  the core, in `new.py`
                 and `gone.py`

Planned folders:
"""


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
