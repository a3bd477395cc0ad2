"""The format index, which maps a publisher and version to the schema of their records.

Source: docs/reference/records.md#the-base-format, docs/reference/records.md#the-import, steps 2 to 4.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

from attrs import frozen
from lxml import etree

from gamed.core.errors import ConfigError
from gamed.records.parsing import depth, parse, parse_whole
from gamed.records.record import RecordError

LONGEST_NAME: Final = 1_000
"""The most characters that a publisher or a version may have."""

REASONED_LEVELS: Final = 500
"""Errors in documents that are nested deeper are not explained by xmlschema, which recurses."""

REASONED_ELEMENTS: Final = 20_000
"""Errors in documents with more elements are not explained by xmlschema, which would take seconds."""

# Messages of xmlschema that contain names of Python classes, or Python's notation of values.
_KEY = re.compile(r"(duplicated )?value \((?P<values>.*)\)(?P<missing> not found)? for Xsd\w+\(name='(?P<name>.*)'\)")
_VALUE = re.compile(r"(?:Decimal\()?'([^']*)'\)?")
_PATTERN = re.compile(r"(.*: )?value doesn't match any pattern of \['(.*)'\]")
# The message of libxml2 about a keyref that refers to nothing. Its name may have a namespace in front.
_KEYREF = re.compile(
    r"Element '(?P<tag>.+?)': No match found for key-sequence \[(?P<values>.*)\] of keyref '(?:\{.*\})?(?P<name>.+)'",
    re.DOTALL,
)
# What libxml2 says about the place of an error, and its types of errors; any other is about a value.
_NAMES = re.compile(r"Element '(?:\{.*?\})?(?P<element>[^']+)'(?:, attribute '(?:\{.*?\})?(?P<attribute>[^']+)')?:")
_ATTRIBUTE = re.compile(r"The attribute '(?P<attribute>[^']+)' is required")
_VIOLATIONS: Final = (
    ("element", "SCHEMAV_ELEMENT_CONTENT"),
    ("attribute-missing", "SCHEMAV_CVC_COMPLEX_TYPE_4"),
    ("attribute", "SCHEMAV_CVC_COMPLEX_TYPE_3_2"),
    ("text", "SCHEMAV_CVC_COMPLEX_TYPE_2_3"),
    ("twice", "SCHEMAV_CVC_IDC"),
)
VIOLATIONS: Final = (*(code for code, _ in _VIOLATIONS), "element-missing", "reference", "value")
"""How a document can violate its schema, as codes. They are stable."""

_XS: Final = "{http://www.w3.org/2001/XMLSchema}"


@frozen
class Schema:
    """A schema, compiled by lxml."""

    file: Path
    compiled: etree.XMLSchema


@frozen
class Format:
    """An entry of the index."""

    publisher: str
    version: str

    kind: str
    """The game."""

    is_playable: bool
    """Whether gamed can replay the records by the rules of their game."""

    schema: Schema


@frozen
class Index:
    """All known formats."""

    standard: Schema
    """Standard.xsd, against which all records are validated first."""

    formats: Mapping[tuple[str, str], Format]
    """By publisher and version."""


def schema_directory() -> Path:
    """Return the directory of the schemas: in the installed package, or else in the checkout."""
    package = Path(__file__).parents[1]
    installed = package / "schemas"
    return installed if installed.is_dir() else package.parent / "schemas"


@cache
def index(*further: Path) -> Index:
    """Return the index with its schemas compiled. It is cached for the life of the process.

    `further`: directories with index files (`*.xml`), which add formats: those of games from elsewhere, and of the
    operator. Raises ConfigError if one of them cannot be used.
    """
    directory = schema_directory()
    file = directory / "index.xml"
    root = parse(file.read_bytes())
    standard = _compiled(directory / str(root.attrib["standard"]))
    formats: dict[tuple[str, str], Format] = {}
    _add(formats, _formats(file, root))
    for own in (file for folder in further for file in _index_files(folder)):
        _add(formats, _checked_formats(own))
    return Index(standard, formats)


def _index_files(directory: Path) -> list[Path]:
    if not directory.is_dir():
        raise ConfigError(f"[store] formats: there is no directory {directory}")
    return sorted(directory.glob("*.xml"))


def _checked_formats(file: Path) -> list[Format]:
    try:
        root = parse(file.read_bytes())
        require(root, _compiled(schema_directory() / "index.xsd"), "not-valid")
        return list(_formats(file, root))
    except (OSError, RecordError, etree.XMLSchemaParseError) as error:
        raise ConfigError(f"[store] formats: {file}: {error}") from error


def _formats(file: Path, root: etree._Element) -> Iterator[Format]:
    for entry in root:
        data = {str(name): str(text).strip() for name, text in entry.attrib.items()}
        schema = _compiled(file.parent / data["schema"])
        is_playable = data["playable"] in ("true", "1")
        yield Format(data["publisher"], data["version"], data["kind"], is_playable, schema)


def _add(formats: dict[tuple[str, str], Format], found: Iterable[Format]) -> None:
    for entry in found:
        known = formats.setdefault((entry.publisher, entry.version), entry)
        if known is not entry:
            files = f"{known.schema.file} and {entry.schema.file}"
            raise ConfigError(f"[store] formats: {entry.publisher} {entry.version} has two schemas, {files}")


def _compiled(path: Path) -> Schema:
    return Schema(path, etree.XMLSchema(_whole(path)))


def _whole(path: Path) -> Any:
    """Return a schema that says where the schemas are which it includes: beside it, or else among gamed's own."""
    root = parse(path.read_bytes())
    # libxml2 resolves xs:include relative to this URL.
    root.getroottree().docinfo.URL = path.absolute().as_uri()
    for element in root.iterfind(f"{_XS}include"):
        name = str(element.attrib["schemaLocation"])
        if not (path.parent / name).exists():
            element.set("schemaLocation", (schema_directory() / name).absolute().as_uri())
    return root


