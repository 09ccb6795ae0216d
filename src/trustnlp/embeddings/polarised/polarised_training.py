"""Word vectors trained in the field of document labels: three readings of PolarizedText, in compiled code.

"Anonymization, word vectors and O(n) model" (a project post of 2016; its equations are in the source of the blog,
ddu1/ddu1.github.io at 240a2170ccf9), and the released code, ddu1/polarizedtext at 418951eb0c8b. The post adds to
skip-gram with negative sampling (Eq. 1) the polarisation term of Eq. 4, Σ_w log(1 + exp(-v_w · μ)), where each label
has "its unique dimension". The post gives it no weight; here `field` is its weight λ, and 1 is the post's.

The forms, and whom each follows:

`as_written`
    The post. μ is the axis of the label of the *current document*; v_w is the vector of the word, the mean of its own
    row and its n-grams; a step for each token of the text. Dimensions beyond the labels are free. Where the post says
    nothing it is fastText: two tables, random start, each row of a word receives the whole gradient.
`as_released`
    The code. μ is 1 in the coordinates of *all labels under which the word occurs anywhere*, 0 elsewhere. The dimension
    is the number of labels. The step is taken on the *output* vector u_w, and its gradient goes to the word's own row
    alone. Rows of words start at μ divided by the number of the word's labels, rows of n-grams at 1/d, output vectors
    at 0. **Bug, on purpose**: the buffer that holds this gradient still holds that of the last pair of the token
    before, so that a word also receives the gradient that was meant for its *predecessor*. `uncleared_gradient=False`
    mends this and nothing else.
`repaired`
    Ours. Eq. 4 as it stands lacks a negative half like that of Eq. 1, so that a word that all owners use is drawn along
    all axes at once, and "common words" come to lie near every owner. Only the part of the field in which owners differ
    can tell them apart: μ is the axis of the current document's label *minus the mean field*, Σ_l P(l) · axis of l,
    where P(l) is the label's share of the tokens. The term stays convex in v_w; for a word that all owners use alike it
    is smallest where v_w has no component in the field at all. Everything else is as in `as_written`.

Common to all, and to `field=0`, which is plain skip-gram with sub-words: negatives in proportion to the square root of
counts and never the target, windows of random width, the rate of learning falling to 0, frequent words thinned out, all
as in fastText of 2016. Documents are shuffled once, as the released script does it.

Deviations from the released code: σ is computed, not looked up in 512 steps that end at ±8; negatives are drawn, not
read in turn from a shuffled table; the end of a line is no word; the buffer of the bug starts at 0 (the code reads
memory that nobody wrote); `polarised_subwords` gives no row to n-grams that the text lacks.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from trustnlp.embeddings.polarised import polarised_kernel as kernel
from trustnlp.embeddings.polarised.polarised_corpus import (
    Documents,
    LabelledCorpus,
    check_training,
    encode,
    labels_of_words,
    shuffled,
    small_start,
)
from trustnlp.embeddings.polarised.polarised_subwords import Subwords, subwords_of
from trustnlp.embeddings.polarised.polarised_vectors import PolarisedVectors

Form = Literal["as_written", "as_released", "repaired"]
_FORMS = {"as_written": kernel.WRITTEN, "as_released": kernel.RELEASED, "repaired": kernel.REPAIRED}
_USUAL_DIM = 100


def train_polarised(
    documents: Documents,
    labels: Sequence[str],
    *,
    form: Form = "as_written",
    field: float = 1.0,
    dim: int | None = None,
    window: int = 5,
    negatives: int = 5,
    epochs: int = 5,
    learning_rate: float = 0.05,
    min_count: int = 5,
    ngrams: tuple[int, int] = (3, 6),
    buckets: int = 2_000_000,
    subsample: float = 1e-4,
    uncleared_gradient: bool = True,
    threads: int = 1,
    seed: int,
) -> PolarisedVectors:
    """Train word vectors on labelled documents.

    With one thread the seed decides every bit, on one machine. With more, threads share the tables without locks
    (Hogwild; Recht et al. 2011), each with its part of the lines, and results differ a little from run to run.

    Parameters
    ----------
    documents
        Each a list of lines, each a list of words; no window goes beyond a line.
    labels
        The owner of each document.
    form
        See above.
    field
        Weight λ of the polarisation term; 0 is skip-gram without labels (`as_released` keeps its start and dimension).
    dim
        None for 100, or for the number of labels in `as_released`, which takes no other.
    window
        Context words on each side at most; each centre draws its own from 1 to this.
    negatives
        Random words held against each pair.
    epochs
        Passes over the text.
    learning_rate
        At the start; it falls linearly to 0.
    min_count
        Words seen less often get no vector of their own.
    ngrams
        Shortest and longest n-gram in characters; (0, 0) for none.
    buckets
        N-grams are hashed to so many.
    subsample
        A word of frequency f is kept with probability √(t/f) + t/f; 0 keeps all.
    uncleared_gradient
        The bug of `as_released`; other forms do not have it.
    threads
        Of the training.
    seed
        From 0 to 2⁶⁴ - 1.

    Raises
    ------
    TypeError
        If a document or a line is a string.
    ValueError
        If documents or labels are missing or do not fit (see `polarised_corpus.encode`), a single label with a field,
        too few dimensions for an axis per label, a number out of range, or training left the finite numbers.
    """
    if form not in get_args(Form):
        raise ValueError(f"form is one of {', '.join(get_args(Form))}, got {form!r}")
    if not (math.isfinite(field) and field >= 0):
        raise ValueError(f"field is the weight of the polarisation term, 0 or more and finite, got {field}")
    if not (math.isfinite(subsample) and subsample >= 0):
        raise ValueError(f"subsample is a frequency, 0 or more, got {subsample}")
    if buckets > 2**32:
        raise ValueError(f"n-grams are hashed to 32 bits, so at most {2**32} buckets can be filled, got {buckets}")
    counts = {"window": window, "negatives": negatives, "epochs": epochs, "min_count": min_count, "buckets": buckets}
    check_training(ngrams, learning_rate, seed, dim=1 if dim is None else dim, threads=threads, **counts)
    rng = np.random.default_rng(seed)
    corpus = shuffled(encode(documents, labels, min_count=min_count), rng)
    dim = _dimension(form, field, dim, len(corpus.labels))
    subwords = subwords_of(corpus.words, ngrams, buckets)
    word_labels = labels_of_words(corpus)
    inputs = _start(form, corpus, subwords, word_labels, dim, rng)
    outputs = np.zeros((len(corpus.words), dim), dtype=np.float32)
    streams = rng.integers(0, 2**64, size=threads, dtype=np.uint64)
    negative_words = kernel.alias_table(np.sqrt(corpus.counts))
    mean_field = _label_shares(corpus)
    keep, gains = keep_chances(corpus, subsample), gains_of(subwords)

    def train(part: int) -> None:
        kernel.train_lines(
            corpus.ids, corpus.line_starts, corpus.line_labels, parts[part], parts[part + 1],
            subwords.starts, subwords.rows, gains, inputs, outputs,
            keep, *negative_words, mean_field, *word_labels,
            _FORMS[form], field, not uncleared_gradient, learning_rate, window, negatives, epochs, streams[part],
        )  # fmt: skip

    parts = _parts(corpus, threads)
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(train, range(threads)))
    if not (np.isfinite(inputs).all() and np.isfinite(outputs).all()):
        raise ValueError(
            f"training left the finite numbers at learning_rate {learning_rate} and field {field}; lower one of them"
        )
    return PolarisedVectors(
        corpus.words,
        inputs,
        outputs,
        subwords,
        corpus.labels,
        _axes(form, mean_field, dim),
        ngrams=ngrams,
        buckets=buckets,
        name=f"polarised vectors ({form}, field {field:g}, {dim} dimensions, seed {seed})",
    )


def keep_chances(corpus: LabelledCorpus, subsample: float) -> NDArray[np.uint64]:
    """`(V,)` chances in units of 2⁻³² that an occurrence of a word is kept: fastText's √(t/f) + t/f."""
    if not subsample:
        return np.full(len(corpus.words), 2**32, dtype=np.uint64)
    ratio = subsample * corpus.tokens / corpus.counts
    return (np.minimum(np.sqrt(ratio) + ratio, 1) * 2**32).astype(np.uint64)


