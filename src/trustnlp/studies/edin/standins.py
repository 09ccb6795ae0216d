"""Stand-ins for the data of Tang and Surdeanu (2021): a generated world, and made-up lists of what rules match.

In the world it is known which rule is right where. It has sentences with tags, lemmas, entity types and trees in
CoreNLP's names, eight relations of TAC KBP with three rules each, written like theirs, and pairs of entities without a
relation. Clauses and rules are in `relation_world.toml`; persons, organisations and cities are made of syllables.

What is planted:

- A sentence of a relation is made from a clause that one of its rules matches or, with a set chance, from one that says
  the same and that no rule matches. Rules find the first kind alone; a network can learn to find the second.
- A sentence without a relation has two clauses as relations have them, and one entity of each is marked; or it has a
  neutral clause. Its words are those of rules, but no rule matches between the marked entities.
- Relations come in pairs with the same types of entities, so the types tell no relation, and half of the sentences of
  a relation have a second clause too, so the number of clauses tells nothing either. Its entities have the same types,
  and it may be a neutral one: what is no relation stands beside relations, too.
- With a set share some rules are wrong: they name the other relation of their pair. What they match has another label.
"""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any, NamedTuple

import numpy as np

from trustnlp.data.relations.relation_examples import NO_RELATION, RelationExample, Span
from trustnlp.data.relations.rule_mappings import PARTS, RuleMatch

# No syllable ends a common name, and three of them in a row are hardly anybody's.
_SYLLABLES = (
    "bra", "zo", "vel", "tik", "mur", "pla", "ket", "dro", "vi", "qua", "lem", "fru", "gos", "xi", "nab", "yul"
)  # fmt: skip
_KINDS = {"ORGANIZATION": ("Corp", "Group", "Institute", "Foundation"), "CITY": ("Springs", "Harbor", "Falls")}
_SECOND_CLAUSE = 0.5
_OPENER = 0.3
_NEUTRAL = 0.3  # of the sentences without a relation, and of second clauses beside a relation


class GeneratedRule(NamedTuple):
    """A rule of the world, as `RuleBase.of` takes it. `relation` is what the rule says, which may be wrong."""

    id: str
    relation: str
    pattern: str


@dataclass(frozen=True)
class _Unit:
    """A word, or one of the two entities (`word` is then `S` or `O`)."""

    word: str
    lemma: str
    tag: str
    label: str
    head: int | None
    ner: str

    @property
    def is_entity(self) -> bool:
        return not self.tag


@dataclass(frozen=True)
class _Relation:
    name: str
    types: tuple[str, str]  # of subject and object
    rules: tuple[tuple[str, tuple[tuple[_Unit, ...], ...]], ...]  # patterns with the clauses they match
    uncovered: tuple[tuple[_Unit, ...], ...]


@dataclass(frozen=True)
class _World:
    relations: tuple[_Relation, ...]
    neutral: tuple[tuple[_Unit, ...], ...]
    openers: tuple[_Unit, ...]

    def alike(self, relation: _Relation) -> list[_Relation]:
        """The relations with the same types of entities, this one among them."""
        return [other for other in self.relations if other.types == relation.types]


def generated_relations(
    n: int,
    rng: np.random.Generator,
    *,
    no_relation: float = 0.5,
    uncovered: float = 0.25,
    wrong_rules: float = 0.0,
) -> tuple[list[RelationExample], list[GeneratedRule]]:
    """Sentences of the world in random order, and its 24 rules.

    Parameters
    ----------
    n
        How many sentences.
    rng
        Draws words, names and order; which rules are wrong too.
    no_relation
        Share of sentences without a relation, rounded. Relations are equally frequent, up to one.
    uncovered
        Chance that a sentence of a relation is one that no rule matches.
    wrong_rules
        Share of the rules that name the wrong relation, rounded.

    Returns
    -------
    examples, rules
        `planted_rule` tells which rule an example was made from.

    Raises
    ------
    ValueError
        If `n` is below 1, or a share lies outside 0 to 1.
    """
    if n < 1:
        raise ValueError(f"n must be at least 1, got {n}")
    for name, share in (("no_relation", no_relation), ("uncovered", uncovered), ("wrong_rules", wrong_rules)):
        if not 0 <= share <= 1:
            raise ValueError(f"{name} must lie between 0 and 1, got {share}")
    world = _world()
    rules = _rules(world, wrong_rules, rng)
    without = round(no_relation * n)
    stated = [world.relations[at % len(world.relations)] for at in range(n - without)]
    kinds: list[_Relation | None] = [*stated, *[None] * without]
    examples = []
    for number, at in enumerate(rng.permutation(n)):
        writer = _Writer(world, rng)
        relation = kinds[at]
        rule = None
        if relation is None:
            writer.mislead()
        else:
            rule = writer.state(relation, uncovered)
        examples.append(writer.example(f"world-{number}:{rule or 'none'}", relation.name if relation else NO_RELATION))
    return examples, rules


