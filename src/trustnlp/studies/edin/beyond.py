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

from collections.abc import Iterable, Sequence

import numpy as np

from trustnlp.data.relations.relation_examples import NO_RELATION
from trustnlp.relations.relation_vocabulary import Rule
from trustnlp.relations.rules.rule_base import RuleBase
from trustnlp.relations.rules.rule_spelling import pattern_of, well_formed
from trustnlp.relations.trained_extractor import TrainedExtractor
from trustnlp.studies.edin.data import rule_predictions
from trustnlp.studies.edin.explanations import ExecutedRules, LookedUpRules, overlap, scored_items
from trustnlp.studies.edin.models import RuledCorpus, RuledPart
from trustnlp.studies.edin.tables import Numbers, extraction

_POINT = 1.0  # that a cost may have, says the ledger
_SUPPORT = 2  # training sentences for which a mined rule is right


def numbers_of_seed(ruled: RuledCorpus, seed: int, *, beam_width: int, percents: Sequence[int]) -> Numbers:
    """All that is asked of the network of one seed, trained on rules only, on the test part.

    Parameters
    ----------
    percents
        How often a mined rule must be right in training; `mined.…` without a number is the first.
    """
    part = ruled.test
    network = ruled.trained("rule_only", "ours", seed)
    predicted = network.predict(part.examples)[0]
    decoded = network.decode(part.examples)
    lookup = LookedUpRules(ruled.supervision("rule_only", seed), ruled.tokens).of_relations(predicted)
    found = {
        **constrained_numbers(ruled, part, network, predicted, decoded, lookup),
        **reranked_numbers(ruled, part, network, predicted, decoded, beam_width),
    }
    proposed = proposed_rules(ruled, network)
    for percent in percents:
        gains = mined_numbers(ruled, part, kept_rules(ruled, proposed, percent))
        found.update({f"mined.at{percent}.{name}": value for name, value in gains.items()})
        if percent == percents[0]:
            found.update({f"mined.{name}": value for name, value in gains.items()})
    return found


def true_candidates(ruled: RuledCorpus, part: RuledPart, predicted: Sequence[str]) -> list[list[Rule]]:
    """For each example the rules that match it and give the predicted relation, each once; none for `no_relation`."""
    return [
        list(dict.fromkeys(ruled.tokens[match.rule] for match in matches if match.label == label != NO_RELATION))
        for matches, label in zip(part.fired, predicted, strict=True)
    ]


def constrained_rules(
    network: TrainedExtractor, part: RuledPart, candidates: Sequence[Sequence[Rule]]
) -> list[Rule | None]:
    """The likeliest candidate of each example, the first of equals; None where there is none."""
    chosen: list[Rule | None] = [None] * len(candidates)
    rows = [row for row, rules in enumerate(candidates) if rules]
    if rows:
        scores = network.score_rules([part.examples[row] for row in rows], [candidates[row] for row in rows])
        for row, score in zip(rows, scores, strict=True):
            chosen[row] = candidates[row][int(score.argmax())]
    return chosen


