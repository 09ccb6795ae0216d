"""Records: what a notebook may record, what a file must hold, and errors that say what to do."""

import json
import math
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import made_records
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
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
    covers,
    digest,
    load_record,
    plain,
    write_record,
)
from trustnlp.reproduce.runs.params import ChapterParams
from trustnlp.reproduce.schemas import SchemaError, ledger, parse_yaml, record, validate
from trustnlp.reproduce.schemas.fields import Model


def new(**options: Any) -> Record:
    return Record("weat_measures", "reproduction", **{"profile": "smoke", **options})


def whole() -> dict[str, Any]:
    record = new(seeds=(0, 1, 2, 3, 4))
    record.metric("a.d", [1.0, 2.0, 3.0, 4.0, 5.0], interval="t")
    record.metric("b", 0.5)
    record.metric("g", [-1.0], interval=(-1.5, 0.75))
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
    record.metric("t", np.array(values), interval="t")
    record.metric("b", values, interval="bootstrap")
    metrics = record.to_json()["metrics"]
    assert (metrics["t"]["low"], metrics["t"]["high"]) == pytest.approx(t_interval(values))
    expected = bootstrap_interval(values, rng=np.random.default_rng(seeds))
    assert (metrics["b"]["low"], metrics["b"]["high"]) == pytest.approx(expected)
    assert metrics["t"]["n"] == 5 and metrics["t"]["mean"] == pytest.approx(0.3)


def test_bootstrap_intervals_repeat_themselves_and_depend_on_the_seeds() -> None:
    values = [0.2, 0.41, 0.33, 0.57, 0.1]
    ends = []
    for seeds in ([0, 1, 2, 3, 4], [0, 1, 2, 3, 4], [5, 6, 7, 8, 9]):
        record = new(seeds=seeds)
        record.metric("b", values, interval="bootstrap")
        ends.append(record.to_json()["metrics"]["b"]["low"])
    assert ends[0] == ends[1]
    assert abs(ends[2] - ends[0]) < 0.05


@pytest.mark.parametrize("interval", ["t", "bootstrap"])
def test_one_random_value_has_no_interval(interval: str) -> None:
    record = new()
    record.metric("a", [0.7], interval=interval)
    found = record.to_json()["metrics"]["a"]
    assert (found["low"], found["high"], found["n"]) == (None, None, 1)
    check_record(made_records.whole(record), "test")


def test_given_interval_is_kept() -> None:
    record = new()
    record.metric("p", 0.5, interval=(0.25, 0.75))
    assert record.to_json()["metrics"]["p"] | {"values": 0} == {
        "values": 0, "mean": 0.5, "low": 0.25, "high": 0.75, "n": 1, "interval": "given", "unit": "none",
    }  # fmt: skip


BAD_KEYS = ["", ".a", "a.", "a..b", "a b", "a/b", "a\n", 3]


def test_bad_metrics_are_refused_and_leave_nothing() -> None:
    record = new()

    def attempt(values: Any, interval: Any = "deterministic", unit: Any = None, key: Any = "a.b") -> None:
        try:
            record.metric(key, values, interval=interval, unit=unit)
        finally:
            assert record.to_json()["metrics"] == {}

    assert_refused(
        attempt,
        [
            (math.nan, "NaN or infinity"),
            ([1.0, math.inf], "t", "NaN or infinity"),
            ([1.0, 2.0], '2 values cannot be deterministic.*interval="t"'),
            ([], "t", "expected a number or a flat list"),
            ([[1.0], [2.0]], "t", "expected a number or a flat list"),
            ("1.5", "expected a number or a flat list"),
            (None, "expected a number or a flat list"),
            (1.0, "normal", "expected deterministic, t, bootstrap or"),
            (1.0, None, r"a\.b \(interval\)': expected a number"),
            (1.0, (2.0, 1.0), "low ≤ high"),
            (1.0, (1.0, math.nan), "NaN"),
            (1.0, (0.0, 1.0, 2.0), "low ≤ high"),
            (100.1, "deterministic", "%", r"100\.1 is not possible in the unit '%' \(0 to 100\)"),
            ([0.2, -0.1], "t", "share of pairs", r"-0\.1 is not possible in the unit 'share of pairs' \(0 to 1\)"),
            (1.5, "deterministic", "probability", "not possible in the unit 'probability'"),
            (-1, "deterministic", "count of words", r"\(0 to inf\)"),
            (-0.5, "deterministic", "seconds", "not possible in the unit 'seconds'"),
            (0.5, "deterministic", "tweets", "the unit 'tweets' is of no known kind"),
            (1.0, "deterministic", 3, r"the unit is 3; expected text"),
            *((1.0, "deterministic", None, key, "joined by dots") for key in BAD_KEYS),
        ],
        error=RecordError,
    )


