"""Registration, lobbies, the start, and several games.

Source: docs/specs/roborally.md#14-names-and-roles, docs/specs/roborally.md#15-lobby-and-games,
docs/specs/roborally.md#32-the-lobby, docs/specs/roborally.md#33-the-start.
"""

from __future__ import annotations

from string import ascii_uppercase

from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import ConfigError
from gamed.core.game import Outcome, Termination
from gamed.games.roborally.states import Status
from gamed.wire import Connection
from tests.games.roborally.gathering import gathering, usual


class RegistrationTests(SynchronousTestCase):
    def test_the_course_is_known_before_the_start(self) -> None:
        found = gathering()
        (anna,) = found.joins("Anna")
        self.assertEqual(anna.says("GSD", "GFL", "GTO"), ["(12,12)", "(9,1)(12,3)", "TO(60)"])
        self.assertEqual(anna.says("GSN", "GSS", "GSA"), ["(Anna,)", "SS(LAU)", "SA()"])
        self.assertEqual(anna.says("GRS(Anna)", "SRO(Anna)"), ["RS(N,(9,1),1,(9,1),0,3,()t,t,)", "(9,1)"])

    def test_names_are_in_the_order_of_registration(self) -> None:
        found = gathering()
        anna, bert, carl = found.joins("Anna", "Bert", "Carl")
        anna.says("RLE(Anna)")
        (again,) = found.joins("Anna")
        self.assertEqual(again.says("GSN"), ["(Bert,Carl,Anna,)"])
        found.starts(bert, carl, again)
        self.assertEqual(found.table.names, ("Bert", "Carl", "Anna"))

    def test_names_may_be_keywords(self) -> None:
        found = gathering()
        (peer,) = found.joins("ok")
        self.assertEqual(peer.says("GRS(ok)"), ["RS(N,(9,1),1,(9,1),0,3,()t,t,)"])

    def test_a_channel_without_players_sees_nobody(self) -> None:
        found = gathering()
        self.assertEqual(found.watches().says("GSN"), ["()"])
        found.passes(100)
        self.assertEqual(found.table.status, Status.LOBBY)

    def test_leaving_makes_the_name_free_and_nobody_is_told(self) -> None:
        for leaves in (lambda peer: peer.says("RLE(Anna)"), lambda peer: peer.leaves()):
            found = gathering()
            anna, bert = found.joins("Anna", "Bert")
            tafel = found.watches()
            leaves(anna)
            self.assertEqual((bert.hears(), tafel.hears()), ([], []))
            self.assertEqual(bert.says("GSN"), ["(Bert,)"])
            self.assertTrue(anna.says("GSS") == [])
            found.joins("Anna")

    def test_too_many_channels(self) -> None:
        found = gathering(max_channels=1)
        found.watches("Tafel")
        peer = found.connects()
        self.assertEqual(peer.says("RGA(Wand)"), ["ok", "REN(ZS)"])
        self.assertTrue(peer.is_closed)
        self.assertEqual(found.connects().says("RGS(Anna)"), ["ok"])

    def test_what_a_removed_peer_still_says_is_not_heard(self) -> None:
        found = gathering(max_channels=0)
        self.assertEqual(found.connects().says("RGA(Wand)", "GSS", "RGS(Anna)"), ["ok", "REN(ZS)"])


class StartTests(SynchronousTestCase):
    def test_by_number(self) -> None:
        found = gathering()
        peers = found.joins(*(f"Player{letter}" for letter in ascii_uppercase[:7]))
        self.assertEqual([peer.hears() for peer in peers], [[]] * 7)
        last = found.connects()
        self.assertEqual(last.says("RGS(Last)"), ["ok", "NTS"])
        self.assertEqual([peer.hears() for peer in peers], [["NTS"]] * 7)

    def test_by_delay_from_the_last_registration(self) -> None:
        found = gathering()
        (anna,) = found.joins("Anna")
        found.passes(60)
        found.joins("Bert")
        found.passes(9)
        found.joins("Carl")
        found.passes(9.9)
        self.assertEqual(anna.hears(), [])
        found.passes(0.2)
        self.assertEqual(anna.hears(), ["NTS"])

    def test_without_a_delay_nobody_comes_in_between(self) -> None:
        found = gathering(start_delay=0.0)
        # All of them before the reactor's next turn.
        for name, wire in [(name, found.harness.connect()) for name in ("Anna", "Bert", "Carl")]:
            wire.session.dataReceived(f"RGS({name})\n".encode())
        self.assertEqual([len(room.table.members) for room in found.rooms], [2, 1])

    def test_not_when_there_are_too_few_again(self) -> None:
        found = gathering()
        anna, bert = found.joins("Anna", "Bert")
        bert.leaves()
        found.passes(100)
        self.assertEqual(anna.hears(), [])
        found.joins("Bert")
        found.passes(10)
        self.assertEqual(anna.hears(), ["NTS"])

    def test_mnr_comes_when_nts_is_answered_or_its_time_is_over(self) -> None:
        found = gathering()
        anna, bert = found.joins("Anna", "Bert")
        tafel = found.watches()
        found.passes(10)
        self.assertEqual([peer.hears() for peer in (anna, bert, tafel)], [["NTS"]] * 3)
        self.assertEqual(anna.says("error"), ["MNR"])
        found.passes(9.9)
        self.assertEqual(bert.hears(), [])
        found.passes(0.2)
        self.assertEqual((bert.hears(), tafel.hears()), (["MNR"], []))
        self.assertEqual(bert.says("ok"), [])
        anna.says("TNR(Anna,E)")
        bert.says("TNR(Bert,W)")
        self.assertEqual(tafel.hears(), ["NTC(Anna,Bert,)"])
        self.assertEqual(tafel.says("ok"), [])
        self.assertEqual([peer.hears()[0][:3] for peer in (anna, bert)], ["MRP", "MRP"])

    def test_a_silent_player_is_removed_at_the_start(self) -> None:
        found = gathering()
        anna, bert, carl = found.joins("Anna", "Bert", "Carl")
        found.starts(anna, bert)
        carl.says("ok")
        found.passes(60)
        self.assertEqual(carl.hears()[-1:], ["REN(TO)"])
        self.assertTrue(carl.is_closed)
        self.assertEqual(anna.hears()[0][:3], "MRP")

    def test_a_game_alone(self) -> None:
        found = gathering(min_players=1, max_players=1)
        peer = found.connects()
        self.assertEqual(peer.says("RGS(Anna)"), ["ok", "NTS"])
        peer.says("ok")
        (request,) = peer.says("TNR(Anna,E)")
        peer.says(usual("Anna", request))
        peer.says("RLE(Anna)")
        (history,) = found.records
        self.assertEqual(history.outcome, Outcome(Termination.RESIGNED))


