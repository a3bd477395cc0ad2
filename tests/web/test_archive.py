"""The archive's answers: searching, reading, positions of all games, files, imports."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from random import Random
from threading import get_ident
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch
from uuid import UUID

import attrs
from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.internet.defer import Deferred, execute, fail
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase, TestCase

from gamed.core.errors import GamedError, StoreError
from gamed.core.findings import Finding
from gamed.core.history import JOINED
from gamed.core.table import replay
from gamed.games.go import gofans
from gamed.games.go.tree import GoGame, Node, Point
from gamed.process.fairness import WORKER_PAUSE as PAUSE
from gamed.process.fairness import WORKER_SLICE as SLICE
from gamed.records.anonymous import Person, anonymised
from gamed.records.own import from_history, summarize
from gamed.records.own import summary as own_summary
from gamed.records.record import Record, document
from gamed.registry import game_types
from gamed.replayers import importer
from gamed.store.memory import MemoryStore
from gamed.web import thread_cooperator
from gamed.web.answers import Answer, Refusal, refusal_of, to_json
from gamed.web.archive import Archive
from gamed.web.compression import gzipped
from gamed.web.opened import OpaqueRecord, RecordCache
from gamed.web.static_files import Files
from gamed.web.thread_cooperator import MOST_WAITING, ThreadCooperator
from tests.games.pictures import draw
from tests.records import samples
from tests.records.documents import outcome
from tests.records.gogames import captured, line, read_sgf
from tests.store.examples import record, summary
from tests.test_registry import SEEDS, play
from tests.web.harness import dispatch

KINDS = tuple(game_types())
MISSING = "00000000-0000-4000-8000-000000000000"


@attrs.define
class Visitor:
    """Who asks."""

    id: str = "v"
    admin: bool = False
    did: list[tuple[str, str]] = attrs.field(factory=list)
    """What the audit log would have."""

    @property
    def operator(self) -> Visitor | None:
        """Itself, if it is an administrator."""
        return self if self.admin else None

    def noted(self, line: str, result: str) -> None:
        """Take note of what was done."""
        self.did.append((line, result))


@cache
def played(kind: str) -> tuple[Record, Any]:
    """Return the record and the history of a match between a game's own players."""
    made = game_types()[kind]
    _, history, _ = play(made, made.settings(), SEEDS[0])
    history.room = str(UUID(int=1 + KINDS.index(kind), version=4))
    names = {"publisher": made.publisher, "version": made.version}
    return from_history(history, **names, findings=(), unjudged=None), history


def at_once() -> ThreadCooperator:
    """Return a worker that works where it is called."""
    return ThreadCooperator(execute, lambda _seconds: None)


def archive(store: Any = None) -> Archive:
    """Return an archive without threads."""
    known = importer()
    return Archive(MemoryStore() if store is None else store, known, game_types(), at_once(), at_once())


def go_record(game: GoGame, version: str) -> Record:
    """Return a game of Go as a record with an id."""
    return gofans.write(game, version, record_id=str(UUID(int=99, version=4)))


class ArchiveCase(SynchronousTestCase):
    def setUp(self) -> None:
        self.store = MemoryStore()
        self.archive = archive(self.store)

    def keep(self, kept: Record, found: Any = None) -> str:
        return self.successResultOf(self.store.keep(kept, found))

    def ask(self, path: str, body: Any = None, *, method: str = "GET", admin: bool = False, **query: str) -> Answer:
        self.visitor = Visitor(admin=admin)
        asked = dispatch(self.archive.routes, path.split("/"), method, query, body, self.visitor)
        answer: Answer = self.successResultOf(asked)
        return answer

    def read(self, path: str, **query: str) -> Any:
        return json.loads(self.ask(path, **query).encoded())

    def refused(
        self, path: str, body: Any = None, *, method: str = "GET", admin: bool = False, **query: str
    ) -> Refusal:
        try:
            asked = dispatch(self.archive.routes, path.split("/"), method, query, body, Visitor(admin=admin))
        except Refusal as error:
            return error
        return refusal_of(self.failureResultOf(asked).value)


