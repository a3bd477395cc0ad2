"""Hostile documents and odd sources: what they cost, and that they are refused."""

from __future__ import annotations

import gzip
import io
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

import gamed
from gamed.records.importer import Imported, refused
from gamed.records.record import RecordError
from gamed.records.source import CHUNK, read, read_stream
from tests.records.documents import (
    BOMB,
    DEEP,
    EXTERNAL,
    OUTSIDE,
    Endless,
    gzip_bomb,
    outcome,
)

MEGABYTES = 20


class HostileTests(SynchronousTestCase):
    """Each is refused in little memory: what Python allocates, and what the C libraries do in a test of its own.

    `tests.proofs.test_refusals` measures the time.
    """

    def cases(self) -> list[tuple[str, Callable[[], object]]]:
        comment, blanks = Endless(b"<!--", b"x"), Endless(b'<game publisher="A" version="1"><header> ', b" ")
        bomb = gzip_bomb(1_000_000_000)
        self.streams = (comment, blanks)
        return [
            ("billion laughs", lambda: outcome(BOMB)),
            ("external entity", lambda: outcome(EXTERNAL)),
            ("external subset", lambda: outcome(OUTSIDE)),
            ("depth", lambda: outcome(DEEP)),
            ("comment of 1 GB", lambda: self.refusal(comment)),
            ("blanks of 1 GB", lambda: self.refusal(blanks)),
            ("gzip bomb", lambda: self.refusal(Endless(bomb, b"", len(bomb)))),
        ]

    def refusal(self, stream: Endless) -> Imported:
        try:
            return outcome(read_stream(stream))  # type: ignore[arg-type]
        except RecordError as error:
            return refused(error)

    def test_each_is_refused_at_once(self) -> None:
        for name, refuse in self.cases():
            found = refuse()
            assert isinstance(found, Imported)
            self.assertEqual(found.code, "forbidden", name)
        self.assertLess(max(stream.given for stream in self.streams), 10_100_000)

    def test_none_needs_memory(self) -> None:
        for name, refuse in self.cases():
            tracemalloc.start()
            refuse()
            _, peak = tracemalloc.get_traced_memory()
            tracemalloc.stop()
            self.assertLess(peak, MEGABYTES * 1_000_000, name)

    def test_none_needs_memory_of_the_libraries_either(self) -> None:
        program = (
            "import resource\n"
            "from tests.records.test_importer import OWN\n"
            "from tests.records.test_importer_hostile import HostileTests, outcome\n"
            "def peak(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
            "outcome(OWN)\n"
            "cases = HostileTests().cases()\n"
            "before = peak()\n"
            "assert all(refuse().code == 'forbidden' for _, refuse in cases)\n"
            "print(peak() - before)"
        )
        root = str(Path(gamed.__file__).parents[1])
        found = subprocess.run([sys.executable, "-c", program], cwd=root, capture_output=True, text=True, check=True)
        self.assertLess(int(found.stdout), MEGABYTES * 1000)


class SourceTests(SynchronousTestCase):
    def refused(self, path: Path, budget: int = 1000) -> RecordError:
        error: RecordError = self.assertRaises(RecordError, read, path, budget)
        return error

    def test_missing_and_unreadable(self) -> None:
        folder = Path(self.mktemp())
        self.assertEqual(self.refused(folder / "x.xml").code, "missing")
        folder.mkdir()
        self.assertEqual(self.refused(folder).code, "unreadable")
        self.assertIn("Is a directory", self.refused(folder).reason)

    def test_within_the_budget_nothing_is_refused(self) -> None:
        path = Path(self.mktemp())
        for size in (0, 1, 999, 1000):
            path.write_bytes(b"x" * size)
            self.assertEqual(read(path, 1000), b"x" * size)
        path.write_bytes(b"x" * 1001)
        self.assertEqual(self.refused(path).code, "forbidden")
        self.assertIn("more than 1,000 bytes", self.refused(path).reason)

    def test_gzip_is_unpacked_whatever_its_name(self) -> None:
        for size in (0, 5, CHUNK - 1, CHUNK, CHUNK + 1, 5 * CHUNK):
            text = bytes(range(256)) * (size // 256) + b"x" * (size % 256)
            self.assertEqual(read_stream(io.BytesIO(gzip.compress(text))), text)
            self.assertEqual(read_stream(io.BytesIO(gzip.compress(b"a") + gzip.compress(text))), b"a" + text)
            self.assertEqual(read_stream(io.BytesIO(gzip.compress(b"y" * size))), b"y" * size)

    def test_the_budget_counts_what_is_unpacked(self) -> None:
        packed = gzip.compress(b"x" * 1001)
        self.assertLess(len(packed), 100)
        self.assertRaises(RecordError, read_stream, io.BytesIO(packed), 1000)
        self.assertEqual(len(read_stream(io.BytesIO(packed), 1001)), 1001)

    def test_many_empty_members_are_counted_as_well(self) -> None:
        self.assertRaises(RecordError, read_stream, io.BytesIO(gzip.compress(b"") * 100), 1000)

    def test_damaged_gzip_is_unreadable(self) -> None:
        packed = gzip.compress(bytes(range(256)))
        for text in (packed[:-1], packed[:20], packed[:2], packed + b"trailing", packed[:30] + b"\0\0\0" + packed[33:]):
            error: RecordError = self.assertRaises(RecordError, read_stream, io.BytesIO(text))
            self.assertEqual(error.code, "unreadable", text)
