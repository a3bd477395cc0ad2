"""RoboRally: turns a second, of the rules alone and over TCP; queries a second; the memory of a game."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
from random import Random

from gamed.core.game import CHANCE
from gamed.games.roborally import Settings, game_type
from gamed.games.roborally.strategy import STRATEGIES, as_public
from tests.daemon import ROOT, Daemon, free_port

ROBOTS = 8
GAMES = 10
QUERIES = 5_000
IDLE_GAMES = 50
COURSE = ("doppelhalle",)
KEYS = "messages_per_second = 0.0\nstart_delay = 3600.0\nlinger = 1.0\nmax_games = 1000\n"


def section() -> tuple[int, str]:
    """Return a free port, and the listener's section for it."""
    port = free_port()
    courses = f"courses = {json.dumps(COURSE)}"
    return port, f'[roborally]\nendpoint = "tcp:{port}:interface=127.0.0.1"\n{courses}\n{KEYS}'


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


def bots(port: int, robots: int) -> dict[str, float]:
    """Let so many bots play each of some games at the same time, without channels; return what they report."""
    command = [sys.executable, "-m", "tests.proofs.robots", *map(str, (port, GAMES, robots, 0))]
    told: dict[str, float] = json.loads(subprocess.run(command, capture_output=True, check=True, cwd=ROOT).stdout)
    return told


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