class ChangedTests(ArchiveCase):
    """Records that a command deletes, or takes a name out of, while the daemon has them open."""

    def test_a_deleted_one_is_not_there_any_longer(self) -> None:
        kept, _ = played("hive")
        path = f"records/{self.keep(kept)}"
        self.read(path)
        self.read(f"{path}/positions", **{"from": "0"})
        del self.store.records[kept.id]
        for asked in (path, f"{path}/positions", f"{path}/file"):
            refused = self.refused(asked)
            self.assertEqual((refused.status, refused.code), (404, "no-record"))
            self.assertEqual(refused.hint, "it may have been deleted")

    def test_a_changed_one_is_read_anew(self) -> None:
        for kept in (played(kind)[0] for kind in KINDS if next(played(kind)[1].of_kind(JOINED)).data["name"]):
            path = f"records/{self.keep(kept)}"
            before = self.read(path)
            name = own_summary(kept).seats[0].name
            outcome = anonymised(kept, Person.of(name))
            assert outcome is not None
            assert outcome.record is not None
            self.store.records[kept.id] = outcome.record
            after = self.read(path)
            self.assertEqual((after["seats"][0]["name"], after["boards"]), ("anonymous", True))
            self.assertEqual((after["moves"], after["outcome"]), (before["moves"], before["outcome"]))
            self.assertNotIn(f'"{name}"'.encode(), self.ask(f"{path}/file").encoded())
            # By the beginning of its id, too.
            self.store.records[kept.id] = kept
            self.assertEqual(self.read(f"records/{kept.id[:35]}")["seats"], before["seats"])
            del self.store.records[kept.id]


class SearchTests(ArchiveCase):
    def found(self, **query: str) -> list[int]:
        return [one["length"] - 40 for one in self.read("records", **query)["records"]]

    def fill(self, count: int) -> None:
        for number in range(1, count + 1):
            self.keep(record(number), summary(number, started=f"2026-11-{1 + number % 7:02d}T09:00:00.000Z"))

    def test_a_summary(self) -> None:
        self.keep(record(1), summary(1))
        (one,) = self.read("records")["records"]
        self.assertEqual(one["game"], "battleship")
        self.assertEqual(one["seats"][0], {"seat": 0, "name": "Ada", "points": 1.5})
        self.assertEqual((one["termination"], one["winner"], one["length"]), ("victory", 0, 41))
        self.assertNotIn("kind", one)

    def test_what_is_asked_for(self) -> None:
        self.keep(record(1), summary(1))
        self.keep(record(2), summary(2, names=("Grace", "Ada"), kind="hive", started="2026-10-01T00:00:00.000Z"))
        self.keep(record(3), attrs.evolve(summary(3, termination="left"), winner=None))
        self.assertEqual(self.found(), [1, 3, 2])
        self.assertEqual(self.found(game="hive"), [2])
        self.assertEqual(self.found(termination="left"), [3])
        self.assertEqual(self.found(player="Ada", winner="player"), [1])
        self.assertEqual(self.found(winner="nobody"), [3])
        self.assertEqual(self.found(winner="0"), [1, 2])
        self.assertEqual(self.found(since="2026-11"), [1, 3])
        self.assertEqual(self.found(until="2026-10"), [2])
        self.assertEqual(self.found(player="", game="", winner=""), [1, 3, 2])

    def test_pages_follow_one_another(self) -> None:
        self.fill(23)
        everything = self.found(limit="200")
        pages, before = [], {}
        for _ in range(5):
            page = self.read("records", limit="5", **before)
            pages += [one["length"] - 40 for one in page["records"]]
            if page["next"] is None:
                break
            before = {"before": page["next"]}
        self.assertEqual(pages, everything)
        self.assertEqual(sorted(pages), list(range(1, 24)))

    def test_the_last_page_is_the_last(self) -> None:
        self.fill(5)
        self.assertIsNone(self.read("records", limit="5")["next"])
        self.assertIsNotNone(self.read("records", limit="4")["next"])

    def test_what_is_no_question(self) -> None:
        wrong = {
            "termination": "boredom", "since": "yesterday", "until": "2026-11-21' --", "limit": "201", "before": "x",
            "winner": "player", "player": "a\0b", "game": "\ud800",
        }  # fmt: skip
        for name, value in wrong.items():
            self.assertEqual(self.refused("records", **{name: value}).status, 400, name)

    def test_a_store_that_fails(self) -> None:
        self.archive.store = Broken()  # type: ignore[assignment]
        for path in ("records", f"records/{MISSING}"):
            self.assertEqual((self.refused(path).status, self.refused(path).code), (503, "store"))


