"""Tables and panels of the attacks on redacted documents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pandas as pd

from trustnlp.reproduce.records.metric_series import Metrics
from trustnlp.studies.polarizedtext.baselines import NAMED
from trustnlp.studies.polarizedtext.reproduction.reproduced_curves import told

_CONTROLS = {
    "common_log_odds": "log-odds, common list", "common_polarised": "polarised, common list",
    "random_types": "random types per owner",
}  # fmt: skip


def _name(method: str) -> str:
    return NAMED.get(method) or _CONTROLS.get(method, method)


def raw_table(numbers: Metrics, corpora: Sequence[str], attackers: Sequence[str]) -> pd.DataFrame:
    """Accuracy of each attacker where links alone are redacted, and chance."""
    table = {
        corpus: {attacker: told(numbers[f"{corpus}.raw.{attacker}"]) for attacker in attackers}
        | {"chance": f"{numbers[f'{corpus}.chance']['mean']:.2f}"}
        for corpus in corpora
    }
    return pd.DataFrame(table)


def attack_panels(
    numbers: Metrics, corpora: Sequence[str], methods: Sequence[str], what: str = "strongest"
) -> dict[str, Any]:
    """Corpus → method → per cent removed → accuracies of the strongest attacker, or another number, one per seed."""
    return {
        corpus: {
            _name(method): {0.0: numbers[f"{corpus}.raw.{what}"]["values"]}
            | numbers.series(f"{corpus}.{method}.s{{share:g}}.{what}")
            for method in methods
        }
        for corpus in corpora
    }


def chance_lines(numbers: Metrics, corpora: Sequence[str]) -> dict[str, dict[str, float]]:
    """Corpus → the line of chance."""
    return {corpus: {"chance": numbers[f"{corpus}.chance"]["mean"]} for corpus in corpora}


def method_table(numbers: Metrics, corpora: Sequence[str], methods: Sequence[str], share: int) -> pd.DataFrame:
    """Share removed, accuracy of the strongest attacker and of each family, and what is left of two uses.

    Methods that decide themselves how much they remove have one row; the others have that of one share.
    """
    rows = {}
    for corpus, method, key in _keys(numbers, corpora, methods, share):
        families = {name: f"{numbers[f'{key}.{name}']['mean']:.2f}" for name in _FAMILIES if f"{key}.{name}" in numbers}
        rows[corpus, _name(method)] = {
            "removed": f"{numbers[f'{key}.removed']['mean']:.3f}",
            "strongest": told(numbers[f"{key}.strongest"]),
            **families,
        }
    return pd.DataFrame(rows).T


def absence_table(numbers: Metrics, corpora: Sequence[str], shares: Sequence[int]) -> pd.DataFrame:
    """Accuracy of the attacker that looks for what is missing; presidio, which has no share, in a column of its own."""
    rows: dict[tuple[str, str], dict[str, str]] = {}
    for corpus in corpora:
        rows[corpus, "nothing but links"] = {"0 %": told(numbers[f"{corpus}.raw.absence"])}
        for method in ("random_types", "log_odds", "common_log_odds", "random"):
            rows[corpus, _name(method)] = {
                f"{share} %": told(numbers[f"{corpus}.{method}.s{share}.absence"]) for share in shares
            }
        if f"{corpus}.presidio.absence" in numbers:
            rows[corpus, _name("presidio")] = {"its own share": told(numbers[f"{corpus}.presidio.absence"])}
    return pd.DataFrame(rows).T.fillna("")


def utility_table(numbers: Metrics, corpora: Sequence[str], methods: Sequence[str], share: int) -> pd.DataFrame:
    """What is left of two uses of a text, at one share or at that of a method itself."""
    rows = {}
    for corpus, method, key in [
        *((corpus, "raw", f"{corpus}.raw") for corpus in corpora),
        *_keys(numbers, corpora, methods, share),
    ]:
        rows[corpus, "nothing but links" if method == "raw" else _name(method)] = {
            "removed": f"{numbers[f'{key}.removed']['mean']:.3f}",
            "kind": told(numbers[f"{key}.kind"]),
            "whole sentences": told(numbers[f"{key}.whole_sentences"]),
            "whole paragraphs": told(numbers[f"{key}.whole_paragraphs"]),
        }
    return pd.DataFrame(rows).T.sort_index(level=0, sort_remaining=False)


def _keys(
    numbers: Metrics, corpora: Sequence[str], methods: Sequence[str], share: int
) -> Iterator[tuple[str, str, str]]:
    """Corpus, method, and how its keys begin; a method that the record lacks is left out."""
    for corpus in corpora:
        for method in methods:
            for key in (f"{corpus}.{method}.s{share}", f"{corpus}.{method}"):
                if f"{key}.strongest" in numbers:
                    yield corpus, method, key
                    break


_FAMILIES = ("bayes", "cosine", "regression", "characters", "presence", "absence")
