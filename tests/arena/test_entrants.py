"""What a user writes for a bot, and the folder in which matches are begun."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from uuid import UUID
from zipfile import ZipFile

from twisted.trial.unittest import SynchronousTestCase

from gamed.arena.archives import ArchiveError
from gamed.arena.entrants import EntrantError, digest, entrant, entrants
from gamed.arena.matches import FILE, FolderError, Match, add, locked, match_of, matches
from gamed.registry import game_type_of, game_types
from gamed.tournament.schedule import Fixture


class EntrantTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.folder = Path(self.mktemp()).resolve()
        self.folder.mkdir()
        for name, mode in (("mine", 0o755), ("theirs.py", 0o644)):
            (self.folder / name).write_text("#!/bin/sh\n")
            (self.folder / name).chmod(mode)

    def made(self, text: str, kind: str = "hive") -> tuple[str, list[str]]:
        found = game_type_of(kind)
        assert found is not None
        made = entrant(text, found[0], self.folder)
        self.assertEqual(len(made.arguments), 1)
        return made.name, [*made.command, *made.arguments[0]]

    def test_a_program_gets_the_arguments_that_are_usual_on_its_wire(self) -> None:
        usual = ["--host", "{host}", "--port", "{port}", "--reservation", "{code}"]
        self.assertEqual(self.made("./mine"), ("mine", ["./mine", *usual]))
        self.assertEqual(self.made("sh theirs.py"), ("theirs", ["sh", "theirs.py", *usual]))
        self.assertEqual(self.made("./mine", "battleship")[1], ["./mine", "{host}", "{port}"])
        self.assertEqual(self.made("./mine", "quoridor")[1], ["./mine", "{host}", "{port}", "{name}"])

    def test_words_with_a_placeholder_replace_them(self) -> None:
        self.assertEqual(self.made("./mine '{port}' -x")[1], ["./mine", "{port}", "-x"])

    def test_a_word_may_be_longer_than_the_name_of_a_file(self) -> None:
        name, command = self.made(f"sh -c '{'x' * 9_000}'")
        self.assertEqual((name, len(command[2])), (Path(shutil.which("sh") or "").stem, 9_000))
        with self.assertRaisesRegex(EntrantError, "there is no program xxx"):
            self.made("x" * 9_000)

    def test_a_name_stands_before_the_command(self) -> None:
        self.assertEqual(self.made("Anna=./mine --at={port}"), ("Anna", ["./mine", "--at={port}"]))
        self.assertEqual(self.made("Bert=bot:random")[0], "Bert")

    def test_a_bot_of_ours_in_each_game(self) -> None:
        for kind in game_types():
            name, command = self.made("bot:random --seed 2", kind)
            self.assertEqual((name, command[0], command[-2:]), ("random", sys.executable, ["--seed", "2"]))

    def test_what_cannot_be_started_is_named_and_so_is_what_to_do(self) -> None:
        for text, why in (
            ("", "names no program"),
            ("'", "No closing quotation; quote it"),
            ("bot:nosuch", "hive has no bot:nosuch; it has bot:search, bot:greedy, bot:random"),
            ("./nosuch", "there is no program ./nosuch"),
            ("mine", "write ./mine"),
            ("./theirs.py", "write what runs it: 'python3 ./theirs.py'"),
        ):
            with self.assertRaises(EntrantError) as raised:
                self.made(text)
            self.assertIn(why, str(raised.exception))

    def test_two_of_a_name_are_numbered(self) -> None:
        found = game_type_of("hive")
        assert found is not None
        made = entrants(["bot:greedy"] * 3, found[0], self.folder, self.folder / "bots")
        self.assertEqual([one.name for one in made], ["greedy", "greedy-2", "greedy-3"])

    def test_an_archive(self) -> None:
        found = game_type_of("battleship")
        assert found is not None
        archive = self.folder / "team.zip"
        with ZipFile(archive, "w") as made:
            made.writestr("bot/start.sh", "#!/bin/sh\n")
        texts = ["team.zip", "..=team.zip -x {port}", "bot:random"]
        one, other, ours = entrants(texts, found[0], self.folder, self.folder / "bots")
        for made, name, words in ((one, "team", ["{host}", "{port}"]), (other, "..", ["-x", "{port}"])):
            self.assertEqual((made.name, made.command, made.arguments), (name, ["./bot/start.sh"], [words]))
        self.assertEqual((one.is_fresh, one.is_executable, ours.is_executable), (False, False, True))
        folders = [self.folder / "bots" / name for name in ("1-team", "2-..")]
        self.assertEqual([one.folder, other.folder, ours.folder], [*folders, self.folder])
        self.assertEqual(digest(one), digest(other))
        before = digest(one)
        with ZipFile(archive, "a") as made:
            made.writestr("bot/more", "")
        self.assertNotEqual(digest(one), before)
        with self.assertRaisesRegex(ArchiveError, "cannot be unpacked: "):
            entrant("nosuch.zip", found[0], self.folder)

    def test_a_preset_has_several_ways_to_call_a_program(self) -> None:
        found = game_type_of("blokus")
        assert found is not None
        preset = found[0].contest.presets["software-challenge"]
        with ZipFile(self.folder / "team.zip", "w") as made:
            made.writestr("start.sh", "#!/bin/sh\n")
        long, short = (words.split() for words in preset.arguments)
        values = {"host": "H", "port": "P", "code": "C"}
        for text, calls in (
            ("./mine", [["--host", "H", "--port", "P", "--reservation", "C"], ["-r", "C", "-p", "P", "-h", "H"]]),
            ("team.zip", [["--host", "H", "--port", "P", "--reservation", "C"], ["-r", "C", "-p", "P", "-h", "H"]]),
            ("./mine {port}", [["P"]] * 2),
            ("team.zip -x {port}", [["-x", "P"]] * 2),
        ):
            one = entrant(text, found[0], self.folder, preset)
            self.assertEqual(one.is_fresh, "zip" in text)
            self.assertEqual([one.start(values, {}, pair).command[1:] for pair in range(4)], calls * 2)
        self.assertEqual((long[0], short[0]), ("--host", "-r"))

    def test_a_digest_is_of_the_files(self) -> None:
        found = game_type_of("hive")
        assert found is not None
        made = entrant("sh theirs.py", found[0], self.folder)
        before = digest(made)
        self.assertEqual(digest(made), before)
        (self.folder / "theirs.py").write_text("#!/bin/sh\n\n")
        self.assertNotEqual(digest(made), before)


class SeatNameTests(SynchronousTestCase):
    def test_robots_have_names_of_letters_and_never_the_same(self) -> None:
        found = game_type_of("roborally")
        assert found is not None
        name = found[0].contest.seat_name
        self.assertEqual((name("greedy-2", 0), name("größe", 1), name("7", 0)), ("greedyA", "grosseB", "A"))
        self.assertEqual(len(name("x" * 99, 1)), 32)

    def test_a_course_is_completed(self) -> None:
        found = game_type_of("roborally")
        assert found is not None
        made = found[0].contest.completed({"course": "karussell", "lives": 1})
        self.assertEqual((made["course"], made["lives"]), ("Karussell", 1))
        self.assertEqual(found[0].contest.completed({"lives": 1}), {"lives": 1})

    def test_times_are_options_of_their_games(self) -> None:
        times = {kind: dict(game_type.contest.time(1.5)) for kind, game_type in game_types().items()}
        self.assertEqual(times["hive"], {"soft_milliseconds": 1500, "hard_milliseconds": 7500})
        self.assertEqual(
            (times["quoridor"], times["roborally"]), ({"move_milliseconds": 1500}, {"move_milliseconds": 2000})
        )
        for kind, game_type in game_types().items():
            known = {**game_type.options(game_type.settings()), **game_type.room_options}
            self.assertLessEqual(set(game_type.contest.options) | set(times[kind]), set(known), kind)


class FolderTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.folder = Path(self.mktemp())

    def test_one_at_a_time(self) -> None:
        held = locked(self.folder)
        with self.assertRaisesRegex(FolderError, "another gamed play uses"):
            locked(self.folder)
        os.close(held)
        os.close(locked(self.folder))

    def test_a_folder_that_cannot_be_made(self) -> None:
        self.folder.write_text("")
        with self.assertRaisesRegex(FolderError, "choose one with --dir"):
            locked(self.folder)

    def test_matches_are_read_again_half_lines_are_not(self) -> None:
        self.folder.mkdir()
        self.assertEqual(list(matches(self.folder)), [])
        one, other = (Match(f"id-{number}", number, {"game": "hive"}, ["A", "B"], ["a", "b"]) for number in (1, 2))
        add(self.folder, one)
        with (self.folder / FILE).open("ab") as file:
            file.write(b'{"id": "half')
        add(self.folder, other)
        self.assertEqual(list(matches(self.folder)), [one, other])
        self.assertEqual(one.changed(["a", "c"]), ["B"])

    def test_a_game_is_found_in_the_match_that_it_was_played_in(self) -> None:
        self.folder.mkdir()
        whole = Match(str(UUID(int=1)), 7, {"games": 5}, ["A", "B", "C"], [])
        again = Match(str(UUID(int=2)), 7, {"games": 5, "again": [1, 2, 0]}, ["A", "B", "C"], [])
        for match in (whole, again):
            add(self.folder, match)
            fixture = Fixture(1, 2, 0, 3, (0, 2))
            self.assertEqual(match_of(self.folder, match.plan.id_of(fixture)), (match, fixture))
        self.assertIsNone(match_of(self.folder, again.plan.id_of(Fixture(1, 2, 1, 0, (2, 0)))))
        self.assertEqual([again.plan.total, whole.plan.total], [1, 15])
        self.assertEqual(list(again.plan.fixtures()), [Fixture(1, 2, 0, 0, (0, 2))])
