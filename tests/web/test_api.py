"""The API as a whole: whatever is sent, the answer is JSON with a clear status, and nothing else is harmed."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import (
    DiskError,
    IllegalMove,
    InvalidMove,
    RemoteProtocolError,
    RoomError,
    StoreError,
    UnknownRecord,
)
from gamed.web.answers import MOST_IMPORT, MOST_JSON, Answer, Call, Refusal, Route, download, find, permit, refusal_of
from gamed.web.api import parse_object
from gamed.web.site import COME_WITHIN, READ
from gamed.web.visitors import NOBODY
from tests.web.harness import Reply, WebHarness, request

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=8,
)
NAMES = ("game", "name", "reservation", "bots", "names", "paused", "from", "user", "password", "forced", "do")
BODIES = st.dictionaries(st.sampled_from(NAMES) | st.text(max_size=8), JSON_VALUES, max_size=6)


class Broken:
    """A part of the API that fails."""

    def __init__(self) -> None:
        self.routes = (
            Route("GET", "fault", self.fault),
            Route("POST", "file", lambda call: Answer(body=len(call.body)), file=True),
        )

    def fault(self, call: Call) -> Answer:
        raise KeyError(call.method)


class ApiTestCase(SynchronousTestCase):
    def setUp(self) -> None:
        self.harness = WebHarness("battleship", more=(Broken(),))
        self.addCleanup(self.harness.stop)
        self.ada = self.harness.visitor()

    def check(self, answer: Reply) -> tuple[int, str]:
        """Return the status and the code of a refusal; raise AssertionError if it is not as all are."""
        self.assertEqual(answer.headers["content-type"], "application/json")
        self.assertEqual(answer.headers["cache-control"], "no-store")
        error = answer.json["error"]
        self.assertEqual(set(answer.json), {"error"})
        types = {name: type(value) for name, value in error.items()}
        self.assertEqual(types, dict.fromkeys(("code", "text", "hint"), str))
        return answer.status, error["code"]


class RefusalTests(ApiTestCase):
    def test_no_such_path(self) -> None:
        for path in ("", "nothing", "rooms/", "rooms/x/y", "ROOMS", "rooms//events", "%ff", "rooms/%2e%2e/x", "\u00e4"):
            answer = self.harness.sent(f"GET /api/v1/{path} HTTP/1.1\r\nhost: localhost\r\n\r\n".encode("latin-1"))
            status = int(answer.transport.value()[9:12])
            self.assertIn(status, (400, 404), path)

    def test_no_such_method(self) -> None:
        for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "BREW"):
            answer = self.harness.asked(method, "/api/v1/session")
            self.assertEqual(self.check(answer), (405, "method"), method)
            self.assertEqual(answer.headers["allow"], "GET")
        self.assertEqual(self.harness.asked("GET", "/api/v1/seats/x/act").headers["allow"], "POST")

    def test_head(self) -> None:
        answer = self.harness.asked("HEAD", "/api/v1/session")
        self.assertEqual((answer.status, answer.body), (200, b""))

    def test_bodies_that_are_no_json_objects(self) -> None:
        deep = b'{"a":' * 10_000
        for body in (
            b"{", b"[]", b"7", b"null", b"\xff", b'"x"', b'{"a": NaN}', b'{"a": Infinity}', b'{"a": "\\ud800"}', deep,
            b"[" * 60_000, b'{"a": ' + b"9" * 5_000 + b"}", b'{"\\udfff": 1}', b"{}x",
        ):  # fmt: skip
            self.assertEqual(self.check(self.ada.post("seats", body)), (400, "json"), body[:20])

    def test_the_type_of_the_body(self) -> None:
        for given_type in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "json", ""):
            answer = self.typed(given_type)
            self.assertEqual(self.check(answer), (415, "type"), given_type)
        self.assertEqual(self.check(self.typed("Application/JSON; charset=utf-8")), (404, "no-game"))

    def typed(self, content_type: str) -> Reply:
        headers = {"cookie": self.ada.cookie, "x_gamed_token": self.ada.token, "content_type": content_type}
        return self.harness.asked("POST", "/api/v1/seats", b'{"game": "x", "name": "y"}', **headers)

    def test_long_bodies(self) -> None:
        long = json.dumps({"name": "x" * MOST_JSON}).encode()
        self.assertEqual(self.check(self.ada.post("seats", long)), (413, "too-long"))
        self.assertEqual(self.ada.post("file", b"x" * MOST_IMPORT).json, MOST_IMPORT)
        for size in (MOST_IMPORT + 1, 10_000_000):
            answer = self.ada.post("file", b"x" * size)
            self.assertEqual((answer.status, answer.code), (413, "too-long"))

    def test_endless_bodies(self) -> None:
        wire = self.harness.sent(b"POST /api/v1/file HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n")
        chunk = b"100000\r\n" + b"x" * 0x100000 + b"\r\n"
        for _ in range(READ // 0x100000):
            wire.channel.dataReceived(chunk)
            self.assertFalse(wire.transport.disconnected)
        wire.channel.dataReceived(chunk)
        self.assertTrue(wire.transport.disconnected)

    def test_a_fault_of_ours(self) -> None:
        self.assertEqual(self.check(self.ada.get("fault")), (500, "fault"))
        self.assertEqual(len(self.flushLoggedErrors(KeyError)), 1)

    def test_who_does_not_wait_for_the_answer(self) -> None:
        wire = self.harness.opened("/api/v1/rooms")
        wire.close()
        self.harness.pump()
        self.assertEqual(self.ada.get("rooms").json, [])


class SlowTests(ApiTestCase):
    def test_a_request_that_drips_is_cut_off(self) -> None:
        head = b"GET /api/v1/session HTTP/1.1\r\nhost: localhost\r\n"
        for data, drop in ((b"GET /api", b""), (head, b"x: y\r\n"), (request("POST", "/x", b"12345", {})[:-1], b"")):
            wire = self.harness.sent(data)
            for _ in range(round(COME_WITHIN) + 10):
                if wire.transport.disconnecting or wire.transport.disconnected:
                    break
                wire.channel.dataReceived(drop)
                self.harness.harness.clock.advance(1)
            else:
                self.fail(f"not cut off: {data!r}")
            wire.close()

    def test_one_after_the_other_is_not_slow(self) -> None:
        wire = self.harness.sent(b"")
        for _ in range(20):
            wire.channel.dataReceived(request("GET", "/api/v1/session", None, {"cookie": self.ada.cookie}))
            self.harness.harness.clock.advance(5)
        self.assertFalse(wire.transport.disconnected)
        self.assertEqual(wire.transport.value().count(b"HTTP/1.1 200"), 20)

    def test_connections_are_limited(self) -> None:
        self.harness.site.limits.per_address = 2
        wires = [self.harness.sent(b""), self.harness.sent(b"")]
        with self.assertRaises(AssertionError):
            self.harness.sent(b"")
        wires[0].close()
        self.harness.sent(b"")


class HostileTests(ApiTestCase):
    @given(
        st.sampled_from(("GET", "POST", "DELETE", "PUT")),
        st.lists(
            st.sampled_from(("session", "login", "logout", "rooms", "seats", "act", "events", "pause", "file", "x"))
            | st.text("aä/%.{}\u202e", max_size=5),
            min_size=1,
            max_size=4,
        ),
        BODIES | st.binary(max_size=60),
        st.booleans(),
    )
    @settings(deadline=None, max_examples=150)
    def test_whatever_is_sent_the_answer_is_json(self, method: str, path: list[str], body: Any, is_known: bool) -> None:
        headers = {"cookie": self.ada.cookie, "x_gamed_token": self.ada.token} if is_known else {}
        target = "/".join(path).encode().decode("latin-1").replace(" ", "")
        answer = self.harness.asked(method, f"/api/v1/{target}", body, **headers)
        self.assertLess(answer.status, 500, (method, path, body))
        if answer.headers.get("content-type") == "application/json":
            self.assertIsNotNone(answer.json)
        else:
            # Twisted itself refuses what is no HTTP.
            self.assertIn(answer.status, (200, 400), answer.body)

    @given(BODIES, st.sampled_from(("seats", "rooms", "session/login", "seats/SEAT/act", "rooms/ROOM/step")))
    @settings(deadline=None, max_examples=150)
    def test_whatever_stands_in_a_body(self, body: dict[str, Any], path: str) -> None:
        for player_session in list(self.harness.seats.player_sessions.values()):
            self.harness.seats.leave(player_session)
        self.harness.pump(0.1)
        wish = {"game": "battleship", "name": "Ada"}
        seat = self.ada.post("seats", wish).json["id"]
        self.harness.pump(0.1)
        room = self.ada.get(f"seats/{seat}").json["room"]
        answer = self.ada.post(path.replace("SEAT", seat).replace("ROOM", room), {**wish, **body})
        self.assertLess(answer.status, 500, body)
        self.assertIsNotNone(answer.json)
        self.assertTrue(self.ada.get(f"seats/{seat}").json["isLive"])


class AnswerTests(SynchronousTestCase):
    def test_errors_have_their_statuses(self) -> None:
        for error, status, code in (
            (Refusal(418, "teapot", "no"), 418, "teapot"),
            (IllegalMove("no"), 409, "illegal-move"),
            (InvalidMove("no", code="notation"), 409, "notation"),
            (RoomError("no"), 409, "room"),
            (UnknownRecord("no"), 404, "no-record"),
            (DiskError("no"), 503, "disk"),
            (StoreError("no"), 503, "store"),
            (RemoteProtocolError("no", code="what", hint="do"), 400, "what"),
        ):
            found = refusal_of(error)
            self.assertEqual((found.status, found.code, found.text), (status, code, "no"))

    def test_raw_and_downloads(self) -> None:
        answer = download("a.sgf", b"(;)", "application/x-go-sgf")
        self.assertEqual(answer.encoded(), b"(;)")
        self.assertEqual(answer.headers["content-disposition"], 'attachment; filename="a.sgf"')
        self.assertEqual(Answer(body={"a": "\u202e</script>"}).encoded(), b'{"a":"\\u202e</script>"}')

    def test_numbers_of_a_query(self) -> None:
        known = {"7": 7, None: 5, "-1": None, "11": None, "x": None, "9" * 30: None, "": None}
        for text, number in known.items():
            call = Call([], "GET", {} if text is None else {"n": text}, None, NOBODY)
            if number is None:
                with self.assertRaises(Refusal):
                    call.number("n", 5, 0, 10)
            else:
                self.assertEqual(call.number("n", 5, 0, 10), number)

    def test_which_route_and_who_may(self) -> None:
        routes = [Route("GET", "a/{id}", lambda _: 0), Route("POST", "b", lambda _: 1, admin=True)]
        self.assertEqual(find(routes, ["a", "x"], "GET"), (routes[0], {"id": "x"}))
        permit(routes[0], NOBODY)
        for path, method, status in ((["a"], "GET", 404), (["a", "x"], "POST", 405)):
            with self.assertRaises(Refusal) as caught:
                find(routes, path, method)
            self.assertEqual(caught.exception.status, status)
        with self.assertRaises(Refusal) as caught:
            permit(routes[1], NOBODY)
        self.assertEqual(caught.exception.status, 401)

    @given(st.binary(max_size=40) | JSON_VALUES.map(lambda value: json.dumps(value).encode()))
    @settings(deadline=None, max_examples=300)
    def test_a_body_is_an_object_or_refused(self, body: bytes) -> None:
        try:
            value = parse_object(body)
        except Refusal as error:
            self.assertEqual(error.status, 400)
        else:
            self.assertIsInstance(value, dict)
            json.dumps(value, ensure_ascii=False).encode()
