"""The probes of §4.5 over all adjectives of the training phrases, beside placebos. Kumar et al. (2021), C and F.

The paper takes the difference between the sets of a control and a probe word as the sign of a bias. Of the contexts
where a is positive and b negative, less those where b is positive and a negative, those where both are positive cancel:

    |a⁺ ∩ b⁻| − |b⁺ ∩ a⁻| = |a⁺| − |b⁺|

so it is the difference of two rates, how often each word comes out positive. One number a word decides all pairs, and
all of them can be counted.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binomtest
from tqdm import tqdm

from trustnlp.attribution.students.bias_probes import (
    NEGATIVE_WORDS,
    POSITIVE_WORDS,
    CheckedClaims,
    ProbeContexts,
    biased_set,
    check_claims,
    filter_contexts,
)
from trustnlp.attribution.students.influence_student import contexts_once
from trustnlp.attribution.students.masked_spans import MaskedSpan, masked_pairs
from trustnlp.attribution.students.student_replacements import StudentReplacements
from trustnlp.attribution.word_replacements import ReplacementModel, check_vocabulary, portions, replacement_labels
from trustnlp.data.annotation.english_tags import Words, contexts_of
from trustnlp.data.texts.film_reviews import Reviews
from trustnlp.data.texts.review_standins import PLACEBO_WORDS
from trustnlp.studies.moxie.models import Explained

ALPHA = 0.05
_SUREST = 100
_NAMES = {".": "punctuation"}
# Adjectives of place, time, stuff, colour and number, which name no group of people. They were chosen by sense before
# any model was asked about them. Some are one-sided in reviews all the same (`neutral_words` drops those).
NEUTRAL_ADJECTIVES = (
    "rural", "annual", "wooden", "local", "northern", "southern", "eastern", "western", "urban", "daily",
    "weekly", "monthly", "yearly", "coastal", "square", "circular", "vertical", "horizontal", "metric",
    "digital", "electric", "electronic", "solar", "lunar", "nuclear", "chemical", "medical", "dental", "legal",
    "fiscal", "postal", "naval", "military", "municipal", "federal", "industrial", "agricultural", "domestic",
    "central", "lateral", "outer", "inner", "upper", "lower", "adjacent", "parallel", "double", "triple",
    "forty", "hourly", "nightly", "seasonal", "tidal", "oceanic", "alpine", "tropical", "arctic", "desert",
    "suburban", "provincial", "regional", "coloured", "yellow", "purple", "orange", "gray", "brown", "green",
    "pink", "beige", "plastic", "woolen", "metallic", "ceramic", "cotton", "wet", "dry", "damp", "left",
    "right",
)  # fmt: skip
Counts = NDArray[np.int64]
# Sets of probe words that are listed; each is paired with every control word.
MOST_LISTED = 200_000
_KEYS_AT_ONCE = 1 << 22


@dataclass(frozen=True, eq=False)
class Probed:
    """Contexts of one teacher and student, and those that pass the filters."""

    spans: tuple[MaskedSpan, ...]
    student: StudentReplacements
    kept: ProbeContexts


def vocabulary_sizes(vocabulary: Mapping[str, Words]) -> dict[str, int]:
    """Part of speech → number of words, Table 8."""
    return {_NAMES.get(tag, tag): len(words) for tag, words in vocabulary.items()}


def adjective_contexts(reviews: Reviews) -> tuple[MaskedSpan, ...]:
    """Every adjective of the training phrases in its phrase (F.1, steps 2 and 3)."""
    texts = reviews.tagged["train"]
    return tuple(MaskedSpan(texts[text].words, at, at + 1) for text, at in contexts_of(texts, "ADJ"))


def changing_words(vocabulary: Sequence[str], named: Sequence[str], drawn: int, rng: np.random.Generator) -> Words:
    """The `named` words and up to `drawn` random ones of the rest, for step 6 of F.1.

    Step 6 asks the whole vocabulary. Contexts that no word changes, asked for every word, would cost as much as the
    rest of the notebook. With the words that are compared among those asked, the sets of contexts are as they would be;
    the number of contexts that they are shares of is smaller.
    """
    rest = [word for word in vocabulary if word not in set(named)]
    places = np.sort(rng.permutation(len(rest))[:drawn])
    return tuple(dict.fromkeys([*named, *(rest[place] for place in places)]))


def probe(
    found: Explained, reviews: Reviews, spans: Sequence[MaskedSpan], changing: Sequence[str], profile: str
) -> Probed:
    """Read all contexts once, and filter them (F.1, steps 4 to 6; the weak student of `smoke` skips the last).

    `changing` are the words of step 6 (`changing_words`).
    """
    pairs = masked_pairs(found.teacher, spans, folder=found.folder)
    labels = found.teacher.logits(pairs.full).argmax(dim=1).cpu().numpy()
    vectors = contexts_once(found.student, spans, found.folder)
    student = StudentReplacements(found.teacher, found.student, vectors, pairs.masked)
    kept = filter_contexts(student, labels, changing, changeable=profile == "paper")
    return Probed(tuple(spans), student, kept)


def measure(
    found: Explained,
    probed: Probed,
    control: str,
    probes: Sequence[str],
    base_contexts: int,
    rng: np.random.Generator,
) -> dict[str, float]:
    """Figure 4 and Table 6 of one seed; shares and accuracies in per cent, NaN of an empty set.

    `set.WORD.share` and `.reverse`, `.above_reverse`; `.control`, `.probe`, `.joint`, accuracies of the whole set (of
    up to `base_contexts` of it); `top.WORD.…` the same of the hundred surest, `….base` in filtered contexts drawn at
    random, `….above_base` the difference, `….joint_margin` the hundred surest pairs less one half or the base rate, if
    that is more, `….probe_gain` the hundred surest less the whole set.
    """
    rows = probed.kept.rows
    result: dict[str, float] = {
        f"contexts.{step}": number for step, number in probed.kept.left.items() if step != "all"
    }
    result["contexts.kept"] = len(rows)
    drawn = np.sort(rng.permutation(rows)[:base_contexts])
    for word in probes:
        chosen, reverse = (biased_set(probed.student, rows, *pair) for pair in ((control, word), (word, control)))
        result[f"set.{word}.share"] = 100 * chosen.share
        result[f"set.{word}.reverse"] = 100 * reverse.share
        result[f"set.{word}.above_reverse"] = 100 * (chosen.share - reverse.share)

        def checked(some: NDArray[np.int64], word: str = word) -> CheckedClaims:
            return check_claims(found.teacher.predict, probed.spans, some, control, word)

        top, base = checked(chosen.rows[:_SUREST]), checked(drawn)
        whole = checked(np.sort(rng.permutation(chosen.rows)[:base_contexts]))
        for half in ("control", "probe", "joint"):
            result[f"set.{word}.{half}"] = getattr(whole, half)
            result[f"top.{word}.{half}"] = getattr(top, half)
            result[f"top.{word}.{half}_base"] = getattr(base, half)
            result[f"top.{word}.{half}_above_base"] = getattr(top, half) - getattr(base, half)
        result[f"top.{word}.joint_margin"] = top.joint - max(base.joint, 50.0)
        result[f"top.{word}.probe_gain"] = top.probe - whole.probe
    queer = biased_set(probed.student, rows, control, "queer")
    return result | {"set.queer.size": len(queer.rows), "set.queer.none": 0.5 - len(queer.rows)}


def neutral_words(reviews: Reviews, most: int, profile: str) -> tuple[str, ...]:
    """Neutral adjectives of the dictionary that no label prefers, the same list for every seed.

    A word is dropped if its training phrases are positive more or less often than all of them (binomial test, level
    `ALPHA`): a teacher should have learned that. Phrases of one sentence overlap, so rather too many are dropped.
    Words of no training phrase stay.
    """
    listed = NEUTRAL_ADJECTIVES if profile == "paper" else PLACEBO_WORDS
    known = set(reviews.vocabulary["ADJ"])
    texts, labels = [set(text.words) for text in reviews.tagged["train"]], reviews.sst2.train.labels

    def one_sided(word: str) -> bool:
        own = labels[[word in words for words in texts]]
        return bool(len(own)) and binomtest(int(own.sum()), len(own), float(labels.mean())).pvalue < ALPHA

    return tuple(word for word in listed if word in known and not one_sided(word))[:most]


def beside_placebos(
    probed: Probed, control: str, probes: Sequence[str], placebos: Sequence[str]
) -> tuple[dict[str, float], dict[str, float]]:
    """The placebos beside each probe; and the difference of every word to the control, in points.

    `set.WORD.p_value`, the share of ordered pairs of all these words that lie as far apart; `.reaching`, the share of
    placebos that do so in the probe's place; `.beyond_placebo`, .05 less the larger of the two. The first alone would
    be small for a control that is unlike all other words, the second alone for few placebos.
    """
    result, differences = {}, {}
    for word in probes:
        test = placebo_test(probed.student, probed.kept.rows, control, [word], placebos)
        result[f"set.{word}.p_value"] = test.p_value
        result[f"set.{word}.reaching"] = test.reaching
        result[f"set.{word}.beyond_placebo"] = ALPHA - max(test.p_value, test.reaching)
        differences[word] = 100 * test.difference
        differences |= dict(zip(test.placebos, (100 * test.differences).tolist(), strict=True))
    return result | {"placebos.count": len(test.placebos)}, differences


def timed(
    found: Explained, probed: Probed, spans: Sequence[MaskedSpan], sample: int, rng: np.random.Generator
) -> dict[str, float]:
    """Seconds to ask two words in all contexts with stored vectors (the best of three), and with the teacher.

    What the teacher takes, and what it takes to store the vectors of all contexts, is told from a random sample.
    `speed.words_until_stored_pays` is the number of words for which storing and asking takes as long as the teacher.
    """
    rows = np.arange(len(spans))
    words = (POSITIVE_WORDS[0], NEGATIVE_WORDS[0])
    some = [spans[row] for row in rng.permutation(len(spans))[:sample]]
    whole = len(spans) / len(some)

    def store() -> None:
        found.student.contexts(some)
        found.teacher.representations([span.masked_text(found.student.mask) for span in some])

    probed.student(rows[:2], words)  # their vectors, and torch's first call
    student = min(_seconds(lambda: probed.student(rows, words)) for _ in range(3))
    texts = [" ".join(span.replaced(words[0])) for span in some]
    teacher = 2 * whole * _seconds(lambda: found.teacher.predict(texts))
    stored = whole * _seconds(store)
    return {
        "speed.seconds_student": student,
        "speed.seconds_teacher": teacher,
        "speed.seconds_stored": stored,
        "speed.words_until_stored_pays": 2 * stored / (teacher - student),
        "speed.factor": teacher / student,
        "speed.second_margin": 1 - student,
    }


def _seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


@dataclass(frozen=True, eq=False)
class PlaceboTest:
    """A control and its probe words among other words.

    Attributes
    ----------
    difference
        The statistic: relative size of the set less that of the reversed pair, mean over the probe words; −1 to 1.
    p_value
        Share of all choices of a control word and as many probe words, out of the words given and the placebos, whose
        statistic is at least as large. Counted (the choice given among them), or estimated as (hits + 1) / (draws + 1).
    exact
        Whether it was counted.
    choices
        How many choices there are.
    reaching
        Share of the placebos that, alone in the place of the probe words and with the control given, reach the
        statistic, 0 to 1.
    placebos
        The words that were used: those given but for the control, the probe words and repetitions.
    differences
        `(len(placebos),)` statistic of the control given and each placebo.
    """

    difference: float
    p_value: float
    exact: bool
    choices: int
    reaching: float
    placebos: tuple[str, ...] = field(repr=False)
    differences: NDArray[np.float64] = field(repr=False)


def placebo_test(
    student: ReplacementModel,
    rows: NDArray[np.int64],
    control: str,
    probes: Sequence[str],
    placebos: Sequence[str],
    *,
    positive: int = 1,
    draws: int = 100_000,
    rng: np.random.Generator | None = None,
) -> PlaceboTest:
    """Test probe words against a control word among placebos, over the contexts `rows`.

    Under the hypothesis that the words given differ as any words of the list do, the p-value is below α with a
    probability of at most α. It says nothing of other contexts or other teachers.

    Parameters
    ----------
    student
        A student, or the model itself (`ExactReplacements`).
    rows
        Numbers of the contexts, such as `ProbeContexts.rows`.
    control, probes
        One word, and one or more others.
    placebos
        At least one word besides them.
    positive
        The label that counts as positive.
    draws, rng
        Where there are more than `MOST_LISTED` sets of as many words as there are probe words: random choices, and
        their generator. For one probe word all pairs are counted.

    Raises
    ------
    ValueError
        If there is no context or placebo, the control among the probe words, or a generator is needed and missing.
    """
    check_vocabulary(probes, "the list of probe words")
    if control in probes:
        raise ValueError(f"the control word {control!r} is among the probe words; two different words are compared")
    if not len(rows):
        raise ValueError("there is no context to probe; which filter left none?")
    others = tuple(dict.fromkeys(word for word in placebos if word not in {control, *probes}))
    check_vocabulary(others, "the list of placebos, without the control and the probe words,")
    words = (control, *probes, *others)
    positives = _positives(student, rows, words, positive)
    size = len(probes)
    statistic = int(size * positives[0] - positives[1 : size + 1].sum())
    sets = comb(len(words), size)
    if exact := sets <= MOST_LISTED:
        p_value = _reaching_choices(positives, size, statistic) / (sets * (len(words) - size))
    else:
        if rng is None or draws < 1:
            raise ValueError(
                f"{len(words)} words have {sets:.3g} sets of {size}, which are sampled: give "
                "rng=numpy.random.default_rng(seed) and draws ≥ 1, or fewer placebos"
            )
        p_value = (_reaching_draws(positives, size, statistic, draws, rng) + 1) / (draws + 1)
    apart = positives[0] - positives[size + 1 :]
    return PlaceboTest(
        difference=statistic / (size * len(rows)),
        p_value=p_value,
        exact=exact,
        choices=sets * (len(words) - size),
        reaching=float((size * apart >= statistic).mean()),
        placebos=others,
        differences=apart / len(rows),
    )


def _positives(student: ReplacementModel, rows: NDArray[np.int64], words: Sequence[str], positive: int) -> Counts:
    """In how many of the contexts each word comes out positive, `(v,)`."""
    counts = np.empty(len(words), dtype=np.int64)
    # Portions of words here, not of contexts: nothing but the counts is kept.
    for places in tqdm(list(portions(len(words), len(rows))), desc="placebos", disable=None, delay=3, leave=False):
        counts[places] = (replacement_labels(student, rows, words[places]) == positive).sum(axis=0)
    return counts


def _reaching_choices(positives: Counts, size: int, statistic: int) -> int:
    """Of all choices of a control and `size` other words, how many reach the statistic: size · control − Σ others."""
    chosen = np.array(list(combinations(range(len(positives)), size)))
    controls = np.sort(size * positives)
    needed = statistic + positives[chosen].sum(axis=1)
    reaching = len(controls) - np.searchsorted(controls, needed, side="left")
    within = (size * positives[chosen] >= needed[:, None]).sum()
    return int(reaching.sum() - within)


def _reaching_draws(positives: Counts, size: int, statistic: int, draws: int, rng: np.random.Generator) -> int:
    """Random choices of a control and `size` other words: how many reach the statistic."""
    hits = 0
    block = max(1, _KEYS_AT_ONCE // len(positives))
    for start in range(0, draws, block):
        keys = rng.random((min(block, draws - start), len(positives)))
        # The words with the `size` smallest keys, and the one with the next.
        picked = positives[np.argpartition(keys, size, axis=1)[:, : size + 1]]
        hits += int(np.count_nonzero(size * picked[:, size] - picked[:, :size].sum(axis=1) >= statistic))
    return hits
