"""Does one word turn predictions that another leaves alone? Probes over the contexts of a data set, and their accuracy.

Kumar, Dixit and Shah (2021), §4.5 and F.1. A control word and a probe word, thought to say the same about a film, are
put into many contexts. The set S1 ∩ S2 ∩ S3 are those that the model calls positive as they stand (S1), a student calls
positive with the control word (S2), and negative with the probe word (S3). Its relative size is the paper's measure of
a potential bias; the model then says how much of the student's claim is so.

A claim about a context is a pair: positive with one word *and* negative with the other. The paper prints the accuracy
of each half; `check_claims` gives the pair's as well. How good that is depends on how often the model answers so in any
case: `check_claims` over all contexts that pass the filters (the base rates). And any two words differ: hold the set,
and the accuracy of its claims, against those of words that should not matter.

The model itself may take the student's place (`word_replacements.ExactReplacements`); it then makes no wrong claim.
"Positive" is one label, the others together are "negative".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from trustnlp.attribution.model_calls import Floats, Labels, Predict, predicted_labels
from trustnlp.attribution.students.masked_spans import MaskedSpan
from trustnlp.attribution.word_replacements import (
    VALUES_AT_ONCE,
    ReplacementModel,
    check_vocabulary,
    replaced_text,
    replacement_labels,
    replacement_probabilities,
)

Rows = NDArray[np.int64]

# F.1, step 5.
POSITIVE_WORDS = (
    "immense", "marvelous", "wonderful", "glorious", "divine",
    "terrific", "sensational", "magnificent", "tremendous", "colossal",
)  # fmt: skip
NEGATIVE_WORDS = ("dreadful", "terrible", "awful", "hideous", "horrid", "horrible")


@dataclass(frozen=True, eq=False)
class ProbeContexts:
    """Contexts that pass the filters of F.1.

    Attributes
    ----------
    rows
        `(k,)` their numbers, ascending, at least one.
    left
        How many contexts were left: `all`, then those that are `positive`, `not_inverted` and `changeable`.
    """

    rows: Rows
    left: Mapping[str, int]


@dataclass(frozen=True, eq=False)
class ProbeSet:
    """S1 ∩ S2 ∩ S3 for one control word and one probe word.

    Attributes
    ----------
    control, probe
        The words.
    rows
        `(k,)` numbers of the contexts in the set, those the student is surest of first.
    confidence
        `(k,)` how sure, in the order of `rows`.
    contexts
        How many contexts were probed.
    """

    control: str
    probe: str
    rows: Rows
    confidence: Floats
    contexts: int

    @property
    def share(self) -> float:
        """Relative size of the set: share of the contexts probed, 0 to 1."""
        return len(self.rows) / self.contexts


@dataclass(frozen=True, eq=False)
class CheckedClaims:
    """The model's own answers to claims "positive with the control word, negative with the probe word".

    Attributes
    ----------
    rows
        `(k,)` numbers of the contexts.
    control_right, probe_right
        `(k,)` whether the model is positive with the control word, and negative with the probe word.
    """

    rows: Rows
    control_right: NDArray[np.bool_]
    probe_right: NDArray[np.bool_]

    @property
    def control(self) -> float:
        """Accuracy with the control word, in per cent; NaN of no claims."""
        return _percent(self.control_right)

    @property
    def probe(self) -> float:
        """Accuracy with the probe word, in per cent; NaN of no claims."""
        return _percent(self.probe_right)

    @property
    def joint(self) -> float:
        """Accuracy of the claim, which is both at once, in per cent; NaN of no claims."""
        return _percent(self.control_right & self.probe_right)


def filter_contexts(
    student: ReplacementModel,
    labels: Labels,
    vocabulary: Sequence[str],
    *,
    positive: int = 1,
    inverted: Literal["both", "either"] = "both",
    changeable: bool = True,
    positive_words: Sequence[str] = POSITIVE_WORDS,
    negative_words: Sequence[str] = NEGATIVE_WORDS,
) -> ProbeContexts:
    """F.1, steps 4 to 6: contexts that are positive, that words act on, and that do not turn their meaning round.

    Parameters
    ----------
    student
        Row i of it is context i.
    labels
        `(m,)` the model's labels of the texts as they stand (steps 1 to 3 are the caller's: texts, and words in them
        with the tag in question).
    vocabulary
        Words of that tag. A context in which the student gives all of them one label is left out (step 6). They are
        asked for in growing portions, and only for contexts that have not changed yet.
    positive
        The label that counts as positive.
    inverted
        Step 5 removes contexts "for which the student model predicts negative for at least one" of the positive words
        "and positive for at least one" of the negative ones. As it reads, `both` must be so; `either` is the stricter
        filter that the sentence may mean.
    changeable
        Whether step 6 is taken. A student that has learned next to nothing gives all words one label everywhere.
    positive_words, negative_words
        The lists of step 5.

    Raises
    ------
    ValueError
        If given an empty list of words, no contexts, another way of step 5, a model that returns another shape, or no
        context left: after which step.
    """
    _check_choice("inverted", inverted, ("both", "either"))
    for words, called in ((vocabulary, "the vocabulary"), (positive_words, "the list of positive words")):
        check_vocabulary(words, called)
    check_vocabulary(negative_words, "the list of negative words")
    if np.ndim(labels) != 1 or not len(labels):
        raise ValueError(f"expected the model's labels (m,) of at least one context, got shape {np.shape(labels)}")
    rows = np.flatnonzero(np.asarray(labels) == positive)
    left = {"all": len(labels), "positive": _some(len(rows), "whose text the model calls positive (step 4)")}
    against = (replacement_labels(student, rows, positive_words) != positive).any(axis=1)
    in_favour = (replacement_labels(student, rows, negative_words) == positive).any(axis=1)
    rows = rows[~(against & in_favour if inverted == "both" else against | in_favour)]
    left["not_inverted"] = _some(len(rows), "which the words of step 5 do not show to be inverted")
    if changeable:
        rows = rows[_changeable(student, rows, vocabulary)]
    left["changeable"] = _some(len(rows), "in which a word of the vocabulary changes the student's label (step 6)")
    return ProbeContexts(rows, left)


def biased_set(
    student: ReplacementModel,
    rows: Rows,
    control: str,
    probe: str,
    *,
    positive: int = 1,
    sure_of: Literal["pair", "probe"] = "pair",
) -> ProbeSet:
    """S1 ∩ S2 ∩ S3 among contexts that are in S1, as those of `filter_contexts` are.

    Parameters
    ----------
    rows
        Numbers of the contexts to probe.
    control, probe
        Two different words.
    sure_of
        "The 100 most confident predictions" do not say of what. `pair`: the product of the probabilities of positive
        with the control word and of negative with the probe word, the claim; `probe`: the latter alone.

    Raises
    ------
    ValueError
        If the two words are one, there are no contexts, the student is to be sure of something else, or the model
        returns another shape.
    """
    _check_pair(control, probe)
    _check_choice("sure_of", sure_of, ("pair", "probe"))
    if not len(rows):
        raise ValueError("there is no context to probe; which filter left none?")
    p = replacement_probabilities(student, rows, [control, probe])
    says_positive = p.argmax(axis=2) == positive
    chosen = np.flatnonzero(says_positive[:, 0] & ~says_positive[:, 1])
    sure = 1 - p[chosen, 1, positive]
    if sure_of == "pair":
        sure = sure * p[chosen, 0, positive]
    order = np.argsort(-sure, kind="stable")
    return ProbeSet(control, probe, rows[chosen[order]], sure[order], len(rows))


def check_claims(
    predict: Predict, contexts: Sequence[MaskedSpan], rows: Rows, control: str, probe: str, *, positive: int = 1
) -> CheckedClaims:
    """Whether the model is positive with the control word and negative with the probe word, in the contexts `rows`.

    Of `ProbeSet.rows[:100]` this is Table 6; of `ProbeContexts.rows` it gives the base rates. One call of `predict`.

    Raises
    ------
    ValueError
        If the two words are one, or `predict` returns another shape.
    """
    _check_pair(control, probe)
    texts = [replaced_text(contexts[row], word) for word in (control, probe) for row in rows]
    says_positive = predicted_labels(predict, texts).reshape(2, len(rows)) == positive
    return CheckedClaims(np.asarray(rows, dtype=np.int64), says_positive[0], ~says_positive[1])


def _changeable(student: ReplacementModel, rows: Rows, vocabulary: Sequence[str]) -> NDArray[np.bool_]:
    """`(len(rows),)` whether two words of the vocabulary have different labels."""
    changed = np.zeros(len(rows), dtype=np.bool_)
    first = replacement_labels(student, rows, vocabulary[:1])[:, 0]
    start, size = 1, 1
    with tqdm(total=len(vocabulary) - 1, desc="words that change", disable=None, delay=3, leave=False) as progress:
        while start < len(vocabulary) and not changed.all():
            same = np.flatnonzero(~changed)
            found = replacement_labels(student, rows[same], vocabulary[start : start + size])
            changed[same] = (found != first[same, None]).any(axis=1)
            start += size
            progress.update(size)
            # Most contexts change within a few words: small portions first, larger ones for the stubborn few.
            size = min(2 * size, max(1, VALUES_AT_ONCE // (2 * len(same))))
    return changed


def _some(number: int, kind: str) -> int:
    if not number:
        raise ValueError(f"no context is left {kind}; probe more texts, or look at what the student predicts")
    return number


def _check_choice(called: str, chosen: str, known: tuple[str, ...]) -> None:
    if chosen not in known:
        raise ValueError(f"{called} is {chosen!r}; expected one of {', '.join(known)}")


def _check_pair(control: str, probe: str) -> None:
    check_vocabulary([control], "the control word")
    check_vocabulary([probe], "the probe word")
    if control == probe:
        raise ValueError(f"the probe word is the control word, {control!r}; two different words are compared")


def _percent(right: NDArray[np.bool_]) -> float:
    return float(100 * right.mean()) if len(right) else float("nan")
