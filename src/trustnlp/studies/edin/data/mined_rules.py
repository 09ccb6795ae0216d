"""Rules for a corpus that has none: what often stands between the two entities of one relation, and seldom of another.

SemEval-2010 Task 8 has none of the relations of the released rules (Angeli et al. 2015). So that its part of the
comparison starts from rules as well, token patterns are read off its training part, in the language of the paper's:
subject, words, object. Determiners, adjectives and possessives between the entities are generalised to their tags.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from trustnlp.data.relations.relation_examples import NO_RELATION, RelationExample
from trustnlp.relations.rules.rule_base import RuleBase

_SUBJECT, _OBJECT = "([{kbpentity:true}]+)", "([{slotvalue:true}]+)"
_ANY = "[{tag:/DT|JJ|PRP\\$/}]{0,2}"
_SKIPPED = frozenset({"DT", "JJ", "PRP$"})


def mine_rules(
    examples: Sequence[RelationExample], *, support: int = 3, precision: float = 0.7, longest: int = 5
) -> RuleBase:
    """Patterns that give one relation often enough, those with the most matches first.

    Parameters
    ----------
    examples
        With tags, the subject before the object.
    support
        Fewest examples of the relation that have the pattern.
    precision
        Least share of the examples with the pattern that have the relation, chosen beforehand.
    longest
        Most words between the entities, generalised ones not counted; there is at least one.

    Raises
    ------
    ValueError
        An example without tags.
    """
    seen: dict[str, Counter[str]] = defaultdict(Counter)
    for example in examples:
        if not example.tags:
            raise ValueError(f"{example.id} has no tags; annotate sentences when they are read")
        if pattern := _between(example, longest):
            seen[pattern][example.relation] += 1
    kept = []
    for pattern, counts in seen.items():
        relation, count = counts.most_common(1)[0]
        if relation != NO_RELATION and count >= support and count / counts.total() >= precision:
            kept.append((-count, relation, pattern))
    return RuleBase.of((f"m_{at}", relation, pattern) for at, (_, relation, pattern) in enumerate(sorted(kept)))


def _between(example: RelationExample, longest: int) -> str | None:
    """The pattern of the words between the entities, None if there are none, or too many, or one cannot be quoted."""
    parts: list[str] = []
    words = 0
    for at in range(example.subject.end, example.object.start):
        word = example.tokens[at]
        if example.tags[at] in _SKIPPED:
            if not parts or parts[-1] != _ANY:
                parts.append(_ANY)
        elif '"' in word or "\\" in word or not word.strip():
            return None
        else:
            parts.append(f'"{word}"')
            words += 1
    return " ".join([_SUBJECT, *parts, _OBJECT]) if 0 < words <= longest else None
