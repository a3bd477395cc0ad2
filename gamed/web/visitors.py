"""The sessions of browsers, which are held by a cookie, and the protection against other sites' pages (CSRF).

Source: docs/reference/web-api.md#sessions. A page of another site can make a browser send requests with its cookie. But
it can neither read the session's token nor set a header. So each request that changes something must have the token in
a header.
"""

from __future__ import annotations

import hmac
import re
import secrets
from collections.abc import Mapping
from typing import Final
from urllib.parse import urlsplit

from attrs import define, field
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger

from gamed.admin.accounts import Accounts
from gamed.admin.operators import Operator, Operators
from gamed.web.answers import Refusal

log = Logger()

COOKIE: Final = "gamed"
"""The beginning of the cookie's name; the port follows."""

MOST: Final = 5_000
"""The maximal number of sessions. For another one, the session without seats that was unused for longest is deleted."""

MOST_OF_ADDRESS: Final = 500
"""The maximal number of sessions from one address."""

MOST_AT_HOME: Final = 3
"""The maximal number of sessions from an address that is one person's."""

_BROWSER = re.compile("[0-9a-f]{24}")

EXPIRES: Final = 12 * 3_600.0
"""Seconds after its last request at which a session expires."""

LONGEST_PASSWORD: Final = 1_024


@define(eq=False)
class Visitor:
    """A session."""

    address: str
    """The address from which it was opened."""

    id: str = field(factory=lambda: secrets.token_urlsafe(9))
    """Names the session inside the daemon; it never changes."""

    browser: str = field(factory=lambda: secrets.token_hex(12), repr=False)
    """The key of the browser, which outlives the session: pages keep it to find the games of this browser again."""

    key: str = field(factory=lambda: secrets.token_urlsafe(24), repr=False)
    """The value of the cookie."""

    token: str = field(factory=lambda: secrets.token_urlsafe(24), repr=False)
    """The CSRF token that is sent in a header."""

    operator: Operator | None = None
    """The administrator who has logged in."""

    seen: float = 0.0
    """When its last request came."""

    seats: int = 0
    """How many seats it plays on. A session with seats does not expire."""

    @property
    def admin(self) -> bool:
        """Whether an administrator has logged in."""
        return self.operator is not None


NOBODY: Final = Visitor("", id="", browser="", key="", token="")
"""Stands for all browsers without a session: they may read what is public, and change nothing."""


