"""Serves the HTML page and the files that it loads, and the schemas of records.

All pages are one HTML file, whose script shows the page of the address. Only files in certain folders are served, the
pages' own and one of each game, and no name can lead out of them. Scripts and styles are sent without their comments
and indentation. An address that contains the version of the files (`/static/@VERSION/…`) may be cached forever.
"""

# ruff: noqa: N815 (Twisted's name)

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from attrs import define, field
from twisted.web.resource import Resource

from gamed.records.index import schema_directory
from gamed.registry import games, kinds
from gamed.web.compression import gzipped, takes_gzip

FOLDER: Final = Path(__file__).parent / "static"

TYPES: Final = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".json": "application/json",
    ".png": "image/png",
    ".woff2": "font/woff2",
    ".xml": "application/xml",
    ".xsd": "application/xml",
}

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*(?:[/.][A-Za-z0-9][A-Za-z0-9_-]*)*\.[a-z0-9]+")

_PAGES: Final = re.compile(
    r"/|/(?:(?:rooms|seats|records|recorder)/[^/]+|records|recorder|rooms|seats|login|about|tv)/?"
)
"""The paths of pages: those that the router in app.js knows."""

_UNREAD: Final = re.compile(rb"^\s*//.*\n|^\s*/\*(?:(?!\*/)[\s\S])*\*/\n|^\s+", re.MULTILINE)
"""What no browser reads of a script or a style: comments on lines of their own, indentation and blank lines. No literal
of our scripts has several lines."""

INDEX: Final = "index.html"
"""The HTML file."""

_ADDRESS: Final = b"/static/"
"""The path of the folder in the HTML file; the version is inserted after it."""

FOREVER: Final = b"public, max-age=31536000, immutable"
"""The Cache-Control header of a file whose address contains its version."""


@define
class File:
    """A file as it is served."""

    changed: int
    """The modification time, in nanoseconds."""

    content: bytes

    packed: bytes
    """The content, compressed with gzip."""

    mime: str

    tag: bytes
    """A digest of the content, for the ETag header and the version."""

    @classmethod
    def of(cls, changed: int, content: bytes, mime: str) -> File:
        """Return a file with this content."""
        digest = hashlib.sha256(content).hexdigest()[:32].encode()
        return cls(changed, content, gzipped(content), mime, digest)


@define(slots=False)
class Files:
    """The files in memory. A file is read again when it has changed."""

    folder: Path = FOLDER

    games: Mapping[str, Path] = field(factory=dict)
    """The folders of the games' files, by kind, or by the listener's name for those of all its games. A file of one is
    `games/KIND/…`."""

    _files: dict[str, File] = field(factory=dict)
    """By their names."""

    _version: str | None = None
    """The version of all files together; None if one of them was read since."""

    _page: tuple[str, File] | None = None
    """The HTML file as it is served, and the version in it."""

    def find(self, name: str) -> File | None:
        """Return a file by its path in the folder; None if there is none, or its type is not served."""
        if len(name) > 100 or not _NAME.fullmatch(name):  # noqa: PLR2004 (longer than any name)
            return None
        path = self._path(name)
        mime = TYPES.get(path.suffix)
        try:
            changed = path.stat().st_mtime_ns
            known = self._files.get(name)
            if mime is None or (known is not None and known.changed == changed):
                return known
            content = path.read_bytes()
        except OSError:
            return None
        if path.suffix in (".js", ".css"):
            content = _UNREAD.sub(b"", content)
        self._files[name] = File.of(changed, content, mime)
        self._version = None
        return self._files[name]

    def _path(self, name: str) -> Path:
        match name.split("/", 2):
            case ["games", kind, rest] if kind in self.games:
                return self.games[kind] / rest
        return self.folder / name

    @cached_property
    def names(self) -> list[str]:
        """The names of all files."""
        folders = {"": self.folder, **{f"games/{kind}/": folder for kind, folder in self.games.items()}}
        return sorted(
            prefix + path.relative_to(folder).as_posix()
            for prefix, folder in folders.items()
            for path in folder.rglob("*.*")
        )

    def version(self) -> str:
        """Return the version of all files: a digest of their contents as they were last read."""
        if self._version is None:
            tags = [found.tag for name in self.names if (found := self.find(name)) is not None]
            self._version = hashlib.sha256(b"".join(tags)).hexdigest()[:16]
        return self._version

    def page(self) -> File | None:
        """Return the HTML file, with the version of the files in their addresses."""
        for name in self.names:
            self.find(name)
        index = self.find(INDEX)
        version = self.version()
        if index is not None and (self._page is None or self._page[0] != version):
            content = index.content.replace(_ADDRESS, b"%b@%b/" % (_ADDRESS, version.encode()))
            self._page = version, File.of(index.changed, content, index.mime)
        return None if index is None or self._page is None else self._page[1]


def all_files() -> Files:
    """Return the files of the pages and of all games."""
    return Files(games={name: one.folder / "static" for name, one in {**games(), **kinds()}.items()})


def all_schemas() -> Files:
    """Return gamed's schemas, and those that games have in their own folders."""
    return Files(schema_directory(), {kind: game.folder / "schemas" for kind, game in kinds().items()})


class StaticFiles(Resource):
    """Serves all files, or always the same one, `only`. `start` is the file that an empty name stands for."""

    isLeaf = True

    def __init__(self, files: Files, only: str | None = None, start: str = "") -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.files = files
        self.only = only
        self.start = start

    def render(self, request: Any) -> bytes:
        """Answer a GET or HEAD request; with 304 if the browser has the file already."""
        if request.method not in (b"GET", b"HEAD"):
            request.setResponseCode(405)
            request.setHeader(b"allow", b"GET, HEAD")
            return b""
        found, is_versioned = self._found(request)
        if found is None:
            request.setResponseCode(404)
            request.setHeader(b"content-type", b"text/plain; charset=utf-8")
            return b"There is no such file.\n"
        request.setHeader(b"content-type", found.mime.encode())
        request.setHeader(b"cache-control", FOREVER if is_versioned else b"no-cache")
        request.setHeader(b"vary", b"accept-encoding")
        is_packed = takes_gzip(request)
        if request.setETag(b'"%b%b"' % (found.tag, b"-gzip" if is_packed else b"")):
            return b""
        if not is_packed:
            return found.content
        request.setHeader(b"content-encoding", b"gzip")
        return found.packed

    def _found(self, request: Any) -> tuple[File | None, bool]:
        """Return the requested file, and whether its address contains the current version.

        A page that was opened before an upgrade requests files of the old version. It gets the new files, but must not
        cache them under the old address.
        """
        if self.only is not None:
            return self.files.page() if self.only == INDEX else self.files.find(self.only), False
        name = b"/".join(request.postpath).decode("latin-1")
        version = None
        if name.startswith("@"):
            version, _, name = name[1:].partition("/")
        found = self.files.find(name or self.start)
        return found, found is not None and version == self.files.version()


def is_page(path: bytes) -> bool:
    """Whether a path belongs to a page."""
    return _PAGES.fullmatch(path.decode("latin-1")) is not None
