"""What a server's stream says, in short."""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree import ElementTree as ET

TAGS = ("<protocol>", "<protocol/>", "</protocol>")
MESSAGE = re.compile(rb"\n(?=  <[^ /]|</protocol>)")


def label(message: bytes) -> str:
    """Return in short what a message says; the tags of a stream stand for themselves."""
    text = message.decode().strip()
    if text in TAGS:
        return text
    element = ET.fromstring(text)
    data = element.find("data")
    if data is None:
        return " ".join([element.tag, *(value for name, value in element.items() if name != "roomId")])
    kind = str(data.get("class")).rpartition(".")[2]
    if kind == "memento":
        return " ".join(["memento", *said_of_state(data[0])])
    if kind == "result":
        sides = ([score.get("cause", ""), *(part.text or "" for part in score)] for score in data.iterfind("score"))
        return ", ".join(" ".join(side) for side in sides)
    return " ".join([kind, *(value for name, value in data.items() if name != "class")])


def said_of_state(state: ET.Element) -> Iterator[str]:
    """Yield the turn, the names, and the last move with its hint."""
    yield state.get("turn", "")
    yield from (str(state[side].get("displayName")) for side in (0, 1))
    last = state.find("lastMove")
    if last is not None:
        yield last.get("class", "")
        yield from (repr(hint.text or "") for hint in last.iterfind("hint"))


def labels(stream: bytes) -> list[str]:
    """Return in short what a stream says, message by message."""
    return [label(message) for message in MESSAGE.split(stream) if message]
