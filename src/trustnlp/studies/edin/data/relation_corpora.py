"""The corpora on which Tang and Surdeanu's (2021) network is compared with its rules, each with its rules.

- TACRED, the paper's, for whoever has it.
- KBP37 has the relations of the same rules. It labels direction and does not say which entity is the subject, so rules
  run both ways, and a rule's relation becomes a label with direction. It has no commas, so those of rules may be
  absent. The rules of org:parents and org:member_of name from the other side what it labels org:subsidiaries and
  org:members; rules of the other relations without a label never fire.
- SemEval-2010 Task 8 has other relations. Its rules are mined from its training part (`mined_rules`).
- A generated world, in which every relation has rules that are known to be right, or wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from trustnlp.data.relations.kbp37 import LABELS, read_kbp37
from trustnlp.data.relations.relation_examples import RelationExample
from trustnlp.data.relations.semeval_relations import read_semeval_relations
from trustnlp.data.relations.tacred import read_tacred
from trustnlp.relations.rules.rule_base import RuleBase, read_rule_base
from trustnlp.relations.rules.rule_index import RuleMatch, match_all
from trustnlp.relations.rules.token_automaton import Commas
from trustnlp.studies.edin.data.mined_rules import mine_rules
from trustnlp.studies.edin.standins.relation_standins import generated_relations

Mentions = Literal["entities", "nouns"]
Examples = Sequence[RelationExample]
# A relation of rules, and the label that says the same with its two entities exchanged.
INVERSE = {"org:parents": "org:subsidiaries", "org:member_of": "org:members"}
_DEV_EVERY = 8  # SemEval has no dev part: every eighth sentence of its training part


class Fired(NamedTuple):
    """A rule that matches an example, and the label it gives; `swapped` if the object is the rule's subject."""

    label: str
    rule: str
    swapped: bool


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

    def fire(
        self, examples: Examples, *, rules: RuleBase | None = None, commas: Commas | None = None, gate: bool = True
    ) -> list[list[Fired]]:
        """The rules that match each example, in the order of the rules; by default as the corpus has them.

        Lemmas are not read: the published matches were made without them (`conditions`).
        """
        found = match_all(
            self.rules if rules is None else rules,
            examples,
            lemmas=False,
            commas=self.commas if commas is None else commas,
            gate=gate,
            both_directions=self.directed,
        )
        return [[one for match in matches if (one := self._labelled(match))] for matches in found.matches]

    def _labelled(self, match: RuleMatch) -> Fired | None:
        label = self.label_of(match.relation, match.swapped)
        return None if label is None else Fired(label, match.rule, match.swapped)

    def label_of(self, relation: str, swapped: bool) -> str | None:
        """What a rule of a relation says of an example, None if the corpus has no such label."""
        if not self.directed or relation in self.labels:
            return None if swapped or relation not in self.labels else relation
        name, other = (INVERSE[relation], not swapped) if relation in INVERSE else (relation, swapped)
        label = f"{name}({'e2,e1' if other else 'e1,e2'})"
        return label if label in self.labels else None


def kbp37() -> RelationCorpus:
    """KBP37 with the released rules."""
    train, dev, test = (read_kbp37(part) for part in ("train", "dev", "test"))
    return RelationCorpus(
        "KBP37", train, dev, test, read_rule_base(), frozenset(LABELS), commas="optional", directed=True
    )


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
    """A generated world with its rules (`studies.edin.standins.relation_standins`), cut six to one to three."""
    examples, listed = generated_relations(n, rng, wrong_rules=wrong_rules)
    rules = RuleBase.of(listed)
    train, dev = round(0.6 * n), round(0.7 * n)
    labels = frozenset(example.relation for example in examples)
    return RelationCorpus("made-up", examples[:train], examples[train:dev], examples[dev:], rules, labels)
