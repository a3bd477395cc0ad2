"""The composition root: the options and the service of `twistd gamed`.

Source: docs/topics/design.md#the-tree, README.md#configure-it.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import attrs
from attrs import define, field
from twisted.application.service import IService, Service
from twisted.internet.defer import Deferred
from twisted.internet.threads import deferToThreadPool
from twisted.logger import Logger
from twisted.python import usage

from gamed import __version__
from gamed.config import UNIX, Config, WebConfig, load, with_password
from gamed.console.service import Console, console
from gamed.control.listener import LONGEST_PATH, ControlListener
from gamed.core.errors import ConfigError
from gamed.core.stats import Stats
from gamed.daemon import Daemon, Storage
from gamed.doctor import quick_checks
from gamed.lobby.expiry import Expiry
from gamed.lobby.lobby import Lobby
from gamed.net.accept_throttle import AcceptThrottle, accept_throttle_of
from gamed.net.factory import SessionFactory
from gamed.net.fair_queue import FairQueue
from gamed.net.game_listeners import GameListener, GameListeners
from gamed.net.late import LateFactory
from gamed.net.limits import Bans, ConnectionLimits, raise_descriptor_limit
from gamed.net.listener import Listener, standard_endpoint
from gamed.net.stall_clock import StallClock, has_passes
from gamed.net.strings import parse
from gamed.net.systemd import REMEDY, UnusedSocket, activated, credential, port_of
from gamed.net.timers import install_reactor
from gamed.process.audit import AuditObserver
from gamed.process.fairness import TurnBudget
from gamed.process.garbage import GarbagePauses
from gamed.process.logs import reopen
from gamed.registry import GameMaker, ListenerSettings, Named, game_types, games
from gamed.store.database import Database, public_url
from gamed.store.journal import FileJournal
from gamed.store.replays import ReplayWriter, folders
from gamed.store.sql import SqlStore

log = Logger()

T = TypeVar("T")


class Options(usage.Options):
    """Options of `twistd gamed`: a configuration file, and an endpoint for each game in the registry."""

    synopsis = "[--config FILE] [--GAME ENDPOINT …]"
    longdesc = (
        "Serve games to the programs that already speak their protocols. Without --config, the defaults of "
        "etc/gamed.toml hold and games are kept in the working directory. "
        f"Example: twistd -n gamed --{next(iter(games()))} tcp:4711"
    )
    optParameters: ClassVar[list[list[Any]]] = [
        ["config", "c", None, "TOML file; etc/gamed.toml documents every key with its default"],
        *(
            [name, None, None, f"endpoint string of the {name} listener (standard port {maker.port}); empty: off"]
            for name, maker in games().items()
        ),
        ["console", None, None, "endpoint string of the telnet console (standard: port 54322 on loopback); empty: off"],
        ["web", None, None, "endpoint string of the web listener (standard: port 8054 on loopback); empty: off"],
    ]

    def opt_version(self) -> None:
        """Print the versions of gamed and of Twisted."""
        print(f"gamed {__version__}")  # noqa: T201 (what --version is for)
        super().opt_version()  # type: ignore[no-untyped-call]


def makeService(options: Options, reactor: Any = None) -> IService:
    """Return the daemon for some options. Exit with a sentence if the configuration cannot be used."""
    # Before the first file is created: the log can contain a generated password, the database addresses of players.
    os.umask(0o077)
    _take_signals(options.parent or {})
    if reactor is None:
        install_reactor()
        from twisted.internet import reactor  # noqa: PLC0415 (importing it installs Twisted's own, if there is none)

    try:
        config = with_credentials(load(options["config"]))
    except ConfigError as error:
        raise SystemExit(f"gamed: {error}") from error
    log.info(
        "gamed {version}: configuration={config} state={state} database={database}",
        version=__version__,
        config=options["config"] or "none, the defaults hold",
        state=config.store.state,
        database=public_url(config.store.url),
    )
    configure = None if options["config"] is None else lambda: with_credentials(load(options["config"]))
    endpoints = {name: options[name] for name in (*games(), "console", "web")}
    try:
        return build(config, endpoints, reactor, configure)
    except ConfigError as error:
        raise SystemExit(f"gamed: {error}") from error


def _take_signals(twistd: Mapping[str, Any]) -> None:
    """Make SIGUSR1 reopen twistd's log, and ignore SIGUSR2. By default, both end a process."""
    logfile = twistd.get("logfile") or ("-" if twistd.get("nodaemon", True) else "twistd.log")
    with suppress(ValueError):
        # Only the main thread can set handlers, and some tests run elsewhere.
        signal.signal(signal.SIGUSR2, signal.SIG_IGN)
        signal.signal(signal.SIGUSR1, lambda *_: reopen(logfile) if logfile != "-" else None)


