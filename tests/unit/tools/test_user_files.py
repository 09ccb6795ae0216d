"""Files with a byte-order mark, compressed or in another encoding, given to the commands that read texts."""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from trustnlp.decoys.decoy_recipes import read_recipes
from trustnlp.graphs.pair_files import read_pairs
from trustnlp.reproduce.project import UserError
from trustnlp.reproduce.schemas import load_json, load_yaml
from trustnlp.tools.cli import app
from trustnlp.tools.cli_bias import _own_sets
from trustnlp.tools.user_files import read_lines, read_table, read_word_vectors

SETS = {name: ["é"] for name in "XYAB"}
READERS: dict[str, tuple[str, Callable[[Path], object], object]] = {
    "sets": (json.dumps(SETS, ensure_ascii=False), _own_sets, list(SETS.values())),
    "table": ("id,text\n1,é\n", lambda path: list(read_table(path, ["id"], "rows")["id"]), ["1"]),
    "pairs": ("left,right,score\né,b,1\n", lambda path: list(read_pairs(path).table["left"]), ["é"]),
    "texts": ("é\n\nb\n", read_lines, ["é", "b"]),
    "vectors": ("é 1 2\nb 3 4\n", lambda path: read_word_vectors(str(path)).words, ("é", "b")),
    "recipes": (
        '"é" = {kind = "position", description = "d", word = "é", places = ["last", "first"]}\n',
        lambda path: list(read_recipes(path)),
        ["é"],
    ),
}


@pytest.fixture(params=list(READERS))
def reader(request: pytest.FixtureRequest) -> tuple[str, Callable[[Path], object], object]:
    return READERS[request.param]


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_mark_and_compression_change_nothing(
    reader: tuple[str, Callable[[Path], object], object], mark: str, pack: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    text, read, expected = reader
    path = tmp_path / "in.txt"
    path.write_bytes(pack((mark + text).encode()))
    assert read(path) == expected


@pytest.mark.parametrize(
    ("encoding", "message"), [("utf-16", "in.txt: not text in UTF-8 but in UTF-16"), ("cp1252", "line . is not UTF-8")]
)
def test_another_encoding_is_told(
    reader: tuple[str, Callable[[Path], object], object], encoding: str, message: str, tmp_path: Path
) -> None:
    text, read, _ = reader
    (tmp_path / "in.txt").write_bytes(text.encode(encoding))
    with pytest.raises((UserError, ValueError), match=message):
        read(tmp_path / "in.txt")


def test_a_ledger_or_parameters_with_a_mark(tmp_path: Path) -> None:
    (tmp_path / "in.yaml").write_text("\ufeff[]", encoding="utf-8")
    with pytest.raises(UserError, match="expected a mapping"):  # of the schema: it was read
        load_yaml(tmp_path / "in.yaml", "params")


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_text_with_a_mark_is_privatised(pack: Callable[[bytes], bytes], tmp_path: Path) -> None:
    (tmp_path / "vectors.txt").write_text("\ufeffrose 1 0\nwasp 0 1\n", encoding="utf-8")
    (tmp_path / "in.txt").write_bytes(pack("\ufeffrose wasp\n".encode()))
    given = [str(tmp_path / name) for name in ("in.txt", "out.txt", "vectors.txt")]
    done = CliRunner().invoke(app, ["privatise", *given[:2], "--epsilon", "1000", "--vectors", given[2]])
    assert done.exit_code == 0 and (tmp_path / "out.txt").read_text(encoding="utf-8") == "rose wasp\n"


@pytest.mark.parametrize("content", ["secret, é\n".encode("utf-16"), "a\nsecret é\n".encode("cp1252")])
@pytest.mark.parametrize("command", ["privatise", "anonymise"])
def test_a_private_text_is_not_quoted(command: str, content: bytes, tmp_path: Path) -> None:
    (tmp_path / "vectors.txt").write_text("rose 1 0\nwasp 0 1\n")
    (tmp_path / "in.jsonl").write_bytes(content)
    given = [command, str(tmp_path / "in.jsonl"), str(tmp_path / "out")]
    given += ["--epsilon", "1", "--vectors", str(tmp_path / "vectors.txt")] if command == "privatise" else []
    done = CliRunner().invoke(app, given)
    assert done.exit_code == 2 and "secret" not in done.output and not (tmp_path / "out").exists()


def test_a_compressed_file_of_json_lines_is_told(tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_bytes(gzip.compress(b'{"text": "a"}\n'))
    done = CliRunner().invoke(app, ["anonymise", str(tmp_path / "in.jsonl"), str(tmp_path / "out")])
    assert done.exit_code == 2 and "in.jsonl: compressed with gzip; unpack it with gunzip" in done.stderr


@pytest.mark.parametrize("recursion", [1000, 100_000])
def test_deep_lists_are_refused_whatever_python_s_limit(tmp_path: Path, recursion: int) -> None:
    """Another library may have raised the limit of recursion, on which the parser alone would rely."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(recursion)
    try:
        for name, begin in (("recipes", "a = "), ("sets", ""), ("record", "")):
            (tmp_path / "deep").write_text(begin + "[" * 100_000, encoding="utf-8")
            read = READERS[name][1] if name in READERS else lambda path: load_json(path, "record")
            with pytest.raises((ValueError, UserError), match=r"deep.*nested too deeply"):
                read(tmp_path / "deep")
    finally:
        sys.setrecursionlimit(before)


def test_cells_that_a_spreadsheet_takes_for_formulas_are_told_and_kept(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("text,label\n=1+1,0\n-1.5,1\n@sum,0\n+4e2,1\nplain,0\n-cmd,1\n")
    given = ["plant", str(tmp_path / "in.csv"), str(tmp_path / "out.csv"), "--decoy", "position"]
    done = CliRunner().invoke(app, given)
    assert done.exit_code == 0 and "out.csv: 2 cells begin with =" in done.stderr
    assert "\n=1+1" in (tmp_path / "out.csv").read_text()


def test_two_columns_of_one_name_are_refused(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("text,truth,truth\na,b,c\n")
    with pytest.raises(UserError, match="two columns 'truth'"):
        read_table(tmp_path / "t.csv", ["text", "truth"], "texts")


@pytest.mark.parametrize("written", ["/c/en/{}", "{} "])
def test_words_of_a_set_with_a_prefix_or_blanks_that_the_vectors_lack_are_named(written: str, tmp_path: Path) -> None:
    words = ["rose", "lily", "gun", "bomb", "love", "joy", "hate", "pain"]
    (tmp_path / "v.txt").write_text("".join(f"{word} {at} 1\n" for at, word in enumerate(words)))
    pairs = zip("XYAB", zip(words[::2], words[1::2], strict=True), strict=True)
    sets = {name: [written.format(word) for word in pair] for name, pair in pairs}
    (tmp_path / "s.json").write_text(json.dumps(sets))
    result = CliRunner().invoke(app, ["weat", f"{tmp_path}/v.txt", "--sets", f"{tmp_path}/s.json"])
    assert result.exit_code == 2 and "stands there as 'rose'" in result.stderr
