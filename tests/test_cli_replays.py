"""`gamed records export --format`, and the import of other programs' files, packed or not, against a real database."""

from __future__ import annotations

import gzip
import json

from gamed.game import Outcome, Termination
from gamed.games.softwarechallenge.seasons.hive.replays import write
from gamed.history import ended
from gamed.records.own import from_history
from gamed.records.record import Record, document
from tests.games.softwarechallenge.hive.test_replays import ROOM, history, random_moves, whole
from tests.test_cli_import import ImportCase

FORMAT = "software-challenge"


def record() -> Record:
    """Return the record of a whole game."""
    return from_history(whole(1), publisher="gamed-hive", version="1.0", findings=(), unjudged=None)


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
        """The record came from such a file, so it is the same one."""
        replay = self.file("replay.xml", write(whole(1)))
        self.assertIn("duplicate", self.run_gamed("import", replay).output)


class ImportTests(ImportCase):
    def test_plain_and_packed(self) -> None:
        replay = write(whole(2))
        names = [self.file("one.xml", replay), self.file("two.xml.gz", gzip.compress(replay))]
        found = self.run_gamed("import", *names, "--json")
        outcomes = [json.loads(line) for line in found.stdout.splitlines()]
        self.assertEqual([(one["code"], one["id"]) for one in outcomes], [("imported", ROOM), ("duplicate", ROOM)])
        self.assertIn("gamed-hive 1.0: hive, ", outcomes[0]["sentence"])
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
