"""One label in two spellings is refused: each of its texts would be counted as an error."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from refusals import assert_refused
from typer.testing import CliRunner

from trustnlp.evaluation.extraction_scores import macro_f1, relation_scores
from trustnlp.files.label_spellings import check_one_spelling, check_spellings, lone_labels
from trustnlp.tools.cli import app


def test_two_spellings_of_one_label_are_refused() -> None:
    spellings = [
        ("pos", "Pos"), ("pos", "pos "), ("1", "1.0"), (1, "1"), ("true", True), ("straße", "STRASSE"),
        ("caf\u00e9", "cafe\u0301"), ("\ufeffneg", "neg"), ("a b", "a\u00a0 b"), ("+1", "1"), ("'neg'", "neg"),
    ]  # fmt: skip
    assert_refused(check_spellings, [([a, "x"], [b, "x"], "differ in spelling alone") for a, b in spellings])
    renamed = [(["neu"] * 3 + ["x"], ["neutral", "neutral", "x", "x"], "2 of the 3 texts with the first")]
    assert_refused(check_spellings, renamed)


def test_relations_in_two_spellings_are_refused() -> None:
    for gold, predicted in ((["1", "r"], [1, "r"]), (["per:title", "r"], ["Per:title ", "r"])):
        for score in (relation_scores, macro_f1):
            with pytest.raises(ValueError, match="differ in spelling alone, and would be counted as errors; write"):
                score(gold, predicted)


def test_two_labels_that_look_alike_may_be_two_relations() -> None:
    assert macro_f1(["US", "us", "r"], ["US", "us", "r"]) == 100


@pytest.mark.parametrize("labels", [["a", "b"], ["1", "1.5"], ["C", "C++"], ["nan", "none"], [0, 1], ["-1", "1"]])
def test_two_labels_stay_two(labels: list[object]) -> None:
    check_spellings(labels * 2, labels * 2)
    assert lone_labels(labels, labels[::-1]) == ()


def test_a_label_of_one_column_is_told() -> None:
    found = lone_labels(["rare", "a", "rare"], ["a", "a", "b"])
    assert len(found) == 2 and "2 texts counts as an error, as its label is never predicted ('rare')" in found[0]


def test_the_command_refuses_and_tells(tmp_path: Path) -> None:
    rows = [f"text {row},{row % 2},{(row + (row % 3 == 0)) % 2},{row % 3 == 0}" for row in range(200)]
    path = tmp_path / "in.csv"

    def done(text: str, *more: str) -> tuple[int, str]:
        path.write_text("text,truth,predicted,third\n" + text)
        ran = CliRunner().invoke(app, ["errors", str(path), "--feature", "third", "--learner", "lookup", *more])
        return ran.exit_code, ran.output

    assert done("\n".join(rows))[0] == 0
    renamed = "\n".join(row.replace(",1,", ",one,", 1) if ",1,1," in row else row for row in rows)
    code, told = done(renamed)
    assert code == 0 and "is never predicted ('one')" in told
    code, told = done("\n".join([*rows, "last,1,1.0,True"]))
    assert code == 2 and "give all labels in --label" in told
    assert done("\n".join([*rows, "last,1,1.0,True"]), "--label=0", "--label=1", "--label=1.0")[0] == 0


@pytest.mark.parametrize(
    ("values", "found"),
    [
        (["True", "FALSE"], ["column"]),
        (["a", "b", "c"], ["column=a", "column=b", "column=c"]),
        (["1", "1e300"], "is above 1e\\+38"),
        ([f"text {row}" for row in range(200)], "row 1 has no number"),
    ],
)
def test_features_of_any_kind_are_read_or_told(values: list[str], found: list[str] | str, tmp_path: Path) -> None:
    rows = [f"{row},{row % 2},{(row + (row % 4 < 2)) % 2},{values[row % len(values)]}" for row in range(200)]
    (tmp_path / "in.csv").write_text("\n".join(["text,truth,predicted,column", *rows]))
    given = ["errors", str(tmp_path / "in.csv"), "--feature", "column", "--learner", "lookup"]
    done = CliRunner().invoke(app, given)
    if isinstance(found, str):
        assert done.exit_code == 2 and re.search(found, done.output) and "Traceback" not in done.output
    else:
        assert done.exit_code == 0 and {line.split()[0] for line in done.output.splitlines()[1:]} == set(found)


def test_texts_that_a_classifier_refuses_are_told_and_the_others_explained(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text("def f(texts):\n    return [[1 / len(t), 1 - 1 / len(t)] for t in texts]\n")
    (tmp_path / "in.txt").write_text("good\na good film\n")
    done = CliRunner().invoke(app, ["explain", str(tmp_path / "in.txt"), f"{tmp_path / 'own.py'}:f"])
    assert done.exit_code == 0 and "\n2: label" in f"\n{done.stdout}"
    assert "Skipped text 1" in done.stderr and "let the classifier answer ''" in done.stderr


def test_long_numbers_are_other_labels_and_a_missing_one_is_called_missing() -> None:
    check_one_spelling(["9007199254740993", "1e3"], ["9007199254740992", "1001"])
    for one, other in (("1e3", "1000"), ("1_000", 1000), ("0", "-0"), ("a", " A")):
        with pytest.raises(ValueError, match="differ in spelling alone"):
            check_one_spelling([one], [other])
    for missing in (float("nan"), np.float32("nan").item()):
        with pytest.raises(ValueError, match="a label is missing"):
            check_one_spelling(["a", missing], ["a", "a"])
