"""SGF in the encodings of East Asia, declared and not, and what cannot be read as text."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from gamed.records.record import RecordError
from tests.records.gogames import read_sgf
from tests.records.test_sgf import moves

TEXTS_OF_EAST_ASIA = {
    "cp932": (
        "\u7b2c1\u56de\u30bd\u30d1\u30eb\u30b3\u4e16\u754c\u6700\u9ad8\u68cb\u58eb",
        "\u4e95\u5c71\u88d5\u592a",
        "\u7533\u771e\u30bd",
        "\u9ed2\u4e2d\u62bc\u3057\u52dd\u3061\u3002\u5341\u8868",
    ),
    "gb18030": (
        "\u7b2c\u4e09\u5c4a\u6625\u5170\u676f\u56f4\u68cb\u8d5b",
        "\u67ef\u6d01",
        "\u6731\u9555\u4fca",
        "\u9ed1\u4e2d\u76d8\u80dc\u3002\u8a31",
    ),
    "cp949": (
        "\uc81c13\ud68c \ucd98\ub780\ubc30 4\uac15",
        "\uc774\uc138\ub3cc",
        "\ubc15\uc815\ud658",
        "\ud751 \ubd88\uacc4\uc2b9\uc785\ub2c8\ub2e4",
    ),
    "cp950": (
        "\u7b2c\u4e8c\u5c46\u61c9\u6c0f\u676f\u4e16\u754c\u570d\u68cb\u8cfd",
        "\u5468\u4fca\u52f3",
        "\u6797\u6d77\u5cf0",
        "\u9ed1\u4e2d\u76e4\u52dd\uff0c\u8a31\u529f",
    ),
}

ADVICE = "; if names are wrong, choose one with --encoding"


class EncodingTests(SynchronousTestCase):
    def test_named_encodings(self) -> None:
        for name in ("UTF-8", "GBK", "Big5", "Shift_JIS", "EUC-JP", "ISO-2022-JP", "gb18030"):
            # In Shift_JIS and GBK some of these end with the byte of a backslash or a bracket.
            data = f"(;CA[{name}]GN[\u8868\u4e00]C[\u4e2d\u6587 \\] \u8868];B[aa])".encode(name)
            ((game, notes),) = read_sgf(data)
            self.assertEqual((game.title, game.comment, notes), ("\u8868\u4e00", "\u4e2d\u6587 ] \u8868", []), name)

    def test_games_of_different_encodings(self) -> None:
        data = "(;CA[UTF-8]GN[\u00e4])".encode() + "(;CA[Latin-1]GN[\u00f6])".encode("latin-1")
        self.assertEqual([game.title for game, _ in read_sgf(data)], ["\u00e4", "\u00f6"])

    def test_no_encoding(self) -> None:
        ((game, notes),) = read_sgf("(;GN[\u56f2\u7881])".encode())
        self.assertEqual(game.title, "\u56f2\u7881")
        self.assertEqual(notes, ["it was read as UTF-8, because it declares no encoding"])
        ((game, notes),) = read_sgf("(;GN[J\u00e4ger]PB[\u00dc \u2013 \u00e9])".encode("cp1252"))
        self.assertEqual((game.title, game.players[0].name), ("J\u00e4ger", "\u00dc \u2013 \u00e9"))
        self.assertEqual(
            notes,
            [f"it was read as Latin-1 (cp1252) by the look of its texts, because it declares no encoding{ADVICE}"],
        )

    def test_a_guess_by_the_texts(self) -> None:
        # Some letters end with the byte of a backslash or a bracket.
        for codec, texts in TEXTS_OF_EAST_ASIA.items():
            data = f"(;FF[3]GM[1]SZ[19]EV[{texts[0]}]PB[{texts[1]}]PW[{texts[2]}];B[pd]C[{texts[3]}])".encode(codec)
            ((game, notes),) = read_sgf(data)
            names = [player.name for player in game.players]
            found = (game.event, *names, game.roots[0].comment)
            self.assertEqual(found, texts, codec)
            self.assertRegex(
                notes[0], rf"it was read as .*\({codec}\) by the look of its texts, because it declares no encoding"
            )

    def test_supersets_and_aliases(self) -> None:
        # \u2460 and \ufa11 are in Windows' code page only, \u7199 in GBK only, \ub620 not in EUC-KR.
        for names, codec, text in (
            ("Shift_JIS sjis x-sjis windows-31j MS932 cp932 MS_Kanji", "cp932", "\u2460\ufa11\u8868"),
            ("GB2312 gbk GB18030 euc-cn x-gbk cp936 windows-936", "gb18030", "\u6731\u9555\u7199"),
            ("EUC-KR ks_c_5601-1987 cp949 windows-949 uhc", "cp949", "\ub620\ubc29\uac01\ud558"),
            ("Big5 cp950 x-big5 windows-950", "cp950", "\u8a31\u529f\u84cb"),
            ("Latin-1 ISO-8859-1 iso8859_1 windows-1252", "cp1252", "\u201ca\u201d \u00e4"),
            ("ASCII us-ascii utf8 UTF-8", "utf-8", "\u8868"),
        ):
            for name in names.split():
                ((game, notes),) = read_sgf(f"(;GM[1]CA[{name}]PB[{text}]PW[{text}];B[aa])".encode(codec))
                self.assertEqual([player.name for player in game.players], [text, text], name)
                self.assertEqual(notes, [], name)

    def test_an_encoding_of_the_users(self) -> None:
        data = "(;CA[UTF-8]PB[\u8868]PW[\u4e2d])".encode("cp932")
        ((game, notes),) = read_sgf(data, "Shift-JIS")
        self.assertEqual(([player.name for player in game.players], notes), (["\u8868", "\u4e2d"], []))
        for name in ("nonsense", "rot13", ""):
            error: RecordError = self.assertRaises(RecordError, read_sgf, data, name)
            self.assertEqual(error.code, "unknown-encoding")

    def test_a_declaration_that_is_wrong(self) -> None:
        names = "PB[\ucee4\uc81c]PW[\ud0d5\uc6e8\uc774\uc2f1]"
        data = f"(;CA[UTF-8]EV[\uc81c13\ud68c \ucd98\ub780\ubc30 4\uac15]{names})".encode("cp949")
        ((game, notes),) = read_sgf(data)
        self.assertEqual([player.name for player in game.players], ["\ucee4\uc81c", "\ud0d5\uc6e8\uc774\uc2f1"])
        said = "it was read as EUC-KR (cp949) by the look of its texts, because it declares UTF-8, which is wrong"
        self.assertEqual(notes, [said + ADVICE])

    def test_a_file_that_was_stored_anew_in_utf_8(self) -> None:
        for name in ("GB2312", "Shift_JIS", "EUC-KR", "Big5", "ISO-8859-1"):
            ((game, notes),) = read_sgf(f"(;CA[{name}]PB[\u8a31]PW[\u00e9])".encode())
            self.assertEqual([player.name for player in game.players], ["\u8a31", "\u00e9"])
            self.assertEqual(notes, [f"it was read as UTF-8, because it declares {name}, which is wrong"])
        ((game, notes),) = read_sgf(b"(;CA[GB2312]PB[\xc4\xa3])")
        self.assertEqual((game.players[0].name, notes), ("\u6a21", []))

    def test_the_form_of_the_nihon_ki_in(self) -> None:
        names = "PB[\u7533\u771e\u30bd]\r\nPW[\u515a\u6bc5\u98db]"
        text = f"(\r\nTE[\u7b2c1\u56de\u30bd\u8868]\r\nRD[2025-06-12]\r\n{names}\r\n;B[pd];W[dp])"
        ((game, _),) = read_sgf(text.encode("cp932"))
        self.assertEqual([player.name for player in game.players], ["\u7533\u771e\u30bd", "\u515a\u6bc5\u98db"])
        self.assertEqual((game.event, game.date, len(moves(game))), ("\u7b2c1\u56de\u30bd\u8868", "2025-06-12", 2))

    def test_a_collection_of_several_encodings(self) -> None:
        parts = (("Shift_JIS", "cp932", "\u8868\u5341"), ("UTF-8", "utf-8", "\u4e2d"), ("GB2312", "gb18030", "\u8a31"))
        data = b"".join(f"(;CA[{name}]PB[{text}]GN[{text}];B[aa])\n".encode(codec) for name, codec, text in parts)
        names = [[game.players[0].name, game.title] for game, _ in read_sgf(data)]
        self.assertEqual(names, [[text] * 2 for _, _, text in parts])

    def test_a_game_that_declares_nothing_before_one_that_does(self) -> None:
        data = "(;PB[\u4e2d];B[aa])".encode() + "(;CA[GBK]PB[\u8a31];B[aa])".encode("gbk") + b"(;CA[UTF-8])"
        names = [game.players[0].name for game, _ in read_sgf(data)]
        self.assertEqual(names, ["\u4e2d", "\u8a31", None])

    def test_unknown_encodings(self) -> None:
        # Some are known to Python, but are not of texts, or SGF could not be found in them.
        for name in ("nonsense", "utf-16", "rot13", "punycode", "\u00e4"):
            ((game, notes),) = read_sgf(f"(;CA[{name}]GN[x])".encode())
            self.assertEqual(game.title, "x")
            self.assertEqual(len(notes), 1)
            self.assertIn("is not known", notes[0])

    def test_bytes_that_the_encoding_does_not_have(self) -> None:
        ((game, notes),) = read_sgf("(;CA[UTF-8]GN[\u4e2d\u4e2d\u4e2d".encode() + b"\xe4\xf6b])")
        self.assertEqual(
            (game.title, notes), ("\u4e2d\u4e2d\u4e2d\ufffd\ufffdb", ["2 characters were not valid UTF-8"])
        )

    def test_utf_16_without_a_mark(self) -> None:
        for codec in ("utf-16-le", "utf-16-be"):
            self.assertEqual(read_sgf("(;GN[\u56f2\u7881];B[aa])".encode(codec))[0][0].title, "\u56f2\u7881")

    def test_utf_16_with_its_mark(self) -> None:
        ((game, notes),) = read_sgf("(;GN[\u56f2\u7881];B[aa])".encode("utf-16"))
        self.assertEqual((game.title, notes), ("\u56f2\u7881", []))

    def test_utf_8_with_its_mark(self) -> None:
        self.assertEqual(read_sgf(b"\xef\xbb\xbf(;CA[UTF-8]GN[\xc3\xa4])")[0][0].title, "\u00e4")
