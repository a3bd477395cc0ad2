"""The services of the daemon in their order: how it starts, reloads and stops.

Source: docs/topics/design.md#the-tree.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

from attrs import define, field
from twisted.application.service import MultiService, Service
from twisted.internet.defer import Deferred, DeferredList
from twisted.logger import Logger, globalLogPublisher

from gamed.console.reload import CHANGED, LATER, RESTART, UNUSABLE
from gamed.console.service import Console
from gamed.core.errors import ConfigError, GamedError
from gamed.doctor import quick_checks
from gamed.lobby.expiry import Expiry
from gamed.lobby.lobby import Lobby
from gamed.lobby.recovery import recover
from gamed.net.listener import Listener
from gamed.net.stall_clock import StallClock
from gamed.net.systemd import Watchdog, notify
from gamed.net.timers import ClockSteps
from gamed.process.audit import AuditObserver
from gamed.process.garbage import GarbagePauses, IdleCollector
from gamed.store.database import Database
from gamed.store.journal import FileJournal
from gamed.store.replays import ReplayWriter
from gamed.store.sql import SqlStore

log = Logger("gamed.tap")
"""By the name under which `ready` has always been logged: people look for it."""

STOP_WITHIN = 3.6
"""Seconds to wait for the records and the database when stopping. Records that are not stored are in the journal.

