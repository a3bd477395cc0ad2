"""The threads in which databases and files are worked on, so that no move waits for them."""

from __future__ import annotations

from functools import partial
from threading import Thread

from twisted.python.threadpool import ThreadPool


def one_thread(name: str) -> ThreadPool:
    """Return a pool of one thread."""
    pool = ThreadPool(0, 1, name)
    # A daemon that ends on an error must not wait for an idle thread; a transaction that it cuts off is rolled back.
    pool.threadFactory = partial(Thread, daemon=True)  # type: ignore[assignment]
    return pool
