"""Questions that Tables 1 and 3 of Tang and Surdeanu (2021) leave open on the network and the rules that it writes.

§4 says that the classifier beats its rules (1), that performance and explainability hang together (2), and that BLEU is
an incomplete measure of a rule (5). Asked here: how precise is the network where it finds no more than the rules do;
are predictions with a true rule more often right; does BLEU tell true rules from others; and what do decoded rules say
of other sentences. §3.2 says what the decoder starts from; the released code starts elsewhere (`rule_decoder`).

All shares are in per cent, and differences in points, unless it is said.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray

from trustnlp.data.relations.relation_examples import NO_RELATION, RelationExample, Span
from trustnlp.evaluation.reference_overlap import bleu_of_counts, ngram_counts
from trustnlp.relations.relation_encoder import Encoded
from trustnlp.relations.relation_vocabulary import Rule
from trustnlp.relations.rule_decoder import RuleDecoder
from trustnlp.relations.rules.rule_base import RuleBase
from trustnlp.relations.rules.rule_index import match_all
from trustnlp.relations.rules.rule_spelling import pattern_of, rule_tokens
from trustnlp.studies.edin.baselines import swapped
from trustnlp.studies.edin.data import rule_predictions
from trustnlp.studies.edin.explanations import (
    ExecutedRules,
    LookedUpRules,
    References,
    explanation_scores,
    overlap,
    scored_items,
)
from trustnlp.studies.edin.models import RuledCorpus
from trustnlp.studies.edin.tables import Numbers, extraction

# The ledger's limits: one half, a point that a cost may have, and half a percent of rules that may change.
_HALF, _POINT, _UNCHANGED = 50.0, 1.0, 0.5
_COMPARED = ("bleu", "exact", "executed", "executed_scored")  # of the two forms


def foreign_share(batch: int, width: int) -> float:
    """The share, 0 to 1, of the released decoder's start state of layer 0 that comes from other examples of the batch.

    Each example's subject and object are filled with its number, and the released start is asked where they went.

    Raises
    ------
    ValueError
        If there is no example, or no width.
    """
    if batch < 1 or width < 1:
        raise ValueError(f"a batch and a width of at least one are needed, got {batch} and {width}")
    owner = torch.arange(batch)[:, None].expand(batch, width).float()
    there = torch.ones(batch, 1, dtype=torch.bool)
    encoded = Encoded(owner[:, None], there, owner, owner, owner)
    start = RuleDecoder(5, width, dropout=0.0, form="released").start(encoded).hidden[0]
    return float((start != owner).double().mean())


def precision_curve(
    gold: Sequence[str], relations: Sequence[str], probabilities: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Recall and precision, micro and in per cent, at each threshold on the probability of the likeliest relation.

    What may be given is the likeliest relation that is not `no_relation`; it is given where its probability reaches the
    threshold. Recall never falls from threshold to threshold.

    Parameters
    ----------
    gold
        `(n,)` labels.
    relations, probabilities
        Names `(R,)` of the columns of `(n, R)`.

    Raises
    ------
    ValueError
        If no example has a relation, or the shapes do not fit.
    """
    labels, names = np.asarray(gold), np.asarray(relations)
    if probabilities.shape != (len(labels), len(names)):
        raise ValueError(f"expected probabilities {(len(labels), len(names))}, got {probabilities.shape}")
    if not (labels != NO_RELATION).any():
        raise ValueError("no example has a relation, so there is no recall")
    columns = names != NO_RELATION
    likeliest = probabilities[:, columns].argmax(1)
    score = probabilities[:, columns].max(1)
    order = np.argsort(-score, kind="stable")
    right = np.cumsum((names[columns][likeliest] == labels)[order])
    ends = np.append(score[order][1:] != score[order][:-1], True)  # equal probabilities pass a threshold together
    given = np.arange(1, len(labels) + 1)
    return 100 * right[ends] / (labels != NO_RELATION).sum(), 100 * right[ends] / given[ends]


