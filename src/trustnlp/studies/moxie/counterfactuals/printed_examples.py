"""The single words that Tables 3 and 10 name, scored by our students. Kumar, Dixit and Shah (2021)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from trustnlp.attribution.students.importance_scores import influence_scores
from trustnlp.attribution.students.masked_spans import MaskedSpan, each_word, masked_pairs
from trustnlp.attribution.students.span_predictions import predict_spans
from trustnlp.studies.moxie.data import Reviews
from trustnlp.studies.moxie.models import Explained

# How a dev sentence begins, and its replacement.
TABLE_10 = {
    "unflinchingly bleak": "sensual",
    "it 's slow": "enjoyable",
    "a sometimes tedious": "heart-breaking",
}
# Number of the dev sentence, and the two words with their printed signs.
TABLE_3 = (
    (0, {"charming": 1, "affecting": 1}),
    (1, {"bleak": -1, "desperate": -1}),
    (2, {"allows": 1, "inventive": 1}),
)


def table3(found: Explained, reviews: Reviews) -> dict[str, float]:
    """`table3.WORD`: by how much a word's influence is where Table 3 has it; nothing of sentences without its words.

    The first of two words: its score, with the printed sign, less the largest other one. The second: less the largest
    of all but the first; "desperate" its score with the sign turned; "allows" stands for both words of its sentence.
    """
    result = {}
    for number, named in TABLE_3:
        words = reviews.tagged["dev"][number].words
        if not set(named) <= set(words):
            continue
        pairs = masked_pairs(found.teacher, each_word(words), folder=found.folder)
        scores = influence_scores(found.teacher, predict_spans(found.teacher, found.student, pairs).influence)
        (first, sign), (second, _) = named.items()
        values = list(zip(words, sign * scores, strict=True))
        signed = dict(values)
        others = [value for word, value in values if word not in named]  # of every occurrence
        if first == "allows":
            result["table3.allows"] = min(signed[first], signed[second]) - max(others)
        else:
            result[f"table3.{first}"] = signed[first] - max([*others, signed[second]])
            result[f"table3.{second}"] = signed[second] - (0.0 if second == "desperate" else max(others))
    return {key: float(value) for key, value in result.items()}


def table3_of(numbers: Mapping[str, Any]) -> pd.DataFrame:
    """The margins of `table3`, mean and interval over seeds."""
    rows = {
        key.removeprefix("table3."): {"margin": number["mean"], "low": number["low"], "high": number["high"]}
        for key, number in numbers.items()
        if key.startswith("table3.")
    }
    return pd.DataFrame(rows).T.astype(np.float64).round(2)


def table10(found: Explained, reviews: Reviews) -> dict[str, float]:
    """`table10.WORD`: the teacher's probability that its answer turns with Table 10's word, less one half.

    Which word of the sentence is replaced is highlighted in print, and lost in our text: of its adjectives the one
    counts that turns the answer most.
    """
    result = {}
    for start, word in TABLE_10.items():
        chosen = [text for text in reviews.tagged["dev"] if " ".join(text.words).startswith(start)]
        if not chosen:
            continue
        text = chosen[0]
        label = int(found.teacher.predict([" ".join(text.words)])[0])
        spans = [MaskedSpan(text.words, at, at + 1) for at in text.positions("ADJ")]
        if spans:
            turned = found.teacher.probabilities([" ".join(span.replaced(word)) for span in spans])
            result[f"table10.{word}"] = 0.5 - float(turned[:, label].min())
    return result
