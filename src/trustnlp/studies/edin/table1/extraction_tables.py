"""Tables 1 and 3 of Tang and Surdeanu (2021) on one corpus: rules, network, its two halves, and a part of the rules.

All numbers are in per cent or points. Differences are formed within a seed, so that their intervals are paired.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from trustnlp.data.relations.relation_examples import NO_RELATION
from trustnlp.evaluation.extraction_scores import macro_f1, relation_counts, relation_scores, scores_of_counts
from trustnlp.relations.relation_vocabulary import Rule
from trustnlp.studies.edin.data.rule_supervision import rule_predictions, typed_predictions
from trustnlp.studies.edin.models import Configuration, RuledCorpus, RuledPart
from trustnlp.studies.edin.table1.executed_rules import ExecutedRules
from trustnlp.studies.edin.table1.rule_quality import LookedUpRules, explanation_scores, overlap, scored_items

Numbers = dict[str, float]
CONFIGURATIONS: tuple[Configuration, ...] = ("rule_only", "combined")
# Beyond these limits, set before any run, a decoder is said to have a property (claims.yaml).
BLEU_LIMIT, TRUE_LIMIT, PARSED_LIMIT = 90.0, 90.0, 95.0


def extraction(part: RuledPart, predicted: Sequence[str]) -> Numbers:
    """Micro precision, recall and F1, and macro-F1."""
    scores = relation_scores(part.gold, predicted)._asdict()
    return {**scores, "macro_f1": macro_f1(part.gold, predicted)}


def rule_rows(ruled: RuledCorpus) -> dict[str, Numbers]:
    """The rules on the test part, in four forms: commas absent or not, types of slots checked or not; and the control.

    `rules_and_types` has no network: rules, and a guess from types where none matches (`typed_predictions`).
    """
    corpus, part = ruled.corpus, ruled.test
    forms: dict[str, dict[str, object]] = {}
    if corpus.commas == "optional":
        forms["rules_literal"] = {"commas": "required"}
        forms["rules_literal_ungated"] = {"commas": "required", "gate": False}
    fired = {name: corpus.fire(part.examples, **form) for name, form in forms.items()}  # type: ignore[arg-type]
    fired = {"rules": part.fired, "rules_ungated": ruled.test_ungated, **fired}
    # Positive examples, which alone are counted, are the same for all seeds.
    guesses = typed_predictions(part.examples, part.fired, ruled.supervision("rule_only", 0))
    rows = {name: extraction(part, rule_predictions(found)) for name, found in fired.items()}
    return {**rows, "rules_and_types": extraction(part, guesses)}


def resampled(part: RuledPart, predicted: Sequence[str], rng: np.random.Generator, draws: int) -> NDArray[np.float64]:
    """`(draws, 3)` precision, recall and F1 of resampled items."""
    counts = relation_counts(part.gold, predicted)
    return scores_of_counts(rng.multinomial(len(counts), np.full(len(counts), 1 / len(counts)), draws) @ counts)


def rows_of_seed(ruled: RuledCorpus, seed: int, configurations: Iterable[Configuration]) -> Numbers:
    """Table 1 for one seed: all rows of the configurations, with what other ways to write a rule come to."""
    found: Numbers = {}
    for configuration in configurations:
        rows = _configuration(ruled, configuration, seed)
        found.update({f"{configuration}.{name}": value for name, value in rows.items()})
    return found


def _configuration(ruled: RuledCorpus, configuration: Configuration, seed: int) -> Numbers:
    part = ruled.test
    ours, alone, writer = (ruled.trained(configuration, row, seed) for row in ("ours", "no_decoder", "no_classifier"))
    predicted, plain = ours.predict(part.examples)[0], alone.predict(part.examples)[0]
    decoded, written = ours.decode(part.examples), writer.decode(part.examples)
    run = ExecutedRules(ruled.corpus, part.examples, [*decoded, *written])
    with_rule = np.array([bool(right) for right in part.references])
    true_of_gold = [run.true_of(rules, part.gold)[with_rule] for rules in (decoded, written)]
    found = {
        **_named("ours", extraction(part, predicted), explanation_scores(part.references, predicted, decoded, run)),
        **_named("no_decoder", extraction(part, plain)),
        **_named("no_classifier", overlap(part.references, written, with_rule)),
        "no_classifier.executed": 100 * float(true_of_gold[1].mean()),
        "joint_gain.bleu_same": _gain(part, decoded, written, with_rule),
        "joint_gain.executed_same": 100 * float(true_of_gold[0].mean() - true_of_gold[1].mean()),
    }
    found["joint_gain.f1"] = found["ours.f1"] - found["no_decoder.f1"]
    supervision = ruled.supervision(configuration, seed)
    if configuration == "rule_only":
        right = np.array(predicted)[with_rule] == np.array(part.gold)[with_rule]
        found["ours.matched_accuracy"], found["ours.matched_wrong.count"] = 100 * right.mean(), float((~right).sum())
        rules = extraction(part, rule_predictions(part.fired))
        for name in ("f1", "recall"):
            found[f"ours_over_rules.{name}"] = found[f"ours.{name}"] - rules[name]
        found["rules_over_ours.precision"] = rules["precision"] - found["ours.precision"]
        found["ours_over_rules.macro_f1"] = found["ours.macro_f1"] - rules["macro_f1"]
        control = extraction(part, typed_predictions(part.examples, part.fired, supervision))
        for name in ("f1", "recall", "macro_f1"):
            found[f"ours_over_types.{name}"] = found[f"ours.{name}"] - control[name]
    looked_up = LookedUpRules(supervision, ruled.tokens)
    found.update(lookup_scores(ruled, part, looked_up, predicted, scored_items(part.references, predicted)))
    # Without a classifier no relation is predicted: rules explain the true one, for `lookup` as for `gold_lookup`.
    found.update(_named("no_classifier", lookup_scores(ruled, part, looked_up, part.gold, with_rule)))
    for name in ("lookup", "nearest"):
        for score, key in (("bleu", "bleu"), ("exact", "exact"), ("executed", "executed_scored")):
            if f"{name}.{score}" in found:
                found[f"ours_over_{name}.{score}"] = found[f"ours.{key}"] - found[f"{name}.{score}"]
    if "ours.bleu" in found:
        found["joint_gain.bleu"] = found["ours.bleu"] - found["no_classifier.bleu"]
        found["ours.bleu_above_90"] = found["ours.bleu"] - BLEU_LIMIT
        found["ours.executed_scored_margin"] = found["ours.executed_scored"] - TRUE_LIMIT
    if "ours.executed" in found:
        found["ours.executable"] = _executable(ruled, predicted)
        found["ours.executed_margin"] = found["ours.executed"] - TRUE_LIMIT
        found["ours.parses_margin"] = found["ours.parses"] - PARSED_LIMIT
    return found


def _executable(ruled: RuledCorpus, predicted: Sequence[str]) -> float:
    """The share of predicted relations for which any rule of the corpus, types not asked, matches and gives them.

    `executed` cannot be above it, but by rules that the corpus does not have.
    """
    pairs = zip(ruled.test_ungated, predicted, strict=True)
    true = [any(match.label == label for match in matches) for matches, label in pairs if label != NO_RELATION]
    return 100 * float(np.mean(true))


def _named(row: str, *scores: Numbers) -> Numbers:
    return {f"{row}.{name}": value for each in scores for name, value in each.items()}


def _gain(part: RuledPart, decoded: Sequence[Rule], written: Sequence[Rule], items: NDArray[np.bool_]) -> float:
    return overlap(part.references, decoded, items)["bleu"] - overlap(part.references, written, items)["bleu"]


def lookup_scores(
    ruled: RuledCorpus, part: RuledPart, looked_up: LookedUpRules, labels: Sequence[str], items: NDArray[np.bool_]
) -> Numbers:
    """BLEU, exact match and truth of rules that no decoder wrote, on some items; nothing where there are none.

    `lookup` is the most frequent training rule of the label, `gold_lookup` that of the true relation, `one_rule` that
    of all, `nearest` the rule of the nearest training sentence.

    Parameters
    ----------
    labels
        The relation that each rule is to explain.
    """
    if not items.any():
        return {}
    baselines = {
        "lookup": looked_up.of_relations(labels),
        "gold_lookup": looked_up.of_relations(part.gold),
        "one_rule": [looked_up.one_rule] * len(part.examples),
        "nearest": looked_up.of_nearest(part.examples),
    }
    found: Numbers = {}
    for name, rules in baselines.items():
        run = ExecutedRules(ruled.corpus, part.examples, rules)
        executed = 100 * float(run.true_of(rules, labels)[items].mean())
        found.update(_named(name, overlap(part.references, rules, items), {"executed": executed}))
    return found


def curve_of_seed(ruled: RuledCorpus, seed: int, percents: Sequence[int]) -> Numbers:
    """Table 3 for one seed, on the dev part: the network trained on the rules that match most often."""
    part = ruled.dev
    rules = extraction(part, rule_predictions(part.fired))
    found: Numbers = {}
    for percent in percents:
        kept = None if percent == 100 else ruled.top_rules(percent)
        network = ruled.trained("rule_only", "ours", seed, rules=kept)
        predicted = network.predict(part.examples)[0]
        references = _references(ruled, part, kept)
        items = scored_items(references, predicted)
        decoded = network.decode(part.examples)
        scores = {**extraction(part, predicted), **overlap(references, decoded, items)}
        if items.any():
            run = ExecutedRules(ruled.corpus, part.examples, decoded)
            scores["executed_scored"] = 100 * float(run.true_of(decoded, predicted)[items].mean())
        looked_up = LookedUpRules(ruled.supervision("rule_only", seed, kept), ruled.tokens)
        scores.update(lookup_scores(ruled, replace(part, references=references), looked_up, predicted, items))
        found.update({f"p{percent}.{name}": value for name, value in scores.items()})
    if 40 in percents:
        found["p40.over_rules.f1"] = found["p40.f1"] - rules["f1"]
    if {20, 80} <= set(percents):
        found["p80_over_p20.recall"] = found["p80.recall"] - found["p20.recall"]
        found["p20_over_p80.precision"] = found["p20.precision"] - found["p80.precision"]
    return found


def _references(ruled: RuledCorpus, part: RuledPart, kept: frozenset[str] | None) -> list[list[Rule]]:
    """The kept rules that match and give the label."""
    return [
        [ruled.tokens[match.rule] for match in matches if match.label == gold and (kept is None or match.rule in kept)]
        for matches, gold in zip(part.fired, part.gold, strict=True)
    ]
