"""A test of a browser at a real daemon that is a proof: it runs by `make prove`, where there is Chromium."""

from __future__ import annotations

from typing import ClassVar

from tests.interop.browsing import LiveTestCase
from tests.proofs import skip


class LiveProof(LiveTestCase):
    skip: ClassVar[str | None] = skip or LiveTestCase.skip
