"""fastText's supervised classifier, trained on who owns a text: the post's third method, whose word vectors it scores.

Joulin, Grave, Bojanowski and Mikolov (2016): a text is the mean h of the rows of its words, and a softmax over labels
is fitted to it. The post scores words by the vectors that this leaves behind ("fasttext(supervised)", area .79) and
says that it does not enforce context binding. A word's vector is compared with that of a name, or with the output
vector of a label, which `PolarisedVectors.axis` gives here.

As in fastText: input rows start at random within ±1/d, output vectors at 0, each row receives the gradient of h divided
by the number of rows, and the rate of learning falls linearly to 0. Deviations: fastText of 2016 has no character
n-grams in this mode (`ngrams=(0, 0)`); with them, as in its later versions, unseen words have a vector. Threads see
their texts in an order shuffled once.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Literal, get_args

import numpy as np

from trustnlp.embeddings.polarised.polarised_corpus import Documents, check_training, encode, shuffled, small_start
from trustnlp.embeddings.polarised.polarised_kernel import compiled
from trustnlp.embeddings.polarised.polarised_subwords import subwords_of
from trustnlp.embeddings.polarised.polarised_vectors import PolarisedVectors

Examples = Literal["document", "line"]


def train_supervised(
    documents: Documents,
    labels: Sequence[str],
    *,
    examples: Examples = "document",
    dim: int = 100,
    epochs: int = 5,
    learning_rate: float = 0.1,
    min_count: int = 1,
    ngrams: tuple[int, int] = (3, 6),
    buckets: int = 2_000_000,
    threads: int = 1,
    seed: int,
) -> PolarisedVectors:
    """Train a classifier of owners, and return the vectors of its words and labels.

    Defaults are fastText's of 2016, but for the n-grams. The released script runs 100 epochs at a rate of 0.2.

    Parameters
    ----------
    documents, labels
        As in `train_polarised`.
    examples
        What is one text to classify: a document, as in the released script, or each line with the label of its
        document, which makes many more steps.
    dim
        Number of dimensions; it need not reach the number of labels.
    epochs, learning_rate, min_count, ngrams, buckets, threads, seed
        As in `train_polarised`.

    Raises
    ------
    TypeError, ValueError
        If `train_polarised` would raise it.
    """
    if examples not in get_args(Examples):
        raise ValueError(f"examples is one of {', '.join(get_args(Examples))}, got {examples!r}")
    counts = {"dim": dim, "epochs": epochs, "min_count": min_count, "buckets": buckets, "threads": threads}
    check_training(ngrams, learning_rate, seed, **counts)
    rng = np.random.default_rng(seed)
    corpus = shuffled(encode(documents, labels, min_count=min_count), rng)
    if len(corpus.labels) < 2:
        raise ValueError("all documents have the same label, and there is nothing to tell apart")
    subwords = subwords_of(corpus.words, ngrams, buckets)
    inputs = small_start(subwords.size, dim, rng)
    outputs = np.zeros((len(corpus.labels), dim), dtype=np.float32)
    first_lines = corpus.document_starts if examples == "document" else np.arange(len(corpus.line_labels) + 1)
    starts, text_labels = corpus.line_starts[first_lines], corpus.line_labels[first_lines[:-1]]
    parts = np.linspace(0, len(text_labels), threads + 1).astype(np.int64)

    def train(part: int) -> None:
        _train_texts(
            corpus.ids, starts, text_labels, parts[part], parts[part + 1],
            subwords.starts, subwords.rows, inputs, outputs, learning_rate, epochs,
        )  # fmt: skip

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(train, range(threads)))
    if not (np.isfinite(inputs).all() and np.isfinite(outputs).all()):
        raise ValueError(f"training left the finite numbers at learning_rate {learning_rate}; lower it")
    return PolarisedVectors(
        corpus.words,
        inputs,
        outputs,
        subwords,
        corpus.labels,
        outputs,
        ngrams=ngrams,
        buckets=buckets,
        name=f"supervised vectors ({examples} by {examples}, {dim} dimensions, seed {seed})",
    )


@compiled
def _train_texts(  # type: ignore[no-untyped-def]
    ids, text_starts, text_labels, first_text, last_text, starts, rows, inputs, outputs, learning_rate, epochs
):
    dim, classes = inputs.shape[1], outputs.shape[0]
    hidden, grad, chance = np.empty(dim, np.float32), np.empty(dim, np.float32), np.empty(classes, np.float32)
    done, every = 0, epochs * (text_starts[last_text] - text_starts[first_text])
    for _ in range(epochs):
        for text in range(first_text, last_text):
            begin, end = text_starts[text], text_starts[text + 1]
            rate = np.float32(learning_rate * (1 - done / max(every, 1)))
            done += end - begin
            used = 0
            hidden[:] = 0
            for at in range(begin, end):
                for at_row in range(starts[ids[at]], starts[ids[at] + 1]):
                    row = rows[at_row]
                    used += 1
                    for i in range(dim):
                        hidden[i] += inputs[row, i]
            if used == 0:
                continue
            part = np.float32(1) / np.float32(used)
            for i in range(dim):
                hidden[i] *= part

            for k in range(classes):
                dot = np.float32(0)
                for i in range(dim):
                    dot += hidden[i] * outputs[k, i]
                chance[k] = dot
            highest = chance.max()
            total = np.float32(0)
            for k in range(classes):
                chance[k] = np.exp(chance[k] - highest)
                total += chance[k]
            grad[:] = 0
            for k in range(classes):
                step = rate * (np.float32(k == text_labels[text]) - chance[k] / total)
                for i in range(dim):
                    value = outputs[k, i]
                    grad[i] += step * value
                    outputs[k, i] = value + step * hidden[i]
            for i in range(dim):
                grad[i] *= part
            for at in range(begin, end):
                for at_row in range(starts[ids[at]], starts[ids[at] + 1]):
                    row = rows[at_row]
                    for i in range(dim):
                        inputs[row, i] += grad[i]
