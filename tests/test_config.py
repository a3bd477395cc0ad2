"""The configuration: defaults, paths, and a clear error for everything else."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from twisted.logger import capturedLogs, formatEvent
from twisted.trial.unittest import SynchronousTestCase

from gamed.config import Config, ConsoleConfig, StoreConfig, load, with_password
from gamed.core.errors import ConfigError
from gamed.games.battleship import Settings
from gamed.registry import games


class ConfigTestCase(SynchronousTestCase):
    def setUp(self) -> None:
        self.folder = Path(self.mktemp()).resolve()
        self.folder.mkdir(parents=True)
        self.file = self.folder / "gamed.toml"

    def load(self, text: str) -> Config:
        self.file.write_text(text, encoding="utf-8")
        return load(str(self.file))

    def error(self, text: str) -> str:
        """Return the error for a file, without the file's name."""
        said = str(self.assertRaises(ConfigError, self.load, text))
        head, _, rest = said.partition(": ")
        self.assertEqual(head, str(self.file))
        return rest


class DefaultTests(ConfigTestCase):
    def test_an_empty_file_and_no_file(self) -> None:
        for config in (self.load(""), load(None)):
            self.assertEqual(config.listeners["battleship"], Settings())
            self.assertEqual(config.listeners, {name: maker.load().settings() for name, maker in games().items()})
            self.assertEqual(config.store.durability, "process")

    def test_without_a_file_games_are_kept_in_the_working_directory(self) -> None:
        store = load(None).store
        self.assertEqual(store.url, f"sqlite:///{Path.cwd()}/gamed.db")
        self.assertEqual(store.journal, Path.cwd() / "journal")

    def test_every_game_has_a_section(self) -> None:
        self.assertEqual(list(self.load("").listeners), list(games()))


class ValueTests(ConfigTestCase):
    def battleship(self, line: str) -> Any:
        return self.load(f"[battleship]\n{line}").listeners["battleship"]

    def test_each_type(self) -> None:
        settings = self.battleship('roles = "random"\nline_bytes = 10\ncorner_contact = false\nidle_seconds = 2.5')
        self.assertEqual(settings, Settings(roles="random", line_bytes=10, corner_contact=False, idle_seconds=2.5))

    def test_a_whole_number_is_a_number(self) -> None:
        settings = self.battleship("idle_seconds = 3")
        self.assertEqual((settings.idle_seconds, type(settings.idle_seconds)), (3.0, float))

    def test_an_endpoint_may_be_missing_or_empty(self) -> None:
        self.assertIsNone(self.battleship("").endpoint)
        self.assertEqual(self.battleship('endpoint = ""').endpoint, "")
        self.assertEqual(self.battleship('endpoint = "tcp:1"').endpoint, "tcp:1")


class PasswordTests(ConfigTestCase):
    """No default password works."""

    def test_settings_without_one_get_a_random_one_that_the_log_tells(self) -> None:
        settings = games()["softwarechallenge"].load().settings()
        with capturedLogs() as events:
            made = [with_password("softwarechallenge", settings).password for _ in range(2)]
        self.assertNotEqual(made[0], made[1])
        self.assertRegex(made[0], r"^[\w-]{16}$")
        text = "[softwarechallenge] has no password; until the daemon stops it is {}"
        self.assertEqual([formatEvent(event) for event in events], [text.format(password) for password in made])

    def test_a_configured_one_stays(self) -> None:
        settings = ConsoleConfig(password="Distel")
        with capturedLogs() as events:
            self.assertIs(with_password("console", settings), settings)
        self.assertEqual(events, [])

    def test_settings_that_have_no_such_key_stay(self) -> None:
        settings = StoreConfig()
        self.assertIs(with_password("store", settings), settings)


class PathTests(ConfigTestCase):
    def store(self, text: str) -> StoreConfig:
        return self.load(f"[store]\n{text}").store

    def test_relative_paths_are_relative_to_the_file(self) -> None:
        store = self.store('url = "sqlite:///kept/games.db"\nstate = "state"')
        self.assertEqual(store.url, f"sqlite:///{self.folder}/kept/games.db")
        self.assertEqual(store.journal, self.folder / "state" / "journal")

    def test_the_defaults_too(self) -> None:
        store = self.store("")
        self.assertEqual((store.url, store.journal), (f"sqlite:///{self.folder}/gamed.db", self.folder / "journal"))

    def test_absolute_paths_stay(self) -> None:
        store = self.store('url = "sqlite:////var/games.db"\nstate = "/var/lib"')
        self.assertEqual((store.url, store.journal), ("sqlite:////var/games.db", Path("/var/lib/journal")))

    def test_other_databases_have_no_path(self) -> None:
        for url in ("postgresql+psycopg://user@host/gamed", "sqlite://", "sqlite:///"):
            self.assertEqual(self.store(f'url = "{url}"').url, url)

    def test_a_file_may_be_named_by_a_relative_path(self) -> None:
        self.file.write_text('[store]\nstate = "state"\n', encoding="utf-8")
        name = os.path.relpath(self.file)
        self.assertFalse(Path(name).is_absolute())
        self.assertEqual(load(name).store.journal, self.folder / "state" / "journal")


