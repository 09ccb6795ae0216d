"""Figure 3, E.2 and Table 10: words that students name as counterfactuals, and what the teacher says of them.

Kumar, Dixit and Shah (2021), §4.4 and Appendix E.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trustnlp.attribution.students.counterfactuals import TurningWords, find_turning_words, random_accuracy, summary
from trustnlp.attribution.students.influence_student import InfluenceStudent, contexts_once
from trustnlp.attribution.students.masked_spans import MaskedSpan, masked_pairs
from trustnlp.attribution.students.student_replacements import StudentReplacements
from trustnlp.data.texts.film_reviews import Reviews
from trustnlp.studies.moxie.critique import accuracy_of, predictions_of
from trustnlp.studies.moxie.models import Explained

_RANKS = 10
# What the paper counts over the whole dev part; of some of its sentences these say nothing.
COUNTS = ("contexts", "examples")
# How a dev sentence begins, and its replacement.
TABLE_10 = {
    "unflinchingly bleak": "sensual",
    "it 's slow": "enjoyable",
    "a sometimes tedious": "heart-breaking",
}


@dataclass(frozen=True, eq=False)
class TaggedContexts:
    """Marked words and their parts of speech."""

    spans: tuple[MaskedSpan, ...]
    tags: tuple[str, ...]

    def chosen(self, rows: NDArray[np.int64]) -> TaggedContexts:
        """Some of them."""
        return TaggedContexts(tuple(self.spans[row] for row in rows), tuple(self.tags[row] for row in rows))


def contexts_of_dev(reviews: Reviews, sentences: int) -> TaggedContexts:
    """Every word of the first dev sentences that has a dictionary of its part of speech."""
    spans, tags = [], []
    for text in reviews.tagged["dev"][:sentences]:
        for at, tag in enumerate(text.tags):
            if reviews.vocabulary.get(tag):
                spans.append(MaskedSpan(text.words, at, at + 1))
                tags.append(tag)
    return TaggedContexts(tuple(spans), tuple(tags))


def top_ten(
    found: Explained, student: InfluenceStudent, reviews: Reviews, contexts: TaggedContexts, most: int | None = _RANKS
) -> list[TurningWords]:
    """Algorithm 2 for every context, by one student; `most` None tries every word that it names."""
    masked = masked_pairs(found.teacher, contexts.spans, folder=found.folder).masked
    replacements = StudentReplacements(
        found.teacher, student, contexts_once(student, contexts.spans, found.folder), masked
    )
    return find_turning_words(
        found.teacher.predict, replacements, contexts.spans, contexts.tags, reviews.vocabulary, most=most
    )


def compared(
    found: Explained,
    reviews: Reviews,
    contexts: TaggedContexts,
    named: Sequence[TurningWords],
    lesser: Sequence[TurningWords],
    random_words: int,
    all_contexts: int,
    rng: np.random.Generator,
) -> dict[str, float]:
    """Figure 3 and E.2 of one seed: how often words that a student names turn its teacher; in %, NaN without a word.

    `contexts`, `examples` (sentences) and `share` with a counterfactual; `median.top10`, `median.all`,
    `median.size_all` and `median.selection_gain`; `accuracy.student` and `.random` in those contexts, `.above_random`;
    `better.accuracy_gain`, accuracy of the student less that of the lesser one, mean over contexts for which both name
    a word.
    """
    figures = summary(named)
    with_words = np.array([row for row, context in enumerate(named) if context.words], dtype=np.int64)
    result = {
        "contexts.all": len(named),
        "contexts": figures.with_words,
        "examples": figures.texts,
        "share": 100 * figures.with_words / len(named),
        "median.top10": figures.median_accuracy,
        "median.size": figures.median_size,
        "accuracy.student": figures.mean_accuracy,
        "accuracy.lesser": summary(lesser).mean_accuracy,
        "share.lesser": 100 * summary(lesser).with_words / len(named),
    }
    both = [
        (one.accuracy, other.accuracy) for one, other in zip(named, lesser, strict=True) if one.words and other.words
    ]
    result["better.accuracy_gain"] = float(np.mean([one - other for one, other in both])) if both else float("nan")
    if not len(with_words):
        return result
    some = contexts.chosen(with_words)
    by_chance = random_accuracy(
        found.teacher.predict, some.spans, some.tags, reviews.vocabulary, draws=random_words, rng=rng
    )
    result["accuracy.random"] = float(by_chance.mean())
    result["accuracy.above_random"] = result["accuracy.student"] - result["accuracy.random"]
    drawn = np.sort(rng.permutation(with_words)[:all_contexts])
    everything = summary(top_ten(found, found.student, reviews, contexts.chosen(drawn), most=None))
    tenth = summary([named[row] for row in drawn])
    result["median.all"] = everything.median_accuracy
    result["median.size_all"] = everything.median_size
    result["median.selection_gain"] = tenth.median_accuracy - everything.median_accuracy
    return result


def better_student(
    found: Explained, lesser: InfluenceStudent, reviews: Reviews, texts: int, accuracy_gain: float
) -> dict[str, float]:
    """Whether the student with the higher all-correct accuracy names the better words; both in points.

    `better.all_correct_gain`, the student less the lesser one on the first test sentences: more pairs do not always
    make the better student. `better.follows`, the gain of `compared`, its sign turned where that is below 0.
    """
    gain = accuracy_of(predictions_of(found, found.student, reviews, texts))
    gain -= accuracy_of(predictions_of(found, lesser, reviews, texts))
    return {"better.all_correct_gain": gain, "better.follows": float(np.sign(gain)) * accuracy_gain}


def by_rank(named: Sequence[TurningWords]) -> dict[int, float]:
    """Rank of a named word, from 1 → share of them, in per cent, that turned the teacher."""
    turned: dict[int, list[bool]] = {}
    for context in named:
        for rank, hit in enumerate(context.turned.tolist(), start=1):
            turned.setdefault(rank, []).append(hit)
    return {rank: 100 * float(np.mean(hits)) for rank, hits in turned.items()}


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
