"""`trustnlp release`: no digit of a private coordinate leaves, however the file of vectors is damaged."""

from __future__ import annotations

import gzip
import os
import re
import signal
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner, Result

from trustnlp.embeddings.vector_text_files import read_vector_text
from trustnlp.tools import cli_release, report_files
from trustnlp.tools.cli import app

WORDS = ["rose", "tulip", "New York", "1999", "3.14", "Grüße", "wasp", "moth", "joy", "love", "grief", "war"]
DIM = 20
# Marked: the digits of every coordinate occur nowhere else.
MARKED = np.random.default_rng(0).uniform(-2, 2, (len(WORDS), DIM)).round(12)
METHODS = [
    ("--method", "plain"),
    ("--delta", "0.1"),
    ("--method", "projected", "--delta", "0.1", "--dimensions", "5"),
    ("--dimensions", "1"),
]


def rows(separator: str = " ", end: str = "\n") -> list[str]:
    numbers = [[f"{value:.12f}" for value in row] for row in MARKED]
    return [word + separator + separator.join(row) + end for word, row in zip(WORDS, numbers, strict=True)]


BODY = "".join(rows())
EXTRA = MARKED[3, 0]


def with_line(place: int, change: Callable[[str], str]) -> str:
    lines = rows()
    lines[place] = change(lines[place])
    return "".join(lines)


def second_blank(line: str, sign: str) -> str:
    word, rest = line.split(" ", 1)
    return f"{word}{sign}{rest}"


ACCEPTED: dict[str, bytes] = {
    "plain": BODY.encode(),
    "header": f"12 20\n{BODY}".encode(),
    "header, blank": f"12 20 \n{BODY}".encode(),
    "mark": f"\ufeff{BODY}".encode(),
    "mark and header": f"\ufeff12 20\n{BODY}".encode(),
    "CRLF": f"\ufeff12 20\r\n{''.join(rows(end=chr(13) + chr(10)))}".encode(),
    "tabs": ("12\t20\n" + "".join(rows("\t"))).encode(),
    "blanks at the end of lines": "".join(rows(end=" \n")).encode(),
    "blank lines at the end": f"{BODY}\n \n".encode(),
    "gzip": gzip.compress(f"\ufeff12 20\n{BODY}".encode(), mtime=0),
    "first word with a space": "".join(sorted(rows(), key=lambda line: not line.startswith("New"))).encode(),
    "first word a number": "".join(sorted(rows(), key=lambda line: not line.startswith("1999"))).encode(),
}
REFUSED: dict[str, bytes] = {
    name: text.encode()
    for name, text in {
        **{f"header {head!r}": f"{head}\n{BODY}" for head in (
            "+12 20", "-12 20", "12 -20", "12 20 1", "12 20.0", "12.0 20", "12e0 20", "12 2_0", "１２ ２０", "12\xa020",
            "١٢ 20", "12,20", "12", " 12 20", "\ufeff\ufeff12 20", "1000 20", "10 20", "0 20", "12 300", "12 19",
            "12 1", "12 2", "12 0", "12 20\n12 20", "12 20\n", "# 12 20", "12 99999999999999999999", f"12 {EXTRA}",
            f"{EXTRA}",
        )},
        "an extra number": with_line(3, lambda line: line.replace("\n", f" {EXTRA}\n")),
        "an extra number in the first line": with_line(0, lambda line: line.replace("\n", f" {EXTRA}\n")),
        "an extra number after the word": with_line(6, lambda line: line.replace(" ", f" {EXTRA} ", 1)),
        "an extra number before the word": "12 20\n" + with_line(6, lambda line: f"{EXTRA} {line}"),
        "an extra number with a comma": with_line(6, lambda line: line.replace(" ", f" {EXTRA} ".replace(".", ","), 1)),
        "an extra number in brackets": with_line(6, lambda line: line.replace(" ", f" ({EXTRA}) ", 1)),
        "an extra NaN": with_line(6, lambda line: line.replace(" ", " nan ", 1)),
        "a number glued to its word": "12 20\n" + with_line(6, lambda line: line.replace(" ", f",{EXTRA} ", 1)),
        "a number in the place of its word": "12 20\n" + with_line(6, lambda line: line.replace("wasp", f"{EXTRA}")),
        "a number with a comma in the place of its word": "12 20\n"
        + with_line(6, lambda line: line.replace("wasp", f"{abs(EXTRA)}".replace(".", ","))),
        "a number too few": with_line(6, lambda line: line.rsplit(" ", 1)[0] + "\n"),
        "no word": with_line(6, lambda line: line.split(" ", 1)[1]),
        "no word and a blank": with_line(6, lambda line: line.removeprefix("wasp")),
        "no words": "".join(line.split(" ", line.startswith("New") + 1)[-1] for line in rows()),
        "no-break space": "".join(second_blank(line, "\xa0") for line in rows()),
        "no-break space in one line": with_line(6, lambda line: second_blank(line, "\xa0")),
        "NaN": with_line(6, lambda line: line.rsplit(" ", 1)[0] + " nan\n"),
        "infinite": with_line(6, lambda line: line.rsplit(" ", 1)[0] + " inf\n"),
        "not a number": with_line(6, lambda line: line.replace("\n", "x\n")),
        "a word twice": BODY + rows()[0],
        "blank line": "\n".join(rows()),
        "mark in the middle": with_line(6, lambda line: "\ufeff" + line),
        "two files": f"12 20\n{BODY}12 20\n{BODY}",
        "commas": "".join(rows(",")),
        "one dimension": "".join(" ".join(line.split(" ")[:2]) + "\n" for line in rows() if line[:3] != "New"),
        "looks like a header, one dimension": "1999 5\n" + "".join(f"{word} 2.5\n" for word in "abc"),
        "old Macintosh": BODY.replace("\n", "\r"),
    }.items()
} | {
    "UTF-16": f"12 20\n{BODY}".encode("utf-16"),
    "UTF-16 without a mark": BODY.encode("utf-16-le"),
    "Latin-1": BODY.encode("latin-1"),
    "binary": b"12 20\nrose " + MARKED.astype("f4").tobytes(),
    "cut gzip": gzip.compress(BODY.encode(), mtime=0)[:-20],
    "gzip twice": gzip.compress(gzip.compress(BODY.encode(), mtime=0), mtime=0),
}  # fmt: skip


