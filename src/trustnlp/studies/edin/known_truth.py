"""Is the right relation found, and the right rule written, where it is known which rule is right?

Tang and Surdeanu (2021) measure both on TACRED, where rules are right and wrong and nobody knows where. Here sentences
are generated (`trustnlp.data.relation_standins`), from rules, and a set share of the rules can be made wrong: they name
another relation. The sentences stay the same, so the rules of the right world say what is true in both.

Three kinds of teachers: right rules, rules of which a share is wrong, and labels beside right rules. *Ceilings* are what
the supervision leaves to be known. From rules alone a sentence that no rule matches cannot be told: its clause stands
among the training sentences without a label, or as a pair "without a relation" (§4: "all other entity mention pairs").
So the ceiling of F1 is that of the right rules, run. With labels each clause is seen with its relation, and nothing that
the network reads fits two relations: the ceiling is 100. A rule can be written if some sentence of training taught it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from trustnlp.data.relation_examples import RelationExample
from trustnlp.explain.rules.trained_extractor import TrainedExtractor
from trustnlp.plots.intervals_over import lines_with_intervals
from trustnlp.studies.edin.executed_rules import ExecutedRules
from trustnlp.studies.edin.explanation_scores import explanation_scores
from trustnlp.studies.edin.extraction_tables import Numbers, extraction
from trustnlp.studies.edin.extractor_trainings import Configuration, RuledCorpus
from trustnlp.studies.edin.relation_corpora import made_up
from trustnlp.studies.edin.rule_supervision import rule_predictions

# Two points below a ceiling count as reaching it; of the rules 95 % are to be true (claims.yaml).
CEILING_SLACK, TRUE_LIMIT = 2.0, 95.0


def world(n: int, seed: int, parameters: Mapping[str, Any], *, wrong_rules: float = 0.0) -> RuledCorpus:
    """`n` generated sentences with their rules; the sentences depend on the seed, not on the share of wrong rules."""
    return RuledCorpus(made_up(n, np.random.default_rng(seed), wrong_rules=wrong_rules), parameters)


def ceilings(right: RuledCorpus, configuration: Configuration, seed: int) -> Numbers:
    """The most that F1 and exact match can come to on the test part, in per cent, for a perfect learner.

    Parameters
    ----------
    right
        A world without wrong rules.
    """
    part, taught = right.test, right.supervision(configuration, seed)
    written = {right.tokens[rule] for rule in taught.rules if rule is not None}
    known = [any(rule in written for rule in rules) for rules in part.references if rules]
    rules = extraction(part, rule_predictions(part.fired))
    return {"f1": rules["f1"] if configuration == "rule_only" else 100.0, "exact": 100 * float(np.mean(known))}


def truth_scores(right: RuledCorpus, network: TrainedExtractor) -> Numbers:
    """Of a network on the test part, against the true relations and rules, in per cent; without items left out.

    Parameters
    ----------
    right
        The world without wrong rules, whatever the network was trained on.
    """
    part = right.test
    predicted, decoded = network.predict(part.examples)[0], network.decode(part.examples)
    run = ExecutedRules(right.corpus, part.examples, decoded)
    return {**extraction(part, predicted), **explanation_scores(part.references, predicted, decoded, run)}


def truth_of_seed(right: RuledCorpus, wrong: Mapping[int, RuledCorpus], seed: int) -> Numbers:
    """All numbers of a seed, in per cent or points.

    `right.…` and `labels.…` (labels beside right rules) are scores, ceilings, and margins: the distance from the
    ceiling plus two points, or of the executed rules from 95 %. `share25.…` are the scores where 25 % of the rules are
    wrong, and `share25.…_loss` what these cost, `share25.rules_f1` the F1 of the rules themselves.

    Parameters
    ----------
    wrong
        Share of wrong rules in per cent → a world with the sentences of `right`.

    Raises
    ------
    ValueError
        The worlds do not have the same sentences.
    """
    found: Numbers = {}
    configurations: tuple[tuple[str, Configuration], ...] = (("right", "rule_only"), ("labels", "combined"))
    for name, configuration in configurations:
        scores = truth_scores(right, right.trained(configuration, "ours", seed))
        found.update({f"{name}.{key}": value for key, value in scores.items()})
        for key, ceiling in ceilings(right, configuration, seed).items():
            found[f"{name}.{key}_ceiling"] = ceiling
            if key in scores:
                found[f"{name}.{key}_margin"] = scores[key] - ceiling + CEILING_SLACK
        if "executed" in scores:
            found[f"{name}.executed_margin"] = scores["executed"] - TRUE_LIMIT
    for share, teacher in wrong.items():
        if list(right.test.examples) != list(teacher.test.examples):
            raise ValueError(f"the world with {share} % wrong rules has other sentences: give it the size and the seed")
        name = f"share{share}"
        scores = truth_scores(right, teacher.trained("rule_only", "ours", seed))
        found.update({f"{name}.{key}": value for key, value in scores.items()})
        found[f"{name}.rules_f1"] = extraction(right.test, rule_predictions(teacher.test.fired))["f1"]
        for key in ("f1", "exact"):
            if f"right.{key}" in found and key in scores:
                found[f"{name}.{key}_loss"] = found[f"right.{key}"] - scores[key]
    return found


def said_of(network: TrainedExtractor, examples: Sequence[RelationExample], right: RuledCorpus) -> pd.DataFrame:
    """For examples of the test part: their true relation and what a network predicts, and whether its rule is the
    true one and true of the sentence."""
    places = [list(right.test.examples).index(example) for example in examples]
    predicted, decoded = network.predict(examples)[0], network.decode(examples)
    run = ExecutedRules(right.corpus, examples, decoded)
    return pd.DataFrame(
        {
            "sentence": [" ".join(example.tokens) for example in examples],
            "relation": [example.relation for example in examples],
            "predicted": predicted,
            "rule is the true one": [
                rule in right.test.references[place] for rule, place in zip(decoded, places, strict=True)
            ],
            "rule matches": run.true_of(decoded, predicted),
        }
    )


def truth_table(numbers: Mapping[str, Any], wrong: int) -> pd.DataFrame:
    """Means over seeds for each teacher, in per cent, with the ceilings.

    Parameters
    ----------
    numbers
        A record's metrics: `truth.right.…`, `truth.labels.…`, `truth.wrong.…`.
    wrong
        The share of wrong rules, in per cent.
    """
    rows = {"right": "right rules", "wrong": f"{wrong} % of the rules wrong", "labels": "labels and right rules"}
    columns = {
        "precision": "precision",
        "recall": "recall",
        "f1": "F1",
        "f1_ceiling": "ceiling of F1",
        "exact": "exact match",
        "executed": "true of the sentence",
    }
    return pd.DataFrame(
        [
            [numbers[key]["mean"] if (key := f"truth.{row}.{column}") in numbers else np.nan for column in columns]
            for row in rows
        ],
        index=list(rows.values()),
        columns=list(columns.values()),
    )


def shares_figure(numbers: Mapping[str, Any], shares: Sequence[int]) -> tuple[Figure, str]:
    """F1, exact match and the share of true rules over the share of wrong rules that taught.

    Parameters
    ----------
    numbers
        A record's metrics: `truth.right.…` and `truth.share25.…` for each of the shares.
    """
    titles = {"f1": "F1", "exact": "exact match", "executed": "rule true of the sentence"}
    places = {0: "right", **{share: f"share{share}" for share in shares}}
    lines = {
        title: {
            share: numbers[key]["values"]
            for share, place in places.items()
            if (key := f"truth.{place}.{score}") in numbers
        }
        for score, title in titles.items()
    }
    return lines_with_intervals(
        {title: line for title, line in lines.items() if line},
        quantity="test part, in per cent",
        over="rules that name the wrong relation, in per cent",
        reference={"ceiling of F1 with right rules": float(numbers["truth.right.f1_ceiling"]["mean"])},
        log_x=False,
    )
