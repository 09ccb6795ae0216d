"""The corpora of the chapter, each with its rules, and what a network learns from them.

- TACRED, the paper's, for whoever has it.
- KBP37 has the relations of the same rules. It labels direction and does not say which entity is the subject, so rules
  run both ways, and a rule's relation becomes a label with direction. It has no commas, so those of rules may be
  absent. The rules of org:parents and org:member_of name from the other side what it labels org:subsidiaries and
  org:members; rules of the other relations without a label never fire.
- SemEval-2010 Task 8 has none of the relations of the released rules (Angeli et al. 2015). So token patterns are read
  off its training part, in the language of the paper's: subject, words, object, with determiners, adjectives and
  possessives generalised to their tags.
- A generated world, in which every relation has rules that are known to be right, or wrong.

Tang and Surdeanu (2021), §4: in the configuration *rule-only data* positive examples are those that rules match, with
the relation of the rule, right or wrong, and negative ones "all other entity mention pairs in the same sentence". In
*rules + training data* all labelled examples are used, and a rule where one matches that gives the label.

Open there: which rule is written where several match (here the first), and how many pairs a sentence gives at most.
Deviation: where a corpus labels direction, pairs are taken in the order of the sentence, so no pair is the inverse of
another (footnote 1).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, groupby, permutations
from typing import Literal, NamedTuple, TypeVar

import numpy as np

from trustnlp.data.relations.kbp37 import read_kbp37
from trustnlp.data.relations.relation_examples import NO_RELATION, RelationExample, Span
from trustnlp.data.relations.semeval_relations import read_semeval_relations
from trustnlp.data.relations.tacred import read_tacred
from trustnlp.relations.rules.rule_base import RuleBase, read_rule_base
from trustnlp.relations.rules.rule_index import match_all
from trustnlp.relations.rules.rule_mining import mine_rules
from trustnlp.relations.rules.token_automaton import Commas
from trustnlp.studies.edin.standins import generated_relations

Mentions = Literal["entities", "nouns"]
Examples = Sequence[RelationExample]
Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value", bound=Hashable)
# A relation of rules, and the label that says the same with its two entities exchanged.
INVERSE = {"org:parents": "org:subsidiaries", "org:member_of": "org:members"}
_DEV_EVERY = 8  # SemEval has no dev part: every eighth sentence of its training part


class Fired(NamedTuple):
    """A rule that matches an example, and the label it gives."""

    label: str
    rule: str


@dataclass(frozen=True)
class RelationCorpus:
    """A corpus and the rules for it.

    Attributes
    ----------
    name
        What a record's condition `corpus` says.
    commas
        Whether a rule's comma may be absent.
    directed
        Labels end in `(e1,e2)` or `(e2,e1)`, and rules whose relation does not are run both ways.
    mentions
        What a sentence's other entity mentions are, for pairs without a relation: `entities` that the tagger names, or
        `nouns`.
    labels
        Those of the corpus; a rule that gives another one does not fire.
    """

    name: str
    train: Examples
    dev: Examples
    test: Examples
    rules: RuleBase
    labels: frozenset[str]
    commas: Commas = "required"
    directed: bool = False
    mentions: Mentions = "entities"

    def fire(self, examples: Examples, *, rules: RuleBase | None = None, gate: bool = True) -> list[list[Fired]]:
        """The rules that match each example, in the order of the rules; by default as the corpus has them.

        Lemmas are not read: the published matches were made without them (`conditions`).
        """
        base = self.rules if rules is None else rules
        matches = match_all(
            base, examples, lemmas=False, commas=self.commas, gate=gate, both_directions=self.directed
        ).matches
        return [
            [Fired(label, match.rule) for match in each if (label := self.label_of(match.relation, match.swapped))]
            for each in matches
        ]

    def label_of(self, relation: str, swapped: bool) -> str | None:
        """The label that a rule of a relation gives an example, None if the corpus has no such label."""
        if not self.directed or relation in self.labels:
            return None if swapped or relation not in self.labels else relation
        name, other = (INVERSE[relation], not swapped) if relation in INVERSE else (relation, swapped)
        label = f"{name}({'e2,e1' if other else 'e1,e2'})"
        return label if label in self.labels else None


def kbp37() -> RelationCorpus:
    """KBP37 with the released rules."""
    train, dev, test = (read_kbp37(part) for part in ("train", "dev", "test"))
    labels = frozenset(example.relation for example in [*train, *dev, *test])
    return RelationCorpus("KBP37", train, dev, test, read_rule_base(), labels, commas="optional", directed=True)


def semeval() -> RelationCorpus:
    """SemEval-2010 Task 8 with rules mined from its training part, less every eighth sentence, which are dev."""
    listed = read_semeval_relations("train")
    dev = listed[_DEV_EVERY - 1 :: _DEV_EVERY]
    train = [example for at, example in enumerate(listed, start=1) if at % _DEV_EVERY]
    rules = mine_rules(train)
    labels = frozenset(example.relation for example in listed)
    return RelationCorpus(
        "SemEval-2010 Task 8", train, dev, read_semeval_relations("test"), rules, labels, mentions="nouns"
    )


def tacred() -> RelationCorpus:
    """TACRED with the released rules, for whoever has it (`trustnlp.data.relations.tacred`)."""
    train, dev, test = (read_tacred(part) for part in ("train", "dev", "test"))
    return RelationCorpus(
        "TACRED", train, dev, test, read_rule_base(), frozenset(example.relation for example in [*train, *dev, *test])
    )


def made_up(n: int, rng: np.random.Generator, *, wrong_rules: float = 0.0) -> RelationCorpus:
    """A generated world with its rules (`standins`), cut six to one to three."""
    examples, listed = generated_relations(n, rng, wrong_rules=wrong_rules)
    rules = RuleBase.of(listed)
    train, dev = round(0.6 * n), round(0.7 * n)
    labels = frozenset(example.relation for example in examples)
    return RelationCorpus("made-up", examples[:train], examples[train:dev], examples[dev:], rules, labels)


@dataclass(frozen=True)
class Supervision:
    """Examples with the labels that training takes for true, and for each the id of a rule or None."""

    examples: list[RelationExample]
    rules: list[str | None]

    @property
    def explained(self) -> list[tuple[RelationExample, str]]:
        """The examples with a rule, and their rules."""
        pairs = zip(self.examples, self.rules, strict=True)
        return [(example, rule) for example, rule in pairs if rule is not None]


def rule_predictions(fired: Sequence[Sequence[Fired]]) -> list[str]:
    """The answers of the rules alone on each example: the label of the first that matches, else `no_relation`."""
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
    guesses = majorities((types_of(example), example.relation) for example, _ in supervision.explained)
    guesses = {types: label for types, label in guesses.items() if "O" not in types}
    return [
        matches[0].label if matches else guesses.get(types_of(example), NO_RELATION)
        for example, matches in zip(examples, fired, strict=True)
    ]


def types_of(example: RelationExample) -> tuple[str, str]:
    """The types of subject and object."""
    return example.subject_type, example.object_type


def majorities(pairs: Iterable[tuple[Key, Value]]) -> dict[Key, Value]:
    """The most frequent second beside each first of the pairs; of those that are as many, the first.

    >>> majorities([("birth", "r1"), ("birth", "r2"), ("birth", "r2"), ("death", "r3")])
    {'birth': 'r2', 'death': 'r3'}
    """
    counts: defaultdict[Key, Counter[Value]] = defaultdict(Counter)
    for key, value in pairs:
        counts[key][value] += 1
    return {key: values.most_common(1)[0][0] for key, values in counts.items()}


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
    corpus: RelationCorpus, fired: Sequence[Sequence[Fired]], rng: np.random.Generator, *, negatives: float
) -> Supervision:
    """The pairs that rules match, with the rules' labels, and other pairs of the same sentences without a relation.

    Parameters
    ----------
    fired
        Rules that match each training example.
    negatives
        At most so many pairs without a relation for each one with; where there are more, so many are drawn.

    Raises
    ------
    ValueError
        If no rule matches any example.
    """
    matched = [(example, matches[0]) for example, matches in zip(corpus.train, fired, strict=True) if matches]
    if not matched:
        raise ValueError(f"no rule matches any of {len(fired)} examples: there is nothing to learn from")
    directed = corpus.directed or corpus.mentions == "nouns"
    others = [pair for example, _ in matched for pair in other_pairs(example, corpus.mentions, directed=directed)]
    limit = round(negatives * len(matched))
    if len(others) > limit:
        others = [others[at] for at in np.sort(rng.choice(len(others), limit, replace=False))]
    stated = [replace(example, relation=first.label) for example, first in matched]
    return Supervision([*stated, *others], [*(first.rule for _, first in matched), *([None] * len(others))])


def other_pairs(example: RelationExample, mentions: Mentions, *, directed: bool) -> list[RelationExample]:
    """The other pairs of mentions of a sentence, as examples of `no_relation`.

    The two entities of the example are mentions, too; a mention that overlaps with one of them is left out.
    """
    own = {example.subject: example.subject_type, example.object: example.object_type}
    kinds = {span: kind for span, kind in _mentions(example, mentions) if not any(map(span.overlaps, own))} | own
    pairs = combinations(sorted(kinds), 2) if directed else permutations(sorted(kinds), 2)
    return [
        replace(
            example, id=f"{example.id}-{subject.start}-{other.start}", subject=subject, object=other,
            subject_type=kinds[subject], object_type=kinds[other], relation=NO_RELATION,
        )
        for subject, other in pairs
        if {subject, other} != set(own)
    ]  # fmt: skip


def _mentions(example: RelationExample, kind: Mentions) -> list[tuple[Span, str]]:
    if kind == "nouns":
        nouns = [at for at, tag in enumerate(example.tags) if tag.startswith("NN")]
        return [(Span(at, at + 1), example.ner[at]) for at in nouns]
    runs = [(name, list(places)) for name, places in groupby(range(len(example.ner)), example.ner.__getitem__)]
    return [(Span(places[0], places[-1] + 1), name) for name, places in runs if name != "O"]