def test_nothing_is_recorded_twice() -> None:
    record = new()
    record.metric("a", 1.0)
    record.array("grid", [1])
    with pytest.raises(RecordError, match="metric 'a' is recorded already"):
        record.metric("a", 1.0)
    with pytest.raises(RecordError, match="array 'grid' is recorded already"):
        record.array("grid", [1])


def test_bad_openings_are_refused() -> None:
    def attempt(**options: Any) -> None:
        new(**options)

    assert_refused(
        lambda options: attempt(**options),
        [
            ({"profile": "papre"}, r"did you mean 'paper'\?"),
            ({"seeds": []}, "at least one"),
            ({"seeds": [1, 1]}, "none twice"),
            ({"seeds": [-1]}, "none negative"),
            ({"seeds": [0.5]}, r"seeds \[0\.5\]: expected a list of whole numbers"),
            ({"seeds": "0-4"}, "seeds '0-4': expected a list of whole numbers"),
            ({"seeds": 3}, "seeds 3: expected a list of whole numbers"),
            ({"parameters": {"x": {1, 2}}}, "parameter 'x' holds a set"),
            ({"parameters": {"x": math.nan}}, "parameter 'x' holds nan"),
            ({"repeats": "exat"}, r"repeats\[''\] is 'exat'.*did you mean 'exact'\?"),
            ({"repeats": {"a": "float16"}}, r"repeats\['a'\] is 'float16': expected exact, float64, float32, timed"),
            ({"repeats": None}, "repeats None: expected one of exact"),
            ({"repeats": {1: "exact"}}, "the name 1; expected the first names of keys"),
        ],
        error=RecordError,
    )


def test_repeats_are_kept_with_a_word_for_all_other_keys() -> None:
    assert new().to_json()["repeats"] == {"": "float64"}
    assert new(repeats="float32").to_json()["repeats"] == {"": "float32"}
    told = {"data": "exact", "seconds": "timed"}
    assert new(repeats=told).to_json()["repeats"] == {"": "float64", **told}


def test_conditions_are_single_values_and_may_be_said_twice_but_not_otherwise() -> None:
    record = new()
    for _ in range(2):
        record.condition("encoder", "minilm")
        record.condition("complete", np.bool_(True))
        record.condition("layers", np.int64(3))
    assert record.to_json()["conditions"] == {"encoder": "minilm", "complete": True, "layers": 3}
    assert_refused(
        record.condition,
        [
            ("encoder", "bert", "condition 'encoder' is 'minilm' already, and now 'bert'"),
            ("data", ["a", "b"], r"condition 'data' is \['a', 'b'\]; caps compare one text"),
            ("data", np.array([1.0, 2.0]), "caps compare one text"),
            ("data", None, "condition 'data' is None"),
            ("data", math.nan, "holds nan"),
        ],
        error=RecordError,
    )
    assert list(record.to_json()["conditions"]) == ["encoder", "complete", "layers"]


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


def test_without_a_runner_save_writes_nothing_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("TRUSTNLP_RECORD", raising=False)
    monkeypatch.chdir(tmp_path)
    record = new()
    record.metric("a", 1.0)
    record.save()
    printed = capsys.readouterr().out
    assert printed.startswith("Record reproduction (smoke): 1 metric, 0 arrays, 0 deviations, 0 data sets; not saved")
    assert printed.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_save_writes_where_the_runner_wants_it_and_prints_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "runs" / "r.part.json"
    monkeypatch.setenv("TRUSTNLP_RECORD", str(target))
    record = new()
    record.metric("a", 1.0, unit="score")
    record.deviation("Our own synonyms.", keys=["a", "b.c"])
    record.save()
    assert json.loads(target.read_text(encoding="utf-8")) == record.to_json()
    printed = capsys.readouterr().out
    assert str(tmp_path) not in printed
    assert "'b.c', which no metric begins with" in printed and "'a', which" not in printed


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
            (None, "needs a sentence"),
            ("x", [3], r"names \[3\]; expected keys of metrics"),
            ("x", [""], "expected keys of metrics"),
            ("x", (), True, "which metrics cannot be had without it"),
        ],
        error=RecordError,
    )


