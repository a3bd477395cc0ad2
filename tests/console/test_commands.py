"""Each command on a house with games: what it answers, what it does, and what the audit log says of it."""

from __future__ import annotations

import json
from pathlib import Path

from twisted.logger import capturedLogs

from gamed.console.commands import COMMANDS, LATER
from gamed.console.entrance import PLACES
from gamed.core.game import Termination
from gamed.core.history import STARTED
from gamed.core.refusals import Refusal
from gamed.registry import games
from gamed.testing.harness import Wire
from tests.console.sessions import ConsoleTestCase, everything
from tests.games.quoridor.worlds import newcomer
from tests.store.logs import sentences

SHOT = b"(1,[0,0]).\n"


class UniverseTests(ConsoleTestCase):
    kind = "quoridor"
    settings = games()["quoridor"].load().settings()

    def test_a_room_shows_the_state_of_the_universe(self) -> None:
        world, _ = newcomer(self.harness), newcomer(self.harness)
        data = json.loads(self.answer(f"room {self.room.id} --json"))
        self.assertEqual((data["worlds"], data["status"], data["awaited"]), ("1 2", "2p?", "1 2"))
        world.says("(wait)")
        shown = self.answer(f"room {self.room.id}")
        for line in ("worlds      1 2", "status      2pw1a", "voted       1", "awaited     2"):
            self.assertIn(line, shown)


class LookingTests(ConsoleTestCase):
    def test_rooms(self) -> None:
        self.assertEqual(self.answer("rooms"), "No room is open.\n")
        self.match()
        shown = self.answer("rooms battleship").splitlines()
        self.assertRegex(shown[0], "^ID +GAME +STATE +PLAYERS +WATCHED +LENGTH +STARTED$")
        self.assertRegex(shown[1], rf"^{self.room.id[:8]}  battleship  playing  192.0.2.7:\d+, 198.51.100.8:\d+  0 ")
        self.assertIn("there is no game chess", self.answer("rooms chess"))

    def test_the_states_of_a_room(self) -> None:
        self.harness.connect()
        self.assertIn("waiting", self.answer("rooms"))
        self.harness.connect()
        self.assertIn("playing", self.answer("rooms"))
        self.room.pause()
        self.assertIn("paused", self.answer("rooms"))

    def test_a_room(self) -> None:
        _, attacker = self.match()
        attacker.send(SHOT)
        shown = self.answer(f"room {self.room.id[:4]}")
        for part in (
            f"id          {self.room.id}",
            "state       playing",
            "looks again in",
            "(1,[0,0]).",
            "board:",
            "seats:",
        ):
            self.assertIn(part, shown)
        # A relay judges a quarter of a second later.
        self.harness.settle()
        data = json.loads(self.answer(f"room {self.room.id} --json"))
        self.assertEqual(data["to move"], [0])
        self.assertEqual(data["last entries"][-1]["what"], "(1,[0,0]).")

    def test_a_room_that_has_not_begun_has_no_board(self) -> None:
        self.harness.connect()
        self.assertNotIn("board", json.loads(self.answer(f"room {self.room.id} --json")))
        self.harness.connect()
        self.assertIn("board", json.loads(self.answer(f"room {self.room.id} --json")))

    def test_a_room_that_is_not_there(self) -> None:
        self.assertEqual(self.answer("room abcd"), "there is no room abcd\n")
        self.assertEqual(self.answer("room abc"), "give at least 4 characters of the room's id\n")

    def test_escape_sequences_in_names_and_lines(self) -> None:
        _, attacker = self.match()
        attacker.session.introduce("\x1b]0;owned\x07")
        attacker.send(b"\x1b[2J\x9b2J.\n")
        for line in ("rooms", "players", f"room {self.room.id}", "players --json"):
            shown = self.answer(line)
            self.assertTrue(all(char.isprintable() or char == "\n" for char in shown), ascii(shown))
        self.assertIn("\\x1b]0;owned\\x07@", self.answer("players"))

    def test_players(self) -> None:
        self.match()
        shown = self.answer("players")
        self.assertRegex(shown, rf"192.0.2.7:\d+ +battleship +{self.room.id[:8]} seat 0")
        self.assertIn("there is no listener chess", self.answer("players chess"))

    def test_who_was_kicked_is_shown_as_let_go_until_the_connection_is_gone(self) -> None:
        defender, _ = self.match()
        self.answer(f"kick {defender.session.name}")
        self.harness.clock.advance(0)
        self.assertRegex(self.answer("players"), rf"{defender.session.name} +battleship +is being disconnected")
        defender.leave()
        self.assertNotIn(defender.session.name, self.answer("players"))

    def test_limits(self) -> None:
        self.match()
        rows = {row["listener"]: row for row in json.loads(self.answer("limits --json"))}
        self.assertEqual((rows["battleship"]["open"], rows["battleship"]["of"]), (2, 20_000))
        self.assertEqual((rows["battleship"]["addresses"], rows["console"]["of"]), (2, 4 + PLACES + 1))

    def test_stats(self) -> None:
        self.match()
        shown = json.loads(self.answer("stats --json"))
        self.assertEqual((shown["rooms"], shown["playing"], shown["peers"], shown["operators"]), (1, 1, 2, 1))
        self.assertEqual((shown["journal"], shown["draining"]), ("works", False))

    def test_who(self) -> None:
        self.assertRegex(self.answer("who"), r"\n\* +admin +telnet +192.0.2.1 +0.0 +0\n")

    def test_help(self) -> None:
        shown = self.answer("help")
        for command in COMMANDS.values():
            self.assertIn(command.usage, shown)
            self.assertIn(command.help, self.answer(f"help {command.name}"))
        self.assertIn("there is no command rm", self.answer("help rm"))

    def test_looking_is_not_audited(self) -> None:
        self.match()
        with capturedLogs() as logs:
            for line in ("rooms", "players", "stats", "who", "limits", "bans", "reservations", "help", "records"):
                self.answer(line)
        self.assertEqual(everything(logs), [])


