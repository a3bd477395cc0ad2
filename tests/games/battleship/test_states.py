"""The table of a client's phases: the diagram in the docs is drawn from it, and the player moves by it."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import LocalProtocolError, RemoteProtocolError
from gamed.games.battleship.client import Player
from gamed.games.battleship.fleet import cells
from gamed.games.battleship.states import TABLE, Message, Phase, Row, Way, after, diagram, message
from gamed.games.battleship.strategy import OpenList
from gamed.games.battleship.wire import Command, Opcode, decode

PAGE = Path(__file__).resolve().parents[3] / "docs" / "reference" / "battleship.md"
SHOT = (3, 4)
BODIES = {
    Message.SHOT: b"(1,[%d,%d])." % SHOT,
    Message.ANSWER: b"(2,[%d,%d,1])." % SHOT,
    Message.LAST_ANSWER: b"(2,[%d,%d,4])." % SHOT,
    Message.DEFEND_FIRST: b"(3,[]).",
    Message.ATTACK_FIRST: b"(4,[]).",
    Message.START: b"(5,[]).",
}


def command(body: bytes) -> Command:
    """Return the command in a line that has one."""
    found = decode(body)
    assert found is not None
    return found


def player(phase: Phase, *, doomed: bool = False) -> Player:
    """Return a player in a phase, whose last shot was SHOT; one who is doomed has but the cell SHOT left."""
    client = Player(OpenList(), Random(5))
    client.phase = phase
    client._shot = SHOT[0] + 10 * SHOT[1]
    if doomed:
        bit = 1 << client._shot
        client._defence.fleet = (bit | bit << 1,)
        client._defence.shots = bit << 1
    return client


def walk(client: Player, body: bytes) -> list[Row]:
    """Have a player receive a line; return the rows that it went along, from its phase to the one it is in now."""
    steps = [(Way.RECEIVES, body)]
    phase = client.phase
    steps += [(Way.SENDS, line) for line in client.receive_data(body + b"\r").splitlines()]
    rows = []
    for way, line in steps:
        (row,) = [row for row in TABLE if row[:3] == (phase, way, message(command(line)))]
        rows.append(row)
        phase = row.then
    assert phase is client.phase, (phase, client.phase)
    return rows


class TableTests(SynchronousTestCase):
    def test_a_phase_and_a_message_have_one_row_at_most(self) -> None:
        self.assertEqual(len({row[:3] for row in TABLE}), len(TABLE))

    def test_every_phase_can_be_reached(self) -> None:
        reached = {TABLE[0].phase}
        for _ in Phase:
            reached |= {row.then for row in TABLE if row.phase in reached}
        self.assertEqual(reached, set(Phase))

    def test_in_no_phase_can_a_client_both_send_and_receive(self) -> None:
        for phase in Phase:
            self.assertLess(len({row.way for row in TABLE if row.phase is phase}), 2, phase)

    def test_each_message_of_the_wire_is_told_apart(self) -> None:
        for wanted, body in BODIES.items():
            self.assertIs(message(command(body)), wanted)
        self.assertIs(message(command(b"(1,[3,4,4]).")), Message.SHOT)
        self.assertIs(message(command(b"(2,[3,4,9]).")), Message.ANSWER)

    def test_after_follows_the_table_and_nothing_else(self) -> None:
        found = {
            (phase, way, kind, then)
            for phase in Phase
            for way in Way
            for kind, body in BODIES.items()
            if (then := after(phase, way, command(body))) is not None
        }
        self.assertEqual(found, set(TABLE))


class DiagramTests(SynchronousTestCase):
    def test_the_page_shows_the_diagram_of_the_table(self) -> None:
        (shown,) = re.findall(r"```mermaid\n(.*?)\n```", PAGE.read_text(), re.DOTALL)
        self.assertEqual(shown, diagram())

    def test_the_page_shows_the_table(self) -> None:
        shown = re.findall(r"^\| (.+?) \| (receives|sends) \| `(.+?)` \| (.+?) \|$", PAGE.read_text(), re.MULTILINE)
        self.assertEqual(shown, [tuple(map(str, row)) for row in TABLE])

    def test_it_has_a_line_for_each_phase_and_row(self) -> None:
        lines = diagram().splitlines()
        self.assertEqual(lines[0], "stateDiagram-v2")
        self.assertEqual(len(lines), 1 + len(Phase) + 1 + len(TABLE) + 2)
        self.assertIn("    AWAIT --> WON : receives (2,[X,Y,4]).", lines)
        self.assertEqual(lines[-2:], ["    WON --> [*]", "    LOST --> [*]"])


class PlayerTests(SynchronousTestCase):
    def test_it_goes_along_every_row(self) -> None:
        walked: set[Row] = set()
        for row in TABLE:
            if row.way is Way.RECEIVES:
                for doomed in (False, True):
                    rows = walk(player(row.phase, doomed=doomed), BODIES[row.message])
                    self.assertEqual(rows[0], row)
                    walked.update(rows)
        self.assertEqual(walked, set(TABLE))

    def test_what_has_no_row_is_refused_and_changes_nothing(self) -> None:
        for phase in Phase:
            for kind, body in BODIES.items():
                if after(phase, Way.RECEIVES, command(body)) is None:
                    client = player(phase)
                    error = self.assertRaises(RemoteProtocolError, client.receive_data, body + b"\r")
                    self.assertEqual((error.code, client.phase), ("out-of-phase", phase), kind)

    def test_what_it_may_not_send_is_a_defect_of_ours(self) -> None:
        for phase in Phase:
            for body in BODIES.values():
                if after(phase, Way.SENDS, command(body)) is None:
                    self.assertRaises(LocalProtocolError, player(phase)._sends, command(body))

    def test_numbers_that_do_not_fit_are_refused(self) -> None:
        for phase, body in (
            (Phase.DEFENCE, b"(1,[3])."),
            (Phase.DEFENCE, b"(1,[3,10])."),
            (Phase.AWAIT, b"(2,[3,4])."),
            (Phase.AWAIT, b"(2,[13,3,1])."),
            (Phase.INITIALIZATION, b"(3,[1])."),
            (Phase.TOLD_TO_ATTACK, b"(5,[1])."),
        ):
            client = player(phase)
            error = self.assertRaises(RemoteProtocolError, client.receive_data, body + b"\r")
            self.assertEqual((error.code, client.phase), ("out-of-phase", phase), body)

    def test_who_finds_no_fleet_in_all_the_sea_says_so(self) -> None:
        client = player(Phase.DEFENCE)
        client.strategy = OpenList(water=(1 << 100) - 1)
        error = self.assertRaises(RemoteProtocolError, client.receive_data, b"(1,[0,0]).\r")
        self.assertEqual(error.code, "dishonest")

    @settings(deadline=None)
    @given(st.lists(st.sampled_from([*BODIES.values(), b"(1,[9,9]).", b"(2,[0,0,2]).", b"hello"]), max_size=12))
    def test_whatever_it_receives_it_answers_or_refuses(self, bodies: list[bytes]) -> None:
        client = player(Phase.INITIALIZATION)
        for body in bodies:
            try:
                walk(client, body)
            except RemoteProtocolError:
                return

    def test_a_doomed_player_has_one_cell(self) -> None:
        client = player(Phase.DEFENCE, doomed=True)
        left = sum(client._defence.fleet) & ~client._defence.shots
        self.assertEqual(list(cells(left)), [SHOT[0] + 10 * SHOT[1]])

    def test_the_opcodes_are_those_of_the_text(self) -> None:
        self.assertEqual({command(body).opcode for body in BODIES.values()}, set(Opcode))