def test_prefixes_end_at_names() -> None:
    assert covers("w.weat1", "w.weat1") and covers("w.weat1", "w.weat1.d") and covers("w.", "w.weat1.d")
    assert not covers("w.weat1", "w.weat10.d")
    assert covers("", "w"), "the empty name is for all"


def test_display_escapes_and_counts() -> None:
    record = new()
    record.metric("a", 1.0)
    record.deviation("Sizes < the paper's.")
    shown = record._repr_html_()
    assert "Sizes &lt; the paper&#x27;s." in shown and "<caption>Record weat_measures/reproduction" in shown
    assert repr(record) == ("<Record weat_measures/reproduction (smoke): 1 metric, 0 arrays, 1 deviation, 0 data sets>")


def test_complete_adds_provenance_and_the_file_round_trips(tmp_path: Path) -> None:
    record = whole()
    path = tmp_path / "results" / "reproduction.paper.json"
    write_record(path, record)
    assert load_record(path) == record
    assert '"values": [1.0, 2.0, 3.0, 4.0, 5.0]' in path.read_text(), "numbers of a list share a line"


def test_text_in_a_record_survives_the_compact_form(tmp_path: Path) -> None:
    made = new()
    made.array("odd", ["[ 1,  2 ]", "[\n 1,\n 2\n]"])
    made.array("deep", [[1, None], []])
    record = made_records.whole(made)
    write_record(tmp_path / "r.json", record)
    assert load_record(tmp_path / "r.json") == record


def test_complete_refuses_a_notebook_that_calls_itself_something_else() -> None:
    part = new().to_json()
    with pytest.raises(RecordError, match="says notebook 'reproduction', but it was run as 'critique'"):
        complete(part, **PROVENANCE, notebook="critique")
    filled = complete(part, **PROVENANCE, notebook="reproduction", parameters={"alphas": 4})
    assert filled["parameters"] == {"alphas": 4}
    assert (filled["verified"], filled["parts"]) == (None, None)


def _edited(record: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    *parents, last = path.split("/")
    target = record
    for step in parents:
        target = target[step]
    if value is None:
        del target[last]
    else:
        target[last] = value
    return record


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("seconds", None, "r.json: top level: lacks 'seconds'"),
        ("schema_version", 1, "r.json: schema_version: expected 2, got 1"),
        ("profile", "papr",
         "r.json: profile: expected one of \"smoke\", \"paper\"; got \"papr\"; did you mean 'paper'?"),
        ("hardware/cores", 1.5, "r.json: hardware.cores: expected a whole number, got 1.5"),
        ("hardware/ram", 8, "r.json: hardware: unknown field 'ram'; known are cpu, cores, memory_gb, gpu"),
        ("seconds", -1, "r.json: seconds: expected a number ≥ 0, got -1"),
        ("started", "yesterday",
         "r.json: started: expected a time as ISO 8601 (2021-08-01T12:00:00+00:00), got \"yesterday\""),
        ("data/x", {"f": "abc"}, "r.json: data.x.f: expected a sha256 of 64 hexadecimal digits, got \"abc\""),
        ("metrics/b/values", [], "r.json: metrics.b.values: must not be empty"),
        ("metrics/b/mean", "0.5", "r.json: metrics.b.mean: expected a number, got \"0.5\""),
        ("metrics/b/n", 2, "r.json: metrics['b']: n is 2, but there are 1 values"),
        ("metrics/b/mean", 0.6, "r.json: metrics['b']: mean is 0.6, but the values give 0.5"),
        ("metrics/b/low", 0.7, "r.json: metrics['b']: low is 0.7, but the values give 0.5"),
        ("metrics/g/low", 0.9, "r.json: metrics['g']: interval (0.9, 0.75): expected (low, high) with low ≤ high"),
        ("metrics/g/unit", "% of words",
         "r.json: metrics['g']: -1 is not possible in the unit '% of words' (0 to 100); mend one of the two"),
        ("conditions", {"encoder": ["a"]},
         "r.json: conditions.encoder: expected text or a number or true or false, got [\"a\"]"),
        ("repeats", {"": "exat"}, "r.json: repeats.: expected one of \"exact\", \"float64\", \"float32\", \"timed\"; "
         "got \"exat\"; did you mean 'exact'?"),
        ("repeats", {"a": "exact"}, "r.json: repeats: lacks ''"),
        ("sources", {"a.py": "x"}, "r.json: sources.a.py: expected a hash of 12 hexadecimal digits, got \"x\""),
        ("deviations", [{"text": "t", "keys": []}], "r.json: deviations[0]: lacks 'lacks'"),
        ("verified", True, "r.json: verified: expected a mapping, got true"),
        ("parts", [{}], "r.json: parts: must not be empty"),
        ("threads", 0, "r.json: threads: expected a number ≥ 1, got 0"),
        ("digest", "0", "r.json: digest: expected a sha256 of 64 hexadecimal digits, got \"0\""),
        ("seeds", [0, 0], "r.json: seeds: expected no entry twice, got [0, 0]"),
    ],
)  # fmt: skip
def test_malformed_files_are_told_in_one_line(path: str, value: Any, message: str) -> None:
    with pytest.raises(SchemaError) as caught:
        check_record(_edited(whole(), path, value), "r.json")
    assert str(caught.value) == message


