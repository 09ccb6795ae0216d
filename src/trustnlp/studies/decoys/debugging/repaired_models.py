"""Setup III and debugging closed: drop what was named, retrain, and test adoption again.

Idahl et al. (2021), §2.3: "how much the model is improved, i.e. the difference in test performance before and after
debugging", where improvements are "applied by retraining and either removing input features" or in ways that need
another loss. Here words are removed from the training texts (`words`), or the texts that carry one are (`texts`).
Test performance alone hardly shows a bug, so the repaired model is asked what the buggy one was asked: held-out texts
that carry the decoy of a wrong class. Those texts keep their words.

**The control loses the same.** What is left of the bug is the rate of adoption against a clean model that was trained
without the same words, or without the texts that carry one. A control that kept its words would go by those of them
that rightly count, and the repaired model would seem to follow the decoy less, or more, for want of good words. What
the drop costs this control, which never had the bug, is the price of the drop itself.

A model without a bug is repaired as well, since whoever debugs does not know whether there is one.

A repair is not possible if a class keeps less than a tenth of its training texts, of the model or of its control. Then
nothing is dropped, and its row says so and has no numbers.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from trustnlp.data.texts.film_reviews import Phrases
from trustnlp.decoys.benchmark.score_tables import word_set
from trustnlp.decoys.decoy_adoption import Adoption, adoption
from trustnlp.decoys.planted_decoys import Decoy
from trustnlp.studies.decoys.data import ReviewParts
from trustnlp.studies.decoys.debugging.named_words import Words
from trustnlp.studies.decoys.leaderboard.benchmark_models import wrong_texts
from trustnlp.studies.decoys.leaderboard.explained_cells import CLEAN
from trustnlp.studies.decoys.models.buggy_models import Classifier, Kind, trained_model

How = Literal["words", "texts"]
HOWS: tuple[How, ...] = ("words", "texts")
# Of a class's training texts, those that must be left.
_LEAST_LEFT = 0.1


@dataclass(frozen=True, eq=False)
class Suspect:
    """A model that is to be repaired, and what it is compared with.

    Attributes
    ----------
    kind, seed
        Of the model.
    decoy
        None for a model without a bug.
    train
        What it was trained on.
    model, clean
        The model; and the clean one of the seed, which for a clean model is itself.
    parts, parameters
        The original texts; and how models are trained, and `adoption_texts`.
    """

    kind: Kind
    seed: int
    decoy: Decoy | None
    train: Phrases
    model: Classifier
    clean: Classifier
    parts: ReviewParts
    parameters: Mapping[str, Any]

    def adoption(self, model: Classifier, control: Classifier) -> Adoption | None:
        """How far a model follows the decoy where the control does not; None where there is no decoy."""
        if self._wrong is None:
            return None
        texts, labels, carried = self._wrong
        return adoption(model.predict(texts), control.predict(texts), labels, carried)

    def loss(self, model: Classifier) -> float:
        """Accuracy on dev of the clean model less that of `model`, in points."""
        return _accuracy(self.clean, self.parts.dev) - _accuracy(model, self.parts.dev)

    def gain(self, model: Classifier) -> float:
        """Accuracy on test of `model` less that of this one, in points."""
        return _accuracy(model, self.parts.test) - _accuracy(self.model, self.parts.test)

    def repaired(self, words: Words, how: How) -> tuple[Classifier, Classifier] | None:
        """The model and the clean one, both trained anew without the words, or without the texts that carry one.

        Without words to drop they are as they were. None if that is not possible.
        """
        if not words:
            return self.model, self.clean
        own, other = (without(texts, words, how) for texts in (self.train, self.parts.train))
        if own is None or other is None:
            return None
        model = self._trained(own)
        return model, model if self.decoy is None else self._trained(other)

    def _trained(self, train: Phrases) -> Classifier:
        return trained_model(self.kind, train, self.parts.dev, self.parameters, self.seed)

    @cached_property
    def _wrong(self) -> tuple[Sequence[str], Any, Any] | None:
        if self.decoy is None:
            return None
        wrong, rows = wrong_texts(self.decoy, self.parts, self.parameters["adoption_texts"])
        return [wrong.texts[row] for row in rows], wrong.labels[rows], wrong.carried[rows]


def without(train: Phrases, words: Collection[str], how: How) -> Phrases | None:
    """The training texts without some words, or without the texts that contain any of them.

    A text that has no other word is dropped with its words.

    >>> texts = Phrases(("a dull film", "a film", "fun", "dull"), np.array([0, 1, 1, 0]))
    >>> without(texts, {"dull"}, "words").texts, without(texts, {"fun"}, "texts").texts
    (('a film', 'a film', 'fun'), ('a dull film', 'a film', 'dull'))

    Returns
    -------
    None if less than a tenth of the texts of a class were left.
    """
    dropped = word_set(words)
    kept: list[tuple[str, int]] = []
    for text, label in zip(train.texts, train.labels.tolist(), strict=True):
        own = text.split()
        left = [word for word in own if word not in dropped]
        if left and (how == "words" or len(left) == len(own)):
            kept.append((" ".join(left), label))
    labels = np.array([label for _, label in kept], dtype=np.int64)
    had, has = (np.bincount(each, minlength=2) for each in (train.labels, labels))
    if (has < _LEAST_LEFT * had).any():
        return None
    return Phrases(tuple(text for text, _ in kept), labels)


def repair_rows(suspect: Suspect, names: Mapping[str, Words], hows: Sequence[How] = HOWS) -> list[dict[str, Any]]:
    """A row for each source of names and way of dropping; models that are asked for twice are trained once.

    Parameters
    ----------
    names
        Source → the words it would drop.

    Returns
    -------
    list
        Rows with `source`, `decoy` (`clean` without one), `model`, `seed`, `how`, `words`, `possible`, `before`, the
        rate of adoption before the repair in points, and `loss_before` on dev; and after it `left`, the rate against
        the control that lost the same, `verdict`, `gain` on test, `loss` on dev, and `cost`, the loss of the control.
        None where there is no such number.
    """
    known: dict[tuple[frozenset[str], How], dict[str, Any] | None] = {}
    before, loss_before = suspect.adoption(suspect.model, suspect.clean), suspect.loss(suspect.model)
    decoy = CLEAN if suspect.decoy is None else suspect.decoy.name
    rows = []
    for how in hows:
        for source, words in names.items():
            dropped = frozenset(words), how
            if dropped not in known:
                known[dropped] = _outcome(suspect, words, how)
            own = known[dropped]
            row = {"source": source, "decoy": decoy, "model": suspect.kind, "seed": suspect.seed, "how": how}
            row |= {"words": list(words), "possible": own is not None, "before": _rate(before)}
            row["loss_before"] = loss_before
            row |= {key: own and own[key] for key in ("left", "verdict", "gain", "loss", "cost")}
            rows.append(row)
    return rows


def _outcome(suspect: Suspect, words: Words, how: How) -> dict[str, Any] | None:
    both = suspect.repaired(words, how)
    if both is None:
        return None
    model, control = both
    found = suspect.adoption(model, control)
    told = {"left": _rate(found), "verdict": found and found.verdict}
    return told | {"gain": suspect.gain(model), "loss": suspect.loss(model), "cost": suspect.loss(control)}


def _rate(found: Adoption | None) -> float | None:
    return None if found is None else 100 * found.rate.value


def _accuracy(model: Classifier, texts: Phrases) -> float:
    return 100 * float((model.predict(texts.texts) == texts.labels).mean())