class Broken:
    """A store that fails."""

    def find(self, _query: Any) -> Deferred[Any]:
        return fail(StoreError("the disk"))

    def record(self, _id: str) -> Deferred[Any]:
        return fail(StoreError("the disk"))


class OwnRecordTests(ArchiveCase):
    def opened(self, kind: str) -> tuple[str, Any, Any]:
        kept, history = played(kind)
        id = self.keep(kept, summarize(history, publisher=kept.publisher, version=kept.version))  # noqa: A001
        return id, history, game_types()[kind]

    def test_all_that_is_told(self) -> None:
        self.archive.naming.shows_addresses = True
        for kind in KINDS:
            id, history, made = self.opened(kind)  # noqa: A001
            told = self.read(f"records/{id}")
            found = summarize(history, publisher=made.publisher, version=made.version)
            self.assertEqual((told["id"], told["game"], told["length"]), (id, kind, found.length))
            self.assertEqual([move["n"] for move in told["moves"]], list(range(1, found.length + 1)))
            self.assertEqual(told["outcome"], {"termination": found.termination, "winner": found.winner})
            self.assertEqual(told["options"], dict(history.options))
            self.assertEqual([seat["name"] for seat in told["seats"]], [seat.name for seat in found.seats])
            self.assertIs(told["boards"], True)
            self.assertEqual(told["formats"], ["xml", "replay"] if game_types()[kind].replays else ["xml"])

    def test_positions_are_those_of_the_replay(self) -> None:
        """After the last move all games stand where a replay of the whole history stands."""
        for kind in KINDS:
            id, history, made = self.opened(kind)  # noqa: A001
            table = made.table(made.settings(), history.options, Random, 0.0)
            for _ in replay(table, history):
                pass
            length = self.read(f"records/{id}")["length"]
            (last,) = self.read(f"records/{id}/positions", **{"from": str(length)})
            self.assertEqual(last["board"], json.loads(json.dumps(table.game.view(table.state, None))), kind)
            self.assertEqual((last["n"], last["turn"], last["phase"]), (length, [], "over"))

    def test_each_position_is_the_one_before_the_next_move(self) -> None:
        for kind in KINDS:
            id, history, made = self.opened(kind)  # noqa: A001
            asked = self.read(f"records/{id}/positions", **{"from": "0", "to": "12"})
            table, before = made.table(made.settings(), history.options, Random, 0.0), []
            view = table.game.view(table.state, None)
            for entry in replay(table, history):
                if entry.kind in ("line", "move"):
                    before.append(json.loads(json.dumps(view)))
                view = table.game.view(table.state, None)
            self.assertEqual([one["board"] for one in asked], before[:13], kind)
            self.assertEqual([one["n"] for one in asked], list(range(13)))
            self.assertEqual([one["last"] and one["last"]["n"] for one in asked], [None, *range(1, 13)])
            self.assertTrue(all(one["turn"] for one in asked))
            texts = [move["text"] for move in self.read(f"records/{id}")["moves"][:12]]
            self.assertEqual([one["last"]["text"] for one in asked[1:]], texts)

    def test_the_number_of_a_move_is_that_of_the_pictures(self) -> None:
        """`gamed records show --move N` draws the same position."""
        id, history, _ = self.opened("quoridor")  # noqa: A001
        for number in (0, 1, 7):
            (position,) = self.read(f"records/{id}/positions", **{"from": str(number)})
            picture = draw(history, number)
            for seat, (x, y) in enumerate(position["board"]["pawns"]):
                row = next(text for text in picture.split("\n") if text[:3] == f"  {y}")
                self.assertIn(str(seat + 1), row, (number, x))

    def test_how_long_a_move_took(self) -> None:
        kept, history = played("quoridor")
        later = attrs.evolve(history, entries=[attrs.evolve(one) for one in history.entries])
        start = next(n for n, entry in enumerate(later.entries) if entry.kind == "started")
        for number, entry in enumerate(later.entries[start:]):
            entry.at = 1_000 + 10 * number * number
        made = from_history(later, publisher=kept.publisher, version=kept.version, findings=(), unjudged=None)
        moves = self.read(f"records/{self.keep(made)}")["moves"]
        self.assertEqual([(move["at"], move["took"]) for move in moves[:3]], [(10, 10), (40, 30), (90, 50)])

    def test_a_spectator_of_roborally_sees_no_hand(self) -> None:
        id, _, _ = self.opened("roborally")  # noqa: A001
        positions = self.read(f"records/{id}/positions", **{"from": "0", "to": "60"})
        self.assertTrue(all(one["board"]["own"] is None for one in positions))
        self.assertNotIn("hand", json.dumps(positions))

    def test_measures_have_a_number_for_each_seat_and_position(self) -> None:
        for kind in KINDS:
            id, _, _ = self.opened(kind)  # noqa: A001
            found, whole = (self.read(f"records/{id}{part}") for part in ("/measures", ""))
            lengths = {len(one) for series in found.values() for one in series}
            seats = {len(series) for series in found.values()}
            self.assertEqual((lengths, seats), ({whole["length"] + 1}, {len(whole["seats"])}), kind)

    def test_a_replay_with_its_page_weighs_less_than_150_kilobytes(self) -> None:
        files = Files()
        shell = sum(len(files.find(name).packed) for name in files.names if name != "openapi.json")
        for kind in KINDS:
            id, _, _ = self.opened(kind)  # noqa: A001
            whole = self.read(f"records/{id}")
            last = str(min(63, whole["length"]))
            positions = to_json(self.read(f"records/{id}/positions", **{"from": "0", "to": last}))
            packed = len(gzipped(to_json(whole))) + len(gzipped(positions))
            self.assertLess(shell + packed, 150_000, (kind, shell, packed, len(positions)))

    def test_bounds_of_positions(self) -> None:
        id, _, _ = self.opened("battleship")  # noqa: A001
        for query in ("from=-1", "from=9999", "from=5&to=4", "from=0&to=64", "from=x", "node=1"):
            answer = self.refused(f"records/{id}/positions", **dict(one.split("=") for one in query.split("&")))
            self.assertEqual(answer.status, 400, query)
        self.assertEqual(len(self.read(f"records/{id}/positions", **{"from": "0", "to": "63"})), 64)

    def test_files(self) -> None:
        id, history, made = self.opened("hive")  # noqa: A001
        answer = self.ask(f"records/{id}/file")
        self.assertEqual((answer.encoded(), answer.mime), (document(played("hive")[0]), "application/xml"))
        self.assertIn(f'filename="{id}.xml"', answer.headers["content-disposition"])
        written = self.ask(f"records/{id}/file", format="replay")
        self.assertEqual(written.encoded(), made.replays[0].write(history))
        self.assertIn("software-challenge", written.headers["content-disposition"])
        self.assertEqual(self.refused(f"records/{id}/file", format="sgf").code, "no-format")

    def test_findings_name_their_move(self) -> None:
        kept, history = played("battleship")
        entry = next(n for n, one in enumerate(history.entries) if one.kind == "line") + 4
        found = {"code": "other-cell", "seat": 1, "entry": entry, "text": "a lie"}
        lied = from_history(
            history, publisher=kept.publisher, version=kept.version, findings=[Finding(**found)], unjudged=entry + 1
        )
        told = self.read(f"records/{self.keep(lied)}")
        (finding,) = told["findings"]
        self.assertEqual(finding, {**found, "name": "", "unnamed": True, "move": 5})
        self.assertEqual(told["unjudged"], entry + 1)

    def test_what_was_refused(self) -> None:
        told = self.read(f"records/{self.keep(samples.record(samples.refused(samples.game())))}")
        (row,) = told["refusals"]
        self.assertEqual((row["seat"], row["code"], row["count"], row["unnamed"]), (1, "illegible", 9, True))
        self.assertEqual(row["reason"], "no full stop; no bracket")
        first = {"text": "(1,[3,4])", "expected": "(1,[X,Y]).", "at": 388, "move": 2}
        self.assertEqual(row["messages"], [first, {**first, "text": "", "at": 488, "move": 3}])

    def test_a_move_that_the_rules_refuse_ends_the_positions(self) -> None:
        kept, history = played("quoridor")
        spoilt = attrs.evolve(history, entries=[attrs.evolve(one) for one in history.entries])
        moves = [entry for entry in spoilt.entries if entry.kind == "move"]
        moves[3].body = b"wall 90 90 horizontal"
        id = self.keep(from_history(spoilt, publisher=kept.publisher, version=kept.version, findings=(), unjudged=None))  # noqa: A001
        self.assertEqual(self.read(f"records/{id}")["moves"][3]["text"], "wall 90 90 horizontal")
        self.assertEqual(len(self.read(f"records/{id}/positions", **{"from": "0", "to": "3"})), 4)
        self.assertEqual(self.refused(f"records/{id}/positions", **{"from": "4"}).status, 409)


