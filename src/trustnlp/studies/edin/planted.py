"""Is the right relation found, and the right rule written, where it is known which rule is right?

Tang and Surdeanu (2021) measure both on TACRED, where rules are right and wrong and nobody knows where. Here sentences
are generated from rules (`standins`), and a set share of the rules can be made wrong: they name another relation. The
sentences stay the same, so the rules of the right world say what is true in both.

Networks are trained on rules alone, right ones or with a share of wrong ones.

*Ceilings* are what right rules leave to be known. Test sentences of a relation that no rule matches are set aside:
their phrases are in no example of training, or in pairs "without a relation" (§4: "all other entity mention pairs").
Of the others the right rules, run, find all; that is the ceiling of F1. A rule can be written if some sentence of
training taught it. What is set aside is asked about once: how much of it is found all the same?
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from trustnlp.data.relations.relation_examples import NO_RELATION
from trustnlp.relations.relation_sizes import RelationSizes
from trustnlp.relations.trained_extractor import ExtractorRecipe, TrainedExtractor
from trustnlp.studies.edin.data import Supervision, made_up, rule_predictions
from trustnlp.studies.edin.explanations import ExecutedRules, explanation_scores
from trustnlp.studies.edin.models import RuledCorpus
from trustnlp.studies.edin.tables import Numbers, extraction

# Two points below a ceiling count as reaching it; of the rules 95 % are to be true (claims.yaml).
CEILING_SLACK, TRUE_LIMIT = 2.0, 95.0


def world(n: int, seed: int, parameters: Mapping[str, Any], *, wrong_rules: float = 0.0) -> RuledCorpus:
    """`n` generated sentences with their rules; the sentences depend on the seed, not on the share of wrong rules."""
    return RuledCorpus(made_up(n, np.random.default_rng(seed), wrong_rules=wrong_rules), parameters)


def matched(world: RuledCorpus, *, by_rules: bool = True) -> RuledCorpus:
    """The world without the test sentences of a relation that no rule matches, or with these alone.

    The same sentences whatever the share of wrong rules: a wrong rule matches as a right one does.
    """
    test = [
        example
        for example, fired in zip(world.test.examples, world.test.fired, strict=True)
        if (bool(fired) or example.relation == NO_RELATION) == by_rules
    ]
    return RuledCorpus(replace(world.corpus, test=test), world.parameters)


def supervision(teacher: RuledCorpus, seed: int) -> Supervision:
    """Rule-only examples of a world, without those that contradict each other.

    Deviation: other pairs of a sentence that a rule matches are no examples of `no_relation`.
    """
    taught = teacher.supervision("rule_only", seed)
    rows = zip(taught.examples, taught.rules, teacher.corpus.fire(taught.examples), strict=True)
    examples, rules = zip(*[row[:2] for row in rows if row[1] is not None or not row[2]], strict=True)
    return Supervision(list(examples), list(rules))


def trained(teacher: RuledCorpus, seed: int) -> TrainedExtractor:
    """A network taught by the rules of a world; those of the `paper` profile are kept in the results' folder.

    Of the notebook's parameters `profile`, `width`, `dropout`, `epochs`, `learning_rate`, `batch_size`, `negatives`
    and `device` count.

    Deviations: little dropout, no dropout of words and no penalty of the pooled vector (the latter two are the released
    code's): with them the decoder was far from done after several times as many steps. The learning rate stays, and the
    last epoch is kept. Annealing and choosing by the classifier's F1 stops the decoder before it has learned, as the
    classifier is done first. So there is nothing to choose by: dev is one pair without a relation, of which F1 is the
    same after each epoch.
    """
    parameters = teacher.parameters
    nothing = next(example for example in teacher.dev.examples if example.relation == NO_RELATION)
    recipe = ExtractorRecipe(
        RelationSizes(width=parameters["width"], lstm_layers=1, dropout=parameters["dropout"], input_dropout=0.0),
        word_dropout=0.0,
        pooling_penalty=0.0,
        learning_rate=parameters["learning_rate"],
        decay=1.0,
        first_sum=0.0,
        epochs=parameters["epochs"],
        batch_size=parameters["batch_size"],
    )
    return teacher.network_of(supervision(teacher, seed), recipe, seed, [nothing])


def ceilings(right: RuledCorpus, seed: int) -> Numbers:
    """F1 and exact match on the test part, in per cent, of who knows what the rules teach and nothing else.

    Parameters
    ----------
    right
        A world without wrong rules, and without sentences that none matches.
    """
    part = right.test
    written = {right.tokens[rule] for _, rule in supervision(right, seed).explained}
    known = [any(rule in written for rule in rules) for rules in part.references if rules]
    rules = extraction(part, rule_predictions(part.fired))
    return {"f1": rules["f1"], "exact": 100 * float(np.mean(known))}


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
    scores = extraction(part, predicted) | explanation_scores(part.references, predicted, decoded, run)
    return {key: scores[key] for key in ("precision", "recall", "f1", "exact", "executed") if key in scores}


def truth_of_seed(right: RuledCorpus, wrong: RuledCorpus, seed: int) -> Numbers:
    """Scores of one seed against the planted truth, in % or points, on test sentences of which the rules can know.

    `right.…` are scores, ceilings, and margins: the distance from the ceiling plus two points, or of the executed rules
    from 95 %. `right.unmatched_found` is the share of the other sentences of a relation for which it is found.
    `wrong.…` are the scores where a share of the rules is wrong, `wrong.…_loss` what these cost, and `wrong.rules_f1`
    the F1 of the rules themselves.

    Parameters
    ----------
    wrong
        A world with the sentences of `right`, and some wrong rules.

    Returns
    -------
    dict
        `right.precision`, `.recall`, `.f1`, `.exact`, `.executed`; `right.f1_ceiling`, `right.exact_ceiling`;
        `right.f1_margin`, `right.exact_margin`, `right.executed_margin`; `right.unmatched_found`. The same scores of
        `wrong.…`, with `wrong.f1_loss`, `wrong.exact_loss` and `wrong.rules_f1`.
    """
    asked, beyond = matched(right), matched(right, by_rules=False).test
    network = trained(right, seed)
    scores, misled = truth_scores(asked, network), truth_scores(asked, trained(wrong, seed))
    numbers = {
        **{f"right.{key}": value for key, value in scores.items()},
        **{f"wrong.{key}": value for key, value in misled.items()},
        "right.unmatched_found": extraction(beyond, network.predict(beyond.examples)[0])["recall"],
        "wrong.rules_f1": extraction(asked.test, rule_predictions(matched(wrong).test.fired))["f1"],
    }
    for key, ceiling in ceilings(asked, seed).items():
        numbers[f"right.{key}_ceiling"] = ceiling
        numbers[f"right.{key}_margin"] = scores.get(key, np.nan) - ceiling + CEILING_SLACK
        numbers[f"wrong.{key}_loss"] = scores.get(key, np.nan) - misled.get(key, np.nan)
    numbers["right.executed_margin"] = scores.get("executed", np.nan) - TRUE_LIMIT
    return numbers
