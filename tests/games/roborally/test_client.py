"""Players and viewers against the manager, and against lines that cross.

Source: docs/specs/roborally.md#13-nesting, docs/specs/roborally.md#3-the-manager.
"""

from __future__ import annotations

from random import Random

from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import RemoteProtocolError
from gamed.core.history import MOVE
from gamed.games.roborally import game_type
from gamed.games.roborally.client import Player, random_name
from gamed.games.roborally.messages import Reason, Removed
from gamed.games.roborally.viewer import Viewer
from tests.games.roborally.gathering import Gathering, gathering

BOARD = b"__ _B_F(N,1,()())_ __ #B#G_ __ .\n"


def player(strategy: str = "planner", name: str = "Anna") -> Player:
    return game_type.players[strategy](Random(1), name=name)


def bring_together(found: Gathering, clients: list[Player | Viewer]) -> None:
    """Let clients talk with the manager until nobody says anything more."""
    peers = []
    for client in clients:
        peer = found.connects()
        peers.append((client, peer))
        peer.wire.send(client.begin())
    for _ in range(2):
        while sum(talk(client, peer) for client, peer in peers):
            pass
        found.passes(found.settings.start_delay)


def talk(client: Player | Viewer, peer: object) -> bool:
    data = peer.wire.received[peer.read :]  # type: ignore[attr-defined]
    peer.read += len(data)  # type: ignore[attr-defined]
    answer = client.receive_data(data) if data and not client.is_done else b""
    if isinstance(client, Viewer) and client.hold is not None:
        answer += client.acknowledge()
    if answer:
        peer.wire.send(answer)  # type: ignore[attr-defined]
    return bool(data)


class GameTests(SynchronousTestCase):
    def test_both_strategies_play_to_the_end(self) -> None:
        found = gathering()
        anna, bert, carl = player(), player("random", "Bert"), player("planner", "Carl")
        bring_together(found, [anna, bert, carl])
        self.assertEqual([one.is_done for one in (anna, bert, carl)], [True] * 3)
        self.assertEqual(sum(one.won is True for one in (anna, bert, carl)), 1)
        (history,) = found.records
        self.assertEqual(
            anna.moves, sum(entry.seat == 0 and b"," in (entry.body or b"") for entry in history.of_kind(MOVE))
        )

    def test_names_are_different(self) -> None:
        random = Random(1)
        self.assertEqual(len({random_name(random) for _ in range(100)}), 100)
        self.assertRegex(random_name(random), "^[A-Za-z]{1,32}$")


class RefusalTests(SynchronousTestCase):
    """What a program tells its user whom the manager does not let play."""

    def broken(self, client: Player | Viewer, *received: bytes) -> str:
        client.begin()
        for data in received[:-1]:
            client.receive_data(data)
        return str(self.assertRaises(RemoteProtocolError, client.receive_data, received[-1]))

    def test_a_name_that_another_has(self) -> None:
        self.assertEqual(
            self.broken(player(), b"error\n"),
            "the manager does not take the name Anna: another player or channel has it, or it is not of 1 to 32 "
            "letters A to Z and a to z. Choose another name",
        )

    def test_no_place(self) -> None:
        for client in (player(), Viewer("Anna")):
            said = self.broken(client, b"ok\nREN(ZS)\n")
            self.assertIn("REN(ZS): it has no place for us", said)
            self.assertIn("Try again when a game has ended", said)

    def test_a_close_without_a_word(self) -> None:
        said = self.broken(player(), b"")
        self.assertIn("without an answer to the registration", said)
        self.assertIn("Its log says why; try again later", said)
        self.assertIn("before the game ended", self.broken(player(), b"ok\n", b""))

    def test_each_reason_is_explained(self) -> None:
        for word in ("LL", "TO", "GO", "RV", "ZS", "SO(Shutdown)"):
            reason, _, note = word.rstrip(")").partition("(")
            said = Removed(Reason(reason), note).sentence
            self.assertTrue(said.startswith(f"the manager removed us with REN({word}): "), said)


class CrossingTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.player = player("random")
        self.assertEqual(self.player.begin(), b"RGS(Anna)\n")
        self.assertEqual(self.player.receive_data(b"ok\n"), b"")
        self.assertTrue(self.player.is_registered)

    def test_a_request_is_put_aside_until_the_question_is_answered(self) -> None:
        self.assertEqual(self.player.receive_data(b"NTS\nMNR\n"), b"ok\nGPL\n")
        self.assertEqual(self.player.receive_data(b"MBD\n"), b"")
        self.assertEqual(self.player.receive_data(BOARD), b"GFL\n")
        self.assertEqual(self.player.receive_data(b"(1,1)(1,2)\n"), b"GRS(Anna)\n")
        answer = self.player.receive_data(b"RS(N,(1,1),1,(1,1),0,3,()t,t,)\n")
        self.assertRegex(answer, rb"^TNR\(Anna,[NESW]\)\nGRS\(Anna\)\n$")

    def test_removal_between_question_and_answer(self) -> None:
        self.assertEqual(self.player.receive_data(b"MNR\n"), b"GPL\n")
        self.assertEqual(self.player.receive_data(b"REN(GO)\n"), b"GSS\n")
        self.assertEqual(self.player.receive_data(BOARD), b"")
        self.player.receive_data(b"SS(END,Bert,Anna,)\n")
        self.assertIs(self.player.won, False)

    def test_the_last_life(self) -> None:
        self.player.receive_data(b"REN(LL)\n")
        self.assertIs(self.player.won, False)

    def test_what_ends_a_game_early(self) -> None:
        for line in (b"REN(ZS)\n", b"REN(TO)\n", b"REN(SO(Shutdown))\n", b"error\n", b"nonsense\n", b"RSE\n", b""):
            one = player()
            one.begin()
            self.assertRaises(RemoteProtocolError, one.receive_data, line)

    def test_a_viewer_passes_over_what_it_does_not_understand(self) -> None:
        viewer = Viewer("Tafel")
        viewer.begin()
        self.assertEqual(viewer.receive_data(b"ok\nnonsense\n"), b"GPL\nGFL\nGSN\n")
        self.assertTrue(viewer.is_registered)
        self.assertEqual(viewer.receive_data(b"NTC(Anna,)\n"), b"GRS(Anna)\nGSA\nGSS\n")
        self.assertRaises(RemoteProtocolError, viewer.receive_data, b"REN(TO)\n")

    def test_a_viewer_whose_name_is_in_use(self) -> None:
        viewer = Viewer("Tafel")
        viewer.begin()
        self.assertRaises(RemoteProtocolError, viewer.receive_data, b"error\n")
        self.assertRaises(RemoteProtocolError, viewer.receive_data, b"")
