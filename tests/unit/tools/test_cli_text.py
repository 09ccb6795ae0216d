"""`trustnlp privatise`: a file in, a file out, the guarantee in words, and every mistake in one line."""

from __future__ import annotations

import errno
import json
from pathlib import Path

import numpy as np
import pytest
from made_vocabularies import WORDS, vocabulary
from typer.testing import CliRunner, Result

from trustnlp.embeddings.senses.sense_inventory import SenseInventory, hash_of
from trustnlp.privacy.mechanisms import file_release
from trustnlp.tools.cli import app


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rows = "".join(f"{word} {' '.join(map(str, row))}\n" for word, row in zip(WORDS, np.eye(len(WORDS)), strict=True))
    (tmp_path / "vectors.txt").write_text(rows)
    (tmp_path / "in.txt").write_text("The bank, by the river.\n\nAnna walks.\n")
    return tmp_path


def run(folder: Path, *options: object, epsilon: object = 1000, vectors: object = None) -> Result:
    given = (folder / "in.txt", folder / "out.txt", "--epsilon", epsilon)
    known = ("--vectors", vectors or folder / "vectors.txt")
    return CliRunner().invoke(app, ["privatise", *map(str, (*given, *known, *options))])


def test_a_file_is_released_and_the_guarantee_printed(folder: Path) -> None:
    result = run(folder)
    assert (result.exit_code, result.stderr) == (0, "")
    assert (folder / "out.txt").read_text() == "The bank, by the river.\n\n[UNK] walks.\n"
    assert result.stdout.splitlines() == [
        f"wrote {folder / 'out.txt'}: 3 lines, 7 words, 1 of them unknown",
        "One word: (1000, 0)-differential privacy, per unit of distance, L2 sensitivity 1, for all pairs of words",
        "The longest line: two texts of one layout, with 5 words known to the vocabulary in the same positions: any "
        "release is at most exp(1000 · D) times as likely, D the sum of the distances of their words, position by "
        "position; that is exp(5000) when every position moves by 1",
        "k releases of one text cost k·ε and k·δ, and lines about one person add up as well",
        "All of this holds in exact arithmetic; rounding is not covered",
        "Not protected: the number of words, the case pattern of each, punctuation, signs such as $ and +, spaces, and "
        "contractions; which words are unknown to the vocabulary (they are masked)",
        "Spent so far, for each word of a line: ε = 1000, δ = 0, nearest_word in vectors.txt, per unit of distance, "
        f"for the row with most (1 release of it); in {folder / 'in.txt.spent.json'}, which is private",
    ]
    (folder / "out.txt").rename(folder / "first.txt")
    refused = run(folder, "--once")
    assert refused.exit_code == 2 and "2 of 2 rows were released before" in refused.stderr
    assert not (folder / "out.txt").exists() and not (folder / "out.txt.state.json").exists()
    assert "ε = 2000, δ = 0" in run(folder).stdout


@pytest.mark.parametrize("account", ["stays", "is lost", "is damaged"])
def test_a_run_that_goes_on_is_in_the_account_once(account: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    spent = folder / "in.txt.spent.json"
    with monkeypatch.context() as disk:
        disk.setattr(file_release, "put_in_place", full)
        assert run(folder).exit_code == 1 and (folder / "out.txt.part").exists()
    if account == "is damaged":
        spent.write_text("{")
        done = run(folder)
        assert done.exit_code == 2 and "move it away" in done.stderr and (folder / "out.txt.part").exists()
    if account != "stays":
        spent.unlink()
    done = run(folder)
    assert "3 lines (3 of them by an earlier run)" in done.stdout and "(1 release of it)" in done.stdout
    assert len(json.loads(spent.read_text())["spent"]) == 1


def test_a_small_epsilon_changes_words(folder: Path) -> None:
    (folder / "in.txt").write_text("the bank by the river " * 20)
    assert run(folder, epsilon=0.5).exit_code == 0
    released = (folder / "out.txt").read_text().split()
    assert len(released) == 100 and set(released) <= set(WORDS)
    assert released != (folder / "in.txt").read_text().split()


def test_the_first_words_of_the_vectors_only(folder: Path) -> None:
    assert run(folder, "--words", 3, "--unknown", "drop").exit_code == 0
    assert (folder / "out.txt").read_text() == "The bank, the river.\n\n.\n"


def test_senses_from_a_saved_inventory(folder: Path) -> None:
    vectors = vocabulary()
    size = len(vectors)
    one_each = (vectors.words, np.arange(size), vectors.matrix.copy(), np.ones(size))
    SenseInventory(*one_each, 0, hash_of(vectors)).save(folder / "senses.npz")
    result = run(folder, "--mechanism", "nearest_sense", "--inventory", folder / "senses.npz")
    assert (result.exit_code, result.stderr) == (0, "")
    assert (folder / "out.txt").read_text() == "The bank, by the river.\n\n[UNK] walks.\n"
    assert "One word: nothing for a word alone: its sense depends on up to 10 neighbours" in result.stdout


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"epsilon": 0}, "epsilon is positive and finite"),
        ({"vectors": "none.txt"}, "none.txt: No such file"),
        ({"vectors": "in.txt"}, "in.txt: line 1 is not a word and numbers, separated by spaces"),
        (("--mechanism", "nearest_wrd"), "did you mean 'nearest_word'?"),
        (("--mechanism", "nearest_sense"), "--mechanism nearest_sense needs --inventory, the senses of"),
        (("--inventory", "no.npz"), "no.npz: no such file"),
        (("--inventory", "in.txt"), "cannot be read as a sense inventory"),
        (("--unknown", "keep"), "unknown is one of mask, drop"),
    ],
)
def test_mistakes_are_one_line(folder: Path, options: object, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    result = run(folder, **options) if isinstance(options, dict) else run(folder, *options)  # type: ignore[misc]
    assert result.exit_code == 2 and result.stdout == ""
    assert message in result.stderr and result.stderr.count("\n") == 1
    assert not (folder / "out.txt").exists()


def test_an_unknown_set_and_files_in_the_way(folder: Path) -> None:
    unknown = run(folder, vectors="glove_6b_51d")
    assert unknown.exit_code == 2 and "did you mean 'glove_6b_50d'?" in unknown.stderr
    (folder / "out.txt").touch()
    exists = run(folder)
    assert exists.exit_code == 2 and "exists; to release a text once more costs its ε once more" in exists.stderr
    (folder / "out.txt").unlink()
    (folder / "in.txt").write_bytes(b"caf\xe9\n")
    assert "line 1 is not UTF-8" in run(folder).stderr


def test_an_interrupt_says_how_to_go_on(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from trustnlp.privacy.text import text_privatiser

    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(text_privatiser.TextPrivatiser, "release", interrupt)
        result = run(folder)
    assert result.exit_code == 130 and "the same command goes on after the last line in" in result.stderr
    assert run(folder, "--unknown", "drop").exit_code == 2
    assert run(folder, "--unknown", "drop", "--restart").exit_code == 0
