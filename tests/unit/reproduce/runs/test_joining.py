"""Runs in parts: joined, they are metric by metric what one run of the whole records; what does not fit is refused."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from made_records import PROVENANCE
from refusals import assert_refused

from trustnlp.reproduce.checks.standing import questions
from trustnlp.reproduce.project import UserError
from trustnlp.reproduce.records.recording import Record, complete, load_record, write_record
from trustnlp.reproduce.runs.joining import join, join_files, names
from trustnlp.reproduce.runs.params import question, read_params

SEEDS, EPSILONS = [3, 0, 4, 1], [0.05, 0.5, 5.0]
RAW: dict[str, Any] = yaml.safe_load("""
notebooks:
  toy:
    verify: {seeds: [3]}
    verify_except: [winners]
    parts: {seeds: [spread], epsilons: [rise]}
    parameters:
      seeds: {type: "list[int]", smoke: [0], paper: [3, 0, 4, 1], help: h}
      epsilons: {type: "list[float]", smoke: [0.05], paper: [0.05, 0.5, 5.0], help: h}
      layers: {type: "list[int]", smoke: [1], paper: [1, 2], help: not to be divided}
      epochs: {type: int, smoke: 1, paper: 4, help: h}
      device: {type: str, choices: [cpu, cuda], smoke: cpu, paper: cpu, help: h}
sweeps:
  longer:
    {notebook: toy, profile: paper, completes: true, grid: {epochs: [8], seeds: [[0, 1], [3]], epsilons: [[0.05, 0.5]]}}
""")
ENTRY = read_params("chapter", RAW).notebook("toy")
WHOLE = question(ENTRY.resolve("paper"))
A, B = [3, 0], [4, 1]


def measured(seeds: Sequence[int] = SEEDS, epsilons: Sequence[float] = EPSILONS, profile: str = "paper") -> Record:
    """A toy of a notebook: each number depends on its seed and ε alone, save the last three."""
    repeats = {"": "float32", "texts": "exact", "seconds": "timed"}
    record = Record("chapter", "toy", profile=profile, seeds=seeds, repeats=repeats)
    record.metric("texts", 100, unit="count")
    record.metric("exact", 0.5, interval=(0.4, 0.6))
    base = np.array([np.random.default_rng(seed).normal(50, 20) for seed in seeds])
    record.metric("accuracy.plain", base.clip(0, 100), interval="bootstrap", unit="%")
    for epsilon in epsilons:
        rows = [np.random.default_rng([seed, int(100 * epsilon)]).normal(50, 20) for seed in seeds]
        record.metric(f"accuracy.eps{epsilon:g}", np.clip(rows, 0, 100), interval="t", unit="%")
        record.metric(f"bound.eps{epsilon:g}.of_all", np.exp(-epsilon))
    record.metric("seconds", np.array(seeds) + epsilons[0], interval="t", unit="seconds")
    record.metric("spread", float(base.max() - base.min()))
    record.metric("winners", int((base > 50).sum()), unit="count")
    record.metric("rise", epsilons[-1] - epsilons[0])
    record.array("names", ["a", "b"])
    record.array("by_epsilon", {f"{epsilon:g}": [epsilon, 1.0] for epsilon in epsilons})
    record.array("means", [float(base.mean())])
    record.deviation("The encoder is small.", ["accuracy"])
    for epsilon in epsilons:
        record.deviation(f"No rows at {epsilon:g}.", [f"bound.eps{epsilon:g}"], lacks=True)
    record.condition("encoder", "small")
    return record


def made(
    seeds: Sequence[int] = SEEDS, epsilons: Sequence[float] = EPSILONS, profile: str = "paper", **changed: Any
) -> dict[str, Any]:
    """The record of a run, with other parameters or provenance where `changed` says so."""
    asked = {**ENTRY.resolve(profile), "seeds": list(seeds), "epsilons": list(epsilons)}
    asked |= {name: changed.pop(name) for name in list(changed) if name in asked}
    provenance = {
        **PROVENANCE,
        "git_commit": "a" * 40,
        "git_dirty": False,
        "cache_key": f"key of {seeds} {epsilons}",
        "device": asked["device"],
        "precision": "float32",
        "peak_memory_mb": 100.0 + seeds[0],
        "started": f"2026-01-01T00:00:{10 * seeds[0] + int(epsilons[0]):02d}+00:00",
    }
    return complete(measured(seeds, epsilons, profile).to_json(), parameters=asked, **(provenance | changed))


def parts_of(seeds: Sequence[Sequence[int]], epsilons: Sequence[Sequence[float]]) -> dict[str, dict[str, Any]]:
    return {f"s{s}e{e}": made(some, cells) for s, some in enumerate(seeds) for e, cells in enumerate(epsilons)}


def in_order(items: list[Any], bins: list[int]) -> list[list[Any]]:
    """Divide a list into bins, each in the list's order."""
    return [[item for item, of in zip(items, bins, strict=True) if of == which] for which in sorted(set(bins))]


