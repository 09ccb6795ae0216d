"""Rules matched in the obvious way: every rule on its own, recursion over its tree, every place of the sentence."""

from __future__ import annotations

import re
from collections.abc import Iterable

from trustnlp.data.relations.relation_examples import RelationExample
from trustnlp.relations.rules.dependency_patterns import Either, Node, Requirement
from trustnlp.relations.rules.rule_base import RuleBase, Tree
from trustnlp.relations.rules.rule_syntax import Constraint
from trustnlp.relations.rules.token_patterns import AllOf, AnyOf, Choice, Item, Run, Test, Token, TokenPattern

Row = dict[str, str]


def rows(example: RelationExample, *, lemmas: bool = True) -> list[Row]:
    """One row of attributes per token; what the example lacks is absent."""
    table: list[Row] = [{"word": word, "ner": "O"} for word in example.tokens]
    columns = {"lemma": example.lemmas if lemmas else (), "tag": example.tags, "ner": example.ner}
    for name, column in {**columns, "relation": example.dependencies}.items():
        for row, value in zip(table, column, strict=False):
            row[name] = value
    for mark, span, kind in (
        ("subject", example.subject, example.subject_type),
        ("object", example.object, example.object_type),
    ):
        for row in table[span.start : span.end]:
            row["mark"] = mark
            row["ner"] = kind if row["ner"] == "O" else row["ner"]
    return table


def passes(test: Test, row: Row) -> bool:
    if isinstance(test, AllOf):
        return all(passes(part, row) for part in test.parts)
    if isinstance(test, AnyOf):
        return any(passes(part, row) for part in test.parts)
    if test.attribute not in row:
        return False
    value = row[test.attribute]
    if test.kind == "equals":
        return value == test.value
    expression = test.value
    if "\\Q" in expression:
        expression = re.sub(r"\\Q(.*?)\\E", lambda quoted: re.escape(quoted[1]), expression)
    return re.fullmatch(expression, value) is not None


def names_comma(test: Test) -> bool:
    if isinstance(test, Constraint):
        return test.attribute in ("word", "lemma") and "," in test.value and passes(test, {test.attribute: ","})
    if isinstance(test, AnyOf):
        return any(names_comma(part) for part in test.parts)
    asking = [
        part for part in test.parts if not (isinstance(part, Constraint) and part.attribute not in ("word", "lemma"))
    ]
    return any(names_comma(part) for part in asking) and all(
        names_comma(part) for part in asking if isinstance(part, Constraint)
    )


def ends(item: Item, table: list[Row], start: int, commas: str) -> set[int]:
    """Where a match of an item that begins at `start` may end."""
    if isinstance(item, Token):
        found = {start + 1} if start < len(table) and passes(item.test, table[start]) else set()
        return found | ({start} if commas == "optional" and names_comma(item.test) else set())
    if isinstance(item, Choice):
        return {end for option in item.options for end in ends(option, table, start, commas)}
    if isinstance(item, Run):
        reached = {start}
        for part in item.items:
            if not reached:
                break
            reached = {end for place in reached for end in ends(part, table, place, commas)}
        return reached
    reached, found = {start}, {start} if item.low == 0 else set()
    for times in range(1, (len(table) + item.low if item.high is None else item.high) + 1):
        reached = {end for place in reached for end in ends(item.item, table, place, commas)}
        found |= reached if times >= item.low else set()
        if not reached:
            break
    return found


def solutions(node: Node, token: int, table: list[Row], heads: tuple[int, ...]) -> list[dict[str, object]]:
    """What the names may mean where this node is this token."""
    if not all(passes(test, table[token]) for test in node.tests):
        return []
    mark = {"entity": "subject", "slot": "object"}.get(node.name)
    if mark and table[token].get("mark") != mark:
        return []
    found: list[dict[str, object]] = [{node.name: token} if node.name else {}]
    for requirement in node.relations:
        found = joined(found, required(requirement, token, table, heads))
    return found


def joined(one: list[dict[str, object]], other: list[dict[str, object]]) -> list[dict[str, object]]:
    return [{**a, **b} for a in one for b in other if all(a.get(name, b[name]) == b[name] for name in b)]


def required(requirement: Requirement, token: int, table: list[Row], heads: tuple[int, ...]) -> list[dict[str, object]]:
    if isinstance(requirement, Either):
        found = []
        for option in requirement.options:
            together: list[dict[str, object]] = [{}]
            for part in option:
                together = joined(together, required(part, token, table, heads))
            found += together
        return found
    found = []
    for other in range(len(table)):
        dependent, governor = (other, token) if requirement.direction == "governs" else (token, other)
        if heads[dependent] != governor:
            continue
        if requirement.test is not None and not passes(requirement.test, table[dependent]):
            continue
        label = {f"={requirement.name}": table[dependent]["relation"]} if requirement.name else {}
        found += joined([dict(label)], solutions(requirement.target, other, table, heads))
    return found or ([{}] if requirement.optional else [])


def naive_match(tree: Tree, table: list[Row], heads: tuple[int, ...], *, commas: str = "required") -> bool:
    """Whether a pattern matches a sentence."""
    if isinstance(tree, TokenPattern):
        return any(end > start for start in range(len(table)) for end in ends(tree.body, table, start, commas))
    if not heads or "relation" not in table[0]:
        return False
    asked = {node.name for node in tree.nodes()} & {"entity", "slot"}
    return any(
        asked <= set(found) for token in range(len(table)) for found in solutions(tree.root, token, table, heads)
    )


def naive_match_all(
    rules: RuleBase,
    examples: Iterable[RelationExample],
    *,
    lemmas: bool,
    commas: str,
    gate: bool,
    both_directions: bool,
) -> list[list[tuple[str, str, bool]]]:
    """What `match_all` returns, rule by rule."""
    results = []
    tried = [rule for rule in rules.usable if lemmas or "lemma" not in rule.pattern]
    for example in examples:
        pairs = [example, example.swapped()][: 1 + both_directions]
        tables = [rows(pair, lemmas=lemmas) for pair in pairs]
        fired = []
        for rule in tried:
            for swapped, (pair, table) in enumerate(zip(pairs, tables, strict=True)):
                types = rule.slot_types
                if gate and types and not (pair.subject_type == types[0] and pair.object_type in types[1]):
                    continue
                if naive_match(rule.tree, table, pair.heads, commas=commas):
                    fired.append((rule.relation or "", rule.id, bool(swapped)))
        results.append(fired)
    return results
