"""What the console uses of Twisted without Twisted having promised it. A failure here says what to do."""

from __future__ import annotations

from twisted.conch.ssh.userauth import SSHUserAuthServer
from twisted.logger import LogEvent, LogPublisher
from twisted.trial.unittest import SynchronousTestCase

import twisted
from gamed.console.ssh import Authentication
from gamed.process.logs import observers_of

CHANGED = f"Twisted {twisted.__version__} has changed"
OBSERVERS = f"{CHANGED} where a LogPublisher keeps its observers: change observers_of in gamed/process/logs.py"
LOGIN = (
    f"{CHANGED} how SSHUserAuthServer ends a login: Authentication in gamed/console/ssh.py is to take part in it anew"
)


class LogTests(SynchronousTestCase):
    def test_a_publisher_has_a_list_of_its_observers(self) -> None:
        def observe(_event: LogEvent) -> None:
            """Take an event."""

        publisher = LogPublisher(observe)
        self.assertTrue(hasattr(publisher, "_observers"), OBSERVERS)
        self.assertEqual(observers_of(publisher), [observe], OBSERVERS)


class LoginTests(SynchronousTestCase):
    def test_conch_ends_each_login_by_the_two_methods_that_are_overridden(self) -> None:
        called = SSHUserAuthServer.ssh_USERAUTH_REQUEST.__code__.co_names
        for name in ("_cbFinishedAuth", "_ebBadAuth"):
            self.assertIn(name, vars(Authentication))
            self.assertTrue(hasattr(SSHUserAuthServer, name) and name in called, LOGIN)
