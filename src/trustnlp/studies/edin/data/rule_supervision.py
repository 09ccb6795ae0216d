"""What the network learns from: examples with labels, and the rule that the decoder is to write for each.

Tang and Surdeanu (2021), §4: in the configuration *rule-only data* positive examples are those that rules match, with
the relation of the rule, right or wrong, and negative ones "all other entity mention pairs in the same sentence". In
*rules + training data* all labelled examples are used, and a rule where one matches that gives the label.

Open there: which rule is written where several match (here the first), and how many pairs a sentence gives at most.
Deviation: where a corpus labels direction, pairs are taken in the order of the sentence, so no pair is the inverse of
another (footnote 1).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations, groupby, permutations

import numpy as np

from trustnlp.data.relations.relation_examples import NO_RELATION, RelationExample, Span
from trustnlp.studies.edin.data.relation_corpora import Fired, Mentions


@dataclass(frozen=True)
class Supervision:
    """Examples with the labels that training takes for true, and for each the id of a rule or None."""

    examples: list[RelationExample]
    rules: list[str | None]


def rule_predictions(fired: Sequence[Sequence[Fired]]) -> list[str]:
    """What the rules alone say of each example: the label of the first that matches, else `no_relation`."""
    return [matches[0].label if matches else NO_RELATION for matches in fired]


def typed_predictions(
    examples: Sequence[RelationExample], fired: Sequence[Sequence[Fired]], supervision: Supervision
) -> list[str]:
    """A control without a network: what the rules say, and where none matches a guess from the two entities' types.

    The guess is the label that rules gave most often in training to a pair of these types, the first of equals. Pairs
    of other types, or with an entity that has none, get `no_relation`.

    Parameters
    ----------
    supervision
        Of training; its examples with a rule count.
    """
    counts: dict[tuple[str, str], Counter[str]] = {}
    for example, rule in zip(supervision.examples, supervision.rules, strict=True):
        if rule is not None:
            counts.setdefault((example.subject_type, example.object_type), Counter())[example.relation] += 1
    guesses = {types: labels.most_common(1)[0][0] for types, labels in counts.items() if "O" not in types}
    return [
        matches[0].label if matches else guesses.get((example.subject_type, example.object_type), NO_RELATION)
        for example, matches in zip(examples, fired, strict=True)
    ]


def gold_rules(examples: Sequence[RelationExample], fired: Sequence[Sequence[Fired]]) -> list[list[str]]:
    """For each example the rules that match it and give its label."""
    return [
        [match.rule for match in matches if match.label == example.relation]
        for example, matches in zip(examples, fired, strict=True)
    ]


def combined(examples: Sequence[RelationExample], fired: Sequence[Sequence[Fired]]) -> Supervision:
    """All examples with their labels: *rules + training data*."""
    return Supervision(list(examples), [rules[0] if rules else None for rules in gold_rules(examples, fired)])


def rule_only(
    examples: Sequence[RelationExample],
    fired: Sequence[Sequence[Fired]],
    rng: np.random.Generator,
    *,
    mentions: Mentions,
    negatives: float,
    directed: bool,
) -> Supervision:
    """What rules match, with the rules' labels, and other pairs of the same sentences without a relation.

    Parameters
    ----------
    negatives
        At most so many pairs without a relation for each one with; where there are more, so many are drawn.

    Raises
    ------
    ValueError
        No rule matches any example.
    """
    positive = [at for at, matches in enumerate(fired) if matches]
    if not positive:
        raise ValueError(f"no rule matches any of {len(examples)} examples: there is nothing to learn from")
    found = [replace(examples[at], relation=fired[at][0].label) for at in positive]
    others = [pair for at in positive for pair in other_pairs(examples[at], mentions, directed=directed)]
    limit = round(negatives * len(found))
    if len(others) > limit:
        others = [others[at] for at in np.sort(rng.choice(len(others), limit, replace=False))]
    return Supervision([*found, *others], [*(fired[at][0].rule for at in positive), *([None] * len(others))])


def other_pairs(example: RelationExample, mentions: Mentions, *, directed: bool) -> list[RelationExample]:
    """The other pairs of mentions of a sentence, as examples of `no_relation`.

    The two entities of the example are mentions, too; a mention that overlaps with one of them is left out.
    """
    given = {example.subject: example.subject_type, example.object: example.object_type}
    spans = {span: kind for span, kind in _mentions(example, mentions) if not any(map(span.overlaps, given))}
    kinds = {**spans, **given}
    pairs = combinations(sorted(kinds), 2) if directed else permutations(sorted(kinds), 2)
    return [
        replace(
            example, id=f"{example.id}-{subject.start}-{other.start}", subject=subject, object=other,
            subject_type=kinds[subject], object_type=kinds[other], relation=NO_RELATION,
        )
        for subject, other in pairs
        if {subject, other} != set(given)
    ]  # fmt: skip


def _mentions(example: RelationExample, kind: Mentions) -> list[tuple[Span, str]]:
    if kind == "nouns":
        nouns = [at for at, tag in enumerate(example.tags) if tag.startswith("NN")]
        return [(Span(at, at + 1), example.ner[at]) for at in nouns]
    runs, at = [], 0
    for name, run in groupby(example.ner):
        length = len(list(run))
        if name != "O":
            runs.append((Span(at, at + length), name))
        at += length
    return runs


def most_frequent_rules(supervision: Supervision) -> dict[str, str]:
    """For each relation the rule that explains most of its examples, the first of those that explain as many."""
    counts: dict[str, Counter[str]] = {}
    for example, rule in zip(supervision.examples, supervision.rules, strict=True):
        if rule is not None:
            counts.setdefault(example.relation, Counter())[rule] += 1
    return {relation: rules.most_common(1)[0][0] for relation, rules in counts.items()}
