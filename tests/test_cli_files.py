"""`gamed install-files`: the files for an installation, and the man pages."""

from __future__ import annotations

from pathlib import Path

import click
from click.testing import CliRunner, Result
from twisted.trial.unittest import SynchronousTestCase

import gamed
from gamed.cli import main
from gamed.cli.files import brought, files
from gamed.cli.manual import pages

ROOT = Path(__file__).resolve().parent.parent


def page_of(command: click.Command) -> str:
    """Return the man page of a command."""
    ((_, text),) = pages(command, click.Context(command, info_name=command.name), "gamed 1")
    return text


class InstallFilesTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.folder = Path(self.mktemp()) / "share"

    def install(self) -> Result:
        return CliRunner().invoke(main, ["install-files", str(self.folder)])

    def test_all_of_etc_docs_and_examples_is_written_as_it_is(self) -> None:
        found = self.install()
        self.assertEqual(found.exit_code, 0, found.output)
        expected = [path for name in ("etc", "docs", "examples") for path in (ROOT / name).rglob("*") if path.is_file()]
        self.assertGreater(len(expected), 30)
        for path in expected:
            written = self.folder / path.relative_to(ROOT)
            self.assertEqual(written.read_bytes(), path.read_bytes())
            self.assertIn(f"{written}\n", found.output)

    def test_a_file_that_was_changed_is_kept(self) -> None:
        self.install()
        changed = self.folder / "etc" / "gamed.toml"
        changed.write_text("[store]\n")
        self.install()
        self.assertEqual(changed.read_bytes(), (ROOT / "etc" / "gamed.toml").read_bytes())
        self.assertEqual([path.read_text() for path in self.folder.rglob("*.old")], ["[store]\n"])

    def test_where_nothing_can_be_written(self) -> None:
        self.folder.mkdir(parents=True)
        (self.folder / "docs").touch()
        found = self.install()
        self.assertEqual(found.exit_code, 1)
        self.assertIn(f"gamed: cannot write {self.folder / 'docs'}", found.output)

    def test_the_installed_package_comes_first(self) -> None:
        package = Path(self.mktemp()) / "gamed"
        self.patch(gamed, "__file__", str(package / "__init__.py"))
        self.assertEqual(brought(), package.parent)
        (package / "etc").mkdir(parents=True)
        self.assertEqual(brought(), package)


class ManualTests(SynchronousTestCase):
    def test_every_command_has_a_page(self) -> None:
        context = click.Context(main, info_name="gamed")
        written = {str(name): content.decode() for name, content in files(context) if name.parts[0] == "man"}
        for name in ("gamed", *(f"gamed-{name}" for name in main.commands), "gamed-records-list"):
            self.assertIn(".SH SYNOPSIS", written[f"man/man1/{name}.1"])

    def test_a_page_says_what_the_help_says(self) -> None:
        page = page_of(main.commands["export"])
        for part in (".SH NAME\nexport \\- Write a stored game", "\n.TP\n\\fB\\-\\-config FILE\\fP\nThe daemon's"):
            self.assertIn(part, page)
        self.assertIn(".SH EXAMPLE\n.PP\ngamed export 6f0c1f0e \\-\\-output game.xml\n", page)

    def test_a_text_gives_no_commands_to_roff(self) -> None:
        command = click.Command("play", help=".so /etc/passwd\n'br\n\n\b\nC:\\games\n  .kept")
        page = page_of(command)
        self.assertIn("\n.PP\n\\&.so /etc/passwd\n\\&'br\n.PP\n.nf\nC:\\egames\n\\&.kept\n.fi\n", page)
