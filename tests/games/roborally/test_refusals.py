"""Nobody is refused in silence: what developers learn of each message that had no effect."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from gamed.core.refusals import Refusal
from tests.games.roborally.gathering import Gathering, Peer, gathering
from tests.games.roborally.test_table import program, started

LATE = "no answer to MRP came within 60 s; the player is removed: REN(TO)"
REMOVED = "; the channel is removed: REN(TO)"


def of(peer: Peer) -> list[Refusal]:
    """Return the refusals of a peer."""
    return peer.wire.session.refusals.first


def codes(peer: Peer) -> list[str]:
    return [refusal.code for refusal in of(peer)]


class GuestTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.found: Gathering = gathering(max_players=2)

    def test_seven_malformed_registrations(self) -> None:
        peer = self.found.connects()
        self.assertEqual(peer.says(*["RGS(12)"] * 7), ["error"] * 5)
        self.assertTrue(peer.is_closed)
        self.assertEqual(codes(peer), ["malformed"] * 5 + ["too-many-violations"])
        self.assertEqual(of(peer)[0].text, b"RGS(12)")

    def test_before_the_registration(self) -> None:
        peer = self.found.connects()
        peer.says("GPL", "ok", "TRP(Anna,(1,2,3,4,5,),f)")
        self.assertEqual(codes(peer), ["not-registered"] * 3)
        self.assertEqual([refusal.is_hidden for refusal in of(peer)], [False, False, True])

    def test_a_name_in_use(self) -> None:
        (_,) = self.found.joins("Anna")
        peer = self.found.connects()
        peer.says("RGS(Anna)")
        self.assertEqual([(refusal.code, refusal.text) for refusal in of(peer)], [("name-taken", b"RGS(Anna)")])

    def test_no_place(self) -> None:
        found = gathering(max_players=2, max_games=1, max_channels=0)
        channel = found.connects()
        channel.says("RGA(Tafel)")
        found.joins("Anna", "Bert")
        player = found.connects()
        player.says("RGS(Carl)")
        self.assertEqual((codes(channel), codes(player)), (["no-place"], ["no-place"]))
        self.assertIn("channel", of(channel)[0].reason)
        self.assertIn("1 games are running", of(player)[0].reason)

    def test_a_registration_that_comes_too_late(self) -> None:
        peer = self.found.connects()
        peer.wire.send(b"RGS(Anna)")
        self.found.passes(60)
        self.assertTrue(peer.is_closed)
        (found,) = of(peer)
        self.assertEqual((found.code, found.text), ("register-too-late", b"RGS(Anna)"))
        why = "the registration was not complete after 60 s: its line feed is missing; the connection is closed"
        self.assertEqual(found.reason, why)

    def test_half_a_registration_and_none_that_come_too_late(self) -> None:
        half, silent = self.found.connects(), self.found.connects()
        half.wire.send(b"RGS(An")
        self.found.passes(60)
        self.assertEqual(
            [of(peer)[0].reason for peer in (half, silent)],
            [
                "the first message was not complete after 60 s; the connection is closed",
                "no registration came within 60 s; the connection is closed",
            ],
        )

    def test_a_request_of_http_is_refused_once_and_its_head_is_answered_as_ever(self) -> None:
        peer = self.found.connects()
        self.assertEqual(peer.says("GET / HTTP/1.1", "Host: localhost:19990", "User-Agent: bot"), ["error"] * 3)
        self.assertEqual(codes(peer), ["http"])
        peer.says("rgs(Anna)")
        self.assertEqual(codes(peer), ["http", "wrong-case"])


class MemberTests(SynchronousTestCase):
    def test_what_is_not_in_the_grammar_is_told_until_the_removal(self) -> None:
        _, anna, *_ = started(max_violations=2)
        anna.says("GSD()", "gsd", "GSD()")
        self.assertEqual(codes(anna), ["malformed", "wrong-case", "too-many-violations"])

    def test_what_nobody_has_asked(self) -> None:
        _, anna, bert, _ = started()
        program(anna)
        anna.says("TRP(Anna,(1,2,3,4,5,),f)", "ok", "RGA(Tafel)", "RLE(Bert)")
        self.assertEqual(codes(anna), ["not-asked", "not-asked", "registered-already", "other-name"])
        self.assertEqual([refusal.is_hidden for refusal in of(anna)], [True, False, False, False])
        bert.says("TNR(Bert,E)")
        (found,) = of(bert)
        self.assertEqual(
            (found.code, found.reason), ("not-asked", "the open request is MRP, and TNR does not answer it")
        )
        self.assertTrue(found.expected.startswith("TRP(Bert,(1,2,3,4,5,),f), with one number for each open register"))
        self.assertTrue(found.expected.endswith(", and TNR only after MNR"))

    def test_examples_have_the_own_name(self) -> None:
        _, anna, *_ = started()
        anna.says("TRP(Anna,1,f)", "GRS(7)")
        for found, example in zip(of(anna), ("TRP(Anna,(1,2,3,4,5,),f); ", "GRS(Anna); "), strict=True):
            self.assertTrue(found.expected.startswith(example), found.expected)

    def test_names_that_nobody_has(self) -> None:
        _, anna, _, carl = started()
        carl.leaves()
        anna.says("GRS(Nobody)", "SRO(Nobody)", "SRO(Carl)")
        self.assertEqual(codes(anna), ["unknown-player"] * 3)

    def test_answers_that_the_rules_do_not_allow(self) -> None:
        for line, code in (
            ("TRP(Anna,(0,1,2,3,4,),f)", "card-index"),
            ("TRP(Anna,(1,1,2,3,4,),f)", "card-twice"),
            ("TRP(Anna,(1,2,3,4,),f)", "card-count"),
            ("TRP(Bert,(1,2,3,4,5,),f)", "other-name"),
        ):
            _, anna, *_ = started()
            self.assertEqual(anna.says(line), ["REN(RV)"])
            (found,) = of(anna)
            self.assertEqual((found.code, found.text, found.is_hidden), (code, line.encode(), True))
            self.assertIs("1,2" in found.reason, False)
            self.assertTrue(found.reason.endswith("; the player is removed: REN(RV)"))
            self.assertTrue(found.expected.startswith("TRP(Anna,(1,2,3,4,5,),f), with one number"))

    def test_silence(self) -> None:
        found, anna, *_ = started()
        found.passes(60)
        self.assertEqual([refusal.reason for refusal in of(anna)], [LATE])

    def test_an_nts_that_is_not_answered(self) -> None:
        found = gathering()
        anna, _ = found.joins("Anna", "Bert")
        found.passes(10)
        found.passes(10)
        reason = "no answer to NTS came within 10 s; the game goes on without it"
        self.assertEqual([(refusal.code, refusal.reason) for refusal in of(anna)], [("nts-too-late", reason)])

    def test_each_request_that_is_not_answered_is_counted_for_itself(self) -> None:
        found = gathering()
        anna, _ = found.joins("Anna", "Bert")
        for _ in range(3):
            found.passes(10)
        found.passes(60)
        self.assertEqual(anna.wire.session.refusals.counts, {"nts-too-late": 1, "mnr-too-late": 1})

    def test_a_channel_that_does_not_acknowledge(self) -> None:
        found, *players = started(1)
        (tafel,) = found.table.members.channels
        (peer,) = (peer for peer in found.rooms[0].peers.values() if peer.called == "Tafel")
        for player in players:
            program(player)
        found.passes(10)
        self.assertEqual(peer.refusals.reasons, {"ntc-too-late": f"no answer to NTC came within 10 s{REMOVED}"})
        self.assertEqual(tafel.spent, 0.0)

    def test_a_channel_that_acknowledges_too_slowly(self) -> None:
        found, *players = started(1, ack_budget=12.0)
        (peer,) = (peer for peer in found.rooms[0].peers.values() if peer.called == "Tafel")
        for player in players:
            program(player)
        for _ in range(2):
            found.passes(9)
            peer.dataReceived(b"ok\n")
            found.passes(0)
        reason = f"the answers to the NTCs of this turn took 12 s together{REMOVED}"
        self.assertEqual(peer.refusals.reasons, {"ntcs-too-late": reason})

    def test_after_the_end(self) -> None:
        _, anna, bert, carl = started()
        carl.leaves()
        bert.leaves()
        self.assertEqual(anna.says("TRP(Anna,(1,2,3,4,5,),f)", "GSS")[-1], "SS(END,Anna,Bert,Carl,)")
        self.assertEqual(codes(anna), ["after-end"])

    def test_leaving_after_the_end(self) -> None:
        found, anna, bert, carl = started()
        carl.leaves()
        bert.leaves()
        anna.says("GSS")
        (room,) = found.rooms
        entries = list(room.history.entries)
        self.assertEqual(anna.says("RLE(Bert)"), [])
        self.assertEqual((codes(anna), anna.is_closed), (["after-end"], False))
        self.assertEqual(anna.says("RLE(Anna)"), [])
        self.assertEqual((codes(anna), anna.is_closed), (["after-end"], True))
        self.assertEqual(room.history.entries, entries)

    def test_correct_players_are_refused_nothing(self) -> None:
        _, *peers = started()
        for peer in peers:
            program(peer)
        self.assertEqual([codes(peer) for peer in peers], [[], [], []])