class FileErrorTests(ConfigTestCase):
    def test_a_missing_file(self) -> None:
        error = self.assertRaises(ConfigError, load, "/no/such/gamed.toml")
        self.assertEqual(str(error), "cannot read the configuration /no/such/gamed.toml: No such file or directory")

    def test_a_directory(self) -> None:
        error = self.assertRaises(ConfigError, load, str(self.folder))
        self.assertEqual(str(error), f"cannot read the configuration {self.folder}: Is a directory")

    def test_what_is_not_toml(self) -> None:
        error = self.assertRaises(ConfigError, self.load, "[store\n")
        self.assertTrue(str(error).startswith(f"{self.file} is not TOML: "), error)
        self.assertIn("line 1", str(error))

    def test_what_is_not_text(self) -> None:
        self.file.write_bytes(b"\xff\xfe")
        error = self.assertRaises(ConfigError, load, str(self.file))
        self.assertTrue(str(error).startswith(f"{self.file} is not TOML: "), error)


class KeyErrorTests(ConfigTestCase):
    def test_an_unknown_section_is_told_the_known_ones(self) -> None:
        known = ", ".join(("store", *games(), "console", "web", "control"))
        self.assertEqual(self.error("[batleship]\n"), f"there is no section [batleship]; there are {known}")

    def test_a_key_outside_of_all_sections(self) -> None:
        self.assertTrue(self.error('url = "x"\n').startswith("there is no section [url]"))
        self.assertEqual(self.error("store = 1\n"), "store is a section: write [store] and its keys below it")

    def test_an_unknown_key_is_told_the_known_ones(self) -> None:
        said = self.error("[store]\nfile = 1\n")
        self.assertTrue(said.startswith("[store] has no key file; its keys are url, state, durability"), said)
        said = self.error("[battleship]\nrules = 1\n")
        self.assertTrue(said.startswith("[battleship] has no key rules; its keys are endpoint, stuck_seconds, "), said)
        self.assertIn(", roles, referee, ", said)

    def test_wrong_types(self) -> None:
        for line, said in (
            ('line_bytes = "512"', "line_bytes is a whole number, not '512'"),
            ("line_bytes = 1.0", "line_bytes is a whole number, not 1.0"),
            ("line_bytes = true", "line_bytes is a whole number, not True"),
            ("corner_contact = 1", "corner_contact is true or false, not 1"),
            ('corner_contact = "no"', "corner_contact is true or false, not 'no'"),
            ("idle_seconds = true", "idle_seconds is a number, not True"),
            ('idle_seconds = "5"', "idle_seconds is a number, not '5'"),
            ("idle_seconds = nan", "idle_seconds is a number, not nan"),
            ("roles = 1", "roles is a string, not 1"),
            ("endpoint = 54321", "endpoint is a string, not 54321"),
            ("endpoint = []", "endpoint is a string, not []"),
        ):
            self.assertEqual(self.error(f"[battleship]\n{line}\n"), f"[battleship] {said}")

    def test_numbers_that_make_no_sense(self) -> None:
        for key in ("line_bytes", "connections", "connections_per_address", "game_lines", "game_bytes", "early_bytes"):
            for number in (0, -1):
                said = f"[battleship] '{key}' must be > 0: {number}"
                self.assertEqual(self.error(f"[battleship]\n{key} = {number}\n"), said)
        for key in ("idle_seconds", "waiting_seconds", "stuck_seconds"):
            said = f"[battleship] '{key}' must be > 0: -0.5"
            self.assertEqual(self.error(f"[battleship]\n{key} = -0.5\n"), said)

    def test_how_long_games_are_kept(self) -> None:
        self.assertEqual(self.load("").store.keep_days, 0)
        self.assertEqual(self.load("[store]\nkeep_days = 365\n").store.keep_days, 365)
        for number in (-1, 36_501):
            said = f"[store] 'keep_days' must be {'>= 0' if number < 0 else '<= 36500'}: {number}"
            self.assertEqual(self.error(f"[store]\nkeep_days = {number}\n"), said)

    def test_choices(self) -> None:
        said = self.error('[store]\ndurability = "none"\n')
        self.assertEqual(said, "[store] 'durability' must be in ('process', 'disk') (got 'none')")
        for key, choices in (("roles", "first-defends random"), ("referee", "observe warn enforce")):
            said = self.error(f'[battleship]\n{key} = "none"\n')
            self.assertTrue(said.startswith(f"[battleship] '{key}' must be in {tuple(choices.split())}"), said)
            self.assertTrue(said.endswith("(got 'none')"), said)


class ControlTests(ConfigTestCase):
    def test_left_out_and_empty(self) -> None:
        config = self.load("")
        self.assertIsNone(config.control.endpoint)
        self.assertEqual(config.store.control, self.folder / "control.sock")
        self.assertEqual(self.load('[control]\nendpoint = ""').control.endpoint, "")

    def test_a_path_is_relative_to_the_file(self) -> None:
        found = self.load('[control]\nendpoint = "unix:run/control.sock"').control.endpoint
        self.assertEqual(found, f"unix:{self.folder}/run/control.sock")
        self.assertEqual(self.load('[control]\nendpoint = "unix:/run/x"').control.endpoint, "unix:/run/x")

    def test_it_is_a_unix_socket(self) -> None:
        for text in ("tcp:4711", "unix:", "control.sock"):
            said = self.error(f'[control]\nendpoint = "{text}"')
            self.assertIn(f'[control] endpoint is "{text}": write "unix:PATH"', said)
