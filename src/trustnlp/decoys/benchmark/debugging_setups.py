"""Set-ups in which explanations are put to use: compare two models, improve one, find contaminated training texts.

Idahl, Lyu, Gadiraju and Anand (2021), §2.2 to §2.4; the first set-up is `simulated_inspector.identify`. The inspector
is simulated here as well, and the limits stated there hold.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from trustnlp.decoys.benchmark.score_tables import WordRanking, ranked, score_table, word_set, word_statistics
from trustnlp.decoys.benchmark.simulated_inspector import Explanations, Inspection


@dataclass(frozen=True, eq=False)
class PairComparison:
    """Which of two models is buggy, says who compares their explanations.

    Attributes
    ----------
    ranking
        Words by the size of the difference of their first places between the two models, reasons left out.
    chosen
        0 or 1: the model in which the first word of the ranking counts more; None where two words with the same
        difference speak against different models, or nothing differs.
    """

    ranking: WordRanking
    chosen: Literal[0, 1] | None

    def success(self, buggy: Literal[0, 1]) -> float:
        """1 if the buggy model is chosen, 0 if the other is, and one half if neither; so chance is one half."""
        return 0.5 if self.chosen is None else float(self.chosen == buggy)


def compare(
    first: Explanations,
    second: Explanations,
    *,
    reasons: Collection[str] = frozenset(),
) -> PairComparison:
    """Setup II: two models explained on the same texts, one of them buggy; the inspector does not know which.

    It looks for the word that comes first in many more explanations of the one than of the other, reasons aside, and
    mistrusts the model in which it does. A buggy model also neglects what a clean one rightly uses: without a list of
    reasons that may be the largest difference, and the clean model is chosen.

    Parameters
    ----------
    first, second
        Explanations of the same texts in the same order.
    reasons
        Words that the inspector does not suspect.

    Raises
    ------
    ValueError
        If given explanations of different texts, no word left, and as `score_tables.score_table`.
    """
    one, other = score_table(first), score_table(second)
    same_entries = np.array_equal(one.rows, other.rows) and np.array_equal(one.columns, other.columns)
    if one.words != other.words or not same_entries:
        raise ValueError("the two models are explained on different texts; give both the same texts, in the same order")
    first_places = [word_statistics(table, "first_places", least=1) for table in (one, other)]
    difference = first_places[0] - first_places[1]
    trusted = word_set(reasons)
    difference[[word in trusted for word in one.words]] = np.nan
    if np.isnan(difference).all():
        raise ValueError("no word is left to compare: all are reasons")
    for_first, for_second = np.nanmax(difference), np.nanmax(-difference)
    chosen: Literal[0, 1] | None = None
    if for_first != for_second:
        chosen = 0 if for_first > for_second else 1
    return PairComparison(ranked(one.words, np.abs(difference)), chosen)


def words_to_remove(inspection: Inspection, most: int = 1) -> tuple[str, ...]:
    """Setup III: words that the inspector would have removed from the training texts, those named first.

    It does not know which of its names are false, and has these removed as well.
    """
    return inspection.named[:most]


def uncover(texts: Sequence[str], contaminated: NDArray[np.bool_], named: Collection[str], first: int) -> float:
    """Setup IV: how many contaminated training texts are among the `first` that the inspector has checked.

    The paper has this for explanations by example, which rank training texts themselves. Here the words that were named
    in explanations of other texts rank them; what relabelling the texts gains is the caller's to measure.

    Texts are ranked by how many of the named words they contain, repetitions not counted. Where texts with the same
    number are cut, it is what a random choice among them has on average, so that no names give the chance level.

    Parameters
    ----------
    texts
        n training texts, words separated by blanks.
    contaminated
        `(n,)` which of them were.
    named
        As `words_to_remove` gives them; there may be none.
    first
        How many texts are checked.

    Raises
    ------
    ValueError
        If there is not one truth value a text, or more texts to check than there are.
    """
    words = word_set(named)
    if np.shape(contaminated) != (len(texts),) or np.asarray(contaminated).dtype != np.bool_:
        raise ValueError(f"expected one truth value for each of {len(texts)} texts, got {contaminated!r:.80}")
    if not 1 <= first <= len(texts):
        raise ValueError(f"expected to check 1 to {len(texts)} texts, as there are, got first={first}")
    carried = np.array([len(words.intersection(text.split())) for text in texts])
    cut = np.sort(carried)[-first]
    above, level = carried > cut, carried == cut
    share = (first - above.sum()) / level.sum()
    return float(contaminated[above].sum() + share * contaminated[level].sum())
