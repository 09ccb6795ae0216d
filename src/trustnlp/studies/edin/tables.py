"""Tables 1 and 3 of Tang and Surdeanu (2021) on one corpus, as the notebooks kbp37, semeval and tacred record them.

Rules, network, its two halves, and a part of the rules. All numbers are in per cent or points. Differences are formed
within a seed, so that their intervals are paired.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import chi2

from trustnlp.data.relations.relation_examples import NO_RELATION
from trustnlp.evaluation.extraction_scores import macro_f1, relation_counts, relation_scores, scores_of_counts
from trustnlp.relations.relation_vocabulary import Rule
from trustnlp.reproduce import Record
from trustnlp.studies.edin.checks import Check
from trustnlp.studies.edin.data import kbp37, made_up, rule_predictions, semeval, tacred, typed_predictions
from trustnlp.studies.edin.explanations import ExecutedRules, LookedUpRules, explanation_scores, overlap, scored_items
from trustnlp.studies.edin.models import Configuration, RuledCorpus, RuledPart

Numbers = dict[str, float]
# What the notebooks show, in which order, and in which words.
ROWS = ("rules", "rules_and_types", "ours", "no_decoder", "no_classifier")
LOOKUPS = ("lookup", "gold_lookup", "nearest", "one_rule")
WRITTEN = ("ours", *LOOKUPS, "no_classifier", *(f"no_classifier.{rule}" for rule in LOOKUPS[1:]))
RUN = tuple(f"{rule}.{'executed_scored' if rule == 'ours' else 'executed'}" for rule in WRITTEN)
_RULES = {
    "ours": "whole network",
    "lookup": "most frequent rule of the predicted relation",
    "gold_lookup": "most frequent rule of the true relation",
    "nearest": "rule of the nearest training sentence",
    "one_rule": "always the most frequent rule",
    "no_classifier": "decoder alone (all items)",
}
_SAID = _RULES | {f"no_classifier.{rule}": f"{_RULES[rule]} (all items)" for rule in LOOKUPS}
NAMES = {
    **_SAID,
    **{written: _SAID[rule] for written, rule in zip(RUN, WRITTEN, strict=True)},
    **{f"p{percent}": f"network, {percent} % of the rules" for percent in (20, 40, 60, 80, 100)},
    "rule_only": "rules only",
    "combined": "with labels",
    "rules": "rules, run",
    "rules_and_types": "rules, else types",
    "no_decoder": "classifier alone",
    "f1": "F1",
    "macro_f1": "macro-F1",
    "bleu": "BLEU",
    "exact": "exact match",
    "ours_over_rules.f1": "F1, network less rules",
    "ours_over_rules.macro_f1": "macro-F1, network less rules",
    "ours_over_types.f1": "F1, network less rules, else types",
    "joint_gain.f1": "F1, network less classifier alone",
    "joint_gain.bleu": "BLEU, network less decoder alone",
    "parses": "the rule can be read",
    "known": "it is a known rule",
    "executed": "it is true of the sentence",
    "executable": "some rule of the corpus is true",
    "scored_share": "BLEU can be computed",
}
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


_RELEASED = ("edin_rules", "corenlp_kbp_semgrex")
_VECTORS = "glove_6b_50d"
_CORPORA = {
    "kbp37": (kbp37, (*_RELEASED, "kbp37", _VECTORS)),
    "semeval": (semeval, ("semeval2010_task8", _VECTORS)),
    "tacred": (tacred, (*_RELEASED, _VECTORS)),
}


def ruled_corpus(record: Record, name: str, parameters: Mapping[str, Any], *, pairs: Sequence[str] = ()) -> RuledCorpus:
    """A corpus with its rules for the `paper` profile, else made-up sentences; the record says which.

    How the network and its training depart from the paper's is written into the record as well.

    Parameters
    ----------
    name
        `kbp37`, `semeval` or `tacred`.
    parameters
        A notebook's `vars()`: `n_items`, and what `RuledCorpus.trained` reads.
    pairs
        Keys of the record that rest on pairs without a relation; none are named where all do.
    """
    if record.profile == "paper":
        make, data = _CORPORA[name]
        for source in data:
            record.uses(source)
        corpus = make()
    else:
        corpus = made_up(parameters["n_items"], np.random.default_rng(0))
    record.condition("corpus", corpus.name)
    given = parameters
    record.deviation(
        f"The network is {given['width']} wide with {given['lstm_layers']} LSTM layer and trained for "
        f"{given['epochs']} epochs at rate {given['learning_rate']} (the paper: 200, two layers, 100 epochs, 0.3); its "
        "word vectors have 50 dimensions (300)."
    )
    record.deviation(
        "The decoder's last layer reads its own state beside the attention's answer; from the answer alone, as "
        "printed, it did not learn."
    )
    record.deviation(
        f"A positive example brings at most {given['negatives']:g} other pairs of its sentence; the paper's data have "
        "3.2.",
        keys=pairs,
    )
    return RuledCorpus(corpus, parameters)


def record_checks(record: Record, checks: Iterable[Check]) -> None:
    """Keep each check as a metric of its key; an interval without width is none."""
    for check in checks:
        interval: str | tuple[float, float] = (check.low, check.high)
        if check.low == check.high:
            interval = "deterministic"
        record.metric(check.key, check.value, interval=interval, unit=check.unit)


def record_seeds(record: Record, rows: Sequence[Mapping[str, float]], prefix: str = "") -> None:
    """One row of numbers per seed; a key that some seed lacks (no rule decoded) is left out."""
    for key, values in pd.DataFrame(rows).dropna(axis=1).items():
        record.metric(f"{prefix}{key}", values.tolist(), interval="t")


def record_rules(record: Record, ruled: RuledCorpus, draws: int, names: Sequence[str]) -> None:
    """`rules.…`: some of precision, recall and F1 of the rules on the test part, with an interval over its items."""
    predicted = rule_predictions(ruled.test.fired)
    scores = extraction(ruled.test, predicted)
    samples = resampled(ruled.test, predicted, np.random.default_rng(0), draws)
    for column, name in enumerate(("precision", "recall", "f1")):
        if name in names:
            low, high = np.percentile(samples[:, column], [2.5, 97.5])
            record.metric(f"rules.{name}", scores[name], interval=(low, high), unit="%")


_PRINTED_GAIN = {"rule_only": 0.6, "combined": 0.5}  # F1 of ours less that without decoder, Table 1
_PAPERS_EPOCHS = 100
_DECODERS = ("bleu", "bleu_same", "executed_same")  # gains of the decoder over one without a classifier
_SCORES = ("precision", "recall", "f1", "macro_f1")


def record_tables(record: Record, ruled: RuledCorpus, percents: Sequence[int], draws: int) -> None:
    """Measure Tables 1 and 3 for all seeds of a record.

    Parameters
    ----------
    percents
        Shares of the firing rules of Table 3.
    draws
        Resamples of the test items, for intervals of the rules, which have no seeds.
    """
    for part in ("train", "dev", "test"):
        ruled_part = getattr(ruled, part)
        record.metric(f"data.{part}.count", len(ruled_part.examples), unit="count of items")
        found = sum(bool(right) for right in ruled_part.references)
        record.metric(f"data.{part}.with_rule.count", found, unit="count of items")
    _record_rule_rows(record, ruled, draws)
    record.deviation(
        f"With labels at most {ruled.parameters['labelled']} labelled examples are trained on, drawn for each seed.",
        keys=["combined"],
    )
    # Claims on these gains are judged only where the decoder alone is trained for as long as the paper's.
    epochs = ruled.parameters["epochs"]
    record.deviation(
        f"Without the classifier only examples with a rule are trained on, in {epochs} epochs as well: a fraction of the "  # noqa: E501
        "steps, in trainings that are short for both.",
        keys=[f"{configuration}.joint_gain.{key}" for configuration in CONFIGURATIONS for key in _DECODERS],
        lacks=epochs < _PAPERS_EPOCHS,
    )
    rows = [rows_of_seed(ruled, seed, CONFIGURATIONS) for seed in record.seeds]
    record_seeds(record, rows)
    for configuration, gain in _PRINTED_GAIN.items():
        f1 = [row[f"{configuration}.ours.f1"] for row in rows]
        value, interval = _beyond_spread(gain, f1)
        record.metric(f"{configuration}.printed_joint_gain_margin", value, interval=interval, unit="points")
    record_seeds(record, [curve_of_seed(ruled, seed, percents) for seed in record.seeds], "curve.")


def _beyond_spread(gain: float, f1: Sequence[float]) -> tuple[float, Any]:
    """A printed gain less twice the standard deviation between seeds, with the interval of a normal sample's deviation.

    The interval is that of the chi-squared distribution, an argument of `Record.metric` in either case.
    """
    freedom = len(f1) - 1
    if not freedom:
        return gain, "deterministic"
    spread = float(np.std(f1, ddof=1))
    low, high = (gain - 2 * spread * float(np.sqrt(freedom / chi2.ppf(tail, freedom))) for tail in (0.025, 0.975))
    return gain - 2 * spread, (low, high)


def record_sizes(record: Record, ruled: RuledCorpus) -> None:
    """Table 4: words with a mask or a vector that the network knows, and relations of the corpus."""
    words = ruled.trained("combined", "no_decoder", record.seeds[0]).vocabulary.words
    record.metric("data.vocabulary.count", len(words), unit="count of words")
    record.metric("data.relations.count", len(ruled.corpus.labels - {NO_RELATION}), unit="count of relations")


def _record_rule_rows(record: Record, ruled: RuledCorpus, draws: int) -> None:
    for row, scores in rule_rows(ruled).items():
        for name in _SCORES:
            record.metric(f"rule_only.{row}.{name}", scores[name], unit="%")
    predicted = rule_predictions(ruled.test.fired)
    samples = resampled(ruled.test, predicted, np.random.default_rng(0), draws)
    low, high = np.percentile(samples[:, 0] - samples[:, 1], [2.5, 97.5])
    scores = extraction(ruled.test, predicted)
    lead = scores["precision"] - scores["recall"]
    record.metric("rule_only.rules.precision_over_recall", lead, interval=(low, high), unit="points")
    for name, value in extraction(ruled.dev, rule_predictions(ruled.dev.fired)).items():
        record.metric(f"curve.rules.{name}", value, unit="%")
