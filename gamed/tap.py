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
from typing import Any, ClassVar, TypeVar, cast

import attrs
from attrs import define
from twisted.application.service import IService, Service
from twisted.internet.defer import Deferred
from twisted.internet.threads import deferToThreadPool
from twisted.logger import Logger
from twisted.python import usage

from gamed import __version__
from gamed.admin.accounts import Accounts
from gamed.admin.operators import Operators
from gamed.config import UNIX, Config, WebConfig, load, with_password
from gamed.console.reload import Reloader
from gamed.console.service import console
from gamed.control.listener import LONGEST_PATH, ControlListener
from gamed.core.errors import ConfigError
from gamed.core.reception import Reception
from gamed.core.stats import Stats
from gamed.daemon import Daemon, Storage
from gamed.doctor import quick_checks
from gamed.lobby.expiry import Expiry
from gamed.lobby.lobby import Lobby
from gamed.lobby.stall_clock import StallClock, has_passes
from gamed.net.accept_throttle import AcceptThrottle, accept_throttle_of
from gamed.net.factory import SessionFactory
from gamed.net.fair_queue import FairQueue
from gamed.net.game_listeners import GameListeners
from gamed.net.late import LateFactory, LateReception
from gamed.net.limits import Bans, ConnectionLimits, raise_descriptor_limit
from gamed.net.listener import Listener, standard_endpoint
from gamed.net.strings import parse
from gamed.net.systemd import REMEDY, UnusedSocket, activated, credential, port_of
from gamed.net.timers import run_on_monotonic_time
from gamed.net.twisted_private import poll_without_log_context
from gamed.process.audit import AuditObserver
from gamed.process.fairness import TurnBudget
from gamed.process.garbage import GarbagePauses
from gamed.process.logs import reopen
from gamed.registry import GameType, Named, games
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
        from twisted.internet import reactor  # noqa: PLC0415 (importing it installs it)

        run_on_monotonic_time(reactor)
        poll_without_log_context(reactor)
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


def _in_thread(reactor: Any, call: Callable[..., Any], *arguments: object) -> Deferred[Any]:
    return deferToThreadPool(reactor, reactor.getThreadPool(), call, *arguments)


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


_web_site = Named("gamed.web.service.web_site")
_importer = Named("gamed.replayers.importer")
_runners = Named("gamed.control.runners.Runners")


def _web_listener(
    endpoint: str, reloader: Reloader, load_games: Callable[[], None], throttle: AcceptThrottle | None, **daemon: Any
) -> Listener:
    """Return the listener of the web site, which is made for the first connection. `daemon`: what `web_site` takes."""

    def make() -> Any:
        # The pages show all games.
        load_games()
        config = reloader.config
        return _web_site(config=config.web, importer=_importer(config.store.formats), **daemon)

    def configure(settings: WebConfig) -> None:
        # A site that was not made yet takes the settings of its time.
        if site.is_wanted:
            made: Any = site.get()
            made.configure(settings)

    site = LateFactory("web", make)
    reloader.web = configure
    return Listener("web", endpoint, site, daemon["reactor"], throttle, partial(daemon["in_thread"], site.get))


def _load_game(made: GameType, factory: SessionFactory | None) -> None:
    """Import a game and make its listener's reception, once. Raises ConfigError: its settings cannot be used."""
    made.load()
    if factory is not None and isinstance(factory.reception, LateReception):
        factory.reception = factory.reception.get()


def _load_games(types: Mapping[str, GameType], factories: Mapping[str, SessionFactory]) -> None:
    """Import all games: console and pages show those without a listener, too, as records."""
    for name, made in types.items():
        _load_game(made, factories.get(name))


def _reception(name: str, made: GameType, settings: Any, lobby: Lobby, *, is_open: bool) -> Reception:
    """Return the reception of a game's connections. `is_open`: whether it has a listener, which needs a password."""
    protected = with_password(name, settings) if is_open else settings
    return cast("Reception", LateReception(partial(made.reception, protected, lobby), made.check))


@define
class _Sessions:
    """What the sessions of all listeners share."""

    lobby: Lobby
    fair_queue: FairQueue
    stall_clock: StallClock

    def of(
        self,
        made: GameType,
        reception: Reception,
        settings: Any,
        limits: ConnectionLimits,
        accept_throttle: AcceptThrottle | None,
    ) -> SessionFactory:
        """Return what makes the sessions of a game."""
        reactor = self.lobby.clock
        factory = SessionFactory(
            partial(made.connection, settings),
            reception,
            limits,
            reactor,
            unsent_bytes=settings.unsent_bytes,
            messages_per_second=settings.messages_per_second,
            message_seconds=settings.message_seconds,
            fair_queue=self.fair_queue,
            refusals=self.lobby.refusals,
            accept_throttle=accept_throttle,
            passes=self.stall_clock if has_passes(reactor) else None,
        )
        self.lobby.delivery.outage.on_hold.append(factory.hold)
        return factory


def _control(
    config: Config, lobby: Lobby, entrances: Mapping[str, SessionFactory], in_thread: Callable[..., Deferred[Any]]
) -> list[Service]:
    """Return the control listener, if there is one. Raises ConfigError if its path is too long."""
    if config.control.endpoint == "":
        return []
    path = (config.control.endpoint or str(config.store.control)).removeprefix(UNIX)
    if config.control.endpoint is None and len(path.encode()) > LONGEST_PATH:
        log.info("no control listener: {path} is too long for a UNIX socket; set [control] endpoint", path=path)
        return []

    def load(game: str) -> Deferred[Any]:
        return in_thread(_load_game, lobby.game_types[game], entrances[game])

    make = partial(_runners, lobby, entrances, load, lobby.clock, config.control.lease_seconds)
    factory = LateFactory("control", make)
    return [ControlListener(path, factory, lobby.clock, partial(in_thread, factory.get))]


