"""Everything that a game needs besides its folder and its plugin line: `python -m tests.checklist NAME`.

Each missing thing is a line that says what to do. With `--write`, what follows from the name and the port alone is
written: the socket unit, and the port in the pages and examples for administrators.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import attrs
from attrs import frozen
from lxml import etree

from gamed.registry import GameMaker, games

ROOT = Path(__file__).resolve().parent.parent

OUTGOING = range(32_768, 61_000)
"""Ports that Linux may give to outgoing connections, unless they are reserved."""


@frozen
class Missing:
    """Something that is missing."""

    path: str
    what: str
    """What to do, as an order."""

    write: Callable[[], None] | None = None
    """Does it; None where people must."""

    def __str__(self) -> str:
        return f"{self.path}: {self.what}{' (--write does it)' if self.write else ''}"


@frozen
class Checklist:
    """The list for one game. `root`: the checkout."""

    maker: GameMaker
    root: Path = ROOT

    def missing(self) -> Iterator[Missing]:
        """Yield what is missing, in the order of docs/howto/add-a-game.md."""
        yield from self._schema()
        yield from self._board()
        yield from self._pages()
        yield from self._settings()
        yield from self._ports()

    # Written by people

    def _schema(self) -> Iterator[Missing]:
        for made in self.maker.load_all():
            own = made.folder / "schemas"
            folder = f"{own.relative_to(ROOT)}" if own.is_dir() else "schemas"
            schema = f"{made.publisher}-{made.version}.xsd"
            wanted = {"publisher": made.publisher, "version": made.version, "schema": schema, "kind": made.kind}
            if not (self.root / folder / schema).is_file():
                yield Missing(f"{folder}/{schema}", "describe the records of the game")
            index = etree.fromstring(self._text(f"{folder}/index.xml").encode())
            if {**wanted, "playable": "true"} not in [dict(entry.attrib) for entry in index]:
                line = " ".join(f'{name}="{value}"' for name, value in wanted.items())
                yield Missing(f"{folder}/index.xml", f'add <format {line} playable="true"/>')

    def _board(self) -> Iterator[Missing]:
        wanted = (("js", "draw the board"), ("css", "style the board"))
        for made, (ending, what) in product(self.maker.load_all(), wanted):
            path = f"{made.folder.relative_to(ROOT)}/static/board.{ending}"
            if made.person is not None and not (self.root / path).is_file():
                yield Missing(path, f"{what} for the browser")

    def _pages(self) -> Iterator[Missing]:
        name, port = self.maker.name, self.maker.port
        pages = [page.stem for page in (self.root / "docs" / "reference").glob("*.md")]
        page = next((page for page in pages if page.replace("-", "") == name), None)
        if page is None:
            yield Missing(f"docs/reference/{name}.md", "describe the wire: messages, order, ends, limits, refusals")
        if self._title() is None:
            yield Missing("README.md", f"add the game's row to the table of ports: | TITLE | {port} | CLIENTS |")
        if f"](docs/reference/{page or name}.md)" not in self._text("README.md"):
            yield Missing("README.md", f"link to docs/reference/{page or name}.md")

    def _settings(self) -> Iterator[Missing]:
        name, path = self.maker.name, "etc/gamed.toml"
        _, _, section = self._text(path).partition(f"\n[{name}]\n")
        section = section.partition("\n[")[0]
        if not section:
            yield Missing(path, f"add the section [{name}]")
        fields: Any = attrs.fields(self.maker.load().settings)
        for field in fields:
            if not re.search(rf"^#{field.name} = ", section, re.MULTILINE):
                yield Missing(path, f"explain `{field.name}` in the section [{name}], with its default")

    # Derived from the name and the port

    def _ports(self) -> Iterator[Missing]:
        name, port, title = self.maker.name, self.maker.port, self._title() or self.maker.name
        unit = self._unit()
        if unit is None:
            unit = f"gamed-{name}.socket"
            path = self.root / "etc" / "systemd" / unit
            text = _UNIT.format(name=name, port=port, title=title)
            yield Missing(f"etc/systemd/{unit}", f"write a socket unit for port {port}", lambda: _write(path, text))
        yield from self._appended("etc/systemd/gamed.service", "Sockets=", unit, f" {unit}")
        for page in ("install", "operate"):
            yield from self._appended(f"docs/howto/{page}.md", "systemctl stop gamed.service", unit, f" {unit}")
        row = f"| `{port}` | `[{name}]` | all interfaces | {title} | players |\n"
        yield from self._inserted("docs/howto/operate.md", f"| `{port}` | `[{name}]` |", "| `8054` |", row)
        rules, last = "        tcp dport { ", ' } accept comment "players"'
        yield from self._appended("docs/howto/operate.md", rules, str(port), f", {port}", last)
        yield from self._appended("etc/container/Containerfile", "EXPOSE ", str(port), f" {port}")
        published = f'      - "{port}:{port}"\n'
        yield from self._inserted("etc/container/compose.yaml", published, '      - "127.0.0.1:8054', published)
        if port in OUTGOING:
            yield from self._appended("etc/sysctl.d/gamed.conf", "net.ipv4.ip_local_", str(port), f",{port}")

    def _unit(self) -> str | None:
        """Return the file name of the socket unit."""
        folder = self.root / "etc" / "systemd"
        named = f"\nFileDescriptorName={self.maker.name}\n"
        return next((file.name for file in sorted(folder.glob("*.socket")) if named in file.read_text()), None)

    def _title(self) -> str | None:
        """Return the README's name of the game, without the part in brackets."""
        row = rf"^\| ([^|(]+?) (?:\([^|]+\) )?\| {self.maker.port} \|"
        found = re.search(row, self._text("README.md"), re.MULTILINE)
        return found and found[1]

    def _text(self, path: str) -> str:
        return (self.root / path).read_text()

    def _appended(self, path: str, begins: str, word: str, addition: str, before: str = "") -> Iterator[Missing]:
        """Check that a word is in each line that begins so; else an addition belongs before a text, or at the end."""
        lines = re.findall(rf"^{re.escape(begins)}.*{re.escape(before)}.*$", self._text(path), re.MULTILINE)
        lacking = [line for line in lines if word not in re.split(r"[ ,=]+", line)]

        def write() -> None:
            text = self._text(path)
            for line in dict.fromkeys(lacking):
                at = line.index(before) if before else len(line)
                text = text.replace(line, line[:at] + addition + line[at:])
            _write(self.root / path, text)

        if lacking:
            yield Missing(path, f"add {word} to the line that begins with `{begins.strip()}`", write)

    def _inserted(self, path: str, needle: str, before: str, line: str) -> Iterator[Missing]:
        """Check that a text is there. Else a line is to be put before the one that begins so."""
        text = self._text(path)
        if needle not in text:
            changed = text.replace(f"\n{before}", f"\n{line}{before}", 1)
            yield Missing(path, f"add the line {line.strip()}", lambda: _write(self.root / path, changed))


