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
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from itertools import count
from typing import Any, NamedTuple

import numpy as np

from trustnlp.data.relations.relation_examples import NO_RELATION, RelationExample, Span
from trustnlp.data.relations.rule_mappings import PARTS, ListedMatch

# No syllable ends a common name, and three of them in a row are hardly anybody's.
_SYLLABLES = (
    "bra", "zo", "vel", "tik", "mur", "pla", "ket", "dro", "vi", "qua", "lem", "fru", "gos", "xi", "nab", "yul"
)  # fmt: skip
_KINDS = {"ORGANIZATION": ("Corp", "Group", "Institute", "Foundation"), "CITY": ("Springs", "Harbor", "Falls")}
_NO_RELATION = 0.5  # share of the sentences; relations are equally frequent, up to one
_UNCOVERED = 0.25  # chance that a sentence of a relation is one that no rule matches
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


Clause = tuple[_Unit, ...]


@dataclass(frozen=True)
class _Relation:
    name: str
    types: tuple[str, str]  # of subject and object
    rules: tuple[tuple[str, str, tuple[Clause, ...]], ...]  # ids, patterns, and the clauses they match
    uncovered: tuple[Clause, ...]


@dataclass(frozen=True)
class _World:
    relations: tuple[_Relation, ...]
    neutral: tuple[Clause, ...]
    openers: tuple[_Unit, ...]

    def alike(self, relation: _Relation) -> list[_Relation]:
        """The two relations with the same types of entities, this one among them."""
        return [other for other in self.relations if other.types == relation.types]


def generated_relations(
    n: int, rng: np.random.Generator, *, wrong_rules: float = 0.0
) -> tuple[list[RelationExample], list[GeneratedRule]]:
    """Sentences of the world in random order, and its 24 rules.

    Parameters
    ----------
    n
        How many sentences.
    rng
        Draws words, names and order; which rules are wrong too.
    wrong_rules
        Share of the rules that name the wrong relation, rounded.

    Returns
    -------
    examples, rules
        `planted_rule` tells which rule an example was made from.
    """
    world = _world()
    rules = [GeneratedRule(name, each.name, pattern) for each in world.relations for name, pattern, _ in each.rules]
    for at in rng.permutation(len(rules))[: round(wrong_rules * len(rules))]:
        [relation] = [each for each in world.relations if each.name == rules[at].relation]
        [other] = [each.name for each in world.alike(relation) if each != relation]
        rules[at] = rules[at]._replace(relation=other)
    stated = n - round(_NO_RELATION * n)
    examples = []
    for number, at in enumerate(rng.permutation(n)):
        writer, rule, label = _Writer(world, rng), None, NO_RELATION
        if at < stated:
            relation = world.relations[at % len(world.relations)]
            rule, label = writer.state(relation), relation.name
        else:
            writer.mislead()
        examples.append(writer.example(f"world-{number}:{rule or 'none'}", label))
    return examples, rules


def planted_rule(example: RelationExample) -> str | None:
    """The id of the rule that a generated example was made to match; None where no rule matches."""
    rule = example.id.partition(":")[2]
    return None if rule == "none" else rule


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

    def state(self, relation: _Relation) -> str | None:
        """A sentence of a relation; returns the rule that matches it.

        A second clause beside it is neutral, or of a relation between entities of the same types.
        """
        self.types = relation.types
        rule = None
        if self.rng.random() < _UNCOVERED:
            clause = self._pick(relation.uncovered)
        else:
            rule, _, clauses = self._pick(relation.rules)
            clause = self._pick(clauses)
        sentence = [(clause, "SO")]
        if self.rng.random() < _SECOND_CLAUSE:
            neutral = self.rng.random() < _NEUTRAL
            second = self._pick(self.world.neutral) if neutral else self._clause(self._pick(self.world.alike(relation)))
            sentence.insert(0 if self.rng.random() < 0.5 else 1, (second, ""))
        self._open()
        for each, marks in sentence:
            self._add(each, relation.types, marks)
        return rule

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
        for mark in "SO" if self.rng.random() < 0.5 else "OS":
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

    def _clause(self, relation: _Relation) -> Clause:
        """Any clause of a relation."""
        clauses = [clause for *_, some in relation.rules for clause in some]
        chosen: Clause = self._pick([*clauses, *relation.uncovered])
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
    raw, ids = tomllib.loads(text), (f"t_{number}" for number in count())
    return _World(
        relations=tuple(_relation(entry, ids) for entry in raw["relation"]),
        neutral=_clauses(raw["neutral"]["clauses"]),
        openers=tuple(map(_unit, raw["neutral"]["openers"])),
    )