def precision_at(recall: NDArray[np.float64], precision: NDArray[np.float64], wanted: float) -> float:
    """The precision at the highest threshold with at least the wanted recall; NaN where no threshold has it."""
    reached = np.flatnonzero(recall >= wanted)
    return float(precision[reached[0]]) if len(reached) else float("nan")


def numbers_of_seed(ruled: RuledCorpus, seed: int, percents: Sequence[int]) -> Numbers:
    """Everything that is asked of the network of one seed, trained on rules only, on the test part.

    NaN where it cannot be computed. `percents` are the recalls at which the curve is read.
    """
    part = ruled.test
    network = ruled.trained("rule_only", "ours", seed)
    predicted, probabilities = network.predict(part.examples)
    decoded = network.decode(part.examples)
    lookup = LookedUpRules(ruled.supervision("rule_only", seed), ruled.tokens).of_relations(predicted)
    people = [right[0] if right else () for right in part.references]
    run = ExecutedRules(ruled.corpus, part.examples, [*decoded, *people])
    rules = extraction(part, rule_predictions(part.fired))
    curve = precision_curve(part.gold, network.vocabulary.relations, probabilities)
    lead = precision_at(*curve, rules["recall"]) - rules["precision"]
    return {
        **{f"curve.r{percent}.precision": precision_at(*curve, percent) for percent in percents},
        "precision_at_rules_recall.margin": lead + _POINT,
        "macro.ours_over_rules.f1": extraction(part, predicted)["macro_f1"] - rules["macro_f1"],
        **truth_and_bleu(part.references, part.gold, predicted, decoded, lookup, run),
        **other_sentences(predicted, decoded, run),
        "people_rule.precision": other_sentences(part.gold, people, run)["decoded_rule.precision"],
    }


def truth_and_bleu(
    references: References,
    gold: Sequence[str],
    predicted: Sequence[str],
    decoded: Sequence[Rule],
    looked_up: Sequence[Rule],
    run: ExecutedRules,
) -> Numbers:
    """How predictions and BLEU go with the truth of the decoded rule.

    A mean over no item is NaN. BLEU is that of single rules here, on items with a predicted relation and a gold rule;
    `lookup_bleu` is that of the rules in `looked_up`, on the same items.
    """
    given = np.asarray(predicted) != NO_RELATION
    right = np.asarray(predicted) == np.asarray(gold)
    scored = scored_items(references, predicted)
    true = run.true_of(decoded, predicted)
    bleu, lookup_bleu = (_single_bleu(references, rules, scored) for rules in (decoded, looked_up))
    found = {
        "true_rule.precision": 100 * _mean(right[given & true]),
        "untrue_rule.precision": 100 * _mean(right[given & ~true]),
        "true_rule.bleu": _mean(bleu[scored & true]),
        "untrue_rule.bleu": _mean(bleu[scored & ~true]),
        "true_rule.lookup_bleu": _mean(lookup_bleu[scored & true]),
        "untrue_rule.lookup_bleu": _mean(lookup_bleu[scored & ~true]),
        "rest.executed": 100 * _mean(true[given & ~np.array([bool(each) for each in references])]),
    }
    found["true_rule.precision_gain"] = found["true_rule.precision"] - found["untrue_rule.precision"]
    found["true_rule.bleu_gain"] = found["true_rule.bleu"] - found["untrue_rule.bleu"]
    found["untrue_rule.bleu_above_half"] = found["untrue_rule.bleu"] - _HALF
    found["rest.executed_above_half"] = found["rest.executed"] - _HALF
    return found


def _single_bleu(references: References, rules: Sequence[Rule], items: NDArray[np.bool_]) -> NDArray[np.float64]:
    """`(n,)` BLEU of each rule by itself; NaN but for the items."""
    bleu = np.full(len(rules), np.nan)
    if rows := np.flatnonzero(items).tolist():
        bleu[rows] = bleu_of_counts(ngram_counts([references[row] for row in rows], [rules[row] for row in rows]))
    return bleu