def constrained_numbers(
    ruled: RuledCorpus,
    part: RuledPart,
    network: TrainedExtractor,
    predicted: Sequence[str],
    decoded: Sequence[Rule],
    lookup: Sequence[Rule],
) -> Numbers:
    """Cost and worth of constrained decoding, with the relation's most frequent rules (`lookup`) beside it.

    BLEU of all is on the same items: those of the paper that have a candidate (`constrained.scored_share` of them).
    """
    chosen = constrained_rules(network, part, true_candidates(ruled, part, predicted))
    there = np.array([rule is not None for rule in chosen])
    given = np.array([label != NO_RELATION for label in predicted])
    written = [rule or () for rule in chosen]
    true = ExecutedRules(ruled.corpus, part.examples, written).true_of(written, predicted)
    strict = [label if rule else NO_RELATION for label, rule in zip(predicted, chosen, strict=True)]
    free_scores, strict_scores = extraction(part, predicted), extraction(part, strict)
    scored = scored_items(part.references, predicted)
    found = {f"strict.{name}": value for name, value in strict_scores.items()}
    found["constrained.f1_margin"] = strict_scores["f1"] - free_scores["f1"] + _POINT
    if given.any():
        found["constrained.executed"] = 100 * float(true[given].mean())
    if (scored & there).any():
        found["constrained.scored_share"] = 100 * float(there[scored].mean())
        for name, rules in (("constrained", written), ("free", decoded), ("lookup", lookup)):
            scores = overlap(part.references, rules, scored & there)
            run = ExecutedRules(ruled.corpus, part.examples, rules)
            scores["executed_scored"] = 100 * float(run.true_of(rules, predicted)[scored & there].mean())
            found.update({f"{name}.{score}": value for score, value in scores.items()})
        found["constrained.bleu_margin"] = found["constrained.bleu"] - found["free.bleu"] + _POINT
    return found


def reranked_numbers(
    ruled: RuledCorpus,
    part: RuledPart,
    network: TrainedExtractor,
    predicted: Sequence[str],
    decoded: Sequence[Rule],
    width: int,
) -> Numbers:
    """`beam.b….executed`: predicted relations for which one of a beam's first rules is true, or else the greedy one."""
    rows = [row for row, label in enumerate(predicted) if label != NO_RELATION]
    if not rows:
        return {}
    examples, labels = [part.examples[row] for row in rows], [predicted[row] for row in rows]
    greedy = [decoded[row] for row in rows]
    beams = [[rule for rule, _ in beam] for beam in network.beam(examples, width, width)]
    run = ExecutedRules(ruled.corpus, examples, [*greedy, *(rule for beam in beams for rule in beam)])
    true = run.true_of(greedy, labels)
    found = {"greedy.executed": 100 * float(true.mean())}
    for rank in range(width):
        true = true | run.true_of([beam[rank] if rank < len(beam) else () for beam in beams], labels)
        found[f"beam.b{rank + 1}.executed"] = 100 * float(true.mean())
    found["reranked.executed"] = found[f"beam.b{width}.executed"]
    found["reranked.executed_gain"] = found["reranked.executed"] - found["greedy.executed"]
    return found


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
    readable = [(relation, rule) for relation, rule in sorted(set(pairs)) if rule and well_formed(rule)]
    return RuleBase.of(
        (f"decoded_{number}", relation, pattern_of(rule)) for number, (relation, rule) in enumerate(readable)
    ).usable


def kept_rules(ruled: RuledCorpus, proposed: RuleBase, percent: float) -> RuleBase:
    """The proposed rules that are right for at least two training sentences, and for this share of all they match."""
    if not len(proposed):
        return proposed
    matched: dict[str, list[bool]] = {}
    for example, fired in zip(
        ruled.train.examples, ruled.corpus.fire(ruled.train.examples, rules=proposed), strict=True
    ):
        labels: dict[str, set[str]] = {}
        for match in fired:
            labels.setdefault(match.rule, set()).add(match.label)
        for rule, given in labels.items():
            matched.setdefault(rule, []).append(given == {example.relation})
    return proposed.only(
        rule for rule, right in matched.items() if sum(right) >= _SUPPORT and 100 * float(np.mean(right)) >= percent
    )


def mined_numbers(ruled: RuledCorpus, part: RuledPart, mined: RuleBase) -> Numbers:
    """The gain of mined rules over the rules, behind which they are asked."""
    fired = ruled.corpus.fire(part.examples, rules=mined) if len(mined) else [[] for _ in part.examples]
    alone = extraction(part, rule_predictions(part.fired))
    both = extraction(part, rule_predictions([[*old, *new] for old, new in zip(part.fired, fired, strict=True)]))
    gains = {f"{name}_gain": both[name] - alone[name] for name in ("precision", "recall", "f1")}
    return {"count": float(len(mined)), **gains}
