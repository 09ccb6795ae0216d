"""Numbers of the mapping files as a page shows them: checks, tables of the record, printed BLEU beside lookups."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from trustnlp.plots.printed_values import paper_and_ours
from trustnlp.reproduce import Record
from trustnlp.reproduce.pages.tables import NO_VALUE
from trustnlp.reproduce.records.metric_series import Metrics
from trustnlp.studies.edin.baselines import CANDIDATES
from trustnlp.studies.edin.checks import Check

_WORDS = {
    "one_rule": "the most frequent rule, always",
    "relation_rule": "the most frequent rule of the relation",
    "unrelated": "a random rule of another relation",
    "word_free": "a gold rule, every word another",
    "one_word": "a gold rule, one word wrong",
    "swapped": "a gold rule, subject and object exchanged",
}
_PARTS = {"train": "training", "dev": "dev", "test": "test", "rule_only": "rule-only set"}
_COUNTS = ("items", "matched", "empty", "unmatched", "rules", "relations")
_LOOKUP, _OTHER_LOOKUP, _DECODER = "true relation's most frequent rule", "the same, all rules as references", "decoder"


def record_checks(record: Record, checks: Iterable[Check]) -> None:
    """Keep each check as a metric of its key; an interval without width is none."""
    for check in checks:
        interval: str | tuple[float, float] = (check.low, check.high)
        if check.low == check.high:
            interval = "deterministic"
        record.metric(check.key, check.value, interval=interval, unit=check.unit)


def shown(table: pd.DataFrame, digits: int) -> pd.DataFrame:
    """A table to look at: numbers rounded, a dash where there is none."""
    rounded = table.round(digits)
    return rounded.astype(object).where(rounded.notna(), NO_VALUE)


def with_intervals(numbers: Metrics, *beginnings: str) -> pd.DataFrame:
    """All metrics whose key begins so: value, ends of the interval where there is one, and unit.

    Raises
    ------
    ValueError
        No key begins so.
    """
    rows = {
        key: {
            "value": metric["mean"],
            **({} if metric["interval"] == "deterministic" else {"low": metric["low"], "high": metric["high"]}),
            "unit": metric["unit"],
        }
        for key, metric in numbers.items()
        if key.startswith(beginnings)
    }
    if not rows:
        raise ValueError(f"no metric begins with {' or '.join(beginnings)}")
    return pd.DataFrame.from_dict(rows, orient="index").reindex(columns=["value", "low", "high", "unit"])


def part_table(numbers: Metrics) -> pd.DataFrame:
    """Items of each part: all, those with a rule, those whose rules all contradict the label, those without."""
    rows = {
        label: {name: int(numbers[f"matches.{part}.{name}.count"]["mean"]) for name in _COUNTS}
        | {"share of the top rule (%)": numbers[f"matches.{part}.top_rule"]["mean"]}
        for part, label in _PARTS.items()
    }
    return pd.DataFrame.from_dict(rows, orient="index")


def candidate_table(numbers: Metrics) -> pd.DataFrame:
    """What each rule that read no sentence gets on the test part: BLEU with its interval, and exact matches."""
    rows = {}
    for name in CANDIDATES:
        bleu, exact = (numbers[f"bleu.test.{name}{ending}"] for ending in ("", ".exact"))
        ends = {"low": bleu["low"], "high": bleu["high"]}
        rows[_WORDS[name]] = {"BLEU": bleu["mean"], **ends, "exact match (%)": exact["mean"]}
    return pd.DataFrame.from_dict(rows, orient="index")


def printed_beside_lookup(numbers: Metrics, printed: Mapping[str, Any]) -> tuple[Figure, str]:
    """Printed BLEU of the decoder beside that of the relation's most frequent rule; Table 1 on top, then Table 3.

    Table 3 has the lookup twice: the paper does not say whether rules that were left out are references.
    """
    table = printed["table1"]
    rows = {
        "test, rules only": (table["rule_only"]["ours"]["bleu"], "bleu.test.relation_rule"),
        "test, no classifier": (table["rule_only"]["no_classifier"]["bleu"], "bleu.test.relation_rule"),
        "test, with training data": (table["combined"]["ours"]["bleu"], "bleu.test.relation_rule_combined"),
    }
    for percent, row in printed["table3"].items():
        rows[f"dev, {percent} % of rules"] = (row["bleu"], f"curve.p{percent}.lookup_bleu_kept")
    said = np.array([value for value, _ in rows.values()])
    # On the test part all rules are kept, so both readings are one.
    both = {_LOOKUP: [key for _, key in rows.values()]}
    both[_OTHER_LOOKUP] = [key.replace("_kept", "_all") for key in both[_LOOKUP]]
    ours = {}
    for name, keys in both.items():
        mean, low, high = ([numbers[key][part] for key in keys] for part in ("mean", "low", "high"))
        ours[name] = (mean, low, high)
    return paper_and_ours(list(rows), {_DECODER: said}, ours, {}, quantity="BLEU")
