"""What a run's cache key is made of: equal for equal runs, different for anything that could change a number."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from trustnlp.reproduce.project import UserError
from trustnlp.reproduce.runs import execution
from trustnlp.reproduce.runs.cachekey import chapter_files, short_hash
from trustnlp.reproduce.runs.runner import plan


def test_each_part_of_a_run_counts(monkeypatch):
    [spec] = plan("_template", "method")
    declared = SimpleNamespace(data={"smoke": ["set"], "paper": ["set"]})
    parts = {
        "twins.read_notebook": lambda path: SimpleNamespace(cells=[SimpleNamespace(cell_type="code", source="x = 1")]),
        "load_params": lambda slug: SimpleNamespace(notebook=lambda name: declared),
        "chapter_files": lambda folder: {"claims.yaml": "1"},
        "closure": lambda cells: {"one.py": "1"},
        "combined": lambda files: "1",
        "lock_hash": lambda: "1",
    }
    for name, part in parts.items():
        monkeypatch.setattr(f"{execution.__name__}.{name}", part)
    monkeypatch.setattr("trustnlp.data.store.hashes", lambda name: {"file": "1"})
    changed = SimpleNamespace(cells=[SimpleNamespace(cell_type="markdown", source="x = 1")])
    others = {
        "trustnlp.data.store.hashes": lambda name: {"file": "2"},
        "twins.read_notebook": lambda path: changed,
        **{name: lambda *_: "2" for name in ("chapter_files", "closure", "combined", "lock_hash")},
    }
    keys = [execution.key_of(spec), execution.key_of(replace(spec, profile="paper"))]
    keys += [execution.key_of(replace(spec, parameters=dict(spec.parameters) | {"n_pairs": n})) for n in (1.5, "1.5")]
    for name, other in others.items():
        with monkeypatch.context() as patch:
            patch.setattr(name if name.startswith("trustnlp") else f"{execution.__name__}.{name}", other)
            keys.append(execution.key_of(spec))
    assert len(set(keys)) == len(keys) == 10 and execution.key_of(spec) == keys[0]


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


@pytest.mark.parametrize("text", ["", "[]", "{}"])
def test_a_record_that_is_none_is_one_line(chapter, text):
    (chapter / "results" / "method.paper.json").write_text(text)
    with pytest.raises(UserError, match=r"method\.paper\.json: not a record; restore it, or delete it and run"):
        chapter_files(chapter)