_UNIT = """\
# systemd holds the port, so that no outgoing connection can take it and a restart refuses nobody.
[Unit]
Description=gamed's port for {title}

[Socket]
ListenStream=[::]:{port}
BindIPv6Only=both
# gamed recognises the port by this name.
FileDescriptorName={name}
Service=gamed.service
Backlog=4096
NoDelay=yes

[Install]
WantedBy=sockets.target
"""


def _write(path: Path, text: str) -> None:
    path.write_text(text)


def main(arguments: list[str]) -> int:
    """Print what is missing for a game; return the number of missing things."""
    name = next((word for word in arguments if word != "--write"), "")
    maker = games().get(name)
    if maker is None:
        print(f'there is no game {name!r}: add NAME = GameMaker("NAME", PORT, "gamed.games.NAME") to')
        print(f"twisted/plugins/gamed_plugin.py, and run `make .venv/.ready`; there are {', '.join(games())}")
        return 1
    checklist = Checklist(maker)
    if "--write" in arguments:
        # Search again for each of them, because two may be in the same file.
        while written := next((one for one in checklist.missing() if one.write), None):
            assert written.write is not None
            written.write()
            print(f"written: {written.path}")
    missing = list(checklist.missing())
    for one in missing:
        print(one)
    print(f"{len(missing)} missing" if missing else "nothing is missing")
    return len(missing)


if __name__ == "__main__":
    sys.exit(min(1, main(sys.argv[1:])))
