"""The table of `make bench`: its page between the markers, its picture, and rows that fail."""

from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import pytest

BENCHMARKS = Path(__file__).parents[3] / "benchmarks"
ROW = {
    "work": "cliques", "peer": "a & b", "ours": 0.002, "theirs": 0.02, "ratio": 10.0, "low": 9.0, "high": 11.0,
    "equal": "the same sets", "doubt": "",
    "machine": {"cores": 2, "cpu": "a processor", "gigabytes": 24, "day": "2026-11-28", "kernels": None},
}  # fmt: skip


@pytest.fixture
def script(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return import_module


def test_page_holds_the_figures_between_its_markers_and_nothing_else_moves(script, monkeypatch, tmp_path):
    page = script("table_page")
    path = tmp_path / "page.md"
    path.write_text(f"before\n{page.BEGIN}\nold\n{page.END}\nafter\n", "utf-8")
    monkeypatch.setattr(page, "PAGE", path)
    curve = {
        "work": "p", "unit": "words", "sizes": [1000, 2000], "seconds": [0.5, 2.0], "megabytes": [1.0, 4.0],
        "exponent": 2.0, "ends": 5e4, "machine": ROW["machine"],
    }  # fmt: skip
    page.write_page({"rows": {"one": ROW, "two": {**ROW, "ratio": 0.5, "doubt": "waited"}}, "growth": {"p": curve}})
    text = path.read_text("utf-8")
    assert text.startswith("before\n") and text.endswith(f"{page.END}\nafter\n") and "old" not in text
    assert "| cliques | a & b | 2 ms | 20 ms | 10 (9.0 to 11) | the same sets |" in text
    assert ".50 (9.0 to 11) (disturbed)" in text and "a &amp; b: 10; a &amp; b: .50" in text
    assert "size^2 | 50,000 words" in text and text.count("a processor") == 1


def row(case):
    return SimpleNamespace(make=lambda: case, work="sum", peer="x")


def test_a_row_whose_answers_differ_is_an_error(script):
    def check():
        raise SystemExit("the answers differ: x")

    with pytest.raises(SystemExit, match="the answers differ"):
        script("table").measured(row(SimpleNamespace(check=check)))


def test_ratio_is_of_cpu_seconds_and_scaled(script):
    def spend(turns):
        return lambda: sum(i * i for i in range(turns))

    case = SimpleNamespace(theirs=spend(200_000), ours=spend(100_000), scale=10.0, check=lambda: "the same")
    found = script("table").measured(row(case), 3)
    assert 10 < found["ratio"] < 40 and found["equal"] == "the same"
