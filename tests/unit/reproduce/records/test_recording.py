"""Records: what a notebook may record, what a file must hold, and errors that say what to do."""

import json
import math
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import made_records
import numpy as np
import pandas as pd
import pytest
from made_records import PROVENANCE
from refusals import assert_refused

from trustnlp.data.registry import DataError
from trustnlp.evaluation.intervals import bootstrap_interval, t_interval
from trustnlp.reproduce import Record
from trustnlp.reproduce.project import UserError
from trustnlp.reproduce.records.recording import (
    RecordError,
    check_record,
    complete,
    digest,
    load_record,
    plain,
    write_record,
)
from trustnlp.reproduce.schemas import SchemaError


def new(**options: Any) -> Record:
    return Record("weat_measures", "reproduction", **{"profile": "smoke", **options})


def whole() -> dict[str, Any]:
    record = new(seeds=(0, 1, 2, 3, 4))
    record.metrics({"a.d": ([1.0, 2.0, 3.0, 4.0, 5.0], "t"), "b": 0.5, "g": ([-1.0], (-1.5, 0.75))})
    return made_records.whole(record)


def test_deterministic_metric_has_a_point_for_an_interval() -> None:
    record = new()
    record.metric("word2vec.cosine.mean.weat1.effect_size", np.float32(1.5), unit="effect size")
    assert record.to_json()["metrics"] == {
        "word2vec.cosine.mean.weat1.effect_size": {
            "values": [1.5], "mean": 1.5, "low": 1.5, "high": 1.5, "n": 1,
            "interval": "deterministic", "unit": "effect size",
        }
    }  # fmt: skip


def test_intervals_over_seeds_are_those_of_the_evaluation_package() -> None:
    values, seeds = [0.2, 0.4, 0.3, 0.5, 0.1], [3, 1, 4, 5, 9]
    record = new(seeds=seeds)
    record.metrics({"t": (np.array(values), "t"), "b": (values, "bootstrap"), "given": (0.5, (0.25, 0.75))})
    metrics = record.to_json()["metrics"]
    assert [metrics["given"][part] for part in ("low", "high", "interval")] == [0.25, 0.75, "given"]
    assert (metrics["t"]["low"], metrics["t"]["high"]) == pytest.approx(t_interval(values))
    expected = bootstrap_interval(values, rng=np.random.default_rng(seeds))
    assert (metrics["b"]["low"], metrics["b"]["high"]) == pytest.approx(expected)
    assert metrics["t"]["n"] == 5 and metrics["t"]["mean"] == pytest.approx(0.3)


def test_bad_metrics_are_refused_and_leave_nothing() -> None:
    record = new()

    def attempt(values: Any, interval: Any = "deterministic", unit: Any = None, key: Any = "a.b") -> None:
        record.metric(key, values, interval=interval, unit=unit)

    table = [
        (math.nan, "NaN or infinity"), ([1.0, math.inf], "t", "NaN or infinity"),
        ([1.0, 2.0], '2 values cannot be deterministic.*interval="t"'),
        *((flat, "t", "expected a number or a flat list") for flat in ([], [[1.0], [2.0]], "1.5", None)),
        (1.0, None, r"a\.b \(interval\)': expected a number"),
        (1.0, (1.0, math.nan), "NaN"), (1.0, (0.0, 1.0, 2.0), "low ≤ high"),
        ([0.2, -0.1], "t", "share of pairs", r"-0\.1 is not possible in the unit 'share of pairs' \(0 to 1\)"),
        (1.0, "deterministic", 3, r"the unit is 3; expected text"),
        *((1.0, "deterministic", None, key, "joined by dots") for key in ("", ".a", "a.", "a..b", "a b", "a\n", 3)),
    ]  # fmt: skip
    for row in table:
        assert_refused(attempt, [row], error=RecordError)
        assert record.to_json()["metrics"] == {}