@settings(deadline=None, max_examples=20)
@given(
    st.lists(st.integers(0, 3), min_size=len(SEEDS), max_size=len(SEEDS)),
    st.lists(st.integers(0, 2), min_size=len(EPSILONS), max_size=len(EPSILONS)),
    st.randoms(use_true_random=False),
)
def test_parts_joined_are_the_run_of_the_whole(seed_bins, epsilon_bins, random):
    """However seeds and cells are divided, and in whatever order the parts come."""
    whole = made()
    parts = list(parts_of(in_order(SEEDS, seed_bins), in_order(EPSILONS, epsilon_bins)).items())
    random.shuffle(parts)
    joined = join(dict(parts), ENTRY, WHOLE)
    assert question(joined.record["parameters"]) == WHOLE and joined.record["seeds"] == SEEDS
    by_seed, by_cell = len(set(seed_bins)) > 1, len(set(epsilon_bins)) > 1
    # Clocks of the same seed in several parts do not agree, and which to take nobody knows.
    absent = ({"spread", "winners"} if by_seed else set()) | ({"rise", "seconds"} if by_cell else set())
    expected = {key: metric for key, metric in whole["metrics"].items() if key not in absent}
    assert joined.record["metrics"] == expected
    assert len(parts) > 1 or joined.record == whole
    assert joined.record["arrays"]["by_epsilon"] == whole["arrays"]["by_epsilon"]
    assert ("means" in joined.record["arrays"]) == (not by_seed)
    assert sorted(item["text"] for item in joined.record["deviations"]) == sorted(
        item["text"] for item in whole["deviations"]
    )
    assert set(joined.left_out) == absent | ({"means"} if by_seed else set())


def test_parts_of_one_second_are_joined_alike_in_whatever_order_they_are_given() -> None:
    now = "2026-01-01T00:00:00+00:00"
    parts = {"b": made([3, 4], started=now, git_commit="b" * 40), "a": made([0, 1], started=now)}
    one, other = (join(dict(order), ENTRY, WHOLE).record for order in (parts.items(), reversed(parts.items())))
    assert one == other and one["git_commit"] == "a" * 40


def test_a_joined_record_says_where_each_part_was_run(tmp_path: Path) -> None:
    other = {"cpu": "d", "cores": 8, "memory_gb": 64.0, "gpu": "g"}
    parts = {"late": made([3, 4], hardware=other, git_commit="b" * 40, seconds=2.5), "soon": made([0, 1])}
    record = join(parts, ENTRY, WHOLE).record
    assert record["started"] == parts["soon"]["started"] and record["git_commit"] == "a" * 40
    assert record["seconds"] == 4.0 and record["peak_memory_mb"] == 103.0
    assert [part["parameters"] for part in record["parts"]] == [{"seeds": [0, 1]}, {"seeds": [3, 4]}]
    assert record["parts"][1]["hardware"] == other and record["parts"][1]["digest"] == parts["late"]["digest"]
    assert record["verified"] is None
    assert record["cache_key"] not in {part["cache_key"] for part in parts.values()}
    write_record(tmp_path / "joined.json", record)
    assert load_record(tmp_path / "joined.json") == record


def with_texts(record: dict[str, Any], key: str, value: float = 100.0) -> dict[str, Any]:
    """A run that has one more count, or another value of a metric without chance."""
    record = copy.deepcopy(record)
    numbers = {"values": [value], "mean": value, "low": value, "high": value}
    record["metrics"][key] = record["metrics"].get(key, record["metrics"]["texts"]) | numbers
    return complete(record)


