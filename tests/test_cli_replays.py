"""`gamed records export --format`, and the import of other programs' files, packed or not."""

from __future__ import annotations

import errno
import gzip
import io
import json
import sys

from attrs import evolve, fields
from click.testing import Result

from gamed.cli import export
from gamed.cli import scores as module
from gamed.cli.database import store_settings
from gamed.cli.export import export_all
from gamed.core.errors import RuleError
from gamed.core.game import Outcome, Termination
from gamed.core.history import ended
from gamed.games.softwarechallenge.seasons.hive.replays import scores, write
from gamed.records.own import from_history, summary
from gamed.records.record import Record, Summary, document
from gamed.registry import game_types
from gamed.store.replays import thd_write_file as keep
from tests.battleship_matches import play_history
from tests.games.softwarechallenge.hive.test_replays import ROOM, history, random_moves, whole
from tests.test_cli_import import ImportCase

FORMAT = "software-challenge"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


OTHER = from_history(
    play_history(("density", "density"), 1), publisher="gamed-battleship", version="1.1", findings=(), unjudged=None
)
"""The record of a game that has no replay format."""


def record() -> Record:
    """Return the record of a whole game."""
    return from_history(whole(1), publisher="gamed-hive", version="1.1", findings=(), unjudged=None)


class ExportTests(ImportCase):
    def setUp(self) -> None:
        super().setUp()
        self.run_gamed("import", self.file("game.xml", document(record())))

    def test_a_replay_file(self) -> None:
        shown = self.run_gamed("records", "export", ROOM, "--format", FORMAT).stdout_bytes
        self.assertEqual(shown, write(whole(1)))

    def test_a_packed_one(self) -> None:
        target = self.folder / "replay.xml.gz"
        self.run_gamed("records", "export", ROOM, "--format", FORMAT, "-o", str(target))
        packed = target.read_bytes()
        self.assertEqual(gzip.decompress(packed), write(whole(1)))
        self.run_gamed("records", "export", ROOM, "--format", FORMAT, "-o", str(target))
        self.assertEqual(target.read_bytes(), packed)

    def test_as_it_is_it_is_packed_too(self) -> None:
        target = self.folder / "game.xml.gz"
        self.run_gamed("records", "export", ROOM, "-o", str(target))
        self.assertEqual(gzip.decompress(target.read_bytes()), document(record()))

    def test_a_format_that_the_game_does_not_have(self) -> None:
        found = self.run_gamed("records", "export", ROOM, "--format", "sgf", status=2)
        self.assertIn("gamed-hive has no format sgf; it has xml, software-challenge", found.output)

    def test_importing_it_again_finds_the_game(self) -> None:
        """The record was imported from such a file, so the export is equal to it."""
        replay = self.file("replay.xml", write(whole(1)))
        self.assertIn("duplicate", self.run_gamed("import", replay).output)


class BulkTests(ImportCase):
    """`gamed records export --all`."""

    def setUp(self) -> None:
        super().setUp()
        self.target = self.folder / "out" / "replays"
        self.run_gamed("import", self.file("hive.xml", document(record())), self.file("ship.xml", document(OTHER)))

    def export(self, *options: str, status: int = 0) -> Result:
        return self.run_gamed("records", "export", "--all", *options, str(self.target), status=status)

    def files(self) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in self.target.iterdir()}

    def test_the_replays_of_all_games_that_have_one(self) -> None:
        found = self.export("--format", "replay")
        self.assertEqual(found.stdout, "2 games: 1 written, 0 failed, 1 without this format\n")
        self.assertEqual(found.stderr, "")
        name = f"replay_swc_2020_hive_a__b___c__Ω_1970.01.01_00_00_00_{ROOM[:8]}.xml"
        self.assertEqual(self.files(), {name: write(whole(1))})
        # A second export changes nothing.
        self.export("--format", FORMAT)
        self.assertEqual(list(self.files()), [name])

    def test_all_games_as_they_are(self) -> None:
        lines = [json.loads(line) for line in self.export("--json").stdout.splitlines()]
        self.assertEqual({line["outcome"] for line in lines}, {"written"})
        self.assertEqual([line["file"] for line in lines], [str(self.target / f"{line['id']}.xml") for line in lines])
        self.assertEqual(set(self.files().values()), {document(record()), document(OTHER)})

    def test_a_failed_one_is_named_and_the_others_are_written(self) -> None:
        def fail(*_: object) -> None:
            raise KeyError("name")

        self.patch(export, "thd_write_file", lambda path, data: fail() if ROOM in path.name else keep(path, data))
        found = self.export(status=1)
        self.assertEqual(found.stderr, f"{ROOM}: 'name'\n")
        self.assertEqual(found.stdout, "2 games: 1 written, 1 failed\n")
        self.assertEqual(list(self.files()), [f"{OTHER.id}.xml"])

    def test_a_full_disk_ends_it(self) -> None:
        def full(*_: object) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

        self.patch(export, "thd_write_file", full)
        found = self.export(status=1)
        text = f"cannot write to {self.target}: No space left on device; the remaining games are not written"
        self.assertEqual(found.stderr, f"gamed: {text}\n")

    def test_a_terminal_is_shown_how_far_it_is(self) -> None:
        terminal, shown = Terminal(), io.StringIO()
        self.patch(sys, "stderr", terminal)
        self.patch(sys, "stdout", shown)
        status = export_all(store_settings(str(self.config)), "xml", self.target, as_json=False)
        self.assertEqual((status, shown.getvalue()), (0, "2 games: 2 written, 0 failed\n"))
        self.assertIn("100%", terminal.getvalue())

    def test_a_directory_that_cannot_be_made(self) -> None:
        self.target.parent.write_bytes(b"a file")
        found = self.export("--json", status=1)
        self.assertEqual([json.loads(line)["outcome"] for line in found.stdout.splitlines()], ["failed"] * 2)
        self.assertIn("Not a directory", found.stdout)

    def test_a_format_that_no_game_has(self) -> None:
        self.assertIn("none of the games has the format nonsense", self.export("--format", "nonsense", status=2).output)

    def test_options_that_do_not_go_together(self) -> None:
        self.assertIn("use it without --output", self.export("-o", "x", status=2).output)
        self.assertIn("--json needs --all", self.run_gamed("records", "export", ROOM, "--json", status=2).output)

    def test_one_game_as_its_replay(self) -> None:
        shown = self.run_gamed("records", "export", ROOM, "--format", "replay").stdout_bytes
        self.assertEqual(shown, write(whole(1)))


