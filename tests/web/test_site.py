"""The site: health, headers, and who may call it."""

from __future__ import annotations

import json

from twisted.internet.task import Clock
from twisted.internet.testing import StringTransport
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.stats import Stats
from gamed.web.metrics import DaemonCollector, registry
from gamed.web.site import HEADERS, SLOW_SECONDS, Root, WebSite


class SiteTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock = Clock()
        self.problems: dict[str, str] = {}
        self.warnings: dict[str, str] = {}
        collector = DaemonCollector(Stats(), list, int)
        root = Root(registry(collector), lambda: self.problems, warnings=lambda: self.warnings)
        self.site = WebSite(root, frozenset({"localhost", "127.0.0.1", "::1"}), self.clock)
        self.site.startFactory()
        self.addCleanup(self.site.stopFactory)

    def sent(self, data: bytes) -> StringTransport:
        channel = self.site.buildProtocol(None)
        transport = StringTransport()
        channel.makeConnection(transport)
        channel.dataReceived(data)
        return transport

    def got(
        self, path: str, host: str = "localhost:8054", method: str = "GET"
    ) -> tuple[int, dict[bytes, bytes], bytes]:
        request = f"{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
        head, _, body = self.sent(request.encode()).value().partition(b"\r\n\r\n")
        status, *lines = head.split(b"\r\n")
        headers = {name.lower(): value for name, _, value in (line.partition(b": ") for line in lines)}
        return int(status.split()[1]), headers, body

    def test_alive(self) -> None:
        status, _, body = self.got("/healthz")
        self.assertEqual((status, json.loads(body)), (200, {"ok": True, "problems": {}, "warnings": {}}))

    def test_ready_or_why_not(self) -> None:
        self.assertEqual(self.got("/readyz")[0], 200)
        self.problems["journal"] = "cannot be synced: the disk is full"
        status, _, body = self.got("/readyz")
        said = {"ok": False, "problems": self.problems, "warnings": {}}
        self.assertEqual((status, json.loads(body)), (503, said))

    def test_a_warning_keeps_nobody_away(self) -> None:
        self.warnings["journal"] = "damaged, see the log"
        status, _, body = self.got("/readyz")
        self.assertEqual((status, json.loads(body)), (200, {"ok": True, "problems": {}, "warnings": self.warnings}))

    def test_metrics(self) -> None:
        status, headers, body = self.got("/metrics")
        self.assertEqual(status, 200)
        self.assertTrue(headers[b"content-type"].startswith(b"text/plain"))
        self.assertIn(b"# TYPE gamed_faults_total counter", body)

    def test_every_answer_has_the_headers(self) -> None:
        for path in ("/healthz", "/metrics", "/nothing", "/"):
            _, headers, _ = self.got(path)
            for name, value in HEADERS.items():
                self.assertEqual(headers[name], value, path)
            self.assertIn(b"frame-ancestors 'none'", headers[b"content-security-policy"])

    def test_what_is_not_there(self) -> None:
        self.assertEqual(self.got("/nothing")[0], 404)
        self.assertEqual(self.got("/healthz", method="DELETE")[0], 405)

    def test_only_its_own_names(self) -> None:
        for host in ("localhost", "127.0.0.1:8054", "[::1]:8054", "[::1]"):
            self.assertEqual(self.got("/healthz", host)[0], 200, host)
        for host in ("evil.example", "localhost.evil.example:8054", ""):
            status, _, body = self.got("/metrics", host)
            self.assertEqual(status, 421, host)
            self.assertIn(b"[web] hosts", body)

    def test_the_refusal_has_its_words(self) -> None:
        answer = self.sent(b"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n").value()
        self.assertTrue(answer.startswith(b"HTTP/1.1 421 Misdirected Request\r\n"), answer)

    def test_a_header_that_is_not_utf8(self) -> None:
        for header in (b"Content-Type: \xe9", b"Accept: \xff", b"Last-Event-ID: 1\xe9"):
            head = b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n%b\r\n\r\n" % header
            self.assertTrue(self.sent(head).value().startswith(b"HTTP/1.1 400 Bad Request\r\n"), header)
        umlaut = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nUser-Agent: Jörg\r\n\r\n".encode()
        self.assertTrue(self.sent(umlaut).value().startswith(b"HTTP/1.1 200 OK\r\n"))

    def test_what_does_not_end_is_refused_by_its_name(self) -> None:
        head = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n"
        for data, status in ((b"GET /" + b"x" * 20_000, b"414"), (head + b"Accept: " + b"x" * 20_000, b"431")):
            transport = self.sent(data)
            self.assertEqual(transport.value().split()[1:2], [status])
            self.assertTrue(transport.disconnecting)

    def test_a_request_that_does_not_come_is_cut_off(self) -> None:
        transport = self.sent(b"GET /healthz HTTP/1.1\r\nHost: loc")
        self.clock.advance(SLOW_SECONDS + 20)
        self.assertTrue(transport.disconnecting or transport.disconnected)

    def test_nonsense_is_refused(self) -> None:
        for data in (
            b"\x16\x03\x01\x02\x00\r\n\r\n",
            b"x" * 100_000,
            b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 10_000 + b"\r\n",
        ):
            transport = self.sent(data)
            self.assertTrue(transport.disconnecting or transport.disconnected, data[:20])