def test_many_numbers_are_recorded_as_one_by_one() -> None:
    many, each = new(), new()
    frame = pd.DataFrame({"late": [1.0, 2.0, 4.0], "b": [np.nan, 3, 5]})
    many.metrics({"size": np.int64(4), "a.share": 0.5}, unit="none")
    many.metrics({"slope": (1.5, (1.0, 2.0)), "pair": (3.0, 5.0), "again": ([2.0, 4.0], "t")}, interval="bootstrap")
    many.metrics(frame, prefix="of.seeds", interval="t", unit="points")
    for key, values, interval, unit in [
        ("size", 4, "deterministic", "none"), ("a.share", 0.5, "deterministic", "none"),
        ("slope", 1.5, (1.0, 2.0), None), ("pair", [3.0, 5.0], "bootstrap", None), ("again", [2.0, 4.0], "t", None),
        ("of.seeds.late", [1.0, 2.0, 4.0], "t", "points"), ("of.seeds.b", [3.0, 5.0], "t", "points"),
    ]:  # fmt: skip
        each.metric(key, values, interval=interval, unit=unit)
    assert json.dumps(many.to_json()) == json.dumps(each.to_json())  # in this order, too


def test_of_many_numbers_none_is_recorded_where_one_is_refused() -> None:
    record = new()
    record.metric("there", 1.0)
    good = {"good": 1.0}
    table = [
        ({**good, "bad key": 1.0}, "metric 'bad key': expected names"), ({**good, 3: 1.0}, "a", "metric '3': expected"),
        ({**good, "x": math.nan}, "a", r"metric 'a\.x': .*NaN"), ({**good, "there": 2.0}, "'there' is recorded"),
        ({**good, "y": (1.0, (2.0, 1.0))}, "low ≤ high"), (good, "a.", "metric 'a..good'"),
        (pd.DataFrame({"x": [1.0], "y": [math.nan]}), "metric 'y': expected a number"),
        (pd.DataFrame([[1.0, 2.0]], columns=["x", "x"]), "'x' is recorded already"),
        *((other, "expected keys with values, or a frame") for other in (pd.Series(good), [("x", 1.0)])),
    ]  # fmt: skip
    assert_refused(lambda values, prefix="": record.metrics(values, prefix=prefix, interval="t"), table, RecordError)
    record.metrics(good)  # what was refused may be recorded afterwards
    assert list(record.measurements) == ["there", "good"]


@pytest.mark.parametrize("kind", ["metric", "array"])
def test_nothing_is_recorded_twice(kind: str) -> None:
    record = new()
    getattr(record, kind)("a", 1.0)
    with pytest.raises(RecordError, match=f"{kind} 'a' is recorded already"):
        getattr(record, kind)("a", 1.0)


def test_bad_openings_are_refused() -> None:
    assert_refused(
        lambda options: new(**options),
        [
            ({"profile": "papre"}, r"did you mean 'paper'\?"),
            ({"seeds": []}, "at least one"),
            ({"seeds": [1, 1]}, "none twice"),
            ({"seeds": [-1]}, "none negative"),
            ({"seeds": "0-4"}, "seeds '0-4': expected a list of whole numbers"),
            ({"parameters": {"x": {1, 2}}}, "parameter 'x' holds a set"),
            ({"repeats": "exat"}, r"repeats\[''\] is 'exat'.*did you mean 'exact'\?"),
            ({"repeats": None}, "repeats None: expected one of exact"),
            ({"repeats": {1: "exact"}}, "the name 1; expected the first names of keys"),
        ],
        error=RecordError,
    )


def test_repeats_are_kept_with_a_word_for_all_other_keys() -> None:
    assert new(repeats="float32").to_json()["repeats"] == {"": "float32"}
    assert new(repeats={"data": "exact"}).to_json()["repeats"] == {"": "float64", "data": "exact"}


def test_conditions_are_single_values_and_may_be_said_twice_but_not_otherwise() -> None:
    record = new()
    for _ in range(2):
        record.condition("encoder", "minilm")
        record.condition("complete", np.bool_(True))
    assert_refused(
        record.condition,
        [
            ("encoder", "bert", "condition 'encoder' is 'minilm' already, and now 'bert'"),
            ("data", ["a", "b"], r"condition 'data' is \['a', 'b'\]; caps compare one text"),
        ],
        error=RecordError,
    )
    assert record.to_json()["conditions"] == {"encoder": "minilm", "complete": True}


def test_arrays_become_plain_json() -> None:
    value = {"d": np.array([[1, 2], [3, 4]]), "p": (np.float64(0.5), None, "x", True), "n": np.int64(3)}
    assert plain(value, "v") == {"d": [[1, 2], [3, 4]], "p": [0.5, None, "x", True], "n": 3}


