"""`reload`: what holds at once, what later, what needs a restart, and a configuration that cannot be used."""

from __future__ import annotations

import json
from typing import Any

import attrs

from gamed.admin.accounts import Secret
from gamed.config import Config, ConsoleConfig, StoreConfig, WebConfig
from gamed.core.errors import ConfigError
from gamed.registry import games
from tests.console.sessions import PASSWORD, ConsoleTestCase


class ReloadTestCase(ConsoleTestCase):
    def reload(
        self, *, store: Any = None, console: Any = None, web: Any = None, **changed: Any
    ) -> dict[str, list[str]]:
        """Reload a configuration that differs so, and return what is said of it."""
        config = Config(
            store or self.config.store,
            {self.kind: attrs.evolve(self.settings, **changed)},
            console or self.config.console,
            web or self.config.web,
        )
        self.reloader.read = lambda: config
        answer: dict[str, list[str]] = json.loads(self.answer("reload --json"))
        return answer


class BattleshipTests(ReloadTestCase):
    def test_nothing_has_changed(self) -> None:
        said = self.reload()
        self.assertEqual(said, {"changed": [], "for new rooms and connections": [], "needs a restart": []})

    def test_certificates_that_cannot_be_used_are_told(self) -> None:
        error = ConfigError("the certificates stay as they were: there is no key in a.pem")
        self.reloader.certificates = lambda: {"battleship": error, "hive": None}
        said = self.reload()
        self.assertEqual(said["changed"], ["[hive] certificates"])
        self.assertEqual(said["cannot be used"], [f"[battleship] {error}"])
        self.assertIn(str(error), self.answer("reload"))

    def test_limits_hold_at_once_and_nobody_is_dropped(self) -> None:
        wires = self.match()
        said = self.reload(connections=2, unsent_bytes=5)
        self.assertEqual(said["changed"], ["[battleship] unsent_bytes", "[battleship] connections"])
        self.assertFalse(any(wire.is_closed for wire in wires))
        self.assertEqual(self.harness.factory.unsent_bytes, 5)
        self.assertRaises(AssertionError, self.harness.connect)
        self.reload(connections=3)
        self.harness.connect()

    def test_there_are_no_more_connections_than_descriptors(self) -> None:
        self.harness.factory.limits.most = 100
        self.reload(connections=2_000)
        self.assertEqual(self.harness.factory.limits.total, 100)

    def test_settings_of_games_hold_for_new_rooms(self) -> None:
        self.match()
        old = self.room
        said = self.reload(roles="random", line_bytes=5)
        self.assertEqual(said["for new rooms and connections"], ["[battleship] roles", "[battleship] line_bytes"])
        self.assertEqual(old.history.options["roles"], "first-defends")
        new = self.harness.connect()
        room, _ = new.session.places[0]
        self.assertEqual(room.history.options["roles"], "random")
        new.send(b"123456")
        self.assertTrue(new.is_closed)

    def test_endpoints_and_the_store_need_a_restart(self) -> None:
        said = self.reload(store=StoreConfig(state=self.config.store.state, durability="disk"), endpoint="tcp:1")
        self.assertEqual(said["needs a restart"], ["[store] durability", "[battleship] endpoint"])
        self.assertEqual(said["changed"], [])

    def test_the_web_listener(self) -> None:
        taken: list[WebConfig] = []
        self.reloader.web = taken.append
        web = WebConfig(hosts="games.example", endpoint="tcp:1")
        said = self.reload(web=web)
        self.assertEqual((said["changed"], said["needs a restart"]), (["[web] hosts"], ["[web] endpoint"]))
        self.assertEqual(taken, [web])

    def test_no_web_listener_takes_anything(self) -> None:
        said = self.reload(web=WebConfig(hosts="games.example"))
        self.assertEqual((said["changed"], said["needs a restart"]), ([], ["[web] hosts"]))

    def test_the_next_reload_compares_with_this_one(self) -> None:
        self.reload(connections=2)
        self.assertEqual(self.reload(connections=2)["changed"], [])

    def test_the_consoles_account(self) -> None:
        said = self.reload(console=ConsoleConfig(user="root", password="Ginster", idle_seconds=5.0))
        self.assertEqual(said["changed"], ["[console] idle_seconds", "[console] password", "[console] user"])
        self.assertIs(self.successResultOf(self.accounts.check("root", "Ginster", "local")), True)

    def test_another_user_with_the_same_password(self) -> None:
        self.reload(console=ConsoleConfig(user="root"))
        self.assertIs(self.successResultOf(self.accounts.check("root", PASSWORD, "local")), True)

    def test_a_password_that_is_taken_out_still_holds(self) -> None:
        self.reloader.config = attrs.evolve(self.config, console=ConsoleConfig(password=PASSWORD))
        self.accounts.secrets = {"admin": Secret.of(PASSWORD)}
        said = self.reload(console=ConsoleConfig())
        self.assertEqual((said["changed"], said["needs a restart"]), ([], ["[console] password"]))
        self.assertIs(self.successResultOf(self.accounts.check("admin", PASSWORD, "local")), True)

    def test_the_rest_of_the_console(self) -> None:
        said = self.reload(console=ConsoleConfig(connections=1, log_level="warn", telnet="", manhole=True))
        self.assertEqual(said["changed"], ["[console] connections", "[console] log_level", "[console] manhole"])
        self.assertEqual(said["needs a restart"], ["[console] telnet"])
        self.assertEqual((self.entrance.operators, self.services.levels.level), (1, "warn"))

    def test_a_configuration_that_cannot_be_used_changes_nothing(self) -> None:
        def refuse() -> Config:
            raise ConfigError("gamed.toml: [battleship] has no key roules")

        self.reloader.read = refuse
        self.assertEqual(self.answer("reload"), "gamed.toml: [battleship] has no key roules\n")
        self.assertIs(self.reloader.config, self.config)

    def test_a_daemon_without_a_file(self) -> None:
        self.assertEqual(self.answer("reload"), "the daemon was started without a configuration file\n")


