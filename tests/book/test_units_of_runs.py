"""A smoke run's metrics have the units of the committed record, key by key."""

import json

import pytest

from trustnlp.reproduce.project import chapter_dir, chapters, project_root
from trustnlp.reproduce.records.units import kind_of
from trustnlp.reproduce.runs.params import load_params

RUNS = project_root() / "_build" / "runs"
NOTEBOOKS = [(slug, name) for slug in chapters() for name in load_params(slug).notebooks]


@pytest.mark.parametrize(("slug", "name"), NOTEBOOKS)
def test_a_run_says_the_units_of_the_record(slug: str, name: str) -> None:
    path = RUNS / slug / f"{name}.smoke.json"
    if not path.is_file():
        pytest.skip(f"no smoke run of {slug}/{name}; `make book` makes it")
    run = json.loads(path.read_text("utf-8"))["metrics"]
    assert all(metric["unit"] and kind_of(metric["unit"]) for metric in run.values())
    committed = chapter_dir(slug) / "results" / f"{name}.paper.json"
    if committed.is_file():
        record = json.loads(committed.read_text("utf-8"))["metrics"]
        units = {key: (run[key]["unit"], record[key]["unit"]) for key in run if key in record}
        assert not {key: pair for key, pair in units.items() if pair[0] != pair[1]}