class ScoreTests(ImportCase):
    """The points and the free fields in `gamed records list`."""

    def setUp(self) -> None:
        super().setUp()
        self.run_gamed("import", self.file("hive.xml", document(record())))
        self.counted = scores(whole(1))

    def test_columns(self) -> None:
        head, line = self.run_gamed("records", "list", env={"COLUMNS": "100"}).stdout.splitlines()
        self.assertTrue(head.endswith("LENGTH  POINTS  FREE  PUBLISHER   VERSION"), head)
        points, free = (":".join(map(str, self.counted[name])) for name in ("points", "free"))
        self.assertRegex(line, rf" {points} +{free} +gamed-hive  1.1$")
        head = self.run_gamed("records", "list", env={"COLUMNS": "85"}).stdout.splitlines()[0]
        self.assertTrue(head.endswith("LENGTH  POINTS  FREE"), head)

    def test_a_terminal_that_is_too_narrow_for_them(self) -> None:
        head, line = self.run_gamed("records", "list", env={"COLUMNS": "70"}).stdout.splitlines()
        self.assertTrue(head.endswith("LENGTH"), head)
        self.assertLessEqual(len(line), 70)

    def test_json_has_them_besides(self) -> None:
        (game,) = json.loads(self.run_gamed("records", "list", "--json").stdout)
        self.assertEqual(game.pop("scores"), {name: list(counts) for name, counts in self.counted.items()})
        self.assertEqual(set(game), {field.name for field in fields(Summary)} - {"owners"})

    def test_a_record_that_cannot_be_played_is_listed_all_the_same(self) -> None:
        def fail(_history: object) -> None:
            raise RuleError("no such move", code="x")

        broken = evolve(game_types()["hive"], scores=fail)
        self.patch(module, "game_types", lambda: {"hive": broken})
        head, line = self.run_gamed("records", "list", env={"COLUMNS": "120"}).stdout.splitlines()
        self.assertTrue(head.endswith("LENGTH  PUBLISHER   VERSION"), head)
        self.assertTrue(line.startswith(ROOM[:8]))

    def test_a_game_without_them(self) -> None:
        self.run_gamed("import", self.file("ship.xml", document(OTHER)))
        lines = self.run_gamed("records", "list", env={"COLUMNS": "120"}).stdout.splitlines()
        self.assertTrue(any(f"  {summary(OTHER).length}   " in line for line in lines), lines)
        (game,) = json.loads(self.run_gamed("records", "list", "--json", "--game", "battleship").stdout)
        self.assertNotIn("scores", game)


class ImportTests(ImportCase):
    def test_plain_and_packed(self) -> None:
        replay = write(whole(2))
        names = [self.file("one.xml", replay), self.file("two.xml.gz", gzip.compress(replay))]
        found = self.run_gamed("import", *names, "--json")
        outcomes = [json.loads(line) for line in found.stdout.splitlines()]
        self.assertEqual([(one["code"], one["id"]) for one in outcomes], [("imported", ROOM), ("duplicate", ROOM)])
        self.assertIn("gamed-hive 1.1: hive, ", outcomes[0]["sentence"])
        self.assertEqual(self.store().thd_record(ROOM).publisher, "gamed-hive")

    def test_one_that_breaks_off(self) -> None:
        replay = write(whole(2))
        cut = self.file("cut.xml.gz", gzip.compress(replay[: len(replay) // 2]))
        self.assertIn("imported", self.run_gamed("import", cut).output)
        self.assertIn("cancelled", self.run_gamed("records", "show", ROOM).output)

    def test_another_game_of_this_id_is_refused(self) -> None:
        cancelled = history(random_moves(3, 5)[0], ended(0, Outcome(Termination.CANCELLED)))
        self.run_gamed("import", self.file("one.xml", write(whole(2))))
        self.assertIn("conflict", self.run_gamed("import", self.file("two.xml", write(cancelled)), status=1).output)

    def test_an_illegal_one(self) -> None:
        spoilt = write(whole(2)).replace(b'turn="7"', b'turn="9"')
        self.assertIn("illegal", self.run_gamed("import", self.file("game.xml", spoilt), status=1).output)
        self.assertIn("illegal", self.run_gamed("check", self.file("game.xml", spoilt), status=1).output)

    def test_a_file_can_be_shown(self) -> None:
        shown = self.run_gamed("show", self.file("game.xml", write(whole(2))), "--move", "1").output
        self.assertIn("RED: sets ", shown)
        self.assertIn("z  0", shown)