def planted_rule(example: RelationExample) -> str | None:
    """The id of the rule that a generated example was made to match; None where no rule matches."""
    rule = example.id.partition(":")[2]
    if not rule:
        raise ValueError(f"{example.id!r} is no example of the generated world")
    return None if rule == "none" else rule


def _rules(world: _World, wrong: float, rng: np.random.Generator) -> list[GeneratedRule]:
    rules = [
        (name, relation, pattern) for relation in world.relations for name, (pattern, _) in _named(world, relation)
    ]
    mistaken = set(rng.permutation(len(rules))[: round(wrong * len(rules))].tolist())
    found = []
    for at, (name, relation, pattern) in enumerate(rules):
        others = [other.name for other in world.alike(relation) if other != relation]
        found.append(GeneratedRule(name, others[0] if at in mistaken else relation.name, pattern))
    return found


def _named(world: _World, relation: _Relation) -> list[tuple[str, Any]]:
    before = sum(len(other.rules) for other in world.relations[: world.relations.index(relation)])
    return [(f"t_{before + at}", rule) for at, rule in enumerate(relation.rules)]


class _Writer:
    """One sentence in the making: its columns, and where the marked entities are."""

    def __init__(self, world: _World, rng: np.random.Generator) -> None:
        self.world = world
        self.rng = rng
        self.rows: list[tuple[str, str, str, str, str]] = []  # word, lemma, tag, entity type, label
        self.heads: list[int] = []
        self.root = -1
        self.marked: dict[str, Span] = {}
        self.types: tuple[str, str] = ("", "")

    def state(self, relation: _Relation, uncovered: float) -> str | None:
        """A sentence of a relation; returns the rule that matches it."""
        self.types = relation.types
        rule = None
        if self.rng.random() < uncovered:
            clause = self._pick(relation.uncovered)
        else:
            rule, (_, clauses) = self._pick(_named(self.world, relation))
            clause = self._pick(clauses)
        second = self._second(relation) if self.rng.random() < _SECOND_CLAUSE else None
        first = second is not None and self.rng.random() < 0.5
        self._open()
        if second is not None and first:
            self._add(*second, "")
        self._add(clause, relation.types, "SO")
        if second is not None and not first:
            self._add(*second, "")
        return rule

    def _second(self, relation: _Relation) -> tuple[tuple[_Unit, ...], tuple[str, str]]:
        """A clause beside one of a relation, neutral or of a relation between entities of the same types."""
        neutral = self.rng.random() < _NEUTRAL
        clause = self._pick(self.world.neutral) if neutral else self._clause(self._pick(self.world.alike(relation)))
        return clause, relation.types

    def mislead(self) -> None:
        """A sentence without a relation between its marked entities."""
        relation = self._pick(self.world.relations)
        self.types = relation.types
        self._open()
        if self.rng.random() < _NEUTRAL:
            self._add(self._pick(self.world.neutral), self.types, "SO")
            if self.rng.random() < _SECOND_CLAUSE:
                other = self._pick(self.world.relations)
                self._add(self._clause(other), other.types, "")
            return
        marks = "SO" if self.rng.random() < 0.5 else "OS"
        for mark in marks:
            self._add(self._clause(self._pick(self.world.alike(relation))), self.types, mark)

    def example(self, name: str, relation: str) -> RelationExample:
        self._word(".", ".", ".", "O", "punct", self.root)
        self.rows[0] = (self.rows[0][0][0].upper() + self.rows[0][0][1:], *self.rows[0][1:])
        words, lemmas, tags, ner, labels = zip(*self.rows, strict=True)
        return RelationExample(
            name, words, self.marked["S"], self.marked["O"], relation, *self.types, tags, lemmas, ner,
            tuple(self.heads), labels,
        )  # fmt: skip

    def _pick(self, options: Sequence[Any]) -> Any:
        return options[int(self.rng.integers(len(options)))]

    def _clause(self, relation: _Relation) -> tuple[_Unit, ...]:
        """Any clause of a relation."""
        clauses = [clause for _, some in relation.rules for clause in some]
        chosen: tuple[_Unit, ...] = self._pick([*clauses, *relation.uncovered])
        return chosen

    def _word(self, word: str, lemma: str, tag: str, ner: str, label: str, head: int) -> None:
        self.rows.append((word, lemma, tag, ner, label))
        self.heads.append(head)

    def _open(self) -> None:
        if self.rng.random() < _OPENER:
            opener = self._pick(self.world.openers)
            self._word(opener.word, opener.lemma, opener.tag, opener.ner, opener.label, -2)
            self._word(",", ",", ",", "O", "punct", -2)

    def _add(self, clause: Sequence[_Unit], types: tuple[str, str], marks: str) -> None:
        """Append a clause; the entities named in `marks` are the example's. The first clause has the root."""
        if self.root >= 0:
            self._word(",", ",", ",", "O", "punct", self.root)
            self._word("and", "and", "CC", "O", "cc", self.root)
        start = len(self.rows)
        texts = [self._name(types["SO".index(unit.word)]) if unit.is_entity else [unit.word] for unit in clause]
        ends = (start + np.cumsum([len(text) for text in texts])).tolist()
        for unit, text, end in zip(clause, texts, ends, strict=True):
            head = -1 if unit.head is None else ends[unit.head] - 1
            label = unit.label
            if unit.head is None and self.root >= 0:
                head, label = self.root, "conj:and"
            if unit.is_entity:
                if unit.word in marks:
                    self.marked[unit.word] = Span(end - len(text), end)
                kind = types["SO".index(unit.word)]
                for word in text[:-1]:
                    self._word(word, word, "NNP", kind, "compound", end - 1)
                self._word(text[-1], text[-1], "NNP", kind, label, head)
            else:
                self._word(unit.word, unit.lemma, unit.tag, unit.ner, label, head)
        if self.root < 0:
            self.root = self.heads.index(-1)
            self.heads = [self.root if head == -2 else head for head in self.heads]

    def _name(self, kind: str) -> list[str]:
        name = self._invented()
        if kind == "PERSON":
            return [name, self._invented()] if self.rng.random() < 0.7 else [name]
        return [name, self._pick(_KINDS[kind])] if self.rng.random() < 0.5 else [name]

    def _invented(self) -> str:
        return "".join(self._pick(_SYLLABLES) for _ in range(3)).capitalize()


