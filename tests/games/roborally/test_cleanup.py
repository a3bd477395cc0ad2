"""The end of a turn beyond the scenarios.

Source: docs/specs/roborally.md#34-a-turn, docs/specs/roborally.md#47-power-down,
docs/specs/roborally.md#49-the-end-of-a-turn.
"""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from gamed.games.roborally.rules.answers import take
from gamed.games.roborally.rules.layout import Layout
from gamed.games.roborally.rules.moves import Answer, Facing, Repairs, StayDown
from gamed.games.roborally.rules.robots import EMPTY, Robot, destroyed
from gamed.games.roborally.rules.state import Kind, Stage, State, deck
from gamed.games.roborally.rules.turn import advance, remove
from tests.games.roborally.making import CARDS, E, N, S, W, empty, ghost, plan, robot, state

OTHERS = (52, 11, 69, 12, 53)
KEPT = {"registers": CARDS, "is_active": False}
SITES = plan("_____", "_R(1)_R(2)_B_R(0)_B_", "_____", flags=((3, 1), (2, 1)))


def after_phases(layout: Layout, *robots: Robot, **its: object) -> State:
    """Return the position after step E of phase 5."""
    return state(layout, *robots, stage=Stage.REVEAL, phase=5, **its)


def to(position: State, stage: Stage, **answers: Answer) -> State:
    """Go on to a stage; `answers`: by the name of the stage in which they are given, by seat 0."""
    while position.stage is not stage:
        answer = answers.get(position.stage.name.lower())
        if answer is not None and 0 in position.waiting:
            position = take(position, 0, answer)
        position = advance(position)
    return position


class OrderTests(SynchronousTestCase):
    def test_the_stages(self) -> None:
        position = after_phases(empty(2, 1), robot(1, 1))
        stages, events = [], []
        while position.stage is not Stage.DEAL:
            position = advance(position)
            stages.append(position.stage)
            events.append(position.happened)
        self.assertEqual(
            stages,
            [
                Stage.REPAIR,
                Stage.WIPE,
                Stage.STAY_DOWN,
                Stage.MATERIALIZE,
                Stage.NEW_ROBOTS,
                Stage.POWER,
                Stage.DEAL,
            ],
        )
        self.assertEqual(events, [None, Kind.REPAIRED, None, None, Kind.MATERIALIZED, Kind.RETURNED, Kind.POWERED])
        self.assertEqual((position.turn, position.phase), (2, 0))

    def test_the_last_turn(self) -> None:
        """A turn is its clean-up, too."""
        position = after_phases(empty(2, 1), robot(1, 1, damage=3, is_announced=True, registers=CARDS), turn=200)
        position = to(position, Stage.ENDING)
        self.assertEqual((position.turn, position.robots[0].damage), (200, 0))
        self.assertEqual(to(after_phases(empty(2, 1), robot(1, 1), turn=199), Stage.DEAL).turn, 200)


class RepairTests(SynchronousTestCase):
    def repaired(self, its: Robot) -> Robot:
        return to(after_phases(SITES, its), Stage.WIPE).robots[0]

    def test_by_the_place(self) -> None:
        damage = [self.repaired(robot(x, 1, damage=4)).damage for x in range(1, 6)]
        self.assertEqual(damage, [3, 2, 3, 4, 4])

    def test_not_below_zero(self) -> None:
        self.assertEqual(self.repaired(robot(2, 1, damage=1)).damage, 0)
        self.assertEqual(self.repaired(robot(2, 1)).damage, 0)

    def test_who_is_asked(self) -> None:
        """Robots that stand, are repaired and have a lock."""
        locked = {"damage": 5, "locked": (5,), "registers": CARDS}
        robots = [
            robot(1, 1, **locked),
            robot(2, 1, damage=4),
            robot(3, 1, **locked),
            robot(4, 1, **locked),
            robot(5, 1, **locked),
            destroyed(robot(1, 1), 3),
            robot(1, 1, lives=0, damage=10),
            ghost(1, 1, **locked),
        ]
        self.assertEqual(advance(after_phases(SITES, *robots)).waiting, {0, 2, 7})

    def test_the_chosen_registers_open(self) -> None:
        position = after_phases(SITES, robot(2, 1, damage=7, locked=(2, 4, 5), registers=CARDS))
        its = to(position, Stage.WIPE, repair=Repairs((5, 2))).robots[0]
        self.assertEqual((its.damage, its.locked), (5, (4,)))

    def test_their_cards_go_back(self) -> None:
        position = after_phases(SITES, robot(2, 1, damage=7, locked=(2, 4, 5), registers=CARDS))
        its = to(position, Stage.STAY_DOWN, repair=Repairs((5, 2))).robots[0]
        self.assertEqual(its.registers, (None, None, None, CARDS[3], None))

    def test_a_robot_that_goes_down_keeps_them(self) -> None:
        """4.7: all five cards are needed as long as it is down."""
        its = robot(2, 1, damage=5, locked=(5,), registers=CARDS, is_announced=True)
        position = to(after_phases(SITES, its), Stage.DEAL, repair=Repairs((5,)))
        self.assertEqual(position.robots[0], robot(2, 1, **KEPT))

    def test_all_repairs_together(self) -> None:
        locked = {"damage": 5, "locked": (5,), "registers": CARDS}
        position = advance(after_phases(SITES, robot(1, 1, **locked), robot(2, 1, **locked)))
        position = take(position, 0, Repairs((5,)))
        self.assertEqual(position.robots[0].damage, 5)
        position = advance(take(position, 1, Repairs((5,))))
        self.assertEqual([its.damage for its in position.robots], [4, 3])