class GamesTests(SynchronousTestCase):
    def test_two_games_at_once(self) -> None:
        found = gathering(max_players=2)
        first = found.joins("Anna", "Bert")
        second = found.joins("Anna", "Bert")
        self.assertEqual(len(found.rooms), 2)
        for anna, bert in (first, second):
            for peer in (anna, bert):
                self.assertEqual(peer.hears(), ["NTS"])
                self.assertEqual(peer.says("ok"), ["MNR"])
        first[0].says("TNR(Anna,N)")
        asked = [*first[1].says("TNR(Bert,N)"), *first[0].hears()]
        self.assertEqual([line[:3] for line in asked], ["MRP", "MRP"])
        self.assertEqual([peer.hears() for peer in second], [[], []])
        first[0].leaves()
        self.assertEqual(second[0].says("GSS", "GRS(Bert)"), ["SS(LAU)", "RS(N,(9,1),1,(9,1),0,3,()t,t,)"])

    def test_a_late_registration(self) -> None:
        found = gathering(max_games=1, max_players=2)
        anna, bert = found.joins("Anna", "Bert")
        for word in ("RGS", "RGA"):
            late = found.connects()
            self.assertEqual(late.says(f"{word}(Carl)"), ["ok", "REN(ZS)"])
            self.assertTrue(late.is_closed)
        anna.says("RLE(Anna)")
        self.assertEqual(found.connects().says("RGS(Carl)"), ["ok"])
        self.assertEqual(bert.says("GSS")[-1], "SS(END,Bert,Anna,)")

    def test_the_courses_come_in_turn(self) -> None:
        found = gathering(courses=("doppelhalle", "winkel"), max_players=2)
        sizes = []
        for number in range(3):
            peer = found.connects()
            peer.says(f"RGS(Name{ascii_uppercase[number]})")
            sizes += peer.says("GSD")
            while found.rooms[-1].table.free:
                name = ascii_uppercase[len(found.rooms[-1].peers)]
                found.connects().says(f"RGS(More{name})")
        self.assertEqual(sizes, ["(24,12)", "(24,24)", "(24,12)"])

    def test_or_at_random_by_the_seed(self) -> None:
        def sizes(seed: int) -> list[str]:
            found = gathering(courses=("doppelhalle", "anlauf", "winkel"), order="random", seed=seed)
            taken = found.harness.factory.reception.courses
            return [str(taken.next()["course"]) for _ in range(8)]

        self.assertEqual(sizes(1), sizes(1))
        self.assertNotEqual(sizes(1), sizes(2))

    def test_an_unknown_course_is_refused_when_the_listener_opens(self) -> None:
        error = self.assertRaises(ConfigError, gathering, courses=("doppelhalle", "nowhere"))
        self.assertIn("there is no course nowhere", str(error))

    def test_a_seed_makes_a_game_repeatable(self) -> None:
        def hands(seed: int) -> list[str]:
            found = gathering(seed=seed)
            peers = found.joins("Anna", "Bert")
            found.starts(*peers)
            return [line for peer in peers for line in peer.hears()]

        self.assertEqual(hands(7), hands(7))
        self.assertNotEqual(hands(7), hands(8))
        self.assertNotEqual(hands(0), hands(0))


class ConnectionTests(SynchronousTestCase):
    def test_nothing_has_to_end_soon(self) -> None:
        found = gathering()
        wire: Connection = found.connects().wire.session.connection
        wire.receive_data(b"RG")
        self.assertFalse(wire.begun)
        self.assertEqual(wire.close(), b"")
