"""The console's places: connections that have not logged in make room, those that have keep theirs."""

from __future__ import annotations

from attrs import define, field
from twisted.trial.unittest import SynchronousTestCase

from gamed.console.entrance import Entrance
from gamed.net.limits import ConnectionLimits, network_of

IDLE, FLOOD, ANNA = "192.0.2.1", "192.0.2.2", "192.0.2.3"


@define(eq=False)
class Comer:
    address: str
    displaced: list[bool] = field(factory=list)

    def displace(self) -> None:
        self.displaced.append(True)


class EntranceTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.limits = ConnectionLimits("console", 4, 4)
        self.entrance = Entrance(self.limits)

    def come(self, *addresses: str) -> list[Comer]:
        made = []
        for address in addresses:
            self.assertTrue(self.entrance.admit(address), address)
            made.append(Comer(address))
            self.entrance.come(made[-1])
        return made

    def displaced(self, comers: list[Comer]) -> list[bool]:
        return [bool(comer.displaced) for comer in comers]

    def test_there_is_room_for_all_that_fit(self) -> None:
        self.assertEqual(self.displaced(self.come(IDLE, IDLE, FLOOD, ANNA)), [False] * 4)

    def test_the_oldest_of_the_address_with_most_gives_way(self) -> None:
        comers = self.come(IDLE, FLOOD, FLOOD, ANNA)
        self.come(ANNA)
        self.assertEqual(self.displaced(comers), [False, True, False, False])
        self.assertEqual(self.limits.count, 4)

    def test_of_addresses_with_equally_many_the_oldest(self) -> None:
        comers = self.come(IDLE, FLOOD, ANNA, "local")
        self.come("192.0.2.9")
        self.assertEqual(self.displaced(comers), [True, False, False, False])

    def test_who_has_logged_in_stays(self) -> None:
        comers = self.come(ANNA, ANNA, ANNA, FLOOD)
        for anna in comers[:3]:
            self.entrance.log_in(anna)
        self.come(FLOOD, FLOOD)
        self.assertEqual(self.displaced(comers), [False, False, False, True])

    def test_when_all_have_logged_in_a_newcomer_is_refused(self) -> None:
        for comer in self.come(*[ANNA] * 4):
            self.entrance.log_in(comer)
        self.assertFalse(self.entrance.admit(ANNA))
        self.assertEqual(self.limits.count, 4)

    def test_a_banned_address_displaces_nobody(self) -> None:
        comers = self.come(IDLE, IDLE, IDLE, IDLE)
        self.limits.bans.ban(network_of(FLOOD))
        self.assertFalse(self.entrance.admit(FLOOD))
        self.assertEqual(self.displaced(comers), [False] * 4)

    def test_a_place_is_given_free_once(self) -> None:
        comers = self.come(IDLE, IDLE, IDLE, IDLE)
        self.come(ANNA)
        for comer in comers:
            self.entrance.leave(comer)
        self.assertEqual((self.limits.count, self.limits.addresses), (1, 1))

    def test_logging_in_after_the_place_was_lost_gives_none(self) -> None:
        (lost, *_) = self.come(IDLE, IDLE, IDLE, IDLE)
        self.come(ANNA)
        self.entrance.log_in(lost)
        self.entrance.leave(lost)
        self.assertEqual(self.limits.count, 4)

    def test_fewer_places_after_a_reload(self) -> None:
        comers = self.come(IDLE, IDLE, IDLE, IDLE)
        self.limits.total = self.limits.per_address = 1
        self.come(ANNA)
        self.assertEqual((self.displaced(comers), self.limits.count), ([True] * 4, 1))