FORGED = {
    "an end of an interval": ("metrics/a.d/high", 9.0, "metrics['a.d']: high is 9.0, but the values give 4.96"),
    "an interval that is gone": ("metrics/a.d", {"low": None, "high": None}, "low is None, but the values give 1.03"),
    "one end that is gone": ("metrics/a.d", {"low": None}, "the interval has only one end"),
    "a given interval that is gone": ("metrics/g", {"low": None, "high": None}, "said to be given, but is not there"),
    "a mean": ("metrics/a.d/mean", 3.1, "mean is 3.1, but the values give 3.0"),
    "values and what follows of them": ("metrics/b", {"values": [0.6], "mean": 0.6, "low": 0.6, "high": 0.6}, "edited"),
    "a given interval": ("metrics/g/high", 0.8, "was edited after the run"),
    "a kind of interval": ("metrics/a.d/interval", "given", "was edited after the run"),
    "the text of a deviation": ("deviations", [{"text": "None.", "keys": [], "lacks": False}], "was edited"),
    "what is lacking": ("deviations", [{"text": "None.", "keys": ["b"], "lacks": True}], "was edited"),
    "a condition": ("conditions", {"encoder": "bert-base-uncased"}, "was edited"),
    "how exactly it repeats": ("repeats", {"": "timed"}, "was edited"),
    "an array": ("arrays", {"x": [1]}, "was edited"),
    "the hash of data": ("data", {"x": {"f": "a" * 64}}, "was edited"),
    "a parameter": ("parameters", {"alphas": 4}, "was edited"),
    "the profile": ("profile", "paper", "was edited"),
}


@pytest.mark.parametrize("what", FORGED)
def test_whoever_edits_a_record_is_found_out(what: str) -> None:
    path, value, message = FORGED[what]
    record = whole()
    *parents, last = path.split("/")
    target = record
    for step in parents:
        target = target[step]
    target[last] = target[last] | value if path.startswith("metrics") and isinstance(value, dict) else value
    with pytest.raises(SchemaError, match=re.escape(message)) as caught:
        check_record(record, "r.json")
    assert str(caught.value).startswith("r.json: ") and "\n" not in str(caught.value)


def test_who_edits_a_record_is_told_how_to_mend_it() -> None:
    with pytest.raises(
        SchemaError, match="Restore it, or run `trustnlp run weat_measures/reproduction --profile smoke`"
    ):
        check_record(whole() | {"arrays": {"x": 1}}, "r.json")


def test_a_stamp_leaves_the_digest_alone() -> None:
    record = whole()
    assert digest(record | {"sources": {}, "verified": {"compared": 1}}) == record["digest"]