@define(eq=False)
class Visitors:
    """All sessions. Administrators log in with the accounts of the console."""

    clock: IReactorTime
    accounts: Accounts

    operators: Operators
    """The administrators who are logged in, here or at the console."""

    _visitors: dict[str, Visitor] = field(factory=dict)
    """By the value of the cookie; the session that was unused for longest is the first."""

    _addresses: dict[str, int] = field(factory=dict)
    """How many sessions each address has."""

    def __len__(self) -> int:
        """How many sessions there are."""
        return len(self._visitors)

    # Sessions

    def find(self, cookie: str | None) -> Visitor:
        """Return the session of a cookie; `NOBODY` if there is none, or if it has expired."""
        visitor = self._visitors.get(cookie or "")
        if visitor is None:
            return NOBODY
        now = self.clock.seconds()
        if now - visitor.seen > EXPIRES and not visitor.seats:
            self.forget(visitor)
            return NOBODY
        if visitor.operator is not None and now - visitor.seen > self.operators.idle_seconds:
            self.logout(visitor)
        visitor.seen = now
        # To the end of the dict: the session that was unused for longest is the first.
        self._visitors[visitor.key] = self._visitors.pop(visitor.key)
        return visitor

    def make(self, address: str, browser: str = "") -> Visitor:
        """Return a new session. Raises Refusal if there are too many. `browser`: its key, if it has a valid one."""
        if self._addresses.get(address, 0) >= MOST_OF_ADDRESS or len(self._visitors) >= MOST:
            self._make_room(address)
        visitor = Visitor(address, seen=self.clock.seconds())
        if _BROWSER.fullmatch(browser):
            visitor.browser = browser
        self._visitors[visitor.key] = visitor
        self._addresses[address] = self._addresses.get(address, 0) + 1
        return visitor

    def owners(self, visitor: Visitor, address: str) -> frozenset[str]:
        """Return the `Summary.owners` that the games of a visitor have.

        An address from which more than `MOST_AT_HOME` browsers come belongs to a proxy or a NAT, and to nobody alone.
        """
        is_shared = self._addresses.get(address, 0) > MOST_AT_HOME
        return frozenset({visitor.browser, "" if is_shared else address} - {""})

    def _make_room(self, address: str) -> None:
        crowded = self._addresses.get(address, 0) >= MOST_OF_ADDRESS
        spare = (
            visitor
            for visitor in self._visitors.values()
            if not visitor.seats and not visitor.admin and (not crowded or visitor.address == address)
        )
        oldest = next(spare, None)
        if oldest is None:
            raise Refusal(503, "sessions", "there are too many sessions", "try again later")
        self.forget(oldest)

    def forget(self, visitor: Visitor) -> None:
        """End a session."""
        self.logout(visitor)
        if self._visitors.pop(visitor.key, None) is not None:
            left = self._addresses[visitor.address] - 1
            if left:
                self._addresses[visitor.address] = left
            else:
                del self._addresses[visitor.address]

    # The administrator

    def login(self, visitor: Visitor, user: str, password: str, address: str, port: int | None) -> Deferred[Visitor]:
        """Log in. The Deferred fires with the session, which has a new cookie and token, or fails with a Refusal."""
        if not password or len(password) > LONGEST_PASSWORD or len(user) > LONGEST_PASSWORD:
            raise Refusal(403, "password", "wrong user or password")
        checked = self.accounts.check(user, password, address, "web")
        return checked.addCallback(self._checked, visitor, user, address, port)

    def _checked(self, is_right: bool, visitor: Visitor, user: str, address: str, port: int | None) -> Visitor:  # noqa: FBT001 (a Deferred's result)
        if not is_right:
            raise Refusal(403, "password", "wrong user or password")
        if visitor.key not in self._visitors:
            raise Refusal(401, "session", "the session has expired", "GET /api/v1/session begins a new one")
        self.logout(visitor)
        # Session fixation: somebody else who knows the old cookie must not become an administrator.
        del self._visitors[visitor.key]
        visitor.key, visitor.token = secrets.token_urlsafe(24), secrets.token_urlsafe(24)
        self._visitors[visitor.key] = visitor
        now = self.clock.seconds()
        visitor.operator = operator = Operator(
            user, address, "web", _say_nothing, lambda: self.logout(visitor), since=now, port=port
        )
        self.operators.add(operator)
        log.info("web: logged in: {who}", who=operator.name)
        return visitor

    def logout(self, visitor: Visitor) -> None:
        """Log the administrator out; the session goes on as a visitor's."""
        operator, visitor.operator = visitor.operator, None
        if operator is not None:
            self.operators.remove(operator)
            log.info("web: logged out: {who}", who=operator.name)


def _say_nothing(_text: str) -> None:
    """Show nothing: a browser has no terminal."""


def check_origin(headers: Mapping[str, str], method: str) -> None:
    """Raise Refusal if a page of another site has sent the request. `headers`: by their names in lower case."""
    # "same-site" is another host of the domain, or another port of this host.
    site = headers.get("sec-fetch-site")
    if site in ("cross-site", "same-site") or (method != "GET" and site not in (None, "same-origin")):
        raise Refusal(403, "origin", "pages of other sites may not send this request")
    origin = headers.get("origin")
    if origin is not None and _netloc(origin) != headers.get("host", "").lower():
        raise Refusal(403, "origin", "pages of other sites may not send this request")


def _netloc(origin: str) -> str | None:
    try:
        return urlsplit(origin).netloc.lower() or None
    except ValueError:
        return None


def check_session(visitor: Visitor) -> None:
    """Raise Refusal if there is no session."""
    if visitor is NOBODY:
        raise Refusal(401, "session", "there is no session", "GET /api/v1/session begins one")


def check_token(visitor: Visitor, token: str | None) -> None:
    """Raise Refusal if there is no session, or if the token is not the session's."""
    check_session(visitor)
    if not hmac.compare_digest((token or "").encode("utf-8", "replace"), visitor.token.encode()):
        raise Refusal(403, "token", "the header X-Gamed-Token is missing or wrong", "GET /api/v1/session returns it")
