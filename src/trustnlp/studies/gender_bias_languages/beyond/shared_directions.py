"""One gender direction for two languages: spaces aligned by words that translate each other.

Not in Matthews et al. (2021). Anchors come from sentences that exist in all nine languages (NTREX-128): two words are
anchors when each is the other's most frequent companion. One space is then rotated into the other (orthogonal
Procrustes), and the direction of the one is asked to order the pairs of the other, which it has never seen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

import numpy as np

from trustnlp.bias.gender_direction.direct_bias import signed_scores
from trustnlp.bias.gender_direction.pair_directions import gender_direction, usable_pairs
from trustnlp.embeddings.alignment import centred, procrustes
from trustnlp.embeddings.static import WordVectors
from trustnlp.studies.gender_bias_languages.data.language_runs import LanguageText

FEWEST_LINES = 3
Rows = Sequence[Collection[str]]


def anchors(first: Rows, second: Rows, exclude: Collection[str] = ()) -> list[tuple[str, str]]:
    """Pairs of words that translate each other, from aligned sentences as sets of words.

    A word counts from three sentences on. The companion of a word is the one with the highest Dice coefficient; only
    pairs that choose each other are kept, and none with a word of `exclude`.

    Raises
    ------
    ValueError
        The two languages have different numbers of sentences.
    """
    if len(first) != len(second):
        raise ValueError(f"aligned sentences come in pairs, got {len(first)} and {len(second)}")
    alone = [Counter(word for row in rows for word in set(row)) for rows in (first, second)]
    left, right = ({w for w, n in own.items() if n >= FEWEST_LINES} for own in alone)
    together: Counter[tuple[str, str]] = Counter()
    for a, b in zip(first, second, strict=True):
        kept = set(b) & right
        together.update((x, y) for x in set(a) & left for y in kept)
    best: list[dict[str, tuple[float, str]]] = [{}, {}]
    for (x, y), n in sorted(together.items()):
        dice = 2 * n / (alone[0][x] + alone[1][y])
        for own, word, other in ((best[0], x, y), (best[1], y, x)):
            if dice > own.get(word, (0.0, ""))[0]:
                own[word] = (dice, other)
    barred = set(exclude)
    chosen = [(x, y) for x, (_, y) in best[0].items() if best[1][y][1] == x]
    return [(x, y) for x, y in chosen if x not in barred and y not in barred]


def transferred(
    text: LanguageText,
    vectors: WordVectors,
    other: LanguageText,
    others: WordVectors,
    translations: Sequence[tuple[str, str]],
    rng: np.random.Generator,
) -> dict[str, float]:
    """How well the direction of the first language orders the pairs of the other, after alignment.

    Parameters
    ----------
    translations
        (word of the first language, word of the other); those without a vector are left out.

    Returns
    -------
    `anchors`; `right`, the share of the other's pairs that are ordered; `cosine` of the two directions; and the same
    two under anchors that are matched at random, `random_right` and `random_cosine`.

    Raises
    ------
    ValueError
        Fewer anchors than dimensions.
    """
    here, there = centred(vectors), centred(others)
    known = [(x, y) for x, y in translations if x in here and y in there]
    if len(known) < vectors.dim:
        raise ValueError(f"{len(known)} anchors have vectors; {vectors.dim} dimensions need as many or more")
    g = gender_direction(here, text.pairs().values()).g
    pairs = usable_pairs(there, dict.fromkeys(other.pairs().values()))
    own = gender_direction(there, pairs).g
    source, target = here.stack([x for x, _ in known]), there.stack([y for _, y in known])
    found = {"anchors": float(len(known))}
    for name, rows in (("", target), ("random_", rng.permutation(target))):
        moved = g @ procrustes(source, rows)
        found[f"{name}right"] = float(np.mean([np.subtract(*signed_scores(there, pair, moved)) > 0 for pair in pairs]))
        found[f"{name}cosine"] = float(moved @ own)
    return found
