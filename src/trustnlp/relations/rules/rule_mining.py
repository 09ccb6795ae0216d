"""Rules mined from labelled examples: the words between two entities, where they nearly always mean one relation."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from trustnlp.data.relations.relation_examples import NO_RELATION, RelationExample
from trustnlp.relations.rules.rule_base import RuleBase

# Of a mined rule: fewest examples of its relation, least share of those that it matches (chosen beforehand), and most
# words between the entities, generalised ones not counted.
_SUPPORT, _PRECISION, _LONGEST = 3, 0.7, 5
_SUBJECT, _OBJECT = "([{kbpentity:true}]+)", "([{slotvalue:true}]+)"
_ANY = "[{tag:/DT|JJ|PRP\\$/}]{0,2}"
_SKIPPED = frozenset({"DT", "JJ", "PRP$"})


def mine_rules(examples: Sequence[RelationExample]) -> RuleBase:
    """Patterns that give one relation often enough, those with the most matches first.

    Parameters
    ----------
    examples
        With tags, the subject before the object.
    """
    seen: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for example in examples:
        if pattern := _between(example):
            seen[pattern][example.relation] += 1
    mined = []
    for pattern, counts in seen.items():
        relation, count = counts.most_common(1)[0]
        if relation != NO_RELATION and count >= _SUPPORT and count / counts.total() >= _PRECISION:
            mined.append((-count, relation, pattern))
    return RuleBase.of((f"m_{at}", relation, pattern) for at, (_, relation, pattern) in enumerate(sorted(mined)))


def _between(example: RelationExample) -> str | None:
    """The pattern of the words between the entities, None if there are none, or too many, or one cannot be quoted."""
    gap = slice(example.subject.end, example.object.start)
    tagged = list(zip(example.tokens[gap], example.tags[gap], strict=True))
    words = [word for word, tag in tagged if tag not in _SKIPPED]
    if not 0 < len(words) <= _LONGEST or any('"' in word or "\\" in word or not word.strip() for word in words):
        return None
    parts = [_ANY if tag in _SKIPPED else f'"{word}"' for word, tag in tagged]
    once = [part for part, before in zip(parts, ["", *parts], strict=False) if not part == before == _ANY]
    return " ".join([_SUBJECT, *once, _OBJECT])
