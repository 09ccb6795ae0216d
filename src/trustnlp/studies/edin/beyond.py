"""Beyond Tang and Surdeanu (2021): rules that are true of the sentence by construction, and new rules from the decoder.

§5 wants "to marry the interpretability of rule-based methods with the performance of neural approaches". Three ways to
go on from the trained network, without training it anew:

constrained
    Only rules of the rule base that match the sentence and give the predicted relation may be written; the decoder
    says which is the likeliest, by its exact probability. Where there is none, there is no explanation, and in the
    strict form no relation either.
reranked
    Of the rules that a beam finds, the likeliest that is true of the sentence is taken; the greedy one if none is.
mined
    Rules that the decoder writes for training sentences and nobody had before. Those that are precise there are added
    behind the rules, so that they speak where the rules are silent.

All shares are in per cent, and differences in points.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

import numpy as np

from trustnlp.data.relations.relation_examples import NO_RELATION
from trustnlp.relations.relation_vocabulary import Rule
from trustnlp.relations.rules.rule_base import RuleBase
from trustnlp.relations.rules.rule_spelling import pattern_of, well_formed
from trustnlp.relations.trained_extractor import TrainedExtractor
from trustnlp.studies.edin.data import rule_predictions
from trustnlp.studies.edin.explanations import ExecutedRules, scored_items
from trustnlp.studies.edin.models import RuledCorpus
from trustnlp.studies.edin.tables import Numbers, extraction, rule_scores

_POINT = 1.0  # that a cost may have, says the ledger
_SUPPORT = 2  # training sentences for which a mined rule is right


def numbers_of_seed(ruled: RuledCorpus, seed: int, *, beam_width: int, percents: Sequence[int]) -> Numbers:
    """Constrained decoding, a reranked beam and mined rules of one seed's network, taught by rules only; test part.

    Parameters
    ----------
    percents
        How often a mined rule must be right in training.

    Returns
    -------
    dict
        `constrained.f1_margin`, `constrained.executed`, `constrained.SCORE`, `free.SCORE` and `strict.SCORE` (see
        `constrained_numbers`); `beam.bWIDTH.executed` (`reranked_numbers`); `mined.atPERCENT.…` (`mined_numbers`).
    """
    network = ruled.trained("rule_only", "ours", seed)
    predicted, decoded = network.predict(ruled.test.examples)[0], network.decode(ruled.test.examples)
    numbers = {
        **constrained_numbers(ruled, network, predicted, decoded),
        **reranked_numbers(ruled, network, predicted, decoded, beam_width),
    }
    proposed = proposed_rules(ruled, network)
    for percent in percents:
        gains = mined_numbers(ruled, kept_rules(ruled, proposed, percent))
        numbers |= {f"mined.at{percent}.{name}": value for name, value in gains.items()}
    return numbers


def constrained_rules(ruled: RuledCorpus, network: TrainedExtractor, predicted: Sequence[str]) -> list[Rule | None]:
    """For each test example the likeliest rule that matches it and gives the predicted relation, None without any."""
    candidates = [
        list(dict.fromkeys(ruled.tokens[match.rule] for match in matches if match.label == label != NO_RELATION))
        for matches, label in zip(ruled.test.fired, predicted, strict=True)
    ]
    chosen: list[Rule | None] = [None] * len(candidates)
    if rows := [row for row, rules in enumerate(candidates) if rules]:
        scores = network.score_rules([ruled.test.examples[row] for row in rows], [candidates[row] for row in rows])
        for row, score in zip(rows, scores, strict=True):
            chosen[row] = candidates[row][int(score.argmax())]
    return chosen


def constrained_numbers(
    ruled: RuledCorpus, network: TrainedExtractor, predicted: Sequence[str], decoded: Sequence[Rule]
) -> Numbers:
    """Cost and worth of constrained decoding.

    BLEU is on the same items as that of free decoding: those of the paper that have a candidate
    (`constrained.scored_share` of them).
    """
    part = ruled.test
    chosen = constrained_rules(ruled, network, predicted)
    there = np.array([rule is not None for rule in chosen])
    extracted, scored = np.asarray(predicted) != NO_RELATION, scored_items(part.references, predicted)
    written = [rule or () for rule in chosen]
    strict = extraction(part, [label if rule else NO_RELATION for label, rule in zip(predicted, chosen, strict=True)])
    run = ExecutedRules(ruled.corpus, part.examples, [*written, *decoded])
    numbers = {f"strict.{name}": strict[name] for name in ("precision", "recall", "f1")}
    numbers["constrained.f1_margin"] = strict["f1"] - extraction(part, predicted)["f1"] + _POINT
    if extracted.any():
        numbers["constrained.executed"] = 100 * float(run.true_of(written, predicted)[extracted].mean())
    if (scored & there).any():
        numbers["constrained.scored_share"] = 100 * float(there[scored].mean())
        for name, rules in (("constrained", written), ("free", decoded)):
            scores = rule_scores(part, rules, predicted, scored & there, run)
            scores["executed_scored"] = scores.pop("executed")
            numbers |= {f"{name}.{score}": value for score, value in scores.items()}
    return numbers


def reranked_numbers(
    ruled: RuledCorpus, network: TrainedExtractor, predicted: Sequence[str], decoded: Sequence[Rule], width: int
) -> Numbers:
    """`beam.b….executed`: predicted relations for which one of a beam's first rules is true, or else the greedy one."""
    rows = [row for row, label in enumerate(predicted) if label != NO_RELATION]
    if not rows:
        return {}
    examples, labels = [ruled.test.examples[row] for row in rows], [predicted[row] for row in rows]
    greedy = [decoded[row] for row in rows]
    beams = [[rule for rule, _ in beam] for beam in network.beam(examples, width, width)]
    run = ExecutedRules(ruled.corpus, examples, [*greedy, *(rule for beam in beams for rule in beam)])
    true = run.true_of(greedy, labels)
    numbers = {"greedy.executed": 100 * float(true.mean())}
    for rank in range(width):
        true |= run.true_of([beam[rank] if rank < len(beam) else () for beam in beams], labels)
        numbers[f"beam.b{rank + 1}.executed"] = 100 * float(true.mean())
    numbers["reranked.executed_gain"] = numbers[f"beam.b{width}.executed"] - numbers["greedy.executed"]
    return numbers