class LookupTests(ArchiveCase):
    def test_a_shortened_id(self) -> None:
        id = self.keep(record(1))  # noqa: A001
        self.assertEqual(self.read(f"records/{id[:8]}")["id"], id)

    def test_what_is_not_there(self) -> None:
        self.keep(record(1))
        self.keep(record(2))
        for id in (MISSING, "000", "0000", "nonsense", "%%%%", "", "\ud800", "a" * 100):  # noqa: A001
            refusal = self.refused(f"records/{id}")
            self.assertEqual((refusal.status, refusal.code), (404, "no-record"), id)
        self.assertEqual(self.refused(f"records/{MISSING}/boards").code, "not-found")
        self.assertEqual(self.refused("records", method="DELETE").status, 405)

    def test_a_game_that_is_not_stored_yet(self) -> None:
        self.archive.is_on_its_way = lambda id: id == MISSING  # noqa: A006 (the column's name)
        refusal = self.refused(f"records/{MISSING}")
        self.assertEqual((refusal.status, refusal.code), (503, "not-yet"))
        self.assertEqual(self.refused("records/0000").status, 404)

    def test_one_that_is_withheld_is_shown_to_administrators_only(self) -> None:
        kept, other = (played(kind)[0] for kind in ("hive", "quoridor"))
        for found in (kept, other):
            self.keep(found)
        for is_cached in (False, True):
            withheld = self.archive.withheld = {kept.id}
            for path in (f"records/{kept.id}", f"records/{kept.id}/positions", f"records/{kept.id}/file"):
                refusal = self.refused(path, **{"from": "0"} if path.endswith("positions") else {})
                self.assertEqual((refusal.status, refusal.code), (403, "withheld"), is_cached)
            self.assertEqual([row["id"] for row in self.read("records")["records"]], [other.id])
            told = json.loads(self.ask("records", admin=True).encoded())
            self.assertEqual({row["id"] for row in told["records"]}, {kept.id, other.id})
            self.ask(f"records/{kept.id}", admin=True)
            withheld.clear()
            self.assertEqual(self.read(f"records/{kept.id}")["id"], kept.id)

    def test_an_open_record_is_not_fetched_again(self) -> None:
        kept, _ = played("hive")
        self.keep(kept)
        self.read(f"records/{kept.id}")
        with patch.object(MemoryStore, "record", side_effect=AssertionError):
            self.assertEqual(self.read(f"records/{kept.id}")["id"], kept.id)


