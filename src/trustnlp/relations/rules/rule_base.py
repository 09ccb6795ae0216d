"""Rules with the relations that they extract: one's own, or the released ones, whose relations must be recovered.

Tang & Surdeanu 2021, §4 and appendix C: 4,528 TokensRegex and some Semgrex patterns of Angeli et al. (2015).
clulab/releases at commit fc81886, naacl-trustnlp2021-edin/dataset/tacred gives the patterns by number (`rules.json`),
without relations, and lists of (relation, number) that matched the items of TACRED. `released_rule_base` recovers the
relation of a rule from, in this order,

1. the lists: rules that matched somewhere. The training list writes relations without their "/", which is put back.
2. CoreNLP's own Semgrex files: a pattern equal to one of theirs, with today's labels changed back.
3. the numbers: rules of a relation have numbers side by side. Those known by 1 and 2 span one block per relation and
   language, the blocks do not overlap, and a rule inside a block is of its relation.
4. the object's test `slotvalue:true; ner:"ORGANIZATION"`: inside the blocks only per:employee_of has it. A rule with it
   in the gap before or after that block is of this relation.

What stays unknown is kept in the list, set aside, and never fires.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal

from trustnlp.data.relations.rule_mappings import PARTS, read_corenlp_semgrex, read_rule_mappings, read_rule_texts
from trustnlp.relations.rules.corenlp_semgrex import former_labels
from trustnlp.relations.rules.dependency_patterns import DependencyPattern, Relation, parse_dependency_pattern
from trustnlp.relations.rules.rule_syntax import Constraint
from trustnlp.relations.rules.slot_types import SLOT_TYPES, SlotTypes
from trustnlp.relations.rules.token_patterns import TokenPattern, parse_token_pattern

Language = Literal["tokensregex", "semgrex"]
Tree = TokenPattern | DependencyPattern

USABLE = "usable"
UNKNOWN_RELATION = "relation unknown"
QUOTED_MARK = "a mark in quotes, which no token equals"
ONE_NODE_TWICE = "one name for a node and its dependent"
_EMPLOYER = "per:employee_of"


@dataclass(frozen=True)
class Rule:
    """One rule.

    Attributes
    ----------
    id
        Its name: `t_12`, `s_288`, or one's own.
    language
        `tokensregex` or `semgrex`.
    pattern
        As written.
    relation
        None where it is unknown.
    slot_types
        Types that subject and object must have if the rule is gated; None lets any pass.
    status
        `usable`, or why the rule is set aside.
    tree
        The pattern read.
    """

    id: str
    language: Language
    pattern: str
    relation: str | None
    slot_types: SlotTypes | None
    status: str
    tree: Tree = field(repr=False, compare=False)


class RuleBase(Sequence[Rule]):
    """Rules in an order, which is also the order of their matches.

    Raises
    ------
    ValueError
        If there are two rules of one id.
    """

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._rules = tuple(rules)
        self._by_id = {rule.id: rule for rule in self._rules}
        if len(self._by_id) < len(self._rules):
            ids = [rule.id for rule in self._rules]
            raise ValueError(f"several rules have the id {next(i for i in ids if ids.count(i) > 1)!r}")

    @classmethod
    def of(cls, rules: Iterable[tuple[str, str, str]]) -> RuleBase:
        """Rules of one's own: (id, relation, pattern). Relations of TAC KBP are gated, others are not.

        Raises
        ------
        RuleSyntaxError
            If a pattern cannot be read.
        ValueError
            If an id comes twice, or a relation is empty.

        >>> pattern = '([{kbpentity:true}]+) /caused|causes/ ([{slotvalue:true}]+)'
        >>> base = RuleBase.of([("r1", "Cause-Effect(e1,e2)", pattern)])
        >>> base["r1"].language, base["r1"].status
        ('tokensregex', 'usable')
        """
        return cls(_rule(name, pattern, relation) for name, relation, pattern in rules)

    def __len__(self) -> int:
        return len(self._rules)

    def __iter__(self) -> Iterator[Rule]:
        return iter(self._rules)

    def __getitem__(self, key: int | slice | str) -> Rule | RuleBase:  # type: ignore[override]
        if isinstance(key, str):
            try:
                return self._by_id[key]
            except KeyError:
                raise KeyError(f"no rule {key!r} among {len(self)}") from None
        return RuleBase(self._rules[key]) if isinstance(key, slice) else self._rules[key]

    @property
    def usable(self) -> RuleBase:
        """The rules that may fire."""
        return RuleBase(rule for rule in self._rules if rule.status == USABLE)

    @property
    def set_aside(self) -> dict[str, list[str]]:
        """Reason → ids of the rules that never fire."""
        found: dict[str, list[str]] = {}
        for rule in self._rules:
            if rule.status != USABLE:
                found.setdefault(rule.status, []).append(rule.id)
        return found

    @property
    def relations(self) -> list[str]:
        """Relations of the usable rules, sorted."""
        return sorted({rule.relation for rule in self.usable if rule.relation})

    def only(self, ids: Iterable[str]) -> RuleBase:
        """The rules of these ids, in this base's order.

        Raises
        ------
        KeyError
            If an id is unknown.
        """
        wanted = set(ids)
        if unknown := sorted(wanted - self._by_id.keys()):
            raise KeyError(f"no rule {unknown[0]!r} among {len(self)}")
        return RuleBase(rule for rule in self._rules if rule.id in wanted)


def parse_pattern(pattern: str, rule: str = "") -> Tree:
    """The tree of a pattern in either language: a node of Semgrex begins with `{`, nothing in TokensRegex does.

    Raises
    ------
    RuleSyntaxError
        If it cannot be read.
    """
    return (parse_dependency_pattern if language_of(pattern) == "semgrex" else parse_token_pattern)(pattern, rule)


def language_of(pattern: str) -> Language:
    """The language that a pattern is written in, by its first character past blanks and `(`.

    >>> language_of("( {lemma:die} >nsubj {}=entity )"), language_of('( "died" )')
    ('semgrex', 'tokensregex')
    """
    return "semgrex" if pattern.lstrip(" \t\n(").startswith("{") else "tokensregex"


def restore_relation(name: str) -> str:
    """A relation of TAC KBP by its name with or without "/".

    Raises
    ------
    ValueError
        If there is no such relation; the message names the nearest.

    >>> restore_relation("org:top_membersemployees")
    'org:top_members/employees'
    """
    if found := _WITHOUT_SLASH.get(name.replace("/", "")):
        return found
    near = difflib.get_close_matches(name, SLOT_TYPES, n=1)
    raise ValueError(f"{name!r} is no relation of TAC KBP{f'; did you mean {near[0]!r}?' if near else ''}")


_WITHOUT_SLASH = {relation.replace("/", ""): relation for relation in SLOT_TYPES}


def released_rule_base(
    patterns: Mapping[str, str],
    matched: Iterable[tuple[str, str]],
    corenlp: Mapping[str, Iterable[str]] | None = None,
) -> RuleBase:
    """The released rules in the order of their numbers, with the relations that can be recovered (see above).

    Parameters
    ----------
    patterns
        `rules.json`: id → pattern; the ids are `t_` or `s_` and a number.
    matched
        Pairs (relation, id) of the four mapping files, in any order, as often as they come.
    corenlp
        Relation → patterns of CoreNLP's Semgrex files, macros put in; without them fewer relations are recovered.

    Raises
    ------
    RuleSyntaxError
        If a pattern cannot be read.
    ValueError
        If a relation or id is unknown, a rule has two relations, or the blocks of two relations overlap.
    """
    trees = {name: parse_pattern(pattern, name) for name, pattern in patterns.items()}
    known: dict[str, str] = {}
    for relation, name in set(matched):
        _learn(known, name, restore_relation(relation), trees)
    by_tree = {
        parse_dependency_pattern(former_labels(pattern), relation): relation
        for relation, listed in (corenlp or {}).items()
        for pattern in listed
    }
    for name, tree in trees.items():
        if isinstance(tree, DependencyPattern) and tree in by_tree:
            _learn(known, name, restore_relation(by_tree[tree]), trees)
    blocks = {language: _blocks(known, language) for language in "ts"}
    base = []
    for name in sorted(patterns, key=_number):
        recovered = _relation_by_number(name, blocks[name[0]], trees[name])
        base.append(_rule(name, patterns[name], recovered, trees[name]))
    return RuleBase(base)


def read_rule_base() -> RuleBase:
    """The released rules from their files (`edin_rules` and `corenlp_kbp_semgrex` of the registry).

    Raises
    ------
    DataError
        If the files cannot be fetched or read.
    """
    matched = [match for part in PARTS for item in read_rule_mappings(part) for match in item or ()]
    return released_rule_base(read_rule_texts(), matched, read_corenlp_semgrex())


def _rule(name: str, pattern: str, relation: str | None, tree: Tree | None = None) -> Rule:
    if relation is not None and not relation.strip():
        raise ValueError(f"{name}: the relation is empty")
    tree = tree or parse_pattern(pattern, name)
    slot_types = SLOT_TYPES.get(relation) if relation else None
    return Rule(name, language_of(pattern), pattern, relation, slot_types, _status(tree, relation), tree)


def _status(tree: Tree, relation: str | None) -> str:
    if isinstance(tree, TokenPattern) and tree.quoted_marks:
        return QUOTED_MARK
    if lacking := sorted({"subject", "object"} - tree.marks, reverse=True):
        return f"lacks the {' and the '.join(lacking)}"
    if isinstance(tree, DependencyPattern) and any(
        isinstance(below, Relation) and node.name and below.target.name == node.name
        for node in tree.nodes()
        for below in node.relations
    ):
        return ONE_NODE_TWICE
    return USABLE if relation else UNKNOWN_RELATION


def _learn(known: dict[str, str], name: str, relation: str, trees: Mapping[str, Tree]) -> None:
    if name not in trees:
        raise ValueError(f"the mappings name the rule {name!r}, which is not among the {len(trees)} patterns")
    if known.setdefault(name, relation) != relation:
        raise ValueError(f"{name} has two relations: {known[name]} and {relation}")


def _number(name: str) -> tuple[str, int]:
    language, _, number = name.partition("_")
    if language not in ("t", "s") or not number.isdigit():
        raise ValueError(f"{name!r} is no id of a released rule; expected t_ or s_ and a number")
    return {"t": "0", "s": "1"}[language], int(number)


def _blocks(known: Mapping[str, str], language: str) -> list[tuple[int, int, str]]:
    """First number, last number, relation; in order."""
    numbers: dict[str, list[int]] = {}
    for name, relation in known.items():
        if name.startswith(language):
            numbers.setdefault(relation, []).append(_number(name)[1])
    blocks = sorted((min(listed), max(listed), relation) for relation, listed in numbers.items())
    for (_, end, one), (start, _, other) in pairwise(blocks):
        if start <= end:
            raise ValueError(f"the rules of {one} and {other} overlap: number {start} comes before {end}")
    return blocks


def _relation_by_number(name: str, blocks: Sequence[tuple[int, int, str]], tree: Tree) -> str | None:
    number = _number(name)[1]
    for first, last, relation in blocks:
        if first <= number <= last:
            return relation
    before = [relation for _, last, relation in blocks if last < number][-1:]
    after = [relation for first, _, relation in blocks if first > number][:1]
    if isinstance(tree, TokenPattern) and _EMPLOYER in before + after and _names_organization(tree):
        return _EMPLOYER
    return None


def _names_organization(tree: TokenPattern) -> bool:
    """Whether a token is tested for being of the object and an ORGANIZATION, by a string."""
    of_object = Constraint("mark", "equals", "object")
    return (of_object, Constraint("ner", "equals", "ORGANIZATION")) in pairwise(tree.constraints())
