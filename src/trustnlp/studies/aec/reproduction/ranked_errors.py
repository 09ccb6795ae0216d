"""Tables 3 and 4: how well a base does, how many errors each ranking finds, and which chance moves that most.

Misra, Liu and Mahmud (2021), §3.3 and §4.1. Each function gives metrics by key. Precisions are shares, accuracies per
cent, differences of either are in points. Three draws decide an experiment and the training of the base is a fourth;
`spreads` redraws one of them at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import f1_score

from trustnlp.studies.aec.checks.printed_precision import leads
from trustnlp.studies.aec.data.error_corpus import Base, BaseAnswers, ErrorCorpus, wrong_on
from trustnlp.studies.aec.reproduction.error_experiments import TOP, Experiment, experiment_of

SPREAD_AT = 50
_LEAD_AT = 40


def measured(experiments: Mapping[Base, Experiment], strategies: Sequence[str]) -> dict[str, float]:
    """Tables 3 and 4 of one seed, for each base, and what the weights of the loss change.

    Parameters
    ----------
    experiments
        With the same seeds.
    strategies
        To rank by, among them `least_confidence` and `aec`.
    """
    found: dict[str, float] = {}
    for base, experiment in experiments.items():
        numbers = base_numbers(experiment) | ranking_numbers(experiment, strategies)
        found |= {f"{base}.{key}": value for key, value in numbers.items()}
    if "cnn" in experiments and "plain" in experiments:
        found["weighting.macro_f1_gain"] = found["cnn.macro_f1"] - found["plain.macro_f1"]
        found["weighting.accuracy_cost"] = found["plain.accuracy"] - found["cnn.accuracy"]
    return found


def base_numbers(experiment: Experiment) -> dict[str, float]:
    """Table 3, in per cent: a base on the drawn tweets and on SST's test part, and against the commonest label."""
    corpus, answers, rows = experiment.corpus, experiment.answers, experiment.drawn
    labels = corpus.tweets.labels[rows]
    assert corpus.reviews.test is not None
    accuracy = 100 * (1 - experiment.wrong[rows].mean())
    reviewed = 100 * (1 - wrong_on(answers.test, corpus.reviews.test.labels).mean())
    return {
        "accuracy": float(accuracy),
        "macro_f1": float(100 * f1_score(labels, answers.tweets[rows].argmax(1), average="macro")),
        "sst_accuracy": float(reviewed),
        "above_majority": float(accuracy - 100 * np.bincount(labels).max() / len(labels)),
        "domain_gap": float(reviewed - accuracy),
    }


def ranking_numbers(experiment: Experiment, strategies: Sequence[str]) -> dict[str, float]:
    """Table 4 on the balanced test set: precision among the first K by strategy, area under the curve, AEC's lead."""
    found: dict[str, float] = {}
    precision = {}
    for strategy in strategies:
        scores = experiment.scores(strategy)
        precision[strategy] = experiment.precision(strategy, scores=scores)
        found |= {f"{strategy}.p{k}": value for k, value in precision[strategy].items()}
        found[f"{strategy}.auc"] = experiment.area(strategy, scores=scores)
    lead = {k: 100 * (precision["aec"][k] - precision["least_confidence"][k]) for k in TOP}
    assert experiment.test.wrong is not None
    above = precision["least_confidence"][TOP[-1]] - experiment.test.wrong.mean()
    found |= {f"lead.p{k}": value for k, value in lead.items()}
    found |= {
        "lead.mean": float(np.mean(list(lead.values()))),
        f"uncertainty_lead.p{TOP[0]}": -lead[TOP[0]],
        f"least_confidence.p{TOP[-1]}_above_random": float(100 * above),
    }
    return found


def spreads(
    corpus: ErrorCorpus,
    answers: Callable[[int], BaseAnswers],
    drawn: Sequence[int],
    seed: int,
    *,
    splits: int,
    undersamplings: int,
    bases: int,
    printed: Mapping[str, Any],
) -> dict[str, float]:
    """Standard deviations of Table 4 over redraws of one source of chance, the others held at a seed; in points.

    Parameters
    ----------
    answers
        Seed → what that training of the base says; the first `bases` seeds are asked for.
    drawn
        Tweets of each label.
    splits, undersamplings, bases
        How often each is redrawn; a source that is redrawn fewer than twice is left out.

    Returns
    -------
    dict
        `spread.SOURCE.{aec,uncertainty,lead}.p50`, and `spread.printed_lead_margin.p40`: the lead that is printed for
        K = 40, less twice the standard deviation of ours over splits.
    """
    own = answers(seed)
    sources: dict[str, Iterable[Experiment]] = {
        "split": (experiment_of(corpus, own, drawn, seed, split=each) for each in range(splits)),
        "undersample": (experiment_of(corpus, own, drawn, seed, undersampling=each) for each in range(undersamplings)),
        "base": (experiment_of(corpus, answers(each), drawn, seed) for each in range(bases)),
    }
    found: dict[str, float] = {}
    for source, experiments in sources.items():
        rows = [_compared(each) for each in experiments]
        if len(rows) < 2:
            continue
        deviation = pd.DataFrame(rows).std(ddof=1)
        found |= {f"spread.{source}.{name}.p{k}": float(deviation[name, k]) for name, k in rows[0] if k == SPREAD_AT}
        if source == "split":
            lead = 100 * leads(printed).loc[_LEAD_AT, "tweets"] / _LEAD_AT
            found[f"spread.printed_lead_margin.p{_LEAD_AT}"] = float(lead - 2 * deviation["lead", _LEAD_AT])
    return found


def _compared(experiment: Experiment) -> dict[tuple[str, int], float]:
    """AEC, uncertainty and the lead at K = 40 and 50, in points."""
    aec, other = (experiment.precision(name) for name in ("aec", "least_confidence"))
    found: dict[tuple[str, int], float] = {}
    for k in (_LEAD_AT, SPREAD_AT):
        found |= {("aec", k): 100 * aec[k], ("uncertainty", k): 100 * other[k], ("lead", k): 100 * (aec[k] - other[k])}
    return found
