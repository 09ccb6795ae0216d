"""Has a model learned the decoy? Predictions of a buggy model against those of a clean control.

Idahl et al. (2021), §3.2, compare accuracies on the original data: a model that adopted its decoy should lose there.
Few original texts contain a decoy, so the loss may be nothing although the decoy decides wherever it occurs. So the
test is `adoption`: held-out texts are given the decoy of a *wrong* class, and both models see the same texts. Inserted
words alone cost accuracy; the control pays for them as well, which leaves the decoy's part.

With b and c the shares of these texts that the buggy and the clean model give the decoy's class, b − c is the effect.
**(b − c) / (1 − c) is the rate of adoption**: which part of what there was to win was won. It is Abbott's (1925)
formula for the effect of a treatment where some of the untreated respond as well. 1 is a decoy that always decides.

The verdict is read off one 95 % interval of the rate; see `Adoption.verdict`. It says "not adopted" of a narrow
interval near 0 only, and "undetermined" of a wide one: what cannot be seen is not absent.

Occlusion, an explainer, takes a word out of one model's text and looks at a probability. Here two models are compared
on one text, by predicted classes. Of a decoy that is a word the two are still kin, and an explainer that is occlusion
has that advantage on decoys verified so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from trustnlp.files.same_rows import check_one_order

Labels = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Interval = tuple[float, float]
Verdict = Literal["adopted", "partly adopted", "not adopted", "undetermined"]

# Of a rate. A model that follows the decoy on most texts where its control does not is ruled by it: the paper's
# "substantially lower" has no number, and half is where following the decoy becomes the rule and not the exception.
ADOPTED_ABOVE = 0.5
# Two clean models differ too: by their seeds, and by what an inserted word does to each. The interval over texts of one
# pair does not know this, and with enough texts any difference lies beyond 0. Less than a tenth is taken for none.
NEGLIGIBLE_BELOW = 0.1
_LEVEL = 0.95
_Z = float(stats.norm.ppf((1 + _LEVEL) / 2))


@dataclass(frozen=True)
class Estimate:
    """A value of paired predictions and its 95 % intervals.

    Attributes
    ----------
    value
        As counted; NaN where nothing was to win.
    over_texts
        Of other texts for these models, in closed form: it repeats exactly, and where all texts agree its width is not
        0. Of differences it is the interval of Agresti and Min (2005) for matched proportions, Wald's after half a text
        was added for each of the four pairs of answers; of the rate a score interval, see `_rate`. Texts count as
        independent: give one of each original.
    over_seeds
        Of other models for these texts: Student's t over seeds. None for one seed. Its width is 0 if all seeds score
        alike.
    """

    value: float
    over_texts: Interval
    over_seeds: Interval | None

    @property
    def widest(self) -> Interval:
        """From the lower of the low ends to the higher of the high ends."""
        both = [self.over_texts, self.over_seeds or self.over_texts]
        return min(low for low, _ in both), max(high for _, high in both)


@dataclass(frozen=True)
class Adoption:
    """How far a model follows the decoy of a wrong class.

    Attributes
    ----------
    texts, seeds
        How many of each.
    buggy_share, clean_share
        Share of the texts that the buggy and the clean model give the decoy's class, mean over seeds.
    effect
        Their difference.
    rate
        The effect as a part of `1 - clean_share`: the rate of adoption.
    buggy_accuracy, clean_accuracy
        On the same texts, mean over seeds.
    """

    texts: int
    seeds: int
    buggy_share: float
    clean_share: float
    effect: Estimate
    rate: Estimate
    buggy_accuracy: float
    clean_accuracy: float

    @property
    def verdict(self) -> Verdict:
        """Of the widest interval of the rate, over texts and over seeds.

        - `adopted`: all of it is above `ADOPTED_ABOVE`.
        - `partly adopted`: all of it is above `NEGLIGIBLE_BELOW`. Some adoption is sure, adoption of most is not.
        - `not adopted`: all of it is below `NEGLIGIBLE_BELOW`.
        - `undetermined`: `NEGLIGIBLE_BELOW` lies in it. Take more texts or more seeds.

        "Not adopted" needs evidence as the others do, and no interval can give it together with one of them. Of one
        pair of models whose rate is just a threshold, less than 4 % of all samples of texts give the verdict beyond it.
        """
        low, high = self.rate.widest
        if low > ADOPTED_ABOVE:
            return "adopted"
        if low > NEGLIGIBLE_BELOW:
            return "partly adopted"
        return "not adopted" if high < NEGLIGIBLE_BELOW else "undetermined"


def adoption(
    buggy: ArrayLike, clean: ArrayLike, labels: ArrayLike, carried: ArrayLike, *, classes: int = 2
) -> Adoption:
    """Compare a buggy model with a clean control on texts that carry the decoy of a wrong class (§3.2).

    Parameters
    ----------
    buggy, clean
        `(n,)` or `(seeds, n)` predicted classes of the same texts. Row s of both is one pair of models, such as those
        of one seed, trained with the decoy and without.
    labels, carried
        `(n,)` true classes, and those that the decoys stand for.
    classes
        Labels are 0 to `classes - 1`.

    Raises
    ------
    ValueError
        If there is no text, shapes that do not fit, labels out of range, a decoy of the true class, or Series whose own
        labels say another order.

    Examples
    --------
    >>> found = adoption([1] * 90 + [0] * 10, [0] * 80 + [1] * 20, [0] * 100, [1] * 100)
    >>> found.effect.value, found.rate.value, found.verdict
    (0.7, 0.875, 'adopted')
    """
    check_one_order(buggy=buggy, clean=clean, labels=labels, carried=carried)
    true = _labels(labels, "the true labels", classes)
    decoys = _labels(carried, "the classes of the decoys", classes)
    if decoys.shape != true.shape:
        raise ValueError(f"{len(true)} texts need as many classes of decoys, got {len(decoys)}")
    if same := np.flatnonzero(decoys == true).tolist():
        raise ValueError(
            f"{len(same)} texts, the first is text {same[0]}, carry the decoy of their true class, where following it "
            "looks like being right; give texts with the decoy of a wrong class"
        )
    one, other = _pairs(buggy, clean, true, classes)
    follows, control = one == decoys, other == decoys
    return Adoption(
        texts=len(true),
        seeds=len(one),
        buggy_share=float(follows.mean()),
        clean_share=float(control.mean()),
        effect=_effect(follows, control),
        rate=_rate(follows, control),
        buggy_accuracy=float((one == true).mean()),
        clean_accuracy=float((other == true).mean()),
    )


def _effect(treated: Bools, control: Bools) -> Estimate:
    """Mean of `treated - control`, `(seeds, n)` each. Agresti and Min's interval, of the means over seeds."""
    gains = treated.astype(np.float64) - control
    by_text, n = gains.mean(axis=0), gains.shape[1] + 2
    centre = by_text.sum() / n
    half = _Z * np.sqrt(by_text @ by_text + 1 - n * centre**2) / n
    value = float(gains.mean())
    return Estimate(value, _inside(centre - half, centre + half, -1.0), _over_seeds(value, gains.mean(axis=1), -1.0))


