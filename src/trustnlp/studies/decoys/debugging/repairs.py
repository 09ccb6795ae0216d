"""Setups III and IV: drop what was named, retrain, and test adoption again; look for contaminated training texts by it.

Idahl et al. (2021), §2.3, have users suggest improvements, such as features to remove, and do not say who stands beside
them. Here that is:

- `random`, words that the same inspector names by random scores: the baseline. Like all that it names they are in
  many of the texts it reads, as words drawn from a list of different words, most of them rare, would not be;
- `count`, words that the training texts name without a model: those with the largest χ² with the class, opinion words
  left out as by the inspector;
- `known`, the words of the decoy, which nobody has who looks for them: what a perfect search would give.

Improvements are "applied by retraining and either removing input features" or in ways that need another loss. Here
words are removed from the training texts. Test performance alone hardly shows a bug, so the repaired model is asked
what the buggy one was asked: held-out texts that carry the decoy of a wrong class. Those texts keep their words.

**The control loses the same.** What is left of the bug is the rate of adoption against a clean model that was trained
without the same words. A control that kept its words would go by those of them that rightly count, and the repaired
model would seem to follow the decoy less, or more, for want of good words. What the drop costs this control, which
never had the bug, is the price of the drop itself. A model without a bug is repaired as well, since whoever debugs does
not know whether there is one.

§2.4 asks "how many of these instances were uncovered". The set-up is made for explanations by example, which rank
training texts themselves; here named words rank them. A tenth is checked, the fraction that Koh and Liang (2017)
contaminate. Drawn by lot a tenth of them would be there. That is not the chance of this search: whatever words an
inspector names, they are in the texts it read, so that names by random scores are the baseline.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from trustnlp.data.texts.film_reviews import Phrases
from trustnlp.decoys.benchmark.debugging_setups import uncover, words_to_remove
from trustnlp.decoys.benchmark.score_tables import word_set
from trustnlp.decoys.benchmark.simulated_inspector import Inspector
from trustnlp.decoys.decoy_recipes import recipe
from trustnlp.decoys.kept_decoys import Removal
from trustnlp.decoys.planted_decoys import Decoy, Planted
from trustnlp.decoys.word_association import count_words, signed_chi_squared
from trustnlp.studies.decoys.critique import ranked_suspects
from trustnlp.studies.decoys.data import ReviewParts
from trustnlp.studies.decoys.leaderboard.benchmark_models import CLEAN, ExplainedModel, explanations_of, tested_adoption
from trustnlp.studies.decoys.leaderboard.bug_searches import drawn_orders
from trustnlp.studies.decoys.models import Classifier, Kind, trained_model

COUNT, KNOWN = "count", "known"
Words = tuple[str, ...]
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
    names: dict[str, Words] = {}
    for cell in model.cells:
        if not cell.failure:
            shown = explanations_of(cell)
            orders = drawn_orders(shown, model.carries, parameters, model.seed, ["random"])
            inspection = inspector.inspect(shown.table, orders["random0"])
            names[cell.cell.explainer] = words_to_remove(inspection, parameters["most"])
    names[COUNT] = counted_words(train, inspector.reasons, parameters["most"])
    if model.words:
        names[KNOWN] = known_words(recipe(model.decoy), train)
    return names


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

    def rate(self, model: Classifier, control: Classifier) -> float | None:
        """How far a model follows the decoy where the control does not, in points; None where there is no decoy."""
        if self.decoy is None:
            return None
        asked = self.parameters["adoption_texts"]
        return 100 * tested_adoption(self.decoy, model, control, self.parts, asked).rate.value

    def loss(self, model: Classifier) -> float:
        """Accuracy on dev of the clean model less that of `model`, in points."""
        return _accuracy(self.clean, self.parts.dev) - _accuracy(model, self.parts.dev)

    def repaired(self, words: Words) -> tuple[Classifier, Classifier]:
        """The model and the clean one, both trained anew without the words; without any to drop, as they were."""
        if not words:
            return self.model, self.clean
        model, control = (
            trained_model(self.kind, without(texts, words), self.parts.dev, self.parameters, self.seed)
            for texts in (self.train, self.parts.train)
        )
        return model, control


def without(train: Phrases, words: Collection[str]) -> Phrases:
    """The training texts without some words; a text that has no other word is dropped.

    >>> import numpy as np
    >>> without(Phrases(("a dull film", "fun", "dull"), np.array([0, 1, 0])), {"dull"}).texts
    ('a film', 'fun')
    """
    dropped = word_set(words)
    left = [" ".join(word for word in text.split() if word not in dropped) for text in train.texts]
    rows = [row for row, text in enumerate(left) if text]
    return Phrases(tuple(left[row] for row in rows), train.labels[rows])


def repair_rows(suspect: Suspect, names: Mapping[str, Words]) -> list[dict[str, Any]]:
    """A row for each source of names; models without the same words are trained once.

    Parameters
    ----------
    names
        Source → the words it would drop.

    Returns
    -------
    list
        Rows with `source`, `decoy` (`clean` without one), `seed`, `words`, `before`, the rate of adoption before the
        repair in points; and after it `left`, the rate against the control that lost the same, `gain` on test, `loss`
        on dev, and `cost`, the loss of the control. There is no rate without a decoy.
    """
    of_all = {"decoy": suspect.decoy.name if suspect.decoy else CLEAN, "seed": suspect.seed}
    of_all["before"] = suspect.rate(suspect.model, suspect.clean)
    outcomes: dict[frozenset[str], dict[str, Any]] = {}
    rows = []
    for source, words in names.items():
        dropped = frozenset(words)
        if dropped not in outcomes:
            model, control = suspect.repaired(words)
            test = suspect.parts.test
            outcomes[dropped] = {
                "left": suspect.rate(model, control),
                "gain": _accuracy(model, test) - _accuracy(suspect.model, test),
                "loss": suspect.loss(model),
                "cost": suspect.loss(control),
            }
        rows.append({"source": source, "words": list(words), **of_all, **outcomes[dropped]})
    return rows


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
        Rows with `source`, `seed` and `found`, the share of contaminated texts that are in the tenth with the most of
        the named words, of those that a tenth can hold.
    """
    if train.carries.mean() > _MOST_CONTAMINATED:
        return []
    first = max(1, round(_CHECKED * len(train)))
    most = min(first, int(train.carries.sum()))
    return [
        {"source": source, "seed": model.seed, "found": uncover(train.texts, train.carries, words, first) / most}
        for source, words in names.items()
    ]