def test_what_differs_between_parts_and_is_no_seeds_is_left_out() -> None:
    first, second = made(A), made(B)
    joined = join({"a": first, "b": with_texts(second, "texts", 101.0)}, ENTRY, WHOLE)
    assert "do not agree (100 and 101, exact)" in joined.left_out["texts"]
    assert "texts" not in joined.record["metrics"]
    # Within what another machine may give they agree, and the number of the part that ran first is kept.
    key = "bound.eps0.05.of_all"
    value = first["metrics"][key]["mean"]
    joined = join({"b": with_texts(second, key, value * 1.0005), "a": first}, ENTRY, WHOLE)
    assert joined.record["metrics"][key]["mean"] == value
    assert key in join({"a": first, "b": with_texts(second, key, value * 1.01)}, ENTRY, WHOLE).left_out


def test_a_metric_of_one_part_must_name_what_only_this_part_was_given() -> None:
    """`gain.best`, over the ε of that part, must not pass as the whole's; nor one that names a value of all parts."""
    parts = {
        "a": made(epsilons=[0.05]),
        "b": with_texts(with_texts(made(epsilons=[0.5, 5.0]), "gain.best"), "gain.eps0.05"),
    }
    joined = join(parts, ENTRY, WHOLE)
    assert {"gain.best", "gain.eps0.05"} <= set(joined.left_out)
    assert not {"gain.best", "gain.eps0.05"} & set(joined.record["metrics"])
    parts["b"] = with_texts(made(epsilons=[0.5, 5.0]), "gain.eps5")
    assert "gain.eps5" in join(parts, ENTRY, WHOLE).record["metrics"]
    by_seed = {"a": made([3, 0]), "b": with_texts(made([4, 1]), "gain.seed4")}
    assert "gain.seed4" in join(by_seed, ENTRY, WHOLE).left_out


def test_parts_of_other_lists_than_seeds_may_have_read_other_data_and_no_other_version_of_it() -> None:
    parts = {"a": made(epsilons=[0.05]), "b": made(epsilons=[0.5, 5.0])}
    files = {"glove": {"vectors": "0" * 64}, "brown": {"text": "1" * 64}}
    for name, read in zip(parts, (["glove", "brown"], ["brown"]), strict=True):
        parts[name] = complete({**parts[name], "data": {key: files[key] for key in read}})
    assert join(parts, ENTRY, WHOLE).record["data"] == files
    parts["b"] = complete({**parts["b"], "data": {"brown": {"text": "2" * 64}}})
    with pytest.raises(UserError, match=r"other data than a \(brown\)"):
        join(parts, ENTRY, WHOLE)


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("accuracy.eps0.5.mu0", 0.5, True),
        ("accuracy.eps0.5.mu0", 0.05, False),
        ("accuracy.eps1.5", 1.0, False),
        ("top.10", 1, False),
        ("attack.released2.paper", "released", False),
    ],
)
def test_which_value_a_key_names(key: str, value: Any, expected: bool) -> None:
    assert names(key, value) is expected


def test_what_does_not_fit_together_is_refused_and_named() -> None:
    def attempt(*parts: dict[str, Any]) -> None:
        join({f"part{number}": part for number, part in enumerate(parts)}, ENTRY, WHOLE)

    def other(**fields: Any) -> dict[str, Any]:
        return complete({**made(B), **fields})

    code = {"chapters/aec/reproduction.py": "1" * 12}
    cells = [made(some, [epsilon]) for some in (A, B) for epsilon in EPSILONS]
    assert_refused(
        attempt,
        [
            (made(A), made(B, sources=code), r"part1: .*other code than part0 \(chapters/aec/reproduction\.py\)"),
            (made(A), other(data={"glove": {"vectors": "0" * 64}}), r"part1: .*other data than part0 \(glove\)"),
            (made(A), other(conditions={"encoder": "large"}), r"part1: .*other conditions than part0 \(encoder\)"),
            (made(A), other(repeats={"": "timed"}), r"part1: .*other declared exactness than part0 \(all, sec"),
            (made(A) | {"notebook": "tay"}, r"part0: is a run of chapter/tay, not of chapter/toy"),
            (made(A), made(B, git_dirty=True), r"part1: was made with uncommitted changes"),
            (made(A), made(B, precision="bfloat16"), r"other precision than part0 \('bfloat16' and 'float32'\)"),
            (made(A), made(B, environment={"python": "3.12.0"}), r"other versions than part0 \(python\)"),
            (made(A), made(B, epochs=5), r"part1: is no part of this: epochs is 5, the whole has 4"),
            (made(A), made([1, 4]), r"part1: is no part of this: seeds is \[1, 4\], the whole has \[3, 0, 4, 1\]"),
            (made(A), other(seeds=[0, 1]), r"part1: its values are of the seeds \[0, 1\], expected \[4, 1\]"),
            (made(A), made(B, profile="smoke", epochs=4), r"part1: is a smoke run"),
            (made(A), r"no part holds seeds 4; seeds 1; run"),
            (made(A), made([0, 4, 1]), r"part0 and part1 both hold seeds 0; leave"),
            (made(), made(), r"part0 and part1 both hold the whole"),
            (*cells[:-1], r"no part holds seeds 4, epsilons 5\.0; seeds 1, epsilons 5\.0; run"),
            (cells[0], r"no part holds .* and 7 more"),
            (made(layers=[1]), made(layers=[2]), r"may be divided by 'layers' \(it says: seeds, ep"),
        ],
        UserError,
    )


