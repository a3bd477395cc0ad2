"""Hive in XML: states, moves and results, as the official server writes and reads them."""

from __future__ import annotations

import re
from functools import cache
from xml.etree import ElementTree as ET

from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import RemoteProtocolError
from gamed.core.game import CHANCE
from gamed.games.softwarechallenge.season import Cause, Fault, Sent
from gamed.games.softwarechallenge.seasons.hive.board import CELLS
from gamed.games.softwarechallenge.seasons.hive.client import read_state
from gamed.games.softwarechallenge.seasons.hive.moves import (
    NOBODY,
    NOTHING,
    DragMove,
    DragNowhere,
    Obstructed,
    SetMove,
    SkipMove,
    parse,
)
from gamed.games.softwarechallenge.seasons.hive.position import State
from gamed.games.softwarechallenge.seasons.hive.rules import Hive
from gamed.games.softwarechallenge.seasons.hive.wire import SEASON, echo, memento, read, result
from tests.games.softwarechallenge.hive.recorded import Play, plays
from tests.games.softwarechallenge.recorded import recordings

NAMES = ("Unknown", "Unknown")
GAME = Hive()
PIECE = '<piece owner="RED" type="ANT"/>'
PLACE = '<destination x="0" y="1" z="-1"/>'


def sent(text: str) -> Sent:
    """Return what a data element says."""
    return read(ET.fromstring(text))


def setmove(*parts: str) -> str:
    return f'<data class="setmove">{"".join(parts)}</data>'


def dragmove(*parts: str) -> str:
    return f'<data class="dragmove">{"".join(parts)}</data>'