class WatchTests(ConsoleTestCase):
    def test_what_happens_is_told_until_it_ends(self) -> None:
        _, attacker = self.match()
        self.assertIn("Watching room", self.answer(f"watch {self.room.id}"))
        self.assertIn(" 1 ", self.answer("rooms"))
        attacker.send(SHOT)
        room = self.room.id[:8]
        self.assertRegex("".join(self.notified), rf"^{room} +0\.000 line seat 1 \(1,\[0,0\]\)\.\n$")
        attacker.leave()
        self.assertTrue(self.notified[-1].endswith("closed\n"))
        self.assertEqual(self.operator.watched, {})

    def refuse(self, wire: Wire, seat: int | None) -> None:
        room = self.room.id if seat is not None else ""
        refusal = Refusal("unknown-word", "there is no such word", "(1,[X,Y]).", b"shoot!")
        self.harness.lobby.refusals.add(wire.session, refusal, room, seat)
        self.harness.clock.advance(0)

    def test_what_was_refused_is_shown_whole(self) -> None:
        defender, _ = self.match()
        self.refuse(defender, 0)
        line = 'unknown-word: there is no such word; expected: (1,[X,Y]).; message: "shoot!"'
        self.assertIn(f"\n    {line}\n", self.answer("players"))
        self.assertIn("\nrefused:\nSEAT  PEER", self.answer(f"room {self.room.id}"))
        self.assertIn(f"\n    {line}\n", self.answer(f"room {self.room.id}"))

    def test_what_is_refused_in_a_watched_room_is_shown_at_once(self) -> None:
        defender, _ = self.match()
        self.answer(f"watch {self.room.id}")
        self.refuse(defender, 0)
        (line,) = self.notified
        self.assertIn("refused unknown-word: listener=battleship room=", line)
        self.assertIn('there is no such word; expected: (1,[X,Y]).; message: "shoot!"\n', line)
        self.answer("watch")
        self.refuse(defender, 0)
        self.assertEqual(len(self.notified), 1)

    def test_what_a_listener_refuses_is_shown_of_peers_without_a_seat_too(self) -> None:
        wire = self.harness.connect()
        self.assertIn("Watching what battleship refuses", self.answer("watch battleship"))
        self.refuse(wire, None)
        self.assertEqual(len(self.notified), 1)
        self.assertIn("1 rooms or listeners", self.answer("watch"))
        self.assertEqual(self.harness.lobby.refusals.watchers, [])

    def test_what_the_referee_of_a_listener_finds_is_shown(self) -> None:
        """Also where it only observes."""
        _, attacker = self.match()
        self.assertIn("refuses and finds", self.answer("watch battleship"))
        attacker.send(SHOT * 2)
        self.harness.clock.pump([0.0, 1.0, 0.0])
        (line,) = [line for line in self.notified if "finding" in line]
        self.assertRegex(line, r"^[0-9a-f]{8} finding out-of-turn seat 1 .+: .+\n$")
        self.answer("watch")
        attacker.send(SHOT)
        self.harness.clock.pump([0.0, 1.0, 0.0])
        self.assertEqual(len([line for line in self.notified if "finding" in line]), 1)

    def test_watching_no_more(self) -> None:
        _, attacker = self.match()
        for end in (lambda: self.answer("watch"), self.shell.interrupted, self.shell.close):
            self.answer(f"watch {self.room.id}")
            self.answer(f"watch {self.room.id}")
            self.assertEqual(len(self.room.watchers), 1)
            end()
            attacker.send(SHOT)
            self.assertEqual((self.notified, self.room.watchers), ([], ()))

    def test_a_screen_that_fails_costs_the_room_nothing(self) -> None:
        _, attacker = self.match()
        self.answer(f"watch {self.room.id}")
        self.operator.notify = lambda _text: 1 // 0
        attacker.send(SHOT)
        self.assertEqual(len(self.flushLoggedErrors(ZeroDivisionError)), 1)
        self.assertFalse(self.room.is_closed)

    def test_escape_sequences(self) -> None:
        _, attacker = self.match()
        self.answer(f"watch {self.room.id}")
        attacker.send(b"\x1b[2J.\n")
        self.assertIn("\\x1b[2J", "".join(self.notified))
        self.assertNotIn("\x1b", "".join(self.notified))


