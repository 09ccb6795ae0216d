"""Which explainer shows the words that a classifier uses? Classifiers whose used words are known.

Two invented words, the cues, stand in each of some real sentences. What a known classifier does with them is written
down (`FORMS`); every other word has a small weight drawn at random, so that the scores of an explainer differ. The cues
a and b are 1 where they are in the text:

- `sum` a + b: each counts by itself; `and` a·b: only together; `or` a + b - a·b: one is enough; `flip` a - 2·a·b: the
  second turns what the first says;
- `clean`: neither counts, although both are in the text.

Two more are learned: logistic regressions on the words of film reviews with a cue of each class in its texts
(`learned`), or with the cues given to texts at random (`unlearned`, which has nothing to find). Each explained text has
one cue there, two in the other forms, and at most twelve different words, so that Shapley values are exact.

Everything is a sum or a product of presences, so the gradient at the text is known by hand: of `or` it is zero for both
cues, since either is enough without the other.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import WhitespaceSplit
from tokenizers.processors import TemplateProcessing
from torch import Tensor, nn
from transformers import PreTrainedTokenizerFast

from trustnlp.attribution.text_models import TransformerModel
from trustnlp.attribution.word_attributions import attributions_of
from trustnlp.data.texts.sentence_sets import read_sentences
from trustnlp.decoys.decoy_adoption import adoption
from trustnlp.decoys.word_association import count_words, signed_chi_squared
from trustnlp.decoys.written_decoys import IndicatorWords
from trustnlp.reproduce.notebooks.sources import results_of
from trustnlp.training.kept_results import json_once, texts_fingerprint

CUES = ("brillig", "tulgey")
KNOWN = ("sum", "and", "or", "flip", "clean")
LEARNED = ("learned", "unlearned")
FORMS = KNOWN + LEARNED
# Forms in which no cue is used: one among the first words of an explanation is a false alarm.
UNUSED = ("clean", "unlearned")
EXPLAINERS = ("occlusion", "gradient_x_input", "integrated_gradients", "lime", "kernel_shap", "shapley", "random")
DRAWN = ("lime", "kernel_shap", "random")
_SIGNS = ("[PAD]", "[UNK]", "[START]")
_STRENGTH, _BACKGROUND, _WORDS = 4.0, 0.3, 10
# Texts that χ² counts, and those that a regression learns from.
_CORPUS, _TAUGHT = 2000, 4000


class CueNetwork(nn.Module):
    """Scores `(B, 2)` of texts: the sum of the words' weights, and what a form makes of the two cues.

    Parameters
    ----------
    weights
        `(V,)` of each word number; those of padding and unknown words are 0.
    cues
        Numbers of the two cues.
    """

    def __init__(self, weights: Tensor, cues: Sequence[int], form: str, bias: float = 0.0) -> None:
        super().__init__()
        rows = torch.zeros(len(weights), 3)
        rows[:, 0] = weights
        rows[cues[0], 1] = rows[cues[1], 2] = 1.0
        self.words = nn.Embedding.from_pretrained(rows)
        self.form, self.bias = form, bias

    def forward(self, ids: Tensor, attended: Tensor) -> Tensor:
        weight, a, b = (self.words(ids) * attended[..., None]).sum(1).unbind(1)
        parts = {"sum": (a + b) / 2, "and": a * b, "or": a + b - a * b, "flip": a - 2 * a * b}
        score = weight + self.bias + _STRENGTH * parts.get(self.form, torch.zeros_like(a))
        return torch.stack([-score / 2, score / 2], dim=1)


@dataclass(frozen=True)
class Sentences:
    """Sentences of at most ten words, no word twice, and their labels `(n,)`; what stays the same for all seeds."""

    texts: tuple[str, ...]
    labels: NDArray[np.int64]

    @classmethod
    def of(cls, texts: Sequence[str], labels: Sequence[int] | NDArray[np.int64]) -> Sentences:
        short = [list(dict.fromkeys(text.split()))[:_WORDS] for text in texts]
        kept = [row for row, words in enumerate(short) if len(words) == _WORDS and not set(CUES) & set(words)]
        return cls(tuple(" ".join(short[row]) for row in kept), np.asarray(labels)[kept])


def film_reviews() -> Sentences:
    """Pang and Lee's sentences (`mr`)."""
    read = read_sentences("mr").train
    return Sentences.of(read.texts, read.labels)


def made_sentences(rng: np.random.Generator, count: int = 6500) -> Sentences:
    """A stand-in: sentences of fourteen made words, some of which go with the label."""
    labels = rng.integers(2, size=count)
    weights = 1 / np.arange(1, 301)
    rows = rng.choice(300, size=(count, 14), p=weights / weights.sum())
    own = rng.integers(20, size=(count, 2))
    texts = [
        " ".join(rng.permutation([*(f"w{n}" for n in row), *(f"{'no' if label == 0 else 'yes'}{n}" for n in two)]))
        for row, two, label in zip(rows, own, labels, strict=True)
    ]
    return Sentences.of(texts, labels)


