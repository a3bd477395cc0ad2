"""States, moves and results in XML, against a whole game of two socha clients on the official server."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import RemoteProtocolError
from gamed.core.game import CHANCE
from gamed.games.softwarechallenge.season import Cause, Fault, Sent
from gamed.games.softwarechallenge.seasons.blokus.moves import SetMove, SkipMove, StartPiece, parse
from gamed.games.softwarechallenge.seasons.blokus.position import State
from gamed.games.softwarechallenge.seasons.blokus.rules import Blokus
from gamed.games.softwarechallenge.seasons.blokus.shapes import ALL, SHAPES
from gamed.games.softwarechallenge.seasons.blokus.wire import echo, memento, read, result
from gamed.wire.xmlstream import Element, XmlStream
from tests.games.softwarechallenge.blokus.test_moves import actions

BLOKUS = Blokus()
RECORDED = Path(__file__).parent / "recorded"
NAMELESS = ("", "")


def recorded(name: str) -> bytes:
    return gzip.decompress((RECORDED / f"socha-{name}.xml.gz").read_bytes())


def elements(data: bytes) -> Iterator[Element]:
    stream = XmlStream()
    stream.receive_data(data)
    while (element := stream.take()) is not None:
        yield element


def moves_of(name: str) -> Iterator[Sent]:
    """Yield what a client played."""
    for element in elements(recorded(f"{name}-sent")):
        data = element.find("data")
        if data is not None:
            yield read(data)


def heard(name: str, kind: str) -> list[str]:
    """Return the data of a class that a client heard, as text."""
    found = rf'<data class="{kind}">\n      (.*?)\n    </data>'
    return re.findall(found, recorded(f"{name}-heard").decode(), re.DOTALL)


def parsed(text: str) -> Element:
    (element,) = elements(f"<protocol>{text}</protocol>".encode())
    return element


class OfficialGameTests(SynchronousTestCase):
    def test_all_states_and_the_result_are_identical(self) -> None:
        states = heard("one", "memento")
        self.assertEqual(states, heard("two", "memento"))
        start = SHAPES.index(re.findall(r'startPiece="(\w+)"', states[0])[0])
        state, last = BLOKUS.apply(BLOKUS.setup({}), CHANCE, StartPiece(start)), ""
        sides = [moves_of("one"), moves_of("two")]
        for official in states:
            self.assertEqual(memento(state, NAMELESS, last), official, state.turn)
            if BLOKUS.outcome(state) is None:
                sent = next(sides[state.mover])
                state, last = BLOKUS.apply(state, state.mover, sent.move), sent.echo
        self.assertEqual([list(rest) for rest in sides], [[], []])
        self.assertEqual([result(state, NAMELESS, None).body], heard("one", "result"))
        self.assertEqual(result(state, NAMELESS, None).parts, (("0", "119"), ("2", "122")))


class ReadTests(SynchronousTestCase):
    @given(actions.filter(lambda move: not isinstance(move, StartPiece)))
    def test_what_is_echoed_is_read_again(self, move: SetMove | SkipMove) -> None:
        sent = read(parsed(echo(move).replace("lastMove", "data")))
        self.assertEqual((sent.move, sent.echo), (move, echo(move)))

    def test_children_in_the_place_of_attributes(self) -> None:
        sent = read(parsed('<data class="sc.plugin2027.SetMove"><piece><color>RED</color><kind>MONO</kind>'
                           "<rotation>LEFT</rotation><position><x>3</x></position></piece></data>"))  # fmt: skip
        self.assertEqual(sent.move, SetMove(2, 0, 3, False, 3, 0))

    def test_what_is_refused(self) -> None:
        piece = 'color="RED" kind="MONO" rotation="NONE"'
        place = '<position x="0" y="0"/>'
        for code, kind, inner in (
            ("unknown-class", "setmove", ""),
            ("unknown-class", "SetMove", ""),
            ("missing-part", "SetMove", "@"),
            ("missing-part", "SetMove", f"@<piece {piece}/>"),
            ("missing-part", "SetMove", f'@<piece color="RED" kind="MONO">{place}</piece>'),
            ("missing-part", "SkipMove", "@"),
            ("duplicate-element", "SetMove", f"@<piece {piece}>{place}{place}</piece>"),
            ("duplicate-element", "SetMove", f"@<piece {piece}>{place}</piece><piece/>"),
            ("unknown-element", "SetMove", "@<stone/>"),
            ("unknown-element", "SetMove", f"@<piece {piece}>{place}<shape/></piece>"),
            ("unknown-value", "SetMove", f'@<piece color="PINK" kind="MONO" rotation="NONE">{place}</piece>'),
            ("unknown-value", "SetMove", f'@<piece color="RED" kind="mono" rotation="NONE">{place}</piece>'),
            ("unknown-value", "SkipMove", "@<color>blue</color>"),
            ("not-a-number", "SetMove", f'@<piece {piece}><position x="a"/></piece>'),
            ("out-of-range", "SetMove", f'@<piece {piece}><position x="99999999999"/></piece>'),
        ):
            name = f"sc.plugin2027.{kind}" if inner.startswith("@") else kind
            data = parsed(f'<data class="{name}">{inner.removeprefix("@")}</data>')
            error = self.assertRaises(RemoteProtocolError, read, data)
            self.assertEqual(error.code, code, inner)
            self.assertTrue(error.hint, inner)

    @given(st.text(st.sampled_from('<>/="& ab'), max_size=30))
    def test_whatever_stands_in_a_piece(self, text: str) -> None:
        quoted = text.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
        data = parsed(f'<data class="sc.plugin2027.SetMove"><piece color="{quoted}"/></data>')
        self.assertRaises(RemoteProtocolError, read, data)


class WriteTests(SynchronousTestCase):
    def test_the_last_piece_of_each_colour(self) -> None:
        state = State(90, 9, left=(0, 0, 1, ALL), mono_last=(True, False, None, None))
        text = re.findall(r" *<lastMoveMono>.*</lastMoveMono>", memento(state, NAMELESS, ""), re.DOTALL)[0]
        entries = [tuple(child.text for child in entry) for entry in etree.fromstring(text)]
        self.assertEqual(entries, [("BLUE", "true"), ("YELLOW", "false")])
        self.assertIn("<sc.plugin2027.Color>BLUE<", text)
        self.assertIn("<blueShapes/>", memento(state, NAMELESS, ""))

    def test_names_and_faults(self) -> None:
        state = BLOKUS.apply(BLOKUS.setup({}), CHANCE, StartPiece(9))
        state = BLOKUS.apply(state, 0, parse("B PENTO_L 0,0"))
        fault = Fault(1, Cause.LEFT, "B ist weg")
        body = result(state, ("A&a", "B"), fault).body
        self.assertIn('<winner team="ONE" regular="false" reason="B ist weg"/>', body)
        self.assertIn('<player name="A&amp;a" team="ONE"/>', body)
        self.assertEqual(result(state, NAMELESS, fault).parts, (("2", "5"), ("0", "0")))
        tie = result(BLOKUS.setup({}), NAMELESS, None).body
        self.assertIn('<winner regular="true" reason="Beide Spieler sind gleichauf"/>', tie)