class WipeTests(SynchronousTestCase):
    def wiped(self, its: Robot) -> Robot:
        return to(after_phases(empty(2, 1), its), Stage.STAY_DOWN).robots[0]

    def test_open_registers(self) -> None:
        self.assertEqual(self.wiped(robot(1, 1, registers=CARDS)).registers, EMPTY)

    def test_locked_registers_stay(self) -> None:
        its = self.wiped(robot(1, 1, damage=6, locked=(1, 5), registers=CARDS))
        self.assertEqual(its.registers, (CARDS[0], None, None, None, CARDS[4]))

    def test_who_is_or_goes_down_keeps_all(self) -> None:
        for its in (robot(1, 1, **KEPT), robot(1, 1, registers=CARDS, is_announced=True)):
            self.assertEqual(self.wiped(its).registers, CARDS)

    def test_a_destroyed_robot_loses_all(self) -> None:
        self.assertEqual(self.wiped(destroyed(robot(1, 1, registers=CARDS), 2)).registers, EMPTY)

    def test_one_destroyed_for_good_loses_all(self) -> None:
        position = after_phases(empty(2, 1), destroyed(robot(1, 1, lives=1, registers=CARDS), 2), robot(2, 1))
        self.assertEqual(to(position, Stage.STAY_DOWN).robots[0].registers, EMPTY)

    def test_hands_are_gone(self) -> None:
        position = to(after_phases(empty(2, 1), robot(1, 1), hands=((1, 2),)), Stage.STAY_DOWN)
        self.assertEqual(position.hands, ((),))


class PowerTests(SynchronousTestCase):
    def test_who_is_asked_to_stay(self) -> None:
        robots = [robot(1, 1, **KEPT), robot(2, 1), robot(3, 1, is_announced=True, registers=OTHERS)]
        self.assertEqual(to(after_phases(empty(3, 1), *robots), Stage.STAY_DOWN).waiting, {0})

    def test_waking_up(self) -> None:
        position = after_phases(empty(2, 1), robot(1, 1, damage=2, **KEPT))
        position = to(position, Stage.DEAL, stay_down=StayDown(stays=False))
        self.assertEqual(position.robots[0], robot(1, 1, damage=2))
        self.assertEqual(len(deck(position)), 84)

    def test_waking_up_with_locks(self) -> None:
        position = after_phases(empty(2, 1), robot(1, 1, damage=5, locked=(5,), **KEPT))
        position = to(position, Stage.DEAL, stay_down=StayDown(stays=False))
        woken = robot(1, 1, damage=5, locked=(5,), registers=(None, None, None, None, CARDS[4]))
        self.assertEqual(position.robots[0], woken)

    def test_staying_down_with_locks(self) -> None:
        """Another full repair at the beginning, which is asked for: docs/specs/roborally.md#411-decisions (D24)."""
        position = after_phases(empty(2, 1), robot(1, 1, damage=6, locked=(4, 5), **KEPT))
        position = to(position, Stage.POWER, stay_down=StayDown(stays=True))
        self.assertEqual(position.waiting, {0})
        position = advance(take(position, 0, Repairs((4, 5))))
        self.assertEqual(position.robots[0], robot(1, 1, **KEPT))

    def test_the_decision_shows_in_clean_up_6(self) -> None:
        position = to(after_phases(empty(2, 1), robot(1, 1, **KEPT)), Stage.POWER, stay_down=StayDown(stays=False))
        self.assertFalse(position.robots[0].is_active)

    def test_a_robot_going_down_without_locks_is_not_asked(self) -> None:
        its = robot(1, 1, damage=4, registers=CARDS, is_announced=True)
        position = to(after_phases(empty(2, 1), its), Stage.POWER)
        self.assertEqual(position.waiting, frozenset())
        self.assertEqual(advance(position).robots[0], robot(1, 1, **KEPT))

    def test_a_robot_that_neither_is_nor_goes_down_is_left_alone(self) -> None:
        its = robot(1, 1, damage=5, locked=(5,), registers=CARDS)
        position = to(after_phases(empty(2, 1), its), Stage.DEAL)
        self.assertEqual((position.robots[0].damage, position.robots[0].is_active), (5, True))


