"""Answers of the API, compressed where the browser takes that."""

from __future__ import annotations

import gzip
from collections.abc import Sequence

from twisted.internet.defer import Deferred
from twisted.trial.unittest import SynchronousTestCase

from gamed.web.answers import Answer, Route
from gamed.web.compression import gzipped
from tests.web.harness import WebHarness

MOVES = [{"n": n, "text": f"a{n}"} for n in range(1000)]


class Much:
    """Answers with much."""

    routes: Sequence[Route] = (
        Route("GET", "much", lambda _: Answer(body=MOVES)),
        Route("GET", "little", lambda _: Answer(body=[])),
    )


class CompressionTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.harness = WebHarness("battleship", more=(Much(),))
        self.addCleanup(self.harness.stop)

    def test_what_is_long_is_compressed_where_that_is_wanted(self) -> None:
        plain = self.harness.asked("GET", "/api/v1/much")
        packed = self.harness.asked("GET", "/api/v1/much", accept_encoding="gzip, br")
        self.assertEqual((plain.json, gzip.decompress(packed.body)), (MOVES, plain.body))
        self.assertNotIn("content-encoding", plain.headers)
        self.assertEqual(packed.headers["content-encoding"], "gzip")
        self.assertEqual(int(packed.headers["content-length"]), len(packed.body))
        self.assertLess(len(packed.body), len(plain.body) / 5)
        self.assertEqual((plain.headers["vary"], packed.headers["vary"]), ("accept-encoding", "accept-encoding"))

    def test_what_is_short_is_not(self) -> None:
        answer = self.harness.asked("GET", "/api/v1/little", accept_encoding="gzip")
        self.assertEqual((answer.json, answer.headers.get("content-encoding")), ([], None))

    def test_others_are_answered_while_a_thread_compresses(self) -> None:
        waiting: list[tuple[bytes, Deferred[bytes]]] = []

        def compress(body: bytes) -> Deferred[bytes]:
            waiting.append((body, Deferred()))
            return waiting[-1][1]

        self.harness.site.resource.children[b"api"].compress = compress
        first = self.harness.opened("/api/v1/much", accept_encoding="gzip")
        gone = self.harness.opened("/api/v1/much", accept_encoding="gzip")
        self.assertEqual(first.transport.value(), b"")
        self.assertEqual(self.harness.asked("GET", "/api/v1/little").json, [])
        gone.close()
        for body, done in waiting:
            done.callback(gzipped(body))
        self.assertEqual(gzip.decompress(first.body), self.harness.asked("GET", "/api/v1/much").body)
        self.assertEqual(gone.transport.value(), b"")
        first.close()
