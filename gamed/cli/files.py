"""`gamed install-files`: writes configuration, units, documents, example clients and man pages to a directory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

import gamed
from gamed.cli.manual import pages
from gamed.core.errors import GamedError

FOLDERS = ("etc", "docs", "examples")


@click.command("install-files", epilog="Example: gamed install-files /opt/gamed/share/gamed")
@click.argument("directory", metavar="DIR", type=click.Path(file_okay=False, path_type=Path))
@click.pass_context
def install_files(ctx: click.Context, directory: Path) -> None:
    """Write configuration, systemd units, documents, example clients and man pages into a directory.

    These are copies to install from, as docs/howto/install.md explains. The daemon does not read them there. An
    existing file with other content is kept as NAME.old.
    """
    for name, content in files(ctx.find_root()):
        try:
            _write(directory / name, content)
        except OSError as error:
            raise GamedError(f"cannot write {directory / name}: {error.strerror}") from error
        click.echo(directory / name)


def files(context: click.Context) -> Iterator[tuple[Path, bytes]]:
    """Yield the name and the content of each file. `context`: that of the command `gamed`, for its man pages."""
    root = brought()
    for path in sorted(path for folder in FOLDERS for path in (root / folder).rglob("*") if path.is_file()):
        yield path.relative_to(root), path.read_bytes()
    for name, text in pages(context.command, context, f"gamed {gamed.__version__}"):
        yield Path("man", "man1", name), text.encode()


def brought() -> Path:
    """Return the parent of the folders: the installed package, else the checkout."""
    package = Path(gamed.__file__).parent
    return package if (package / "etc").is_dir() else package.parent


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists() and path.read_bytes() != content:
        path.rename(f"{path}.old")
    path.write_bytes(content)
