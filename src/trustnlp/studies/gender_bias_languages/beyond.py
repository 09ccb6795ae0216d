"""Repairs: another estimate of the direction, grammar taken out, scores that survive, one direction for two languages.

Zhou et al. (2019) for grammatical gender. The bootstrap over documents retrains word2vec on each sample. Anchors come
from sentences that exist in all nine languages (NTREX-128): two words are anchors when each is the other's most
frequent companion. One space is rotated into the other (orthogonal Procrustes).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from tqdm.auto import tqdm

from trustnlp.bias.gender_direction.direct_bias import signed_scores
from trustnlp.bias.gender_direction.grammatical_gender import grammatical_direction, without_direction
from trustnlp.bias.gender_direction.pair_directions import (
    FEWEST_PAIRS,
    FEWEST_RESAMPLED,
    Estimate,
    gender_direction,
    held_out_margins,
    resample_pairs,
    share_in_order,
    usable_pairs,
)
from trustnlp.data.texts.corpus_documents import resample_documents
from trustnlp.data.words.gender_words import word_list
from trustnlp.embeddings.alignment import centred, procrustes
from trustnlp.embeddings.static import WordVectors
from trustnlp.studies.gender_bias_languages.critique import profession_scores
from trustnlp.studies.gender_bias_languages.data import LanguageText
from trustnlp.studies.gender_bias_languages.models import Training, trained
from trustnlp.studies.gender_bias_languages.reproduction.one_language import language_numbers, measured

_DRAWS = 100  # of the nulls of one bootstrap sample, which are not kept
FEWEST_LINES = 3
Rows = Sequence[Collection[str]]


def can_hold_out(text: LanguageText, vectors: Sequence[WordVectors]) -> bool:
    """Whether every training knows four distinct pairs or more, so that three are left without one."""
    pairs = set(text.pairs().values())
    return all(len(usable_pairs(own, pairs)) > FEWEST_PAIRS for own in vectors)


def held_out(text: LanguageText, vectors: WordVectors, estimate: Estimate) -> float:
    """Share of the pairs that a direction made without them orders rightly."""
    return share_in_order(held_out_margins(vectors, list(text.pairs().values()), estimate=estimate))


def without_grammar(
    text: LanguageText, vectors: WordVectors, feminine: Sequence[str], masculine: Sequence[str]
) -> dict[str, float]:
    """Distance of feminine from masculine forms, and pairs in order, before and after grammar is taken out.

    The nouns of the lists that are words of the pairs or forms of professions are left aside.
    """
    pairs = usable_pairs(vectors, text.pairs().values())
    form = text.words.form
    forms = {
        kind: [
            form(w)
            for p in word_list(text.language).professions
            for w in getattr(p, kind)
            if p.feminine and p.masculine and form(w) in vectors
        ]
        for kind in ("feminine", "masculine")
    }
    own = {word for pair in pairs for word in pair}.union(*forms.values())
    nouns = [{form(word) for word in words} - own for words in (feminine, masculine)]
    both = nouns[0] & nouns[1]
    g = gender_direction(vectors, pairs).g
    grammar = grammatical_direction(vectors, sorted(nouns[0] - both), sorted(nouns[1] - both))
    found = {"overlap": float(g @ grammar)}
    for name, direction in (("before", g), ("after", without_direction(g, grammar))):
        means = [float(signed_scores(vectors, forms[kind], direction).mean()) for kind in ("feminine", "masculine")]
        ordered = [float(np.subtract(*signed_scores(vectors, pair, direction))) > 0 for pair in pairs]
        found |= {f"{name}.forms_apart": means[0] - means[1], f"{name}.pairs_in_order": float(np.mean(ordered))}
    return found


def sign_stability(text: LanguageText, vectors: Sequence[WordVectors]) -> float:
    """Share of the professions, scored in every training, whose score has one sign in all of them."""
    return _same_sign(_table([profession_scores(v, text.pairs().values(), text.professions()) for v in vectors]))


@dataclass(frozen=True)
class BootstrapSample:
    """One sample of the documents, trained and measured.

    Attributes
    ----------
    numbers, professions
        Of the language; concept → weighted score.
    documents, distinct
        How many documents were drawn, and how many different ones the sample holds.
    """

    numbers: dict[str, float]
    professions: dict[str, float]
    documents: int
    distinct: int


def bootstrap_sample(text: LanguageText, training: Training, number: int) -> BootstrapSample | None:
    """Documents drawn with replacement, trained anew; None where fewer than three pairs are frequent enough.

    The number decides what is drawn and the seed of the training, so that samples can be made in any order and on any
    worker.

    Raises
    ------
    ValueError
        If the text has too few documents (`resample_documents`).
    """
    rng = np.random.default_rng([number, len(text.texts)])
    drawn = resample_documents(text.texts, rng)
    sample = text.with_texts(drawn.texts)
    vectors = trained(sample.texts, training, number)
    try:
        bias = measured(sample, vectors, rng=rng, draws=_DRAWS)
    except ValueError:
        return None
    scores = {concept: own.weighted for concept, own in bias.professions.items()}
    numbers = language_numbers(sample, vectors, bias, rng=rng, draws=_DRAWS)
    return BootstrapSample(numbers, scores, drawn.documents, drawn.distinct)


def bootstrap_samples(text: LanguageText, training: Training, resamples: int) -> list[BootstrapSample]:
    """The samples that have scores, of a number of them."""
    numbers = tqdm(range(resamples), desc=f"bootstrap, {text.language}", disable=None, leave=False)
    made = [bootstrap_sample(text, training, number) for number in numbers]
    return [sample for sample in made if sample is not None]


def interval_of(samples: Sequence[BootstrapSample], name: str) -> tuple[float, tuple[float, float]] | None:
    """Mean and middle 95 % of a number over samples; None where a sample lacks it."""
    values = [own.numbers[name] for own in samples if name in own.numbers]
    if len(values) < max(len(samples), 2):
        return None
    low, high = np.quantile(values, [0.025, 0.975])
    return float(np.mean(values)), (float(low), float(high))


def pair_bootstrap(text: LanguageText, vectors: WordVectors, resamples: int, rng: np.random.Generator) -> float | None:
    """Median over professions of the width of the middle 95 % of their scores when the pairs are drawn anew.

    None below five distinct pairs with vectors: too few for a number.
    """
    pairs = usable_pairs(vectors, dict.fromkeys(text.pairs().values()))
    if len(pairs) < FEWEST_RESAMPLED:
        return None
    rows = [profession_scores(vectors, resample_pairs(pairs, rng), text.professions()) for _ in range(resamples)]
    return _median_width(_table(rows))


def spread(samples: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Over samples: share of professions of one sign, and median width of the middle 95 %.

    Raises
    ------
    ValueError
        If there are fewer than two samples.
    """
    if len(samples) < 2:
        raise ValueError(f"{len(samples)} samples have scores; two are needed for a spread")
    table = _table(samples)
    return {"same_sign": _same_sign(table), "median_width": _median_width(table)}


