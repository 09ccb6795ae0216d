"""Named entities as an anonymiser.

The post on polarised vectors (2016): "an entity name tagging method is not working very well for documents consisting
of unnatural flows of sentences". A word inside an entity has the entity's score, any other word 0; owners play no part.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from trustnlp.privacy.text.anonymisation.entity_spans import Finder, Found, text_pieces
from trustnlp.privacy.text.anonymisation.scores import WordScores
from trustnlp.privacy.text.anonymisation.words import DocumentWords


def entity_scores(finder: Finder) -> WordScores:
    """Scores from a finder of spans; pieces that came before are not read again.

    Parameters
    ----------
    finder
        From texts to the spans that it finds in each: `spacy_entities` or `presidio_entities`.
    """
    known: dict[str, Found] = {}

    def scores(words: DocumentWords, owner: str | None) -> NDArray[np.float64]:
        pieces = list(text_pieces(words.text))
        if new := list(dict.fromkeys(text for _, text in pieces if text not in known)):
            known.update(zip(new, finder(new), strict=True))
        highest = np.zeros(len(words))
        starts, ends = words.spans[:, 0], words.spans[:, 1]
        for offset, text in pieces:
            for start, end, score in known[text]:
                first = np.searchsorted(ends, offset + start, side="right")
                last = np.searchsorted(starts, offset + end, side="left")
                highest[first:last] = np.maximum(highest[first:last], score)
        return highest

    return scores
