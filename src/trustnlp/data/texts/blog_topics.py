"""Blog posts with a topic that LDA finds, and the writer's gender and age to protect: BLOG of Lyu, He and Li (2020).

The corpus (Schler et al. 2006) has no topics. Coavoux, Narayan and Cohen (2018) make them, and Lyu et al. follow
(§4.1.2): fit latent Dirichlet allocation with ten topics to all posts, keep a post whose likeliest topic has a
probability above 0.8, and call that topic its label. The label is thus a function of the very words that the classifier
reads.

Where we deviate: the corpus is a sample of 24,000 posts, 6,000 from each cell of gender and age, of 20 to 128 tokens;
theirs is all posts of these four groups. Which split they drew is not known, nor their seed for LDA.
"""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import psi

from trustnlp.data.json_lines import read_json_lines
from trustnlp.data.store import fetch
from trustnlp.data.texts.private_attributes import AttributeSet, AttributeTexts

logger = logging.getLogger(__name__)

GENDERS = ("female", "male")
# Coavoux' bands: the paper's "under 20" and "over 30". Whoever is between them is left out.
_UNDER, _FROM = 20, 30
ATTRIBUTES = ("gender", "age")
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class BlogPost:
    """A post with what its writer says of themselves: `gender` as in `GENDERS`, `age` in years."""

    blogger: str
    gender: str
    age: int
    text: str

    @property
    def attributes(self) -> tuple[int, int]:
        """Gender (1 = male) and age (1 = over 30)."""
        return GENDERS.index(self.gender), int(self.age >= _FROM)


def read_blog_posts() -> tuple[BlogPost, ...]:
    """The sample of the blog authorship corpus, in the order of its file. Personal texts: show none of them.

    Raises
    ------
    DataError
        If the file cannot be had.
    """
    rows = read_json_lines(fetch("blog_posts")["posts"])
    return tuple(BlogPost(str(row["id"]), row["gender"], int(row["age"]), row["text"]) for row in rows)


@dataclass(frozen=True)
class Topics:
    """The topics of texts by LDA.

    Attributes
    ----------
    shares
        `(n, k)` probability of each topic in each text; rows add up to 1.
    words
        The likeliest words of each topic, likeliest first.
    seconds
        How long the fit and the shares took.
    """

    shares: NDArray[np.float64]
    words: tuple[tuple[str, ...], ...]
    seconds: float

    def dominant(self, threshold: float = 0.8) -> NDArray[np.int64]:
        """`(n,)` the topic of each text whose probability is above the threshold, or -1 where there is none."""
        return np.where(self.shares.max(axis=1) > threshold, self.shares.argmax(axis=1), -1)


def find_topics(texts: Sequence[str], *, seed: int, n_topics: int = 10, passes: int = 20) -> Topics:
    """Latent Dirichlet allocation by gensim, with Coavoux' settings, in one thread; texts are gone through in batches.

    Words are runs of letters, digits and underscores, lower-cased; those in one text only and those in more than half
    of the texts are left out, no other stop words are. The same texts and seed give the same topics on one machine.
    What gensim would compute for its log alone is switched off.

    Raises
    ------
    ImportError
        If gensim is not installed.
    ValueError
        If no word is left.
    """
    try:
        from gensim.corpora import Dictionary
        from gensim.models import LdaModel
    except ImportError as error:
        raise ImportError("finding topics needs gensim: pip install 'trustnlp[embeddings]'") from error
    start = time.perf_counter()
    words = [_WORD.findall(text.lower()) for text in texts]
    vocabulary = Dictionary(words)
    vocabulary.filter_extremes(no_below=2, no_above=0.5)
    if not len(vocabulary):
        raise ValueError(f"no word stands in two of the {len(texts)} texts and in at most half of them")
    bags = [vocabulary.doc2bow(text) for text in words]
    batched = type("BatchedLda", (LdaModel,), {"inference": _infer_batch})
    model = batched(bags, id2word=vocabulary, num_topics=n_topics, passes=passes, random_state=seed, eval_every=None)
    weights, _ = model.inference(bags)
    likeliest = [tuple(word for word, _ in model.show_topic(topic, topn=10)) for topic in range(n_topics)]
    seconds = time.perf_counter() - start
    logger.info("LDA: %d texts, %d words, %d passes: %.0f s", len(texts), len(vocabulary), passes, seconds)
    shares = np.asarray(weights, dtype=np.float64)
    return Topics(shares / shares.sum(axis=1, keepdims=True), tuple(likeliest), seconds)