class VirtualTests(SynchronousTestCase):
    def virtual(self, *robots: Robot) -> list[bool]:
        position = to(after_phases(empty(5, 1), *robots), Stage.NEW_ROBOTS)
        return [its.is_virtual for its in position.robots]

    def test_alone(self) -> None:
        self.assertEqual(self.virtual(ghost(1, 1), ghost(2, 1)), [False, False])

    def test_with_a_virtual_one(self) -> None:
        self.assertEqual(self.virtual(ghost(1, 1), ghost(1, 1)), [True, True])

    def test_with_a_real_one(self) -> None:
        self.assertEqual(self.virtual(ghost(1, 1), robot(1, 1)), [True, False])

    def test_three(self) -> None:
        self.assertEqual(self.virtual(ghost(1, 1), ghost(1, 1), ghost(2, 1)), [True, True, False])

    def test_the_destroyed_do_not_count(self) -> None:
        """Only later do they stand on their archives."""
        self.assertEqual(self.virtual(ghost(1, 1), destroyed(robot(1, 1), 2)), [False, False])
        self.assertEqual(self.virtual(ghost(1, 1), robot(1, 1, lives=0, damage=10)), [False, False])


class NewRobotTests(SynchronousTestCase):
    def back(self, *robots: Robot) -> list[Robot]:
        """Return the robots after the first one, which is destroyed, has come back, facing east."""
        return list(to(after_phases(empty(5, 1), *robots), Stage.POWER, new_robots=Facing(E)).robots)

    def test_as_new(self) -> None:
        """D20, D21: with two points of damage, real on a field of its own."""
        fallen = destroyed(robot(3, 1, W, archive=(1, 1), flag=2, registers=CARDS), 4)
        self.assertEqual(self.back(fallen), [robot(1, 1, E, lives=2, flag=2, damage=2)])

    def test_on_a_real_one(self) -> None:
        """The robot that already stood there stays as it is."""
        new = self.back(destroyed(robot(1, 1), 4), robot(1, 1, S))
        self.assertEqual(new, [ghost(1, 1, E, lives=2, damage=2), robot(1, 1, S)])

    def test_on_two_virtual_ones(self) -> None:
        new = self.back(destroyed(robot(1, 1), 4), ghost(1, 1), ghost(1, 1))
        self.assertEqual([its.is_virtual for its in new], [True, True, True])

    def test_removed_ones_take_no_room(self) -> None:
        new = self.back(destroyed(robot(1, 1), 4), robot(1, 1, lives=0, damage=10))
        self.assertEqual(new[0], robot(1, 1, E, lives=2, damage=2))

    def test_who_is_asked(self) -> None:
        robots = [destroyed(robot(1, 1), 1), robot(2, 1), destroyed(robot(3, 1, lives=1), 1), destroyed(robot(4, 1), 5)]
        self.assertEqual(to(after_phases(empty(5, 1), *robots), Stage.NEW_ROBOTS).waiting, {0, 3})

    def test_their_facings(self) -> None:
        position = after_phases(empty(5, 1), destroyed(robot(1, 1), 1), destroyed(robot(2, 1), 1))
        position = to(position, Stage.NEW_ROBOTS)
        position = advance(take(take(position, 1, Facing(S)), 0, Facing(W)))
        self.assertEqual([its.facing for its in position.robots], [W, S])

    def test_one_who_leaves_instead_does_not_come_back(self) -> None:
        position = after_phases(empty(5, 1), destroyed(robot(1, 1), 1), robot(2, 1), robot(3, 1))
        position = advance(remove(to(position, Stage.NEW_ROBOTS), 0))
        self.assertEqual(position.robots, (robot(1, 1, lives=0, damage=10, fell_in=1), robot(2, 1), robot(3, 1)))

    def test_it_is_dealt_cards_again(self) -> None:
        position = after_phases(empty(5, 1), destroyed(robot(1, 1, N, **KEPT), 1))
        new = to(position, Stage.DEAL, new_robots=Facing(N)).robots[0]
        self.assertTrue(new.is_active)
        self.assertEqual((new.free, new.registers), ((1, 2, 3, 4, 5), EMPTY))
