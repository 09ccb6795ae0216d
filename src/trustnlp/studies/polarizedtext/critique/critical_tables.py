"""Tables and panels of the critique."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from trustnlp.reproduce.records.metric_series import Metrics
from trustnlp.studies.polarizedtext.baselines import NAMED
from trustnlp.studies.polarizedtext.data.corpora import LAYERS
from trustnlp.studies.polarizedtext.reproduction.reproduced_curves import told

BESIDE = ("log_odds", "presidio")


def layer_table(
    numbers: Metrics, corpus: str, what: str, rows: Sequence[str] = (), beside: Sequence[str] = ()
) -> pd.DataFrame:
    """Means and intervals, columns layers; of keys `CORPUS.LAYER.METHOD.WHAT`, or `CORPUS.LAYER.ROW.NAME.WHAT`.

    `beside` are methods whose own numbers go below such rows.
    """
    table: dict[str, dict[str, str]] = {}
    for key, metric in numbers.items():
        parts = key.split(".")
        if parts[0] != corpus or parts[1] not in LAYERS or parts[-1] != what:
            continue
        if len(parts) == 4 and (not rows or parts[2] in beside):
            name = NAMED.get(parts[2], parts[2])
        elif len(parts) == 5 and parts[2] in rows:
            name = f"{parts[2]}: {parts[3]}".replace("_", " ")
        else:
            continue
        table.setdefault(name, {})[parts[1]] = told(metric)
    shown = [layer for layer in LAYERS if any(layer in row for row in table.values())]
    return pd.DataFrame(table).T.reindex(columns=shown).fillna("")


def repair_table(numbers: Metrics, corpus: str) -> pd.DataFrame:
    """Areas of the field as written and repaired, where both were run, by both targets; count and presidio below."""
    table: dict[str, dict[str, str]] = {}
    fields = numbers.series(f"{corpus}.{LAYERS[0]}.field.repaired.name.f{{field:g}}.auc")
    for form in ("as_written", "repaired"):
        for target in ("name", "axis"):
            for field in fields:
                keys = {layer: f"{corpus}.{layer}.field.{form}.{target}.f{field:g}.auc" for layer in LAYERS}
                row = f"{form}, {target}, weight {field:g}".replace("_", " ")
                table[row] = {layer: told(numbers[key]) for layer, key in keys.items()}
    for name in BESIDE:
        if f"{corpus}.{LAYERS[0]}.{name}.auc" in numbers:
            table[NAMED[name]] = {layer: told(numbers[f"{corpus}.{layer}.{name}.auc"]) for layer in LAYERS}
    return pd.DataFrame(table).T


def swept_panels(numbers: Metrics, corpora: Sequence[str]) -> dict[str, Any]:
    """Corpus and target → layer → weight of the field → areas, one per seed."""
    panels: dict[str, Any] = {}
    for corpus in corpora:
        for target in ("name", "axis"):
            panels[f"{corpus}, {target}"] = {
                layer: numbers.series(f"{corpus}.{layer}.field.as_written.{target}.f{{f:g}}.auc") for layer in LAYERS
            }
    return panels
