"""The archive's imports: what comes of a document that a browser sends, and who sent it."""

from __future__ import annotations

import json
from typing import Any

import attrs

from gamed.records.own import from_history
from gamed.records.record import document
from gamed.registry import game_types
from gamed.web.imports import MOST_GAMES
from tests.games.softwarechallenge.hive.test_replays import whole
from tests.records.documents import BOMB, DEEP, GOFANS, UNKNOWN
from tests.web.test_archive import ArchiveCase, played


class ImportTests(ArchiveCase):
    def take(self, data: bytes) -> list[dict[str, Any]]:
        answer = self.ask("import", data, method="POST", admin=True)
        outcomes: list[dict[str, Any]] = json.loads(answer.encoded())["outcomes"]
        return outcomes

    def test_xml_once_and_twice(self) -> None:
        (first,) = self.take(GOFANS)
        self.assertEqual((first["code"], first["taken"]), ("imported", True))
        self.assertEqual(self.read(f"records/{first['id']}")["length"], 4)
        self.assertEqual([one["id"] for one in self.read("records", game="go")["records"]], [first["id"]])
        (second,) = self.take(GOFANS)
        self.assertEqual((second["code"], second["id"]), ("duplicate", first["id"]))

    def test_it_is_in_the_audit_log(self) -> None:
        (first,) = self.take(GOFANS)
        self.assertEqual(self.visitor.did, [("import", f"imported {first['id']}")])
        self.take(b"nothing")
        self.assertEqual(self.visitor.did, [("import", "not-xml")])

    def test_sgf_with_several_games(self) -> None:
        data = b"\xef\xbb\xbf (;GM[1]SZ[9]PB[Anna];B[aa]C[hm](;W[bb])(;W[cc]TR[cc])) (;GM[1]SZ[9];B[aa];W[aa])"
        good, bad = self.take(data)
        self.assertEqual((good["code"], bad["code"], bad["id"]), ("imported", "illegal", None))
        self.assertIn("TR is left out", good["lost"])
        told = self.read(f"records/{good['id']}")
        self.assertEqual((told["version"], len(told["tree"]["nodes"])), ("2.2", 3))
        self.assertEqual(told["seats"][0]["name"], "Anna")

    def test_the_official_replay(self) -> None:
        made = game_types()["hive"]
        (found,) = self.take(made.replays[0].write(whole(1)))
        self.assertEqual(found["code"], "imported")
        self.assertEqual(self.read(f"records/{found['id']}")["game"], "hive")

    def test_an_official_replay_that_breaks_off(self) -> None:
        replay = game_types()["hive"].replays[0].write(whole(1))
        (found,) = self.take(replay[: len(replay) // 2])
        self.assertEqual(found["code"], "imported")
        self.assertEqual(self.read(f"records/{found['id']}")["termination"], "cancelled")

    def test_what_is_refused_has_its_code(self) -> None:
        codes = {
            b"": "not-xml", b"nonsense": "not-xml", b"<a/>": "not-standard", BOMB: "forbidden",
            DEEP[:900_000]: "forbidden",
            b"(;GM[2])": "not-valid", b"(": "not-valid", b"\x1f\x8b": "unreadable",
            GOFANS.replace(b'<board size="9"/>', b""): "not-valid",
        }  # fmt: skip
        for data, code in codes.items():
            self.assertEqual([one["code"] for one in self.take(data)], [code], data[:40])
        self.assertEqual(self.store.records, {})

    def test_what_is_unknown_is_kept(self) -> None:
        (found,) = self.take(UNKNOWN)
        self.assertEqual((found["code"], found["taken"]), ("unknown-format", True))
        self.assertIn(found["id"], self.store.records)

    def test_another_content_under_a_known_id(self) -> None:
        kept, history = played("hive")
        self.keep(kept)
        other = attrs.evolve(history, opened_at="2020-01-01T00:00:00.000Z")
        again = from_history(other, publisher=kept.publisher, version=kept.version, findings=(), unjudged=None)
        (found,) = self.take(document(again))
        self.assertEqual((found["code"], found["taken"], found["id"]), ("conflict", False, None))

    def test_too_many_games(self) -> None:
        (found,) = self.take(b"(;GM[1];B[aa])" * (MOST_GAMES + 1))
        self.assertEqual(found["code"], "forbidden")

    def test_for_administrators_only(self) -> None:
        self.assertEqual(self.refused("import", GOFANS, method="POST").status, 401)