def test_a_record_is_strict_json(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    path.write_text(json.dumps(whole()).replace("0.5", "NaN"))
    with pytest.raises(SchemaError, match=r"r\.json: holds NaN"):
        load_record(path)
    path.write_text(json.dumps(whole()).replace("0.5", "1e400"))
    with pytest.raises(SchemaError, match=r"r\.json: holds 1e400; expected finite numbers only"):
        load_record(path)
    path.write_bytes(json.dumps(whole()).encode("utf-16"))
    with pytest.raises(SchemaError, match=r"r\.json: not text in UTF-8 but in UTF-16"):
        load_record(path)
    path.write_text("[]")
    with pytest.raises(SchemaError, match=r"r\.json: top level: expected a mapping, got \[\]"):
        load_record(path)
    path.write_text(json.dumps(whole())[:100])
    with pytest.raises(SchemaError, match=r"r\.json: line 1: not valid JSON"):
        load_record(path)
    with pytest.raises(SchemaError, match=r"absent\.json: no such file"):
        load_record(tmp_path / "absent.json")
    with pytest.raises(UserError, match="NaN or infinity"):
        write_record(tmp_path / "new.json", whole() | {"arrays": {"x": [math.nan]}})
    assert not (tmp_path / "new.json").exists()


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=12), st.sampled_from(["t", "bootstrap"]))
def test_whatever_is_recorded_is_a_valid_record(values: list[float], interval: str) -> None:
    record = new(seeds=range(len(values)))
    record.metric("a", values, interval=interval)
    record.array("a", values)
    complete_record = made_records.whole(record)
    check_record(complete_record, "r.json")
    assert json.loads(json.dumps(complete_record, allow_nan=False)) == complete_record


def test_recording_loads_no_heavy_machinery() -> None:
    code = (
        "import sys; from trustnlp.reproduce import Record; "
        "print([m for m in ('papermill', 'dask', 'distributed', 'torch', 'nbformat', 'scipy') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


MODELS = [record.Record, ledger.Ledger, ChapterParams]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_a_schema_can_be_made_of_each_model_and_says_what_its_parts_are(model: type[Model]) -> None:
    schema = model.model_json_schema()
    assert schema["additionalProperties"] is False
    for name, part in {**schema["$defs"], model.__name__: schema}.items():
        assert part.get("description") or "enum" in part, name


PARAMS = """
notebooks:
  reproduction:
    verify: {embeddings: [googlenews]}
    data: {smoke: [wefe_googlenews], paper: [weat_stimuli, wefe_googlenews]}
    parameters:
      seeds: {type: "list[int]", smoke: [0], paper: [0, 1, 2], help: "Seeds."}
      embeddings: {type: "list[str]", choices: [googlenews], smoke: [googlenews], paper: [googlenews], help: "Vectors."}
      rate: {type: float, min: 1e-6, max: 1, smoke: 1e-3, paper: 1e-4, help: "Step size."}
sweeps:
  rates: {notebook: reproduction, profile: smoke, grid: {rate: [1e-3, 1e-2]}}
"""


def test_a_parameter_file_is_accepted_and_its_types_are_checked() -> None:
    document = parse_yaml(PARAMS, "params.yaml")
    validate(document, "params", "params.yaml")
    assert document["notebooks"]["reproduction"]["parameters"]["rate"]["smoke"] == 0.001
    for old, new, message in [
        ("smoke: [0],", "smoke: 0,", "notebooks.reproduction.parameters.seeds.smoke: expected list[int], got 0"),
        ("list[int]", "list(int)", "notebooks.reproduction.parameters.seeds.type: expected one of"),
        ("paper: 1e-4", "paper: small", "notebooks.reproduction.parameters.rate.paper: expected float from"),
        ("smoke: [0], paper: [0, 1, 2],", "smoke: [0],", "notebooks.reproduction.parameters.seeds: lacks 'paper'"),
        ("profile: smoke,", "profle: smoke,", "sweeps.rates: "),
    ]:
        assert old in PARAMS
        with pytest.raises(SchemaError) as caught:
            validate(parse_yaml(PARAMS.replace(old, new), "params.yaml"), "params", "params.yaml")
        assert str(caught.value).startswith(f"params.yaml: {message}")