def with_credentials(config: Config) -> Config:
    """Return a configuration whose missing passwords are systemd's credentials. Raises ConfigError."""
    listeners = dict(config.listeners)
    for name, settings in listeners.items():
        if getattr(settings, "password", None) == "":
            listeners[name] = attrs.evolve(settings, password=credential(f"{name}.password"))
    operator = config.console
    if not operator.password:
        operator = attrs.evolve(operator, password=credential("console.password"))
    accounts = [
        account if account.password else attrs.evolve(account, password=credential(f"console.{account.user}.password"))
        for account in operator.accounts
    ]
    return attrs.evolve(config, listeners=listeners, console=attrs.evolve(operator, accounts=tuple(accounts)))


def _endpoints(section: str, given: str | None, port: int, reactor: Any) -> list[str]:
    """Return the endpoint of a game's listener, and then the socket that systemd holds for it in vain, if any.

    Raises ConfigError if the given endpoint has the port of that socket.
    """
    held = activated(section, reactor)
    if given is None:
        return [held or standard_endpoint(port)]
    if held is None:
        return [given]
    if parse(given).port == (taken := port_of(held, reactor)):
        raise ConfigError(f'[{section}] endpoint "{given}": systemd holds port {taken} for this listener: {REMEDY}')
    return [given, held]


def _given(option: str | None, configured: T) -> str | T:
    """Return the value of the command line, or else that of the configuration."""
    return configured if option is None else option


@define(eq=False)
class _Shared:
    """What the parts of the daemon share."""

    config: Config
    reactor: Any
    stats: Stats = field(factory=Stats)
    bans: Bans = field(factory=Bans)

    room_for: int = field(init=False)
    """How many connections the process can have at most."""

    stall_clock: StallClock = field(init=False)
    fair_queue: FairQueue = field(init=False)
    accept_throttle: AcceptThrottle | None = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.room_for = raise_descriptor_limit()
        self.stall_clock = StallClock(self.reactor, time.monotonic)
        self.stall_clock.on_gap.append(self.stats.stalls.observe)
        self.fair_queue = FairQueue(self.reactor, TurnBudget(self.reactor.seconds, lambda: self.stall_clock.number))
        self.accept_throttle = accept_throttle_of(self.reactor, self.fair_queue.budget)

    def in_thread(self, call: Callable[..., Any], *arguments: object) -> Deferred[Any]:
        """Call in a thread of the reactor's pool."""
        return deferToThreadPool(self.reactor, self.reactor.getThreadPool(), call, *arguments)


def _storage(shared: _Shared) -> Storage:
    """Return the journal, the store and the writers of replays. None of them is open yet."""
    store, reactor, kept = shared.config.store, shared.reactor, folders(shared.config.listeners)
    database = Database(store.url)
    return Storage(
        FileJournal(store.journal, durability=store.durability, reactor=reactor),
        database,
        SqlStore(database, reactor, shared.stats, kept),
        {
            kind: ReplayWriter(folder.directory, folder.replay, reactor)
            for kind, made in game_types().items()
            if (folder := kept.get(made.publisher))
        },
    )


def _lobby(shared: _Shared, storage: Storage) -> Lobby:
    """Return the lobby, which holds all when the disk is full."""
    lobby = Lobby(
        game_types=game_types(),
        settings={
            made.kind: shared.config.listeners[name] for name, maker in games().items() for made in maker.load_all()
        },
        journal=storage.journal,
        store=storage.store,
        clock=shared.reactor,
        seconds=shared.stall_clock.seconds,
        held=shared.stall_clock.held,
        after_reads=shared.stall_clock.after_reads,
        stats=shared.stats,
    )
    lobby.delivery.on_full = shared.config.store.on_full
    lobby.delivery.outage.on_hold.append(shared.stall_clock.hold)
    storage.journal.on_failure = lobby.delivery.sync_failed
    lobby.recorder.replays |= {kind: writer.write for kind, writer in storage.replays.items()}
    return lobby


def _game(shared: _Shared, lobby: Lobby, maker: GameMaker, *, is_open: bool) -> GameListener:
    """Return what serves the peers of a listener. `is_open`: whether it has a listener, which may need a password."""
    name, settings, most = maker.name, shared.config.listeners[maker.name], shared.room_for
    limits = ConnectionLimits(
        name,
        min(settings.connections, most),
        settings.connections_per_address,
        shared.bans,
        most,
        settings.connections_per_second,
    )
    return GameListener(
        maker.load_all(),
        with_password(name, settings) if is_open else settings,
        lobby,
        _sessions(shared, lobby, settings, ConnectionLimits(name, most, most)),
        _sessions(shared, lobby, settings, limits, shared.accept_throttle) if is_open else None,
    )


