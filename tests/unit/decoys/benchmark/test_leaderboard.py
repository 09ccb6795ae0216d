"""The leaderboard: by hand, against plain loops, and with planted explainers."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from refusals import assert_refused
from scipy.stats import norm

from trustnlp.decoys.benchmark.cell_table import checked_table, long_table
from trustnlp.decoys.benchmark.debugging_cells import BenchmarkCell, CellResult
from trustnlp.decoys.benchmark.leaderboard import rank_explainers

BUDGET = 10
NAN = float("nan")


def row(explainer: str, decoy: str, seed: int, found_at: float, **more: Any) -> dict[str, Any]:
    fixed = {"model": "linear", "order": "random", "budget": BUDGET, "chance": 0.1, "false_alarm": 0, "adopted": True}
    return {"explainer": explainer, "decoy": decoy, "seed": seed, "found_at": found_at, "failure": "", **fixed, **more}


def table_of(found_at: dict[str, list[list[float]]], **more: Any) -> pd.DataFrame:
    """Explainer → decoy → seed → found at."""
    return pd.DataFrame(
        [
            row(name, f"d{decoy}", seed, at, **more)
            for name, decoys in found_at.items()
            for decoy, seeds in enumerate(decoys)
            for seed, at in enumerate(seeds)
        ]
    )


def random_table(seed: int, explainers: int = 4, decoys: int = 5, seeds: int = 3, models: int = 1) -> pd.DataFrame:
    """All explainers alike: found at 1 to 15, of which beyond 10 is not found."""
    rng = np.random.default_rng(seed)
    names = product("abcdefgh"[:explainers], range(decoys), range(seeds), range(models))
    rows = [(e, f"d{d}", s, f"m{m}", int(at)) for (e, d, s, m) in names for at in [rng.integers(1, 16)]]
    return pd.DataFrame(
        [row(e, d, s, at if at <= BUDGET else NAN, model=m, false_alarm=int(at % 2)) for e, d, s, m, at in rows]
    )


def ranked(table: pd.DataFrame, seed: int = 0, **settings: Any) -> pd.DataFrame:
    return rank_explainers(table, rng=np.random.default_rng(seed), **settings)


def failed_rows(explainer: str, decoys: int, seeds: int) -> list[dict[str, Any]]:
    cells = [BenchmarkCell(explainer, f"d{d}", "linear", s) for d in range(decoys) for s in range(seeds)]
    rows = long_table([CellResult(cell, None, f"{explainer}: ValueError: no") for cell in cells])
    return rows.to_dict("records")  # type: ignore[no-any-return]


def test_means_by_hand() -> None:
    """Decoys weigh the same, however many seeds they have; what is not found counts as eleven."""
    found = table_of(
        {"late": [[9, 9, 9], [9]], "a": [[1, 3, NAN], [NAN]], "b": [[2, 2, 2], [4]], "c": [[4, 4, 4], [2]]}
    )
    board = ranked(found)
    # By the share, then by instances; equals share a rank.
    assert board["rank"].to_dict() == {"b": 1, "c": 1, "late": 3, "a": 4}
    assert board.index.tolist() == ["b", "c", "late", "a"]
    assert board.loc["a", "found"] == pytest.approx((2 / 3 + 0) / 2)
    assert board.loc["a", "until_found"] == pytest.approx(((1 + 3 + 11) / 3 + 11) / 2)
    assert board.loc["b", "until_found"] == pytest.approx(3) and board.loc["b", "chance"] == pytest.approx(0.1)
    assert board["cells"].tolist() == [4] * 4 and board["failed"].tolist() == [0] * 4


def test_models_and_orders_are_averaged_within_a_seed() -> None:
    rows = [row("a", "d0", 0, 2, model=model, order=order) for model in ("m", "n") for order in ("x", "y")]
    rows += [row("a", "d0", 1, NAN, model="m", order="x")]
    board = ranked(pd.DataFrame(rows))
    assert board.loc["a", "found"] == pytest.approx(0.5) and board.loc["a", "until_found"] == pytest.approx(6.5)
    assert board.loc["a", "cells"] == 3


def test_the_interval_is_that_of_the_plain_nested_bootstrap() -> None:
    table = table_of({"a": [[1, 3, NAN], [NAN, 2], [4, 4, 4]], "b": [[NAN, 3, NAN], [9, NAN], [NAN, 2, 8]]})
    board = ranked(table, resamples=20_000)
    rng = np.random.default_rng(1)
    for name in ("a", "b"):
        decoys = [own["found_at"].tolist() for _, own in table[table["explainer"] == name].groupby("decoy")]
        shares, until = [], []
        for _ in range(4000):
            drawn = [decoys[d] for d in rng.integers(3, size=3)]
            drawn = [[seeds[s] for s in rng.integers(len(seeds), size=len(seeds))] for seeds in drawn]
            shares.append(np.mean([np.mean([not math.isnan(at) for at in seeds]) for seeds in drawn]))
            until.append(np.mean([np.mean([11 if math.isnan(at) else at for at in seeds]) for seeds in drawn]))
        for column, samples in (("found", shares), ("until_found", until)):
            low, high = np.quantile(samples, [0.025, 0.975])
            span = high - low
            assert board.loc[name, f"{column}_low"] == pytest.approx(low, abs=0.05 * span)
            assert board.loc[name, f"{column}_high"] == pytest.approx(high, abs=0.05 * span)
    # Draws are shared, so that a constant lead is sure though the intervals overlap.
    lead = ranked(table_of({"a": [[1, 5], [2, 9], [7, 3]], "b": [[2, 6], [3, 10], [8, 4]]}))
    assert lead[["rank_low", "rank_high"]].to_numpy().tolist() == [[1, 1], [2, 2]]
    assert lead.loc["a", "until_found_high"] > lead.loc["b", "until_found_low"]


def test_the_interval_holds_a_planted_share() -> None:
    """Each explainer finds half of all decoys in the long run, some decoys nearly always and others hardly ever."""
    rng = np.random.default_rng(2)
    held = []
    for _ in range(40):
        p = 1 / (1 + np.exp(-rng.normal(0, 2, size=(5, 8, 1))))
        at = np.where(rng.random((5, 8, 3)) < p, 4.0, NAN)
        board = ranked(table_of({name: own.tolist() for name, own in zip("abcde", at, strict=True)}), resamples=300)
        held += ((board["found_low"] <= 0.5) & (board["found_high"] >= 0.5)).tolist()
    assert 0.91 < np.mean(held) < 0.995


def test_an_explainer_that_always_finds_is_first_and_its_interval_has_a_width() -> None:
    table = random_table(3, decoys=8)
    always = pd.DataFrame([row("sure", f"d{d}", s, 1, model="m0") for d in range(8) for s in range(3)])
    never = always.assign(explainer="never", found_at=NAN)
    board = ranked(pd.concat([table, never, always]))
    assert board.index[0] == "sure" and board.index[-1] == "never"
    assert board.loc["sure", ["rank", "rank_low", "rank_high", "found"]].tolist() == [1, 1, 1, 1]
    z = norm.ppf(0.975)
    assert board.loc["sure", "found_low"] == pytest.approx(8 / (8 + z**2)) and board.loc["sure", "found_high"] == 1
    assert board.loc["never", "found_high"] == pytest.approx(z**2 / (8 + z**2))
    assert board.loc["never", "until_found"] == 11 and board.loc["never", "found_low"] == 0
    others = board.loc[list("abcd")]
    assert (others["rank_low"] < others["rank_high"]).all()


def test_an_explainer_whose_cells_all_failed_is_shown_as_failed_and_never_as_0() -> None:
    table = pd.DataFrame([*table_of({"a": [[1, 2], [NAN, 3]]}).to_dict("records"), *failed_rows("broken", 2, 2)])
    board = ranked(table)
    assert board["status"].to_dict() == {"a": "ranked", "broken": "failed"}
    assert board.index.tolist() == ["a", "broken"] and board.loc["broken", "failed"] == 4
    assert board.loc["broken"].drop(["status", "cells", "failed"]).isna().all()
    assert board.loc["a"].drop("status").notna().all()
    alone = ranked(pd.DataFrame(failed_rows("broken", 2, 2)))
    assert alone["status"].tolist() == ["failed"] and math.isnan(alone.loc["broken", "found"])
    assert list(alone.columns) == list(board.columns)


def test_a_failed_cell_counts_in_no_mean() -> None:
    rows = table_of({"a": [[1, NAN], [2, 2]], "b": [[1, NAN], [2, 2]]}).to_dict("records")
    table = pd.DataFrame([*[r for r in rows if r["explainer"] == "a" or r["decoy"] == "d1"], *failed_rows("b", 1, 2)])
    board = ranked(table)
    assert board.loc["b", "status"] == "partly failed" and board.loc["b", ["cells", "failed"]].tolist() == [4, 2]
    assert board.loc["b", "found"] == 1 and board.loc["a", "found"] == 0.75
    # Wilson's of the one decoy that it was tried on.
    assert board.loc["b", "found_low"] == pytest.approx(1 / (1 + norm.ppf(0.975) ** 2))


def test_seeds_decide_the_intervals_and_the_order_of_rows_decides_nothing() -> None:
    table = random_table(5)
    first, again, other = ranked(table, 1), ranked(table, 1), ranked(table, 2)
    pd.testing.assert_frame_equal(first, again)
    assert (first["found"] == other["found"]).all() and (first["found_low"] != other["found_low"]).any()
    shuffled = table.iloc[np.random.default_rng(0).permutation(len(table))]
    pd.testing.assert_frame_equal(ranked(shuffled, 1), first)


def test_a_table_from_cells() -> None:
    good = CellResult(
        BenchmarkCell("a", "d0", "linear", 0), [{"order": "random", "found_at": 3}, {"order": "pick", "found_at": None}]
    )
    single = CellResult(BenchmarkCell("a", "d1", "linear", 0), {"order": "random", "found_at": 4})
    bad = CellResult(BenchmarkCell("b", "d0", "linear", 0), None, "b: ValueError: no")
    table = long_table([good, single, bad])
    assert table["found_at"].fillna(-1).tolist() == [3, -1, 4, -1]
    assert table["failure"].tolist() == ["", "", "", "b: ValueError: no"]
    assert table["decoy"].tolist() == ["d0", "d0", "d1", "d0"]
    assert table["order"].tolist()[:3] == ["random", "pick", "random"]


def test_bad_tables_are_refused() -> None:
    good = table_of({"a": [[1, 2], [3, NAN]], "b": [[1, 2], [3, NAN]]})

    def changed(at: int, **values: Any) -> pd.DataFrame:
        table = good.astype(object)
        for name, value in values.items():
            table.loc[at, name] = value
        return table

    assert_refused(
        checked_table,
        [
            (changed(0, adopted=False), r"not adopted: 'd0' \(by linear, seed 0\)\. .*: drop these rows"),
            (good.drop(index=5), "'b' lacks decoy 'd0', model 'linear', seed 1, order 'random', which others have"),
            (changed(0, budget=20), "the budgets are 10, 20: .* rank each apart"),
        ],
    )
