"""The kind of evidence of a claim: a run on real data, files that somebody released, the print alone, made-up data.

The kind follows from the claim and from the data that its record names. Where it does not (a record holds arithmetic on
printed numbers beside runs on real data, say), the ledger states it as `evidence`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from trustnlp.data.registry import load_registry
from trustnlp.reproduce.claims.ledgers import Claim, Evidence

# Models that read texts for us: a run whose only registered files are these was made on sentences of our own.
TOOLS = frozenset({"minilm", "mpnet_base", "en_core_web_sm", "perceptron_tagger", "universal_tagset", "nltk_treebank"})
# What authors released beside a paper: rules and where they match, stored scores and outputs, lists of words.
RELEASED = frozenset({"edin_rules", "fmwsp_settlements", "fmwsp_csv_example", "fmwsp_patent", "bolukbasi_lists"})


def evidence_of(claim: Claim, record: Mapping[str, Any]) -> Evidence:
    """The kind of evidence that a record is for a claim that it measures."""
    if claim.evidence is not None:
        return claim.evidence
    if claim.kind == "differs":
        return Evidence.RELEASED
    if claim.kind == "inconsistent" or "printed" in (claim.key or "").split("."):
        return Evidence.PRINT
    return of_data(record.get("data", ()))


def of_data(names: Iterable[str]) -> Evidence:
    """The kind of evidence of a run that loaded these registered data sets."""
    registry = load_registry()
    real = {name for name in names if name not in TOOLS and not (name in registry and registry[name].stands_for)}
    if not real:
        return Evidence.MADE_UP
    return Evidence.RELEASED if real <= RELEASED else Evidence.REAL
