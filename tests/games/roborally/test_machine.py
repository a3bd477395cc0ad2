"""Any order of lines, and of time: nothing breaks, and each line gets the reply that it must get.

Source: docs/reference/roborally.md#what-is-not-acceptable: every line that is a request, or is not acceptable, gets
exactly one reply, in order; an acceptable answer, or a one-way message, gets none.
"""

from __future__ import annotations

import re
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from gamed.core.table import replay
from gamed.games.roborally.rules.robots import locks
from gamed.records.own import to_history
from tests.games.roborally.gathering import Gathering, Peer, gathering

NAMES = ("Anna", "Bert", "Carl", "Tafel")
OWN = re.compile(r"NTS|NTC\(|MNR|MRP\(|MBD|MRR\(|REN\(")
"""What the manager says of its own accord."""

NAMED = st.sampled_from((*NAMES, "Nobody"))
QUERIES = st.one_of(
    st.sampled_from(("GSD", "GFL", "GPL", "GSN", "GSS", "GSA", "GTO")),
    st.builds("GRS({})".format, NAMED),
    st.builds("SRO({})".format, NAMED),
    st.builds("SFI(({},{}))".format, st.integers(0, 14), st.integers(0, 14)),
)
UNFIT = st.one_of(
    st.sampled_from(("nonsense", "GSD()", "RLE", "x" * 1025, "RGS(Anna)", "RGA(Dora)", "RLE(Dora)")),
    st.builds("TNR({},N)".format, NAMED),
    st.builds("TRP({},(1,2,3,4,5),f)".format, NAMED),
    st.builds("TBD({},t)".format, NAMED),
    st.builds("TRR({},1,)".format, NAMED),
)


class Machine(RuleBasedStateMachine):
    """Three players and a channel. `open`: what each has been asked and has not answered."""

    found: Gathering

    @initialize(seed=st.integers(1, 50), violations=st.sampled_from((2, 1000)))
    def gather(self, seed: int, violations: int) -> None:
        self.found = gathering(seed=seed, max_players=3, max_violations=violations, max_turns=4, linger=5)
        self.tafel = self.found.watches()
        self.players = self.found.joins("Anna", "Bert", "Carl")
        self.peers = [*self.players, self.tafel]
        self.open = {peer.name: "" for peer in self.peers}
        self.removed: set[str] = set()
        self.room = self.found.rooms[0]
        self.listen()

    def listen(self) -> dict[str, list[str]]:
        """Note what everybody is asked; return what else each has heard."""
        replies: dict[str, list[str]] = {}
        for peer in self.peers:
            lines = peer.hears()
            for line in lines:
                if line.startswith("REN"):
                    assert peer.name not in self.removed, "removed twice"
                    self.removed.add(peer.name)
                    self.open[peer.name] = ""
                elif OWN.match(line):
                    # An NTS is void after its time, and nobody is told so.
                    assert self.open[peer.name] in ("", "NTS"), "a second request while one is open"
                    assert peer.name not in self.removed, "asked after the removal"
                    self.open[peer.name] = line
            replies[peer.name] = [line for line in lines if not OWN.match(line)]
        return replies

    def say(self, peer: Peer, line: str, count: int, *, is_query: bool = False) -> None:
        """Say a line; there must be so many replies to it, and to nobody else."""
        removed, closed = peer.name in self.removed, peer.is_closed
        peer.wire.send(f"{line}\n".encode())
        replies = self.listen()
        if closed or (removed and not is_query):
            count = 0
        found = replies.pop(peer.name)
        assert len(found) == count, f"{found} to {line} after {self.open[peer.name]!r}"
        assert not any(replies.values()), "an answer to somebody who asked nothing"

    def any_peer(self, data: Any) -> Peer:
        peer: Peer = data.draw(st.sampled_from(self.peers))
        return peer

    @rule(data=st.data(), line=QUERIES)
    def ask(self, data: Any, line: str) -> None:
        self.say(self.any_peer(data), line, 1, is_query=True)

    @rule(data=st.data(), line=UNFIT)
    def err(self, data: Any, line: str) -> None:
        peer = self.any_peer(data)
        fits = {"TNR": "MNR", "TRP": "MRP", "TBD": "MBD", "TRR": "MRR"}
        asked = self.open[peer.name]
        if fits.get(line[:3]) == asked[:3] and asked:
            # An answer: legal, or cheating. Neither gets a reply.
            self.open[peer.name] = ""
            self.say(peer, line, 0)
        else:
            self.say(peer, line, 1)

    @rule(data=st.data())
    def acknowledge(self, data: Any) -> None:
        peer = self.any_peer(data)
        if self.open[peer.name].startswith("NT"):
            self.open[peer.name] = ""
        self.say(peer, data.draw(st.sampled_from(("ok", "error"))), 0)

    @rule(down=st.booleans())
    def answer_all(self, down: bool) -> None:
        """Everybody answers as the rules allow."""
        for peer in self.peers:
            asked, self.open[peer.name] = self.open[peer.name], ""
            if asked.startswith("NT"):
                self.say(peer, "ok", 0)
            elif asked:
                self.say(peer, self.legal(peer.name, asked, down), 0)

    def legal(self, name: str, asked: str, down: bool) -> str:
        table: Any = self.room.table
        number = table.names.index(name)
        robot = table.state.robots[number]
        if asked == "MNR":
            return f"TNR({name},S)"
        if asked == "MBD":
            return f"TBD({name},{'t' if down else 'f'})"
        if asked.startswith("MRP"):
            return f"TRP({name},({','.join(map(str, range(1, len(robot.free) + 1)))}),{'t' if down else 'f'})"
        (answer, *_) = table.game.legal_moves(table.state, number)
        return f"TRR({name},{''.join(f'{register},' for register in answer.registers)})"

    @rule(data=st.data())
    def sign_off(self, data: Any) -> None:
        peer = self.any_peer(data)
        if data.draw(st.integers(0, 4)) == 0:
            self.open[peer.name] = ""
            self.say(peer, f"RLE({peer.name})", 0)
            assert peer.is_closed or peer.name in self.removed

    @rule(seconds=st.sampled_from((0.1, 1.0, 9.0, 31.0)))
    def wait(self, seconds: float) -> None:
        self.found.passes(seconds)
        assert not any(self.listen().values())

    @invariant()
    def robots_are_sound(self) -> None:
        table: Any = self.room.table
        state = table.state
        real = [robot.place for robot in state.robots if robot.is_standing and not robot.is_virtual]
        assert len(set(real)) == len(real)
        for robot in state.robots:
            if robot.is_standing:
                assert robot.place in state.layout.ground
                assert len(robot.locked) == locks(robot.damage)
                assert all(card is not None for _, card in robot.locked_cards)

    def teardown(self) -> None:
        if not hasattr(self, "room"):
            return
        self.found.passes(0)
        self.found.harness.lobby.stopService()
        self.found.passes(0)
        self.found.harness.settle()
        (record,) = self.found.harness.store.records.values()
        history = to_history(record)
        table: Any = gathering().harness.lobby.open("roborally", history.options).table
        for _ in replay(table, history):
            pass
        assert (table.outcome, table.state) == (history.outcome, self.room.table.state)


MachineTests = Machine.TestCase
MachineTests.settings = settings(deadline=None, max_examples=40, stateful_step_count=50)
