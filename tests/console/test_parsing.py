"""Usage lines: what they mean, and what is said to who does not heed them."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamed.console.commands import COMMANDS
from gamed.console.parsing import Command, UsageError, parse, split

PREPARE = Command("prepare", "prepare GAME [NAME...] [--paused] [--from RECORD] [--turn N]", lambda: None, changes=True)
RECORDS = Command("records", "records [list|show] [RECORD]", lambda: None, changes=False)
KICK = Command("kick", "kick PEER|ROOM [SEAT]", lambda: None, changes=True)
TABLE = {command.name: command for command in (PREPARE, RECORDS, KICK)}


class ParsingTests(SynchronousTestCase):
    def parsed(self, line: str) -> tuple[Any, ...]:
        call = parse(split(line), TABLE)
        return call.arguments, call.options, call.as_json

    def error(self, line: str) -> str:
        return str(self.assertRaises(UsageError, self.parsed, line))

    def test_arguments_and_options(self) -> None:
        self.assertEqual(self.parsed("prepare hive"), (("hive",), {}, False))
        self.assertEqual(
            self.parsed("prepare hive 'Ada L' --paused Grace --from abcd --turn 3 --json"),
            (("hive", "Ada L", "Grace"), {"paused": True, "from_": "abcd", "turn": 3}, True),
        )
        self.assertEqual(self.parsed("kick abcd 1"), (("abcd", 1), {}, False))
        self.assertEqual(self.parsed("records"), ((), {}, False))

    def test_wrong_use_is_answered_with_the_usage_line(self) -> None:
        for line, said in (
            ("prepare", "prepare needs GAME"),
            ("prepare hive --nonsense", "prepare has no option --nonsense"),
            ("prepare hive --turn", "--turn needs a value"),
            ("prepare hive --turn x", "N is a whole number, not x"),
            ("kick abcd -1", "SEAT is a whole number, not -1"),
            ("kick a 1 2", "2 is one argument too many"),
            ("records destroy", "destroy is not one of list, show"),
        ):
            usage = TABLE[line.split()[0]].usage
            self.assertEqual(self.error(line), f"{said}\nusage: {usage} [--json]")

    def test_what_is_no_command(self) -> None:
        self.assertEqual(self.error("rm -rf"), "there is no command rm; `help` lists them")
        self.assertIn("close the quotation mark", self.error("kick 'abc"))

    @settings(deadline=None, max_examples=200)
    @given(st.sampled_from(sorted(COMMANDS)), st.text(max_size=40))
    def test_whatever_is_typed_is_understood_or_a_usage_error(self, name: str, rest: str) -> None:
        try:
            parse(split(f"{name} {rest}"), COMMANDS)
        except UsageError as error:
            self.assertTrue(str(error))


class HelpTests(SynchronousTestCase):
    def test_every_docstring_has_a_summary_and_an_example_that_parses(self) -> None:
        for command in COMMANDS.values():
            self.assertRegex(command.summary, r"^[A-Z].*\.$", command.name)
            example = command.help.splitlines()[-1]
            self.assertTrue(example.startswith(f"Example: {command.name}"), command.name)
            self.assertEqual(parse(split(example.removeprefix("Example: ")), COMMANDS).command, command)

    def test_every_argument_is_explained(self) -> None:
        for command in COMMANDS.values():
            for argument in command.arguments:
                for kind in argument.kinds:
                    self.assertIn(kind, command.help, command.name)
            for option in command.options:
                self.assertTrue(f"--{option}" in command.help, f"{command.name} --{option}")
