"""A parser that costs nothing: words and signs are tokens, each hangs on the one before it, capitals are persons."""

from __future__ import annotations

import re
from collections.abc import Iterable

from trustnlp.data.annotation.spacy_annotation import Annotation, Entity

CUT = "|"  # begins another tree


def annotated(texts: Iterable[str]) -> list[Annotation]:
    """Texts as `spacy_annotation.annotate` gives them; where `|` stands, the sentence is cut."""
    return [_annotation(text) for text in texts]


def _annotation(text: str) -> Annotation:
    found = list(re.finditer(r"\w+|[^\w\s]", text))
    tokens = tuple(match[0] for match in found)
    starts = [0] + [place for place, token in enumerate(tokens) if token == CUT and place]
    return Annotation(
        tokens=tokens,
        offsets=tuple(match.start() for match in found),
        tags=tuple("NNP" if token[0].isupper() else "NN" for token in tokens),
        lemmas=tuple(token.lower() for token in tokens),
        heads=tuple(place if place in starts else place - 1 for place in range(len(tokens))),
        relations=tuple("ROOT" if place in starts else "dep" for place in range(len(tokens))),
        sentence_starts=tuple(starts),
        entities=tuple(Entity(at, at + 1, "PERSON") for at, token in enumerate(tokens) if token[0].isupper()),
    )