class GoTests(ArchiveCase):
    def test_all_versions_and_their_files(self) -> None:
        for version in gofans.VERSIONS:
            game = captured()
            if not gofans.has_variations(version):
                game.roots[0].children[0].children.pop()
            if gofans.has_removes(version):
                for _, node in game.walk():
                    node.removes = (Point(1, 1),) if node.point == (2, 1) else ()
            self.store.records.clear()
            self.archive.record_cache = RecordCache()
            id = self.keep(go_record(game, version))  # noqa: A001
            told = self.read(f"records/{id}")
            self.assertEqual([move["text"] for move in told["moves"]], ["C7", "A9", "A8", "J1", "B9"])
            self.assertEqual(told["formats"], ["xml", "sgf", "gofans"])
            self.assertEqual(told["options"]["size"], 9)
            (end,) = self.read(f"records/{id}/positions", **{"from": "5"})
            self.assertEqual((end["board"]["removed"], end["board"]["prisoners"]), ([[1, 1]], [1, 0]), version)
            self.assertEqual(end["board"]["stones"]["white"], [[9, 9]])
            (read,) = read_sgf(self.ask(f"records/{id}/file", format="sgf").encoded())
            self.assertEqual(len(list(read[0].main_line())), 5)
            for wanted in ("gofans", *(f"gofans-{other}" for other in gofans.VERSIONS)):
                written = outcome(self.ask(f"records/{id}/file", format=wanted).encoded())
                self.assertEqual(written.code, "imported", written.sentence)
                assert written.record is not None
                self.assertEqual(written.record.version, "2.2" if wanted == "gofans" else wanted[7:])

    def test_the_tree(self) -> None:
        id = self.keep(go_record(captured(), "1.2"))  # noqa: A001
        told = self.read(f"records/{id}")
        nodes = told["tree"]["nodes"]
        self.assertEqual([(node["id"], node["parent"], node["n"]) for node in nodes],
                         [(1, 0, 1), (2, 1, 2), (3, 2, 3), (4, 3, 4), (5, 4, 5), (6, 2, 3), (7, 6, 4)])  # fmt: skip
        self.assertEqual(nodes[5], {
            "id": 6, "parent": 2, "n": 3, "seat": 0, "text": "E5", "color": "black", "point": [5, 5],
            "comment": "or here",
        })  # fmt: skip
        self.assertEqual([move["node"] for move in told["moves"]], [1, 2, 3, 4, 5])
        self.assertEqual([move.get("taken") for move in told["moves"]], [None, None, None, None, 1])

    def test_positions_of_any_node(self) -> None:
        id = self.keep(go_record(captured(), "1.2"))  # noqa: A001
        (alone,) = self.read(f"records/{id}/positions", node="6")
        self.assertEqual((alone["n"], alone["node"], alone["turn"]), (3, 6, [1]))
        self.assertEqual(alone["board"]["last"], [5, 5])
        through = self.read(f"records/{id}/positions", node="6", **{"from": "0", "to": "4"})
        self.assertEqual([one["node"] for one in through], [0, 1, 2, 6, 7])
        self.assertEqual((through[-1]["phase"], through[-1]["turn"]), ("over", []))
        self.assertEqual(self.refused(f"records/{id}/positions", node="8").code, "no-node")
        self.assertEqual(self.refused(f"records/{id}/positions", node="6", to="5").status, 400)
        (start,) = self.read(f"records/{id}/positions", node="0")
        self.assertEqual((start["node"], start["last"]), (0, None))

    def test_a_resignation_and_passes(self) -> None:
        game = captured()
        end = game.roots[0].children[0].children[0].children[0].children[0]
        end.children.append(Node(1))
        game.players = (game.players[0], attrs.evolve(game.players[1], points=-1.0))
        id = self.keep(go_record(game, "1.2"))  # noqa: A001
        before, last = self.read(f"records/{id}/positions", **{"from": "5", "to": "6"})
        self.assertEqual((before["board"]["resigned"], before["board"]["passes"]), (None, 0))
        self.assertEqual((last["board"]["resigned"], last["board"]["passes"]), (1, 1))
        self.assertEqual(self.read(f"records/{id}")["outcome"], {"termination": "resigned", "winner": 0})

    def test_a_game_that_is_too_deep_for_variations(self) -> None:
        deep = GoGame(19, captured().players)
        following = deep.roots
        for number in range(2_100):
            node = Node(number % 2)
            following.append(node)
            following = node.children
        id = self.keep(go_record(deep, "1.1"))  # noqa: A001
        written = outcome(self.ask(f"records/{id}/file", format="gofans").encoded())
        assert written.record is not None
        self.assertEqual(written.record.version, "2.1")
        self.assertEqual(self.refused(f"records/{id}/file", format="gofans-2.2").code, "forbidden")

    def test_an_illegal_move(self) -> None:
        game = line(3)
        game.roots[0].children[0].point = Point(1, 1)
        id = self.keep(go_record(game, "1.1"))  # noqa: A001
        self.assertEqual(len(self.read(f"records/{id}/positions", **{"from": "0", "to": "1"})), 2)
        refusal = self.refused(f"records/{id}/positions", **{"from": "2"})
        self.assertEqual((refusal.status, refusal.code), (409, "occupied"))