def _sessions(
    shared: _Shared,
    lobby: Lobby,
    settings: ListenerSettings,
    limits: ConnectionLimits,
    accept_throttle: AcceptThrottle | None = None,
) -> SessionFactory:
    """Return what makes the sessions of a game's peers."""
    factory = SessionFactory(
        limits,
        shared.reactor,
        unsent_bytes=settings.unsent_bytes,
        messages_per_second=settings.messages_per_second,
        message_seconds=settings.message_seconds,
        fair_queue=shared.fair_queue,
        refusals=lobby.refusals,
        accept_throttle=accept_throttle,
        passes=shared.stall_clock if has_passes(shared.reactor) else None,
    )
    lobby.delivery.outage.on_hold.append(factory.hold)
    return factory


_web_site = Named("gamed.web.service.web_site")
_importer = Named("gamed.replayers.importer")
_runners = Named("gamed.control.runners.Runners")


def _web(
    shared: _Shared, endpoint: str, console: Console, listeners: list[Listener], warnings: Mapping[str, str]
) -> Listener:
    """Return the listener of the web site, which is made for the first connection."""
    services = console.services

    def make() -> Any:
        # The pages show all games.
        services.listeners.load()
        config = services.reloader.config
        return _web_site(
            config=config.web,
            importer=_importer(config.store.formats),
            lobby=services.lobby,
            games=services.listeners,
            listeners=listeners,
            accounts=console.accounts,
            operators=services.operators,
            bans=shared.bans,
            reactor=shared.reactor,
            in_thread=shared.in_thread,
            most=shared.room_for,
            warnings=warnings,
        )

    def configure(settings: WebConfig) -> None:
        # A site that was not made yet takes the settings of its time.
        if site.is_wanted:
            made: Any = site.get()
            made.configure(settings)

    site = LateFactory("web", make)
    services.reloader.web = configure
    return Listener("web", endpoint, site, shared.reactor, shared.accept_throttle, partial(shared.in_thread, site.get))


def _control(shared: _Shared, lobby: Lobby, served: GameListeners) -> list[Service]:
    """Return the control listener, if there is one. Raises ConfigError if its path is too long."""
    config = shared.config
    if config.control.endpoint == "":
        return []
    path = (config.control.endpoint or str(config.store.control)).removeprefix(UNIX)
    if config.control.endpoint is None and len(path.encode()) > LONGEST_PATH:
        log.info("no control listener: {path} is too long for a UNIX socket; set [control] endpoint", path=path)
        return []
    make = partial(_runners, lobby, served.by_kind, shared.in_thread, shared.reactor, config.control)
    factory = LateFactory("control", make)
    return [ControlListener(path, factory, shared.reactor, partial(shared.in_thread, factory.get))]


def build(
    config: Config,
    endpoints: dict[str, str | None],
    reactor: Any,
    configure: Callable[[], Config] | None = None,
) -> Daemon:
    """Assemble the daemon.

    `endpoints`: of the command line; they override the configuration. `configure`: reads the configuration again.
    """
    shared = _Shared(config, reactor)
    storage = _storage(shared)
    lobby = _lobby(shared, storage)
    listeners, unused, hosted = list[Listener](), list[UnusedSocket](), dict[str, GameListener]()
    for name, maker in games().items():
        given = _given(endpoints[name], config.listeners[name].endpoint)
        endpoint, *left = _endpoints(name, given, maker.port, reactor)
        unused += [UnusedSocket(name, held, reactor) for held in left]
        game = hosted[name] = _game(shared, lobby, maker, is_open=bool(endpoint))
        if game.factory is not None:
            load = partial(shared.in_thread, game.load)
            listeners.append(Listener(name, endpoint, game.factory, reactor, shared.accept_throttle, load))
    served = GameListeners(hosted)
    strings = {listener.section: listener.endpoint for listener in listeners}
    web = strings["web"] = _given(endpoints.get("web"), config.web.endpoint)
    telnet = strings["console"] = _given(endpoints.get("console"), config.console.telnet)
    strings["console ssh"] = config.console.ssh
    operated = console(
        config=config,
        telnet=telnet,
        # The web listener uses the console's accounts.
        is_open=bool(telnet or config.console.ssh or web),
        lobby=lobby,
        listeners=served,
        bans=shared.bans,
        reactor=reactor,
        configure=configure,
        in_thread=shared.in_thread,
    )
    listeners += operated.listeners
    warnings = {each.section: each.warning for each in unused}
    if web:
        listeners.append(_web(shared, web, operated, listeners, warnings))
    checks = quick_checks.checks(config, {name: text for name, text in strings.items() if text})
    daemon = Daemon(
        storage=storage,
        stall_clock=shared.stall_clock,
        lobby=lobby,
        listeners=listeners,
        others=[*unused, *_control(shared, lobby, served)],
        warnings=warnings,
        garbage=GarbagePauses(shared.stats.pauses),
        reactor=reactor,
        expiry=Expiry(storage.store, reactor, config.store.keep_days),
        examine=partial(quick_checks.run, checks),
        console=operated,
        audit=AuditObserver(Path(config.store.state)),
    )
    operated.services.reloader.certificates = daemon.reload_certificates
    return daemon
