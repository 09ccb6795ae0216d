"""What the strategies of a loop cost: two accounts of the labels that AEC learns from, and what comes out.

Misra, Liu and Mahmud (2021), §4.1, compare AEC with uncertainty as if both were free. AEC needs labelled tweets before
its first round, so its picks can be compared in two ways:

`charged`
    All begin with reviews alone. Strategies that learn spend their first labels on random tweets; the others spend them
    as they choose.
`given`
    All begin with the same labelled tweets, and labels are counted from there.

Two strategies are compared by their mean macro-F1 over all numbers of labels, in points.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from trustnlp.error_analysis.sampling_strategies import LEARNT, UNCERTAINTY
from trustnlp.reproduce import Record
from trustnlp.studies.aec.baselines import PEERS, available_peers
from trustnlp.studies.aec.data.labelled_sets import LABEL_NAMES
from trustnlp.studies.aec.loop.labelling_loop import LoopCourse, kept_loop
from trustnlp.studies.aec.loop.looped_tweets import LoopTexts

CONFIDENT, AS_DRAWN = "aec_and_confident", "aec_as_drawn"
# Macro-F1 and accuracy of a strategy by labels spent, in an account; and what is known of its picks.
Curves = Mapping[tuple[str, str], pd.DataFrame]
Picks = Mapping[str, Mapping[str, float]]

# Comparison → the account, and whose mean macro-F1 less whose.
COMPARED = {
    "charged.aec_over_random": ("charged", "aec", "random"),
    "charged.aec_over_uncertainty": ("charged", "aec", "least_confidence"),
    "charged.uncertainty_over_random": ("charged", "least_confidence", "random"),
    "charged.as_drawn_over_random": ("charged", AS_DRAWN, "random"),
    "given.aec_over_random": ("given", "aec", "random"),
    "given.aec_over_uncertainty": ("given", "aec", "least_confidence"),
    "given.uncertainty_over_random": ("given", "least_confidence", "random"),
    "given.oracle_over_random": ("given", "oracle", "random"),
    "given.combined_over_uncertainty": ("given", "aec_with_probabilities", "least_confidence"),
    "given.confident_gain": ("given", CONFIDENT, "aec"),
    "given.peer_over_uncertainty": ("given", PEERS[0], "least_confidence"),
}
NAMES = {
    "random": "random",
    "least_confidence": "least confidence",
    "margin": "margin",
    "entropy": "entropy",
    "aec": "AEC",
    "aec_with_probabilities": "AEC with probabilities",
    "probabilities": "forest on probabilities",
    "confidence": "forest on confidence",
    "predicted_class": "error rate by class",
    "oracle": "known errors",
    CONFIDENT: "AEC and the most confident",
    AS_DRAWN: "AEC as drawn in the paper",
    "skactiveml_badge": "BADGE (scikit-activeml)",
}


def accounts_of(
    texts: LoopTexts, strategies: Iterable[str], profile: str, *, step: int, first: int, rounds: int, own_labels: int
) -> tuple[Curves, Picks]:
    """Run the loops of one seed, those of peers among them if they are installed, and enter them in both accounts.

    Parameters
    ----------
    strategies
        Beside `random` and `aec`, which are always there.
    step, first, rounds, own_labels
        As for `run_loop`; `first` in whole steps.

    Raises
    ------
    ValueError
        `first` is no multiple of `step`, or as for `run_loop`.
    """
    if first % step:
        raise ValueError(f"the {first} first labels are no multiple of the {step} of a round")
    before, how = first // step, {"step": step, "rounds": rounds, "first": first}
    long = {"step": step, "rounds": before + rounds}
    by_chance = _curve(kept_loop(texts, "random", profile, **long))
    curves = {("charged", "random"): by_chance}
    picks = {}
    for strategy in dict.fromkeys(("random", "aec", *strategies, *available_peers())):
        course = kept_loop(texts, strategy, profile, **how)
        curves["given", strategy], picks[strategy] = _curve(course), _picks(course)
        if strategy in UNCERTAINTY:
            curves["charged", strategy] = _curve(kept_loop(texts, strategy, profile, **long))
        if strategy in LEARNT:
            curves["charged", strategy] = pd.concat([by_chance.iloc[:before], _curve(course)])
    confident = kept_loop(texts, "aec", profile, **how, own_labels=own_labels)
    curves["given", CONFIDENT], picks[CONFIDENT] = _curve(confident), _picks(confident)
    drawn = kept_loop(texts, "aec", profile, **how, apart=1)
    waiting = pd.DataFrame([_curve(drawn).iloc[0]] * before, pd.RangeIndex(0, first, step))
    curves["charged", AS_DRAWN], picks[AS_DRAWN] = pd.concat([waiting, _curve(drawn)]), _picks(drawn)
    shifted = {key: curve.set_axis(curve.index - (first if key[0] == "given" else 0)) for key, curve in curves.items()}
    return shifted, picks


def record_accounts(record: Record, curves: Mapping[int, Curves], picks: Mapping[int, Picks]) -> None:
    """Record all curves, their means, the comparisons of `COMPARED` that can be made, and what was picked.

    Parameters
    ----------
    curves, picks
        Seed → what `accounts_of` found.
    """
    own = list(curves.values())
    for account, strategy in own[0]:
        for measure, values in own[0][account, strategy].items():
            for labels in values.index:
                each = [one[account, strategy].loc[labels, measure] for one in own]
                record.metric(f"{account}.{strategy}.{measure}.labels{labels}", each, interval="t", unit="%")
    for name, (account, first, second) in COMPARED.items():
        if (account, first) in own[0] and (account, second) in own[0]:
            gain = [_mean(one[account, first]) - _mean(one[account, second]) for one in own]
            record.metric(name, gain, interval="t", unit="points")
    for strategy, seen in picks[next(iter(picks))].items():
        for key in seen:
            values = [one[strategy][key] for one in picks.values()]
            record.metric(f"picked.{strategy}.{key}", values, interval="t", unit="%")


def lines(numbers: Any, account: str, strategies: Sequence[str]) -> dict[str, dict[float, Sequence[float]]]:
    """Macro-F1 of a record for a figure: strategy → labels spent → values per seed; what was not run is left out."""
    found: dict[str, dict[float, Sequence[float]]] = {}
    for strategy in strategies:
        first = f"{account}.{strategy}.macro_f1.labels"
        points = {float(key.removeprefix(first)): numbers[key]["values"] for key in numbers if key.startswith(first)}
        if points:
            found[NAMES[strategy]] = points
    return found


def comparison_table(numbers: Any) -> pd.DataFrame:
    """A row for each comparison of a record: the mean difference in points, and its interval over seeds."""
    rows = {}
    for name, (account, first, second) in COMPARED.items():
        if name in numbers:
            ends = [numbers[name][end] for end in ("mean", "low", "high")]
            rows[account, f"{NAMES[first]} less {NAMES[second]}"] = ends
    columns = ["points of macro-F1", "from", "to"]
    return pd.DataFrame.from_dict(rows, orient="index", columns=columns, dtype=float).set_axis(
        pd.MultiIndex.from_tuples(rows, names=["account", "compared"])
    )


def picks_table(numbers: Any) -> pd.DataFrame:
    """A row for each strategy of a record: means over seeds of what it picked, in per cent."""
    rows = {name: {} for name in NAMES}  # type: dict[str, dict[str, float]]
    for key in numbers:
        if key.startswith("picked."):
            _, strategy, what = key.split(".")
            rows[strategy][what.replace("_", " ")] = numbers[key]["mean"]
    found = pd.DataFrame.from_dict({NAMES[name]: row for name, row in rows.items() if row}, orient="index")
    return found.rename_axis("strategy")


def _curve(course: LoopCourse) -> pd.DataFrame:
    return pd.DataFrame({"macro_f1": course.macro_f1, "accuracy": course.accuracy}, pd.Index(course.spent))


def _mean(curve: pd.DataFrame) -> float:
    return float(curve["macro_f1"].mean())


def _picks(course: LoopCourse) -> dict[str, float]:
    """Errors among the picks, and the labels of the picks, in per cent."""
    found = {"errors": float(np.mean(course.errors)), **dict(zip(LABEL_NAMES, course.picked, strict=True))}
    return found if course.own_right is None else found | {"own_right": course.own_right}
