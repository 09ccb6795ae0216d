"""The runs of the experiment: a dose, a seed, one training of word vectors, all measures; and what they add up to.

Each measure gets the exact test over all splits of the sixteen words into X and Y. It is exact where X and Y are
exchangeable, so that without bias its false alarms can differ from its level by chance alone; in `rare` they need not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from scipy.stats import spearmanr, ttest_1samp
from tqdm import tqdm

from trustnlp.bias import MEASURES
from trustnlp.bias.association_tests.permutation import permutation_test
from trustnlp.data.texts.english_text import read_english
from trustnlp.embeddings.train import train_word2vec
from trustnlp.evaluation.intervals import clopper_pearson
from trustnlp.reproduce.notebooks.sources import results_of
from trustnlp.studies.across.planted_bias.plant import Plant, X, carriers_of, draw_plant, made_text
from trustnlp.studies.across.planted_bias.scores import own_numbers, probed, word_scores
from trustnlp.training.kept_results import json_once

DOSES = (0, 5, 10, 20, 35, 50)
# Arm → sentences of each gendered pair that a word of X gets, those that a word of Y gets, and the dose in per cent.
ARMS = {f"dose{dose}": (5, 5, dose) for dose in DOSES} | {"rare": (8, 2, 0)}
LEVEL, SEEN, TWICE, WIDE, HALF = 0.05, 0.8, 0.1, 0.15, 0.5


@dataclass(frozen=True)
class Setting:
    """Text and training of the vectors; `corpus` is a name of `read_english`, or `made` for a stand-in."""

    corpus: str
    tokens: int
    dim: int
    epochs: int
    contexts: int


def measured(plant: Plant, dose: int, setting: Setting, seed: int) -> dict[str, dict[str, float]]:
    """One training of word vectors, and all measures of them.

    Returns
    -------
    dict
        Measure → `p` of the test over the words, `lean` (mean of X less mean of Y), `effect` (lean by the standard
        deviation, as WEAT has it), and `alone_p` of a t-test of the words of X against zero. Numbers of whole sets have
        `lean` alone.
    """
    vectors = train_word2vec(plant.text(dose), dim=setting.dim, seed=seed, epochs=setting.epochs)
    scores = word_scores(vectors)
    scores["probe"], turned = probed(plant, dose, setting.contexts)
    measures = {name: _tested(values) for name, values in scores.items()}
    return measures | {
        name: {"lean": number} for name, number in (own_numbers(vectors) | {"probe_own": turned}).items()
    }


def _tested(scores: Sequence[float]) -> dict[str, float]:
    first, second = scores[: len(X)], scores[len(X) :]
    lean = float(np.mean(first) - np.mean(second))
    return {
        "p": permutation_test(scores, len(X)).p_value,
        "lean": lean,
        "effect": lean / float(np.std(scores, ddof=1)),
        "alone_p": float(ttest_1samp(first, 0).pvalue),
    }


Runs = dict[str, list[dict[str, dict[str, float]]]]


class Study:
    """The text, read once, and the runs of its arms; each run is kept in the cache, so that a cut one goes on."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        made = setting.corpus == "made"
        self.sentences = made_text(np.random.default_rng(0)) if made else read_english([setting.corpus])
        self.carriers = carriers_of(self.sentences)

    def run(self, arm: str, seed: int) -> dict[str, dict[str, float]]:
        """The measures of one arm; two arms of a seed with the same shares differ in the dose alone."""
        *per_pair, dose = ARMS[arm]

        def compute() -> dict[str, dict[str, float]]:
            rng = np.random.default_rng(seed)
            plant = draw_plant(self.sentences, self.carriers, per_pair, self.setting.tokens, rng)
            return measured(plant, dose, self.setting, seed)

        key: dict[str, Any] = asdict(self.setting) | {"arm": arm, "seed": seed}
        found: dict[str, dict[str, float]] = json_once("planted", key, results_of(Study), compute)
        return found

    def runs(self, seeds: Sequence[int], compared: int, stepped: int) -> Runs:
        """Arm → runs: no bias on all seeds, 10 % and `rare` on the first `compared`, other doses on `stepped`."""
        count = {"dose0": len(seeds), "dose10": compared, "rare": compared}
        return {
            arm: [self.run(arm, seed) for seed in tqdm(seeds[: count.get(arm, stepped)], desc=arm, disable=None)]
            for arm in ARMS
        }


