"""The format index: which schema describes the records of a publisher and version.

Source: records.md 1 and 2, steps 2 to 4.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from attrs import frozen
from lxml import etree

from gamed.records.parsing import parse
from gamed.records.record import RecordError


@frozen
class Format:
    """A format of the index. `kind`: the game. `is_playable`: whether gamed can play it."""

    publisher: str
    version: str
    kind: str
    is_playable: bool
    schema: etree.XMLSchema


@frozen
class Index:
    """The formats by publisher and version, and the schema that all of them have in common."""

    standard: etree.XMLSchema
    formats: Mapping[tuple[str, str], Format]


def schema_directory() -> Path:
    """Return where the schemas stand: in the installed package, else in the checkout."""
    package = Path(__file__).parents[1]
    installed = package / "schemas"
    return installed if installed.is_dir() else package.parent / "schemas"


@cache
def index() -> Index:
    """Return the index with its schemas compiled; they are kept for the life of the process."""
    directory = schema_directory()
    root = parse((directory / "index.xml").read_bytes())
    formats = [_format(directory, entry) for entry in root]
    return Index(
        _compiled(directory / str(root.attrib["standard"])),
        {(entry.publisher, entry.version): entry for entry in formats},
    )


def _format(directory: Path, entry: etree._Element) -> Format:
    data = {str(name): str(text) for name, text in entry.attrib.items()}
    schema = _compiled(directory / data["schema"])
    return Format(data["publisher"], data["version"], data["kind"], data["playable"] == "true", schema)


def _compiled(path: Path) -> etree.XMLSchema:
    return etree.XMLSchema(parse(path.read_bytes()))


def validate(document: bytes) -> None:
    """Check a document against Standard.xsd and against its publisher's own schema.

    Raises RecordError with the line and the first reason: `not-xml`, `forbidden`, `not-standard`, `unknown-format` or
    `not-valid`.
    """
    root = parse(document)
    _check(root, index().standard, "not-standard")
    publisher, version = (str(root.attrib[name]).strip() for name in ("publisher", "version"))
    found = index().formats.get((publisher, version))
    if found is None:
        raise RecordError(f"no schema is known for {publisher} {version}", code="unknown-format")
    _check(root, found.schema, "not-valid")


def _check(root: etree._Element, schema: etree.XMLSchema, code: str) -> None:
    if not schema.validate(root):
        errors: Any = schema.error_log
        reason = errors[0]
        raise RecordError(reason.message, code=code, line=reason.line)