def other_sentences(predicted: Sequence[str], decoded: Sequence[Rule], run: ExecutedRules) -> Numbers:
    """How often a decoded rule is right on the other sentences where it fires, a mean over predicted relations.

    `no_other` counts the readable rules that fire at no other sentence; they are not in the mean.
    """
    asked = (np.asarray(predicted) != NO_RELATION) & run.parses(decoded)
    precision = run.precision(decoded, predicted)[asked]
    mean = 100 * _mean(precision[~np.isnan(precision)])
    return {
        "decoded_rule.precision": mean,
        "decoded_rule.precision_above_half": mean - _HALF,
        "decoded_rule.no_other": float(np.isnan(precision).sum()),
    }


def released_numbers(ruled: RuledCorpus, seed: int) -> Numbers:
    """The form that was released against the paper's, on the test part.

    `start.released.changed` is the share of every other example whose decoded rule changes when the examples between
    them are left out, so that batches have other members; `start.own.changed` is the same for the paper's form. BLEU,
    exact match and truth of both forms are there beside BLEU and exact match of the relation's most frequent rule.
    """
    part = ruled.test
    lookups = LookedUpRules(ruled.supervision("rule_only", seed), ruled.tokens)
    found: Numbers = {}
    scores: dict[str, Numbers] = {}
    for name, form in (("own", "paper"), ("released", "released")):
        network = ruled.trained("rule_only", "ours", seed, form=form)  # type: ignore[arg-type]
        predicted, decoded = network.predict(part.examples)[0], network.decode(part.examples)
        apart = network.decode(part.examples[::2])
        changed = [one != other for one, other in zip(decoded[::2], apart, strict=True)]
        found[f"start.{name}.changed"] = 100 * float(np.mean(changed))
        run = ExecutedRules(ruled.corpus, part.examples, decoded)
        explained = explanation_scores(part.references, predicted, decoded, run)
        compared = {score: value for score, value in explained.items() if score in _COMPARED}
        scores[name] = {"f1": extraction(part, predicted)["f1"], **compared}
        lookup = lookups.of_relations(predicted)
        beside = overlap(part.references, lookup, scored_items(part.references, predicted))
        for score, value in [*compared.items(), *((f"lookup_{score}", value) for score, value in beside.items())]:
            found[f"start.{name}.{score}"] = value
    found["start.released.unchanged_margin"] = _UNCHANGED - found["start.released.changed"]
    for score in scores["own"].keys() & scores["released"].keys() - {"f1"}:
        found[f"start.gain.{score}"] = scores["own"][score] - scores["released"][score]
    found["normalisation.f1_margin"] = scores["own"]["f1"] - scores["released"]["f1"] + _POINT
    return found


_BORN = '([{kbpentity:true}]+) "was" "born" "in" "the" "city" "of" ([{slotvalue:true}]+)'
_WORDS = ("Ada", "was", "born", "in", "the", "city", "of", "Bath", ".")
_MADE_UP = RelationExample("made up", _WORDS, Span(0, 1), Span(7, 8), "per:city_of_birth")


def unseen_by_bleu() -> pd.DataFrame:
    """Of a made-up sentence a gold rule and two false ones: BLEU in per cent, and whether the rule matches."""
    rule = rule_tokens(_BORN)
    rows = {
        "the gold rule": rule,
        "subject and object exchanged": swapped(rule),
        "died for born": ["died" if token == "born" else token for token in rule],
    }
    bleu = bleu_of_counts(ngram_counts([[rule]] * len(rows), list(rows.values())))
    matches = match_all(
        RuleBase.of((name, "any", pattern_of(tokens)) for name, tokens in rows.items()), [_MADE_UP], lemmas=False
    ).matches[0]
    fired = {match.rule for match in matches}
    return pd.DataFrame({"BLEU": bleu, "true of the sentence": [name in fired for name in rows]}, index=list(rows))


def _mean(values: NDArray[np.generic]) -> float:
    return float(np.mean(values.astype(np.float64))) if len(values) else float("nan")
