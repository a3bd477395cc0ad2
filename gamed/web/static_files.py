"""The files of the pages, and the page itself, which is the same for all of them.

Source: issue 8. Only what stands in the folder `static` is served, by names that cannot lead out of it.
"""

# ruff: noqa: N815 (Twisted's name)

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Any, Final

from attrs import define, field
from twisted.web.resource import Resource

FOLDER: Final = Path(__file__).parent / "static"

TYPES: Final = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".json": "application/json",
    ".png": "image/png",
    ".woff2": "font/woff2",
}

_NAME: Final = re.compile(r"[a-z0-9][a-z0-9_-]*(?:/[a-z0-9][a-z0-9_-]*)*\.[a-z0-9]+")

_PAGES: Final = re.compile(r"/|/(?:rooms|seats|records|recorder)/[^/]+|/(?:records|recorder|rooms|seats|login|about)")
"""The addresses that the page's own router knows."""


@define
class File:
    """A file as it is served."""

    changed: int
    content: bytes
    mime: str
    tag: bytes


@define
class Files:
    """Reads files once, and again when they have changed."""

    folder: Path = FOLDER
    _files: dict[str, File] = field(factory=dict)

    def find(self, name: str) -> File | None:
        """Return a file by its path below the folder; None if there is none, or it is of no type that is served."""
        if len(name) > 100 or not _NAME.fullmatch(name):  # noqa: PLR2004 (longer than any name)
            return None
        path = self.folder / name
        mime = TYPES.get(path.suffix)
        try:
            changed = path.stat().st_mtime_ns
            known = self._files.get(name)
            if mime is None or (known is not None and known.changed == changed):
                return known
            content = path.read_bytes()
        except OSError:
            return None
        tag = b'"%b"' % hashlib.sha256(content).hexdigest()[:32].encode()
        self._files[name] = File(changed, content, mime, tag)
        return self._files[name]


class StaticFiles(Resource):
    """Serves the files, or, with `only`, always one of them."""

    isLeaf = True

    def __init__(self, files: Files, only: str | None = None) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.files = files
        self.only = only

    def render(self, request: Any) -> bytes:
        """Answer a GET or a HEAD; a browser that has the file is told so."""
        if request.method not in (b"GET", b"HEAD"):
            request.setResponseCode(405)
            request.setHeader(b"allow", b"GET, HEAD")
            return b""
        name = self.only or b"/".join(request.postpath).decode("latin-1")
        found = self.files.find(name)
        if found is None:
            request.setResponseCode(404)
            request.setHeader(b"content-type", b"text/plain; charset=utf-8")
            return b"There is no such file.\n"
        request.setHeader(b"content-type", found.mime.encode())
        request.setHeader(b"cache-control", b"no-cache")
        if request.setETag(found.tag):
            return b""
        return found.content


def is_page(path: bytes) -> bool:
    """Whether an address is one of the pages."""
    return _PAGES.fullmatch(path.decode("latin-1")) is not None