def release(folder: Path, *options: str, source: str = "in.txt", target: str = "out.txt") -> Result:
    given = ("release", str(folder / source), str(folder / target), "--epsilon", "10", *options)
    return CliRunner().invoke(app, given)


def marks() -> Iterator[bytes]:
    """The digits behind the point of each coordinate."""
    for value in MARKED.ravel():
        yield f"{abs(value):.12f}"[-12:-1].encode()


def leaked(folder: Path, result: Result, source: str) -> list[str]:
    """Where a coordinate's digits stand, among all files but the input and all that was said."""
    said = {"said": (result.output + str(result.exception)).encode()}
    files = {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.name != source}
    return [name for name, content in (said | files).items() if any(mark in content for mark in marks())]


# A file is read before the method is asked: every file by one method, and one file by every method.
CASES = [(name, METHODS[0]) for name in ACCEPTED] + [("mark and header", options) for options in METHODS[1:]]


@pytest.mark.parametrize(("name", "options"), CASES, ids=str)
def test_a_good_file_is_released_with_its_words_and_its_width(
    name: str, options: tuple[str, ...], tmp_path: Path
) -> None:
    (tmp_path / "in.txt").write_bytes(ACCEPTED[name])
    result = release(tmp_path, *options, "--out", str(tmp_path / "report.json"))
    assert result.exit_code == 0, result.output
    found = read_vector_text(tmp_path / "out.txt")
    assert sorted(found.words) == sorted(WORDS)
    assert f"20 to {found.dim}\n" in result.output and (found.dim == DIM) == ("plain" in options)
    assert leaked(tmp_path, result, "in.txt") == []
    # As float32 a coordinate has other digits; a few of 240 could come back by chance.
    assert np.isin(found.matrix, MARKED.astype(np.float32)).sum() < 5


