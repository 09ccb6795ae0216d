"""A chapter's evidence as an RO-Crate, read back by the library."""

import json
from pathlib import Path

import pandas as pd
import pytest
from rocrate.rocrate import ROCrate

from trustnlp.reproduce.pages.take_away.crate import write_crate
from trustnlp.reproduce.project import UserError, chapter_dir
from trustnlp.reproduce.records.record_files import load_record


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_crate("_template", tmp_path_factory.mktemp("crate") / "out")


def test_the_library_reads_what_was_written(folder: Path) -> None:
    crate = ROCrate(folder)
    assert "the evidence of the chapter _template" in crate.name
    for entity in crate.data_entities:
        assert (folder / entity.id).is_file(), entity.id
    assert len(pd.read_csv(folder / "verdicts.csv")) >= 4


def test_each_record_is_the_result_of_a_run(folder: Path) -> None:
    crate = ROCrate(folder)
    runs = crate.get_by_type("CreateAction")
    records = sorted((chapter_dir("_template") / "results").glob("*.paper.json"))
    assert [run["result"].id if not isinstance(run["result"], list) else run["result"][0].id for run in runs] == [
        path.name for path in records
    ]
    for run, path in zip(runs, records, strict=True):
        record = load_record(path)
        assert run["instrument"].id == f"{record['notebook']}.ipynb" and run["startTime"] <= run["endTime"]
        told = {each["name"]: each for each in run["object"]}
        for name, value in record["parameters"].items():
            assert json.loads(told[name]["value"]) == value
        for name, files in record["data"].items():
            assert {told[f"{name}: {key}"]["sha256"] for key in files} == set(files.values())
        assert json.loads((folder / path.name).read_text("utf-8"))["digest"] == record["digest"]


def test_a_chapter_without_a_paper_is_about_none(folder: Path, tmp_path: Path) -> None:
    assert "about" in ROCrate(folder).root_dataset
    ours = ROCrate(write_crate("across", tmp_path / "out"))
    assert "about" not in ours.root_dataset and "questions of the book's own" in ours.description


def test_what_is_there_stays(tmp_path: Path) -> None:
    (tmp_path / "kept").write_text("x")
    with pytest.raises(UserError, match="is not empty; name a new folder"):
        write_crate("_template", tmp_path)
    with pytest.raises(UserError, match="did you mean '_template'"):
        write_crate("_templat", tmp_path / "new")
