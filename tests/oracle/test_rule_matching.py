"""The released rules on real sentences: the automaton and the bounded search against recursion over every rule."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import pytest
from naive_rules import naive_match_all

from trustnlp.data.relations.semeval_relations import read_semeval_relations
from trustnlp.relations.rules.rule_base import read_rule_base
from trustnlp.relations.rules.rule_index import match_all


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