# --- the world's file ------------------------------------------------------------------------------------------------


@functools.cache
def _world() -> _World:
    text = resources.files(__package__).joinpath("relation_world.toml").read_text(encoding="utf-8")
    raw = tomllib.loads(text)
    return _World(
        relations=tuple(_relation(entry) for entry in raw["relation"]),
        neutral=tuple(_clause(line) for line in raw["neutral"]["clauses"]),
        openers=tuple(_unit(line) for line in raw["neutral"]["openers"]),
    )


def _relation(entry: Mapping[str, Any]) -> _Relation:
    return _Relation(
        name=entry["name"],
        types=(entry["subject"], entry["object"]),
        rules=tuple((rule["pattern"], tuple(map(_clause, rule["clauses"]))) for rule in entry["rules"]),
        uncovered=tuple(map(_clause, entry["uncovered"])),
    )


def _clause(line: str) -> tuple[_Unit, ...]:
    return tuple(map(_unit, line.split(" ")))


def _unit(text: str) -> _Unit:
    fields = text.split("|")
    if len(fields) == 3:
        word, label, head = fields
        lemma = tag = ner = ""
    else:
        word, lemma, tag, label, head, ner = [*fields, "O"][:6]
    return _Unit(word, lemma, tag, label, None if head == "-" else int(head), ner)


