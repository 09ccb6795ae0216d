"""Sentences such as "Ada born in Bath", rules over their words, and a network that says what it is told."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from trustnlp.data.relations.relation_examples import RelationExample, Span
from trustnlp.relations.rules.rule_base import RuleBase
from trustnlp.relations.rules.rule_spelling import rule_tokens
from trustnlp.studies.edin.data import RelationCorpus

SUBJECT, OBJECT = "([{kbpentity:true}]+)", "([{slotvalue:true}]+)"
Rule = tuple[str, ...]


def rule(words: str) -> Rule:
    """The tokens of the rule that has these words between subject and object."""
    return tuple(rule_tokens(f"{SUBJECT} {words} {OBJECT}"))


def rules_of(*rows: tuple[str, str, str]) -> RuleBase:
    """Of name, relation, and words between subject and object."""
    return RuleBase.of((name, relation, f"{SUBJECT} {words} {OBJECT}") for name, relation, words in rows)


def sentence(number: int, word: str, relation: str, *, backwards: bool = False) -> RelationExample:
    spans = (Span(3, 4), Span(0, 1)) if backwards else (Span(0, 1), Span(3, 4))
    return RelationExample(
        str(number), ("Ada", word, "in", "Bath"), *spans, relation, "PERSON", "CITY", ("NNP", "VBD", "IN", "NNP"),
        (), ("PERSON", "O", "O", "CITY"),
    )  # fmt: skip


def corpus_of(
    examples: Sequence[RelationExample], rules: RuleBase, labels: Iterable[str], *, directed: bool = False
) -> RelationCorpus:
    """Three parts of the same examples."""
    return RelationCorpus("by hand", examples, examples, examples, rules, frozenset(labels), directed=directed)


class Played:
    """A network that predicts and decodes what it is told, and likes some rules best."""

    def __init__(self, predicted=(), decoded=(), beams=(), liked=()):
        self.predicted, self.decoded, self.beams, self.liked = predicted, decoded, beams, liked

    def predict(self, examples):
        return list(self.predicted), np.zeros((len(examples), 3))

    def decode(self, examples):
        return list(self.decoded)

    def beam(self, examples, width, n_best):
        return [[(rule, -rank) for rank, rule in enumerate(self.beams[int(one.id)][:n_best])] for one in examples]

    def score_rules(self, examples, candidates):
        return [np.array([float(rule in self.liked) for rule in rules]) for rules in candidates]
