"""The automaton and the bounded search against recursion over every rule."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from naive_rules import naive_match_all

from trustnlp.data.relations.relation_examples import RelationExample, Span
from trustnlp.data.relations.semeval_relations import read_semeval_relations
from trustnlp.relations.rules.rule_base import RuleBase, read_rule_base
from trustnlp.relations.rules.rule_index import match_all

SUBJECT, OBJECT = "([{kbpentity:true}]+)", "([{slotvalue:true}]+)"
OWN = RuleBase.of(
    [
        ("t0", "per:title", f'{SUBJECT} "," "the"? {OBJECT}'),
        ("t1", "made", f"{SUBJECT} []{{0,4}} {OBJECT}"),
        ("t2", "made", f"{OBJECT} /of|for/ [{{tag:/DT/}}]* {SUBJECT} /[^'].*/"),
        ("t3", "made", f'("is" | "was" "once") {OBJECT} [{{lemma:be}} | {{ner:"DATE"}}]? {SUBJECT}'),
        ("t4", "made", f"{SUBJECT} ([{{lemma:/be/; tag:/VB./}}] /,|:/){{1,2}} {OBJECT}"),
        ("t5", "made", f"[{{tag:/NN.*/}} | {{ner:/DATE/; word:/[0-9]+/}}]+ {SUBJECT} {OBJECT}"),
        ("s0", "made", "{tag:/VB.*/} >nsubj {}=entity >/dobj|nmod.*/ {}=slot"),
        ("s1", "made", "{}=slot >/.*/ ({} >/.*/ {}=entity)"),
        ("s2", "made", "{}=entity <nsubj ({lemma:be} [ >dobj {}=slot | >nmod ({} >dobj {}=slot) ]) ?>cop {}"),
        ("s3", "made", "{}=x >nsubj=r {}=entity >=r {}=slot"),
    ]
)
WORDS = ["Ada", "is", "was", "once", ",", ":", "the", "CEO", "of", "1999", "'s"]
LEMMAS = {"is": "be", "was": "be"}
TAGS = {"is": "VBZ", "was": "VBD", "the": "DT", "1999": "CD", "Ada": "NNP", "CEO": "NN", "of": "IN"}


def made_example(rng: np.random.Generator, number: int) -> RelationExample:
    """A sentence without sense, and any tree over it."""
    length = int(rng.integers(3, 9))
    words = [WORDS[i] for i in rng.integers(0, len(WORDS), length)]
    cuts = sorted(int(cut) for cut in rng.choice(length + 1, 4, replace=True))
    first, second = Span(cuts[0], cuts[1]), Span(cuts[2], cuts[3])
    if first.start == first.end or second.start == second.end:
        first, second = Span(0, 1), Span(length - 1, length)
    subject, object_ = (first, second) if rng.random() < 0.5 else (second, first)
    order = rng.permutation(length)
    heads = [-1] * length
    for place in range(1, length):
        heads[order[place]] = int(order[rng.integers(0, place)])
    labels = ["nsubj", "dobj", "nmod", "cop", "nmod:of"]
    return RelationExample(
        f"made-{number}",
        tuple(words),
        subject,
        object_,
        "made",
        "PERSON",
        "TITLE",
        tuple(TAGS.get(word, "X") for word in words),
        tuple(LEMMAS.get(word, word) for word in words),
        tuple("DATE" if word == "1999" else "O" for word in words),
        tuple(heads),
        tuple(labels[i] for i in rng.integers(0, len(labels), length)),
    )


@pytest.mark.parametrize("commas", ["required", "optional"])
@pytest.mark.parametrize("lemmas", [True, False])
def test_made_up_rules_fire_as_in_the_obvious_recursion(commas: Literal["required", "optional"], lemmas: bool) -> None:
    rng = np.random.default_rng(7)
    examples = [made_example(rng, number) for number in range(600)]
    options: dict[str, Any] = {"lemmas": lemmas, "commas": commas, "gate": True, "both_directions": True}
    fast = match_all(OWN, examples, **options)
    slow = naive_match_all(OWN, examples, **options)
    assert fast.matches == slow
    assert not fast.exhausted
    fired = {match[1] for found in slow for match in found}
    assert fired == ({rule.id for rule in OWN} if lemmas else {"t0", "t1", "t2", "t5", "s0", "s1", "s3"})


@pytest.mark.mirror
@pytest.mark.slow
@pytest.mark.parametrize(("commas", "gate"), [("required", False), ("optional", False), ("required", True)])
def test_released_rules_fire_as_in_the_obvious_recursion(
    mirror: Path, commas: Literal["required", "optional"], gate: bool
) -> None:
    base = read_rule_base()
    examples = read_semeval_relations("train")
    options: dict[str, Any] = {"lemmas": True, "commas": commas, "gate": gate, "both_directions": True}
    found = match_all(base, examples, **{**options, "gate": False}).matches
    few = [example for example, matches in zip(examples, found, strict=True) if matches][:6] + examples[:4]
    fast = match_all(base, few, **options)
    assert fast.matches == naive_match_all(base, few, **options)
    assert gate or sum(map(len, fast.matches)) > 20