def gains_of(subwords: Subwords) -> NDArray[np.float32]:
    """`(V,)` how far the mean of a word's rows moves when each receives a gradient of 1: Σ m² / n over its rows.

    A row that stands `m` times among the `n` of a word receives the gradient `m` times and counts `m` times.
    """
    sizes = np.diff(subwords.starts)
    word = np.repeat(np.arange(len(sizes)), sizes)
    pairs, times = np.unique(word.astype(np.int64) * subwords.size + subwords.rows, return_counts=True)
    return (np.bincount(pairs // subwords.size, weights=times.astype(np.float64) ** 2) / sizes).astype(np.float32)


def _start(
    form: Form,
    corpus: LabelledCorpus,
    subwords: Subwords,
    word_labels: tuple[NDArray[np.int64], NDArray[np.int32]],
    dim: int,
    rng: np.random.Generator,
) -> NDArray[np.float32]:
    if form == "as_released":
        inputs = np.full((subwords.size, dim), 1 / dim, dtype=np.float32)
        starts, labels = word_labels
        many = np.diff(starts)
        inputs[: len(corpus.words)] = 0
        inputs[np.repeat(np.arange(len(many)), many), labels] = np.repeat(1 / np.maximum(many, 1), many)
        return inputs
    return small_start(subwords.size, dim, rng)


def _label_shares(corpus: LabelledCorpus) -> NDArray[np.float32]:
    """`(K,)` share of the tokens that each label has: the mean field, in the coordinates of the labels."""
    sizes = np.diff(corpus.line_starts)
    tokens = np.bincount(corpus.line_labels, weights=sizes, minlength=len(corpus.labels)).astype(np.float64)
    shares: NDArray[np.float32] = (tokens / tokens.sum()).astype(np.float32)
    return shares


def _axes(form: Form, mean_field: NDArray[np.float32], dim: int) -> NDArray[np.float32] | None:
    """`(K, d)` unit vectors in the direction of the field of each label; None where they do not fit."""
    if dim < len(mean_field):
        return None
    axes = np.eye(len(mean_field), dim, dtype=np.float32)
    if form == "repaired" and len(mean_field) > 1:
        axes[:, : len(mean_field)] -= mean_field
    axes /= np.linalg.norm(axes, axis=1, keepdims=True)
    return axes


def _parts(corpus: LabelledCorpus, threads: int) -> NDArray[np.int64]:
    """`(threads + 1,)` lines at which each thread begins, for about equal numbers of tokens."""
    tokens = np.linspace(0, corpus.line_starts[-1], threads + 1)
    parts = np.searchsorted(corpus.line_starts, tokens).astype(np.int64)
    parts[-1] = len(corpus.line_labels)
    return parts


def _dimension(form: Form, field: float, dim: int | None, labels: int) -> int:
    if labels < 2 and (field > 0 or form == "as_released"):
        raise ValueError(
            "all documents have the same label, and a field has to tell two apart; give documents of another owner, or "
            "train without a field (field=0, form='as_written')"
        )
    if form == "as_released":
        if dim not in (None, labels):
            raise ValueError(
                f"the released code ignores the dimension and takes the number of labels, {labels}; got {dim}: leave "
                "it out or choose another form"
            )
        return labels
    dim = _USUAL_DIM if dim is None else dim
    if field > 0 and dim < labels:
        raise ValueError(f"{labels} labels need an axis each, got {dim} dimensions; give at least {labels}")
    return dim