class ReadTests(SynchronousTestCase):
    def assert_refused(self, code: str, *texts: str) -> None:
        for text in texts:
            self.assertEqual(self.assertRaises(RemoteProtocolError, sent, text).code, code, text)

    def test_each_kind(self) -> None:
        for text, move in (
            (setmove(PIECE, PLACE), SetMove("A", 0, 0, 1, -1)),
            (setmove('<piece owner="BLUE" type="GRASSHOPPER"/>', PLACE), SetMove("G", 1, 0, 1, -1)),
            (dragmove('<start x="1" y="-2" z="1"/>', PLACE), DragMove(1, -2, 1, 0, 1, -1)),
            (dragmove(PLACE), DragMove(None, None, None, 0, 1, -1)),
            ('<data class="skipmove"/>', SkipMove()),
            ('<data class="missmove"/>', SkipMove()),
        ):
            self.assertEqual(sent(text).move, move, text)

    def test_the_official_servers_own_classes(self) -> None:
        for text in (setmove(PIECE, PLACE), dragmove(PLACE), '<data class="skipmove"/>'):
            kind = re.search('"(...?.?)move', text)[1]
            java = text.replace(f"{kind}move", f"sc.plugin2020.{kind.capitalize()}Move")
            self.assertNotEqual(java, text)
            self.assertEqual(sent(java), sent(text))

    def test_the_order_of_the_parts_does_not_matter(self) -> None:
        self.assertEqual(sent(setmove(PLACE, PIECE)), sent(setmove(PIECE, PLACE)))

    def test_further_attributes_do_not_matter(self) -> None:
        more = setmove(PIECE.replace("/>", ' id="7"/>'), PLACE.replace("/>", ' w="x"/>')).replace("class", 'a="" class')
        self.assertEqual(sent(more), sent(setmove(PIECE, PLACE)))

    def test_children_in_place_of_attributes(self) -> None:
        piece = "<piece><owner>RED</owner><type>ANT</type></piece>"
        place = "<destination><x>0</x><y>1</y><z>-1</z></destination>"
        self.assertEqual(sent(setmove(piece, place)), sent(setmove(PIECE, PLACE)))

    def test_what_is_missing_in_a_place_is_zero(self) -> None:
        self.assertEqual(sent(setmove(PIECE, '<destination x="1" y="2"/>')).move, SetMove("A", 0, 1, 2, 0))
        self.assertEqual(sent(dragmove("<start/>", "<destination/>")).move, DragMove(0, 0, 0, 0, 0, 0))

    def test_numbers_as_java_has_them(self) -> None:
        for text, value in (
            ("+3", 3),
            ("-03", -3),
            ("0x1", 1),
            ("010", 8),
            ("\u0661", 1),
            ("2147483647", 2**31 - 1),
            ("-2147483648", -(2**31)),
        ):
            self.assertEqual(sent(dragmove(f'<destination x="{text}"/>')).move, DragMove(None, None, None, value, 0, 0))
        for text in ("", " 1", "1.0", "a", "0x", "08"):
            self.assert_refused("not-a-number", dragmove(f'<destination x="{text}"/>'))
        for text in ("4294967296", "99999999999"):
            self.assert_refused("out-of-range", dragmove(f'<destination x="{text}"/>'))

    def test_no_move_of_the_game(self) -> None:
        for kind in (
            "welcomeMessage", "memento", "state", "result", "error", "joined", "left", "prepared", "paused", "null",
            "prepare", "join", "authenticate", "room", "testing", "playerScore",
            "sc.protocol.responses.CloseConnection",
        ):  # fmt: skip
            self.assertEqual(sent(f'<data class="{kind}"><whatever/></data>'), Sent(None))
        self.assertEqual(sent('<data class="sc.framework.plugins.protocol.MoveRequest"/>'), Sent(None))

    def test_parts_that_make_an_illegal_move_by_being_missing(self) -> None:
        for move, read_as, original in (
            (setmove('<piece type="ANT"/>', PLACE), SetMove("A", NOBODY, 0, 1, -1), '<piece type="ANT"/>'),
            (setmove('<piece owner="BLUE"/>', PLACE), SetMove(NOTHING, 1, 0, 1, -1), '<piece owner="BLUE"/>'),
            (setmove("<piece/>", PLACE), SetMove(NOTHING, NOBODY, 0, 1, -1), "<piece/>"),
            (dragmove('<start x="1" y="0" z="-1"/>'), DragNowhere((1, 0, -1)), '<start x="1" y="0" z="-1"/>'),
            (dragmove(), DragNowhere(None), 'class="dragmove"/>'),
        ):
            self.assertEqual(sent(move).move, read_as)
            self.assertIn(original, sent(move).original)

    def test_official_names_of_classes(self) -> None:
        plain = setmove(PIECE, PLACE)
        official = plain.replace("<destination", '<destination class="sc.plugin2020.util.CubeCoordinates"').replace(
            "<piece", '<piece class="sc.plugin2020.Piece"'
        )
        self.assertEqual(sent(official), sent(plain))
        field = plain.replace("<destination", '<destination class="field"')
        self.assertEqual(sent(field.replace('"field"', '"sc.plugin2020.Field"')), sent(field))

    def test_what_cannot_be_read(self) -> None:
        self.assert_refused(
            "unknown-class",
            '<data class="foo"/>',
            '<data class="SetMove"/>',
            "<data/>",
            '<data class="string">x</data>',
            setmove(PIECE, '<destination class="foo" x="0"/>'),
            setmove(PIECE, '<destination class="" x="0"/>'),
            dragmove('<start class="piece" x="0"/>', PLACE),
            setmove('<piece class="field" owner="RED" type="ANT"/>', PLACE),
        )
        self.assert_refused("missing-part", setmove(), setmove(PIECE), setmove(PLACE))
        self.assert_refused(
            "unknown-value",
            setmove('<piece owner="red" type="ANT"/>', PLACE),
            setmove('<piece owner="RED" type="Ant"/>', PLACE),
            setmove('<piece owner="GREEN" type="ANT"/>', PLACE),
            setmove('<piece type="LADYBUG"/>', PLACE),
            setmove('<piece owner="" type="ANT"/>', PLACE),
            setmove('<piece owner="RED" type="LADYBUG"/>', PLACE),
        )
        self.assert_refused(
            "unknown-element",
            setmove(PIECE, PLACE, "<foo/>"),
            setmove(PIECE, PLACE, '<start x="0"/>'),
            dragmove(PIECE, PLACE),
            '<data class="skipmove"><destination/></data>',
            setmove(PIECE, "<destination><w>1</w></destination>"),
            setmove(PIECE, f"<destination>{PIECE}</destination>"),
            setmove(PIECE, "<destination><isObstructed>true</isObstructed></destination>"),
            setmove("<piece><colour>RED</colour></piece>", PLACE),
        )
        self.assert_refused(
            "duplicate-element",
            setmove(PIECE, PIECE, PLACE),
            dragmove(PLACE, PLACE),
            dragmove('<destination x="1"><x>1</x></destination>'),
        )

    @settings(deadline=None, max_examples=80)
    @given(st.data())
    def test_whatever_it_is_it_is_read_or_refused(self, data: st.DataObject) -> None:
        names = st.sampled_from(["data", "piece", "start", "destination", "hint", "x", "owner", "field", "foo"])
        words = st.sampled_from(["RED", "ANT", "0", "-1", "x", "field", "", "setmove", "dragmove", "skipmove", "true"])
        keys = st.sampled_from(["class", "x", "y", "z", "owner", "type", "isObstructed", "content"])

        def element(children: st.SearchStrategy[ET.Element]) -> st.SearchStrategy[ET.Element]:
            return st.builds(built, names, st.dictionaries(keys, words), words, st.lists(children, max_size=4))

        leaves = st.builds(built, names, st.dictionaries(keys, words), words, st.just([]))
        found = data.draw(st.recursive(leaves, element, max_leaves=8))
        found.set("class", data.draw(st.sampled_from(["setmove", "dragmove", "skipmove", "result"])))
        try:
            said = read(found)
        except RemoteProtocolError as error:
            self.assertTrue(error.code)
        else:
            self.assertIsInstance(said, Sent)


