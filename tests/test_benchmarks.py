"""How the benchmarks take their samples, and the page that they print."""

from __future__ import annotations

from pathlib import Path
from xml.etree.ElementTree import fromstring

from twisted.trial.unittest import TestCase

from tests.benchmarks.measuring import Figure, Measurement, Programs, Samples, measured
from tests.benchmarks.page import lines, svg, text

FIGURE = Figure("a line", "µs CPU", "a bare relay", most=1.4, most_of_before=0.5)


class MeasuredTests(TestCase):
    def test_sides_take_turns(self) -> None:
        seen = []

        def measure(programs: Programs) -> list[float]:
            seen.append(programs.scripts.name)
            return [2.0]

        def reference() -> list[float]:
            seen.append("reference")
            return [1.0]

        measurement = Measurement("relay", (FIGURE,), measure, reference)
        (samples,) = measured(measurement, Programs(Path("before")), 2)
        self.assertEqual(seen, ["reference", "before", Programs().scripts.name] * 2)
        self.assertEqual((samples.ours, samples.reference, samples.before), ([2.0, 2.0], [1.0, 1.0], [2.0, 2.0]))

    def test_what_runs_in_the_process_has_no_other_checkout(self) -> None:
        measurement = Measurement("rules", (FIGURE,), lambda _programs: [2.0], in_process=True)
        (samples,) = measured(measurement, Programs(Path("before")), 1)
        self.assertEqual((samples.ours, samples.before), ([2.0], []))


class PageTests(TestCase):
    samples = Samples(FIGURE, [20.0, 30.0, 28.0], [10.0, 20.0, 20.0], [50.0, 50.0, 40.0])

    def test_ratios_are_taken_round_by_round(self) -> None:
        self.assertEqual(
            list(lines(self.samples)),
            [
                "a line: 28 [20 to 30] µs CPU",
                "    1.5 [1.4 to 2] times a bare relay (20 [10 to 20] µs CPU), aim at most 1.4: not reached",
                "    0.6 [0.4 to 0.7] times before (50 [40 to 50] µs CPU), aim at most 0.5: not reached",
            ],
        )

    def test_a_figure_without_a_reference_has_an_aim_of_its_own(self) -> None:
        figure = Figure("an idle connection", "bytes", most=2_560.0)
        self.assertEqual(
            list(lines(Samples(figure, [3_100.0]))), ["an idle connection: 3100 bytes, aim at most 2560: not reached"]
        )
        self.assertIn("aim at most 2560: reached", "".join(lines(Samples(figure, [2_000.0]))))

    def test_the_page_names_the_machine(self) -> None:
        page = text("Benchmarks", [self.samples])
        self.assertRegex(page, r"\ABenchmarks\n.+ cores, Linux .+, CPython 3\.\d+\.\d+, Twisted \d+")

    def test_the_picture_has_a_bar_for_each_ratio(self) -> None:
        picture = fromstring(svg("Benchmarks", [self.samples]))
        texts = [element.text for element in picture.iter("{http://www.w3.org/2000/svg}text")]
        self.assertIn("a line, of a bare relay", texts)
        self.assertIn("1.50 (aim 1.4)", texts)
        self.assertIn("0.60 (aim 0.5)", texts)
