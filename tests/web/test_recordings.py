"""Recording Go games in the browser: moves, variations, what is refused, limits, saving."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from attrs import define
from hypothesis import example, given, settings
from hypothesis import strategies as st
from twisted.internet.defer import Deferred, execute, maybeDeferred
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import GamedError, RuleError
from gamed.games.go import gofans, recording
from gamed.games.go.board import Board, points, ruleset
from gamed.games.go.json_views import refused
from gamed.games.go.rules import Go
from gamed.replayers import importer
from gamed.store.memory import MemoryStore
from gamed.web.answers import Answer, Refusal, refusal_of
from gamed.web.recordings import FORGOTTEN_AFTER, IN_ALL, MOST_OPENED, OF_A_VISITOR, SAVES, Recordings
from gamed.web.thread_cooperator import ThreadCooperator
from tests.records.documents import GOFANS, UNKNOWN, outcome
from tests.records.gogames import read_sgf
from tests.web.harness import dispatch

KO = [[3, 6], [4, 6], [2, 7], [5, 7], [3, 8], [4, 8], [4, 7], [3, 7]]


@define
class Visitor:
    """Who asks."""

    id: str = "anna"
    admin: bool = False


def at_once() -> ThreadCooperator:
    """Return a worker that works where it is called."""
    return ThreadCooperator(execute, lambda _seconds: None)


class RecorderCase(SynchronousTestCase):
    def setUp(self) -> None:
        self.store, self.now, self.visitor = MemoryStore(), 1_000.0, Visitor()
        known = importer()
        self.recordings = Recordings(self.store, known, lambda: self.now, at_once())

    def handle(self, path: str, body: Any = None, *, method: str = "POST", **query: str) -> Answer:
        asked = dispatch(self.recordings.routes, path.split("/"), method, query, body, self.visitor)
        answer: Answer = self.successResultOf(asked) if isinstance(asked, Deferred) else asked
        return answer

    def refused(self, path: str, body: Any = None, *, method: str = "POST", **query: str) -> Refusal:
        try:
            asked = dispatch(self.recordings.routes, path.split("/"), method, query, body, self.visitor)
        except GamedError as error:
            return refusal_of(error)
        return refusal_of(self.failureResultOf(asked).value)

    def make(self, **facts: Any) -> str:
        answer = self.handle("recordings", {"size": 9, **facts})
        self.assertEqual(answer.status, 201)
        self.id: str = answer.body["id"]
        return self.id

    def act(self, do: str, **more: Any) -> dict[str, Any]:
        return self.told(self.handle(f"recordings/{self.id}/act", {"do": do, **more}))

    def told(self, answer: Answer) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(answer.encoded())
        return found

    def shown(self) -> dict[str, Any]:
        return self.told(self.handle(f"recordings/{self.id}", method="GET"))

    def code(self, do: Any, **more: Any) -> tuple[int, str]:
        """Return status and code of a refused action, which must have changed nothing."""
        before = self.shown()
        refusal = self.refused(f"recordings/{self.id}/act", {"do": do, **more})
        self.assertEqual(self.shown(), before)
        return refusal.status, refusal.code

    def play(self, *points: list[int]) -> dict[str, Any]:
        return [self.act("play", point=point) for point in points][-1]


class MakingTests(RecorderCase):
    def test_a_new_game(self) -> None:
        self.make(size=13, players=["Anna", None], komi=6.5, rules="japanese", title="A game", event="", place="Kiel")
        found = self.shown()
        scene = found["scene"]
        self.assertEqual(scene["options"], {"size": 13, "komi": 6.5, "handicap": None, "rules": "japanese"})
        self.assertEqual([seat["name"] for seat in scene["seats"]], ["Anna", ""])
        self.assertEqual(found["facts"], {"title": "A game", "event": None, "date": None, "place": "Kiel"})
        self.assertEqual((found["current"], found["tree"]["nodes"], found["moves"]), (0, [], []))
        self.assertEqual(found["can"], {"back": False, "forward": False, "undo": False, "setup": True})
        self.assertEqual((scene["turn"], scene["phase"], scene["you"]["color"]), ([0], "play", "black"))

    def test_a_board_has_all_that_a_position_of_the_rules_has(self) -> None:
        self.make()
        options = {"size": 9, "handicap": 0, "rules": "", "komi": "0"}
        rules = Go()
        view = rules.view(rules.setup(options), None)
        assert isinstance(view, dict)
        self.assertLessEqual(set(view), set(self.shown()["scene"]["board"]))

    def test_a_handicap(self) -> None:
        self.make(handicap=3)
        scene = self.shown()["scene"]
        self.assertEqual((len(scene["board"]["stones"]["black"]), scene["turn"]), (3, [1]))

    def test_what_is_no_game(self) -> None:
        wrong: list[tuple[Any, int]] = [
            ({"size": 0}, 400), ({"size": 53}, 400), ({"size": "9"}, 400), ({"size": True}, 400), ({"komi": "x"}, 400),
            ({"komi": float("nan")}, 400), ({"komi": 10**400}, 400), ({"komi": 1e12}, 400), ({"players": "ab"}, 400),
            ({"players": ["a"]}, 400), ({"players": ["a", "\ud800"]}, 400), ({"title": "x" * 201}, 400),
            ({"rules": "\0"}, 400), ({"handicap": 10}, 400), ({"size": 5, "handicap": 2}, 409),
        ]  # fmt: skip
        for body, status in wrong:
            self.assertEqual(self.refused("recordings", body).status, status, body)
        self.assertEqual(self.recordings.recordings, {})

    def test_no_body_is_a_game_of_nineteen_lines(self) -> None:
        self.id = self.handle("recordings", None).body["id"]
        self.assertEqual(self.shown()["scene"]["options"]["size"], 19)

    def test_the_list_shows_ones_own(self) -> None:
        first = self.make(title="One")
        self.play([3, 3])
        self.visitor = Visitor("bert")
        self.make(title="Two")
        self.visitor = Visitor("anna")
        (entry,) = self.handle("recordings", method="GET").body["recordings"]
        self.assertEqual(entry, {
            "id": first, "title": "One", "players": [None, None], "size": 9, "moves": 1, "saved": None,
        })  # fmt: skip

    def test_limits(self) -> None:
        for _ in range(OF_A_VISITOR):
            self.make()
        self.assertEqual(self.refused("recordings", {}).code, "too-many-recordings")
        self.handle(f"recordings/{self.id}", method="DELETE")
        self.make()
        for number in range(IN_ALL - OF_A_VISITOR):
            self.visitor = Visitor(str(number))
            self.make()
        self.visitor = Visitor("late")
        refusal = self.refused("recordings", {})
        self.assertEqual((refusal.status, refusal.code), (503, "recorder-full"))

    def test_idle_ones_are_forgotten(self) -> None:
        self.make()
        self.now += FORGOTTEN_AFTER - 1
        self.shown()
        self.now += FORGOTTEN_AFTER - 1
        self.shown()
        self.now += FORGOTTEN_AFTER + 1
        self.assertEqual(self.refused(f"recordings/{self.id}", method="GET").code, "no-recording")
        self.assertEqual(self.recordings.recordings, {})

    def test_nobody_sees_anothers(self) -> None:
        self.make()
        self.visitor = Visitor("bert", admin=True)
        for path, method in (("", "GET"), ("", "DELETE"), ("/act", "POST"), ("/save", "POST"), ("/file", "GET")):
            refusal = self.refused(f"recordings/{self.id}{path}", {"do": "pass"}, method=method)
            self.assertEqual((refusal.status, refusal.code), (404, "no-recording"), path)


class ActingTests(RecorderCase):
    def test_a_stone_is_set(self) -> None:
        self.make()
        found = self.play([3, 7])
        self.assertEqual(found["scene"]["board"]["stones"], {"black": [[3, 7]], "white": []})
        self.assertEqual(found["scene"]["last"], {
            "n": 1, "seat": 0, "text": "C3", "at": None, "took": None, "node": 1, "color": "black", "point": [3, 7],
        })  # fmt: skip
        self.assertEqual((found["current"], found["scene"]["turn"]), (1, [1]))
        self.assertEqual(found["moves"], [found["scene"]["last"]])
        self.assertEqual(found, self.shown())

    def test_stones_are_taken(self) -> None:
        self.make()
        board = self.play([1, 2], [1, 1], [2, 1])["scene"]["board"]
        self.assertEqual((board["removed"], board["prisoners"], board["last"]), ([[1, 1]], [1, 0], [2, 1]))
        self.assertEqual(board["stones"]["white"], [])

    def test_what_the_rules_refuse(self) -> None:
        self.make()
        found = self.play(*KO)
        self.assertEqual(found["scene"]["you"]["illegal"], [[4, 7, "ko"]])
        self.assertEqual(found["scene"]["board"]["ko"], [4, 7])
        self.assertEqual(self.code("play", point=[4, 7]), (409, "ko"))
        self.assertEqual(self.code("play", point=[3, 7]), (409, "occupied"))
        self.assertEqual(self.code("play", point=[10, 1]), (409, "off-board"))
        self.assertEqual(self.code("play", point=[10**30, -1]), (409, "off-board"))

    def test_what_is_no_action(self) -> None:
        self.make()
        self.play([3, 3])
        for do in ("fly", "", None, 7, [], {}):
            self.assertEqual(self.code(do), (400, "action"))
        for point in (None, [], [1], [1, 2, 3], "C3", [1.0, 2], [True, 1], [None, None], {"x": 1}):
            self.assertEqual(self.code("play", point=point), (400, "point"), point)
        for body in (None, [], "pass", b"pass", 3):
            self.assertEqual(self.refused(f"recordings/{self.id}/act", body).code, "action")
        self.assertEqual(self.code("goto", node=9), (400, "node"))
        self.assertEqual(self.code("goto", node=True), (400, "node"))
        self.assertEqual(self.code("comment", text=7), (400, "text"))
        self.assertEqual(self.code("comment", text="\x07"), (400, "text"))
        self.assertEqual(self.code("setup", black=7), (400, "point"))
        self.assertEqual(self.code("points", points=[1]), (400, "type"))
        self.assertEqual(self.code("back", count=0), (400, "number"))
        self.assertEqual(self.code("facts", players=["a", 7]), (400, "text"))

    def test_another_move_makes_a_variation(self) -> None:
        self.make()
        self.play([3, 3], [7, 7])
        self.act("back")
        found = self.play([5, 5])
        self.assertEqual([(one["id"], one["parent"]) for one in found["tree"]["nodes"]], [(1, 0), (2, 1), (3, 1)])
        self.act("back")
        self.assertEqual(self.play([7, 7])["current"], 2)
        found = self.act("branch", point=[6, 6])
        self.assertEqual((found["current"], len(found["tree"]["nodes"])), (4, 4))
        self.assertEqual([move["node"] for move in found["moves"]], [1, 4])
        self.assertEqual(self.code("branch", point=[3, 3]), (409, "occupied"))
        self.assertEqual(self.act("branch", point=None)["scene"]["last"]["text"], "pass")

    def test_going_to_and_fro(self) -> None:
        self.make()
        self.play([3, 3], [7, 7], [5, 5], [5, 6])
        self.assertEqual(self.act("back", count=3)["current"], 1)
        self.assertEqual(self.act("forward")["current"], 2)
        found = self.act("back", count=99)
        self.assertEqual((found["current"], len(found["moves"])), (0, 4))
        self.assertEqual(self.code("back"), (409, "no-move"))
        self.assertEqual(self.act("forward", count=99)["current"], 4)
        self.assertEqual(self.code("forward"), (409, "no-move"))
        self.assertEqual(self.act("goto", node=2)["scene"]["board"]["stones"]["white"], [[7, 7]])
        self.play([1, 1], [2, 2])
        self.assertEqual(self.act("goto", node=4)["current"], 4)
        found = self.act("goto", node=6)
        self.assertEqual([move["node"] for move in found["moves"]], [1, 2, 5, 6])
        self.assertEqual(self.act("goto", node=0)["scene"]["board"]["stones"], {"black": [], "white": []})

    def test_taking_back(self) -> None:
        self.make()
        self.play([3, 3], [7, 7], [5, 5])
        self.act("goto", node=2)
        found = self.act("undo")
        self.assertEqual([one["id"] for one in found["tree"]["nodes"]], [1])
        self.assertEqual(self.play([7, 7])["current"], 4, "a number is never given twice")
        self.act("goto", node=0)
        self.assertEqual(self.code("undo")[0], 409)

    def test_comments(self) -> None:
        self.make()
        self.act("comment", text="the start")
        self.play([3, 3])
        found = self.act("comment", text="bold & <b>")
        self.assertEqual(found["tree"]["comment"], "the start")
        self.assertEqual(found["tree"]["nodes"][0]["comment"], "bold & <b>")
        self.assertEqual(found["moves"][0]["comment"], "bold & <b>")
        self.assertNotIn("comment", self.act("comment", text="")["tree"]["nodes"][0])

    def test_setting_up(self) -> None:
        self.make(handicap=2)
        found = self.act("setup", black=[[3, 3]], white=[[4, 4], [5, 5]])
        self.assertEqual(found["scene"]["board"]["stones"], {"black": [[3, 3]], "white": [[4, 4], [5, 5]]})
        self.assertEqual((found["scene"]["turn"], found["scene"]["options"]["handicap"]), ([0], None))
        self.assertEqual(self.code("setup", black=[[3, 3], [3, 3]]), (409, "occupied"))
        self.assertEqual(self.code("handicap", count=10), (400, "number"))
        self.assertEqual(self.act("handicap", count=4)["scene"]["turn"], [1])
        self.play([5, 5])
        self.assertEqual(self.code("setup"), (409, "moves"))
        self.assertEqual(self.code("handicap", count=0), (409, "moves"))

    def test_facts(self) -> None:
        self.make(players=["Anna", "Bert"], title="Old")
        found = self.act("facts", title="New", komi=0.5, players=["Ada", None], date="2026-11-21", rules="chinese")
        self.assertEqual((found["facts"]["title"], found["facts"]["date"]), ("New", "2026-11-21"))
        self.assertEqual(found["scene"]["options"]["rules"], "chinese")
        self.assertEqual([seat["name"] for seat in found["scene"]["seats"]], ["Ada", ""])
        self.assertIsNone(self.act("facts", komi=None)["scene"]["options"]["komi"])
        self.play([3, 3])
        self.assertEqual(self.code("facts", rules="aga", title="Other"), (409, "moves"))
        self.assertEqual(self.act("facts", rules="chinese", title="Same rules")["facts"]["title"], "Same rules")

    def test_the_end_by_two_passes(self) -> None:
        self.make(komi=0.5)
        self.play([3, 3])
        self.assertIsNone(self.act("pass")["score"])
        found = self.act("pass")
        self.assertEqual((found["scene"]["phase"], found["scene"]["board"]["passes"]), ("over", 2))
        self.assertEqual(found["score"], {"black": 80.0, "white": 0.5})
        self.assertEqual(self.play([5, 5])["scene"]["phase"], "play")

    def test_a_resignation(self) -> None:
        self.make()
        self.play([3, 3])
        scene = self.act("resign")["scene"]
        self.assertEqual((scene["phase"], scene["turn"], scene["board"]["resigned"]), ("over", [], 1))
        self.assertEqual(scene["outcome"], {"termination": "resigned", "winner": 0})
        self.assertEqual(self.code("play", point=[5, 5]), (409, "resigned"))
        self.assertEqual(self.code("resign"), (409, "resigned"))
        self.act("back")
        self.assertEqual(self.code("resign"), (409, "invalid-move"))
        self.act("forward")
        self.assertIsNone(self.act("undo")["scene"]["outcome"])

    def test_dead_stones_and_the_result_they_make(self) -> None:
        self.make(size=5, komi=0.5, rules="japanese")
        # Black holds the two columns at the left, white the two at the right, and one stone each is lost.
        for y in range(1, 6):
            self.play([3, y], [4, y])
        self.assertEqual(self.code("dead", point=[3, 1]), (409, "not-over"))
        self.play([5, 1], [1, 1])
        self.assertNotIn("dead", self.act("pass")["scene"]["board"])
        found = self.act("pass")
        self.assertEqual((found["scene"]["board"]["dead"], found["points"]), ([], [None, None]))
        self.assertEqual(self.code("dead", point=[1, 5]), (409, "no-stone"))
        self.act("dead", point=[5, 1])
        found = self.act("dead", point=[1, 1])
        self.assertEqual(found["scene"]["board"]["dead"], [[1, 1], [5, 1]])
        self.assertEqual(found["score"], {"black": 11.0, "white": 6.5})
        # They survive a reload, and the way back and forth; not a move that goes on.
        self.assertEqual(self.shown()["scene"]["board"]["dead"], [[1, 1], [5, 1]])
        self.assertNotIn("dead", self.act("back")["scene"]["board"])
        self.assertEqual(self.act("forward")["score"], {"black": 11.0, "white": 6.5})
        # A chain is dead or alive as a whole.
        self.assertEqual(len(self.act("dead", point=[3, 2])["scene"]["board"]["dead"]), 7)
        self.assertEqual(self.act("dead", point=[3, 5])["scene"]["board"]["dead"], [[1, 1], [5, 1]])
        self.act("points", points=[11, 6.5])
        self.assertEqual((self.shown()["points"], self.shown()["scene"]["outcome"]["winner"]), ([11.0, 6.5], 0))
        file = self.handle(f"recordings/{self.id}/file", method="GET", format="sgf").encoded()
        self.assertIn(b"RE[B+4.5]", file)
        self.handle(f"recordings/{self.id}/save", {})
        (kept,) = self.store.records.values()
        self.assertEqual([player.points for player in gofans.read(kept).players], [11.0, 6.5])

    def test_nothing_is_dead_after_a_resignation(self) -> None:
        self.make()
        self.play([3, 3])
        self.act("pass")
        self.assertIsNone(self.act("resign")["score"])
        self.assertEqual(self.code("dead", point=[3, 3]), (409, "not-over"))

    def test_points(self) -> None:
        self.make()
        self.assertEqual(self.act("points", points=[45, 38.5])["scene"]["outcome"]["winner"], 0)
        self.assertEqual(self.act("points", points=[4, 4])["scene"]["outcome"]["winner"], None)
        self.assertIsNone(self.act("points", points=None)["scene"]["outcome"])

    def test_limits(self) -> None:
        self.patch(recording, "MOST_MOVES", 3)
        self.patch(recording, "MOST_COMMENTS", 10)
        self.make()
        self.play([3, 3], [4, 4], [5, 5])
        for do, more in (("play", {"point": [6, 6]}), ("pass", {}), ("resign", {}), ("branch", {"point": [7, 7]})):
            self.assertEqual(self.code(do, **more), (409, "too-many-moves"), do)
        self.act("back")
        self.assertEqual(self.play([5, 5])["current"], 3)
        self.act("comment", text="123456")
        self.act("goto", node=1)
        self.assertEqual(self.code("comment", text="12345"), (409, "too-much-text"))
        self.assertEqual(self.code("comment", text="x" * 4_001), (400, "text"))


class KeepingTests(RecorderCase):
    def record(self) -> None:
        self.make(players=["Anna", "Bert"], rules="japanese", title="<Title>")
        self.play([1, 2], [1, 1], [2, 1], [5, 5])
        self.act("branch", point=[6, 6])
        self.act("comment", text="or here")

    def save(self) -> dict[str, Any]:
        return self.told(self.handle(f"recordings/{self.id}/save", {}))

    def test_a_game_becomes_a_record(self) -> None:
        self.record()
        saved = self.save()
        self.assertEqual(saved["code"], "imported")
        kept = self.store.records[saved["record"]]
        self.assertEqual((kept.publisher, kept.version), ("GoFans", "2.2"))
        game = gofans.read(kept)
        self.assertEqual((game.title, game.rules), ("<Title>", "japanese"))
        self.assertEqual([node.point for _, node in game.walk()], [(1, 2), (1, 1), (2, 1), (5, 5), (6, 6)])
        self.assertEqual(next(node.removes for _, node in game.walk() if node.point == (2, 1)), ((1, 1),))
        summary = self.store.summaries[saved["record"]]
        self.assertEqual([seat.name for seat in summary.seats], ["Anna", "Bert"])

    def test_saving_twice_and_going_on(self) -> None:
        self.record()
        first = self.save()
        self.assertEqual(self.shown()["saved"], first["record"])
        self.assertEqual(self.save()["code"], "duplicate")
        self.assertEqual(self.act("back")["saved"], first["record"], "going back changes nothing")
        self.assertIsNone(self.act("pass")["saved"])
        self.assertNotEqual(self.save()["record"], first["record"])
        self.assertEqual(len(self.store.records), 2)

    def test_an_empty_game_can_be_saved(self) -> None:
        self.make()
        self.assertEqual(self.save()["code"], "imported")

    def test_files(self) -> None:
        self.record()
        answer = self.handle(f"recordings/{self.id}/file", method="GET")
        found = outcome(answer.encoded())
        self.assertEqual(found.code, "imported", found.sentence)
        assert found.record is not None
        self.assertEqual(found.record.version, "2.2")
        ((game, _),) = read_sgf(self.handle(f"recordings/{self.id}/file", method="GET", format="sgf").encoded())
        self.assertEqual([node.point for _, node in game.walk()], [(1, 2), (1, 1), (2, 1), (5, 5), (6, 6)])
        self.assertEqual(self.refused(f"recordings/{self.id}/file", method="GET", format="pdf").code, "no-format")

    def test_saves_are_counted(self) -> None:
        self.make()
        for _ in range(SAVES):
            self.save()
        refusal = self.refused(f"recordings/{self.id}/save", {})
        self.assertEqual((refusal.status, refusal.code), (429, "too-many-saves"))
        self.now += 3_601
        self.save()

    def test_administrators_are_not_counted(self) -> None:
        self.visitor = Visitor(admin=True)
        self.make()
        for _ in range(SAVES + 1):
            self.save()

    def test_nothing_happens_to_a_game_while_it_is_saved(self) -> None:
        held: Deferred[Any] = Deferred()
        self.record()
        self.recordings.cooperator = ThreadCooperator(
            lambda function, steps: held.addCallback(lambda _: function(steps))
        )
        saving = dispatch(self.recordings.routes, ["recordings", self.id, "save"], "POST", {}, {}, self.visitor)
        acting = dispatch(
            self.recordings.routes, ["recordings", self.id, "act"], "POST", {}, {"do": "pass"}, self.visitor
        )
        self.assertNoResult(acting)
        held.callback(None)
        saved = self.told(self.successResultOf(saving))
        self.assertEqual(len(self.told(self.successResultOf(acting))["tree"]["nodes"]), 6)
        self.assertEqual(self.store.summaries[saved["record"]].length, 4)


class RefusedTests(SynchronousTestCase):
    @settings(deadline=None, max_examples=60)
    @given(
        st.integers(1, 7), st.sampled_from(["japanese", "chinese", "goe"]), st.lists(st.integers(0, 48), max_size=80)
    )
    def test_all_that_the_rules_refuse_is_found(self, size: int, rules: str, cells: list[int]) -> None:
        board, color = Board.start(size, (), ruleset(rules)), "black"
        for cell in cells:
            try:
                board.play(points(size)[cell % (size * size)], color)
            except RuleError:
                continue
            color = "white" if color == "black" else "black"
        legal = set(board.legal(color))
        free = {point for point in points(size) if point not in board.stones}
        self.assertEqual({point for point, _ in refused(board, color)}, free - legal)


JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 12) | st.floats() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
DOS = "play pass resign undo back forward goto branch comment setup handicap facts points fly".split()  # noqa: SIM905
FIELDS = "point count node text black white title komi rules players points".split()  # noqa: SIM905
POINTS = st.lists(st.integers(0, 6), min_size=2, max_size=2)
ACTIONS = st.builds(
    lambda do, more: {"do": do, **more},
    st.sampled_from(DOS),
    st.dictionaries(st.sampled_from(FIELDS), JSON | POINTS | st.lists(POINTS, max_size=3), max_size=3),
)


class FuzzTests(RecorderCase):
    @settings(deadline=None, max_examples=60)
    @given(st.lists(ACTIONS | JSON, max_size=12))
    def test_whatever_is_done_is_done_or_refused(self, actions: list[Any]) -> None:
        self.setUp()
        self.make(size=5)
        for action in actions:
            before = self.shown()
            asked = dispatch(self.recordings.routes, ["recordings", self.id, "act"], "POST", {}, action, self.visitor)
            failures: list[Any] = []
            asked.addErrback(failures.append)
            if failures:
                self.assertIsInstance(failures[0].value, GamedError)
                self.assertIn(refusal_of(failures[0].value).status, (400, 409))
                self.assertEqual(self.shown(), before)
        saved = dispatch(self.recordings.routes, ["recordings", self.id, "save"], "POST", {}, {}, self.visitor)
        self.assertIn(self.told(self.successResultOf(saved))["code"], ("imported", "duplicate"))

    @settings(deadline=None, max_examples=60)
    @given(
        st.lists(st.sampled_from(["recordings", "act", "save", "file", "x"]) | st.text(max_size=8), max_size=4),
        st.sampled_from(["GET", "POST", "DELETE", "PUT"]),
        st.dictionaries(st.sampled_from(["format", "x"]), st.text(max_size=9), max_size=2),
        JSON | st.binary(max_size=5),
    )
    @example(["recordings", "file"], "POST", {}, None)
    @example(["recordings", "file"], "POST", {}, b"")
    def test_whatever_is_asked_is_answered_or_refused(
        self, path: list[str], method: str, query: Mapping[str, str], body: Any
    ) -> None:
        self.setUp()
        found: list[Any] = []
        asked = maybeDeferred(dispatch, self.recordings.routes, path, method, query, body, self.visitor)
        asked.addErrback(lambda failure: failure.value).addBoth(found.append)
        self.assertIsInstance(*found, (Answer, GamedError))


SGF = b"(;GM[1]FF[4]SZ[9]PB[Anna]PW[Bert]KM[6.5]RE[W+3.5];B[ee]C[Tengen];W[ce](;B[eg])(;B[gg];W[gc]))"


class OpeningTests(RecorderCase):
    """Anybody may go on with a game from a file or from the archive, and gets a file of it."""

    def opened(self, data: bytes) -> dict[str, Any]:
        self.id = self.handle("recordings/file", data).body["id"]
        return self.shown()

    def check(self, found: dict[str, Any]) -> None:
        """See that the game of `SGF` is there, and goes on."""
        self.assertEqual([seat["name"] for seat in found["scene"]["seats"]], ["Anna", "Bert"])
        self.assertEqual([move["point"] for move in found["moves"]], [[5, 5], [3, 5], [5, 7]])
        self.assertEqual((found["current"], found["scene"]["turn"]), (found["moves"][-1]["node"], [1]))
        self.assertEqual(len(found["tree"]["nodes"]), 5)
        self.assertEqual(found["points"], [0.0, 3.5])
        self.play([7, 7])
        self.act("comment", text="A good move.")
        written = self.handle(f"recordings/{self.id}/file", method="GET", format="sgf").encoded()
        self.assertIn(b"C[A good move.]W[gg]", written.replace(b"\n", b""))
        self.assertIn(b"C[Tengen]", written)

    def test_a_file(self) -> None:
        self.check(self.opened(SGF))

    def test_a_file_that_the_recorder_has_written(self) -> None:
        self.opened(SGF)
        written = self.handle(f"recordings/{self.id}/file", method="GET").encoded()
        self.check(self.opened(written))

    def test_a_record(self) -> None:
        (kept,) = importer().outcomes(SGF)
        assert kept.record is not None
        self.successResultOf(self.store.keep(kept.record, kept.summary))
        self.id = self.handle("recordings", {"record": kept.record.id}).body["id"]
        self.check(self.shown())
        # The record itself has not changed.
        self.assertEqual(self.successResultOf(self.store.record(kept.record.id)), kept.record)

    def test_what_cannot_be_opened(self) -> None:
        four = GOFANS.replace(b"</players>", b'<player id="2" color="black"/><player id="3" color="white"/></players>')
        long = b"(;GM[1]SZ[19]" + b";B[];W[]" * 501 + b")"
        for data, code in (
            (b"nonsense", "not-xml"),
            (SGF + SGF, "several-games"),
            (SGF.replace(b"W[ce]", b"W[ee]"), "illegal"),
            (long, "too-many-moves"),
            (four, "no-pair"),
            (UNKNOWN, "no-go"),
            (SGF + b" " * MOST_OPENED, "too-long"),
        ):
            self.assertEqual(self.refused("recordings/file", data).code, code, data[:40])
        self.assertEqual(self.refused("recordings", {"record": "ffffffff"}).code, "no-record")
        self.assertEqual(self.refused("recordings", {"record": 7}).code, "type")
        self.assertEqual(self.recordings.recordings, {})
        for _ in range(OF_A_VISITOR):
            self.opened(SGF)
        self.assertEqual(self.refused("recordings/file", SGF).code, "too-many-recordings")