def test_arrays_that_json_cannot_hold_are_refused_with_their_place() -> None:
    assert_refused(
        lambda value: new().array("x", value),
        [
            (np.array([1.0, np.nan]), r"array 'x'\[1\] holds nan; use None"),
            ({"a": [1, {2}]}, r"array 'x'\['a'\]\[1\] holds a set"),
            ({1: 2}, "keys are text, use '1'"),
            (np.array([1j]), "holds a complex"),
        ],
        error=RecordError,
    )


def test_data_sets_bring_their_hashes_and_unknown_ones_are_refused() -> None:
    record = new()
    record.uses("wefe_googlenews")
    (hashes,) = record.to_json()["data"].values()
    assert hashes and all(len(digest) == 64 for digest in hashes.values())
    with pytest.raises(DataError, match="wefe_googlenews"):
        record.uses("wefe_googlenew")


def test_save_writes_where_the_runner_wants_it_and_nowhere_without_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "runs" / "r.part.json"
    monkeypatch.delenv("TRUSTNLP_RECORD", raising=False)
    monkeypatch.chdir(tmp_path)
    record = new()
    record.metric("a", 1.0, unit="score")
    record.deviation("Our own synonyms.", keys=["a", "b.c"])
    record.save()
    told = "Record reproduction (smoke): 1 metric, 0 arrays, 1 deviation, 0 data sets"
    assert capsys.readouterr().out.startswith(f"{told}; not saved, because") and list(tmp_path.iterdir()) == []
    monkeypatch.setenv("TRUSTNLP_RECORD", str(target))
    record.save()
    assert json.loads(target.read_text(encoding="utf-8")) == record.to_json()
    note = "Note: a deviation names 'b.c', which no metric begins with"
    assert capsys.readouterr().out == f"{told}; saved\n{note}\n"


def test_deviations_are_one_line_and_take_one_key_or_many() -> None:
    record = new()
    record.deviation("A sentence\n   over two lines.", keys="word2vec")
    record.deviation("All.")
    record.deviation("A word is missing.", ["glove.weat1"], lacks=True)
    assert record.to_json()["deviations"] == [
        {"text": "A sentence over two lines.", "keys": ["word2vec"], "lacks": False},
        {"text": "All.", "keys": [], "lacks": False},
        {"text": "A word is missing.", "keys": ["glove.weat1"], "lacks": True},
    ]
    assert_refused(
        lambda text, keys=(), lacks=False: record.deviation(text, keys, lacks=lacks),
        [
            ("  ", "needs a sentence"),
            ("x", [""], "expected keys of metrics"),
            ("x", (), True, "which metrics cannot be had without it"),
        ],
        error=RecordError,
    )


def test_display_escapes_and_counts() -> None:
    record = new()
    record.metric("a", 1.0)
    record.deviation("Sizes < the paper's.")
    shown = record._repr_html_()
    assert "Sizes &lt; the paper&#x27;s." in shown and "<caption>Record weat_measures/reproduction" in shown
    assert repr(record) == ("<Record weat_measures/reproduction (smoke): 1 metric, 0 arrays, 1 deviation, 0 data sets>")


def test_a_written_record_is_read_again_as_it_was(tmp_path: Path) -> None:
    made = new()
    made.array("odd", ["[ 1,  2 ]", "[\n 1,\n 2\n]"])
    made.array("deep", [[1, None], [2.5, 3]])
    record, path = made_records.whole(made), tmp_path / "results" / "reproduction.paper.json"
    write_record(path, record)
    assert load_record(path) == record
    assert "[2.5, 3]" in path.read_text(), "numbers of a list share a line"


def test_complete_refuses_a_notebook_that_calls_itself_something_else() -> None:
    part = new().to_json()
    with pytest.raises(RecordError, match="says notebook 'reproduction', but it was run as 'critique'"):
        complete(part, **PROVENANCE, notebook="critique")
    filled = complete(part, **PROVENANCE, notebook="reproduction", parameters={"alphas": 4})
    assert (filled["parameters"], filled["verified"], filled["parts"]) == ({"alphas": 4}, None, None)