@pytest.mark.parametrize("name", list(REFUSED))
def test_a_bad_file_is_refused_in_one_line_and_nothing_is_written(name: str, tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_bytes(REFUSED[name])
    result = release(tmp_path, "--method", "plain", "--out", str(tmp_path / "report.html"))
    assert result.exit_code == 2 and result.stdout == ""
    assert result.stderr.startswith("trustnlp: ") and result.stderr.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["in.txt"]
    assert leaked(tmp_path, result, "in.txt") == []


@pytest.mark.parametrize("kind", [">f4", ">f8", "<f4", "<f8"])
def test_an_array_of_either_order_of_bytes(kind: str, tmp_path: Path) -> None:
    np.save(tmp_path / "in.npy", MARKED.astype(kind))
    result = release(tmp_path, "--method", "plain", source="in.npy", target="out.npy")
    assert result.exit_code == 0, result.output
    out = np.load(tmp_path / "out.npy")
    assert out.shape == MARKED.shape and out.dtype == np.dtype(kind).newbyteorder("=")
    assert np.abs(out - MARKED).max() < 100 and leaked(tmp_path, result, "in.npy") == []


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.array([["a", 1.5]], dtype=object), "in.npy: not an array in .npy format: it holds objects"),
        (MARKED.astype(int), "in.npy"),
        (MARKED.astype("f2"), "float32 or float64"),
        (MARKED[0], "expected an array (n, d)"),
        (np.where(MARKED > 1, np.nan, MARKED), "NaN"),
    ],
)
def test_other_arrays_are_refused(array: np.ndarray, message: str, tmp_path: Path) -> None:
    np.save(tmp_path / "in.npy", array, allow_pickle=True)
    result = release(tmp_path, source="in.npy", target="out.npy")
    assert result.exit_code == 2 and message in result.stderr
    assert ("half" in result.stderr) == (array.dtype == "f2") and "allow_pickle" not in result.stderr
    assert leaked(tmp_path, result, "in.npy") == [] and not (tmp_path / "out.npy").exists()


def test_archives_of_arrays_are_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "in.npz", MARKED)
    result = release(tmp_path, source="in.npz")
    assert result.exit_code == 2 and "save the one to release as .npy" in result.stderr
    (tmp_path / "in.npz").rename(tmp_path / "in.txt")
    assert "a zip archive" in release(tmp_path).stderr


