"""A page shows the record, its own run under a band, and nothing of that run under the paper's tables."""

from __future__ import annotations

from typing import Any

import pytest

from trustnlp.reproduce.notebooks.output_sources import EXECUTED
from trustnlp.reproduce.pages.published import Page, lesson_line, publish, what_ran
from trustnlp.reproduce.project import UserError
from trustnlp.reproduce.runs.params import load_params

RAN = "400 made-up texts"


def page(*, committed: bool = True, notebook: str = "one") -> Page:
    return Page("toy", notebook, committed, RAN)


def text(source: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "source": source, "metadata": {}}


def output(source: str | None, **more: str) -> dict[str, Any]:
    said = {"trustnlp": {"source": source, **more}} if source else {}
    return {"output_type": "display_data", "data": {"text/plain": "1.5"}, "metadata": said}


def code(*outputs: dict[str, Any], caption: str = "", source: str = "x") -> dict[str, Any]:
    metadata = {"mystnb": {"figure": {"caption": caption}}} if caption else {}
    return {"cell_type": "code", "source": source, "outputs": list(outputs), "metadata": metadata, "id": "c"}


def stream(source: str) -> dict[str, Any]:
    printed = {"output_type": "stream", "name": "stdout", "text": "1.5"}
    return {**code(printed), "metadata": {"trustnlp": {"source": source}}}


def shown(cell: dict[str, Any]) -> list[str]:
    """Its outputs in a word each: `band` for a band, else the source."""
    told = []
    for made in cell["outputs"]:
        band = "tn-band" in made.get("data", {}).get("text/html", "")
        told.append("band" if band else (made.get("metadata") or cell["metadata"])["trustnlp"]["source"])
    return told


@pytest.mark.parametrize("cell", [code(output("run")), stream("run"), code(output("record"), output("run"))])
def test_what_a_run_gave_has_a_band_that_says_what_ran(cell: dict[str, Any]) -> None:
    [made] = publish([cell], page())
    assert shown(made)[-2:] == ["band", "run"]
    assert RAN in str(made["outputs"])


def test_what_rests_on_the_print_alone_says_so() -> None:
    [made] = publish([code(output("run", of="print"))], page())
    assert "numbers that the paper prints" in str(made["outputs"]) and RAN not in str(made["outputs"])


@pytest.mark.parametrize(
    ("notebook", "source", "told"),
    [
        ("one", "record", ["record"]),
        ("method", "lesson", ["lesson"]),
        ("method", "record", ["band", "record"]),  # in a lesson it is the record that is marked
    ],
)
def test_what_needs_no_word_has_no_band(notebook: str, source: str, told: list[str]) -> None:
    assert shown(publish([code(output(source))], page(notebook=notebook))[0]) == told


@pytest.mark.parametrize(
    ("above", "left"),
    [
        (["# A title", "## Table 3"], False),
        (["# A title", "## Table 3", "### How it is computed"], False),
        (["# Tables 1 to 4"], False),
        (["# Tables 1 to 4", "## What else"], True),
        (["# A title", "## Table 3\n\ntext\n\n## What else"], True),
        (["# A title", "```\n## Table 3\n```"], True),
    ],
)
def test_under_the_papers_tables_nothing_of_the_run_is_left(above: list[str], left: bool) -> None:
    cells = publish([*map(text, above), code(output("run")), stream("run")], page())
    assert any("run" in shown(cell) for cell in cells if cell["cell_type"] == "code") == left


@pytest.mark.parametrize(
    ("committed", "cells", "said"),
    [
        (False, [code(output("run"))], "**No record yet.** `trustnlp run toy/one --profile paper`"),
        (True, [code(output("run"))], "```{record-table} toy/one\nTable 3: counts\n```"),
        (True, [code(output("run")), code(output("record"))], "left out"),
    ],
)
def test_what_stands_in_its_place(committed: bool, cells: list[dict[str, Any]], said: str) -> None:
    _, *made = publish([text("## Table 3: counts"), *cells, code(output("run"))], page(committed=committed))
    [told] = [cell["source"] for cell in made if cell["cell_type"] == "markdown"]
    assert said in told


def test_the_last_words_of_a_notebook_need_nothing_in_their_place() -> None:
    made = publish([text("## Table 3"), code(output("run"), source="record.save()\nrecord")], page())
    assert len(made) == 2


def test_a_figure_stands_below_its_band_in_a_cell_of_its_own() -> None:
    """Sphinx would give the band the figure's name, too."""
    above, below = publish([code(output("run"), caption="A line.")], page())
    assert (shown(above), shown(below)) == (["band"], ["run"])
    assert "mystnb" not in above["metadata"]
    assert below["metadata"]["mystnb"]["figure"]["caption"] == "A line."
    assert "remove-input" in below["metadata"]["tags"]
    assert below["source"]  # Sphinx leaves out cells without


def test_what_is_for_executed_notebooks_stays_there() -> None:
    both = code(output("record"), output("run", only=EXECUTED), caption="A line (committed record).")
    assert shown(publish([text("## Table 3"), both], page())[1]) == ["record"]


def test_an_output_without_a_source_fails_and_names_the_command() -> None:
    with pytest.raises(UserError, match="trustnlp run toy/one"):
        publish([code(output(None))], page())


@pytest.mark.parametrize("caption", ["Lines (committed record).", "Committed\nrecord"])
def test_a_caption_that_says_committed_record_without_one_fails(caption: str) -> None:
    for source, committed in (("run", True), ("lesson", False)):
        with pytest.raises(UserError, match='says "committed record"'):
            publish([code(output(source), caption=caption)], page(committed=committed))
    assert publish([code(output("record"), caption=caption)], page())


def test_a_lesson_says_once_that_it_is_one() -> None:
    assert lesson_line([code(output("run")), code(output("record"))]) == ""
    assert "this build computed its numbers" in lesson_line([stream("lesson")])
    assert "committed record says so" in lesson_line([stream("lesson"), code(output("record"))])


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("edin/kbp37", "500 made-up sentences"),
        ("moxie/biases", "300 made-up texts; all-MiniLM-L6-v2"),
        ("weat_measures/critique", "word2vec vectors trained on Google News, 13,013 words; "),
        ("xer/beyond", "made-up data"),
    ],
)
def test_what_ran_is_told_by_the_data_and_their_size(name: str, told: str) -> None:
    slug, _, notebook = name.partition("/")
    assert what_ran(None, load_params(slug).notebook(notebook)).startswith(told)