def _infer_batch(model: Any, chunk: Iterable[Any], collect_sstats: bool = False) -> tuple[Any, Any]:
    """gensim's `LdaModel.inference` for all texts of a chunk at once: the same first draws, updates and stopping rule.

    gensim goes through the texts one by one in Python, which takes over three times as long. Sums are added up in
    another order, so a text may stop an update earlier or later: probabilities agree to about the threshold, 0.001.
    """
    bags = list(chunk)
    lengths = np.array([len(bag) for bag in bags])
    ids = np.fromiter((word for bag in bags for word, _ in bag), dtype=np.int64, count=lengths.sum())
    counts = np.fromiter((count for bag in bags for _, count in bag), dtype=model.dtype, count=lengths.sum())
    likelihood = np.ascontiguousarray(model.expElogbeta[:, ids].T)  # (words of all texts, k)
    tiny = np.finfo(model.dtype).eps

    def expectation(weights: Any) -> Any:
        return np.exp(psi(weights) - psi(weights.sum(axis=1, keepdims=True))).astype(model.dtype)

    gamma = model.random_state.gamma(100.0, 0.01, (len(bags), model.num_topics)).astype(model.dtype)
    gamma[lengths == 0] = model.alpha
    theta = expectation(gamma)
    moving = np.flatnonzero(lengths)
    size, here, weight = lengths[moving], likelihood, counts
    for _ in range(model.iterations):
        if not len(moving):
            break
        norm = np.einsum("nk,nk->n", np.repeat(theta[moving], size, axis=0), here) + tiny
        sums = np.add.reduceat((weight / norm)[:, None] * here, np.cumsum(size) - size, axis=0)
        updated = model.alpha + theta[moving] * sums
        on = np.abs(updated - gamma[moving]).mean(axis=1) >= model.gamma_threshold
        gamma[moving], theta[moving] = updated, expectation(updated)
        words_on = np.repeat(on, size)
        moving, size, here, weight = moving[on], size[on], here[words_on], weight[words_on]
    if not collect_sstats:
        return gamma, None
    of_words = np.repeat(theta, lengths, axis=0)
    of_words *= (counts / (np.einsum("nk,nk->n", of_words, likelihood) + tiny))[:, None]
    totals = [np.bincount(ids, weights=column, minlength=model.num_terms) for column in of_words.T]
    return gamma, np.stack(totals).astype(model.dtype) * model.expElogbeta


@dataclass(frozen=True)
class BlogSet:
    """The corpus with labels, and what became of the posts.

    Attributes
    ----------
    data
        Train, dev and test; attributes `gender` (1 = male) and `age` (1 = over 30).
    kept
        Posts with a dominating topic, by cell (`female, under 20`, …), before the cells were made equal.
    known_writers
        Share of the test posts whose writer also wrote a training post.
    """

    data: AttributeSet
    kept: dict[str, int]
    known_writers: float


def label_posts(
    posts: Sequence[BlogPost], topics: Topics, rng: np.random.Generator, *, threshold: float = 0.8
) -> BlogSet:
    """Keep the posts with a dominating topic, as many from each cell of gender and age, and split them 8:1:1 by post.

    The split ignores writers, as Coavoux' does: a writer's posts stand on both sides, so an attacker can learn to know
    the writers of training instead of their gender and age (`known_writers` says how many posts that concerns).

    Parameters
    ----------
    rng
        Draws the posts that stay in the larger cells, and the split.

    Raises
    ------
    ValueError
        If numbers of posts and topics differ, or too few posts of a cell are left for a split.
    """
    if len(posts) != len(topics.shares):
        raise ValueError(f"{len(posts)} posts, but topics of {len(topics.shares)} texts")
    labels = topics.dominant(threshold)
    attributes = np.array([post.attributes for post in posts], dtype=np.int64).reshape(-1, len(ATTRIBUTES))
    cells = 2 * attributes[:, 0] + attributes[:, 1]
    members = [np.flatnonzero((labels >= 0) & (cells == cell)) for cell in range(4)]
    names = [f"{gender}, {age}" for gender in GENDERS for age in (f"under {_UNDER}", f"over {_FROM}")]
    held = {name: len(rows) for name, rows in zip(names, members, strict=True)}
    logger.info("posts with a topic above %g: %s", threshold, held)
    size = min(held.values())
    if 4 * size < 10:
        raise ValueError(f"a split 8:1:1 needs three posts of each cell with a topic above {threshold:g}, got {held}")
    chosen = rng.permutation(np.concatenate([rng.permutation(rows)[:size] for rows in members]))
    tenth = len(chosen) // 10
    rows = {"test": chosen[:tenth], "dev": chosen[tenth : 2 * tenth], "train": chosen[2 * tenth :]}
    parts = {
        name: AttributeTexts(tuple(posts[row].text for row in part), labels[part], attributes[part])
        for name, part in rows.items()
    }
    writers = {posts[row].blogger for row in rows["train"]}
    known = float(np.mean([posts[row].blogger in writers for row in rows["test"]]))
    label_names = tuple(f"topic {number}" for number in range(topics.shares.shape[1]))
    data = AttributeSet("blog_posts", label_names, ATTRIBUTES, parts["train"], parts["dev"], parts["test"])
    return BlogSet(data, held, known)