@pytest.mark.parametrize(
    ("words", "row"),
    [  # of GloVe, beside short coordinates, of nodes
        (["-0.5", "1514.25", "10,000", "192.168.10.1", "802.11", "1999", "the", "of", "and", "to"], "0.25139 -0.5127"),
        (["New York", "1999", "20060308", "3.1", "v2", "A4", "-7"], "0.25 -0.51"),
        (["0", "1", "2", "3", "4", "5", "6", "7", "8"], "0.25 -0.5"),
    ],
)
def test_words_with_numbers_in_them_are_released(words: list[str], row: str, tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text("".join(f"{word} {row}\n" for word in words))
    assert release(tmp_path, "--method", "plain").exit_code == 0
    assert read_vector_text(tmp_path / "out.txt").words == tuple(words)


def test_words_with_long_numbers_are_released_by_who_has_looked_at_them(tmp_path: Path) -> None:
    words = ["3.7995", ".71098", "76702.1435", "74723,3507", "0.000001", "the", "of", "and", "to", "in"]
    (tmp_path / "in.txt").write_text("".join(f"{word} 0.25 -0.5\n" for word in words))
    refused = release(tmp_path, "--method", "plain")
    assert refused.exit_code == 2 and "5 of 10 words hold numbers" in refused.stderr
    assert not (tmp_path / "out.txt").exists()
    assert release(tmp_path, "--method", "plain", "--keep-number-words").exit_code == 0
    assert read_vector_text(tmp_path / "out.txt").words == tuple(words)


@pytest.mark.parametrize(
    "row",
    [
        "the,0.123456789012 0.5 0.25", "the;7654.32109876 0.5 0.25", "the[0.123456789012, 0.5 0.25",
        "the0.1234567890120.987654321098 0.5 0.25", "the,1.2e-03 0.5 0.25", "0x1.f9p-4 0.5 0.25",
        "0.123_456_789 0.5 0.25", "0٫123456789 0.5 0.25", "0．123456789 0.5 0.25", "0·123456789 0.5 0.25",
        "0'123456789 0.5 0.25", "the\r0.123456789012 0.5\rin 0.5 0.25", "123456789012 0.5 0.25",
        "123456789.012 0.5 0.25",
    ],
)  # fmt: skip
def test_a_number_that_is_joined_to_a_word_is_not_published(row: str, tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text(f"2 2\nof 90000 -0.5\n{row}\n", newline="")
    result = release(tmp_path, "--method", "plain")
    assert result.exit_code == 2 and not (tmp_path / "out.txt").exists(), result.output
    assert "123456789" not in result.output + result.stderr


def test_no_message_quotes_a_word_that_stands_twice(tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text("0.847433736937x 0.5 1\n0.847433736937x 0.5 1\n")
    result = release(tmp_path, "--method", "plain")
    assert result.exit_code == 2 and "0.8474" not in result.output + result.stderr


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text[: text.rindex("\nwar ") + 1],
        lambda text: text.replace("rose ", "rosé ", 1),
        lambda text: text.replace("rose ", "rose 1 ", 1),
        lambda text: text.replace("rose ", "rose 1", 1),
        lambda text: text + "more " + " ".join(["1"] * DIM) + "\n",
        lambda text: "",
    ],
)
def test_a_release_that_is_read_back_otherwise_is_removed(
    damage: Callable[[str], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "in.txt").write_bytes(ACCEPTED["header"])
    write = cli_release._write

    def damaged(target: Path, *given: object) -> None:
        write(target, *given)  # type: ignore[arg-type]
        target.write_text(damage(target.read_text(encoding="utf-8")), encoding="utf-8")

    monkeypatch.setattr(cli_release, "_write", damaged)
    result = release(tmp_path, "--method", "plain", "--out", str(tmp_path / "report.json"))
    assert result.exit_code == 2 and "out.txt was removed, since it was read again" in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["in.txt"]


def test_an_array_that_is_read_back_otherwise_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    np.save(tmp_path / "in.npy", MARKED)
    monkeypatch.setattr(cli_release, "_write", lambda target, *_: np.save(target, MARKED[:-1]))
    result = release(tmp_path, "--method", "plain", source="in.npy", target="out.npy")
    assert result.exit_code == 2 and "11 x 20 numbers in the place of 12 x 20" in result.stderr
    assert not (tmp_path / "out.npy").exists()


def test_a_release_is_written_through_a_pipe(tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text(BODY, encoding="utf-8")
    os.mkfifo(tmp_path / "out.txt")
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append((tmp_path / "out.txt").read_text("utf-8")), daemon=True)
    reader.start()
    result = release(tmp_path, "--method", "plain")
    assert result.exit_code == 0, result.output
    reader.join(timeout=60)
    assert len(read[0].splitlines()) == len(WORDS) + 1
    assert (tmp_path / "out.txt").is_fifo()


@pytest.mark.parametrize(
    "line",
    [
        "{number} {rest}", "w{place},{number} {rest}", "w{place}:{number} {rest}", "w{place}={number} {rest}",
        "w{place}|{number} {rest}", "w{place}_{number} {rest}", "{place};{number} {rest}",
    ],
)  # fmt: skip
@pytest.mark.parametrize("header", ["", "12 19\n"])
def test_rows_that_lost_their_words_or_a_blank_are_refused_however_few_places_they_have(
    header: str, line: str, tmp_path: Path
) -> None:
    numbers = [[f"{value:.3f}" for value in row] for row in MARKED]
    lines = [line.format(place=place, number=row[0], rest=" ".join(row[1:])) for place, row in enumerate(numbers)]
    for first in (lines[0], "the " + " ".join(numbers[0][1:])):
        (tmp_path / "in.txt").write_text(header + "\n".join([first, *lines[1:]]) + "\n", encoding="utf-8")
        result = release(tmp_path, "--method", "plain")
        assert result.exit_code == 2 and not (tmp_path / "out.txt").exists(), result.output
        assert numbers[1][0] not in result.output + result.stderr


def joined(place: int, end: str) -> Callable[[list[str]], list[str]]:
    """Two lines become one."""
    return lambda lines: [*lines[:place], lines[place].rstrip("\n") + end + lines[place + 1], *lines[place + 2 :]]


def in_line(place: int, change: Callable[[str], str]) -> Callable[[list[str]], list[str]]:
    return lambda lines: [*lines[:place], change(lines[place]), *lines[place + 1 :]]


@pytest.mark.parametrize("places", [1, 3, 12])
@pytest.mark.parametrize(
    "damage",
    [
        *(joined(4, end) for end in ("", " ", "\t", "\\n", "\x00", "\x85", "\u2028")),
        joined(0, " "),
        in_line(6, lambda line: line.replace("wasp ", "wasp,", 1).replace("\n", " 0.5\n")),
        in_line(6, lambda line: line.replace("wasp ", "wasp:", 1).replace("\n", " 0.5\n")),
        in_line(6, lambda line: line.replace("wasp ", "", 1).replace("\n", " 0.5\n")),
        in_line(6, lambda line: re.sub("^wasp ([^ ]*)", r"wasp \1 sting", line).replace("\n", " 0.5\n")),
        lambda lines: [re.sub("^([^ ]*) ([^ ]*)", r"\2 \1", line) for line in lines],
        lambda lines: [f"{place} {line}" for place, line in enumerate(lines)],
        lambda lines: [*lines[:7], *(line.split(" ", 1)[1].replace("\n", " 0.5\n") for line in lines[7:])],
    ],
)  # fmt: skip
def test_a_damaged_file_of_few_places_is_refused(
    damage: Callable[[list[str]], list[str]], places: int, tmp_path: Path
) -> None:
    """Its coordinates are as private as those of twelve places."""
    words = [word.replace(" ", "_").replace("3.14", "pi") for word in WORDS]
    # None of them ends in a zero, as far as all places are counted.
    numbers = [[f"{value:.{places - 1}f}7" for value in row] if places > 1 else [f"{value:.1f}" for value in row]
               for row in MARKED]  # fmt: skip
    lines = [f"{word} {' '.join(row)}\n" for word, row in zip(words, numbers, strict=True)]
    (tmp_path / "in.txt").write_text("".join(damage(lines)), encoding="utf-8", newline="")
    result = release(tmp_path, "--method", "plain")
    assert result.exit_code == 2 and result.stderr.count("\n") == 1, result.output
    assert [path.name for path in tmp_path.iterdir()] == ["in.txt"]


@pytest.mark.parametrize("first", [0, 1])
def test_numbers_of_columns_are_no_vector(first: int, tmp_path: Path) -> None:
    columns = " ".join(str(first + place) for place in range(DIM))
    (tmp_path / "in.txt").write_text(f"word {columns}\n{BODY}", encoding="utf-8")
    result = release(tmp_path, "--method", "plain")
    assert result.exit_code == 2 and "line 1 numbers the columns" in result.stderr


@pytest.mark.parametrize("kind", ["in.npy", "in.txt"])
def test_noise_that_changes_nothing_is_refused(kind: str, tmp_path: Path) -> None:
    if kind == "in.npy":
        np.save(tmp_path / kind, MARKED.astype("f4"))
    else:
        (tmp_path / kind).write_text(BODY, encoding="utf-8")
    result = release(tmp_path, "--method", "plain", "--epsilon", "1e8", source=kind, target=kind.replace("in", "out"))
    assert result.exit_code == 2 and "the noise is so small" in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == [kind]


@pytest.mark.parametrize("error", [KeyboardInterrupt(), MemoryError(), OSError(28, "No space left on device")])
@pytest.mark.parametrize("at", ["_check_written", "_write_array", "write_report"])
@pytest.mark.parametrize("link", [False, True])
def test_an_error_after_the_release_takes_it_back(
    link: bool, at: str, error: BaseException, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is there is whole: with its projection and its guarantee. The next try is then the first release."""

    def fails(*_: object, **__: object) -> None:
        raise error

    (tmp_path / "in.txt").write_text(BODY, encoding="utf-8")
    (tmp_path / "elsewhere").mkdir()
    if link:
        (tmp_path / "out.txt").symlink_to("elsewhere/out.txt")
    before = sorted(tmp_path.rglob("*"))
    monkeypatch.setattr(report_files if at == "write_report" else cli_release, at, fails)
    result = release(tmp_path, "--delta", "0.1", "--projection", str(tmp_path / "p.npy"),
                     "--out", str(tmp_path / "r.json"))  # fmt: skip
    assert result.exit_code != 0 and result.stdout == ""
    assert sorted(tmp_path.rglob("*")) == before


def test_a_release_that_appears_meanwhile_is_not_taken_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "in.txt").write_text(BODY, encoding="utf-8")
    check = cli_release._check_noise

    def overtaken(*given: Any) -> None:
        check(*given)
        (tmp_path / "out.txt").write_text("another's")

    monkeypatch.setattr(cli_release, "_check_noise", overtaken)
    assert release(tmp_path, "--method", "plain").exit_code == 1
    assert (tmp_path / "out.txt").read_text() == "another's"


def test_text_is_not_written_under_the_name_of_an_array(tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text(BODY, encoding="utf-8")
    result = release(tmp_path, "--method", "plain", target="out.NPY")
    assert result.exit_code == 2 and "both end in .npy, or neither" in result.stderr


def npy(shape: str, version: int = 1, padding: int = 0) -> bytes:
    head = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}".encode() + b" " * padding + b"\n"
    length = len(head).to_bytes(2 if version == 1 else 4, "little")
    return b"\x93NUMPY" + bytes([version, 0]) + length + head + bytes(48)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (npy("(1000000000000, 1000000)"), "promises 1000000000000 x 1000000 numbers of 4 bytes, more than the file"),
        (npy(f"({'9' * 40}, 4)"), "more than the file holds"),
        (npy("(-1, 4)"), "more than the file holds"),
        (npy("(4, 4)"), "promises 4 x 4 numbers"),
        (npy("(3, 4)", 2, 20_000_000), "its header claims 20,000"),
        (npy("(" * 3000, 2), "not an array in .npy format"),
        (b"\x93NUMPY\x02\x00\xff\xff\xff\xff{'descr': '<f4'", "its header claims 4,294,967,295 bytes"),
        (npy("(3, 4)")[:9], "not an array in .npy format"),
        (gzip.compress(BODY.encode(), mtime=0), "not an array in .npy format"),
        (BODY.encode(), "not an array in .npy format"),
        (b"", "not an array in .npy format"),
    ],
)
def test_what_is_no_array_is_one_line_that_names_no_pickle(content: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / "in.npy").write_bytes(content)
    result = release(tmp_path, source="in.npy", target="out.npy")
    assert result.exit_code == 2 and message in result.stderr and result.stderr.count("\n") == 1
    assert "pickle" not in result.stderr and "max_header_size" not in result.stderr


def test_the_command_names_its_own_methods(tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text(BODY, encoding="utf-8")
    assert "--method is orthonormal, projected or plain, got exact" in release(tmp_path, "--method", "exact").stderr
    refused = release(tmp_path)  # the default has no width for 20 dimensions
    assert refused.exit_code == 2 and "for any --dimensions up to that, and for --method plain" in refused.stderr


@pytest.mark.parametrize("header", ["", "12 19\n"])
@pytest.mark.parametrize("first", ["", "the "])
def test_whole_numbers_without_words_are_refused(first: str, header: str, tmp_path: Path) -> None:
    whole = np.random.default_rng(1).integers(-(10**6), 10**6, (12, 20))
    lines = [" ".join(map(str, row)) + "\n" for row in whole]
    lines[0] = first + lines[0].split(" ", bool(first))[-1]
    (tmp_path / "in.txt").write_text(header + "".join(lines))
    result = release(tmp_path, "--method", "plain")
    assert result.exit_code == 2 and "vectors without words" in result.stderr
    assert not (tmp_path / "out.txt").exists()


def test_a_release_that_is_told_to_end_leaves_neither_file_nor_charge(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "in.txt").write_text("".join(f"{word} 0.25 {at}.5\n" for at, word in enumerate("abc")))
    before = signal.getsignal(signal.SIGTERM)
    with monkeypatch.context() as patched:
        patched.setattr(cli_release, "_write", lambda *_: os.kill(os.getpid(), signal.SIGTERM))
        assert release(tmp_path, "--method", "plain").exit_code == 128 + signal.SIGTERM
    assert signal.getsignal(signal.SIGTERM) == before and not (tmp_path / "out.txt").exists()
    told = release(tmp_path, "--method", "plain").stdout
    assert "(1 release of it)" in told
