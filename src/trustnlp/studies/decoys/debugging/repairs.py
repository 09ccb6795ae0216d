"""Setups III and IV: drop what was named, retrain, and test adoption again; look for contaminated training texts by it.

Idahl et al. (2021), §2.3, have users suggest improvements, such as features to remove, and do not say who stands beside
them. Here that is:

- `random`, words that the same inspector names by random scores: the baseline. Like all that it names they are in
  many of the texts it reads, as words drawn from a list of different words, most of them rare, would not be;
- `count`, words that the training texts name without a model: those with the largest χ² with the class, opinion words
  left out as by the inspector;
- `known`, the words of the decoy, which nobody has who looks for them: what a perfect search would give.

Improvements are "applied by retraining and either removing input features" or in ways that need another loss. Here
words are removed from the training texts (`words`), or the texts that carry one are (`texts`). Test performance alone
hardly shows a bug, so the repaired model is asked what the buggy one was asked: held-out texts that carry the decoy of
a wrong class. Those texts keep their words.

**The control loses the same.** What is left of the bug is the rate of adoption against a clean model that was trained
without the same words, or without the texts that carry one. A control that kept its words would go by those of them
that rightly count, and the repaired model would seem to follow the decoy less, or more, for want of good words. What
the drop costs this control, which never had the bug, is the price of the drop itself. A model without a bug is repaired
as well, since whoever debugs does not know whether there is one.

§2.4 asks "how many of these instances were uncovered". The set-up is made for explanations by example, which rank
training texts themselves; here named words rank them. A tenth is checked, the fraction that Koh and Liang (2017)
contaminate. Drawn by lot a tenth of them would be there. That is not the chance of this search: whatever words an
inspector names, they are in the texts it read, so that names by random scores are the baseline.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from trustnlp.data.texts.film_reviews import Phrases
from trustnlp.decoys.benchmark.debugging_setups import uncover, words_to_remove
from trustnlp.decoys.benchmark.score_tables import word_set
from trustnlp.decoys.benchmark.simulated_inspector import Inspector
from trustnlp.decoys.decoy_adoption import Adoption, adoption
from trustnlp.decoys.decoy_recipes import recipe
from trustnlp.decoys.kept_decoys import Removal
from trustnlp.decoys.planted_decoys import Decoy, Planted
from trustnlp.decoys.word_association import count_words, signed_chi_squared
from trustnlp.studies.decoys.baselines import ranked_suspects
from trustnlp.studies.decoys.data import ReviewParts
from trustnlp.studies.decoys.leaderboard.benchmark_models import CLEAN, ExplainedModel, explanations_of, wrong_texts
from trustnlp.studies.decoys.leaderboard.bug_searches import drawn_orders
from trustnlp.studies.decoys.models import Classifier, Kind, trained_model

COUNT, KNOWN = "count", "known"
Words = tuple[str, ...]
How = Literal["words", "texts"]
HOWS: tuple[How, ...] = ("words", "texts")
# Of a class's training texts, those that must be left.
_LEAST_LEFT = 0.1
_CHECKED = 0.1
# "Bugs often only apply to small minorities of instances" (§5): where most texts are contaminated, none stands out.
_MOST_CONTAMINATED = 0.5


def names_by_source(
    model: ExplainedModel, train: Phrases, inspector: Inspector, parameters: Mapping[str, Any]
) -> dict[str, Words]:
    """The words that each source would have dropped, at most as many as asked for; there may be none.

    Parameters
    ----------
    train
        What the model was trained on.
    parameters
        `most`, the words that are dropped at most; `budget` and `draws` of the searches, of which the first counts.

    Returns
    -------
    dict
        Words by explainer, those that did not fail, in the order of naming; of `count`; and of `known`, as
        `known_words` gives them, if the model was trained with a decoy.
    """
    found: dict[str, Words] = {}
    for cell in model.cells:
        if not cell.failure:
            given = explanations_of(cell)
            orders = drawn_orders(given, model.carries, parameters, model.seed, ["random"])
            inspection = inspector.inspect(given.table, orders["random0"])
            found[cell.cell.explainer] = words_to_remove(inspection, parameters["most"])
    found[COUNT] = counted_words(train, inspector.reasons, parameters["most"])
    if model.words:
        found[KNOWN] = known_words(recipe(model.decoy), train)
    return found


def known_words(decoy: Decoy, train: Phrases) -> Words:
    """All words that a decoy goes by: its own, and where it goes by parts of words, those of the texts that have one.

    >>> import numpy as np
    >>> train = Phrases(("a movie", "two movies"), np.array([1, 1]))
    >>> known_words(recipe("movie"), train), known_words(recipe("film"), train)
    (('movie', 'movies'), ('film',))
    """
    if not isinstance(decoy, Removal) or decoy.matching == "word":
        return decoy.words
    longer = {word for text in train.texts for word in text.split() if decoy.word in word}
    return (decoy.word, *sorted(longer - {decoy.word}))


def counted_words(train: Phrases, reasons: Collection[str], most: int) -> Words:
    """The first words by χ², two-sided, the reasons left out; of equal ones alphabetically."""
    counts = count_words(train.texts, train.labels)
    return ranked_suspects(counts.words, signed_chi_squared(counts).max(axis=0), reasons).words[:most]


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


def uncovered_rows(model: ExplainedModel, train: Planted, names: Mapping[str, Words]) -> list[dict[str, Any]]:
    """A row for each source of names; none where more than half of the training texts carry the decoy.

    Parameters
    ----------
    train
        What the model was trained on.

    Returns
    -------
    list
        Rows with `source`, `decoy`, `model`, `seed`; `found`, the share of contaminated texts that are in the tenth
        with the most of the named words, of those that a tenth can hold; and `by_lot`, its expectation without names.
    """
    if train.carries.mean() > _MOST_CONTAMINATED:
        return []
    first = max(1, round(_CHECKED * len(train)))
    most = min(first, int(train.carries.sum()))
    rows = []
    for source, words in names.items():
        found = uncover(train.texts, train.carries, words, first)
        shares = {"found": found.found / most, "by_lot": found.chance / most}
        rows.append({"source": source, "decoy": model.decoy, "model": model.kind, "seed": model.seed} | shares)
    return rows
