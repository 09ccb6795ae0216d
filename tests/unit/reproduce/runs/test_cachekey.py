"""The cache key: equal for equal runs, different for anything that could change a number."""

import pytest

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


def test_a_short_hash_names_parameters_whatever_their_order():
    assert short_hash({"n": 1, "name": "ä"}) == short_hash({"name": "ä", "n": 1}) == "8a0415e5"


@pytest.fixture
def chapter(tmp_path):
    (tmp_path / "results").mkdir()
    for name in ("claims.yaml", "printed.yaml", "params.yaml"):
        (tmp_path / name).write_text("1")
    (tmp_path / "results" / "method.paper.json").write_text('{"digest": "1"}')
    return tmp_path


@pytest.mark.parametrize(
    ("name", "text", "counts"),
    [
        ("params.yaml", "2", False),
        ("claims.yaml", "2", True),
        ("printed.yaml", "2", True),
        ("results/method.paper.json", '{"digest": "1", "verified": {"compared": 3}}', False),  # a stamp
        ("results/method.paper.json", '{"digest": "2"}', True),
    ],
)
def test_ledgers_and_what_was_measured_count_and_nothing_else(chapter, name, text, counts):
    before = chapter_files(chapter)
    (chapter / name).write_text(text)
    assert (chapter_files(chapter) != before) is counts


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", "1"])
def test_a_record_that_is_none_is_one_line(chapter, text):
    (chapter / "results" / "method.paper.json").write_text(text)
    with pytest.raises(UserError, match=r"method\.paper\.json: not a record; restore it, or delete it and run"):
        chapter_files(chapter)
