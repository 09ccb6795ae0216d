"""Tables 1 and 2 counted, and all tables and figures of the reproduction as a page shows them.

Misra, Liu and Mahmud (2021), §3.1. The paper does not say which tweets it drew; `drawing_numbers` asks whether its
counts look like a draw at random. What is shown is read from a record.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from trustnlp.data.texts.sentence_sets import SentenceSet, count_labels
from trustnlp.plots.intervals_over import panels_with_intervals
from trustnlp.reproduce import Record
from trustnlp.reproduce.records.metric_series import Metrics
from trustnlp.studies.aec.checks.drawn_counts import draw_test
from trustnlp.studies.aec.data.error_corpus import ErrorCorpus
from trustnlp.studies.aec.data.labelled_sets import LABEL_NAMES, Tweets, read_reviews, review_counts, tweet_counts
from trustnlp.studies.aec.reproduction.error_experiments import TOP
from trustnlp.studies.aec.reproduction.ranked_errors import SPREAD_AT

_DRAW = 20


def text_counts(record: Record, corpus: ErrorCorpus, drawn: Sequence[int], printed: Mapping[str, Any]) -> None:
    """Record Tables 1 and 2 as far as no seed changes them: label counts of SST, and tests of the printed counts.

    Parameters
    ----------
    drawn
        Tweets of each label, in the place of Table 2's.
    printed
        The ledger's tables (`printed_tables`).
    """
    before = read_reviews("none") if record.profile == "paper" else corpus.reviews
    found = review_numbers(before, corpus.reviews, tuple(printed["table1"].values()))
    for key, value in (found | drawing_numbers(corpus.sets.tweets, drawn)).items():
        record.metric(key, value)


def review_numbers(before: SentenceSet, after: SentenceSet, printed: Sequence[int]) -> dict[str, float]:
    """`data.sst.…`: sentences of each label after the removal of near duplicates, and how many rules give Table 1.

    Parameters
    ----------
    before, after
        The treebank without a rule, and with that of the chapter.
    printed
        Sentences of each label.
    """
    counts = dict(zip(LABEL_NAMES, after.counts(), strict=True))
    by_rule = review_counts(before)
    fitting = sum(found == tuple(printed) for found in by_rule.values())
    found: dict[str, float] = {f"data.sst.{label}": count for label, count in counts.items()}
    return found | {"data.sst.rules_tried": len(by_rule), "data.sst.rules_fitting": fitting}


def drawing_numbers(tweets: Tweets, drawn: Sequence[int]) -> dict[str, float]:
    """`data.airline.…`: how likely a random draw is as far from its average as the printed counts, two ways.

    `p_value` is for a draw from distinct texts, `p_value_rows` from all rows. `stratified_excess` is by how many
    negative tweets a file would have to be larger for the printed ones to be four fifths of them.
    """
    there = tweet_counts(tweets)
    return {
        "data.airline.p_value": draw_test(drawn, there["distinct texts"]).p_asymptotic,
        "data.airline.p_value_rows": draw_test(drawn, there["all rows"]).p_asymptotic,
        "data.airline.stratified_excess": drawn[0] / 0.8 - there["all rows"][0],
    }


def drawn_numbers(tweets: Tweets, size: int, seed: int) -> dict[str, float]:
    """`data.airline.drawn.…`: tweets of each label among as many distinct texts, drawn whatever their label."""
    rows = np.random.default_rng([seed, _DRAW]).choice(len(tweets), size=size, replace=False)
    counts = count_labels(tweets.labels[rows], len(LABEL_NAMES))
    return {f"data.airline.drawn.{label}": count for label, count in zip(LABEL_NAMES, counts, strict=True)}


def counted_texts(numbers: Metrics, printed: Mapping[str, Any]) -> pd.DataFrame:
    """Tables 1 and 2: printed counts beside those of the record, and below what rules and draws say of them."""
    rows: dict[str, dict[str, float]] = {}
    for table, key in (("table1", "data.sst"), ("table2", "data.airline.drawn")):
        for label in LABEL_NAMES:
            mean = numbers[f"{key}.{label}"]["mean"]
            rows[f"Table {table[-1]}, {label}"] = {"paper": printed[table][label], "ours": mean}
    others = {
        "rules tried": "data.sst.rules_tried",
        "rules that give Table 1": "data.sst.rules_fitting",
        "p-value of Table 2, distinct texts": "data.airline.p_value",
        "p-value of Table 2, all rows": "data.airline.p_value_rows",
        "negative tweets lacking": "data.airline.stratified_excess",
    }
    rows |= {name: {"ours": numbers[key]["mean"]} for name, key in others.items()}
    return pd.DataFrame.from_dict(rows, orient="index", columns=["paper", "ours"])


def with_intervals(numbers: Metrics, *first: str) -> pd.DataFrame:
    """Mean, ends of the interval and number of values of the metrics whose keys begin so."""
    rows = {key: numbers[key] for key in numbers if key.startswith(first)}
    table = pd.DataFrame.from_dict(rows, orient="index")[["mean", "low", "high", "n", "unit"]]
    return table.astype({"mean": float, "low": float, "high": float})


def base_table(numbers: Metrics) -> pd.DataFrame:
    """Table 3 for each base: means over seeds, in per cent and points."""
    columns = ("accuracy", "above_majority", "macro_f1", "sst_accuracy", "domain_gap")
    bases = list(numbers.series("{base}.accuracy", "mean"))
    rows = {base: {name: numbers[f"{base}.{name}"]["mean"] for name in columns} for base in bases}
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("base")


def precision_lines(numbers: Metrics, printed: Mapping[str, Any]) -> tuple[Figure, str]:
    """Table 4 as lines over K for the paper's base, its cells hollow, and for MiniLM; with the alternative text."""
    names = {"least_confidence": "uncertainty", "aec": "AEC"}
    titles = {base: f"errors of {base}" for base in ("cnn", "minilm")}
    panels = {
        title: {name: {float(k): numbers[f"{base}.{at}.p{k}"]["values"] for k in TOP} for at, name in names.items()}
        for base, title in titles.items()
    }
    table = printed["table4"]
    cells = {
        name: {float(k): value for k, value in zip(table["top"], table[column], strict=True)}
        for name, column in (("uncertainty", "uncertainty"), ("AEC", "aec"))
    }
    return panels_with_intervals(
        panels,
        quantity="precision (share)",
        over="K",
        printed={titles["cnn"]: cells},
        log_x=False,
    )


def strategy_table(numbers: Metrics, base: str) -> pd.DataFrame:
    """Each strategy's precision among the first 10 and 50 and its area under the ROC curve, means over seeds."""
    columns = (f"p{TOP[0]}", f"p{TOP[-1]}", "auc")
    rows = {
        strategy: {name: numbers[f"{base}.{strategy}.{name}"]["mean"] for name in columns}
        for strategy in numbers.series(f"{base}.{{strategy}}.auc", "mean")
    }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("strategy")


def spread_table(numbers: Metrics) -> pd.DataFrame:
    """Source of chance → mean standard deviation at K = 50 in points, for AEC, uncertainty and the lead."""
    found = numbers.series(f"spread.{{source}}.{{of}}.p{SPREAD_AT}", "mean")
    return pd.Series(found).unstack().rename_axis(index="redrawn", columns=None)[["aec", "uncertainty", "lead"]]
