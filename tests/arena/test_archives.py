"""Bots in ZIP archives."""

from __future__ import annotations

import os
import stat
from pathlib import Path, PurePosixPath
from unittest.mock import patch
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from twisted.trial.unittest import SynchronousTestCase

from gamed.arena import archives
from gamed.arena.archives import ArchiveError, start_script, unpack


class ArchiveTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.folder = Path(self.mktemp())
        self.folder.mkdir()
        self.file = self.folder / "bot.zip"

    def pack(self, *members: tuple[str, bytes, int]) -> Path:
        """Make an archive of names, contents and modes; mode 0: the archive says none, as on Windows."""
        with ZipFile(self.file, "w", ZIP_DEFLATED) as made:
            for name, content, mode in members:
                info = ZipInfo(name)
                info.external_attr = mode << 16
                made.writestr(info, content)
        return self.file

    def refused(self) -> str:
        said = str(self.assertRaises(ArchiveError, start_script, self.file))
        self.assertEqual(str(self.assertRaises(ArchiveError, unpack, self.file, self.folder / "to")), said)
        self.assertFalse((self.folder / "to").exists())
        return said

    def test_at_the_top_or_in_the_only_folder(self) -> None:
        for names, place in (
            (["start.sh", "a/b"], "start.sh"),
            (["x/", "x/start.sh", "x/lib/c"], "x/start.sh"),
        ):
            self.pack(*((name, b"", 0) for name in names))
            self.assertEqual(start_script(self.file), (PurePosixPath(place), False))
            self.pack(*((name, b"", 0o100755) for name in names))
            self.assertEqual(start_script(self.file), (PurePosixPath(place), True))
        for names in (["x/start.sh", "y/b"], ["a", "b"], ["x/y/start.sh"], []):
            self.pack(*((name, b"", 0) for name in names))
            self.assertIn("has no start.sh", str(self.assertRaises(ArchiveError, start_script, self.file)))

    def test_the_line_ends_of_windows_are_refused(self) -> None:
        self.pack(("x/start.sh", b"#!/bin/sh\r\nexec ./bot\r\n", 0o100755), ("x/start", b"\r\n", 0))
        said = str(self.assertRaises(ArchiveError, start_script, self.file))
        self.assertIn("bot.zip: x/start.sh has line ends of Windows (CR LF); run sed -i 's/\\r$//' x/start.sh", said)

    def test_the_start_script_can_be_executed(self) -> None:
        to = self.folder / "to"
        self.pack(
            ("start.sh", b"one", 0), ("empty/", b"", 0o40755), ("lib/tool", b"two", 0o100744), ("c", b"", 0o104644)
        )
        unpack(self.file, to)
        modes = {str(path.relative_to(to)): stat.S_IMODE(path.stat().st_mode) & 0o7100 for path in to.rglob("*")}
        expected = {"start.sh": 0o100, "empty": 0o100, "lib": 0o100, "lib/tool": 0o100, "c": 0}
        self.assertEqual(modes, expected)
        self.assertEqual((to / "lib" / "tool").read_bytes(), b"two")
        # What an earlier match has left there is gone.
        self.pack(("start.sh", b"three", 0))
        unpack(self.file, to)
        self.assertEqual([path.name for path in to.rglob("*")], ["start.sh"])

    def test_what_leads_outside(self) -> None:
        for name, mode, reason in (
            ("../x", 0, "leads outside: ../x"),
            ("a/../../x", 0, "leads outside"),
            ("/etc/x", 0, "leads outside"),
            ("link", stat.S_IFLNK | 0o777, "has a link, link"),
        ):
            self.pack(("start.sh", b"", 0), (name, b"/etc", mode))
            self.assertIn(reason, self.refused())

    def test_too_much(self) -> None:
        self.pack(("start.sh", b"x" * 100, 0), ("b", b"x" * 100, 0))
        with patch.object(archives, "MOST_BYTES", 199):
            self.assertIn("has 200 bytes when unpacked; at most 199 are", self.refused())
        with patch.object(archives, "MOST_FILES", 1):
            self.assertIn("has 2 files; at most 1 are unpacked", self.refused())
        with patch.object(archives, "MOST_BYTES", 200), patch.object(archives, "MOST_FILES", 2):
            unpack(self.file, self.folder / "to")

    def test_what_is_no_archive(self) -> None:
        self.assertIn("cannot be unpacked: ", self.refused())
        self.file.write_bytes(b"PK\x03\x04" + os.urandom(100))
        self.assertIn("cannot be unpacked: ", self.refused())

    def test_a_damaged_archive_says_so(self) -> None:
        content = bytearray(self.pack(("start.sh", b"echo " * 1000, 0)).read_bytes())
        for place in range(30, 60):
            content[place] ^= 0xFF
        self.file.write_bytes(content)
        self.assertIn(
            "cannot be unpacked: ", str(self.assertRaises(ArchiveError, unpack, self.file, self.folder / "to"))
        )