Measured = dict[str, tuple[list[float], str | tuple[float, float]]]


def summary(runs: Runs) -> Measured:
    """Key → values by seed and interval, that of a share being Clopper and Pearson's (1934).

    Returns
    -------
    dict
        By measure: `hits.ARM.` whether the test over the words is significant at 5 % (a false alarm in `dose0` and
        `rare`); `right.dose10.` whether X leans to the male side; `alone.` whether the words of X differ from zero by
        themselves, without any bias; `response.` rank correlation of the dose with what the measure prints, over the
        doses of a seed. Margins, above zero where a sentence holds: `margin.dose10.` over 80 % of hits;
        `margin.rare.` and `margin.alone.` over 10 % of false alarms; `margin.level.` that false alarms without bias
        stay below 15 %; `margin.eq2.MEASURE` that Eq. 2 hits in fewer than half of the texts at 50 %. `lead.MEASURE`
        is how much more often WEAT's mean hits than its median at 10 %.
    """
    by_key: Measured = {}
    tested = [name for name, value in runs["dose0"][0].items() if "p" in value]
    hits = {(arm, name): [float(one[name]["p"] <= LEVEL) for one in runs[arm]] for arm in runs for name in tested}
    for (arm, name), values in hits.items():
        by_key[f"hits.{arm}.{name}"] = _share(values)
    for name in tested:
        if "eq2" not in name:  # never negative, so zero is not its middle
            alone = [float(one[name]["alone_p"] <= LEVEL) for one in runs["dose0"]]
            by_key[f"alone.{name}"] = _share(alone)
            by_key[f"margin.alone.{name}"] = _share(alone, TWICE)
        by_key[f"right.dose10.{name}"] = _share([float(one[name]["lean"] > 0) for one in runs["dose10"]])
        by_key[f"margin.dose10.{name}"] = _share(hits["dose10", name], SEEN)
        by_key[f"margin.rare.{name}"] = _share(hits["rare", name], TWICE)
        values, (low, high) = _share(hits["dose0", name], WIDE)
        by_key[f"margin.level.{name}"] = [-value for value in values], (-high, -low)
    doses = [arm for arm in runs if arm != "rare"]
    for name, value in runs["dose0"][0].items():
        prints = "effect" if "effect" in value else "lean"
        rows = zip(*(runs[arm] for arm in doses), strict=False)
        ranks = [spearmanr([int(arm[4:]) for arm in doses], [one[name][prints] for one in row]) for row in rows]
        by_key[f"response.{name}"] = [float(rank.statistic) for rank in ranks], "t"
    for measure in MEASURES:
        mean, median = (hits["dose10", f"weat_{measure}_{statistic}"] for statistic in ("mean", "median"))
        by_key[f"lead.{measure}"] = [a - b for a, b in zip(mean, median, strict=True)], "t"
        values, (low, high) = _share(hits["dose50", f"weat_{measure}_eq2"], HALF)
        by_key[f"margin.eq2.{measure}"] = [-value for value in values], (-high, -low)
    return by_key


def _share(hits: Sequence[float], less: float = 0.0) -> tuple[list[float], tuple[float, float]]:
    """Hits, each less a level, and the exact 95 % interval of their mean."""
    low, high = clopper_pearson(int(sum(hits)), len(hits), 0.025)
    return [hit - less for hit in hits], (low - less, high - less)
