"""RoboRally: games over TCP of two players that answer at once; turns of the rules alone; queries; a game's memory."""

from __future__ import annotations

import json
import select
import socket
import time
from random import Random

from gamed.core.game import CHANCE
from gamed.games.roborally import Settings, game_type
from gamed.games.roborally.strategy import STRATEGIES, as_public
from tests.daemon import Daemon, free_port

ROBOTS = 8
GAMES = 10
QUERIES = 5_000
IDLE_GAMES = 50
DUELS = 15
DUEL_KEYS = """\
seed = 7
min_players = 2
max_players = 2
start_delay = 0.0
move_timeout = 0
ack_timeout = 600.0
linger = 600.0
messages_per_second = 0.0
"""
"""The seed deals the same cards in each run, so that two versions of the daemon play the same games. The times are
long, so that a busy machine ends no game; the room closes when both players have left."""

COURSE = ("doppelhalle",)
KEYS = "messages_per_second = 0.0\nstart_delay = 3600.0\nlinger = 1.0\nmax_games = 1000\n"


def section(keys: str = KEYS) -> tuple[int, str]:
    """Return a free port, and the listener's section for it."""
    port = free_port()
    courses = f"courses = {json.dumps(COURSE)}"
    return port, f'[roborally]\nendpoint = "tcp:{port}:interface=127.0.0.1"\n{courses}\n{keys}'


def rules_alone() -> tuple[int, float]:
    """Play games of random robots; return the turns, and the seconds in the rules alone."""
    table = game_type.table(Settings(courses=COURSE), game_type.options(Settings(courses=COURSE)), Random, 0.0)
    game, turns, seconds = table.game, 0, 0.0
    for seed in range(GAMES):
        random, state = Random(seed), game.setup({**table.options, "players": ROBOTS})
        while game.outcome(state) is None:
            seats = game.to_move(state)
            answers = {
                seat: STRATEGIES["random"](state.layout, as_public(state.robots[seat]), request, random)
                for seat, request in game.requests(state).items()
            }
            begun = time.perf_counter()
            if CHANCE in seats:
                state = game.apply(state, CHANCE, game.draw(state, random))
            elif not seats:
                state = game.advance(state)
            for seat, answer in answers.items():
                state = game.apply(state, seat, answer)
            seconds += time.perf_counter() - begun
        turns += state.turn
    return turns, seconds


def duel(port: int, number: int) -> int:
    """Let two planners play a game and answer at once; return its turns: the programs of the one who made more."""
    players = {}
    poll = select.poll()
    for seat, name in enumerate(("Anna", "Bert")):
        client = socket.create_connection(("127.0.0.1", port))
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        player = game_type.players["planner"](Random(100 * number + seat), name=name)
        client.sendall(player.begin())
        client.sendall(player.receive_data(client.recv(65_536)))
        poll.register(client, select.POLLIN)
        players[client.fileno()] = client, player
    playing = dict(players)
    while playing:
        for fileno, _ in poll.poll():
            client, player = playing[fileno]
            client.sendall(player.receive_data(client.recv(65_536)))
            if player.is_done:
                poll.unregister(client)
                client.close()
                del playing[fileno]
    return max(player.moves for _, player in players.values())


def queries(port: int, question: bytes) -> float:
    """Return the queries a second of one connection that asks one after the other."""
    with socket.create_connection(("127.0.0.1", port)) as client, client.makefile("rb") as answers:
        client.sendall(b"RGS(Anna)\n")
        answers.readline()
        begun = time.perf_counter()
        for _ in range(QUERIES):
            client.sendall(question + b"\n")
            answers.readline()
        return QUERIES / (time.perf_counter() - begun)


def memory(daemon: Daemon, port: int) -> float:
    """Return the bytes that a game of eight takes in which all have been asked for their programs."""
    clients: list[socket.socket] = []
    before = 0
    for number in range(IDLE_GAMES + 5):
        if number == 5:
            before = daemon.resident_bytes()
        seats = [socket.create_connection(("127.0.0.1", port)) for _ in range(ROBOTS)]
        clients += seats
        for seat, client in enumerate(seats):
            name = "ABCDEFGH"[seat]
            client.sendall(f"RGS({name})\n".encode())
            while not client.recv(65_536).startswith(b"ok"):
                pass
            client.sendall(f"ok\nTNR({name},N)\n".encode())
    time.sleep(1)
    each = (daemon.resident_bytes() - before) / IDLE_GAMES
    for client in clients:
        client.close()
    return each
