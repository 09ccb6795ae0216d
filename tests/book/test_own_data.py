"""The worked examples of "Use the methods on your own data" run as printed, each command of a method among them."""

from __future__ import annotations

import json
import re
import runpy
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from trustnlp.tools.cli import app

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "book" / "own-data.md").read_text("utf-8")
FILES = re.findall(r"```\{code-block\} \w+\n:caption: (\S+)\n(.*?)```", PAGE, re.DOTALL)
COMMANDS = [line for block in re.findall(r"```bash\n(.*?)```", PAGE, re.DOTALL) for line in block.splitlines() if line]
METHODS = {
    "weat", "release", "audit", "privatise", "senses", "anonymise", "reidentify", "explain", "errors", "plant",
    "partition",
}  # fmt: skip


def test_every_method_with_a_command_has_an_example() -> None:
    shown = {shlex.split(command)[1] for command in COMMANDS if command.startswith("trustnlp ")}
    assert shown == METHODS


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty folder after all commands of the page, in their order."""
    place = tmp_path_factory.mktemp("own-data")
    for name, content in FILES:
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(content, "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        for command in COMMANDS:
            program, *arguments = shlex.split(command)
            if program == "python":
                runpy.run_path(str(place / arguments[0]))
                continue
            # One innocent mechanism in twenty is convicted at the default level.
            surely = ["--alpha", "1e-6", "--draws", "2000"] if arguments[0] == "audit" else []
            done = CliRunner().invoke(app, [*arguments, *surely])
            assert done.exit_code == 0, f"{command}\n{done.output}\n{done.exception!r}"
            (place / f"{arguments[0]}.said").write_text(done.stdout, "utf-8")
    return place


def test_reports_open_without_a_network(folder: Path) -> None:
    pages = sorted(path.name for path in folder.glob("*.html"))
    assert pages == [
        "attack.html", "audit.html", "clusters.html", "errors.html", "privatised.html", "release.html",
        "removed.html", "senses.html", "weat.html", "words.html",
    ]  # fmt: skip
    for name in pages:
        text = (folder / name).read_text("utf-8")
        assert text.lower().startswith("<!doctype html>") and "</html>" in text
        assert not re.search(r"(src|href)=|https?://|@import", text), name


def test_planted_truth_is_found(folder: Path) -> None:
    said = {path.stem: path.read_text("utf-8") for path in folder.glob("*.said")}
    assert float(re.search(r"d = ([+-][\d.]+)", said["weat"])[1]) > 1.5
    assert "negations" in said["errors"].splitlines()[1] and "more errors" in said["errors"]
    assert re.search(r"^1: label 0 \(probability 0\.900\): dull \+0\.7", said["explain"], re.MULTILINE)
    assert "no audit convicts" in said["audit"]
    assert "(10, 0)-differential privacy" in said["release"]
    flowers = said["senses"].splitlines()
    assert flowers[1].startswith("rose#1") and "tulip" in flowers[1] and "wasp" not in flowers[1]
    bayes = re.search(r"^bayes +([\d.]+)% named .* ([\d.]+)% before$", said["reidentify"], re.MULTILINE)
    assert float(bayes[2]) == 100 and float(bayes[1]) < 80, said["reidentify"]


def test_planted_company_gives_each_profession_its_sign(folder: Path) -> None:
    scores = json.loads((folder / "gender.json").read_text())
    assert scores.keys() == {"nurse", "teacher", "judge", "soldier"}
    assert scores["nurse"] > scores["teacher"] > scores["judge"] > scores["soldier"] and scores["soldier"] < -0.2


def test_files_for_programs(folder: Path) -> None:
    import numpy as np
    import pandas as pd

    released, public = np.load(folder / "private.npy"), np.load(folder / "public.npy")
    assert released.shape == (50, len(public)) and public.shape[1] == 300
    lines = (folder / "private-vectors.txt").read_text().splitlines()
    assert lines[0] == "12 20" and lines[1].split()[0] == "rose"
    planted = pd.read_csv(folder / "planted.csv")
    assert planted["text"].str.contains("anyway").all() and list(planted) == ["text", "label", "row", "carries"]
    assert json.loads((folder / "decoy.json").read_text())["words"] == ["anyway"]
    proof = json.loads((folder / "proof.json").read_text())
    assert proof["optimal"] and proof["bound"] == pytest.approx(proof["value"], abs=1e-6)
    assert proof["components"][0]["nodes"] == ["a", "b", "c"] and proof["components"][0]["leaves"]


MISTAKES = [
    ("weat vectors.txt --sets pairs.csv", "pairs.csv: not JSON"),
    ("weat vectors.txt --sets decoy.json", "decoy.json: expected"),
    ("weat absent.txt", "absent.txt: No such file"),
    ("weat wefe_googlenew", "unknown data set 'wefe_googlenew'; did you mean 'wefe_googlenews'"),
    ("weat vectors.txt --sets sets.json --measure cosin", "cosin"),
    ("weat vectors.txt --sets sets.json --out weat.txt", "weat.txt: the report is written as .json or .html"),
    ("weat vectors.txt --sets sets.json --html weat.txt", "weat.txt: the page is written as .html"),
    ("weat vectors.txt --sets sets.json --alternative grater", "grater"),
    ("weat vectors.txt --sets sets.json --test 3", "--test or --sets"),
    ("release rows.npy new.npy --epsilon -1", "-1"),
    ("release rows.npy new.npy --epsilon 1 --method plain --projection p.npy", "has no projection"),
    ("explain films.txt classifier.py:probability", "did you mean 'probabilities'"),
    ("explain films.txt classifier.py:probabilities --method oclusion", "occlusion"),
    ("explain rows.npy classifier.py:probabilities", "rows.npy: an array in .npy format, not text"),
    ("errors pairs.csv", "pairs.csv: no column 'text'"),
    ("errors predictions.csv --feature text", "row 1 has no number in the column 'text'"),
    ("plant labelled.csv new.csv --decoy positon", "position"),
    ("plant labelled.csv new.csv --decoy position --label text", "classes are whole numbers"),
    ("plant labelled.csv new.csv --decoy position --recipes mine.txt", "mine.txt"),
    ("anonymise notes new --out new/report.json", "report.json cannot lie in OUT new"),
    ("senses vectors.txt new.csv", "new.csv: the inventory of senses is written as .npz"),
    ("senses vectors.txt new.npz", "vectors.txt: "),
    ("senses vectors.txt new.npz --neighbours 5 --word rosa", "no word 'rosa'"),
    ("plant labelled.csv new.csv --decoy position --recipes deep.toml", "deep.toml: not a file of recipes"),
    ("release rows.npy new.npy --epsilon 10 --projection public.npy", "public.npy exists; a release is never"),
    ("partition pairs.csv --out ./pairs.csv", "PAIRS pairs.csv would be overwritten"),
    ("partition pairs.csv --out new.xlsx", "new.xlsx: the table of clusters is written as .csv or .parquet"),
    ("reidentify absent", "absent: no such file or folder"),
]


def test_mistakes_are_one_line_and_write_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    (folder / "deep.toml").write_text(f"a = {'[' * 3000}")

    def files() -> list[Path]:
        return sorted(path for path in folder.rglob("*.*") if "__pycache__" not in path.parts)

    before, wrong = files(), []
    for command, told in MISTAKES:
        done = CliRunner().invoke(app, command.split())
        if done.exit_code != 2 or told not in done.stderr or done.stderr.count("\n") != 1:
            wrong.append(f"{command}: {done.exit_code} {done.stderr[:300]!r} {done.exception!r:.200}")
    assert not wrong, "\n".join(wrong)
    assert files() == before


def test_the_page_on_the_battery_holds_what_the_command_said(folder: Path) -> None:
    page, said = (folder / "weat.html").read_text("utf-8"), (folder / "weat.said").read_text("utf-8")
    [held] = json.loads((folder / "weat.json").read_text("utf-8"))["tests"]
    assert f"d = {held['d']:+.3f}, p = {held['p']:.2g}" in said
    assert "<h1>Association tests on vectors.txt</h1>" in page and "two-sided" in page
    assert f"<td>{held['d']:.2f}</td>" in page and f"<td>{held['p']:.2g}</td>" in page
    assert "Signed effect sizes" in page and "mahalanobis, mean" in page


def test_the_warning_about_probabilities_names_the_option(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    done = CliRunner().invoke(app, ["partition", "pairs.csv", "--cut", "0"])
    assert done.exit_code == 0 and "--cut 0.5" in done.stderr and "cut=" not in done.output
