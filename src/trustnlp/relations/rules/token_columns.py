"""The columns of a sentence that rules see: attributes of its tokens as CoreNLP's extractors lay them out.

`KBPTokensregexExtractor` and `KBPSemgrexExtractor` (stanfordnlp/CoreNLP, src/edu/stanford/nlp/ie) mark every token of
the subject and of the object, and give a marked token without an entity type of its own that of its entity.
"""

from __future__ import annotations

from dataclasses import dataclass

from trustnlp.data.relations.relation_examples import RelationExample
from trustnlp.relations.rules.rule_syntax import Constraint

OUTSIDE = "O"


@dataclass(frozen=True, slots=True)
class TokenColumns:
    """Attributes of `T` tokens. A column that the example lacks, or that is not used, is None: no test of it holds."""

    word: tuple[str, ...]
    lemma: tuple[str, ...] | None
    tag: tuple[str, ...] | None
    ner: tuple[str, ...]
    mark: tuple[str, ...]
    heads: tuple[int, ...] | None
    relation: tuple[str, ...] | None

    def passes(self, test: Constraint, token: int) -> bool:
        """Whether a token passes the test of one attribute."""
        column = getattr(self, test.attribute)
        return column is not None and test.holds(column[token])


def columns_of(example: RelationExample, *, lemmas: bool = True) -> TokenColumns:
    """The columns of an example. Without `lemmas` the column of base forms is left out.

    >>> from trustnlp.data.relations.relation_examples import Span
    >>> example = RelationExample("1", ("Ada", "met", "IBM"), Span(0, 1), Span(2, 3), "", "PERSON", "ORGANIZATION")
    >>> columns_of(example).mark
    ('subject', '', 'object')
    >>> columns_of(example).ner
    ('PERSON', 'O', 'ORGANIZATION')
    """
    length = len(example.tokens)
    mark = [""] * length
    ner = list(example.ner) or [OUTSIDE] * length
    for role, span, kind in (
        ("subject", example.subject, example.subject_type),
        ("object", example.object, example.object_type),
    ):
        for token in range(*span):
            mark[token] = role
            if ner[token] == OUTSIDE:
                ner[token] = kind
    return TokenColumns(
        example.tokens,
        example.lemmas or None if lemmas else None,
        example.tags or None,
        tuple(ner),
        tuple(mark),
        example.heads or None,
        example.dependencies or None,
    )
