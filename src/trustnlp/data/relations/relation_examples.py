"""A sentence with two marked entities and the relation between them: what every relation corpus here is read into.

Labels are those of Stanford's CoreNLP, as in TACRED (Zhang et al. 2017) and in the rules of Angeli et al. (2015). A
corpus whose own tags are others is mapped when it is read (`trustnlp.data.annotation.corenlp_labels`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

NO_RELATION = "no_relation"


class Span(NamedTuple):
    """The tokens `start` to `end`, without `end`.

    >>> Span(0, 2).overlaps(Span(1, 3)), Span(0, 2).overlaps(Span(2, 3))
    (True, False)
    """

    start: int
    end: int

    def overlaps(self, other: Span) -> bool:
        return self.start < other.end and other.start < self.end


@dataclass(frozen=True)
class RelationExample:
    """One pair of entities of one sentence. The `T` tokens are numbered from 0.

    Where a corpus labels direction (KBP37, SemEval-2010 Task 8), `subject` is the entity that is marked first, and
    `relation` ends in `(e1,e2)` or `(e2,e1)`; where subject and object are given (TACRED), it does not.

    Attributes
    ----------
    id
        Names the example within its corpus.
    tokens
        `(T,)` words as CoreNLP prints them, which is as written except for brackets (`-LRB-`) and quotation marks;
        `trustnlp.data.annotation.corenlp_labels.written` takes those back, for vectors that know `(`.
    subject, object
        The two entities; they do not overlap.
    relation
        The label, `no_relation` among them.
    subject_type, object_type
        Types of the two entities in CoreNLP's names (`PERSON`, `ORGANIZATION`, `DATE`), `O` where none is known.
    tags, lemmas, ner
        `(T,)` parts of speech (Penn Treebank), base forms, and entity types, `O` outside entities.
    heads
        `(T,)` the number of each token's head, -1 for the root.
    dependencies
        `(T,)` each token's relation to its head.

    Raises
    ------
    ValueError
        If there is no token, an entity outside the sentence or empty, two that overlap, columns of another length, or
        heads that are no tree.
    """

    id: str
    tokens: tuple[str, ...]
    subject: Span
    object: Span
    relation: str
    subject_type: str = "O"
    object_type: str = "O"
    tags: tuple[str, ...] = ()
    lemmas: tuple[str, ...] = ()
    ner: tuple[str, ...] = ()
    heads: tuple[int, ...] = ()
    dependencies: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        length = len(self.tokens)
        if not length:
            raise ValueError(f"{self.id}: the sentence has no token")
        for role, span in (("subject", self.subject), ("object", self.object)):
            if not 0 <= span.start < span.end <= length:
                raise ValueError(f"{self.id}: the {role} is tokens {span.start} to {span.end} of {length}")
        if self.subject.overlaps(self.object):
            raise ValueError(f"{self.id}: subject {tuple(self.subject)} and object {tuple(self.object)} overlap")
        for name in ("tags", "lemmas", "ner", "heads", "dependencies"):
            if (own := len(getattr(self, name))) not in (0, length):
                raise ValueError(f"{self.id}: {own} {name} for {length} tokens")
        if self.heads:
            _check_tree(self.id, self.heads)

    def swapped(self) -> RelationExample:
        """The same sentence with subject and object exchanged, and the label as it is."""
        return RelationExample(
            self.id, self.tokens, self.object, self.subject, self.relation, self.object_type, self.subject_type,
            self.tags, self.lemmas, self.ner, self.heads, self.dependencies,
        )  # fmt: skip


def _check_tree(name: str, heads: tuple[int, ...]) -> None:
    """One root, heads among the tokens, and no circle: going up from heads that are settled settles every token."""
    left = set(range(len(heads)))
    if heads.count(-1) == 1 and set(heads) <= {-1, *left}:
        while settled := {token for token in left if heads[token] not in left}:
            left -= settled
    if left:
        raise ValueError(f"{name}: the heads {heads} make no tree: one root (-1), tokens of the sentence, no circle")
