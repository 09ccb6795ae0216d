"""Figure 2 and Table 3: words masked in the order of their scores where the teacher errs, and three sentences.

Kumar, Dixit and Shah (2021), §4.3.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trustnlp.attribution.masking_budget import (
    MOST_SETS,
    MaskedCounts,
    fewest_masked,
    hybrid_scores,
    masked_until_turned,
    supporting_scores,
)
from trustnlp.attribution.students.importance_scores import influence_scores, unlike_ratios
from trustnlp.attribution.students.masked_spans import each_word, every_word, masked_pairs
from trustnlp.attribution.students.span_predictions import by_text, predict_spans
from trustnlp.attribution.word_attributions import attributions_of
from trustnlp.data.annotation.english_tags import TaggedText
from trustnlp.data.texts.film_reviews import Reviews
from trustnlp.studies.moxie.models import Explained

Floats = NDArray[np.float64]
Scores = dict[str, list[Floats]]
# Points of area under coverage within which a kind of scores is competitive, set before any run.
COMPETITIVE = 5.0
_SHORT = 12
# Number of the dev sentence, and the two words with their printed signs.
TABLE_3 = (
    (0, {"charming": 1, "affecting": 1}),
    (1, {"bleak": -1, "desperate": -1}),
    (2, {"allows": 1, "inventive": 1}),
)


def errors_of(found: Explained, reviews: Reviews, part: str, most: int) -> list[TaggedText]:
    """Up to `most` sentences of a part on which the teacher errs, in their order."""
    texts, gold = reviews.tagged[part], reviews.sst2.splits[part].labels
    wrong = np.flatnonzero(found.teacher.predict([" ".join(text.words) for text in texts]) != gold)
    return [texts[at] for at in wrong[:most]]


def scores_of(
    found: Explained, reviews: Reviews, texts: Sequence[TaggedText], lime_samples: int, random_orders: int, seed: int
) -> Scores:
    """Scores of the words of each text, high where a word supports the teacher's prediction.

    `unlike_printed` is equation (5) to the letter; `random0`, `random1`, … are random orders. LIME's package and
    `occlusion` leave words out; as words are masked afterwards, both are also asked with words masked (`…_masked`).

    Returns
    -------
    dict
        Kind of scores → scores of each text: `influence`, `unlike`, `unlike_printed`, `hybrid`, `occlusion`,
        `occlusion_masked`, `lime`, `lime_masked`, `random0`, …
    """
    words = [text.words for text in texts]
    labels = found.teacher.predict([" ".join(text) for text in words])
    pairs = masked_pairs(found.teacher, every_word(words), folder=found.folder)
    predicted = by_text(predict_spans(found.teacher, found.student, pairs), words)
    influence = [influence_scores(found.teacher, text.influence) for text in predicted]
    dictionary = {tag: found.student.tokens(own) for tag, own in reviews.vocabulary.items() if own}
    tags = [tag for text in texts for tag in text.tags]
    edges = np.cumsum([len(text) for text in words])[:-1]

    def ratios(residual_to: Any) -> list[Floats]:
        known = unlike_ratios(found.teacher, found.student, pairs, tags, dictionary, residual_to=residual_to)
        return np.split(np.nan_to_num(known), edges)

    def attributed(method: str, **options: Any) -> list[Floats]:
        texts_ = [" ".join(text) for text in words]
        results = attributions_of(found.teacher, texts_, method=method, **options)
        return [np.asarray(result.scores, dtype=np.float64) for result in results]

    rng = np.random.default_rng([seed, 2])
    scores: Scores = {
        "influence": supporting_scores(influence, labels),
        "unlike": ratios("masked"),
        "unlike_printed": ratios("full"),
        "occlusion": attributed("occlusion"),
        "occlusion_masked": attributed("occlusion", removal="mask"),
    }
    for name, removal in (("lime", "leave_out"), ("lime_masked", "mask")):
        drawn = np.random.default_rng([seed, 3])
        scores[name] = attributed("lime", samples=lime_samples, generator=drawn, removal=removal)
    scores["hybrid"] = hybrid_scores(scores["unlike"], scores["influence"])
    return scores | {f"random{at}": [rng.random(len(text)) for text in words] for at in range(random_orders)}


def masked(found: Explained, texts: Sequence[TaggedText], scores: Scores, budget: int) -> dict[str, MaskedCounts]:
    """Algorithm 1 for each kind of scores; random orders count together; `fewest` by search, of short texts only."""
    teacher, words = found.teacher, [text.words for text in texts]
    counts = {
        name: masked_until_turned(teacher.predict, words, given, budget, teacher.mask) for name, given in scores.items()
    }
    drawn = [counts.pop(name) for name in list(counts) if name.startswith("random")]
    counts["random"] = MaskedCounts(np.concatenate([own.counts for own in drawn]), budget)
    short = [text for text in words if len(text) <= _SHORT]
    if short:
        assert 2**_SHORT - 1 <= MOST_SETS
        counts["fewest"] = fewest_masked(teacher.predict, short, budget, teacher.mask)
    return counts


def compared(counts: Mapping[str, MaskedCounts]) -> dict[str, float]:
    """Areas under coverage in points and mean lengths, each beside the random order's, and the claims' margins.

    Mean lengths are over the sentences that turned, others for each kind of scores. So `length.…_above_random` is over
    pairs of a sentence and a random order by which it turned as well; NaN where there is none.

    Returns
    -------
    dict
        `coverage.SCORE` and `length.SCORE`; `coverage.SCORE_above_random` and `length.SCORE_above_random`;
        `coverage.lime_above_influence`; `coverage.unlike_competes` and `coverage.hybrid_competes`, above 0 where they
        are less than `COMPETITIVE` behind LIME.
    """
    area = {name: float(own.coverage_curve().mean()) for name, own in counts.items()}
    length = {name: own.average_length() for name, own in counts.items()}
    result = {f"coverage.{name}": value for name, value in area.items()}
    result |= {f"length.{name}": value for name, value in length.items()}
    for name in sorted(area.keys() - {"random", "fewest"}):
        result[f"coverage.{name}_above_random"] = area[name] - area["random"]
        result[f"length.{name}_above_random"] = _words_spared(counts[name], counts["random"])
    result["coverage.lime_above_influence"] = area["lime"] - area["influence"]
    for name in ("unlike", "hybrid"):
        result[f"coverage.{name}_competes"] = COMPETITIVE - (area["lime"] - area[name])
    return result


def _words_spared(own: MaskedCounts, drawn: MaskedCounts) -> float:
    """How many words fewer than random orders, mean over sentences and orders that both turned."""
    orders = drawn.counts.reshape(-1, len(own.counts))
    both = (orders > 0) & (own.counts > 0)
    return float((orders - own.counts)[both].mean()) if both.any() else float("nan")


def table3(found: Explained, reviews: Reviews) -> dict[str, float]:
    """`table3.WORD`: by how much a word's influence is where Table 3 has it; nothing of sentences without its words.

    The first of two words: its score, with the printed sign, less the largest other one. The second: less the largest
    of all but the first; "desperate" its score with the sign turned; "allows" stands for both words of its sentence.

    Returns
    -------
    dict
        `table3.affecting`, `table3.bleak`, `table3.charming`, `table3.allows`, `table3.desperate`, … of the words in
        `TABLE_3`.
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
