"""A simulated inspector: a written rule in the place of the person who looks for a bug in explanations.

**What it cannot say about people.** It does not get tired, overlooks nothing, and has no idea what a film is. It knows
no phrase, no position and no length, and names only single words. It notices a word because it is among the highest,
where a person notices it because it is *odd*: a person may name "text" at first sight and never name "and". Its counts
of instances are therefore no estimate of what people need, and its false names no estimate of what people believe. Nor
does it trust or mistrust a model, the other half of Setup I; and if its list of reasons is empty, it takes the best
reasons of a good model for bugs.

**What it can say.** Whether the information is there: an explainer whose scores do not lead this rule to the planted
word, no faster than chance, shows the word to nobody who looks at the highest scores. Explainers are compared by one
rule, on the same instances in the same order. A person with a better eye may do better with each of them.

The rule. The inspector reads explanations one after the other. Of each it notes the `shown` distinct words with the
largest scores towards the predicted label, if these are above 0; words that tie for a place are noted only if there is
a place for each. It suspects none of its `reasons`, words that it thinks right to decide by: they take a place, as a
highlighted word takes a glance, but are not counted. As soon as a word is noted in `threshold` explanations, it is
named. The inspector goes on to the end of its budget. Of words named at one instance, the one with the larger score is
first.

What is uncertain counts against a decoy: a tie, as above.

This is Setup I of Idahl, Lyu, Gadiraju and Anand (2021), §2, "identify", and §5, how soon. The other set-ups are in
`debugging_setups`. How soon is censored by the budget, and summarised as a **restricted mean**: instances read until
the decoy is named or the budget spent. It uses all searches, where a median is "not found" whenever half of them fail.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from trustnlp.attribution.model_calls import Floats
from trustnlp.attribution.word_scores import Attribution
from trustnlp.decoys.benchmark.score_tables import Integers, ScoreTable, decoy_words, score_table, word_set

Explanations = Sequence[Attribution] | ScoreTable


@dataclass(frozen=True)
class Inspector:
    """The rule of this module.

    Attributes
    ----------
    shown
        Words noted of an explanation, at most.
    threshold
        Explanations in which a word is noted until it is named.
    reasons
        Words that are not suspected.
    """

    shown: int = 3
    threshold: int = 3
    reasons: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        if self.shown < 1 or self.threshold < 1:
            raise ValueError(
                f"an inspector notes at least one word and names none before it is noted once, got shown={self.shown} "
                f"and threshold={self.threshold}"
            )
        object.__setattr__(self, "reasons", word_set(self.reasons))

    def inspect(self, explanations: Explanations, order: Integers) -> Inspection:
        """Read explanations in an order, such as that of `instance_selection.select`, as many as it has.

        Raises
        ------
        ValueError
            If there are no explanations, or one with NaN.
        """
        table = score_table(explanations)
        places = np.zeros(len(table), dtype=np.int64)  # from 1; 0 where it is not read
        places[order] = np.arange(1, len(order) + 1)
        place = places[table.rows]
        suspected = np.array([word not in self.reasons for word in table.words])
        read = np.flatnonzero(table.noted(self.shown) & (place > 0) & suspected[table.columns])
        read = read[np.lexsort((place[read], table.columns[read]))]
        columns = table.columns[read]
        counts = np.arange(len(read)) - np.searchsorted(columns, columns) + 1
        named = read[counts == self.threshold]
        named = named[np.lexsort((table.columns[named], -table.scores[named], place[named]))]
        words = tuple(table.words[column] for column in table.columns[named])
        return Inspection(self, words, place[named], len(order))


@dataclass(frozen=True, eq=False)
class Inspection:
    """The words that an inspector named, and after how many explanations.

    Attributes
    ----------
    inspector
        Its rule.
    named
        Words in the order in which they were named.
    at
        `(len(named),)` how many instances it had read by then.
    budget
        How many it read in all.
    """

    inspector: Inspector
    named: tuple[str, ...]
    at: Integers
    budget: int

    def found_at(self, decoy: Collection[str]) -> int | None:
        """Instances read until one of the words was named; None if none was within the budget.

        Raises
        ------
        ValueError
            If there are no words, or only such as the inspector takes for reasons.
        """
        words = _suspects(decoy, self.inspector)
        return next((int(at) for word, at in zip(self.named, self.at, strict=True) if word in words), None)


@dataclass(frozen=True, eq=False)
class Searches:
    """Efficiency of several searches with one budget.

    Attributes
    ----------
    found_at
        `(k,)` instances until the decoy was named; infinite where it was not.
    budget
        Instances read in each.
    """

    found_at: Floats
    budget: int

    @property
    def share(self) -> float:
        """Share of the searches in which the decoy was named."""
        return float(np.isfinite(self.found_at).mean())

    @property
    def restricted_mean(self) -> float:
        """Mean of instances read until the decoy was named; a search that does not find it counts as budget + 1."""
        return float(np.minimum(self.found_at, self.budget + 1).mean())


def identify(inspections: Sequence[Inspection], decoy: Collection[str]) -> Searches:
    """Setup I: is a word of the decoy named, and when? Over inspections, such as those of several random orders.

    Raises
    ------
    ValueError
        If there are no inspections, several budgets, or a decoy as in `Inspection.found_at`.
    """
    budgets = {each.budget for each in inspections}
    if len(budgets) != 1:
        raise ValueError(f"expected inspections with one budget, got the budgets {sorted(budgets)}")
    places = [each.found_at(decoy) for each in inspections]
    return Searches(np.array([np.inf if at is None else at for at in places]), budgets.pop())


def chance_level(
    inspector: Inspector,
    explanations: Explanations,
    order: Integers,
    decoy: Collection[str],
    *,
    draws: int = 1000,
    rng: np.random.Generator,
) -> Searches:
    """Searches of an inspector whose explanations have their scores permuted among their words, in each draw anew.

    The texts, the order and how many words are noted of each text remain; which words, is drawn. Only words of the
    decoy are: one after the other, and a word is noted with the number of places left over the number of words left.

    Raises
    ------
    ValueError
        If `Inspector.inspect` or `Inspection.found_at` would raise it.
    """
    table = score_table(explanations)
    words = _suspects(decoy, inspector)
    has = np.zeros((len(words), len(table)), dtype=np.bool_)
    for number, word in enumerate(words):
        has[number, table.rows[table.columns == table.numbers.get(word, -1)]] = True
    has = has[:, order]
    at = np.flatnonzero(has.any(axis=0))
    left = np.bincount(table.rows, minlength=len(table))[order][at]
    noted = np.bincount(table.rows[table.noted(inspector.shown)], minlength=len(table))[order][at]
    places = np.tile(noted, (draws, 1))
    named_at = np.full(draws, np.inf)
    for carries in has[:, at]:
        drawn = carries & (rng.random(places.shape) * left < places)
        places -= drawn
        left = left - carries
        reached = np.cumsum(drawn, axis=1) == inspector.threshold
        first = np.where(reached, at + 1.0, np.inf).min(axis=1, initial=np.inf)
        named_at = np.minimum(named_at, first)
    return Searches(named_at, len(order))


def _suspects(decoy: Collection[str], inspector: Inspector) -> list[str]:
    """Words of a decoy that the inspector can name."""
    words = sorted(decoy_words(decoy) - inspector.reasons)
    if not words:
        raise ValueError(
            f"the inspector takes all words of the decoy, {sorted(decoy)}, for reasons and never names them; take them "
            "out of its reasons"
        )
    return words