def built(name: str, attributes: dict[str, str], text: str, children: list[ET.Element]) -> ET.Element:
    """Return an element."""
    element = ET.Element(name, attributes)
    element.text = text
    element.extend(children)
    return element


class EchoTests(SynchronousTestCase):
    def assert_echo(self, text: str, *lines: str) -> None:
        """Check the lines within the echo."""
        kind = re.search('class="([a-z]+)"', text)[1].replace("missmove", "skipmove")
        inner = "".join(f"          {line}\n" for line in lines)
        expected = f'        <lastMove class="{kind}">\n{inner}        </lastMove>'
        self.assertEqual(sent(text).echo, expected if lines else f'        <lastMove class="{kind}"/>')

    def test_each_kind(self) -> None:
        self.assert_echo(setmove(PLACE, PIECE), PIECE, PLACE)
        self.assert_echo(dragmove(PLACE, '<start z="1" y="-2" x="1"/>'), '<start x="1" y="-2" z="1"/>', PLACE)
        self.assert_echo('<data class="skipmove"/>')
        self.assert_echo('<data class="missmove"/>')

    def test_numbers_are_written_out(self) -> None:
        self.assert_echo(setmove(PIECE, '<destination x="+1" y="-01"/>'), PIECE, '<destination x="1" y="-1" z="0"/>')

    def test_fields_stay_fields(self) -> None:
        start = f'<start class="field" x="0" y="0" z="0" isObstructed="false">{PIECE}{PIECE}</start>'
        self.assert_echo(
            dragmove(start, '<destination isObstructed="TRUE" y="1" class="field" z="-1"/>'),
            '<start class="field" x="0" y="0" z="0" isObstructed="false">',
            f"  {PIECE}",
            f"  {PIECE}",
            "</start>",
            '<destination class="field" x="0" y="1" z="-1" isObstructed="true"/>',
        )
        self.assert_echo(
            setmove(PIECE, '<destination class="field"><isObstructed>x</isObstructed></destination>'),
            PIECE,
            '<destination class="field" x="0" y="0" z="0" isObstructed="false"/>',
        )

    def test_hints(self) -> None:
        for hints, text in (
            (("<hint/>",), ""),
            (("<hint>a</hint>",), "a"),
            (('<hint content="a"/>',), "a"),
            (('<hint content="a">b</hint>',), "a"),
            (("<hint>&lt;a&gt; &amp; 'b'</hint>",), "<a> & 'b'"),
            (('<hint content="a"/>', "<hint>b</hint>", "<hint>c</hint>"), "a\nb\nc"),
        ):
            said = sent(setmove(PIECE, *hints, PLACE))
            self.assertEqual(said.hint, text)
            escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("'", "&apos;")
            self.assertTrue(
                said.echo.startswith(f'        <lastMove class="setmove">\n          <hint>{escaped}</hint>\n')
            )

    def test_a_skip_with_a_hint(self) -> None:
        self.assert_echo('<data class="missmove"><hint>stuck</hint></data>', "<hint>stuck</hint>")

    def test_the_original_request(self) -> None:
        self.assertEqual(
            sent(setmove(PLACE, PIECE)).original,
            f'<originalRequest class="setmove">\n        {PIECE}\n        {PLACE}\n      </originalRequest>',
        )
        self.assertEqual(sent('<data class="skipmove"/>').original, "")
        self.assertIn("<hint>", sent('<data class="skipmove"><hint/></data>').original)

    def test_of_a_move_that_nobody_sent(self) -> None:
        for text in ("S A 0,1", "S a 0,1", "D 0,1 1,1", "P"):
            move = parse(text)
            data = echo(move).replace("lastMove", "data")
            self.assertEqual((sent(data).move, sent(data).echo), (move, echo(move)), text)


