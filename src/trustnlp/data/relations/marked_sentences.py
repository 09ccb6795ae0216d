"""Sentences with two marked entities, as SemEval-2010 Task 8 and KBP37 print them, and what a parser makes of them.

An item has four lines: a number, a tab and the sentence in quotation marks, in which `<e1>` and `<e2>` mark the
entities; the label; a comment or nothing; nothing. The marks are taken out, runs of white space become one blank, and
what is left is parsed. An entity becomes the tokens that hold its characters, so it widens where the parser's tokens
are longer than the entity.
"""

from __future__ import annotations

import bisect
import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from trustnlp.data.annotation.corenlp_labels import CorenlpSentence, as_corenlp, type_of
from trustnlp.data.annotation.spacy_annotation import Annotation, annotate
from trustnlp.data.relations.relation_examples import RelationExample, Span

_LINES_PER_ITEM = 4
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

    @property
    def has_empty_entity(self) -> bool:
        """Whether nothing stands between a pair of marks."""
        return self.first.start == self.first.end or self.second.start == self.second.end


def read_marked(path: Path, labels: Collection[str]) -> tuple[list[MarkedSentence], Counter[str]]:
    """The items of a file in their order, and how many labels had blanks at their ends.

    Raises
    ------
    ValueError
        If not UTF-8, cut off, an item of another form, marks that are missing or nested or in another order, or a label
        that is none of `labels`. Names file and line.
    """
    content = path.read_bytes().decode("utf-8")
    lines = content.replace("\r\n", "\n").split("\n")
    if lines.pop() or len(lines) % _LINES_PER_ITEM or not lines:
        raise ValueError(f"{path.name} has {len(lines)} whole lines; expected some, four per item, each with an end")
    items, counts = [], Counter[str]()
    for at in range(0, len(lines), _LINES_PER_ITEM):
        item, label, _, blank = lines[at : at + _LINES_PER_ITEM]
        place = f"{path.name}, line {at + 1}"
        found = _ITEM.fullmatch(item)
        if not found or blank.strip():
            raise ValueError(f"{place}: expected number, tab and quoted sentence, then label, comment and blank line")
        if (stripped := label.strip()) not in labels:
            raise ValueError(f"{place}: the label {stripped!r} is none of the {len(labels)} of this corpus")
        counts["labels with blanks"] += stripped != label
        try:
            text, first, second = unmarked(found[2])
        except ValueError as error:
            raise ValueError(f"{place}: {error}") from None
        items.append(MarkedSentence(int(found[1]), text, first, second, stripped))
    return items, counts


def unmarked(sentence: str) -> tuple[str, Span, Span]:
    """The sentence without marks and with single blanks, and the characters of its first and its second entity.

    Raises
    ------
    ValueError
        If the marks are not one `<e1>`, `</e1>`, `<e2>` and `</e2>` in this order, or there is no text.
    """
    marks = re.findall(r"</?e[12]>", sentence)
    found = _MARKED.fullmatch(sentence)
    if not found or len(marks) != 4:
        raise ValueError(f"expected <e1>, </e1>, <e2>, </e2> once each and in this order, got {' '.join(marks)!r}")
    text, ends = "", []
    for piece in found.groups():
        piece = re.sub(r"\s+", " ", piece)
        text += piece.lstrip() if text.endswith(" ") or not text else piece
        ends.append(len(text))
    if not text.strip():
        raise ValueError("the sentence has no text")
    first, second = (_trimmed(text, ends[at], ends[at + 1]) for at in (0, 2))
    return text.rstrip(), first, second


def _trimmed(text: str, start: int, end: int) -> Span:
    start += len(text[start:end]) - len(text[start:end].lstrip())
    return Span(start, max(start, start + len(text[start:end].rstrip())))


def parsed(corpus: str, items: Sequence[MarkedSentence]) -> tuple[list[RelationExample | None], Counter[str]]:
    """Each item as an example, None where an entity is empty or the two share a token; and what was met on the way.

    All texts are parsed, those of items without an example too: what the cache keeps does not depend on what is left
    out. The counts are of sentences: `empty entity`, `overlapping entities` (no example), `widened entity`,
    `several trees` (the parser cut the sentence; see `corenlp_labels`) and `entities in different trees`.
    """
    annotations = annotate(item.text for item in items)
    examples: list[RelationExample | None] = []
    counts = Counter[str]()
    for item, annotation in zip(items, annotations, strict=True):
        if item.has_empty_entity:
            counts["empty entity"] += 1
            examples.append(None)
            continue
        first, second = (_tokens(annotation, span) for span in (item.first, item.second))
        if first.overlaps(second):
            counts["overlapping entities"] += 1
            examples.append(None)
            continue
        counts["widened entity"] += any(
            _characters(annotation, span) != given for span, given in ((first, item.first), (second, item.second))
        )
        starts = annotation.sentence_starts
        trees = [bisect.bisect(starts, span.start) for span in (first, second)]
        counts["several trees"] += len(starts) > 1
        counts["entities in different trees"] += trees[0] != trees[1]
        examples.append(_example(f"{corpus}-{item.number}", item.label, first, second, as_corenlp(annotation)))
    return examples, counts


def _tokens(annotation: Annotation, characters: Span) -> Span:
    start = bisect.bisect_right(annotation.offsets, characters.start) - 1
    return Span(start, bisect.bisect_left(annotation.offsets, characters.end))


def _characters(annotation: Annotation, tokens: Span) -> Span:
    last = tokens.end - 1
    return Span(annotation.offsets[tokens.start], annotation.offsets[last] + len(annotation.tokens[last]))


def _example(name: str, label: str, first: Span, second: Span, sentence: CorenlpSentence) -> RelationExample:
    return RelationExample(
        id=name,
        tokens=sentence.tokens,
        subject=first,
        object=second,
        relation=label,
        subject_type=type_of(first, sentence),
        object_type=type_of(second, sentence),
        tags=sentence.tags,
        lemmas=sentence.lemmas,
        ner=sentence.ner,
        heads=sentence.heads,
        dependencies=sentence.dependencies,
    )
