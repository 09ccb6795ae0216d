"""Sentences with two marked entities, as SemEval-2010 Task 8 and KBP37 print them, and what a parser makes of them.

An item has four lines: a number, a tab and the sentence in quotation marks, in which `<e1>` and `<e2>` mark the
entities; the label; a comment or nothing; nothing. The marks are taken out, runs of white space become one blank, and
what is left is parsed. An entity becomes the tokens that hold its characters, so it widens where the parser's tokens
are longer than the entity.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from trustnlp.data.annotation.corenlp_labels import as_corenlp, type_of
from trustnlp.data.annotation.spacy_annotation import Annotation, annotate
from trustnlp.data.relations.relation_examples import RelationExample, Span

_ITEM = re.compile(r'(\d+)\t"(.*)"\s*')
_MARKED = re.compile(r"(.*?)<e1>(.*?)</e1>(.*?)<e2>(.*?)</e2>(.*)")


@dataclass(frozen=True)
class MarkedSentence:
    """A sentence with two entities, the first before the second.

    Attributes
    ----------
    number
        The number that the corpus gives it.
    text
        The sentence without marks, with single blanks.
    first, second
        The characters of the two entities, without blanks at their ends. An empty entity starts where it ends.
    label
        The label without blanks at its ends.
    """

    number: int
    text: str
    first: Span
    second: Span
    label: str


def read_marked(path: Path) -> list[MarkedSentence]:
    """The items of a file in their order."""
    lines = path.read_bytes().decode("utf-8").replace("\r\n", "\n").split("\n")
    return [_item(line, label) for line, label in zip(lines[::4], lines[1::4], strict=False)]


def _item(line: str, label: str) -> MarkedSentence:
    number, sentence = _ITEM.fullmatch(line).groups()  # type: ignore[union-attr]
    return MarkedSentence(int(number), *unmarked(sentence), label.strip())


def unmarked(sentence: str) -> tuple[str, Span, Span]:
    """The sentence without marks and with single blanks, and the characters of its first and its second entity."""
    text, ends = "", []
    for piece in _MARKED.fullmatch(sentence).groups():  # type: ignore[union-attr]
        piece = re.sub(r"\s+", " ", piece)
        text += piece.lstrip() if text.endswith(" ") or not text else piece
        ends.append(len(text))
    first, second = (_trimmed(text, ends[at], ends[at + 1]) for at in (0, 2))
    return text.rstrip(), first, second


def _trimmed(text: str, start: int, end: int) -> Span:
    start += len(text[start:end]) - len(text[start:end].lstrip())
    return Span(start, max(start, start + len(text[start:end].rstrip())))


def parsed_examples(corpus: str, items: Sequence[MarkedSentence]) -> list[RelationExample | None]:
    """Each item as an example, None where an entity is empty or the two share a token.

    All texts are parsed, those of items without an example too: what the cache keeps does not depend on what is left
    out. Where the parser cut a sentence in several trees, see `corenlp_labels`.
    """
    annotations = annotate(item.text for item in items)
    return [_example(corpus, item, annotation) for item, annotation in zip(items, annotations, strict=True)]


def _tokens(annotation: Annotation, characters: Span) -> Span:
    start = bisect.bisect_right(annotation.offsets, characters.start) - 1
    return Span(start, bisect.bisect_left(annotation.offsets, characters.end))


def _example(corpus: str, item: MarkedSentence, annotation: Annotation) -> RelationExample | None:
    first, second = (_tokens(annotation, span) for span in (item.first, item.second))
    if any(span.start == span.end for span in (item.first, item.second)) or first.overlaps(second):
        return None
    sentence = as_corenlp(annotation)
    return RelationExample(
        id=f"{corpus}-{item.number}",
        tokens=sentence.tokens,
        subject=first,
        object=second,
        relation=item.label,
        subject_type=type_of(first, sentence),
        object_type=type_of(second, sentence),
        tags=sentence.tags,
        lemmas=sentence.lemmas,
        ner=sentence.ner,
        heads=sentence.heads,
        dependencies=sentence.dependencies,
    )
