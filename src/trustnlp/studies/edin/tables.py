"""Tables 1 and 3 of Tang and Surdeanu (2021) on one corpus, as the notebooks kbp37, semeval and tacred record them.

Rules, network, its two halves, and a part of the rules. All numbers are in per cent or points. Differences are formed
within a seed, so that their intervals are paired.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from trustnlp.data.relations.relation_examples import NO_RELATION
from trustnlp.evaluation.extraction_scores import macro_f1, relation_counts, relation_scores, scores_of_counts
from trustnlp.relations.relation_vocabulary import Rule
from trustnlp.reproduce import Record
from trustnlp.studies.edin.checks import Check
from trustnlp.studies.edin.data import kbp37, made_up, rule_predictions, semeval, tacred, typed_predictions
from trustnlp.studies.edin.explanations import (
    ExecutedRules,
    explanation_scores,
    looked_up_rules,
    overlap,
    scored_items,
)
from trustnlp.studies.edin.models import Configuration, RuledCorpus, RuledPart

Numbers = dict[str, float]
CONFIGURATIONS: tuple[Configuration, ...] = ("rule_only", "combined")
# What the notebooks show, in which order, and in which words.
ROWS = ("rules", "rules_and_types", "ours", "no_decoder", "no_classifier")
WRITTEN = ("ours", "lookup", "no_classifier")
RUN = ("ours.executed_scored", "lookup.executed", "no_classifier.executed")
_WORDS = ("whole network", "most frequent rule of the predicted relation", "decoder alone (all items)")
NAMES = {
    **dict(zip(WRITTEN, _WORDS, strict=True)),
    **dict(zip(RUN, _WORDS, strict=True)),
    **{f"p{percent}": f"network, {percent} % of the rules" for percent in (20, 40, 60, 80, 100)},
    "rule_only": "rules only",
    "combined": "with labels",
    "rules": "rules, run",
    "rules_and_types": "rules, else types",
    "no_decoder": "classifier alone",
    "count": "items",
    "with_rule.count": "of these, with a gold rule",
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
# Beyond these limits, set before any run, a decoder is said to have a property (claims.yaml).
_BLEU_LIMIT, _TRUE_LIMIT = 90.0, 90.0
_PAPERS_EPOCHS = 100


def extraction(part: RuledPart, predicted: Sequence[str]) -> Numbers:
    """Micro precision, recall and F1, and macro-F1."""
    scores = relation_scores(part.gold, predicted)._asdict()
    return {**scores, "macro_f1": macro_f1(part.gold, predicted)}


def rows_of_seed(ruled: RuledCorpus, seed: int) -> Numbers:
    """Table 1 for one seed: all rows of both configurations, with what a lookup of rules comes to.

    Returns
    -------
    dict
        `CONFIGURATION.ROW.SCORE` for the rows `ours`, `no_decoder`, `no_classifier` and `lookup`: `precision`,
        `recall`, `f1`, `macro_f1`, `bleu`, `exact`, `executed`, … (see `explanations.explanation_scores`). Differences:
        `CONFIGURATION.joint_gain.f1`, `.bleu` and `.bleu_same`, both halves together less one alone;
        `CONFIGURATION.ours_over_lookup.bleu` and `.executed`; of `rule_only` also `ours_over_rules.SCORE`,
        `rules_over_ours.precision`, `ours_over_types.f1`, `ours.matched_accuracy` and `ours.matched_wrong.count` on the
        items with a rule. Above the limits of the claims: `ours.bleu_above_90`, `ours.executed_margin`,
        `ours.executed_scored_margin`.
    """
    rows = {configuration: _configuration(ruled, configuration, seed) for configuration in CONFIGURATIONS}
    return {key: value for configuration, numbers in rows.items() for key, value in _named(configuration, numbers)}


def _named(row: str, numbers: Numbers) -> Iterable[tuple[str, float]]:
    return ((f"{row}.{name}", value) for name, value in numbers.items())


def _configuration(ruled: RuledCorpus, configuration: Configuration, seed: int) -> Numbers:
    part = ruled.test
    ours, alone, writer = (ruled.trained(configuration, row, seed) for row in ("ours", "no_decoder", "no_classifier"))
    predicted, decoded = ours.predict(part.examples)[0], ours.decode(part.examples)
    written = writer.decode(part.examples)
    supervision = ruled.supervision(configuration, seed)
    looked_up = looked_up_rules(supervision, ruled.tokens, predicted)
    run = ExecutedRules(ruled.corpus, part.examples, [*decoded, *written, *looked_up])
    with_rule, scored = np.array(list(map(bool, part.references))), scored_items(part.references, predicted)
    scores = extraction(part, predicted)
    numbers = dict(
        [
            *_named("ours", scores | explanation_scores(part.references, predicted, decoded, run)),
            *_named("no_decoder", extraction(part, alone.predict(part.examples)[0])),
            # Without a classifier no relation is predicted: rules explain the true one.
            *_named("no_classifier", rule_scores(part, written, part.gold, with_rule, run)),
            *_named("lookup", rule_scores(part, looked_up, predicted, scored, run)),
        ]
    )
    numbers["joint_gain.f1"] = numbers["ours.f1"] - numbers["no_decoder.f1"]
    decoded_same = overlap(part.references, decoded, with_rule)["bleu"]
    numbers["joint_gain.bleu_same"] = decoded_same - numbers["no_classifier.bleu"]
    if configuration == "rule_only":
        right = np.array(predicted)[with_rule] == np.array(part.gold)[with_rule]
        numbers["ours.matched_accuracy"], numbers["ours.matched_wrong.count"] = (
            100 * right.mean(),
            float((~right).sum()),
        )
        rules = extraction(part, rule_predictions(part.fired))
        numbers |= {f"ours_over_rules.{name}": scores[name] - rules[name] for name in ("f1", "recall", "macro_f1")}
        numbers["rules_over_ours.precision"] = rules["precision"] - scores["precision"]
        guesses = typed_predictions(part.examples, part.fired, supervision)
        numbers["ours_over_types.f1"] = scores["f1"] - extraction(part, guesses)["f1"]
    if scored.any():
        numbers["ours_over_lookup.bleu"] = numbers["ours.bleu"] - numbers["lookup.bleu"]
        numbers["ours_over_lookup.executed"] = numbers["ours.executed_scored"] - numbers["lookup.executed"]
        numbers["joint_gain.bleu"] = numbers["ours.bleu"] - numbers["no_classifier.bleu"]
        numbers["ours.bleu_above_90"] = numbers["ours.bleu"] - _BLEU_LIMIT
        numbers["ours.executed_scored_margin"] = numbers["ours.executed_scored"] - _TRUE_LIMIT
    if "ours.executed" in numbers:
        numbers["ours.executed_margin"] = numbers["ours.executed"] - _TRUE_LIMIT
        # What any rule of the corpus could explain, types not asked: only new rules could make `executed` higher.
        pairs = zip(ruled.test_ungated, predicted, strict=True)
        true = [any(match.label == label for match in matches) for matches, label in pairs if label != NO_RELATION]
        numbers["ours.executable"] = 100 * float(np.mean(true))
    return numbers


def rule_scores(
    part: RuledPart, rules: Sequence[Rule], labels: Sequence[str], items: NDArray[np.bool_], run: ExecutedRules
) -> Numbers:
    """BLEU, exact match and truth (`executed`) of rules on some items; nothing where there are none.

    Parameters
    ----------
    labels
        The relation that each rule is to explain.
    """
    if not items.any():
        return {}
    executed = 100 * float(run.true_of(rules, labels)[items].mean())
    return {**overlap(part.references, rules, items), "executed": executed}


def curve_of_seed(ruled: RuledCorpus, seed: int, percents: Sequence[int]) -> Numbers:
    """Table 3 for one seed, on the dev part: the network trained on the rules that match most often.

    References are the kept rules that match and give the label.

    Returns
    -------
    dict
        `pPERCENT.precision`, `.recall`, `.f1`, `.macro_f1`, `.bleu`, `.exact`; `p40.over_rules.f1`, two fifths of the
        rules in the network less all rules without one.
    """
    part = ruled.dev
    numbers: Numbers = {}
    for percent in percents:
        kept = ruled.top_rules(percent) if percent < 100 else None
        network = ruled.trained("rule_only", "ours", seed, rules=kept)
        predicted = network.predict(part.examples)[0]
        references = part.references
        if kept is not None:
            references = [
                [ruled.tokens[match.rule] for match in matches if match.label == gold and match.rule in kept]
                for matches, gold in zip(part.fired, part.gold, strict=True)
            ]
        bleu = overlap(references, network.decode(part.examples), scored_items(references, predicted))
        numbers.update(_named(f"p{percent}", extraction(part, predicted) | bleu))
    if 40 in percents:
        numbers["p40.over_rules.f1"] = numbers["p40.f1"] - extraction(part, rule_predictions(part.fired))["f1"]
    return numbers


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
    record.deviation(
        f"The network is {parameters['width']} wide with {parameters['lstm_layers']} LSTM layer and trained for "
        f"{parameters['epochs']} epochs at rate {parameters['learning_rate']} (the paper: 200, two layers, 100 epochs, "
        "0.3); its word vectors have 50 dimensions (300)."
    )
    record.deviation(
        "The decoder's last layer reads its own state beside the attention's answer; from the answer alone, as "
        "printed, it did not learn."
    )
    record.deviation(
        f"A positive example brings at most {parameters['negatives']:g} other pairs of its sentence; the paper's data "
        "have 3.2.",
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
    scores = extraction(ruled.test, rule_predictions(ruled.test.fired))
    low, high = np.percentile(_resampled_rules(ruled, draws), [2.5, 97.5], axis=0)
    for column, name in enumerate(("precision", "recall", "f1")):
        if name in names:
            record.metric(f"rules.{name}", scores[name], interval=(low[column], high[column]), unit="%")


def _resampled_rules(ruled: RuledCorpus, draws: int) -> NDArray[np.float64]:
    """`(draws, 3)` precision, recall and F1 of the rules on resampled test items."""
    counts = relation_counts(ruled.test.gold, rule_predictions(ruled.test.fired))
    shares = np.full(len(counts), 1 / len(counts))
    return scores_of_counts(np.random.default_rng(0).multinomial(len(counts), shares, draws) @ counts)


def record_tables(record: Record, ruled: RuledCorpus, percents: Sequence[int], draws: int) -> None:
    """Measure Tables 1 and 3 for all seeds of a record.

    Parameters
    ----------
    percents
        Shares of the firing rules of Table 3.
    draws
        Resamples of the test items, for intervals of the rules, which have no seeds.

    Notes
    -----
    Keys are `data.PART.count` and `.with_rule.count`; those of `rows_of_seed`, such as `rule_only.ours.bleu_above_90`,
    `rule_only.ours.executed_margin`, `.executed_scored_margin` and `.matched_accuracy`; those of `curve_of_seed` after
    `curve.`, such as `curve.p40.over_rules.f1`; and of the rules `rule_only.rules.…`, `rule_only.rules_and_types.…`,
    `curve.rules.…` and `rule_only.rules.precision_over_recall`.
    """
    for name in ("train", "dev", "test"):
        references = getattr(ruled, name).references
        record.metric(f"data.{name}.count", len(references), unit="count of items")
        record.metric(f"data.{name}.with_rule.count", sum(map(bool, references)), unit="count of items")
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
        keys=[f"{each}.joint_gain.{score}" for each in CONFIGURATIONS for score in ("bleu", "bleu_same")],
        lacks=epochs < _PAPERS_EPOCHS,
    )
    record_seeds(record, [rows_of_seed(ruled, seed) for seed in record.seeds])
    record_seeds(record, [curve_of_seed(ruled, seed, percents) for seed in record.seeds], "curve.")


def record_sizes(record: Record, ruled: RuledCorpus) -> None:
    """Table 4: words with a mask or a vector that the network knows, and relations of the corpus."""
    words = ruled.trained("combined", "no_decoder", record.seeds[0]).vocabulary.words
    record.metric("data.vocabulary.count", len(words), unit="count of words")
    record.metric("data.relations.count", len(ruled.corpus.labels - {NO_RELATION}), unit="count of relations")


def _record_rule_rows(record: Record, ruled: RuledCorpus, draws: int) -> None:
    """The rules, and the control that guesses from types; their training examples are the same for all seeds."""
    test, dev = ruled.test, ruled.dev
    rules = extraction(test, rule_predictions(test.fired))
    guesses = typed_predictions(test.examples, test.fired, ruled.supervision("rule_only", 0))
    rows = {
        "rule_only.rules": rules,
        "rule_only.rules_and_types": extraction(test, guesses),
        "curve.rules": extraction(dev, rule_predictions(dev.fired)),
    }
    for row, scores in rows.items():
        for key, value in _named(row, scores):
            record.metric(key, value, unit="%")
    samples = _resampled_rules(ruled, draws)
    low, high = np.percentile(samples[:, 0] - samples[:, 1], [2.5, 97.5])
    lead = rules["precision"] - rules["recall"]
    record.metric("rule_only.rules.precision_over_recall", lead, interval=(low, high), unit="points")
