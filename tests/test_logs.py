"""The lines of the log: one per event, with its fields, and without control characters."""

from __future__ import annotations

import io
import json
import os
import sys
from datetime import UTC, datetime
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st
from twisted.logger import (
    Logger,
    LogLevel,
    LogPublisher,
)
from twisted.python.failure import Failure
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.texts import timestamp
from gamed.process.logs import Lines, as_json, as_text, json_lines, text_lines


class LogCase(SynchronousTestCase):
    def setUp(self) -> None:
        self.file = io.StringIO()
        self.publisher = LogPublisher()
        self.log = Logger("gamed.test", observer=self.publisher)

    def write(self, render: Any) -> None:
        self.publisher.addObserver(Lines(self.file, render))

    @property
    def lines(self) -> list[str]:
        return self.file.getvalue().split("\n")[:-1]


class JsonTests(LogCase):
    def setUp(self) -> None:
        super().setUp()
        self.write(as_json)

    @property
    def event(self) -> dict[str, Any]:
        (line,) = self.lines
        return json.loads(line)

    def test_an_event_has_its_sentence_and_its_fields(self) -> None:
        self.log.warn("joined: room={room} seat={seat} peer={peer}", room="abc", seat=1, peer="10.0.0.1:4")
        event = self.event
        self.assertRegex(event.pop("time"), r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
        self.assertEqual(
            event,
            {
                "level": "warn",
                "logger": "gamed.test",
                "event": "joined: room=abc seat=1 peer=10.0.0.1:4",
                "room": "abc",
                "seat": 1,
                "peer": "10.0.0.1:4",
            },
        )

    def test_other_objects_are_texts(self) -> None:
        self.log.error("no: {error}", error=ValueError("why"))
        self.assertEqual(self.event["error"], "why")

    def test_a_failure_has_its_traceback_in_the_line(self) -> None:
        self.log.failure("server fault: room={room}", failure=Failure(ZeroDivisionError()), room="abc")
        event = self.event
        self.assertEqual((event["level"], event["room"]), ("critical", "abc"))
        self.assertIn("ZeroDivisionError", event["traceback"])

    def test_passwords_are_no_fields(self) -> None:
        self.log.warn("until the stop it is {password}", password="open sesame")
        event = self.event
        self.assertEqual(event["event"], "until the stop it is open sesame")
        self.assertNotIn("password", event)

    @settings(deadline=None, max_examples=60)
    @given(st.text(max_size=20))
    def test_whatever_a_name_has_in_it_there_is_one_line_of_ascii(self, name: str) -> None:
        self.file.seek(0)
        self.file.truncate()
        self.log.info("peer={peer}", peer=name)
        self.assertTrue(self.lines[0].isascii() and self.lines[0].isprintable())
        self.assertEqual(self.event["peer"], name)


class TextTests(LogCase):
    def setUp(self) -> None:
        super().setUp()
        self.write(as_text)

    def test_a_line(self) -> None:
        self.log.info("ready")
        self.assertRegex(self.lines[0], r"^\S+Z \[gamed\.test#info\] ready$")

    def test_a_failure_is_one_line_too(self) -> None:
        self.log.failure("oh", failure=Failure(ZeroDivisionError("x")))
        (line,) = self.lines
        self.assertIn("#critical] oh\\nTraceback", line)

    @settings(deadline=None, max_examples=60)
    @given(st.text(max_size=20))
    def test_whatever_a_name_has_in_it_nothing_happens_to_the_terminal(self, name: str) -> None:
        self.file.seek(0)
        self.file.truncate()
        self.log.info("peer={peer}", peer=f"\x1b[2J{name}\n")
        (line,) = self.lines
        self.assertTrue(line.isprintable(), line)

    def test_umlauts_stay(self) -> None:
        self.log.info("peer={peer}", peer="Jürgen")
        self.assertTrue(self.lines[0].endswith("peer=Jürgen"))

    @settings(deadline=None, max_examples=60)
    @given(st.floats(min_value=0, max_value=4e9))
    @example(1_700_000_000.29)
    @example(1.9999995231628418)
    def test_the_time_is_that_of_datetime(self, seconds: float) -> None:
        known = timestamp(datetime.fromtimestamp(seconds, UTC))
        self.assertEqual(as_text({"log_time": seconds}), f"{known} [-#info] ")

    def test_an_event_without_anything_is_a_line(self) -> None:
        self.assertEqual(as_text({}), "- [-#info] ")
        self.assertEqual(json.loads(as_json({}))["time"], "-")


class FactoryTests(SynchronousTestCase):
    def setUp(self) -> None:
        # The tests must not depend on whether systemd reads their output.
        self.patch(os, "environ", {})

    def test_for_the_journal_each_line_has_its_priority(self) -> None:
        os.environ["JOURNAL_STREAM"] = "8:12345"
        out = io.StringIO()
        self.patch(sys, "stdout", out)
        write = text_lines()
        for level in (LogLevel.critical, LogLevel.error, LogLevel.warn, LogLevel.info, LogLevel.debug):
            write({"log_format": "hello", "log_level": level})
        self.assertEqual([line[:3] for line in out.getvalue().splitlines()], ["<2>", "<3>", "<4>", "<6>", "<7>"])

    def test_twistd_gets_standard_output(self) -> None:
        out = io.StringIO()
        self.patch(sys, "stdout", out)
        for make in (text_lines, json_lines):
            make()({"log_format": "hello", "log_time": 0.0})
        text, line = out.getvalue().splitlines()
        self.assertEqual(text, "1970-01-01T00:00:00.000Z [-#info] hello")
        self.assertEqual(json.loads(line)["event"], "hello")
