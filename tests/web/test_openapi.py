"""The description of the API, held against the routes that there are."""

from __future__ import annotations

import json
import re
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from gamed.web.answers import Route
from gamed.web.archive import Archive
from gamed.web.play import Play
from gamed.web.prepared import PreparedRooms
from gamed.web.recordings import Recordings
from gamed.web.rooms import Rooms
from gamed.web.service import description
from gamed.web.sessions import Sessions
from gamed.web.static_files import FOLDER
from gamed.web.topics import Topics

DESCRIPTION = json.loads((FOLDER / "openapi.json").read_text(encoding="utf-8"))
METHODS = ("get", "post", "put", "delete", "patch")


def routes() -> list[Route]:
    """Return all routes; what they would do is not needed."""
    parts: Any = None
    prepared = PreparedRooms(parts, parts)
    made = (
        Sessions(*[parts] * 3),
        prepared,
        Rooms(*[parts] * 3, prepared),
        Play(parts),
        Topics(parts, parts),
        Archive(*[parts] * 3),
        Recordings(*[parts] * 3),
    )
    return [*(route for part in made for route in part.routes), description]


def references(value: Any) -> list[str]:
    """Return all references in a document."""
    if isinstance(value, dict):
        own = [value["$ref"]] if isinstance(value.get("$ref"), str) else []
        return own + [found for inner in value.values() for found in references(inner)]
    return [found for inner in value for found in references(inner)] if isinstance(value, list) else []


class DescriptionTests(SynchronousTestCase):
    def operations(self) -> dict[tuple[str, str], Any]:
        return {
            (method.upper(), path.removeprefix("/")): what[method]
            for path, what in DESCRIPTION["paths"].items()
            for method in METHODS
            if method in what
        }

    def test_every_route_is_described_and_every_description_has_a_route(self) -> None:
        self.assertEqual(sorted(self.operations()), sorted((route.method, route.path) for route in routes()))

    def test_no_route_is_there_twice(self) -> None:
        found = [(route.method, route.path) for route in routes()]
        self.assertEqual(len(set(found)), len(found))

    def test_what_changes_something_needs_the_token(self) -> None:
        for (method, path), operation in self.operations().items():
            names = [parameter.get("$ref", "") for parameter in operation.get("parameters", ())]
            self.assertEqual("#/components/parameters/token" in names, method != "GET", path)
            if method != "GET":
                self.assertLessEqual({"401", "403"}, set(operation["responses"]), path)

    def test_bodies_and_streams_are_described_as_they_are(self) -> None:
        for route in routes():
            operation = self.operations()[route.method, route.path]
            types = {mime for answer in operation["responses"].values() for mime in answer.get("content", {})}
            self.assertEqual("text/event-stream" in types, route.stream, route.path)
            if route.file:
                self.assertEqual(list(operation["requestBody"]["content"]), ["application/octet-stream"])
            elif route.method == "POST" and "requestBody" in operation:
                self.assertEqual(list(operation["requestBody"]["content"]), ["application/json"])

    def test_places_in_paths_are_parameters(self) -> None:
        for path, what in DESCRIPTION["paths"].items():
            places = re.findall(r"{(\w+)}", path)
            given = [self.resolved(one["$ref"])["name"] for one in what.get("parameters", ())]
            self.assertEqual(given, places, path)

    def resolved(self, reference: str) -> Any:
        found = DESCRIPTION
        for part in reference.removeprefix("#/").split("/"):
            found = found[part]
        return found

    def test_references_lead_somewhere(self) -> None:
        for reference in references(DESCRIPTION):
            self.assertTrue(self.resolved(reference))

    def test_it_is_served(self) -> None:
        self.assertEqual(json.loads(description.do(None).encoded()), DESCRIPTION)
