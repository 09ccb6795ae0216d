"""The arithmetic that a chapter does on its printed numbers, as far as it needs nothing else, by the metric's key."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from trustnlp.data.texts.private_attributes import AttributeSet, AttributeTexts, read_ag_entities
from trustnlp.reproduce.claims.ledger_tables import with_numbers
from trustnlp.reproduce.claims.ledgers import parse_claims
from trustnlp.studies.aec import checks as error_checks
from trustnlp.studies.dpnr import checks as table_checks
from trustnlp.studies.edin import checks as relations
from trustnlp.studies.gender_bias_languages import checks as list_checks
from trustnlp.studies.moxie import checks as influence
from trustnlp.studies.polarizedtext import critique as critical_numbers
from trustnlp.studies.polarizedtext.data import corpus_of
from trustnlp.studies.sense_privatization import checks as printed_scores
from trustnlp.studies.weat_measures import checks as printed_effects

Checks = Mapping[str, float]


def _pairs(checks: Any) -> Checks:
    return {check[0]: check[1] for check in checks}


# Accuracy of always naming the most frequent topic of the AG file, of 1,457 texts in either part.
_MAJORITY = {"dev": 100 * 831 / 1457, "test": 100 * 842 / 1457}


def _dpnr(printed: Mapping[str, Any]) -> Checks:
    """With the AG file where it is there, else with made-up groups: then only changes can be told."""
    if "TRUSTNLP_MIRROR" in os.environ:
        return _pairs(table_checks.checks_of(printed, read_ag_entities(), _MAJORITY))
    texts = {}
    for part, seed in (("train", 0), ("dev", 1), ("test", 2)):
        attributes = np.random.default_rng(seed).random((1457, 5)) < [0.3, 0.3, 0.18, 0.1, 0.09]
        labels = np.zeros(len(attributes), dtype=np.int64)
        texts[part] = AttributeTexts(tuple(map(str, range(len(labels)))), labels, attributes)
    news = AttributeSet("news", ("a", "b"), tuple("12345"), texts["train"], texts["dev"], texts["test"])
    return _pairs(table_checks.checks_of(printed, news, _MAJORITY))


def _gender(printed: Mapping[str, Any]) -> Checks:
    """Of the lists only what needs no released file."""
    kept = ("arithmetic.", "text.wolof", "text.printed")
    numbers = list_checks.text_numbers(list_checks.ORIGINAL_PAIRS, ["nurse"] * 320, printed)
    return {key: value for key, value in numbers.items() if key.startswith(kept)}


def _policies(printed: Mapping[str, Any]) -> Checks:
    numbers = critical_numbers.printed_numbers(corpus_of("policies", "smoke"), printed)
    return {key: value for key, value in numbers.items() if key != "printed.labels_per_word_margin"}


def _cliques(printed: Mapping[str, Any]) -> Checks:
    """What the critique of xER computes, once more."""
    table1, table4, table8 = printed["table1"], printed["table4"], printed["table8"]
    phases, brought = printed["table6_seconds"]["phases"], sum(table8["scores"][3:])
    total = phases["first"] + phases["second"]
    factors = {name: row["all"] / row["maximal"] for name, row in table1.items()}
    shortfall = max(table4[each]["patent"] for each in ("fmwsp", "hierarchical")) - table4["optimum"]["patent"]
    return {
        "table8.sum": brought,
        "table8.sum_off": abs(table8["sum"] - brought) - 0.05,
        "table6.total_off": abs(total - phases["total"]) - 0.0015,
        "table1.not_rounded_up": sum(math.ceil(factors[name]) != row["ratio"] for name, row in table1.items()),
        "table1.printed_factor_falls": factors["46_223"] - factors["46_556"],
        "table4.printed_shortfall": shortfall,
    }


_CHECKS: dict[str, Callable[[Mapping[str, Any]], Checks]] = {
    "aec": lambda printed: _pairs(error_checks.checks_of(printed)),
    "dpnr": _dpnr,
    "edin": lambda printed: _pairs(relations.checks_of(printed)),
    "gender_bias_languages": _gender,
    "moxie": lambda printed: _pairs(influence.checks_of(printed)),
    "polarizedtext": _policies,
    "sense_privatization": lambda printed: _pairs(printed_scores.checks_of(printed)),
    "xer": _cliques,
}


def arithmetic_of(chapter: str) -> Callable[[Mapping[str, Any]], Checks]:
    """A ledger's document → values of the chapter's checks; none where a chapter has no checks."""
    if chapter == "weat_measures":
        return _sums
    checks = _CHECKS.get(chapter, lambda printed: {})

    def arithmetic(document: Mapping[str, Any]) -> Checks:
        printed = with_numbers(document.get("printed", {}))
        return {**checks(printed), **_differences(chapter, document, printed)}

    return arithmetic


# Numbers that no sentence of the paper has, but that follow from some that it prints.
DERIVED: dict[str, dict[str, Callable[[Mapping[str, Any]], float]]] = {
    "edin": {"wrong-26": lambda t: 100 * (1 - t["matched"]["wrong"] / t["matched"]["items"])},
    "privemb": {
        "t1-cr-gain": lambda t: t["table1"]["m2"]["CR"] - t["table1"]["m1"]["CR"],
        "t1-trec-gain": lambda t: t["table1"]["m2"]["TREC-6"] - t["table1"]["m1"]["TREC-6"],
    },
    "sense_privatization": {
        "fig5-difference-size": lambda t: t["figure5"]["same"] - t["figure5"]["other"],
        "t2-mrpc-p90": lambda t: t["table2"]["sense_90"][3] - t["table2"]["word_90"][3],
        "senses-per-word-trained-ratio": lambda t: t["inventory"]["senses"] / t["inventory"]["words"],
        "senses-per-word-glove-ratio": lambda t: t["inventory"]["senses"] / t["inventory"]["words"],
    },
    "xer": {
        "settlements-lead": lambda t: t["table4"]["optimum"]["settlements"] - t["table4"]["fmwsp"]["settlements"],
        "csv-same": lambda t: t["table4"]["optimum"]["csv_example"] - t["table4"]["fmwsp"]["csv_example"],
    },
}


def _differences(chapter: str, document: Mapping[str, Any], printed: Mapping[str, Any]) -> Checks:
    """`derived.CLAIM`: the claim's number less what follows from the tables."""
    derived = DERIVED.get(chapter, {})
    claims = parse_claims(document, chapter, chapter).claims if derived else ()
    told = {claim.id: claim.value for claim in claims if claim.id in derived}
    return {f"derived.{name}": round((value or 0) - derived[name](printed), 9) for name, value in told.items()}


def _sums(document: Mapping[str, Any]) -> Checks:
    """Of Table 4: cells and stars of each model and test, in number and sum."""
    found: dict[str, float] = {}
    for grid in document["grids"]:
        told = re.fullmatch(r"t4-(\w+?)(-mahalanobis)?(-shared)?", grid["id"])
        for cells in grid["paper"].values() if told else ():
            values = [cell for cell in cells if cell is not None]
            found[f"{told[1]}.cells"] = found.get(f"{told[1]}.cells", 0) + len(values)
            found[f"{told[1]}.sum"] = round(found.get(f"{told[1]}.sum", 0) + sum(values), 2)
    stars = document["printed"]["stars"]
    for test, cells in stars["stars"].items():
        found[f"stars.{test}"] = sum(cell * (place + 1) for place, cell in enumerate(cells) if cell is not None)
    found |= _pairs(printed_effects.checks_of(with_numbers(document["printed"])))
    found["stars.contextual"] = sum(sum(row.values()) for row in stars["contextual_mean_euclidean"].values())
    return found