def validate(document: bytes, formats: Index | None = None) -> None:
    """Validate a document against Standard.xsd and its own schema. `formats`: None are gamed's own.

    Raises RecordError with the line of the first error: `not-xml`, `forbidden`, `not-standard`, `unknown-format` or
    `not-valid`.
    """
    formats = formats or index()
    root = parse_whole(document)
    require(root, formats.standard, "not-standard")
    require(root, format_of(root, formats).schema, "not-valid")


def named(root: etree._Element) -> tuple[str, str]:
    """Return publisher and version of a document that is valid against Standard.xsd, with white space normalised.

    Their type is xs:token. Raises RecordError: `forbidden` if one is too long for messages and lists, which quote it.
    """
    publisher, version = (" ".join(_words(str(root.attrib[name]))) for name in ("publisher", "version"))
    if max(len(publisher), len(version)) > LONGEST_NAME:
        text = f"its publisher or version has more than {LONGEST_NAME:,} characters"
        raise RecordError(text, code="forbidden", xpath="/game")
    return publisher, version


def _words(token: str) -> list[str]:
    # Only XML's white space: `split()` would also split at a non-breaking space.
    return [word for word in token.replace("\t", " ").replace("\n", " ").replace("\r", " ").split(" ") if word]


def format_of(root: etree._Element, formats: Index) -> Format:
    """Return the format of a document that is valid against Standard.xsd. Raises RecordError: `unknown-format`."""
    publisher, version = named(root)
    found = formats.formats.get((publisher, version))
    if found is None:
        raise RecordError(f"no schema is known for {publisher} {version}", code="unknown-format")
    return found


def require(root: etree._Element, schema: Schema, code: str) -> None:
    """Validate an element. Raises RecordError with this code, and the line, XPath and message of the first error."""
    if not schema.compiled.validate(root):
        errors: Any = schema.compiled.error_log
        found = errors[0]
        xpath = found.path or _referring(root, schema, found)
        raise RecordError(found.message, code=code, line=found.line, xpath=xpath, detail=_detail(found))


def _detail(error: Any) -> dict[str, str | int]:
    """Return what libxml2 found, as a code with the names of an element and an attribute."""
    names = _NAMES.match(error.message)
    known = {} if names is None else {key: name for key, name in names.groupdict().items() if name}
    missing = _ATTRIBUTE.search(error.message)
    if missing is not None:
        known["attribute"] = missing["attribute"]
    violation = next((code for code, start in _VIOLATIONS if error.type_name.startswith(start)), "value")
    if violation == "element" and "Missing child" in error.message:
        violation = "element-missing"
    elif violation == "twice" and "No match" in error.message:
        violation = "reference"
    return {"reason": violation, **known}


def _referring(root: etree._Element, schema: Schema, error: Any) -> str | None:
    """Return the XPath of an element whose xs:keyref refers to nothing; None for other errors.

    libxml2 gives only the line of these errors, and several elements of the name can begin in it. The fields of the
    keyref in the schema tell which element has the values that the message quotes.
    """
    found = _KEYREF.match(error.message)
    if found is None:
        return None
    declared: Any = parse(schema.file.read_bytes()).find(f".//{_XS}keyref[@name='{found['name']}']")
    fields = [] if declared is None else [f"string({field.get('xpath')})" for field in declared.iter(f"{_XS}field")]
    alike: list[Any] = [element for element in root.iter(found["tag"]) if element.sourceline == error.line]
    # libxml2 quotes normalised values (`7` for `07`). If no element matches, one in the right line has to do.
    for element in alike:
        values = [f"'{element.xpath(field, namespaces=declared.nsmap)}'" for field in fields]
        if ", ".join(values) == found["values"]:
            return str(root.getroottree().getpath(element))
    return root.getroottree().getpath(alike[0]) if alike else None


def reason(root: etree._Element, schema: Schema) -> str | None:
    """Return why an element is not valid, in the words of xmlschema, which also say what was expected.

    None if xmlschema would take too long or recurse too deep, and if it fails. Version 4.3.2 fails in a process that
    has imported twisted.internet.testing, because zope.interface then marks the classes of collections.abc.
    """
    if sum(1 for _ in root.iter()) > REASONED_ELEMENTS or depth(root) > REASONED_LEVELS:
        return None
    try:
        error = next(_explaining(schema.file).iter_errors(root, use_location_hints=False), None)
    except Exception:  # noqa: BLE001 (libxml2 has found a reason already; a defect of xmlschema must not hide it)
        return None
    return None if error is None else _plain(" ".join(str(error.reason).split()))


def _plain(text: str) -> str:
    """Return a message of xmlschema without the names of its classes and Python's notation of values."""
    if found := _KEY.fullmatch(text):
        values = _VALUE.sub(r"\1", found["values"]).strip(" ,")
        return f"there is {'no' if found['missing'] else 'more than one'} {found['name']} {values}"
    if found := _PATTERN.fullmatch(text):
        pattern = found[2].replace("\\\\", "\\")
        return f"{found[1] or ''}the value does not match the pattern {pattern}"
    return text


@cache
def _explaining(file: Path) -> Any:
    import xmlschema  # noqa: PLC0415 (a second to import, and seldom needed)

    return xmlschema.XMLSchema10(etree.tostring(_whole(file)), base_url=file.parent.absolute().as_uri(), allow="local")
