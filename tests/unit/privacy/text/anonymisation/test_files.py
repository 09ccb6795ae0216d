"""A folder that is anonymised: what is skipped, what a kill leaves, and that it goes on."""

from __future__ import annotations

import json
import math
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from trustnlp.privacy.text.anonymisation import files as anonymisation_files
from trustnlp.privacy.text.anonymisation.documents import Anonymiser, anonymise
from trustnlp.privacy.text.anonymisation.files import FolderError, anonymise_folder, read_documents, report_path
from trustnlp.studies.polarizedtext.standins import made_up_documents
from trustnlp.tools.cli import app

STATE = ".trustnlp-anonymise.json"
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


def stop_before_the_report(source: Path, target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that is killed when all files are written and the report is not."""
    monkeypatch.setattr(anonymisation_files, "report_of", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        anonymise_folder(source, target)
    monkeypatch.undo()


def test_a_folder_is_redacted_as_its_texts_are(source: Path, tmp_path: Path) -> None:
    report, skipped = anonymise_folder(source, tmp_path / "out")
    paths = sorted(source.rglob("*.txt"))
    expected, _ = anonymise([path.read_text("utf-8") for path in paths], [path.parent.name for path in paths])
    written = contents(tmp_path / "out")
    assert [written[str(path.relative_to(source))] for path in paths] == [one.text for one in expected]
    assert set(written) == {str(path.relative_to(source)) for path in paths}
    said = json.loads(report_path(tmp_path / "out").read_text("utf-8"))
    assert said["removed"] == report.removed and not skipped


def test_what_is_no_text_is_named_and_skipped(source: Path, tmp_path: Path) -> None:
    owner = MADE.owners[0]
    (source / owner / "picture.txt").write_bytes(b"\x00\x01\x02")
    (source / owner / "latin.txt").write_bytes("Stra\xdfe".encode("latin-1"))
    (source / owner / "table.csv").write_text("a,b")
    _, skipped = anonymise_folder(source, tmp_path / "out")
    assert sorted(skipped) == [
        f"{owner}/latin.txt is not UTF-8 (invalid continuation byte), perhaps Windows-1252 or Latin-1; save it as "
        "UTF-8, for instance with `iconv -f WINDOWS-1252 -t UTF-8`",
        f"{owner}/picture.txt: binary", f"{owner}/table.csv: neither .txt nor .md",
    ]  # fmt: skip
    assert len(contents(tmp_path / "out")) == len(MADE.documents)


def test_an_empty_file_and_a_link_to_elsewhere_stop_nothing(source: Path, tmp_path: Path) -> None:
    (source / MADE.owners[0] / "empty.txt").touch()
    (tmp_path / "precious.txt").write_text("mine")
    (source / MADE.owners[0] / "linked.txt").symlink_to(tmp_path / "precious.txt")
    (source / MADE.owners[0] / "again.txt").symlink_to(source / MADE.owners[0] / "Terms.txt")
    report, skipped = anonymise_folder(source, tmp_path / "out")
    assert skipped == [f"{MADE.owners[0]}/linked.txt: a link to a file elsewhere"]
    written = contents(tmp_path / "out")
    assert written[f"{MADE.owners[0]}/empty.txt"] == "" and len(written) == len(MADE.documents) + 2
    assert "1 documents have no word" in str(report)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems refuse such a name of a file")
def test_a_name_that_is_no_unicode_is_named(source: Path, tmp_path: Path) -> None:
    folder = source / os.fsdecode(b"Stra\xdfe")
    folder.mkdir()
    (folder / "a.csv").write_text("a")
    result = CliRunner().invoke(app, ["anonymise", str(source), str(tmp_path / "out")])
    assert result.exit_code == 0 and "Skipped Stra\\udcdfe/a.csv" in result.output
    assert json.loads(report_path(tmp_path / "out").read_text("utf-8"))["skipped"]


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
    assert len(half) == 5 and STATE in half and not report_path(target).exists()
    monkeypatch.undo()
    first = next(path for path in target.rglob("*.txt"))
    before = first.stat().st_mtime_ns
    with pytest.raises(FolderError, match="other settings"):
        anonymise_folder(source, target, share=0.2)
    written = first.read_text("utf-8")
    for other in ("", (source / first.relative_to(target)).read_text("utf-8")):  # emptied, or as it was before
        first.write_text(other, "utf-8")
        with pytest.raises(FolderError, match="is not what the earlier run wrote"):
            anonymise_folder(source, target)
        assert first.read_text("utf-8") == other and STATE in contents(target)
    first.write_text(written, "utf-8")
    os.utime(first, ns=(before, before))
    anonymise_folder(source, target)
    assert contents(target) == contents(whole)
    assert first.stat().st_mtime_ns == before  # kept, and not written again


def test_a_changed_input_wants_a_restart(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "out"
    stop_before_the_report(source, target, monkeypatch)
    (source / MADE.owners[0] / "new.txt").write_text("Another page of the house.")
    with pytest.raises(FolderError, match="another input"):
        anonymise_folder(source, target)
    anonymise_folder(source, target, restart=True)
    assert len(contents(target)) == len(MADE.documents) + 1


def test_a_restart_deletes_only_its_own(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "out"
    stop_before_the_report(source, target, monkeypatch)
    (target / "precious.txt").write_text("mine")
    before = contents(target)
    for restart in (False, True):
        with pytest.raises(FolderError, match=r"precious.txt was not written by the earlier run"):
            anonymise_folder(source, target, restart=restart)
    assert contents(target) == before
    (target / "precious.txt").unlink()
    shutil.rmtree(source / MADE.owners[0])
    anonymise_folder(source, target, restart=True)
    assert not (target / MADE.owners[0]).exists() and len(contents(target)) == 2 * len(MADE.documents) // 3


@pytest.mark.parametrize("state", ["{}", "[]", "{", '{"files": [""]}', '{"files": 3}'])
def test_a_state_that_is_not_ours_is_refused_and_nothing_is_deleted(source: Path, tmp_path: Path, state: str) -> None:
    target = tmp_path / "out"
    target.mkdir()
    (target / STATE).write_text(state)
    (target / "precious.txt").write_text("mine")
    for restart in (False, True):
        with pytest.raises(FolderError, match="damaged or another program's"):
            anonymise_folder(source, target, restart=restart)
    assert contents(target) == {STATE: state, "precious.txt": "mine"}


@pytest.mark.parametrize(
    "wrong", [{"share": 5}, {"threshold": math.nan}, {"method": "magic"}, {"names": {"Elsewhere": "Else"}}]
)
def test_wrong_settings_leave_nothing_behind(source: Path, tmp_path: Path, wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"share|NaN|method|Elsewhere"):
        anonymise_folder(source, tmp_path / "out", **wrong)
    assert not (tmp_path / "out").exists()
    anonymise_folder(source, tmp_path / "out")


def test_a_report_that_is_there_is_not_overwritten(source: Path, tmp_path: Path) -> None:
    report_path(tmp_path / "out").write_text("mine")
    with pytest.raises(FolderError, match="exists already"):
        anonymise_folder(source, tmp_path / "out")
    assert report_path(tmp_path / "out").read_text() == "mine" and not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", ["report.json", "out.report.json", STATE])
def test_a_file_of_lines_may_be_called_anything_and_is_not_overwritten(tmp_path: Path, name: str) -> None:
    lines = "".join(json.dumps({"owner": each.owner, "text": each.text}) + "\n" for each in MADE.documents)
    (tmp_path / name).write_text(lines)
    if name == "report.json":
        anonymise_folder(tmp_path / name, tmp_path / "out")
        assert list(contents(tmp_path / "out")) == [name]
        assert len(contents(tmp_path / "out")[name].splitlines()) == len(MADE.documents)
    else:
        with pytest.raises(FolderError, match=r"would be overwritten|rename the input"):
            anonymise_folder(tmp_path / name, tmp_path / "out")
    assert (tmp_path / name).read_text() == lines


def test_lines_of_json_keep_their_other_fields(tmp_path: Path) -> None:
    path = tmp_path / "documents.jsonl"
    rows = [{"owner": each.owner, "text": each.text, "year": 2016} for each in MADE.documents]
    lines = [json.dumps(row) for row in rows]
    half = r'{"owner": "A", "text": "half \ud800"}'
    path.write_text("\n".join([lines[0], "no json", '{"owner": "A"}', half, *lines[1:], '{"text": "nobody"}']) + "\n")
    _, skipped = anonymise_folder(path, tmp_path / "out")
    found = [json.loads(line) for line in (tmp_path / "out" / path.name).read_text("utf-8").splitlines()]
    assert [row["year"] for row in found[:-1]] == [2016] * len(rows) and found[-1] == {"text": "nobody"}
    assert skipped == [
        "line 2: no JSON object with a 'text'", "line 3: no JSON object with a 'text'",
        "line 4: half of a surrogate pair, which no file can hold",
    ]  # fmt: skip
    assert all(row["owner"] not in row["text"] for row in found[:-1])


MARKED = ["shared words granite", "shared words granite", "shared words slate", "shared words slate"]


@pytest.mark.parametrize(
    ("first", "second"),
    [("1", "1.0"), ("1", '"1"'), ("1e0", "1"), ("0", "-0.0"), ("true", '"true"'), ('"\u00e9"', '"e\u0301"')],
)
def test_an_owner_is_one_however_it_is_written(tmp_path: Path, first: str, second: str) -> None:
    """A word that stands under both spellings would belong to two owners, and stay."""
    path = tmp_path / "documents.jsonl"
    whose = [first, second, "7", "7"]
    path.write_text("".join(f'{{"owner": {o}, "text": "{t}"}}\n' for o, t in zip(whose, MARKED, strict=True)))
    report, _ = anonymise_folder(path, tmp_path / "out", share=0.3)
    assert len({each.owner for each in read_documents(path)[0]}) == 2
    written = (tmp_path / "out" / path.name).read_text("utf-8")
    assert "granite" not in written and "slate" not in written and "one document only" not in str(report)
    assert f'"owner": {second.encode().decode("unicode_escape") if "u0" in second else second}' in written


def test_a_line_that_is_nested_too_deep_is_skipped(tmp_path: Path) -> None:
    path = tmp_path / "documents.jsonl"
    lines = [f'{{"owner": "{text[-5:]}", "text": "{text}"}}\n' for text in MARKED]
    path.write_text("".join(lines) + '{"text": "a", "n": ' + "[" * 100_000 + "]" * 100_000 + "}\n" + "[" * 100_000)
    documents, skipped = read_documents(path)
    assert len(documents) == 4 and [each[:7] for each in skipped] == ["line 5:", "line 6:"]


def test_what_is_hidden_is_skipped_and_said(source: Path, tmp_path: Path) -> None:
    owner = MADE.owners[0]
    hidden = {
        ".git/logs/1.txt": ".git: hidden, with 2 files in it",
        ".git/logs/refs/2.txt": ".git: hidden, with 2 files in it",
        "__MACOSX/a/._1.txt": "__MACOSX: hidden, with 1 files in it",
        ".DS_Store": ".DS_Store: hidden",
        "Thumbs.db": "Thumbs.db: hidden",
        f"{owner}/.notes.txt": f"{owner}/.notes.txt: hidden",
    }
    out = {"anonymise": [str(tmp_path / "out")], "reidentify": []}
    for name in hidden:
        path = source / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("An older copy of a note.", encoding="utf-8")
    told = {f"Skipped {each}" for each in hidden.values()} | {f"5 skipped in {source}"}
    for command in ("anonymise", "reidentify"):
        result = CliRunner().invoke(
            app, [command, str(source), "--out", str(tmp_path / f"{command}.json"), *out[command]]
        )
        assert result.exit_code == 0 and set(result.stderr.splitlines()) == told
        assert len(json.loads((tmp_path / f"{command}.json").read_text("utf-8"))["skipped"]) == 5
    assert len(contents(tmp_path / "out")) == len(MADE.documents)


def test_a_folder_inside_a_hidden_one_is_read(source: Path, tmp_path: Path) -> None:
    shutil.copytree(source, tmp_path / ".cache" / "notes")
    report, skipped = anonymise_folder(tmp_path / ".cache" / "notes", tmp_path / "out")
    assert report.documents == len(MADE.documents) and not skipped


def test_bad_folders(source: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "precious.txt").write_text("mine")
    for given, target, said in (
        (tmp_path / "nowhere", tmp_path / "a", "no such file"),
        (tmp_path / "empty", tmp_path / "a", "no document that can be read"),
        (source, source / "out", "cannot lie in the input"),
        (source, tmp_path / "full", "not empty"),
        (source, tmp_path / "full" / "precious.txt", "is a file; name a folder"),
    ):
        with pytest.raises(FolderError, match=said):
            anonymise_folder(given, target, restart=True)
    assert (tmp_path / "full" / "precious.txt").read_text() == "mine"


def test_the_command(source: Path, tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["anonymise", str(source), str(tmp_path / "out"), "--share", "0.03"])
    assert result.exit_code == 0 and "removed from 9 documents by log_odds" in result.output
    assert "do not hand it on" in result.output
    wrong = CliRunner().invoke(app, ["anonymise", str(source), str(tmp_path / "b"), "--name", "Corvane"])
    assert wrong.exit_code != 0


def test_what_tells_about_owners_is_private(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stop_before_the_report(source, tmp_path / "out", monkeypatch)
    assert (tmp_path / "out" / STATE).stat().st_mode & 0o777 == 0o600
    anonymise_folder(source, tmp_path / "out")
    assert report_path(tmp_path / "out").stat().st_mode & 0o777 == 0o600
    assert all(path.stat().st_mode & 0o777 != 0o600 for path in (tmp_path / "out").rglob("*.txt"))


@pytest.mark.parametrize("restart", [False, True])
@pytest.mark.parametrize("with_state", [False, True])
def test_what_a_killed_writer_left_is_cleared_away(
    restart: bool, with_state: bool, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "out"
    if with_state:
        stop_before_the_report(source, target, monkeypatch)
    scrap = target / MADE.owners[0] / (".trustnlp-" + "0" * 32 + ".tmp")
    scrap.parent.mkdir(parents=True, exist_ok=True)
    scrap.write_text("half a te")
    anonymise_folder(source, target, restart=restart)
    assert len(contents(target)) == len(MADE.documents)


@pytest.mark.parametrize("restart", [False, True])
def test_a_link_that_was_put_into_an_unfinished_folder_is_refused(
    restart: bool, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target, victim = tmp_path / "out", tmp_path / "victim"
    stop_before_the_report(source, target, monkeypatch)
    written = next(target.rglob("*.txt"))
    written.unlink()
    written.symlink_to(victim)
    with pytest.raises(FolderError, match="is a link, which no run leaves"):
        anonymise_folder(source, target, restart=restart)
    assert not victim.exists()
    written.unlink()
    report_path(target).symlink_to(victim)
    with pytest.raises(FolderError, match="somebody else's file"):
        anonymise_folder(source, target, restart=restart)
    assert not victim.exists()