def _table(samples: Sequence[Mapping[str, float]]) -> NDArray[np.float64]:
    """`(samples, professions)` scores of the professions that all samples have."""
    shared = [c for c in samples[0] if all(c in own for own in samples)]
    return np.array([[own[c] for c in shared] for own in samples])


def _same_sign(table: NDArray[np.float64]) -> float:
    return float((np.abs(np.sign(table).sum(axis=0)) == len(table)).mean())


def _median_width(table: NDArray[np.float64]) -> float:
    low, high = np.quantile(table, [0.025, 0.975], axis=0)
    return float(np.median(high - low))


def anchors(first: Rows, second: Rows, exclude: Collection[str] = ()) -> list[tuple[str, str]]:
    """Pairs of words that translate each other, from aligned sentences as sets of words.

    A word counts from three sentences on. The companion of a word is the one with the highest Dice coefficient; only
    pairs that choose each other are kept, and none with a word of `exclude`.

    Raises
    ------
    ValueError
        If the two languages have different numbers of sentences.
    """
    if len(first) != len(second):
        raise ValueError(f"aligned sentences come in pairs, got {len(first)} and {len(second)}")
    alone = [Counter(word for row in rows for word in set(row)) for rows in (first, second)]
    left, right = ({w for w, n in own.items() if n >= FEWEST_LINES} for own in alone)
    together: Counter[tuple[str, str]] = Counter()
    for a, b in zip(first, second, strict=True):
        kept = set(b) & right
        together.update((x, y) for x in set(a) & left for y in kept)
    best: list[dict[str, tuple[float, str]]] = [{}, {}]
    for (x, y), n in sorted(together.items()):
        dice = 2 * n / (alone[0][x] + alone[1][y])
        for own, word, other in ((best[0], x, y), (best[1], y, x)):
            if dice > own.get(word, (0.0, ""))[0]:
                own[word] = (dice, other)
    barred = set(exclude)
    chosen = [(x, y) for x, (_, y) in best[0].items() if best[1][y][1] == x]
    return [(x, y) for x, y in chosen if x not in barred and y not in barred]


def transferred(
    text: LanguageText,
    vectors: WordVectors,
    other: LanguageText,
    others: WordVectors,
    translations: Sequence[tuple[str, str]],
    rng: np.random.Generator,
) -> dict[str, float]:
    """How well the direction of the first language orders the pairs of the other, after alignment.

    Parameters
    ----------
    translations
        (word of the first language, word of the other); those without a vector are left out.

    Returns
    -------
    `anchors`; `right`, the share of the other's pairs that are ordered; `cosine` of the two directions; and the same
    two under anchors that are matched at random, `random_right` and `random_cosine`.

    Raises
    ------
    ValueError
        If there are fewer anchors than dimensions.
    """
    here, there = centred(vectors), centred(others)
    known = [(x, y) for x, y in translations if x in here and y in there]
    if len(known) < vectors.dim:
        raise ValueError(f"{len(known)} anchors have vectors; {vectors.dim} dimensions need as many or more")
    g = gender_direction(here, text.pairs().values()).g
    pairs = usable_pairs(there, dict.fromkeys(other.pairs().values()))
    own = gender_direction(there, pairs).g
    source, target = here.stack([x for x, _ in known]), there.stack([y for _, y in known])
    found = {"anchors": float(len(known))}
    for name, rows in (("", target), ("random_", rng.permutation(target))):
        moved = g @ procrustes(source, rows)
        found[f"{name}right"] = float(np.mean([np.subtract(*signed_scores(there, pair, moved)) > 0 for pair in pairs]))
        found[f"{name}cosine"] = float(moved @ own)
    return found
