"""The paper's equations and algorithms as they are printed, and the limits of its student and its measure.

Kumar, Dixit and Shah (2021), equations (2), (4), (5), Algorithms 1 and 2, §4.2.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from trustnlp.attribution.masking_budget import masked_until_turned, supporting_scores
from trustnlp.attribution.students.combination import FoldedTokens
from trustnlp.attribution.students.importance_scores import influence_scores
from trustnlp.attribution.students.masked_spans import MaskedSpan, masked_pairs
from trustnlp.attribution.students.span_predictions import SpanPredictions, Student, all_correct, predict_words
from trustnlp.data.texts.film_reviews import Reviews
from trustnlp.studies.moxie.importance import errors_of
from trustnlp.studies.moxie.models import Explained
from trustnlp.studies.moxie.reproduction import length_trend, teacher_labels

SHARES = (20, 40, 60, 80, 100)
_BUDGET = 10
_SENTENCES = 200


def compared(found: Explained, reviews: Reviews, probed_words: int, seed: int) -> dict[str, float]:
    """Labels that differ from equation (2)'s, in per cent of words of the same tag in random test contexts, and orders.

    `residual.labels_apart` for equation (5), r added to z; `algorithm2.labels_apart` for r alone;
    `algorithm1.ascending_loss`: area under coverage of influence scores in descending order less that in ascending
    order, over the first errors of the teacher on test, in points.
    """
    places = [
        (text, at) for text in reviews.tagged["test"] for at, tag in enumerate(text.tags) if reviews.vocabulary.get(tag)
    ]
    rng = np.random.default_rng([seed, 6])
    chosen = [places[row] for row in rng.permutation(len(places))[:probed_words]]
    spans = [MaskedSpan(text.words, at, at + 1) for text, at in chosen]
    pairs = masked_pairs(found.teacher, spans)
    contexts = found.student.contexts(spans)
    folded: dict[str, FoldedTokens] = {}
    apart: dict[str, list[float]] = {"residual": [], "algorithm2": []}
    nothing = torch.zeros(found.teacher.width)
    for row, (text, at) in enumerate(chosen):
        tag = text.tags[at]
        if tag not in folded:
            tokens = found.student.tokens(reviews.vocabulary[tag])
            folded[tag] = FoldedTokens(found.student.combine, found.teacher, tokens)
        own = folded[tag]
        labels = own.logits(contexts[row], pairs.masked[row]).argmax(dim=1)
        for name, base in (("residual", pairs.full[row]), ("algorithm2", nothing)):
            other = own.logits(contexts[row], base).argmax(dim=1)
            apart[name].append(100 * float((other != labels).double().mean()))
    result = {f"{name}.labels_apart": float(np.mean(values)) for name, values in apart.items()}
    return result | {"algorithm1.ascending_loss": _ascending_loss(found, reviews)}


def predictions_of(found: Explained, student: Student, reviews: Reviews, texts: int) -> list[SpanPredictions]:
    """A student's predictions for every word of the first test sentences."""
    words = [text.words for text in reviews.tagged["test"][:texts]]
    return predict_words(found.teacher, student, words, folder=found.folder)


def accuracy_of(predictions: Sequence[SpanPredictions]) -> float:
    """All-correct accuracy against the teacher, in per cent."""
    return 100 * float(_correct(predictions).mean())


def length_slopes(predictions: Sequence[SpanPredictions], seed: int) -> dict[str, float]:
    """Points that all-correct accuracy changes with one word more: `slope`, `power_slope` and their `difference`."""
    right = [text.labels == text.teacher_labels for text in predictions]
    trend = length_trend(right, rng=np.random.default_rng([seed, 7]), resamples=1)
    return {"slope": trend.slope, "power_slope": trend.power_slope, "difference": trend.difference}


def kept_by_confidence(predictions: Sequence[SpanPredictions]) -> dict[int, float]:
    """Share of sentences kept, in per cent → all-correct accuracy among those of which the student is surest.

    How sure: the smallest probability, over the words, of the label with the largest mean.
    """
    correct = _correct(predictions)
    order = np.argsort([-_confidence(text.logits) for text in predictions], kind="stable")
    return {share: 100 * float(correct[order[: max(1, round(len(order) * share / 100))]].mean()) for share in SHARES}


def _confidence(logits: NDArray[np.float64]) -> float:
    shares = torch.from_numpy(logits).softmax(dim=1).numpy()
    return float(shares[:, shares.mean(axis=0).argmax()].min())


def _ascending_loss(found: Explained, reviews: Reviews) -> float:
    words = [text.words for text in errors_of(found, reviews, "test", _SENTENCES)]
    predicted = predict_words(found.teacher, found.student, words)
    labels = teacher_labels(predicted)
    scores = supporting_scores([influence_scores(found.teacher, text.influence) for text in predicted], labels)
    areas = [
        masked_until_turned(found.teacher.predict, words, given, _BUDGET, found.teacher.mask).coverage_curve().mean()
        for given in (scores, [-own for own in scores])
    ]
    return float(areas[0] - areas[1])


def _correct(predictions: Sequence[SpanPredictions]) -> NDArray[np.bool_]:
    return all_correct([text.labels for text in predictions], teacher_labels(predictions))


class AdditiveCombine(nn.Module):
    """W tanh(A c + a) + V tanh(B t + b): as many layers as MOXIE's module, and no path from one side to the other.

    Begins at 0, as MOXIE's does.
    """

    def __init__(self, width: int, out: int) -> None:
        super().__init__()
        outputs = [nn.Linear(2 * width, out) for _ in range(2)]
        for layer in outputs:
            nn.init.zeros_(layer.weight)
            nn.init.zeros_(layer.bias)
        self.hidden = nn.ModuleList(nn.Linear(width, 2 * width) for _ in range(2))
        self.output = nn.ModuleList(outputs)

    def forward(self, contexts: Tensor, tokens: Tensor) -> Tensor:
        """r `(n, out)` of `(n, d)` contexts and as many tokens; in float32 always."""
        with torch.autocast(contexts.device.type, enabled=False):
            first, second = (
                output(torch.tanh(hidden(given.float())))
                for hidden, output, given in zip(self.hidden, self.output, (contexts, tokens), strict=True)
            )
            r: Tensor = first + second
            return r