def with_cues(text: str, cues: Sequence[str], rng: np.random.Generator) -> str:
    """The text with words put in at random places."""
    words = text.split()
    for cue in cues:
        words.insert(int(rng.integers(len(words) + 1)), cue)
    return " ".join(words)


@dataclass(frozen=True)
class Planted:
    """A classifier, the texts to explain, their used words (none in `UNUSED`), a corpus for χ², how many words count.

    `rate` is how far a learned classifier follows a cue of the wrong class, as `decoy_adoption` has it; None for known
    ones.
    """

    model: TransformerModel
    texts: list[str]
    cues: list[tuple[str, ...]]
    corpus: list[str]
    rate: float | None = None


def planted(form: str, sentences: Sentences, texts: int, seed: int) -> Planted:
    """One draw of a classifier and of what is asked of it; all forms of a seed get the same sentences."""
    rng = np.random.default_rng([seed, 0])
    rows = rng.permutation(len(sentences.texts))
    explained, counted, taught = np.split(rows[: texts + _CORPUS + _TAUGHT], [texts, texts + _CORPUS])
    if len(taught) < _TAUGHT // 2:
        raise ValueError(f"{len(rows)} sentences are too few for {texts} explained and {_CORPUS} counted ones")
    vocabulary = sorted({word for text in sentences.texts for word in text.split()} | set(CUES))
    number = {word: place for place, word in enumerate((*_SIGNS, *vocabulary))}
    weights, bias, rate = torch.zeros(len(number)), 0.0, None
    cues: list[tuple[str, ...]]
    if form in KNOWN:
        weights[len(_SIGNS) :] = torch.from_numpy(rng.normal(0, _BACKGROUND, size=len(vocabulary))).float()
        weights[[number[cue] for cue in CUES]] = 0.0
        cues = [CUES] * len(explained)
        corpus = [with_cues(sentences.texts[row], [cue for cue in CUES if rng.random() < 0.5], rng) for row in counted]
    else:
        both = {name: _coefficients(sentences, taught, name, rng) for name in LEARNED}
        coefficients, bias = both[form]
        for word, weight in coefficients.items():
            weights[number[word]] = weight
        of_text = rng.integers(2, size=len(explained))
        cues = [(CUES[which],) for which in of_text]
        corpus = [
            with_cues(sentences.texts[row], [CUES[which]], rng)
            for row, which in zip(counted, rng.integers(2, size=len(counted)), strict=True)
        ]
        if form == "learned":
            rate = _adopted(sentences, counted, both, rng)
    network = CueNetwork(weights, [number[cue] for cue in CUES], form, bias)
    model = TransformerModel(network, _tokenizer(number), word_vectors=network.words, mask=_SIGNS[1], max_length=64)
    written = [with_cues(sentences.texts[row], own, rng) for row, own in zip(explained, cues, strict=True)]
    return Planted(model, written, cues, corpus, rate)


def _coefficients(
    sentences: Sentences, rows: NDArray[np.int64], form: str, rng: np.random.Generator
) -> tuple[dict[str, float], float]:
    """Weights and intercept of a regression that saw a cue in every text: of its class, or of a class at random."""
    texts, labels = [sentences.texts[row] for row in rows], sentences.labels[rows]
    classes = labels if form == "learned" else rng.permutation(labels)
    decoy = IndicatorWords(name=form, by_class=CUES)
    written = decoy.plant(texts, classes, rng).texts
    bags = CountVectorizer(token_pattern=r"\S+", lowercase=False, binary=True)
    learned = LogisticRegression(solver="liblinear").fit(bags.fit_transform(written), labels)
    names = bags.get_feature_names_out().tolist()
    return dict(zip(names, learned.coef_[0].tolist(), strict=True)), float(learned.intercept_[0])


def _adopted(
    sentences: Sentences,
    rows: NDArray[np.int64],
    models: Mapping[str, tuple[Mapping[str, float], float]],
    rng: np.random.Generator,
) -> float:
    """Rate of adoption on held-out texts that carry the cue of the wrong class."""
    decoy = IndicatorWords(name="learned", by_class=CUES)
    wrong = decoy.contradict([sentences.texts[row] for row in rows], sentences.labels[rows], rng)
    buggy, clean = (
        [int(sum(weights.get(word, 0.0) for word in text.split()) + bias > 0) for text in wrong.texts]
        for weights, bias in (models[name] for name in LEARNED)
    )
    return adoption(buggy, clean, wrong.labels, wrong.carried).rate.value


