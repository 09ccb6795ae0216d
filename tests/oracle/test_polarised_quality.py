"""Without a field, ours predicts held-out contexts as well as gensim's FastText, trained on the same text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("numba", reason="training needs the extra 'senses'")
pytest.importorskip("gensim", reason="the peer comes with the extra 'embeddings'")

from trustnlp.data.texts.english_text import read_english
from trustnlp.embeddings.polarised.polarised_training import train_polarised

EPOCHS, RATE, BUCKETS, NEGATIVES = 2, 0.05, 200_000, 5


def held_out_loss(
    lines: Sequence[Sequence[str]],
    words: Sequence[str],
    counts: np.ndarray,
    hidden: np.ndarray,
    outputs: np.ndarray,
) -> float:
    """Mean of Eq. 1 over neighbours within two places, with the same random words for whoever is judged."""
    row = {word: at for at, word in enumerate(words)}
    texts = [[row[word] for word in line if word in row] for line in lines]
    pairs = np.array(
        [(text[at], text[at + off]) for text in texts for at in range(len(text)) for off in (-2, -1, 1, 2)
         if 0 <= at + off < len(text)]
    )  # fmt: skip
    share = np.sqrt(counts)
    drawn = np.random.default_rng(0).choice(len(words), (len(pairs), NEGATIVES), p=share / share.sum())
    near = np.einsum("nd,nd->n", hidden[pairs[:, 0]], outputs[pairs[:, 1]])
    far = np.einsum("nd,nkd->nk", hidden[pairs[:, 0]], outputs[drawn])
    return float((np.logaddexp(0, -near) + np.logaddexp(0, far).sum(axis=1)).mean())


@pytest.mark.mirror
@pytest.mark.slow
def test_held_out_loss_is_that_of_gensim(mirror: Path) -> None:
    from gensim.models import FastText

    lines = read_english(["brown_corpus"])
    held_out = np.random.default_rng(1).choice(len(lines), 1500, replace=False)
    left_out = set(held_out.tolist())
    text, judged = [line for at, line in enumerate(lines) if at not in left_out], [lines[at] for at in held_out]
    counted = Counter(word for line in text for word in line)

    ours = train_polarised(
        [text], ["all"], field=0.0, epochs=EPOCHS, learning_rate=RATE, buckets=BUCKETS, negatives=NEGATIVES, seed=1
    )
    peer = FastText(
        text, sg=1, vector_size=100, window=5, negative=NEGATIVES, min_n=3, max_n=6, bucket=BUCKETS, min_count=5,
        sample=1e-4, epochs=EPOCHS, workers=1, alpha=RATE, ns_exponent=0.5, seed=1,
    )  # fmt: skip
    words = peer.wv.index_to_key
    assert set(words) == set(ours.words)
    # gensim trains with the sum of a word's rows over the number of its n-grams, the word's own row not counted.
    rows = peer.wv.buckets_word
    hidden = peer.wv.vectors_vocab + np.stack([peer.wv.vectors_ngrams[found].sum(axis=0) for found in rows])
    theirs = held_out_loss(
        judged, words, np.array([counted[word] for word in words]), hidden / np.array([[len(found)] for found in rows]),
        peer.syn1neg,
    )  # fmt: skip
    found = held_out_loss(
        judged, ours.words, np.array([counted[word] for word in ours.words]), ours.matrix, ours.context
    )
    knowing_nothing = (1 + NEGATIVES) * np.log(2)
    assert found < knowing_nothing - 1.5
    assert found == pytest.approx(theirs, abs=0.05), (found, theirs)
