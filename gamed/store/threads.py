"""Threads for access to databases and files, so that no move waits for them."""

from __future__ import annotations

from functools import partial
from threading import Thread

from twisted.python.threadpool import ThreadPool


def one_thread(name: str) -> ThreadPool:
    """Return a pool of one thread."""
    pool = ThreadPool(0, 1, name)
    # Daemon threads: a process that ends on an error must not wait for them. Cutting off a transaction rolls it back.
    pool.threadFactory = partial(Thread, daemon=True)  # type: ignore[assignment]
    return pool