class HiveTests(ReloadTestCase):
    kind = "hive"
    settings = games()["softwarechallenge"].load().settings(password="secret")

    def test_the_administrators_password(self) -> None:
        said = self.reload(password="other", messages_per_second=7.0)
        self.assertEqual(set(said["changed"]), {"[hive] password", "[hive] messages_per_second"})
        self.assertEqual(self.harness.factory.reception.password, "other")
        self.assertEqual(self.harness.factory.messages_per_second, 7.0)

    def test_the_directory_of_replays_needs_a_restart(self) -> None:
        self.assertEqual(self.reload(replays="other")["needs a restart"], ["[hive] replays"])

    def test_an_empty_one_changes_nothing(self) -> None:
        said = self.reload(password="")
        self.assertEqual((said["changed"], said["needs a restart"]), ([], ["[hive] password"]))
        self.assertEqual(self.harness.factory.reception.password, "secret")


class QuoridorTests(ReloadTestCase):
    kind = "quoridor"
    settings = games()["quoridor"].load().settings()

    def test_more_tables(self) -> None:
        said = self.reload(tables=3, register_seconds=2.0)
        self.assertEqual(said["for new rooms and connections"], ["[quoridor] tables", "[quoridor] register_seconds"])
        self.assertEqual(self.harness.factory.reception.settings.tables, 3)


class RoboRallyTests(ReloadTestCase):
    kind = "roborally"
    settings = games()["roborally"].load().settings()

    def test_other_courses(self) -> None:
        said = self.reload(courses=("treppe",), max_games=1)
        self.assertEqual(said["for new rooms and connections"], ["[roborally] courses", "[roborally] max_games"])
        reception = self.harness.factory.reception
        self.assertEqual((reception.courses.next()["course"].lower(), reception.settings.max_games), ("treppe", 1))

    def test_a_course_that_is_not_there_changes_nothing(self) -> None:
        config = Config(self.config.store, {self.kind: attrs.evolve(self.settings, courses=("nowhere",))})
        self.reloader.read = lambda: config
        self.assertIn("nowhere", self.answer("reload"))
        self.assertEqual(self.harness.factory.reception.settings, self.settings)
        self.assertEqual(self.harness.factory.reception.courses.next()["course"].lower(), self.settings.courses[0])