def recorded_states() -> list[str]:
    """Return the text of every recorded state."""
    found = []
    for recording in recordings():
        found += re.findall(r'<state class="state".*?</state>', recording.heard.decode(), re.DOTALL)
    return list(dict.fromkeys(found))


class MementoTests(SynchronousTestCase):
    def state(self, *moves: str) -> State:
        """Return the position after moves; chance has moved."""
        state = GAME.apply(GAME.setup({}), CHANCE, Obstructed(((-5, 5), (0, -5), (5, -5))))
        for move in moves:
            state = GAME.apply(state, state.mover, parse(move))
        return state

    def test_the_recorded_states_are_written_again(self) -> None:
        texts = recorded_states()
        self.assertGreater(len(texts), 200)
        for text in texts:
            root = ET.fromstring(text)
            last = re.search(r" {8}<lastMove.*(?=\n {6}</state>)", text, re.DOTALL)
            names = (root[0].get("displayName", ""), root[1].get("displayName", ""))
            self.assertEqual(memento(read_state(root), names, last[0] if last else ""), text)

    def test_the_frame(self) -> None:
        text = memento(self.state(), ("a & b", '"'), "")
        lines = text.split("\n")
        self.assertEqual(
            lines[:4],
            [
                '<state class="state" startPlayerColor="RED" turn="0" currentPlayerColor="RED">',
                '        <red color="RED" displayName="a &amp; b"/>',
                '        <blue color="BLUE" displayName="&quot;"/>',
                "        <board>",
            ],
        )
        self.assertEqual(lines[-1], "      </state>")
        board = ET.fromstring(text)[2]
        self.assertEqual([len(row) for row in board], [11] * 11)
        self.assertEqual(sum(cell.tag == "field" for row in board for cell in row), len(CELLS))

    def test_what_stands_on_a_field(self) -> None:
        text = memento(self.state("S Q 0,0", "S a 1,0"), NAMES, "")
        self.assertIn('turn="2" currentPlayerColor="RED"', text)
        self.assertIn(
            '            <field x="1" y="0" z="-1" isObstructed="false">\n'
            '              <piece owner="BLUE" type="ANT"/>\n'
            "            </field>\n",
            text,
        )
        self.assertIn('            <field x="0" y="-5" z="5" isObstructed="true"/>\n', text)

    def test_hands(self) -> None:
        text = memento(self.state("S Q 0,0", "S a 1,0"), NAMES, "")
        root = ET.fromstring(text)
        red = [piece.get("type") for piece in root.iterfind("undeployedRedPieces/piece")]
        blue = [(piece.get("owner"), piece.get("type")) for piece in root.iterfind("undeployedBluePieces/piece")]
        self.assertEqual(red, ["SPIDER"] * 3 + ["GRASSHOPPER"] * 2 + ["BEETLE"] * 2 + ["ANT"] * 3)
        self.assertEqual(blue[0], ("BLUE", "BEE"))
        self.assertEqual(blue[-2:], [("BLUE", "ANT")] * 2)
        self.assertEqual(len(blue), 10)

    def test_an_empty_hand(self) -> None:
        empty = next(play.scenes[-1] for play in last_scenes() if not play.scenes[-1].hands[0])
        self.assertIn("\n        <undeployedRedPieces/>\n", memento(empty.state, NAMES, ""))