_SUBJECT, _OBJECT = "([{kbpentity:true}]+)", "([{slotvalue:true}]+)"
# Relation → (weight of the relation, patterns with the weights of each).
_WORLD: dict[str, tuple[float, dict[str, float]]] = {
    "per:title": (5, {"{ner:PERSON}=entity >/compound|appos/ {ner:TITLE}=slot": 6, f'({_OBJECT} {_SUBJECT})': 3}),
    "per:date_of_birth": (2, {f"({_SUBJECT} /was/ /born/ /on/ {_OBJECT})": 3, f'({_SUBJECT} "," "born" {_OBJECT})': 1}),
    "per:city_of_death": (1, {f'({_SUBJECT} "died" "in" {_OBJECT})': 2, f'({_SUBJECT} "rests" "in" {_OBJECT})': 1}),
    "org:city_of_headquarters": (2, {f'({_SUBJECT} "," "based" "in" {_OBJECT})': 4, f'({_SUBJECT} "of" {_OBJECT})': 1}),
    "org:top_members/employees": (3, {f'({_SUBJECT} "CEO" {_OBJECT})': 4, f'({_SUBJECT} "president" {_OBJECT})': 2}),
}  # fmt: skip
_DEAD = f'({_SUBJECT} [{{lemma:"be"}}] "in" {_OBJECT})'
_MATCHED, _SECOND, _DISAGREE = 0.3, 0.4, 0.15
_SIZES = {"train": 1.0, "dev": 0.4, "test": 0.4}

Parts = dict[str, list[tuple[RuleMatch, ...] | None]]


def made_up_mappings(n_items: int, rng: np.random.Generator) -> tuple[dict[str, str], Parts]:
    """Rules by name, and parts by their released names, as the readers of the real files give them.

    Parameters
    ----------
    n_items
        Items of the training part; the other two are smaller.

    Raises
    ------
    ValueError
        If there are fewer than 100 items, of which a relation might have none.
    """
    if n_items < 100:
        raise ValueError(f"expected at least 100 items, so that every relation has some, got {n_items}")
    rules: dict[str, str] = {}
    matches: dict[tuple[str, str], RuleMatch] = {}
    for relation, (_, patterns) in _WORLD.items():
        for pattern in patterns:
            name = f"{'s' if pattern.startswith('{') else 't'}_{len(rules) + 1}"
            rules[name], matches[relation, pattern] = pattern, RuleMatch(relation, name)
    rules[f"t_{len(rules) + 1}"] = _DEAD
    parts: Parts = {}
    for part, size in _SIZES.items():
        parts[part] = [_item(matches, rng) for _ in range(round(size * n_items))]
    positives = [item for item in parts["train"] if item is not None]
    parts["train"] = [() if item and rng.random() < _DISAGREE else item for item in parts["train"]]
    without: list[tuple[RuleMatch, ...] | None] = [None] * (3 * len(positives))
    parts[PARTS[-1]] = [*positives, *without]
    return rules, parts


def _item(matches: dict[tuple[str, str], RuleMatch], rng: np.random.Generator) -> tuple[RuleMatch, ...] | None:
    if rng.random() >= _MATCHED:
        return None
    relations = list(_WORLD)
    weights = np.array([_WORLD[name][0] for name in relations])
    relation = relations[rng.choice(len(relations), p=weights / weights.sum())]
    patterns = _WORLD[relation][1]
    shares = np.array(list(patterns.values()))
    number = 1 + (rng.random() < _SECOND)
    chosen = rng.choice(len(patterns), size=number, replace=False, p=shares / shares.sum())
    return tuple(matches[relation, list(patterns)[place]] for place in sorted(chosen))
