"""What a peer must not send, row by row.

Source: docs/reference/roborally.md#what-is-not-acceptable, docs/reference/roborally.md#grammar.
"""

from __future__ import annotations

from twisted.logger import capturedLogs
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.game import Outcome, Termination
from gamed.core.history import JOINED
from tests.games.roborally.gathering import Gathering, Peer, gathering

MALFORMED = (
    "RGS(Anna1)",
    "RGS()",
    "rgs(Anna)",
    "RGA(Tafel,Wand)",
    "RLE",
    "GSD()",
    "SFI(4,7)",
    "SFI((256,1))",
    "TRP(Anna,4,1,f)",
    "TRP((4,1,),f)",
    "TRP(Anna,(4,1,),true)",
    "TNR(Anna,O)",
    "TNR(E)",
    "TBD(Anna)",
    "TRR(Anna,(3,5,))",
    "TRR(Anna,6,)",
    "x" * 1025,
    "GSD\x7f",
    f"RGS({'a' * 33})",
)


class UnregisteredTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.found = gathering(max_violations=100)
        self.peer = self.found.connects()

    def test_malformed_lines(self) -> None:
        for line in MALFORMED:
            self.assertEqual(self.peer.says(line), ["error"], line)

    def test_queries_and_answers_and_leaving(self) -> None:
        for line in ("GSD", "GFL", "GPL", "GSN", "SRO(Anna)", "SFI((1,1))", "GRS(Anna)", "GSS", "GSA", "GTO"):
            self.assertEqual(self.peer.says(line), ["error"], line)
        for line in ("TNR(Anna,E)", "TRP(Anna,(),f)", "TBD(Anna,t)", "TRR(Anna,)", "RLE(Anna)"):
            self.assertEqual(self.peer.says(line), ["error"], line)

    def test_ok_and_error_are_answers_to_nothing(self) -> None:
        self.assertEqual(self.peer.says("ok", "error", "", "  \t", "GSD"), ["error"])

    def test_too_many_violations_end_the_connection(self) -> None:
        found = gathering(max_violations=3)
        peer = found.connects()
        self.assertEqual(peer.says("GSD", "ok", "GSD"), ["error", "error"])
        self.assertFalse(peer.is_closed)
        self.assertEqual(peer.says("GSD", "GSD"), ["error"])
        self.assertTrue(peer.is_closed)

    def test_a_name_in_use_is_no_violation(self) -> None:
        found = gathering(max_violations=1)
        found.joins("Anna")
        peer = found.connects()
        for line in ("RGS(Anna)", "RGA(Anna)", "RGS(Anna)"):
            self.assertEqual(peer.says(line), ["error"])
        self.assertEqual(peer.says("RGS(anna)"), ["ok"])

    def test_violations_before_the_registration_count_after_it(self) -> None:
        found = gathering(max_violations=3)
        peer = found.connects()
        heard = peer.says("GSD", "GSD", "RGS(Anna)", "GSD", "RLE")
        self.assertEqual(heard, ["error", "error", "ok", "(12,12)", "error", "REN(RV)"])
        self.assertTrue(peer.is_closed)

    def test_silence_ends_the_connection(self) -> None:
        self.found.passes(59.9)
        self.assertFalse(self.peer.is_closed)
        self.found.passes(0.2)
        self.assertTrue(self.peer.is_closed)

    def test_who_has_registered_may_be_silent(self) -> None:
        (anna,) = self.found.joins("Anna")
        self.found.passes(1000)
        self.assertFalse(anna.is_closed)

    def test_a_line_without_an_end_ends_the_connection(self) -> None:
        self.peer.wire.send(b"x" * 65_536)
        self.assertEqual((self.peer.hears(), self.peer.is_closed), ([], True))


class RegisteredTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.found: Gathering = gathering(max_violations=1000)
        self.anna, self.bert = self.found.joins("Anna", "Bert")

    def test_malformed_lines(self) -> None:
        for line in MALFORMED:
            self.assertEqual(self.anna.says(line), ["error"], line)

    def test_a_second_registration(self) -> None:
        for line in ("RGS(Anna)", "RGS(Other)", "RGA(Tafel)"):
            self.assertEqual(self.anna.says(line), ["error"])

    def test_robots_of_nobody(self) -> None:
        self.found.watches("Tafel")
        for line in ("SRO(Nobody)", "GRS(Nobody)", "SRO(Tafel)", "GRS(Tafel)"):
            self.assertEqual(self.anna.says(line), ["error"])

    def test_leaving_under_another_name(self) -> None:
        self.assertEqual(self.anna.says("RLE(Bert)"), ["error"])
        self.assertFalse(self.anna.is_closed)

    def test_answers_where_nothing_is_open(self) -> None:
        for line in ("TNR(Anna,E)", "TRP(Anna,(1,),f)", "TBD(Anna,t)", "TRR(Anna,1,)"):
            self.assertEqual(self.anna.says(line), ["error"])

    def test_late_acknowledgements_are_passed_over(self) -> None:
        self.assertEqual(self.anna.says("ok", "error"), [])

    def test_another_kind_of_answer_leaves_the_request_open(self) -> None:
        self.found.passes(10)
        self.assertEqual(self.anna.hears(), ["NTS"])
        self.assertEqual(self.anna.says("TNR(Anna,E)"), ["error"])
        self.assertEqual(self.anna.says("ok"), ["MNR"])
        self.assertEqual(self.anna.says("TRP(Anna,(),f)", "TBD(Anna,t)", "ok"), ["error", "error"])
        self.assertEqual(self.anna.says("TNR(Anna,E)", "GSS"), ["SS(LAU)"])

    def test_it_does_not_stop_the_clock(self) -> None:
        self.found.starts(self.bert)
        self.anna.says("ok")
        self.found.passes(59)
        self.anna.says("TBD(Anna,t)")
        self.found.passes(1.1)
        self.assertEqual(self.anna.hears()[-1], "REN(TO)")

    def test_the_last_violation_removes(self) -> None:
        found = gathering(max_violations=2)
        anna, bert = found.joins("Anna", "Bert")
        found.starts(anna, bert)
        anna.hears()
        self.assertEqual(anna.says("nonsense"), ["error"])
        self.assertEqual(anna.says("nonsense", "GSS"), ["error", "REN(RV)"])
        self.assertTrue(anna.is_closed)
        self.assertEqual(bert.says("GRS(Anna)")[-2:], ["REN(GO)", "RSE"])
        (history,) = found.records
        self.assertEqual(history.outcome, Outcome(Termination.REMOVED, 1))

    def test_a_channel_is_removed_as_well(self) -> None:
        found = gathering(max_violations=1)
        tafel = found.watches()
        self.assertEqual(tafel.says("GRS(Nobody)"), ["error", "REN(RV)"])
        self.assertTrue(tafel.is_closed)
        self.assertEqual(found.connects().says("RGS(Tafel)"), ["ok"])


CHEATING = {
    "another name": "TRP(Bert,(1,2,3,4,5,),f)",
    "too few": "TRP(Anna,(1,2,3,4),f)",
    "too many": "TRP(Anna,(1,2,3,4,5,6),f)",
    "twice": "TRP(Anna,(1,2,3,4,4),f)",
    "a card that is not there": "TRP(Anna,(1,2,3,4,10),f)",
    "card 0": "TRP(Anna,(0,2,3,4,5),f)",
}


class CheatingTests(SynchronousTestCase):
    def cheat(self, line: str) -> tuple[Gathering, Peer, Peer]:
        found = gathering()
        anna, bert = found.joins("Anna", "Bert")
        found.starts(anna, bert)
        anna.hears()
        self.assertEqual(anna.says(line), ["REN(RV)"])
        self.assertTrue(anna.is_closed)
        return found, anna, bert

    def test_it_removes_at_once(self) -> None:
        for kind, line in CHEATING.items():
            found, _, bert = self.cheat(line)
            self.assertEqual(bert.hears()[-1], "REN(GO)", kind)
            self.assertEqual(found.table.outcome, Outcome(Termination.FORFEIT, 1), kind)

    def test_the_record_says_what_was_wrong(self) -> None:
        with capturedLogs() as logs:
            found, *_ = self.cheat(CHEATING["twice"])
        (told,) = [event["peer"] for event in logs if event.get("log_format", "").startswith("finding ")]
        self.assertEqual(told.partition("@")[0], "Anna")
        (finding,) = found.table.match.findings
        self.assertEqual((finding.code, finding.seat), ("card-twice", 0))
        (history,) = found.records
        left = history.entries[finding.entry]
        self.assertEqual((left.kind, left.seat, left.data["why"]), ("left", 0, "forfeit"))

    def test_the_record_has_refusals_by_the_number_in_the_match(self) -> None:
        found = gathering(min_players=2)
        zoe, anna, bert = found.joins("Zoe", "Anna", "Bert")
        zoe.says("RLE(Zoe)")
        found.starts(anna, bert)
        with capturedLogs() as logs:
            bert.says(CHEATING["twice"].replace("Anna", "Bert"))
        (told,) = [event["peer"] for event in logs if event.get("log_format", "").startswith("finding ")]
        self.assertEqual(told.partition("@")[0], "Bert")
        (history,) = found.records
        (joined,) = [entry.seat for entry in history.of_kind(JOINED) if entry.data["name"] == "Bert"]
        self.assertEqual({entry.seat for entry in history.refused}, {joined})


class AfterTheEndTests(SynchronousTestCase):
    def test_only_queries_are_answered(self) -> None:
        found = gathering(max_violations=2)
        anna, bert = found.joins("Anna", "Bert")
        found.starts(anna, bert)
        bert.says("RLE(Bert)")
        anna.hears()
        silent = ("ok", "error", "TNR(Anna,E)", "RGS(Other)", "nonsense", "RLE(Bert)", "x" * 2000)
        self.assertEqual(anna.says(*silent), [])
        self.assertEqual(anna.says("GSS", "GSN", "GSA"), ["SS(END,Anna,Bert,)", "(Anna,Bert,)", "SA()"])
        self.assertEqual(anna.says("SRO(Bert)", "SRO(Bert)", "SRO(Bert)", "GRS(Bert)"), ["error"] * 3 + ["RSE"])
        self.assertFalse(anna.is_closed)
        self.assertEqual(anna.says("RLE(Anna)"), [])
        self.assertTrue(anna.is_closed)
