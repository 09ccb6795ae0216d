"""The cache key: equal for equal runs, different for anything that could change a number."""

import ast
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

import trustnlp
from trustnlp.reproduce.cachekey import STEERING, cache_key, chapter_files, hash_tree, short_hash, source_hash

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


def test_a_tree_is_hashed_by_names_and_contents(tmp_path):
    (tmp_path / "a.py").write_text("1")
    first = hash_tree(tmp_path, [".py"])
    (tmp_path / "b.txt").write_text("not source")
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "a.py").write_text("not source")
    assert hash_tree(tmp_path, [".py"]) == first
    (tmp_path / "a.py").write_text("2")
    changed = hash_tree(tmp_path, [".py"])
    (tmp_path / "a.py").rename(tmp_path / "c.py")
    assert len({first, changed, hash_tree(tmp_path, [".py"])}) == 3
    assert hash_tree(tmp_path, [".py"], frozenset({"c.py"})) == hash_tree(tmp_path / "__pycache__", [".none"])


def test_what_steers_runs_is_left_out_and_what_notebooks_call_is_not():
    package = Path(trustnlp.__file__).parent
    assert all((package / name).is_file() for name in STEERING)
    assert not STEERING & {
        "reproduce/records.py",
        "reproduce/project.py",
        "reproduce/verdicts.py",
        "reproduce/claims.py",
    }
    assert len(source_hash()) == 64


def imported(path):
    """Dotted names of everything that a module imports, at its top or inside its functions."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def test_steering_parts_are_not_imported_by_what_notebooks_call():
    """A module that notebooks call and that used a left-out one would hide a change from the key."""
    package = Path(trustnlp.__file__).parent
    modules = {"trustnlp." + name.removesuffix(".py").replace("/", ".") for name in STEERING}
    for path in package.rglob("*.py"):
        if path.relative_to(package).as_posix() not in STEERING:
            assert not modules.intersection(imported(path)), path


def test_ledgers_and_records_count_and_parameters_do_not(tmp_path):
    (tmp_path / "results").mkdir()
    for name in ("claims.yaml", "params.yaml", "results/method.paper.json", "index.md"):
        (tmp_path / name).write_text("1")
    before = chapter_files(tmp_path)
    assert set(before) == {"claims.yaml", "method.paper.json"}
    (tmp_path / "params.yaml").write_text("2")
    assert chapter_files(tmp_path) == before
    (tmp_path / "results" / "method.paper.json").write_text("2")
    assert chapter_files(tmp_path) != before