def build(
    config: Config,
    endpoints: dict[str, str | None],
    reactor: Any,
    configure: Callable[[], Config] | None = None,
) -> Daemon:
    """Assemble the daemon.

    `endpoints`: of the command line; they override the configuration. `configure`: reads the configuration again.
    """
    database = Database(config.store.url)
    journal = FileJournal(config.store.journal, durability=config.store.durability, reactor=reactor)
    stall_clock = StallClock(reactor, time.monotonic)
    stats = Stats()
    store = SqlStore(database, reactor, stats, kept := folders(config.listeners))
    stall_clock.on_gap.append(stats.stalls.observe)
    makers = {name: (maker, maker.load()) for name, maker in games().items()}
    lobby = Lobby(
        game_types={made.kind: made for _, made in makers.values()},
        settings={made.kind: config.listeners[name] for name, (_, made) in makers.items()},
        journal=journal,
        store=store,
        clock=reactor,
        seconds=stall_clock.seconds,
        held=stall_clock.held,
        after_reads=stall_clock.after_reads,
        stats=stats,
    )
    lobby.delivery.on_full = config.store.on_full
    lobby.delivery.outage.on_hold.append(stall_clock.hold)
    journal.on_failure = lobby.delivery.sync_failed
    room_for, bans = raise_descriptor_limit(), Bans()
    fair_queue = FairQueue(reactor, TurnBudget(reactor.seconds, lambda: stall_clock.number))
    accept_throttle, shared = accept_throttle_of(reactor, fair_queue.budget), _Sessions(lobby, fair_queue, stall_clock)
    in_thread = partial(_in_thread, reactor)
    listeners, unused = list[Listener](), list[UnusedSocket]()
    factories, entrances = dict[str, SessionFactory](), dict[str, SessionFactory]()
    for name, (maker, made) in makers.items():
        settings = config.listeners[name]
        endpoint, *left = _endpoints(name, _given(endpoints[name], settings.endpoint), maker.port, reactor)
        unused += [UnusedSocket(name, held, reactor) for held in left]
        sessions = partial(shared.of, made, _reception(name, made, settings, lobby, is_open=bool(endpoint)), settings)
        # A fixture's players are let in whatever the limits of the public port are.
        entrances[made.kind] = sessions(ConnectionLimits(name, room_for, room_for), None)
        if endpoint:
            limits = ConnectionLimits(
                name,
                min(settings.connections, room_for),
                settings.connections_per_address,
                bans,
                room_for,
                settings.connections_per_second,
            )
            factory = factories[name] = sessions(limits, accept_throttle)
            listeners.append(
                Listener(
                    name, endpoint, factory, reactor, accept_throttle, partial(in_thread, _load_game, made, factory)
                )
            )
    replays = {
        made.kind: ReplayWriter(folder.directory, folder.replay, reactor)
        for _, made in makers.values()
        if (folder := kept.get(made.publisher))
    }
    lobby.recorder.replays |= {kind: writer.write for kind, writer in replays.items()}
    served = GameListeners(factories, {name: made.kind for name, (_, made) in makers.items()})
    operators = Operators(config.console.idle_seconds)
    accounts = Accounts({}, reactor, in_thread, lobby.logins)
    load_games = partial(_load_games, {name: made for name, (_, made) in makers.items()}, factories)
    endpoint = _given(endpoints.get("web"), config.web.endpoint)
    telnet = _given(endpoints.get("console"), config.console.telnet)
    operated = console(
        config=config,
        telnet=telnet,
        # The web listener uses the console's accounts.
        is_open=bool(telnet or config.console.ssh or endpoint),
        lobby=lobby,
        listeners=served,
        accounts=accounts,
        operators=operators,
        bans=bans,
        reactor=reactor,
        configure=configure,
        in_thread=in_thread,
        load_games=load_games,
    )
    listeners += operated.listeners
    warnings = {each.section: each.warning for each in unused}
    strings = {listener.section: listener.endpoint for listener in listeners if listener.section in factories}
    strings |= {"web": endpoint, "console": telnet, "console ssh": config.console.ssh}
    checks = quick_checks.checks(config, {name: text for name, text in strings.items() if text})
    if endpoint:
        listeners.append(
            _web_listener(
                endpoint,
                operated.services.reloader,
                load_games,
                accept_throttle,
                lobby=lobby,
                games=served,
                listeners=listeners,
                accounts=accounts,
                operators=operators,
                bans=bans,
                reactor=reactor,
                in_thread=in_thread,
                most=room_for,
                warnings=warnings,
            )
        )
    daemon = Daemon(
        storage=Storage(journal, database, store, list(replays.values())),
        stall_clock=stall_clock,
        lobby=lobby,
        listeners=listeners,
        others=[*unused, *_control(config, lobby, entrances, in_thread)],
        warnings=warnings,
        garbage=GarbagePauses(stats.pauses),
        reactor=reactor,
        expiry=Expiry(store, reactor, config.store.keep_days),
        examine=partial(quick_checks.run, checks),
        console=operated,
        audit=AuditObserver(Path(config.store.state)),
    )
    operated.services.reloader.certificates = daemon.reload_certificates
    return daemon
