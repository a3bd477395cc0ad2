"""Files that are designed to be expensive: each takes at most two seconds of CPU time and 200 MB, typed or uploaded.

Computing is measured as CPU time, in proportion to that of known work just before and after, because a busy machine's
memory is slower. What a daemon needs by itself, some 110 MB, does not count. While the web takes a file in, others are
answered.
"""

from __future__ import annotations

import http.client
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from twisted.trial.unittest import SynchronousTestCase

from tests.daemon import free_port, running
from tests.proofs import skip, whole  # noqa: F401 (trial looks for `skip`)
from tests.web.test_daemon import Browser

SECONDS, MEGABYTES = 2.0, 200.0

KNOWN_WORK = """
import time
begun = time.process_time()
made = {str(n): (n, [n]) for n in range(100_000)}
del made
print(time.process_time() - begun)
"""

KNOWN = 0.08
"""CPU seconds of the known work on the machine that the two seconds are meant for."""

SHORT = {"boards.sgf", "rectangles.sgf", "passes.xml", "variations.sgf", "escapes.sgf", "games-doubtful.sgf"}
"""The costliest: a short run takes these alone on the command line."""

LATENCY = 0.25
"""Seconds that others' requests may take meanwhile."""

ON_THE_WEB = 1024 * 1024
"""Bytes that the web takes."""

# The peak of a process's own memory: what `getrusage` tells includes that of the process that started it.
MEASURED = """
import sys, time, re
from gamed.cli import main
sys.argv = ["gamed", *sys.argv[1:]]
try:
    main()
finally:
    peak = re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1]
    print(time.process_time(), peak, file=sys.stderr)
"""


def gofans(version: str, moves: bytes) -> bytes:
    """Return a record of GoFans."""
    players = b'<players><player id="0" color="black"/><player id="1" color="white"/></players>'
    header = b'<header><board size="19"/>' + players + b"</header>"
    return b'<game publisher="GoFans" version="%b">%b<body>%b</body></game>' % (version.encode(), header, moves)


def klub(header: bytes) -> bytes:
    """Return a record of a publisher that gamed does not know."""
    return b'<game publisher="Klub" version="1.0"><header>%b</header><body/></game>' % header


def files() -> dict[str, bytes]:
    """Return the files by name: those of the issue first."""
    attributes = b" ".join(b'a%d=""' % number for number in range(40_000))
    namespaces = b" ".join(b'xmlns:a%d="u:%d"' % (number, number) for number in range(40_000))
    points = [f"{x}{y}".encode() for x in "abcdefghijklmnopqrs" for y in "abcdefghijklmnopqrs"]
    return {
        "attributes.xml": klub(b"<a %b/>" % attributes),
        "namespaces.xml": klub(b"<a %b/>" % namespaces),
        "rectangles.sgf": b"(;SZ[52]" + b"AB[aa:ZZ]" * 50_000 + b")",
        "boards.sgf": b"(;SZ[52]AB[aa:ZZ];B[])" * 9_000,
        "brackets.sgf": b"(;" * 2_000_000,
        "brackets-small.sgf": b"(;" * 500_000,
        # Just below the limits.
        "passes.xml": gofans("1.1", b'<move playerId="0"/><move playerId="1"/>' * 89_900),
        "passes-small.xml": gofans("2.1", b'<move playerId="0"/>' * 52_000),
        "moves.sgf": b"(;SZ[19]" + b";B[]" * 99_900 + b")",
        "variations.sgf": b"(;SZ[19]" + b"(;B[aa];W[bb];B[])" * 27_000 + b")",
        "siblings.sgf": b"(;SZ[19]" + b"".join(b"(;B[%b])" % points[n % len(points)] for n in range(59_900)) + b")",
        "games.sgf": b"(;)" * 9_999,
        "games-bare.sgf": b"(;)" * 2_023,
        "games-doubtful.sgf": b"(;CA[gbk]PB[\xe9]XX[];B[aa]W[bb])(;CA[big5]PB[\xe9]XX[];B[aa]W[bb])" * 1_130,
        "games-refused.sgf": b"(;SZ[99])" * 2_072,
        "escapes.sgf": b"(;SZ[19]C[" + b"\\]" * 499_900 + b"])",
        "comments.sgf": b"(;SZ[19]" + b";C[xxxxxx]" * 99_000 + b")",
        "comments-large.sgf": b"(;SZ[19]" + (b";C[" + b"x" * 45 + b"]") * 99_000 + b")",
        "declared.xml": klub(b"<a b='' xmlns='u:x'/>" * 45_000),
        "publisher.xml": b'<game publisher="%b" version="1"><header/><body/></game>' % (b"K" * 9_000_000),
    }


class CostTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.known = known_work()

    def assert_cheap(self, name: str, seconds: float, megabytes: float) -> None:
        """Fail if something took too much, in proportion to the known work before and after it."""
        before, self.known = self.known, known_work()
        known = max(before, self.known)
        print(f"\n{name}: {seconds:.2f} s, {megabytes:.0f} MB, known work {known:.3f} s", end="")
        self.assertLess(seconds / known, SECONDS / KNOWN, name)
        self.assertLess(megabytes, MEGABYTES, name)

    def test_on_the_command_line(self) -> None:
        folder = Path(self.mktemp())
        folder.mkdir(parents=True)
        for name, data in files().items():
            if not (whole() or name in SHORT):
                continue
            file = folder / name
            file.write_bytes(data)
            self.assert_command_cheap(name, "check", str(file))
            if name.startswith("games"):
                settings = folder / f"{name}.toml"
                settings.write_text(f'[store]\nurl = "sqlite:///{file.resolve()}.db"\nstate = "{folder.resolve()}"\n')
                self.assert_command_cheap(name, "import", str(file), "--config", str(settings))
                self.assert_command_cheap(name, "convert", str(file), str(folder / "converted.xml"))

    def assert_command_cheap(self, name: str, *command: str) -> None:
        process = [sys.executable, "-c", MEASURED, *command]
        done = subprocess.run(process, capture_output=True, text=True, check=False)
        seconds, kib = done.stderr.splitlines()[-1].split()
        self.assert_cheap(f"{name}, {command[0]}", float(seconds), int(kib) / 1024)

    def test_on_the_web(self) -> None:
        web = free_port()
        more = f'[web]\nendpoint = "tcp:{web}:interface=127.0.0.1"\n[console]\ntelnet = ""\npassword = "open sesame"\n'
        with running(Path(self.mktemp()), more=more) as daemon:
            assert daemon.process is not None
            process = Path(f"/proc/{daemon.process.pid}")
            browser = Browser(web)
            _, cookie, session = browser.asked("POST", "session/login", {"user": "admin", "password": "open sesame"})
            headers = {"cookie": cookie.partition(";")[0], "x-gamed-token": session["token"]}
            own = peak(process)
            for name, data in files().items():
                before = spent(process)
                with others(web) as latencies:
                    status = upload(web, headers, data)
                self.assertEqual(status, 413 if len(data) > ON_THE_WEB else 200, name)
                self.assert_cheap(name, spent(process) - before, peak(process) - own)
                print(f", {len(latencies)} others: {max(latencies):.3f} s at most", end="")
                # The longest latency may be the busy machine's, so the median counts.
                if whole():
                    self.assertLess(median(latencies), LATENCY, name)
            self.assertEqual(daemon.unexpected(), [])


def known_work() -> float:
    """Return the CPU seconds that the known work takes now: the median of three, because one alone varies twofold."""
    process = [sys.executable, "-c", KNOWN_WORK]
    return median(float(subprocess.run(process, capture_output=True, check=True).stdout) for _ in range(3))


def spent(process: Path) -> float:
    """Return the CPU seconds of a process."""
    fields = (process / "stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100


def peak(process: Path) -> float:
    """Return the most memory that a process has had, in megabytes."""
    found = re.search(r"VmHWM:\s+(\d+)", (process / "status").read_text())
    assert found is not None
    return int(found[1]) / 1024


def upload(port: int, headers: dict[str, str], data: bytes) -> int:
    """Send a file; return the status of the answer."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request("POST", "/api/v1/import", data, {**headers, "content-type": "application/octet-stream"})
        answer = connection.getresponse()
        answer.read()
    except (BrokenPipeError, ConnectionResetError):
        # It did not read what is too large.
        return 413
    else:
        return answer.status
    finally:
        connection.close()


@contextmanager
def others(port: int) -> Iterator[list[float]]:
    """Yield how many seconds other requests take meanwhile, one after the other."""
    latencies: list[float] = []
    is_over = threading.Event()

    def ask() -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        while not (is_over.is_set() and latencies):
            began = time.monotonic()
            connection.request("GET", "/healthz")
            connection.getresponse().read()
            latencies.append(time.monotonic() - began)
            is_over.wait(0.01)
        connection.close()

    thread = threading.Thread(target=ask)
    thread.start()
    try:
        yield latencies
    finally:
        is_over.set()
        thread.join()
