"""The console's places: connections that have not logged in make room, those that have keep theirs."""

from __future__ import annotations

from attrs import define, field
from twisted.logger import capturedLogs
from twisted.trial.unittest import SynchronousTestCase

from gamed.console.entrance import BURST, PLACES, RATE, Entrance
from gamed.console.telnet import LOGIN_SECONDS
from gamed.net.limits import ConnectionLimits, network_of
from gamed.net.log_series import FIRST
from tests.store.logs import sentences

IDLE, FLOOD, ANNA = "192.0.2.1", "192.0.2.2", "192.0.2.3"


@define(eq=False)
class Comer:
    address: str
    displaced: list[bool] = field(factory=list)

    @property
    def peer_name(self) -> str:
        return f"telnet {self.address}:4711"

    def displace(self) -> None:
        self.displaced.append(True)


class EntranceTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.now = 0.0
        self.limits = ConnectionLimits("console", 4, 4, clock=lambda: self.now)
        self.entrance = Entrance(self.limits)
        self.entrance.open_to(2)

    def come(self, *addresses: str) -> list[Comer]:
        made = []
        for address in addresses:
            self.assertTrue(self.entrance.admit(address), address)
            made.append(Comer(address))
            self.entrance.come(made[-1])
        return made

    def flood(self, address: str, often: float, seconds: float) -> int:
        """Connect so often a second, and return how many connections were admitted."""
        admitted = 0
        for _ in range(round(often * seconds)):
            self.now += 1 / often
            if self.entrance.admit(address):
                self.entrance.come(Comer(address))
                admitted += 1
        return admitted

    def strangers(self, count: int = PLACES) -> list[Comer]:
        """Fill places, each from an address of its own."""
        return self.come(*(f"10.0.{number // 250}.{number % 250}" for number in range(count)))

    def test_there_is_room_for_all_that_fit(self) -> None:
        self.assertEqual([comer for comer in self.strangers() if comer.displaced], [])
        self.assertEqual(self.limits.count, PLACES)

    def test_the_oldest_of_the_address_with_most_gives_way(self) -> None:
        comers = [*self.come(IDLE, FLOOD, FLOOD, ANNA), *self.strangers(PLACES - 4)]
        self.come("192.0.2.4")
        self.assertEqual([comer.address for comer in comers if comer.displaced], [FLOOD])
        self.assertTrue(comers[1].displaced)
        self.assertEqual(self.limits.count, PLACES)

    def test_of_addresses_with_equally_many_the_oldest(self) -> None:
        comers = self.strangers()
        self.come(ANNA)
        self.assertEqual([comer for comer in comers if comer.displaced], comers[:1])

    def test_who_types_is_not_thrown_out_by_three_a_second_from_the_own_address(self) -> None:
        (anna,) = self.come(ANNA)
        self.assertGreater(self.flood(ANNA, 3.0, LOGIN_SECONDS), 300)
        self.assertEqual(anna.displaced, [])

    def test_nor_by_a_thousand_a_second(self) -> None:
        (anna,) = self.come(ANNA)
        self.assertLess(self.flood(ANNA, 1_000.0, LOGIN_SECONDS), BURST + RATE * LOGIN_SECONDS + 1)
        self.assertEqual(anna.displaced, [])

    def test_nor_by_forty_other_addresses(self) -> None:
        (anna,) = self.come(ANNA)
        for _ in range(60):
            for number in range(40):
                self.flood(f"10.0.0.{number}", 70.0, 1.0)
                self.now -= 1.0
            self.now += 1.0
        self.assertEqual(anna.displaced, [])

    def test_who_has_logged_in_stays(self) -> None:
        (anna,) = self.come(ANNA)
        self.assertTrue(self.entrance.log_in(anna))
        self.come(FLOOD)
        self.strangers()
        self.assertEqual((anna.displaced, self.limits.count), ([], PLACES + 1))

    def test_logins_do_not_count_for_the_rate(self) -> None:
        for _ in range(5 * BURST):
            (script,) = self.come(ANNA)
            self.assertTrue(self.entrance.log_in(script))
            self.entrance.leave(script)

    def test_so_many_operators_and_no_more(self) -> None:
        comers = self.come(ANNA, ANNA, ANNA)
        self.assertEqual([self.entrance.log_in(comer) for comer in comers], [True, True, False])
        self.entrance.leave(comers[0])
        self.assertTrue(self.entrance.log_in(comers[2]))

    def test_a_banned_address_displaces_nobody(self) -> None:
        comers = self.strangers()
        self.limits.bans.ban(network_of(FLOOD))
        self.assertFalse(self.entrance.admit(FLOOD))
        self.assertEqual([comer for comer in comers if comer.displaced], [])

    def test_a_place_is_given_free_once(self) -> None:
        comers = self.strangers()
        self.come(ANNA)
        for comer in comers:
            self.entrance.leave(comer)
        self.assertEqual((self.limits.count, self.limits.addresses), (1, 1))

    def test_a_flood_is_ten_lines_and_a_count(self) -> None:
        self.strangers()
        with capturedLogs() as logs:
            self.flood(FLOOD, 20.0, 50.0)
            self.now += 60.0
            self.limits.series.settle()
        found = sentences(logs)
        self.assertLessEqual(sum(FLOOD in line for line in found), FIRST)
        self.assertIn("not logged one by one: listener=console times=", found[-1])
        self.assertLess(len(found), 120)
