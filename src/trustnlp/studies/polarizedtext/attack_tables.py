"""Tables and panels of the attacks on redacted documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from trustnlp.reproduce.metric_series import Metrics
from trustnlp.studies.polarizedtext.compared_methods import NAMED
from trustnlp.studies.polarizedtext.reproduced_curves import told

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


def attack_panels(numbers: Metrics, corpora: Sequence[str], methods: Sequence[str]) -> dict[str, Any]:
    """Corpus → method → per cent removed → accuracies of the strongest attacker, one per seed."""
    return {
        corpus: {
            _name(method): {0.0: numbers[f"{corpus}.raw.strongest"]["values"]}
            | numbers.series(f"{corpus}.{method}.s{{share:g}}.strongest")
            for method in methods
        }
        for corpus in corpora
    }


def chance_lines(numbers: Metrics, corpora: Sequence[str]) -> dict[str, dict[str, float]]:
    """Corpus → the line of chance."""
    return {corpus: {"chance": numbers[f"{corpus}.chance"]["mean"]} for corpus in corpora}


def method_table(numbers: Metrics, corpora: Sequence[str], methods: Sequence[str], share: int) -> pd.DataFrame:
    """Accuracy of the strongest attacker and of each family at one share."""
    rows = {}
    for corpus in corpora:
        for method in methods:
            found = numbers.series(f"{corpus}.{method}.s{share}.{{attacker}}", "mean")
            kept = {key: f"{found[key]:.2f}" for key in found if key in _FAMILIES}
            rows[corpus, _name(method)] = {"strongest": told(numbers[f"{corpus}.{method}.s{share}.strongest"])} | kept
    return pd.DataFrame(rows).T


def fixed_table(numbers: Metrics, corpora: Sequence[str], methods: Sequence[str]) -> pd.DataFrame:
    """Methods that decide themselves how much they remove."""
    rows = {}
    for corpus in corpora:
        for method in methods:
            if f"{corpus}.{method}.removed" in numbers:
                rows[corpus, _name(method)] = {
                    "removed": f"{numbers[f'{corpus}.{method}.removed']['mean']:.3f}",
                    "strongest": told(numbers[f"{corpus}.{method}.strongest"]),
                    "kind": told(numbers[f"{corpus}.{method}.kind"]),
                    "whole paragraphs": told(numbers[f"{corpus}.{method}.whole_paragraphs"]),
                }
    return pd.DataFrame(rows).T


def absence_table(numbers: Metrics, corpora: Sequence[str], shares: Sequence[int]) -> pd.DataFrame:
    """Accuracy of the attacker that looks for what is missing."""
    rows: dict[tuple[str, str], dict[str, str]] = {}
    for corpus in corpora:
        rows[corpus, "nothing but links"] = {"0 %": told(numbers[f"{corpus}.raw.absence"])}
        for method in ("random_types", "log_odds", "common_log_odds", "random"):
            rows[corpus, _name(method)] = {
                f"{share} %": told(numbers[f"{corpus}.{method}.s{share}.absence"]) for share in shares
            }
    return pd.DataFrame(rows).T.fillna("")


def utility_table(numbers: Metrics, corpora: Sequence[str], methods: Sequence[str], share: int) -> pd.DataFrame:
    """What is left of two uses of a text at one share."""
    rows = {}
    for corpus in corpora:
        for key, name in [("raw", "nothing but links"), *((f"{m}.s{share}", _name(m)) for m in methods)]:
            rows[corpus, name] = {
                "kind": told(numbers[f"{corpus}.{key}.kind"]),
                "whole": told(numbers[f"{corpus}.{key}.whole_paragraphs"]),
            }
    return pd.DataFrame(rows).T


_FAMILIES = ("bayes", "cosine", "regression", "characters", "absence")