class ShelfTests(SynchronousTestCase):
    def test_the_oldest_makes_place(self) -> None:
        record_cache = RecordCache(count=2)
        records = [OpaqueRecord(record(number)) for number in (1, 2, 3)]
        record_cache.put(records[0])
        record_cache.put(records[1])
        self.assertIs(record_cache.take(records[0].record.id), records[0])
        record_cache.put(records[2])
        self.assertIsNone(record_cache.take(records[1].record.id))
        self.assertIs(record_cache.take(records[0].record.id), records[0])

    def test_a_heavy_one_is_held_alone(self) -> None:
        record_cache = RecordCache(weight=10)
        light, heavy = OpaqueRecord(record(1)), OpaqueRecord(record(2), weight=50)
        record_cache.put(light)
        record_cache.put(heavy)
        self.assertIsNone(record_cache.take(light.record.id))
        self.assertIs(record_cache.take(heavy.record.id), heavy)


class WorkerTests(TestCase):
    def test_it_works_in_another_thread(self) -> Any:
        def steps() -> Any:
            yield
            return get_ident()

        return ThreadCooperator().do(steps()).addCallback(self.assertNotEqual, get_ident())

    def test_it_pauses_after_a_slice(self) -> None:
        clock = Clock()
        pauses: list[float] = []

        def steps() -> Any:
            for spent in (SLICE / 2, SLICE, SLICE / 3, SLICE / 3, 2 * SLICE):
                clock.advance(spent)
                yield
            return 7

        self.patch(thread_cooperator, "time", SimpleNamespace(perf_counter=clock.seconds))
        self.assertEqual(self.successResultOf(ThreadCooperator(execute, pauses.append).do(steps())), 7)
        self.assertEqual(pauses, [PAUSE, PAUSE])

    def test_too_many_wait(self) -> None:
        held: Deferred[None] = Deferred()
        cooperator = ThreadCooperator(lambda *_: held)
        waiting = [cooperator.do(iter(())) for _ in range(1 + MOST_WAITING)]  # type: ignore[arg-type]
        self.assertEqual(self.assertRaises(Refusal, cooperator.do, iter(())).code, "busy")
        held.callback(None)
        for one in waiting:
            self.assertIsNone(self.successResultOf(one))