def _relation(entry: Mapping[str, Any], ids: Iterator[str]) -> _Relation:
    return _Relation(
        name=entry["name"],
        types=(entry["subject"], entry["object"]),
        rules=tuple((next(ids), rule["pattern"], _clauses(rule["clauses"])) for rule in entry["rules"]),
        uncovered=_clauses(entry["uncovered"]),
    )


def _clauses(lines: Sequence[str]) -> tuple[Clause, ...]:
    return tuple(tuple(map(_unit, line.split(" "))) for line in lines)


def _unit(text: str) -> _Unit:
    fields = text.split("|")
    if len(fields) == 3:
        word, label, head = fields
        lemma = tag = ner = ""
    else:
        word, lemma, tag, label, head, ner = [*fields, "O"][:6]
    return _Unit(word, lemma, tag, label, None if head == "-" else int(head), ner)


# --- made-up lists of matches ---------------------------------------------------------------------------------------

_SUBJECT, _OBJECT = "([{kbpentity:true}]+)", "([{slotvalue:true}]+)"
# Relation → two patterns, of which the first matches twice as often.
_PATTERNS = {
    "per:title": ("{ner:PERSON}=entity >/compound|appos/ {ner:TITLE}=slot", f"({_OBJECT} {_SUBJECT})"),
    "per:date_of_birth": (f"({_SUBJECT} /was/ /born/ /on/ {_OBJECT})", f'({_SUBJECT} "," "born" {_OBJECT})'),
    "org:city_of_headquarters": (f'({_SUBJECT} "," "based" "in" {_OBJECT})', f'({_SUBJECT} "of" {_OBJECT})'),
    "org:top_members/employees": (f'({_SUBJECT} "CEO" {_OBJECT})', f'({_SUBJECT} "president" {_OBJECT})'),
}
_DEAD = f'({_SUBJECT} [{{lemma:"be"}}] "in" {_OBJECT})'
_MATCHED, _BOTH, _DISAGREE = 0.3, 0.4, 0.15

Parts = dict[str, list[tuple[ListedMatch, ...] | None]]


def made_up_mappings(n_items: int, rng: np.random.Generator) -> tuple[dict[str, str], Parts]:
    """Rules by name, and parts by their released names, as the readers of the real files give them.

    Parameters
    ----------
    n_items
        Items of the training part; dev and test have two fifths of them each.
    """
    rules, pairs = {"t_dead": _DEAD}, []
    for relation, patterns in _PATTERNS.items():
        names = [f"{'s' if pattern.startswith('{') else 't'}_{len(rules) + at}" for at, pattern in enumerate(patterns)]
        rules |= zip(names, patterns, strict=True)
        pairs.append(tuple(ListedMatch(relation, name) for name in names))

    def item() -> tuple[ListedMatch, ...] | None:
        if rng.random() >= _MATCHED:
            return None
        both = pairs[rng.integers(len(pairs))]
        return both if rng.random() < _BOTH else (both[int(rng.random() < 1 / 3)],)

    sizes = {"train": n_items, "dev": 2 * n_items // 5, "test": 2 * n_items // 5}
    parts: Parts = {part: [item() for _ in range(size)] for part, size in sizes.items()}
    positives = [each for each in parts["train"] if each is not None]
    parts["train"] = [() if each and rng.random() < _DISAGREE else each for each in parts["train"]]
    parts[PARTS[-1]] = [*positives, *[None] * (3 * len(positives))]
    return rules, parts