CLAIMS = """
paper: {key: k, title: T, authors: "A, B.", venue: V, year: 2020, url: "https://example.org"}
claims:
  - {id: better, where: Table 1, text: It is better., kind: value, paper: {value: 50.0, rounding: 0.5},
     measure: {record: toy.paper, key: accuracy.plain}, expect: reproduced}
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project of one chapter with the toy, and two halves of its paper run where a sweep leaves them."""
    chapter = tmp_path / "chapters" / "chapter"
    chapter.mkdir(parents=True)
    (tmp_path / "_config.yml").write_text("repository: {url: https://github.com/someone/book}\n")
    (chapter / "toy.py").write_text("# %%\n")
    (chapter / "params.yaml").write_text(yaml.safe_dump(RAW, sort_keys=False))
    (chapter / "claims.yaml").write_text(CLAIMS)
    monkeypatch.setenv("TRUSTNLP_ROOT", str(tmp_path))
    folder = tmp_path / "_build" / "sweeps" / "chapter" / "toy"
    folder.mkdir(parents=True)
    for number, seeds in enumerate((A, B)):
        write_record(folder / f"{number}.json", made(seeds))
    write_record(folder / "smoke.json", made([0], [0.05], "smoke"))
    write_record(folder / "longer.json", made([0, 1], [0.05, 0.5], epochs=8))
    return tmp_path


def test_parts_of_a_sweep_that_completes_the_record(project: Path) -> None:
    """Its points answer one question together, which the record may then answer."""
    rest = project / "_build" / "runs" / "chapter" / "toy.paper.0abcdef1.json"
    rest.parent.mkdir(parents=True)
    write_record(rest, made([3], [0.05, 0.5], epochs=8))
    joined, _ = join_files("chapter", "toy", grid="longer", out=project / "out.json")
    assert joined.record["seeds"] == [0, 1, 3] and joined.record["parameters"]["epochs"] == 8
    assert question(joined.record["parameters"]) in questions(ENTRY)
    assert question(made([3], [0.05, 0.5], epochs=8)["parameters"]) not in questions(ENTRY)
    assert not (project / "chapters" / "chapter" / "results").exists()
    with pytest.raises(UserError, match=r"'longr' is no sweep.*did you mean 'longer'"):
        join_files("chapter", "toy", grid="longr")


def test_a_claim_that_cannot_be_measured_so_stops_the_join(project: Path) -> None:
    (project / "chapters" / "chapter" / "claims.yaml").write_text(CLAIMS.replace("accuracy.plain", "spread"))
    with pytest.raises(UserError, match=r"claims rest on .*: better \(spread: needs the whole"):
        join_files("chapter", "toy")
    assert not (project / "chapters" / "chapter" / "results").exists()


def test_without_parts_it_says_how_to_make_some(project: Path) -> None:
    for path in (project / "_build" / "sweeps" / "chapter" / "toy").glob("[01].json"):
        path.unlink()
    with pytest.raises(UserError, match="trustnlp run chapter/toy --profile paper --seeds 0"):
        join_files("chapter", "toy")
