"""A folder that is anonymised: what is skipped, what a kill leaves, and that it goes on."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from trustnlp.privacy import anonymisation_files
from trustnlp.privacy.anonymisation import Anonymiser, anonymise
from trustnlp.privacy.anonymisation_files import FolderError, anonymise_folder
from trustnlp.reproduce.cli import app
from trustnlp.studies.polarizedtext.owned_standins import made_up_documents

MADE, _ = made_up_documents(3, 3, 6, np.random.default_rng(0))


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "in"
    for document in MADE.documents:
        path = folder / document.owner / f"{document.kind}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(document.text, encoding="utf-8")
    return folder


def contents(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): path.read_text("utf-8") for path in folder.rglob("*") if path.is_file()}


def test_a_folder_is_redacted_as_its_texts_are(source: Path, tmp_path: Path) -> None:
    report, skipped = anonymise_folder(source, tmp_path / "out")
    paths = sorted(source.rglob("*.txt"))
    expected, _ = anonymise([path.read_text("utf-8") for path in paths], [path.parent.name for path in paths])
    written = contents(tmp_path / "out")
    assert [written[str(path.relative_to(source))] for path in paths] == [one.text for one in expected]
    assert set(written) == {str(path.relative_to(source)) for path in paths} | {"report.json"}
    assert json.loads(written["report.json"])["removed"] == report.removed and not skipped


def test_what_is_no_text_is_named_and_skipped(source: Path, tmp_path: Path) -> None:
    owner = MADE.owners[0]
    (source / owner / "picture.txt").write_bytes(b"\x00\x01\x02")
    (source / owner / "latin.txt").write_bytes("Stra\xdfe".encode("latin-1"))
    (source / owner / "table.csv").write_text("a,b")
    _, skipped = anonymise_folder(source, tmp_path / "out")
    assert sorted(skipped) == [
        f"{owner}/latin.txt: not UTF-8 at byte 4", f"{owner}/picture.txt: binary",
        f"{owner}/table.csv: neither .txt nor .md",
    ]  # fmt: skip
    assert len(contents(tmp_path / "out")) == len(MADE.documents) + 1


def test_a_killed_run_goes_on_and_ends_alike(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target, whole = tmp_path / "out", tmp_path / "whole"
    anonymise_folder(source, whole)
    redact, seen = Anonymiser.redact, []

    def killed(self: Anonymiser, text: str, owner: str | None) -> object:
        if len(seen) == 4:
            raise KeyboardInterrupt
        seen.append(owner)
        return redact(self, text, owner)

    monkeypatch.setattr(Anonymiser, "redact", killed)
    with pytest.raises(KeyboardInterrupt):
        anonymise_folder(source, target)
    half = contents(target)
    assert len(half) == 5 and ".state.json" in half
    monkeypatch.undo()
    first = next(path for path in target.rglob("*.txt"))
    before = first.stat().st_mtime_ns
    with pytest.raises(FolderError, match="other settings"):
        anonymise_folder(source, target, share=0.2)
    anonymise_folder(source, target)
    assert contents(target) == contents(whole)
    assert first.stat().st_mtime_ns == before  # kept, and not written again


def test_a_kill_while_a_file_is_written_leaves_no_half(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(self: Path, data: bytes) -> int:
        raise KeyboardInterrupt

    target = tmp_path / "out"
    anonymise_folder(source, tmp_path / "whole")
    write = Path.write_bytes
    monkeypatch.setattr(
        Path, "write_bytes", lambda self, data: broken(self, data) if "Terms" in self.name else write(self, data)
    )
    with pytest.raises(KeyboardInterrupt):
        anonymise_folder(source, target)
    monkeypatch.undo()
    whole = contents(tmp_path / "whole")
    assert all(text == whole[name] for name, text in contents(target).items() if name.endswith(".txt"))
    anonymise_folder(source, target)
    assert contents(target) == whole


def test_a_changed_input_is_refused_until_restart(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "out"
    monkeypatch.setattr(anonymisation_files, "report_of", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        anonymise_folder(source, target)
    monkeypatch.undo()
    (source / MADE.owners[0] / "new.txt").write_text("Another page of the house.")
    with pytest.raises(FolderError, match="another input"):
        anonymise_folder(source, target)
    anonymise_folder(source, target, restart=True)
    assert len(contents(target)) == len(MADE.documents) + 2


def test_lines_of_json_keep_their_other_fields(tmp_path: Path) -> None:
    path = tmp_path / "documents.jsonl"
    rows = [{"owner": each.owner, "text": each.text, "year": 2016} for each in MADE.documents]
    lines = [json.dumps(row) for row in rows]
    path.write_text("\n".join([lines[0], "no json", '{"owner": "A"}', *lines[1:], '{"text": "nobody"}']) + "\n")
    _, skipped = anonymise_folder(path, tmp_path / "out")
    found = [json.loads(line) for line in (tmp_path / "out" / path.name).read_text("utf-8").splitlines()]
    assert [row["year"] for row in found[:-1]] == [2016] * len(rows) and found[-1] == {"text": "nobody"}
    assert skipped == ["line 2: no JSON object with a 'text'", "line 3: no JSON object with a 'text'"]
    assert all(row["owner"] not in row["text"] for row in found[:-1])


def test_bad_folders(source: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "precious.txt").write_text("mine")
    for given, target, said in (
        (tmp_path / "nowhere", tmp_path / "a", "no such file"),
        (tmp_path / "empty", tmp_path / "a", "no document that can be read"),
        (source, source / "out", "inside the input"),
        (source, tmp_path / "full", "not empty"),
    ):
        with pytest.raises(FolderError, match=said):
            anonymise_folder(given, target, restart=True)
    assert (tmp_path / "full" / "precious.txt").read_text() == "mine"


def test_the_command(source: Path, tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["anonymise", str(source), str(tmp_path / "out"), "--share", "0.03"])
    assert result.exit_code == 0 and "removed from 9 documents by log_odds" in result.output
    wrong = CliRunner().invoke(app, ["anonymise", str(source), str(tmp_path / "b"), "--name", "Corvane"])
    assert wrong.exit_code != 0
