"""Each game that people write down has all that the shell asks of its formats."""

from __future__ import annotations

import inspect

from twisted.trial.unittest import SynchronousTestCase

from gamed.records.written import Formats
from gamed.registry import written_games


class FormatsTests(SynchronousTestCase):
    def test_its_formats_have_what_the_shell_asks_for(self) -> None:
        asked = {name: one for name, one in vars(Formats).items() if not name.startswith("_") and callable(one)}
        self.assertGreater(len(asked), 15)
        for game in written_games().values():
            self.assertTrue(game.formats.HELP)
            for name, one in asked.items():
                # The first parameter of the protocol's method is the module itself.
                wanted = [*inspect.signature(one).parameters][1:]
                found = inspect.signature(getattr(game.formats, name)).parameters
                self.assertEqual(len([*found]), len(wanted), name)

    def test_every_format_has_an_ending_and_the_usual_ones_are_formats(self) -> None:
        for game in written_games().values():
            for name in (*game.format_names, *game.page_formats):
                ending, mime = game.formats.suffix(name)
                self.assertIn(ending, game.endings)
                self.assertIn("/", mime)
            self.assertLessEqual({*game.endings.values(), game.recorded_as}, set(game.format_names))