def _rate(treated: Bools, control: Bools) -> Estimate:
    """Rate of adoption, of `(seeds, n)` each.

    At a supposed rate ρ a text has the surplus x = b − c − ρ(1 − c), of mean 0 and of variance (1 − ρ) d, d the share
    of texts on which the models differ, at least ρ(1 − c). All ρ are kept for which the mean of x is within 1.96 of its
    standard errors: two quadratics. One text is added to those on which the models differ. Where the control never
    gives the decoy's class, the high end is Wilson's. Of several seeds all is averaged, as if their models agreed on
    each text; they do not, so the interval is rather too wide. Over seeds the ratio is linearised.
    """
    to_win = float((~control).sum(axis=1).mean())
    if not to_win:
        return Estimate(float("nan"), (-np.inf, 1.0), None)
    gains = treated.sum(axis=1) - control.sum(axis=1)
    rate = float(gains.mean()) / to_win
    differ = (float((treated != control).sum(axis=1).mean()) + 1) / to_win
    k = _Z**2 / to_win
    middle, half = rate - k * differ / 2, np.sqrt(k * differ * (1 - rate) + (k * differ) ** 2 / 4)
    high = middle + half
    if high > differ:
        high = (rate + k / 2 + np.sqrt(k * rate * (1 - rate) + k**2 / 4)) / (1 + k)
    surplus = gains - rate * (~control).sum(axis=1)
    return Estimate(rate, _inside(middle - half, high, -np.inf), _over_seeds(rate, rate + surplus / to_win, -np.inf))


def _over_seeds(centre: float, values: Floats, lowest: float) -> Interval | None:
    if len(values) < 2:
        return None
    half = stats.t.ppf((1 + _LEVEL) / 2, len(values) - 1) * values.std(ddof=1) / np.sqrt(len(values))
    return _inside(centre - half, centre + half, lowest)


def _inside(low: float, high: float, lowest: float) -> Interval:
    return max(float(low), lowest), min(float(high), 1.0)


def _pairs(buggy: ArrayLike, clean: ArrayLike, true: Labels, classes: int) -> tuple[Labels, Labels]:
    """`(seeds, n)` of both models."""
    one, other = (np.asarray(given) for given in (buggy, clean))
    if one.shape != other.shape or one.ndim not in (1, 2) or one.shape[-1] != len(true):
        raise ValueError(
            f"expected predictions of both models for the same {len(true)} texts, of shape (n,) or (seeds, n), got "
            f"{one.shape} of the buggy and {other.shape} of the clean model"
        )
    named = ((one, "the predictions of the buggy model"), (other, "the predictions of the clean model"))
    first, second = (_labels(given.ravel(), called, classes).reshape(-1, len(true)) for given, called in named)
    return first, second


def _labels(given: ArrayLike, called: str, classes: int) -> Labels:
    """`(n,)` checked."""
    labels = np.asarray(given)
    if labels.ndim != 1 or not len(labels):
        raise ValueError(f"expected {called}, one for each of at least one text, got shape {labels.shape}")
    if outside := sorted(set(labels.tolist()) - set(range(classes))):
        raise ValueError(f"{called} are 0 to {classes - 1} where there are {classes} classes, got also {outside[:5]}")
    return labels.astype(np.int64)
