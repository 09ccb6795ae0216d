"""What is called the record's is the record's: in every notebook by its code, in two chapters by doctored records."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from trustnlp.reproduce.notebooks import twins
from trustnlp.reproduce.notebooks.output_sources import LESSONS, RECORD, source_of
from trustnlp.reproduce.notebooks.paper_places import headings, named_places
from trustnlp.reproduce.pages.published import SAYS_RECORD
from trustnlp.reproduce.project import chapter_dir, chapters, project_root
from trustnlp.reproduce.records.measurement import summary
from trustnlp.reproduce.records.page_evidence import evidence_file
from trustnlp.reproduce.records.recording import digest, load_record, write_record
from trustnlp.reproduce.runs.execution import execute
from trustnlp.reproduce.runs.runner import plan

STAGED = project_root() / "_build" / "stage" / "chapters"
NOTEBOOKS = [f"{slug}/{source.stem}" for slug in chapters() for source in twins.sources(slug)]
staged_pages = sorted(STAGED.glob("*/*.ipynb"))
on_staged_pages = pytest.mark.skipif(not staged_pages, reason="no staged book; run `make book`")


SHOWS_RECORD = re.compile(r"\brecord\.(show|plot|table)\(")


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_caption_that_says_committed_record_stands_over_it(name: str) -> None:
    slug, notebook = name.split("/")
    committed = evidence_file(slug, notebook) is not None
    for cell in twins.read_notebook(chapter_dir(slug) / f"{notebook}.ipynb").cells:
        caption = cell.metadata.get("mystnb", {}).get("figure", {}).get("caption", "")
        says = SAYS_RECORD.search(caption)
        # As in the build: "where there is one" is true of a page that waits for its record.
        hedged = says is not None and says["hedge"] is not None and not committed
        assert says is None or hedged or SHOWS_RECORD.search(cell.source), caption


@on_staged_pages
@pytest.mark.parametrize("page", staged_pages, ids=lambda page: f"{page.parent.name}/{page.stem}")
def test_no_number_of_a_smoke_run_stands_on_a_page_without_saying_so(page: Path) -> None:
    """The recount: each output with a digit has a source, those of the run a band, none under a paper's table."""
    under, lesson = "", page.stem in LESSONS
    for cell in json.loads(page.read_text("utf-8"))["cells"]:
        if cell["cell_type"] == "markdown":
            under = ([title for _, title in headings("".join(cell["source"]))] or [under])[-1]
        # A figure stands in the cell below that of its band.
        banded = "tn-of-run" in cell["metadata"].get("tags", [])
        for output in cell.get("outputs", []):
            content = json.dumps(output.get("data", output.get("text", "")))
            banded |= "tn-band" in content
            if re.search(r"\d", content):
                source = source_of(cell, output).get("source")
                allowed = ("lesson", "record") if lesson or named_places(under) else ("record", "run")
                assert source in allowed, cell["source"]
                assert source != "run" or banded, cell["source"]


def doctored(record: dict[str, Any]) -> dict[str, Any]:
    """The record with every number another one, as if it had been measured so."""
    metrics = {}
    for key, metric in record["metrics"].items():
        kind = metric["interval"]
        ends = (0.9 * metric["low"], 0.9 * metric["high"]) if kind == "given" else kind
        values = [0.9 * value for value in metric["values"]]
        metrics[key] = summary(values, ends, unit=metric["unit"], seeds=record["seeds"])
    changed = {**record, "metrics": metrics, "arrays": _scaled(record["arrays"])}
    return {**changed, "digest": digest(changed)}


def _scaled(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _scaled(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_scaled(item) for item in value]
    if isinstance(value, str):  # a verdict in words
        return f"{value}, they say"
    return 0.9 * value if isinstance(value, float) else value


def outputs(name: str) -> list[tuple[str, str]]:
    """Source and content of each output of a smoke run, but for clocks."""
    slug, notebook = name.split("/")
    [spec] = plan(slug, notebook)
    execute(spec)
    executed = json.loads(spec.out_notebook.read_text("utf-8"))
    found = []
    for cell in executed["cells"]:
        for output in cell.get("outputs", []):
            # The table of this run beside the record holds both.
            if output.get("name") != "stderr" and "only" not in output.get("metadata", {}).get("trustnlp", {}):
                found.append((source_of(cell, output)["source"], json.dumps(output.get("data", output.get("text")))))
    return found


@pytest.mark.parametrize("name", ["edin/mappings", "decoys/adoption"])
def test_a_doctored_record_changes_what_is_called_the_records_and_nothing_else(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, (slug, notebook) = project_root(), name.split("/")
    for place in ("_config.yml", "requirements.lock"):
        shutil.copy(root / place, tmp_path / place)
    shutil.copytree(root / "chapters" / slug, tmp_path / "chapters" / slug)
    monkeypatch.setenv("TRUSTNLP_ROOT", str(tmp_path))
    before = outputs(name)
    path = tmp_path / "chapters" / slug / "results" / f"{notebook}.paper.json"
    write_record(path, doctored(load_record(path)))
    after = outputs(name)
    assert [source for source, _ in before] == [source for source, _ in after]
    assert {source for source, _ in before} == {"record", "run"}
    for (source, old), (_, new) in zip(before, after, strict=True):
        assert (old != new) == (source == RECORD), old[:300]
    path.unlink()
    assert RECORD not in {source for source, _ in outputs(name)}
