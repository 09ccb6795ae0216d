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

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal

from trustnlp.data.relations.rule_mappings import PARTS, read_corenlp_semgrex, read_rule_mappings, read_rule_texts
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
# Labels of dependencies: as CoreNLP's files write them today (Universal Dependencies), and as they were.
_FORMER = (
    ("(prep_|nmod:|obl:)", "(prep_|nmod:)"),
    ("(nmod:|obl:|prep_)", "(nmod:|prep_)"),
    ("(nmod:|obl:)tmod", "nmod:tmod"),
    ("(nmod|obl)", "nmod"),
    ("|flat", ""),
    ("acl:relcl/", "acl:relclause/"),
    ("/nsubj:pass/", "nsubjpass"),
    ("/(i?)obj/", "/.obj/"),
    (">obj ", ">dobj "),
)
# Tests of one token, by strings, for being of the object and an organisation.
_OF_AN_ORGANIZATION = (Constraint("mark", "equals", "object"), Constraint("ner", "equals", "ORGANIZATION"))


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


class RuleBase:
    """Rules in an order, which is also the order of their matches.

    Raises
    ------
    ValueError
        If there are two rules of one id.
    """

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._rules: dict[str, Rule] = {}
        for rule in rules:
            if self._rules.setdefault(rule.id, rule) is not rule:
                raise ValueError(f"several rules have the id {rule.id!r}")

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
        return iter(self._rules.values())

    def __getitem__(self, name: str) -> Rule:
        if name not in self._rules:
            raise KeyError(f"no rule {name!r} among {len(self)}")
        return self._rules[name]

    @property
    def usable(self) -> RuleBase:
        """The rules that may fire."""
        return RuleBase(rule for rule in self if rule.status == USABLE)

    def only(self, ids: Iterable[str]) -> RuleBase:
        """The rules of these ids, in this base's order.

        Raises
        ------
        KeyError
            If an id is unknown.
        """
        wanted = {self[name].id for name in ids}
        return RuleBase(rule for rule in self if rule.id in wanted)


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


# The published lists of training matches leave the "/" of a relation out.
_WITH_SLASH = {relation.replace("/", ""): relation for relation in SLOT_TYPES}


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
        If a rule has two relations, or the blocks of two relations overlap.
    """
    trees = {name: parse_pattern(pattern, name) for name, pattern in patterns.items()}
    by_tree: dict[Tree, str] = {
        parse_dependency_pattern(former_labels(pattern), relation): relation
        for relation, listed in (corenlp or {}).items()
        for pattern in listed
    }
    known: dict[str, str] = {}
    for relation, name in [*matched, *((by_tree[tree], name) for name, tree in trees.items() if tree in by_tree)]:
        restored = _WITH_SLASH[relation.replace("/", "")]
        if known.setdefault(name, restored) != restored:
            raise ValueError(f"{name} has two relations: {known[name]} and {restored}")
    blocks = {language: _blocks(known, language) for language in "ts"}
    return RuleBase(
        _rule(name, patterns[name], _relation_by_number(name, blocks[name[0]], trees[name]), trees[name])
        for name in sorted(patterns, key=lambda name: ("ts".index(name[0]), int(name[2:])))
    )


def former_labels(pattern: str) -> str:
    """The pattern with the labels that CoreNLP's parser gave when the released rules were taken.

    >>> former_labels("{} >obj {}=entity >/(prep_|nmod:|obl:)(of|at)/ {}=slot")
    '{} >dobj {}=entity >/(prep_|nmod:)(of|at)/ {}=slot'
    """
    for now, before in _FORMER:
        pattern = pattern.replace(now, before)
    return pattern


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


def _blocks(known: Mapping[str, str], language: str) -> list[tuple[int, int, str]]:
    """First number, last number, relation; in order."""
    numbers: dict[str, list[int]] = {}
    for name, relation in known.items():
        if name.startswith(language):
            numbers.setdefault(relation, []).append(int(name[2:]))
    blocks = sorted((min(listed), max(listed), relation) for relation, listed in numbers.items())
    for (_, end, one), (start, _, other) in pairwise(blocks):
        if start <= end:
            raise ValueError(f"the rules of {one} and {other} overlap: number {start} comes before {end}")
    return blocks


def _relation_by_number(name: str, blocks: Sequence[tuple[int, int, str]], tree: Tree) -> str | None:
    number = int(name[2:])
    near = [block for block in blocks if block[0] <= number][-1:] + [block for block in blocks if block[0] > number][:1]
    for first, last, relation in near:
        if first <= number <= last:
            return relation
    beside_employer = any(relation == _EMPLOYER for *_, relation in near)
    return _EMPLOYER if beside_employer and _OF_AN_ORGANIZATION in pairwise(tree.constraints()) else None
