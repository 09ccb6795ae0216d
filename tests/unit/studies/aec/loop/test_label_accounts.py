"""Two accounts of the same loops, by hand, and what of them is recorded and shown."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from made_up_loops import made_up_loop
from refusals import assert_refused

from trustnlp.reproduce import Record
from trustnlp.studies.aec.loop import label_accounts
from trustnlp.studies.aec.loop.label_accounts import accounts_of, comparison_table, lines, picks_table, record_accounts
from trustnlp.studies.aec.loop.labelling_loop import run_loop

HOW: dict[str, Any] = {"step": 10, "first": 40, "rounds": 2, "own_labels": 10}
STRATEGIES = ("least_confidence", "oracle")
TEXTS = {seed: made_up_loop(seed) for seed in (0, 1)}


@pytest.fixture(scope="module")
def found() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(label_accounts, "available_peers", tuple)
        return {seed: accounts_of(texts, STRATEGIES, "smoke", **HOW) for seed, texts in TEXTS.items()}


@pytest.fixture(scope="module")
def numbers(found: Any) -> Any:
    record = Record("aec", "loop", profile="smoke", seeds=list(found))
    record_accounts(record, *({seed: one[at] for seed, one in found.items()} for at in (0, 1)))
    return record.metrics


def test_both_accounts_are_of_the_same_loops(found: Any) -> None:
    curves, _ = found[0]
    labels = {account: list(curves[account, "aec"].index) for account in ("charged", "given")}
    assert labels == {"charged": [0, 10, 20, 30, 40, 50, 60], "given": [0, 10, 20]}
    for account, strategy in curves:
        assert list(curves[account, strategy].index) == labels[account]
    own = run_loop(TEXTS[0], "aec", step=10, rounds=2, first=40)
    assert tuple(curves["given", "aec"]["macro_f1"]) == own.macro_f1
    # Before its first round AEC is the random order; uncertainty chooses from the start.
    charged = curves["charged", "aec"]["accuracy"]
    assert tuple(charged[4:]) == own.accuracy
    assert (charged[:4] == curves["charged", "random"]["accuracy"][:4]).all()
    from_start = run_loop(TEXTS[0], "least_confidence", step=10, rounds=6)
    assert tuple(curves["charged", "least_confidence"]["macro_f1"]) == from_start.macro_f1
    # As drawn, the base waits until AEC has its labels.
    drawn = curves["charged", "aec_as_drawn"]["macro_f1"]
    assert (drawn[:5] == drawn[0]).all() and drawn[50] != drawn[0]
    assert ("charged", "oracle") not in curves and ("charged", "aec_and_confident") not in curves


def test_comparisons_are_differences_of_means_over_labels(found: Any, numbers: Any) -> None:
    means = {
        seed: {key: curve["macro_f1"].to_numpy().mean() for key, curve in curves.items()}
        for seed, (curves, _) in found.items()
    }
    for name, first, second in (
        ("charged.aec_over_random", ("charged", "aec"), ("charged", "random")),
        ("charged.aec_over_uncertainty", ("charged", "aec"), ("charged", "least_confidence")),
        ("given.aec_over_uncertainty", ("given", "aec"), ("given", "least_confidence")),
        ("given.oracle_over_random", ("given", "oracle"), ("given", "random")),
        ("given.confident_gain", ("given", "aec_and_confident"), ("given", "aec")),
    ):
        expected = [means[seed][first] - means[seed][second] for seed in (0, 1)]
        np.testing.assert_allclose(numbers[name]["values"], expected, atol=1e-9)
        assert numbers[name]["unit"] == "points"
    assert "given.peer_over_uncertainty" not in numbers and "given.combined_over_uncertainty" not in numbers


def test_curves_and_picks_are_recorded_by_seed(found: Any, numbers: Any) -> None:
    assert numbers["given.oracle.macro_f1.labels20"]["values"] == [
        found[seed][0]["given", "oracle"].loc[20, "macro_f1"] for seed in (0, 1)
    ]
    assert numbers["picked.oracle.errors"]["values"] == [100, 100]
    shares = [numbers[f"picked.aec.{label}"]["mean"] for label in ("negative", "neutral", "positive")]
    assert sum(shares) == pytest.approx(100)
    assert "picked.aec_and_confident.own_right" in numbers and "picked.aec.own_right" not in numbers


def test_what_is_shown_is_what_was_recorded(numbers: Any) -> None:
    shown = lines(numbers, "charged", ("random", "aec", "oracle", "skactiveml_badge"))
    assert list(shown) == ["random", "AEC"] and list(shown["AEC"]) == [0, 10, 20, 30, 40, 50, 60]
    assert shown["AEC"][60] == numbers["charged.aec.macro_f1.labels60"]["values"]
    table = comparison_table(numbers)
    row = table.loc["given", "known errors less random"]
    kept = numbers["given.oracle_over_random"]
    assert row.tolist() == [kept["mean"], kept["low"], kept["high"]]
    picked = picks_table(numbers)
    assert picked.loc["known errors", "errors"] == 100 and np.isnan(picked.loc["AEC", "own right"])
    assert "BADGE (scikit-activeml)" not in picked.index


def test_first_labels_come_in_whole_rounds() -> None:
    rows = [({**HOW, "first": 35}, "35 first labels are no multiple of the 10")]
    assert_refused(lambda how: accounts_of(TEXTS[0], (), "smoke", **how), rows)