With a database that does not answer, the whole stop must stay under five seconds, on a busy machine, too.
"""

CLOSE_WITHIN = 0.5
"""The part of these seconds that is reserved for closing the database."""


@define(eq=False)
class Storage(Service):
    """The journal, the record store and the writers of replays: opened first, closed last."""

    journal: FileJournal
    database: Database
    store: SqlStore
    replays: Mapping[str, ReplayWriter] = field(factory=dict)
    """The writers, by the kind of the game."""

    def startService(self) -> None:
        """Open all. Raises StoreError."""
        super().startService()  # type: ignore[no-untyped-call]
        self.database.thd_open()
        self.store.start()
        self.journal.start()
        for writer in self.replays.values():
            writer.start()

    def stopService(self) -> Deferred[Any]:
        """Close all when their pending writes are done."""
        super().stopService()  # type: ignore[no-untyped-call]
        # The journal is closed even if the store fails.
        stored = self.store.stop().addBoth(lambda _: self.journal.stop())
        return DeferredList([stored, *(writer.stop() for writer in self.replays.values())], consumeErrors=True)


@define(eq=False, kw_only=True)
class Daemon(MultiService):
    """All services in their order: storage, stall clock, lobby, listeners."""

    storage: Storage
    stall_clock: StallClock
    lobby: Lobby
    listeners: list[Listener]
    others: list[Service] = field(factory=list)
    """The control listener, and the sockets that systemd holds in vain."""

    warnings: dict[str, str] = field(factory=dict)
    """What `/readyz` warns of, by part of the daemon."""

    garbage: GarbagePauses
    reactor: Any
    expiry: Expiry
    examine: Callable[[], Iterable[quick_checks.Finding]] = tuple
    """Runs the quick checks of `gamed doctor`."""

    console: Console
    audit: AuditObserver
    watchdog: Watchdog = field(init=False)
    collector: IdleCollector = field(init=False)

    def __attrs_post_init__(self) -> None:
        MultiService.__init__(self)
        self.watchdog = Watchdog(self.reactor)
        self.collector = IdleCollector(lambda: self.lobby.stats.appends.count)
        self.stall_clock.on_beat += [self.collector.beat, ClockSteps().look]
        for service in (self.storage, self.stall_clock, self.lobby, self.console, *self.listeners, *self.others):
            service.setServiceParent(self)

    def privilegedStartService(self) -> None:
        """Listen. Exit with a sentence instead of a traceback if an endpoint cannot be used."""
        _or_exit(partial(_report, self.examine))
        _or_exit(super().privilegedStartService)

    def startService(self) -> None:
        """Open the store, recover the games in the journal, and log `ready`."""
        _or_exit(super().startService)
        globalLogPublisher.addObserver(self.audit)
        url = self.storage.database.url
        found = quick_checks.run([("database", partial(quick_checks.check_pages, url))])
        _report(lambda: found)
        self.warnings |= {finding.check: finding.text for finding in found}
        _or_exit(partial(recover, self.lobby))
        self.reactor.callWhenRunning(self._ready)

    def _ready(self) -> None:
        for listener in self.listeners:
            log.info("listening: {section} on {address}", section=listener.section, address=listener.address)
        self.collector.start()
        self.garbage.start()
        self.expiry.start()
        with suppress(ValueError):
            # Only the main thread can set handlers. Tests run elsewhere and need none.
            signal.signal(signal.SIGHUP, lambda *_: self.reactor.callFromThread(self.reload))
        log.info("ready")
        notify("READY=1")
        self.watchdog.start()

    def reload(self) -> None:
        """Read the configuration and the certificates again, as the console's `reload` does, and log the outcome."""
        reloader = self.console.services.reloader
        if reloader.read is None:
            self.reload_certificates()
            log.info("only certificates were read again: there is no configuration file")
            return
        try:
            found = reloader.reload().values
        except ConfigError as error:
            log.error("the configuration stays as it was: {error}", error=error)  # noqa: TRY400 (Twisted's logger)
            self.reload_certificates()
            return
        changed, later, restart = (", ".join(found[key]) or "nothing" for key in (CHANGED, LATER, RESTART))
        (log.info if restart == "nothing" else log.warn)(
            "{what} read again: changed: {changed}; for new rooms and connections: {later}; needs a restart: {restart}",
            what="configuration" if UNUSABLE in found else "configuration and certificates",
            changed=changed,
            later=later,
            restart=restart,
        )

    def reload_certificates(self) -> dict[str, ConfigError | None]:
        """Read the certificates of all TLS listeners again.

        Return, by section, the reason why they cannot be used, None if they can. A listener whose new certificates
        cannot be used keeps its old ones.
        """
        read: dict[str, ConfigError | None] = {}
        for listener in self.listeners:
            try:
                if listener.reload():
                    read[listener.section] = None
                    log.info("certificates reloaded: {section}", section=listener.section)
            except ConfigError as error:
                read[listener.section] = error
                log.error("[{section}] {error}", section=listener.section, error=error)  # noqa: TRY400 (Twisted's logger)
        if not read:
            log.info("no certificates were read")
        return read

    def stopService(self) -> Deferred[Any]:
        """Stop listening, end the matches, and wait for their records for a limited time."""
        notify("STOPPING=1")
        self.watchdog.stop()
        waits = [service.stopService() for service in (*self.listeners, *self.others)]
        self.stall_clock.stopService()
        self.garbage.stop()
        self.expiry.stop()
        self.collector.stop()
        until = self.reactor.seconds() + STOP_WITHIN
        stopped = self._limited(DeferredList([*waits, self.lobby.stopService()]), until - CLOSE_WITHIN)
        stopped.addCallback(lambda _result: self._limited(self.storage.stopService(), until))
        return stopped.addCallback(lambda _result: globalLogPublisher.removeObserver(self.audit))

    def _limited(self, stopping: Deferred[Any], until: float) -> Deferred[Any]:
        return stopping.addTimeout(until - self.reactor.seconds(), self.reactor, lambda _result, _timeout: None)


def _report(examine: Callable[[], Iterable[quick_checks.Finding]]) -> None:
    """Log the findings of checks. Raises ConfigError that names all that cannot be used."""
    refused = []
    for finding in examine():
        if finding.status == quick_checks.ERROR and finding.check in quick_checks.FATAL:
            refused.append(finding.text)
        elif finding.status != quick_checks.OK:
            tell = log.error if finding.status == quick_checks.ERROR else log.warn
            tell("{check}: {text}", check=finding.check, text=finding.text)
    if refused:
        raise ConfigError("\n".join(refused))


def _or_exit(start: Any) -> None:
    try:
        start()
    except GamedError as error:
        raise SystemExit(f"gamed: {error}") from error