class ActingTests(ConsoleTestCase):
    def audited(self, line: str) -> tuple[str, str]:
        """Type a line; return what it shows, and what the audit log has of it."""
        with capturedLogs() as logs:
            shown = self.answer(line)
        (said,) = [text for text in everything(logs) if text.startswith("audit: ")]
        return shown, said

    def test_pause_step_and_resume(self) -> None:
        defender, attacker = self.match()
        shown, said = self.audited(f"pause {self.room.id[:6]}")
        self.assertEqual(shown, f"Room {self.room.id} is paused.\n")
        self.assertEqual(
            said,
            f"audit: user=admin from=telnet 192.0.2.1 did=pause {self.room.id[:6]} "
            f"result=Room {self.room.id} is paused.",
        )
        self.assertIn("is paused already", self.audited(f"pause {self.room.id}")[1])
        before = defender.received
        attacker.send(SHOT)
        self.assertEqual(defender.received, before)
        self.audited(f"step {self.room.id}")
        self.harness.clock.advance(0)
        self.assertEqual(defender.received, before + b"(1,[0,0]).\r")
        self.audited(f"resume {self.room.id}")
        self.assertEqual(self.audited(f"resume {self.room.id}")[0], f"room {self.room.id} is not paused\n")

    def test_cancel(self) -> None:
        self.match()
        self.audited(f"cancel {self.room.id}")
        self.harness.settle()
        (summary,) = self.harness.store.summaries.values()
        self.assertEqual((summary.termination, summary.winner), ("cancelled", None))

    def test_kick_by_name_and_by_seat(self) -> None:
        for who in ("peer", "seat"):
            defender, attacker = self.match()
            room = next(room for room in self.harness.lobby.rooms.values() if not room.is_closed)
            shown, _ = self.audited(f"kick {defender.session.name}" if who == "peer" else f"kick {room.id} 0")
            self.harness.clock.advance(0)
            self.assertEqual(shown, f"{defender.session.name} is kicked.\n")
            self.assertTrue(defender.is_closed)
            self.assertTrue(attacker.is_closed)
            self.harness.settle()
        self.assertEqual(
            {(item.termination, item.winner) for item in self.harness.store.summaries.values()}, {("removed", 1)}
        )
        self.assertIn("no peers are called nobody", self.audited("kick nobody")[0])

    def test_kick_an_empty_seat(self) -> None:
        self.harness.connect()
        self.assertEqual(self.audited(f"kick {self.room.id} 1")[0], "nobody sits on seat 1\n")

    def test_ban(self) -> None:
        defender, attacker = self.match()
        self.assertEqual(self.audited("ban 192.0.2.7")[0], "192.0.2.7/32 is banned; 1 connections are closed.\n")
        self.harness.clock.advance(0)
        self.assertTrue(defender.is_closed and attacker.is_closed)
        self.assertRaises(AssertionError, self.harness.connect, "192.0.2.7")
        self.harness.connect("192.0.2.8")
        self.assertRegex(self.answer("bans"), r"192.0.2.7/32 +1\n")
        self.audited("unban 192.0.2.7")
        self.harness.connect("192.0.2.7")
        self.assertEqual(self.audited("unban 192.0.2.7")[0], "192.0.2.7/32 is not banned\n")

    def test_a_ban_that_makes_no_sense(self) -> None:
        self.assertIn("contains your own address", self.audited("ban 192.0.0.0/16")[0])
        self.assertIn("is not an address or a network", self.audited("ban everybody")[0])
        self.harness.connect("192.0.2.1")

    def test_a_ban_ends_other_operators_sessions(self) -> None:
        self.operator.address = "203.0.113.1"
        self.assertEqual(self.closed, [])
        self.listed_operator("admin", "192.0.2.1", "ssh", self.notified.append, lambda: self.closed.append(False))
        self.audited("ban 192.0.2.0/24")
        self.assertEqual(self.closed, [False])

    def test_save(self) -> None:
        shown, said = self.audited("save")
        self.assertEqual(shown, "Everything that was journalled is on the disk.\n")
        self.assertIn("did=save result=Everything", said)
        self.assertEqual(self.held, ["hold", "release"])

    def test_a_save_that_does_not_come_to_an_end(self) -> None:
        self.patch(type(self.harness.journal), "on_disk", lambda _journal, _call: None)
        self.answer("save")
        self.assertEqual(self.held, ["hold"])
        self.harness.clock.advance(10)
        self.assertEqual(self.paper.text, "the journal was not synced within 10 seconds\n")
        self.assertEqual(self.held, ["hold", "release"])

    def test_shutdown(self) -> None:
        self.audited("shutdown")
        self.assertEqual(self.stopped, [])
        self.harness.clock.advance(LATER)
        self.assertEqual(len(self.stopped), 1)

    def test_drain(self) -> None:
        defender, _ = self.match()
        waiting = self.harness.connect()
        self.assertEqual(
            self.audited("drain")[0], "No new games begin; 1 go on, and the daemon stops after the last.\n"
        )
        self.assertIn("draining already", self.audited("drain")[0])
        self.harness.settle()
        self.assertTrue(waiting.is_closed)
        with capturedLogs() as logs:
            refused = self.harness.connect()
        self.assertTrue(refused.is_closed)
        self.assertIn("no new games: the daemon finishes the running ones", sentences(logs)[0])
        self.harness.clock.advance(10)
        self.assertEqual(self.stopped, [])
        defender.leave()
        self.harness.settle()
        self.harness.clock.advance(LATER)
        self.assertEqual(len(self.stopped), 1)

    def test_the_logs_level(self) -> None:
        self.assertEqual(self.audited("log warn")[0], "The log's level is warn.\n")
        self.assertIn("LEVEL is one of debug, info", self.audited("log loud")[0])

    def test_python_and_reservations_where_there_are_none(self) -> None:
        self.assertIn("there is no Python prompt here", self.audited("python")[0])
        self.assertEqual(self.answer("reservations"), "No seat is reserved.\n")
        self.assertIn(
            "battleship has no reservations: whoever connects gets a seat", self.audited("prepare battleship")[0]
        )
        self.assertIn("no reservations have the code", self.audited("revoke abcd")[0])

    def test_a_fault_in_a_command_costs_its_answer_alone(self) -> None:
        self.match()
        self.patch(type(self.room), "pause", lambda _room: 1 // 0)
        shown, said = self.audited(f"pause {self.room.id}")
        self.assertEqual(shown, "the command failed because of an error in gamed itself; the log has the details\n")
        self.assertIn("failed: the command failed", said)
        self.assertEqual(len(self.flushLoggedErrors(ZeroDivisionError)), 1)
        self.assertIn("playing", self.answer("rooms"))

    def test_the_audit_log_is_one_line_whatever_is_typed(self) -> None:
        _, said = self.audited("kick 'a\x1b[2J\nb'")
        self.assertTrue(said.isprintable(), ascii(said))

    def test_wrong_use_changes_nothing_and_is_not_audited(self) -> None:
        with capturedLogs() as logs:
            self.answer("kick")
        self.assertEqual(everything(logs), [])

    def test_quit(self) -> None:
        self.assertEqual(self.answer("quit"), "Bye.\n")
        self.harness.clock.advance(0)
        self.assertEqual(self.closed, [True])


class RecordTests(ConsoleTestCase):
    def setUp(self) -> None:
        super().setUp()
        defender, attacker = self.match()
        attacker.send(SHOT)
        defender.leave()
        self.harness.settle()
        (self.record,) = self.harness.store.records

    def test_list(self) -> None:
        self.assertRegex(self.answer("records"), rf"{self.record[:8]} .* battleship .* left +1 ")
        self.assertIn("The games here are ", self.answer("records list --game foo"))
        self.assertEqual(len(json.loads(self.answer("records --limit 1 --termination left --json"))), 1)

    def test_show(self) -> None:
        shown = self.answer(f"records show {self.record[:8]}")
        self.assertIn(f"id           {self.record}", shown)
        self.assertIn("board:", shown)
        self.assertIn("there is no record ffffffff", self.answer("records show ffffffff"))
        self.assertIn("records show needs a RECORD", self.answer("records show"))

    def test_export(self) -> None:
        self.assertIn("<?xml", self.answer(f"records export {self.record}"))
        self.services.state.mkdir(parents=True)
        self.assertIn("game.xml", self.answer(f"records export {self.record} game.xml"))
        self.assertTrue(Path(self.services.state, "exports", "game.xml").read_bytes().startswith(b"<?xml"))
        self.assertIn("File exists", self.answer(f"records export {self.record} game.xml"))
        for name in ("../game.xml", ".hidden", "/etc/passwd"):
            self.assertIn("FILE must be a plain name", self.answer(f"records export {self.record} {name}"))


class PreparingTests(ConsoleTestCase):
    kind = "hive"
    settings = games()["softwarechallenge"].load().settings(password="secret")

    def test_the_example_of_the_help_names_a_game_that_has_reservations(self) -> None:
        typed = COMMANDS["prepare"].help.partition("Example: ")[2]
        self.assertEqual(json.loads(self.answer(f"{typed} --json"))["state"], "paused")

    def test_a_prepared_room_its_codes_and_their_end(self) -> None:
        made = json.loads(self.answer("prepare hive Ada 'Grace Hopper' --paused --json"))
        room = self.harness.lobby.rooms[made["room"]]
        self.assertEqual((made["state"], room.table.names), ("paused", ("Ada", "Grace Hopper")))
        codes = [reservation["code"] for reservation in made["reservations"]]
        self.assertEqual([row["code"] for row in json.loads(self.answer("reservations --json"))], codes)
        self.assertIn("is revoked", self.answer(f"revoke {codes[0][:8]}"))
        self.assertEqual([row["code"] for row in json.loads(self.answer("reservations --json"))], codes[1:])
        self.assertFalse(any(room.history.of_kind(STARTED)))

    def joined(self) -> str:
        """Return the id of the room in which a stranger is seated."""
        stranger = self.harness.connect()
        stranger.send(b'<protocol><join gameType="swc_2020_hive"/>')
        ((room, _),) = stranger.session.places
        return str(room.id)

    def test_a_revoked_seat_stays_closed(self) -> None:
        made = json.loads(self.answer("prepare hive Ada Grace --json"))
        codes = [reservation["code"] for reservation in made["reservations"]]
        self.assertIn(f"seat 1 of room {made['room']} stays closed", self.answer(f"revoke {codes[1]}"))
        self.assertNotEqual(self.joined(), made["room"])
        late = self.harness.connect()
        late.send(f'<protocol><joinPrepared reservationCode="{codes[1]}"/>'.encode())
        self.assertTrue(late.is_closed)
        self.assertIn("no reservations have the code", self.answer(f"revoke {codes[1]} --open"))

    def test_a_revoked_seat_can_be_opened(self) -> None:
        made = json.loads(self.answer("prepare hive Ada Grace --json"))
        code = made["reservations"][1]["code"]
        self.assertIn(f"seat 1 of room {made['room']} is open", self.answer(f"revoke {code} --open"))
        self.assertEqual(self.joined(), made["room"])

    def test_the_time_limits_of_a_seat(self) -> None:
        made = json.loads(self.answer("prepare hive Ada Grace --json"))
        room, table = made["room"], self.harness.lobby.rooms[made["room"]].table
        self.assertIn(f"The time limits of seat 1 in room {room} are off", self.answer(f"timeout {room} 1 off"))
        self.assertEqual(table._timed, [True, False])
        self.answer(f"timeout {room[:4]} 1 on")
        self.assertEqual(table._timed, [True, True])
        self.assertIn("there is no seat 2", self.answer(f"timeout {room} 2 off"))
        self.assertIn("perhaps is not one of on, off", self.answer(f"timeout {room} 1 perhaps"))

    def test_no_limit_runs_out_where_it_is_off(self) -> None:
        rooms = []
        for limit in ("off", "on"):
            made = json.loads(self.answer("prepare hive Ada Grace --json"))
            self.answer(f"timeout {made['room']} 0 {limit}")
            for reservation in made["reservations"]:
                wire = self.harness.connect()
                wire.send(f'<protocol><joinPrepared reservationCode="{reservation["code"]}"/>'.encode())
            rooms.append(self.harness.lobby.rooms[made["room"]])
        self.harness.clock.advance(3_000)
        self.assertEqual([room.table.outcome is None for room in rooms], [True, False])

    def test_display_names(self) -> None:
        made = json.loads(self.answer("prepare hive Ada 'Jürgen \x1b[2J' --json"))
        codes = [reservation["code"] for reservation in made["reservations"]]
        for wire, code in zip((first := self.harness.connect(), self.harness.connect()), codes, strict=False):
            wire.send(f'<protocol><joinPrepared reservationCode="{code}"/>'.encode())
            self.assertIn(f"Ada@{first.session.name}", self.answer("rooms"))
        for line in ("rooms", f"room {made['room'][:8]}"):
            self.assertRegex(self.answer(line), r"Ada@127.0.0.1:\d+")
            self.assertRegex(self.answer(line), r"Jürgen \\x1b\[2J@127.0.0.1:\d+")
        shown = self.answer("players")
        self.assertIn(f"{made['room'][:8]} seat 0 as Ada", shown)
        self.assertIn(f"{made['room'][:8]} seat 1 as Jürgen \\x1b[2J", shown)
        # What `kick` takes is still there.
        self.assertIn("is kicked", self.answer(f"kick {first.session.name}"))

    def test_players_without_names(self) -> None:
        wire = self.harness.connect()
        wire.send(b"<protocol><join/>")
        self.assertIn(f" waiting  {wire.session.name} ", self.answer("rooms"))
        self.assertNotIn(" as ", self.answer("players"))

    def test_codes_are_secrets_and_not_in_the_audit_log(self) -> None:
        with capturedLogs() as logs:
            made = json.loads(self.answer("prepare hive --json"))
        said = "\n".join(everything(logs))
        self.assertIn("did=prepare hive --json", said)
        for reservation in made["reservations"]:
            self.assertNotIn(reservation["code"], said)

    def test_what_cannot_be_prepared(self) -> None:
        self.assertIn("a room has 2 slots", self.answer("prepare hive a b c"))
        self.assertIn("--turn needs --from", self.answer("prepare hive --turn 2"))
        self.assertIn("there is no record abcdef", self.answer("prepare hive --from abcdef"))
        self.assertIn("there is no game chess", self.answer("prepare chess"))
        self.assertIn("battleship has no listener", self.answer("prepare battleship"))


class LimitsElsewhereTests(ConsoleTestCase):
    def test_they_cannot_be_switched(self) -> None:
        self.match()
        said = self.answer(f"timeout {self.room.id} 0 off")
        self.assertIn("the time limits of battleship cannot be switched", said)


class CourseTests(ConsoleTestCase):
    kind = "roborally"
    settings = games()["roborally"].load().settings(courses=["doppelhalle", "winkel"])

    def opened(self) -> str:
        """Return the course of the lobby that opens for a newcomer, who then leaves."""
        wire = self.harness.connect()
        wire.send(b"RGS(Ada)\n")
        *_, room = self.harness.lobby.rooms.values()
        wire.leave()
        self.harness.settle()
        room.stop(Termination.CANCELLED)
        self.harness.settle()
        return str(room.history.options["course"])

    def test_the_example_of_the_help_names_a_game_that_has_courses(self) -> None:
        typed = COMMANDS["course"].help.partition("Example: ")[2]
        self.assertIn("is played on karussell", self.answer(typed.replace("NAME", "karussell")))

    def test_the_chosen_courses_come_first(self) -> None:
        self.assertIn("is played on karussell", self.answer("course roborally karussell"))
        self.answer("course roborally treppe")
        self.assertEqual([self.opened() for _ in range(4)], ["Karussell", "Treppe", "Doppelhalle", "Winkel"])

    def test_what_cannot_be_chosen(self) -> None:
        self.assertIn("nowhere", self.answer("course roborally nowhere"))
        self.assertIn("there is no game chess", self.answer("course chess doppelhalle"))
        self.assertIn("hive has no listener", self.answer("course hive doppelhalle"))
        self.assertEqual(self.opened(), "Doppelhalle")
