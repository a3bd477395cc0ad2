"""Base class of browser tests with a real daemon that are proofs: `make prove` runs them if Chromium is installed."""

from __future__ import annotations

from typing import ClassVar

from tests.interop.browsing import LiveTestCase
from tests.proofs import skip


class LiveProof(LiveTestCase):
    skip: ClassVar[str | None] = skip or LiveTestCase.skip
