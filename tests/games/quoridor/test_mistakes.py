"""Each typical mistake has a code, a reason and an example of its own; each example would be taken."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.events import Unread
from gamed.core.game import Outcome, Termination
from gamed.core.refusals import Refusal
from gamed.core.table import Step
from gamed.games.quoridor import mistakes
from gamed.games.quoridor.messages import understood
from gamed.games.quoridor.signup import Status
from gamed.games.quoridor.table import REFUSED_MOST
from gamed.games.quoridor.wire import Said
from gamed.wire.datums import Datum
from tests.games.quoridor.tables import VOTE_FOUR, Play, at, events, refused, said, two
from tests.games.quoridor.worlds import DOWN

MEANINGLESS = {
    "hello": "not-a-list",
    "17": "not-a-list",
    '"play"': "not-a-list",
    "#(move player 4 1)": "not-a-list",
    "#hash((a . 1))": "not-a-list",
    "#t": "not-a-list",
    "(a . b)": "not-a-list",
    "()": "empty-list",
    "'(move player 4 1)": "quoted-list",
    '("play")': "string-for-symbol",
    "('play)": "quoted-symbol",
    "((play))": "nested-list",
    "(4 1)": "no-word",
    "(hello)": "unknown-word",
    "(teapot 1 2)": "unknown-word",
    "(Play)": "wrong-case",
    "(MOVE player 4 1)": "wrong-case",
    '(REGISTER ((name "x")))': "registered-already",
    "(player 4 1)": "move-missing",
    "(wall 3 4 horizontal)": "move-missing",
    "(start2play 1 ())": "server-word",
    "(OKAY)": "server-word",
    "(move, player, 4, 1)": "comma",
    "(move)": "too-short",
    "(move pawn 4 1)": "unknown-kind",
    "(move 4 1)": "unknown-kind",
    "(move Wall 3 4 horizontal)": "wrong-case",
    '(move "wall" 3 4 horizontal)': "string-for-symbol",
    "(move 'player 4 1)": "quoted-symbol",
    "(move player)": "too-short",
    "(move player 4)": "too-short",
    "(move player (4 1))": "nested-list",
    "(move player 4.37 1)": "not-whole",
    "(move player 9/2 1)": "not-whole",
    "(move player 9 1)": "off-board",
    "(move player 4.0 -1.0)": "off-board",
    "(move player 4 +nan.0)": "not-a-number",
    '(move player "4" 1)': "string-for-number",
    "(move player '4 1)": "quoted-number",
    "(move player e 2)": "not-a-number",
    "(move player 1+2i 2)": "not-a-number",
    "(move wall horizontal 3 4)": "wrong-order",
    "(move wall 3 4)": "orientation-missing",
    "(move wall 3 4 (quote horizontal))": "quoted-symbol",
    "(move wall 3 4 'horizontal)": "quoted-symbol",
    '(move wall 3 4 "horizontal")': "string-for-symbol",
    "(move wall 3 4 Horizontal)": "wrong-case",
    "(move wall 3 4 h)": "unknown-orientation",
    "(move wall 3 4 5)": "unknown-orientation",
    "(move player 4 1 north)": "pawn-extra",
}

EXAMPLE = re.compile(r"\((?:play|wait|reset|move [a-z0-9. ]+)\)")


class MeaninglessTests(SynchronousTestCase):
    def test_each_has_its_code(self) -> None:
        found = {text: mistakes.mistake(said(text).datum).code for text in MEANINGLESS}
        self.assertEqual(found, MEANINGLESS)
        self.assertEqual([text for text in MEANINGLESS if understood(said(text).datum) is not None], [])

    def test_the_examples_would_be_taken(self) -> None:
        for text in MEANINGLESS:
            refusal = mistakes.mistake(said(text).datum)
            examples = EXAMPLE.findall(refusal.expected)
            self.assertTrue(examples, refusal)
            self.assertEqual([one for one in examples if understood(said(one).datum) is None], [], refusal)

    def test_the_reason_says_what_it_was(self) -> None:
        for text, words in {
            "(move pawn 4 1)": "pawn",
            "(move player 4.37 1)": "4.37",
            "(move player 4 9)": "Y is 9",
            "#(1)": "a vector, which this game never sends",
            "#hash((a . 1))": "a hash table, which this game never sends",
            "(move player 1+2i 2)": "a number in another notation, which this game never sends",
            '(move player 4 #"1")': "a byte string, which this game never sends",
            "(move player 4 1 #:north)": "a keyword, which this game never sends",
            "(move wall 3 4 Horizontal)": "horizontal must be written in lower case",
            "(move wall 3 4 'horizontal)": "horizontal or vertical; here it was quoted a second time",
            "(move player 5 9)": "rows and columns are numbered 0 to 8",
            "(hello)": "hello",
        }.items():
            self.assertIn(words, mistakes.mistake(said(text).datum).reason)

    def test_a_reason_is_never_long(self) -> None:
        long = "x" * 10_000
        for text in (f"({long})", f"(move {long} 4 1)", f"(move wall 3 4 {long})", f"(move player {'9' * 10_000} 1)"):
            self.assertLess(len(mistakes.mistake(said(text).datum).reason), 200)

    @given(st.recursive(
        st.sampled_from(["move", "player", "wall", "4", "4.5", '"4"', "horizontal", "(quote wall)", "#(1)", "#\\a"]),
        lambda inner: st.lists(inner, max_size=5).map(lambda parts: f"({' '.join(parts)})"),
    ))  # fmt: skip
    def test_whatever_means_nothing_is_explained(self, text: str) -> None:
        datum: Datum = said(text).datum
        if understood(datum) is None:
            refusal = mistakes.mistake(datum)
            self.assertTrue(refusal.code and refusal.reason and refusal.expected)


class UntimelyTests(SynchronousTestCase):
    def test_a_vote(self) -> None:
        for status, worlds, world, words in (
            (Status.WAIT, 1, 1, "another world must come"),
            (Status.FIRST_WAITS, 2, 1, "has voted already"),
            (Status.SECOND_WAITS, 2, 2, "has voted already"),
            (Status.FOUR, 3, 2, "waits for four"),
            (Status.TWO, 2, 2, "has begun"),
            (Status.FINISHED, 2, 1, "is over"),
        ):
            for vote in ("(play)", "(wait)"):
                play = at(status, worlds)
                # The first one may have crossed the vote of another world.
                play.say(world, vote)
                step = play.say(world, vote)
                self.assertEqual(refused(step, world - 1), ["no-vote"], (status, vote))
                self.assertIn(words, step.refused[0][1].reason)

    def test_a_reset(self) -> None:
        for status, worlds, words in ((Status.VOTE, 2, "no game has begun yet"), (Status.TWO, 2, "a game is running")):
            step = at(status, worlds).say(1, "(reset)")
            self.assertEqual(refused(step), ["no-reset"])
            self.assertIn(words, step.refused[0][1].reason)

    def test_who_was_asked_the_same_and_is_too_late_makes_no_mistake(self) -> None:
        play = two()
        self.assertEqual(play.say(2, "(play)"), Step())
        self.assertEqual(refused(play.say(2, "(play)"), 1), ["no-vote"])
        play.moves(DOWN)
        play.say(1, "(reset)")
        self.assertEqual(play.say(2, "(reset)"), Step())
        self.assertEqual(refused(play.say(2, "(reset)"), 1), ["no-reset"])

    def test_a_word_with_more_than_itself_did_not_cross(self) -> None:
        play = two()
        self.assertEqual(refused(play.say(2, "(play 1 (player 4 1 1))"), 1), ["no-vote"])

    def test_a_move(self) -> None:
        for status, worlds, code, words in (
            (Status.WAIT, 1, "no-game", "another world"),
            (Status.VOTE, 2, "no-game", "not voted"),
            (Status.FOUR, 3, "no-game", "waits for four"),
            (Status.TWO, 2, "out-of-turn", "it is world 1's turn, and you are world 2"),
            (Status.FINISHED, 2, "game-over", "over"),
        ):
            step = at(status, worlds).say(min(worlds, 2), "(move player 4 7)")
            self.assertEqual(refused(step, min(worlds, 2) - 1), [code])
            self.assertIn(words, step.refused[0][1].reason)

    def test_a_message_is_shown_as_it_came(self) -> None:
        text = '(move  wall 3 4 "horizontal")'
        step = two().table.receive(1, Said(said(text).datum, text), 0.0)
        self.assertEqual(step.refused[0][1].text, text.encode())

    def test_what_a_dialect_could_not_read_is_handed_on(self) -> None:
        unread = Unread(Refusal("second-datum", "x"))
        self.assertEqual(two().table.receive(0, unread, 0.0), Step(refused=((0, unread.refusal),)))


class IllegalTests(SynchronousTestCase):
    def test_legal_moves_are_named_and_are_legal(self) -> None:
        for move in ("player 4 4", "wall 8 0 horizontal", "wall 3 0 horizontal"):
            step = two(referee="strict").say(1, f"(move {move})")
            ((_, refusal),) = step.refused
            for example in EXAMPLE.findall(refusal.expected):
                self.assertEqual(refused(two(referee="strict").say(2, example), 1), ["out-of-turn"])
                self.assertEqual(len(events(two(referee="strict").say(1, example))), 2)

    def test_a_wall_on_the_rim_is_told_where_it_would_lie(self) -> None:
        for wall, where in (
            (
                "3 0 horizontal",
                "a horizontal wall at 3,0 would lie on the upper rim of the board: it stands above its row",
            ),
            ("8 1 horizontal", "a horizontal wall at 8,1 would stick out of the board on the right: "),
            ("0 3 vertical", "a vertical wall at 0,3 would lie on the left rim of the board: "),
            ("3 8 vertical", "a vertical wall at 3,8 would stick out of the board at the bottom: "),
        ):
            ((_, refusal),) = two(referee="strict").say(1, f"(move wall {wall})").refused
            self.assertTrue(refusal.reason.startswith(where), refusal.reason)
            self.assertTrue(refusal.reason.endswith("; it is still your turn"), refusal.reason)


class ManyTests(SynchronousTestCase):
    def flood(self, play: Play, world: int, count: int) -> Step:
        for _ in range(count):
            step = play.table.receive(world - 1, said("(hello)"), play.now)
        return step

    def test_a_world_with_a_thousand_is_thrown_out(self) -> None:
        play = two()
        self.assertEqual(self.flood(play, 2, REFUSED_MOST - 1).dropped, ())
        step = self.flood(play, 2, 1)
        self.assertEqual([refusal.code for _, refusal in step.refused], ["unknown-word", "too-many"])
        self.assertEqual((step.dropped, step.closed), ((1,), True))
        self.assertEqual(events(step), ["1: disconnect 2 (wall 4 4 horizontal)"])
        self.assertEqual(step.outcome, Outcome(Termination.REMOVED, 0))

    def test_games_are_counted_one_by_one(self) -> None:
        play = two()
        self.flood(play, 2, REFUSED_MOST - 1)
        play.moves(DOWN)
        play.say(2, "(reset)")
        self.assertEqual(self.flood(play, 2, REFUSED_MOST - 1).dropped, ())

    def test_each_world_is_counted_for_itself(self) -> None:
        play = Play(2, *VOTE_FOUR[:1])
        for world in (1, 2):
            self.assertEqual(self.flood(play, world, REFUSED_MOST - 1).dropped, ())
