"""Sentences whose relation is known: a trigger word says it, and so does a rule of a few tokens."""

from __future__ import annotations

import numpy as np

from trustnlp.data.relations.relation_examples import NO_RELATION, RelationExample, Span

Rule = tuple[str, ...]
TRIGGERS = {"founded": "org:founded_by", "born": "per:city_of_birth", "wed": "per:spouse"}
FILLERS = ("green", "slow", "old", "then", "often", "there", "many", "small")


def rule_of(trigger: str) -> Rule:
    """Another rule for each trigger; they differ in more than one token, and in length."""
    gap = {"founded": (), "born": ("[", "]", "*"), "wed": ("[", "]")}[trigger]
    return ("(", "SUBJ", "+", ")", *gap, trigger, *gap, "(", "OBJ", "+", ")")


def made_relations(count: int, seed: int) -> tuple[list[RelationExample], list[Rule | None]]:
    """Examples and their rules. A chain of heads from right to left; a third has no trigger on the path, nor a rule."""
    rng = np.random.default_rng(seed)
    examples: list[RelationExample] = []
    rules: list[Rule | None] = []
    for number in range(count):
        before, left, right, after = (list(rng.choice(FILLERS, int(rng.integers(0, 4)))) for _ in range(4))
        trigger = str(rng.choice(sorted(TRIGGERS)))
        linked = rng.random() < 2 / 3
        between = [*left, trigger, *right] if linked else [*left, *right]
        after = after if linked else [*after, "nothing", trigger]
        names = [["Ada", "Lovelace"][: int(rng.integers(1, 3))], ["Acme"]]
        tokens = [str(word) for word in (*before, *names[0], *between, *names[1], *after)]
        subject = Span(len(before), len(before) + len(names[0]))
        other = Span(subject.end + len(between), subject.end + len(between) + 1)
        ner = ["O"] * len(tokens)
        ner[slice(*subject)] = ["PERSON"] * len(names[0])
        ner[other.start] = "ORGANIZATION"
        examples.append(
            RelationExample(
                id=f"made {number}",
                tokens=tuple(tokens),
                subject=subject,
                object=other,
                relation=TRIGGERS[trigger] if linked else NO_RELATION,
                subject_type="PERSON",
                object_type="ORGANIZATION",
                tags=tuple("NNP" if kind != "O" else "NN" for kind in ner),
                ner=tuple(ner),
                heads=tuple(range(-1, len(tokens) - 1)),
            )
        )
        rules.append(rule_of(trigger) if linked else None)
    return examples, rules