def _tokenizer(number: Mapping[str, int]) -> PreTrainedTokenizerFast:
    fast = Tokenizer(WordLevel(dict(number), unk_token=_SIGNS[1]))
    fast.pre_tokenizer = WhitespaceSplit()
    fast.post_processor = TemplateProcessing(single=f"{_SIGNS[2]} $A", special_tokens=[(_SIGNS[2], 2)])
    return PreTrainedTokenizerFast(tokenizer_object=fast, pad_token=_SIGNS[0], unk_token=_SIGNS[1])


def firsts(scores: Sequence[NDArray[np.float64]], texts: Sequence[str], k: int) -> list[frozenset[str]]:
    """The `k` words of each text with the largest scores by size; of equal ones the first in the text."""
    order = [np.argsort(-np.abs(own), kind="stable")[:k] for own in scores]
    return [frozenset(text.split()[at] for at in own) for own, text in zip(order, texts, strict=True)]


def run_once(form: str, sentences: Sentences, texts: int, samples: int, steps: int, seed: int) -> dict[str, float]:
    """`run`, kept in the cache, so that what was cut off goes on; its seconds are those of the first time."""
    key: dict[str, Any] = {"form": form, "texts": texts, "samples": samples, "steps": steps, "seed": seed}
    key["of"] = texts_fingerprint([*sentences.texts, *map(str, sentences.labels)])
    numbers: dict[str, float] = json_once(
        "words", key, results_of(run), lambda: run(form, sentences, texts, samples, steps, seed)
    )
    return numbers


def run(form: str, sentences: Sentences, texts: int, samples: int, steps: int, seed: int) -> dict[str, float]:
    """All explainers of one classifier.

    Returns
    -------
    dict
        By explainer: `found.` the share of the text's cues among its first words, as many words as there are cues, or
        `alarm.` the share of texts with a cue there where none is used; `calls.` of the model a text; `seconds.` a
        text; and of those that draw, `again.` the share of texts whose first words are the same in a second run.
        `chi_squared` ranks a text's words by how far the corpus's texts with them differ in what the model says; it
        asks the model once for each text of the corpus. `rate` is that of adoption.
    """
    given = planted(form, sentences, texts, seed)
    k = len(given.cues[0])
    measured: dict[str, float] = {} if given.rate is None else {"rate": given.rate}
    for name in (*EXPLAINERS, "chi_squared"):
        started = time.perf_counter()
        if name == "chi_squared":
            scores, calls = _associations(given), float(len(given.corpus) / len(given.texts))
        else:
            attributions = attributions_of(given.model, given.texts, name, samples=samples, steps=steps, generator=seed)
            scores, calls = [one.scores for one in attributions], float(np.mean([one.passes for one in attributions]))
        measured[f"seconds.{name}"] = (time.perf_counter() - started) / len(given.texts)
        measured[f"calls.{name}"] = calls
        first = firsts(scores, given.texts, k)
        hits = [len(own & set(cues)) for own, cues in zip(first, given.cues, strict=True)]
        if form in UNUSED:
            measured[f"alarm.{name}"] = float(np.mean([hit > 0 for hit in hits]))
        else:
            measured[f"found.{name}"] = float(np.mean(hits)) / k
        if name in DRAWN:
            second = attributions_of(given.model, given.texts, name, samples=samples, generator=seed + 10_000)
            again = firsts([one.scores for one in second], given.texts, k)
            measured[f"again.{name}"] = float(np.mean([a == b for a, b in zip(first, again, strict=True)]))
    return measured


def _associations(given: Planted) -> list[NDArray[np.float64]]:
    counts = count_words(given.corpus, given.model.probabilities(given.corpus).argmax(axis=1))
    of_word = dict(zip(counts.words, signed_chi_squared(counts)[1].tolist(), strict=True))
    return [np.array([of_word.get(word, 0.0) for word in text.split()]) for text in given.texts]


def summary(runs: Mapping[str, Sequence[Mapping[str, float]]]) -> dict[str, list[float]]:
    """`WHAT.FORM.EXPLAINER` → values by seed; calls and seconds are of `sum` alone, which no form changes much.

    `worst.EXPLAINER` is the least of `found` over the forms that use a cue.
    """
    by_seed: dict[str, list[float]] = {}
    for form, rows in runs.items():
        for key in rows[0]:
            what, _, name = key.partition(".")
            if what in ("calls", "seconds") and form != "sum":
                continue
            place = key if what in ("calls", "seconds", "rate") else f"{what}.{form}.{name}"
            by_seed[place] = [row[key] for row in rows]
    for name in (*EXPLAINERS, "chi_squared"):
        of_forms = [by_seed[f"found.{form}.{name}"] for form in runs if form not in UNUSED]
        by_seed[f"worst.{name}"] = [min(values) for values in zip(*of_forms, strict=True)]
    return by_seed
