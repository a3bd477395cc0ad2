"""What a record's page costs in Chromium: the time to its first board, its weight, and frames while it is scrubbed."""

from __future__ import annotations

import json
import subprocess
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from time import perf_counter, sleep

from playwright.sync_api import Page, sync_playwright

from tests.benchmarks.measuring import Programs
from tests.daemon import Daemon, free_port
from tests.web.browser import CHROMIUM

SLOWER = 4
"""By how much the second figure's processor is slowed."""

BOARD = ".board [data-cell]"
FEWEST_MOVES = 300
MOST_MOVES = 400

SCRUB = """async (length) => {
  const slider = document.querySelector(".steering input[type=range]");
  let [last, dropped, frames] = [await new Promise(requestAnimationFrame), 0, 0];
  for (let n = 0; n <= length; n += 1) {
    slider.value = n;
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    const now = await new Promise(requestAnimationFrame);
    const passed = Math.max(Math.round((now - last) / (1000 / 60)), 1);
    [last, dropped, frames] = [now, dropped + passed - 1, frames + passed];
  }
  return (100 * dropped) / frames;
}"""
"""Moves a replay's slider by one move in each frame; returns how many of 100 frames were dropped."""


@contextmanager
def _tab() -> Iterator[Page]:
    """Open a page of a browser that has nothing in its cache."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser.new_page()
        browser.close()


def _first(page: Page, address: str, what: str, rate: int) -> float:
    """Return the milliseconds from the request of a page until it shows something."""
    page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": rate})
    began = perf_counter()
    page.goto(address, wait_until="commit")
    page.wait_for_selector(what)
    return 1e3 * (perf_counter() - began)


def _both(address: str, what: str) -> Sequence[float]:
    found = []
    for rate in (1, SLOWER):
        with _tab() as page:
            page.goto("about:blank")
            found.append(_first(page, address, what, rate))
    return found


@contextmanager
def _record(programs: Programs) -> Iterator[tuple[str, int]]:
    """Run a daemon with the record of a long Battleship game; yield the address of its page, and its length."""
    port = free_port()
    with programs.daemon(more=f'[web]\nendpoint = "tcp:{port}:interface=127.0.0.1"\n') as daemon:
        server = f"http://127.0.0.1:{port}"
        found = {"length": 0}
        while not FEWEST_MOVES <= found["length"] <= MOST_MOVES:
            found = _played(programs, daemon, server)
        yield f"{server}/records/{found['id']}?move=0", found["length"]


def _played(programs: Programs, daemon: Daemon, server: str) -> dict[str, int]:
    command = [programs.scripts / "gamed", "bot", "battleship", "--host", "127.0.0.1", "--port", str(daemon.port)]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    bots = [subprocess.Popen([*command, "--strategy", "random"], **quiet) for _ in range(2)]
    for bot in bots:
        bot.wait(60)
    sleep(1)
    with urllib.request.urlopen(f"{server}/api/v1/records?limit=1", timeout=20) as answer:
        newest: dict[str, int] = json.load(answer)["records"][0]
    return newest


def first_board(programs: Programs) -> Sequence[float]:
    """Return the milliseconds until a record's page shows its board, also with a slow processor."""
    with _record(programs) as (address, _):
        return _both(address, BOARD)


def empty_page() -> Sequence[float]:
    """Return the milliseconds until a page without anything is shown, also with a slow processor."""
    return _both("data:text/html,<!doctype html><title>.</title><p>.", "p")


def weight_and_frames(programs: Programs) -> Sequence[float]:
    """Return the kB of a page with its data, compressed, and the dropped frames of 100 while it is scrubbed."""
    sizes = []
    with _record(programs) as (address, length), _tab() as page:
        network = page.context.new_cdp_session(page)
        network.send("Network.enable")
        network.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
        page.goto(address)
        page.wait_for_selector(BOARD)
        page.wait_for_load_state("networkidle")
        weight = sum(sizes) / 1e3
        return weight, page.evaluate(SCRUB, length)