def proposed_rules(ruled: RuledCorpus, network: TrainedExtractor) -> RuleBase:
    """Readable rules that the decoder writes for training sentences and that the corpus lacks.

    Each is a rule of the relation that was predicted, without its direction where the corpus labels one.
    """
    examples = ruled.train.examples
    known = set(ruled.tokens.values())
    pairs = {
        (label.partition("(")[0] if ruled.corpus.directed else label, rule)
        for label, rule in zip(network.predict(examples)[0], network.decode(examples), strict=True)
        if label != NO_RELATION and rule not in known
    }
    return rules_of(pairs)


def rules_of(pairs: Iterable[tuple[str, Rule]]) -> RuleBase:
    """Rules by (relation, tokens), in a fixed order; what cannot be read, or lacks an entity, is left out."""
    readable = [(relation, rule) for relation, rule in sorted(pairs) if rule and well_formed(rule)]
    return RuleBase.of(
        (f"decoded_{number}", relation, pattern_of(rule)) for number, (relation, rule) in enumerate(readable)
    ).usable


def kept_rules(ruled: RuledCorpus, proposed: RuleBase, percent: float) -> RuleBase:
    """The proposed rules that are right for at least two training sentences, and for this share of all they match."""
    examples = ruled.train.examples
    matched: defaultdict[str, list[bool]] = defaultdict(list)
    for example, fired in zip(examples, ruled.corpus.fire(examples, rules=proposed), strict=True):
        labels: defaultdict[str, set[str]] = defaultdict(set)
        for match in fired:
            labels[match.rule].add(match.label)
        for rule, said in labels.items():
            matched[rule].append(said == {example.relation})
    return proposed.only(
        rule for rule, right in matched.items() if sum(right) >= _SUPPORT and 100 * float(np.mean(right)) >= percent
    )


def mined_numbers(ruled: RuledCorpus, mined: RuleBase) -> Numbers:
    """The gain of mined rules over the rules, behind which they are asked, on the test part."""
    part = ruled.test
    new = ruled.corpus.fire(part.examples, rules=mined)
    alone = extraction(part, rule_predictions(part.fired))
    both = extraction(part, rule_predictions([[*old, *more] for old, more in zip(part.fired, new, strict=True)]))
    gains = {f"{name}_gain": both[name] - alone[name] for name in ("precision", "recall", "f1")}
    return {"count": float(len(mined)), **gains}