WORDS = st.sampled_from(["records", "import", "positions", "file", MISSING, "0000", ""]) | st.text(max_size=12)
NAMES = st.sampled_from(
    "from to node format limit before winner player game since until termination".split()  # noqa: SIM905 (shorter)
)
VALUES = st.sampled_from(["0", "1", "-1", "player", "nobody", "2026", "~0000", "sgf", "replay"]) | st.text(max_size=30)
BODIES = st.none() | st.binary(max_size=60) | st.dictionaries(st.text(max_size=3), st.integers(), max_size=2)


class FuzzTests(SynchronousTestCase):
    @settings(deadline=None, max_examples=80)
    @given(
        st.lists(WORDS, max_size=4), st.sampled_from(["GET", "POST", "PUT"]),
        st.dictionaries(NAMES, VALUES, max_size=4), BODIES, st.booleans(), st.booleans(),
    )  # fmt: skip
    def test_whatever_is_asked_is_answered_or_refused(  # noqa: PLR0913, PLR0917 (what a request consists of)
        self,
        path: list[str],
        method: str,
        query: Mapping[str, str],
        body: Any,
        admin: bool,
        finds: bool,
    ) -> None:
        asked = path
        if finds:
            asked = ["records", FUZZED[len(path) % len(FUZZED)], *path[2:3]]
        try:
            answer = dispatch(FUZZED_ARCHIVE.routes, asked, method, query, body, Visitor(admin=admin))
        except Refusal:
            return
        failures: list[Any] = []
        answers: list[Any] = []
        answer.addCallbacks(answers.append, failures.append)
        if failures:
            self.assertIsInstance(failures[0].value, GamedError)
        else:
            self.assertIsInstance(answers[0], Answer)
            answers[0].encoded()


FUZZED_ARCHIVE = archive()
FUZZED = [played("quoridor")[0].id, go_record(captured(), "1.2").id]
for one in (played("quoridor")[0], go_record(captured(), "1.2")):
    FUZZED_ARCHIVE.store.keep(one)