def edited(path: str, value: Any) -> dict[str, Any]:
    """A whole record with another value at a place, or none; of a metric, with other fields."""
    record: Any = whole()
    *parents, last = path.split("/")
    place = record
    for step in parents:
        place = place[step]
    if value is None:
        del place[last]
    elif isinstance(value, dict) and parents == ["metrics"]:
        place[last] |= value
    else:
        place[last] = value
    return record  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("seconds", None, "top level: lacks 'seconds'"),
        ("schema_version", 1, "schema_version: expected 2, got 1"),
        ("profile", "papr", "profile: expected one of \"smoke\", \"paper\"; got \"papr\"; did you mean 'paper'?"),
        ("hardware/ram", 8, "hardware: unknown field 'ram'; known are cpu, cores, memory_gb, gpu"),
        ("seconds", -1, "seconds: expected a number ≥ 0, got -1"),
        ("started", "yesterday",
         "started: expected a time as ISO 8601 (2021-08-01T12:00:00+00:00), got \"yesterday\""),
        ("data/x", {"f": "abc"}, "data.x.f: expected a sha256 of 64 hexadecimal digits, got \"abc\""),
        ("metrics/b/values", [], "metrics.b.values: must not be empty"),
        ("metrics/b/n", 2, "metrics['b']: n is 2, but there are 1 values"),
        ("metrics/b/mean", 0.6, "metrics['b']: mean is 0.6, but the values give 0.5"),
        ("metrics/b/low", 0.7, "metrics['b']: low is 0.7, but the values give 0.5"),
        ("metrics/g/low", 0.9, "metrics['g']: interval (0.9, 0.75): expected (low, high) with low ≤ high"),
        ("metrics/a.d", {"low": None}, "metrics['a.d']: the interval has only one end"),
        ("metrics/g", {"low": None, "high": None},
         "metrics['g']: the interval is said to be given, but is not there"),
        ("conditions", {"encoder": ["a"]},
         "conditions.encoder: expected text or a number or true or false, got [\"a\"]"),
        ("repeats", {"a": "exact"}, "repeats: lacks ''"),
        ("sources", {"a.py": "x"}, "sources.a.py: expected a hash of 12 hexadecimal digits, got \"x\""),
        ("seeds", [0, 0], "seeds: expected no entry twice, got [0, 0]"),
    ],
)  # fmt: skip
def test_malformed_files_are_told_in_one_line(path: str, value: Any, message: str) -> None:
    with pytest.raises(SchemaError) as caught:
        check_record(edited(path, value), "r.json")
    assert str(caught.value) == f"r.json: {message}"


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("metrics/b", {"values": [0.6], "mean": 0.6, "low": 0.6, "high": 0.6}),
        ("metrics/a.d", {"interval": "given"}),
        ("deviations", [{"text": "None.", "keys": [], "lacks": False}]),
        ("data", {"x": {"f": "a" * 64}}),
        ("parameters", {"alphas": 4}),
    ],
)
def test_whoever_edits_what_was_measured_is_found_out_and_told_how_to_mend_it(path: str, value: Any) -> None:
    mend = "edited after the run. Restore it, or run `trustnlp run weat_measures/reproduction --profile"
    with pytest.raises(SchemaError, match=f"^r.json: .*{mend}"):
        check_record(edited(path, value), "r.json")


def test_a_stamp_leaves_the_digest_alone() -> None:
    record = whole()
    assert digest(record | {"sources": {}, "verified": {"compared": 1}}) == record["digest"]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (lambda text: text.replace("0.5", "NaN"), "holds NaN"),
        (lambda text: text.replace("0.5", "1e400"), "holds 1e400; expected finite numbers only"),
        (lambda text: text.encode("utf-16"), "not text in UTF-8 but in UTF-16"),
        (lambda _: "[]", r"top level: expected a mapping, got \[\]"),
        (lambda text: text[:100], "line 1: not valid JSON"),
        (lambda _: None, "no such file"),
    ],
)
def test_a_record_is_strict_json(tmp_path: Path, content: Callable[[str], Any], told: str) -> None:
    path, written = tmp_path / "r.json", content(json.dumps(whole()))
    if written is not None:
        path.write_bytes(written if isinstance(written, bytes) else written.encode())
    with pytest.raises(SchemaError, match=rf"r\.json: {told}"):
        load_record(path)


def test_nan_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="NaN or infinity"):
        write_record(tmp_path / "new.json", whole() | {"arrays": {"x": [math.nan]}})
    assert not (tmp_path / "new.json").exists()


def test_recording_loads_no_heavy_machinery() -> None:
    code = (
        "import sys; from trustnlp.reproduce import Record; "
        "print([m for m in ('papermill', 'dask', 'distributed', 'torch', 'nbformat', 'scipy') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
