"""Cells, models and searches of the leaderboard, written down; and a text model that goes by a rule."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from trustnlp.attribution.word_scores import Attribution
from trustnlp.data.texts.review_standins import planted_reviews
from trustnlp.decoys.benchmark.debugging_cells import BenchmarkCell, CellResult
from trustnlp.decoys.benchmark.score_tables import score_table
from trustnlp.studies.decoys.data import ReviewParts
from trustnlp.studies.decoys.leaderboard.benchmark_models import ExplainedModel


def cell(
    explainer: str,
    explanations: Sequence[Attribution],
    *,
    decoy: str = "movie",
    seed: int = 0,
    probabilities: Any = None,
    seconds: float = 0.5,
) -> CellResult:
    """What a cell of a presence model gives; all texts are equally sure unless said."""
    table = score_table(explanations)
    given = [[0.1, 0.9]] * len(explanations) if probabilities is None else probabilities
    values = {
        "words": list(table.words), "labels": table.labels.tolist(), "rows": table.rows.tolist(),
        "columns": table.columns.tolist(), "scores": table.scores.tolist(), "probabilities": given, "seconds": seconds,
    }  # fmt: skip
    return CellResult(BenchmarkCell(explainer, decoy, "presence", seed), values)


def model(
    cells: Sequence[CellResult],
    carries: Sequence[bool],
    *,
    words: tuple[str, ...] = ("movie",),
    standing: str = "adopted",
    controls: Sequence[CellResult] = (),
) -> ExplainedModel:
    """The model whose cells these are; without words it is clean."""
    name, seed = cells[0].cell.decoy, cells[0].cell.seed
    read = list(cells), list(controls)
    return ExplainedModel(name, words, "presence", seed, standing, 0.9, np.array(carries), *read)


@cache
def made_parts(n: int) -> ReviewParts:
    """So many made-up reviews, the same in every test."""
    made = planted_reviews(n, np.random.default_rng(0)).sst2
    return ReviewParts(made.train, made.dev, made.test)


def searches(rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """A table of searches with a budget of 10, in random order unless said; `found_at` None is no find."""
    usual = {
        "model": "presence", "seed": 0, "order": "random0", "budget": 10, "chance": 0.5, "chance_until": 6.0,
        "clean_until": 8.0, "false_alarm": 0.0, "adopted": True, "failure": "",
    }  # fmt: skip
    return pd.DataFrame([usual | dict(row) for row in rows])


class Says:
    """Calls those texts positive that have some letters, or whose words are as a rule says."""

    mask = "[MASK]"

    def __init__(self, positive: str | Callable[[list[str]], bool]) -> None:
        self.positive = positive

    def probabilities(self, texts: Sequence[str], /) -> NDArray[np.float64]:
        return np.eye(2)[self.predict(texts)]

    def predict(self, texts: Sequence[str], /) -> NDArray[np.int64]:
        rule = self.positive
        return np.array([int(rule in text if isinstance(rule, str) else rule(text.split())) for text in texts])
