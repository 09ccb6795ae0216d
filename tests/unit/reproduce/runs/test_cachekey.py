"""The cache key: equal for equal runs, different for anything that could change a number."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trustnlp.reproduce.project import UserError
from trustnlp.reproduce.runs.cachekey import cache_key, chapter_files, short_hash

CELLS = [("markdown", "# T"), ("code", "x = 1")]
DATA = {"set": {"file": "a" * 64}}


def key(cells=CELLS, parameters=None, data=DATA, source="s", lock="l"):
    return cache_key(cells, parameters or {"profile": "smoke", "n": 1}, data, source=source, lock=lock)


def test_each_part_counts_and_the_order_of_names_does_not():
    variants = [
        key(),
        key(cells=[("markdown", "# T"), ("code", "x = 2")]),
        key(cells=[("code", "# T"), ("code", "x = 1")]),
        key(cells=CELLS[::-1]),
        key(parameters={"profile": "paper", "n": 1}),
        key(parameters={"profile": "smoke", "n": 2}),
        key(parameters={"profile": "smoke", "n": 1.5}),
        key(parameters={"profile": "smoke", "n": "1"}),
        key(data={"set": {"file": "b" * 64}}),
        key(data={}),
        key(source="t"),
        key(lock=""),
    ]
    assert len(set(variants)) == len(variants)
    assert key(parameters={"n": 1, "profile": "smoke"}) == key()


def test_cells_do_not_run_into_each_other():
    assert key(cells=[("code", "ab"), ("code", "c")]) != key(cells=[("code", "a"), ("code", "bc")])


@given(st.dictionaries(st.text(), st.integers() | st.text() | st.lists(st.integers())))
def test_short_hash_is_a_stable_name(parameters):
    name = short_hash(parameters)
    assert name == short_hash(dict(reversed(list(parameters.items()))))
    assert len(name) == 8 and set(name) <= set("0123456789abcdef")


@pytest.fixture
def chapter(tmp_path):
    (tmp_path / "results").mkdir()
    for name in ("claims.yaml", "printed.yaml", "params.yaml", "index.md"):
        (tmp_path / name).write_text("1")
    (tmp_path / "results" / "method.paper.json").write_text(json.dumps({"digest": "1", "verified": None}))
    return tmp_path


def test_ledgers_and_records_count_and_parameters_do_not(chapter):
    before = chapter_files(chapter)
    assert set(before) == {"claims.yaml", "printed.yaml", "method.paper.json"}
    (chapter / "params.yaml").write_text("2")
    assert chapter_files(chapter) == before
    (chapter / "claims.yaml").write_text("2")
    assert chapter_files(chapter) != before


def test_a_record_counts_by_what_it_measured_and_not_by_its_stamp(chapter):
    before = chapter_files(chapter)
    record = chapter / "results" / "method.paper.json"
    record.write_text(json.dumps({"digest": "1", "verified": {"compared": 3}, "sources": {}}))
    assert chapter_files(chapter) == before
    record.write_text(json.dumps({"digest": "2", "verified": None}))
    assert chapter_files(chapter) != before


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", "1"])
def test_a_record_that_is_none_is_one_line(chapter, text):
    (chapter / "results" / "method.paper.json").write_text(text)
    with pytest.raises(UserError, match=r"method\.paper\.json: not a record; restore it, or delete it and run"):
        chapter_files(chapter)
