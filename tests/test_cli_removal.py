"""`gamed records delete` and `gamed records anonymise` with a real database, replay files and a journal."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from unittest.mock import patch

import attrs
import click
from click.testing import CliRunner

from gamed import cli
from gamed.cli import removal
from gamed.cli.reindex import summary_of
from gamed.config import load
from gamed.core.history import JOINED, Entry
from gamed.games.softwarechallenge.seasons.hive.replays import file_name, write
from gamed.records.index import index
from gamed.records.own import to_history
from gamed.records.record import Record, Summary, document
from gamed.store.database import Database
from gamed.store.query import Query
from gamed.store.replays import folders
from tests.games.softwarechallenge.hive.test_replays import whole
from tests.records.documents import GOFANS, UNKNOWN
from tests.records.samples import ROOM, game, record
from tests.records.test_anonymous import taken
from tests.store.contract import OTHER as KILLED
from tests.test_cli_records import OTHER, THIRD, StoreTestCase

ADA = "Ada"
HIVE = "7f0c1f0e-7c7e-4c1b-9d5e-2f6d3a1b4c5d"


def hive(*names: str) -> Record:
    """Return the record of a whole game between players of these names."""
    played = attrs.evolve(whole(1), room=HIVE)
    played.entries[:2] = [Entry(0, JOINED, seat, data={"name": name}) for seat, name in enumerate(names)]
    return record(played)


def battleship(name: str) -> Record:
    """Return the record of a Battleship game with a player of this name."""
    played = game(room=OTHER)
    played.entries[0] = Entry(0, JOINED, 0, data={"name": name})
    return record(played)


class RemovalCase(StoreTestCase):
    def setUp(self) -> None:
        super().setUp()
        more = '\n[softwarechallenge]\nreplays = "replays"\n'
        self.config.write_text(self.config.read_text() + more)
        self.store = Database(f"sqlite:///{self.folder / 'games.db'}")

    def keep_also(self, *records: Record) -> None:
        self.store.thd_open()
        self.addCleanup(self.store.thd_close)
        self.store.thd_keep([(one, summary_of(one, index())) for one in records])

    def replay(self, played: Record) -> Path:
        path = self.folder / "replays" / file_name(to_history(played))
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(write(to_history(played)))
        return path

    def summary_of(self, id: str) -> Summary:  # noqa: A002 (the column's name)
        (found,) = [one for one in self.store.thd_find(Query()) if one.id == id]
        return found

    def ids(self) -> list[str]:
        return [one.id for one in self.store.thd_records()]

    def audit(self) -> list[str]:
        return [line.split(" did=", 1)[1] for line in (self.folder / "audit.log").read_text().splitlines()]


class DeleteTests(RemovalCase):
    def setUp(self) -> None:
        super().setUp()
        self.keep_three()
        self.keep_also()

    def test_by_id(self) -> None:
        found = self.run_gamed("delete", ROOM[:6].upper(), OTHER, ROOM, "--yes")
        self.assertEqual(found.stdout, f"deleted {ROOM}\ndeleted {OTHER}\n2 games: 2 deleted\n")
        self.assertEqual(self.ids(), [THIRD])
        (listed,) = json.loads(self.run_gamed("list", "--json").stdout)
        self.assertEqual(listed["id"], THIRD)
        self.assertIn("there is no record", self.run_gamed("show", ROOM, status=1).stderr)

    def test_an_id_that_is_not_there_deletes_nothing(self) -> None:
        found = self.run_gamed("delete", ROOM, "ffff", "--yes", status=1)
        self.assertEqual((found.stdout, found.stderr.count("there is no record ffff")), ("", 1))
        self.assertEqual(len(self.ids()), 3)

    def test_selections(self) -> None:
        found = self.run_gamed("delete", "--player", "10.0.0.9:5", "--json", "--yes")
        self.assertEqual(json.loads(found.stdout), {"id": OTHER, "outcome": "deleted"})
        self.assertIn("No game in", self.run_gamed("delete", "--game", "hive", "--yes").stdout)
        with patch.object(removal, "PORTION", 1):
            self.assertIn("2 games: 2 deleted", self.run_gamed("delete", "--termination", "victory", "--yes").stdout)
        self.assertEqual(self.ids(), [])

    def test_all_of_them_those_without_a_summary_too(self) -> None:
        self.store.thd_keep([(taken(UNKNOWN), None)])
        self.assertIn("4 games: 4 deleted", self.run_gamed("delete", "--all", "--yes").stdout)
        self.assertEqual(self.ids(), [])

    def test_what_is_to_be_deleted_is_said_in_one_way(self) -> None:
        for args in ((), (ROOM, "--all"), (ROOM, "--game", "hive"), ("--all", "--player", ADA)):
            self.assertIn("give IDs", self.run_gamed("delete", *args, "--yes", status=2).stderr)

    def test_it_asks(self) -> None:
        found = self.run_gamed("delete", ROOM, status=2)
        self.assertIn("Delete 1 game from", found.stderr)
        self.assertIn("confirm with --yes", found.stderr)
        asked: list[str] = []

        def refuse(question: str, **_more: Any) -> None:
            asked.append(question)
            raise click.Abort

        with patch("click.testing._NamedTextIOWrapper.isatty", return_value=True), patch("click.confirm", refuse):
            self.run_gamed("delete", ROOM, status=1)
        self.assertTrue(asked[0].endswith("? This cannot be undone."))
        self.assertEqual(len(self.ids()), 3)
        self.assertFalse((self.folder / "audit.log").exists())

    def test_the_audit_log_has_it_and_not_whose_games_they_were(self) -> None:
        self.run_gamed("delete", "--player", "10.0.0.9:5", "--game", "battleship", "--yes")
        begun, ids, done = self.audit()
        self.assertEqual(begun, "records delete --player --game result=begun")
        self.assertEqual(ids, f"records delete --player --game result={OTHER}")
        self.assertEqual(done, "records delete --player --game result=1 game")

    def test_one_that_was_deleted_meanwhile(self) -> None:
        with patch.object(removal, "_resolved", lambda _store, _ids: [KILLED, ROOM]):
            found = self.run_gamed("delete", "anything", "--yes")
        self.assertEqual(found.stdout, f"gone {KILLED}\ndeleted {ROOM}\n2 games: 1 deleted, 1 gone already\n")

    def test_its_replay_file_goes_with_it(self) -> None:
        mine, other = hive(ADA, "Bob"), attrs.evolve(record(whole(2)), id=KILLED)
        self.store.thd_keep([(mine, None)])
        path, stays = self.replay(mine), self.replay(other)
        self.run_gamed("delete", HIVE, "--yes")
        self.assertEqual((path.exists(), stays.exists()), (False, True))

    def test_it_goes_with_a_game_that_expires(self) -> None:
        mine = hive(ADA, "Bob")
        self.keep_also(mine)
        path = self.replay(mine)
        settings = load(str(self.config))
        expired = self.store.thd_expire("2000-01-01T00:00:00.000Z", 9, folders(settings.listeners))
        self.assertEqual(expired, {mine.id})
        self.assertEqual((path.exists(), len(self.ids())), (False, 3))

    def test_a_file_that_cannot_be_removed_keeps_its_record(self) -> None:
        mine = hive(ADA, "Bob")
        self.store.thd_keep([(mine, None)])
        path = self.replay(mine)
        path.unlink()
        path.mkdir()
        self.assertIn("its record stays", self.run_gamed("delete", HIVE, "--yes", status=1).stderr)
        self.assertIn(HIVE, self.ids())
        self.assertIn("result=failed: the replay file", self.audit()[-1])

    def test_what_the_journal_still_has_is_forgotten_and_said(self) -> None:
        (self.folder / "journal").mkdir()
        segment = self.folder / "journal" / "00000001.journal"
        segment.write_bytes(b'{"room":"%b"}\n' % ROOM.encode())
        found = self.run_gamed("delete", ROOM, "--yes")
        self.assertIn(f"The journal may still have it, in {segment}", found.stderr)
        self.assertEqual(self.run_gamed("delete", OTHER, "--yes").stderr, "")

    def test_without_a_database(self) -> None:
        other = self.folder / "other.toml"
        other.write_text('[store]\nurl = "sqlite:///none.db"\n')
        found = CliRunner().invoke(cli.main, ["records", "delete", "--all", "--yes", "--config", str(other)])
        self.assertEqual(found.exit_code, 1)
        self.assertIn("There is no database", found.stderr)
        self.assertFalse((self.folder / "none.db").exists())


class AnonymiseTests(RemovalCase):
    def test_everywhere(self) -> None:
        mine, other = hive(ADA, "Ada Lovelace"), taken(GOFANS.replace(b'"Anna"', b'"Ada"'))
        adam = battleship("Adam")
        self.keep_also(mine, other, adam)
        path = self.replay(mine)
        found = self.run_gamed("anonymise", ADA, "--yes", "--json")
        told = {one["id"]: one for one in map(json.loads, found.stdout.splitlines())}
        self.assertEqual({one["outcome"] for one in told.values()}, {"anonymised"})
        self.assertEqual(set(told), {mine.id, other.id})
        new = told[other.id]["record"]
        self.assertEqual(set(self.ids()), {mine.id, new, adam.id})
        self.assertEqual(self.store.thd_find(Query(player=ADA)), [])
        self.assertEqual({one.id for one in self.store.thd_find(Query(player="anonymous"))}, {mine.id, new})
        self.assertEqual(self.store.thd_record(adam.id), adam)
        self.assertFalse(path.exists())
        (replay,) = path.parent.iterdir()
        changed = to_history(self.store.thd_record(mine.id))
        self.assertEqual(replay.read_bytes(), write(changed))
        self.assertNotIn(b'"Ada"', replay.read_bytes())
        self.assertIn(b'"Ada Lovelace"', replay.read_bytes())
        self.assertNotIn(ADA, (self.folder / "audit.log").read_text())
        self.assertEqual(self.audit()[-1], "records anonymise result=2 games")
        self.assertEqual(self.audit()[-2].count(", "), 1)

    def test_what_is_imported_again_is_known_by_its_new_content(self) -> None:
        self.keep_also(taken(GOFANS))
        self.run_gamed("anonymise", "Anna", "--yes")
        (after,) = self.store.thd_records()
        (self.folder / "game.xml").write_bytes(document(after))
        done = CliRunner().invoke(cli.main, ["import", str(self.folder / "game.xml"), "--config", str(self.config)])
        self.assertIn("1 duplicate", done.output)

    def test_from_where_a_game_was_played_is_forgotten(self) -> None:
        self.keep_also(hive(ADA, "Bob"), battleship("203.0.113.7:5"))
        for id, owners in ((HIVE, {"203.0.113.7", "203.0.113.8"}), (OTHER, {"203.0.113.7"})):  # noqa: A001
            own = attrs.evolve(self.summary_of(id), owners=frozenset(owners))
            self.store.thd_delete([id])
            self.store.thd_keep([(hive(ADA, "Bob") if id == HIVE else battleship("203.0.113.7:5"), own)])
        self.assertNotIn("203.0.113.8", self.run_gamed("list", "--json").stdout)
        self.assertNotIn("203.0.113.8", self.run_gamed("show", HIVE, "--json").stdout)
        said = self.run_gamed("anonymise", "203.0.113.7", "--yes").stdout
        self.assertEqual(said, f"anonymised {OTHER}\nforgotten {HIVE}\n2 games: 1 anonymised, 1 forgotten\n")
        self.assertEqual(self.summary_of(HIVE).owners, {"203.0.113.8"})
        self.assertEqual(self.summary_of(OTHER).owners, frozenset())
        # A person's games keep no address at all.
        self.run_gamed("anonymise", ADA, "--yes")
        self.assertEqual(self.summary_of(HIVE).owners, frozenset())

    def test_it_says_how_many_and_is_done_once(self) -> None:
        self.keep_also(hive(ADA, "Bob"), battleship("Adam"))
        self.assertEqual(self.run_gamed("anonymise", ADA, "--yes").stdout, f"anonymised {HIVE}\n1 game: 1 anonymised\n")
        self.assertEqual(self.run_gamed("anonymise", ADA, "--yes").stdout, "0 games: 0 anonymised\n")

    def test_what_stays_is_said(self) -> None:
        foreign = taken(UNKNOWN.replace(b'a="1"', b'a="Bert"'))
        mentioned = taken(GOFANS.replace(b"A ko", b"by Bert").replace(b'name="Bert"', b'name="Berta"'))
        self.keep_also(taken(GOFANS), mentioned)
        self.store.thd_keep([(foreign, None)])
        found = self.run_gamed("anonymise", "Bert", "--yes", status=1)
        self.assertIn(f"foreign {foreign.id}\n", found.stdout)
        self.assertIn(f"mentioned {mentioned.id}\n", found.stdout)
        self.assertIn("3 games: 1 anonymised, ", found.stdout)
        self.assertEqual(self.store.thd_record(foreign.id), foreign)

    def test_it_asks(self) -> None:
        self.keep_also(hive(ADA, "Bob"))
        self.assertIn("Anonymise Ada in 1 game?", self.run_gamed("anonymise", ADA, status=2).stderr)
        self.assertEqual(len(self.store.thd_find(Query(player=ADA))), 1)
        self.run_gamed("anonymise", "nobody")
        self.assertIn("NAME is empty", self.run_gamed("anonymise", " ", "--yes", status=2).stderr)

    def test_one_that_was_deleted_meanwhile(self) -> None:
        self.keep_also(hive(ADA, "Bob"))
        before = removal._concerned(self.store, ADA)
        self.store.thd_delete([HIVE])
        with patch.object(removal, "_concerned", lambda _store, _name: before):
            self.assertIn("0 games: 0 anonymised", self.run_gamed("anonymise", ADA, "--yes").stdout)
        self.assertEqual(self.ids(), [])