@cache
def last_scenes() -> tuple[Play, ...]:
    """Return all recorded games, each with its last scene alone."""
    return tuple(evolve(play, scenes=play.scenes[-1:]) for play in plays())


class ResultTests(SynchronousTestCase):
    def test_every_recorded_result(self) -> None:
        recorded = [(play, str(play.end["xml"])) for play in last_scenes() if "xml" in play.end]
        self.assertGreater(len(recorded), 10)
        for play, xml in recorded:
            body = result(play.scenes[-1].state, NAMES, None).body
            self.assertEqual(f'<data class="result">\n      {body}\n    </data>', xml.strip(), play.name)

    def test_each_reason(self) -> None:
        bee = "Das Spiel ist beendet.&#xa;{} hat die gegnerische Biene umzingelt."
        free = "Das Rundenlimit wurde erreicht.&#xa;{} hat mehr freie Felder um seine Biene."
        equal = "Das Rundenlimit wurde erreicht.&#xa;Beide Bienen haben gleich viele freie Felder."
        reasons = {
            "RED_SURROUND": bee.format("R &amp; D (Rot)"),
            "BLUE_SURROUND": bee.format("b (Blau)"),
            "RED_LIMIT": free.format("R &amp; D (Rot)"),
            "BLUE_LIMIT": free.format("b (Blau)"),
            "DRAW_LIMIT": equal,
            "DRAW_BOTH": equal,
        }
        seen = set()
        for play in last_scenes():
            name = str(play.end["result"])
            if name in reasons:
                seen.add(name)
                body = result(play.scenes[-1].state, ("R & D", "b"), None).body
                self.assertEqual(body.count(f'<score cause="REGULAR" reason="{reasons[name]}">'), 2, play.name)
        self.assertGreaterEqual(len(seen), 5)

    def test_points_and_winner(self) -> None:
        for play in last_scenes():
            state = play.scenes[-1].state
            outcome = GAME.outcome(state)
            if outcome is None:
                continue
            found = result(state, ("a", "b"), None)
            points = {None: ("1", "1"), 0: ("2", "0"), 1: ("0", "2")}[outcome.winner]
            self.assertEqual(tuple(part[0] for part in found.parts), points)
            self.assertEqual(tuple(part[1] for part in found.parts), tuple(str(state.free(seat)) for seat in (0, 1)))
            winner = {None: "", 0: '<winner color="RED" displayName="a"/>', 1: '<winner color="BLUE" displayName="b"/>'}
            self.assertTrue(found.body.endswith(winner[outcome.winner]))
            self.assertEqual("<winner" in found.body, outcome.winner is not None)

    def test_faults(self) -> None:
        state = GAME.apply(GAME.setup({}), CHANCE, Obstructed(((-5, 5), (0, -5), (5, -5))))
        for seat, points in ((0, ("0", "2")), (1, ("2", "0"))):
            found = result(state, ("a", "b"), Fault(seat, Cause.LEFT, 'he "left"'))
            self.assertEqual(found.parts, ((points[0], "-1"), (points[1], "-1")))
            scores = re.findall(r'<score cause="(\w+)" reason="(.*?)">', found.body)
            expected = [("REGULAR", ""), ("REGULAR", "")]
            expected[seat] = ("LEFT", "he &quot;left&quot;")
            self.assertEqual(scores, expected)
            self.assertIn(f'<winner color="{("RED", "BLUE")[1 - seat]}"', found.body)


class SeasonTests(SynchronousTestCase):
    def test_its_names(self) -> None:
        self.assertEqual((SEASON.kind, SEASON.game_types[0]), ("hive", "swc_2020_hive"))
        self.assertEqual([column.name for column in SEASON.fragments], ["Gewinner", "∅ freie Felder"])
        self.assertEqual(SEASON.move_text(SetMove("A", 0, 0, 1, -1), "swarm"), "; move was Set RED ANT to (0,1,-1)")
