"""One seed of one data set through all arms, and what may be compared between them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trustnlp.data.words.word_vectors import read_vectors
from trustnlp.embeddings.senses.sense_induction import induce_senses
from trustnlp.embeddings.senses.sense_inventory import SenseInventory
from trustnlp.embeddings.static import WordVectors
from trustnlp.encoders.bag_of_words import sentence_vectors
from trustnlp.encoders.pretrained import MINILM, load_encoder
from trustnlp.reproduce.notebooks.sources import results_of
from trustnlp.studies.across.hidden_texts.arms import (
    ARMS,
    AUDITED,
    TEXT_ARMS,
    VECTOR_ARMS,
    hidden_texts,
    hidden_vectors,
    telling_pairs,
    told_apart,
)
from trustnlp.studies.across.hidden_texts.data import Pool, Texts, drawn, made_vectors
from trustnlp.studies.across.hidden_texts.readers import Encodings, Floats, best, text_tools, vector_tools
from trustnlp.training.kept_results import json_once, texts_fingerprint

Measured = dict[str, float]
# What the attacker may gain where arms are put side by side, in points; and the loss, in nats.
GAIN, LOSS = 5.0, 1.0
REFERENCE = "deletion"
REMOVAL = ("polarised", "log_odds", "common")


class Hiding:
    """All that the seeds of a run share.

    Parameters
    ----------
    vectors
        The public vocabulary.
    neighbours, edges
        Of the graph in which senses are found.
    encodings
        Texts → vectors `(n, d)`.
    settings
        Of the notebook: `arms`, `texts`, `length`, `draws`, `pairs`, `families`, and what else decides the numbers.
    """

    def __init__(
        self,
        vectors: WordVectors,
        neighbours: int,
        edges: int,
        encodings: Callable[[Sequence[str]], Floats],
        settings: Mapping[str, Any],
    ) -> None:
        self.vectors, self.encodings, self.settings = vectors, encodings, dict(settings)
        self._neighbours, self._edges = neighbours, edges

    @classmethod
    def of(cls, profile: str, settings: Mapping[str, Any]) -> Hiding:
        """GloVe's most frequent words and MiniLM; for `smoke` made-up words and the mean of their vectors."""
        if profile == "paper":
            whole, count = read_vectors("glove_6b_50d"), settings["vocabulary"]
            vectors = WordVectors(whole.words[:count], np.array(whole.matrix[:count]), f"GloVe 6B, {count} words")
            return cls(vectors, 200, 13, Encodings(load_encoder(MINILM), settings["precision"]), settings)
        vectors = made_vectors(np.random.default_rng(0))
        return cls(vectors, 20, 10, lambda texts: sentence_vectors(texts, vectors)[0], settings)

    @cached_property
    def _inventory(self) -> SenseInventory:
        return induce_senses(self.vectors, neighbours=self._neighbours, edges=self._edges, seed=0)

    def _senses(self, arm: str) -> SenseInventory | None:
        return self._inventory if arm == "senses" else None

    def run_once(self, name: str, pool: Pool, seed: int) -> Measured:
        """`run`, kept in the cache, so that what was cut off goes on."""
        key = {**self.settings, "name": name, "seed": seed, "of": texts_fingerprint(list(pool[0]))}
        found: Measured = json_once("hidden", key, results_of(Hiding), lambda: self.run(pool, seed))
        return found

    def run(self, pool: Pool, seed: int) -> Measured:
        """All arms on one draw of texts.

        Returns
        -------
        dict
            `task.ARM.sJ` and `gain.ARM.sJ`, the receiver's and the attacker's points above guessing at strength J, and
            those of `none`; `stays.ARM.sJ`, see `staying`; `loss.ARM.sJ`, the mean lower bound over the pairs, in nats.
        """
        texts = drawn(pool, self.settings["texts"], self.settings["length"], seed)
        vectors, measured = self.encodings(texts.texts), Measured()
        self._read("none", texts.texts, texts, measured)
        for arm in self._asked(TEXT_ARMS):
            for place, hidden in enumerate(hidden_texts(arm, texts, self.vectors, self._senses(arm), seed)):
                self._read(f"{arm}.s{place}", hidden, texts, measured)
                measured[f"stays.{arm}.s{place}"] = staying(texts.texts, hidden)
        for arm in self._asked(VECTOR_ARMS):
            for place, released in enumerate(hidden_vectors(arm, vectors, seed)):
                for what, answers in (("task", texts.labels), ("gain", texts.secrets)):
                    score = best(vector_tools(released), answers, texts.parts)
                    measured[f"{what}.{arm}.s{place}"] = score.above
        return measured | self._losses(texts, seed)

    def _read(self, key: str, hidden: Sequence[str], texts: Texts, measured: Measured) -> None:
        tools = text_tools(hidden, self.settings["families"], self.vectors, self.encodings)
        for what, answers in (("task", texts.labels), ("gain", texts.secrets)):
            measured[f"{what}.{key}"] = best(tools, answers, texts.parts).above

    def _asked(self, arms: Iterable[str]) -> list[str]:
        return [arm for arm in arms if arm in self.settings["arms"]]

    def _losses(self, texts: Texts, seed: int) -> Measured:
        pairs = telling_pairs(texts, self.vectors, self.settings["pairs"], seed)
        vectors = [self.encodings([" ".join(pair.first), " ".join(pair.second)]) for pair in pairs]
        losses = Measured()
        for arm in self._asked(AUDITED):
            for place, strength in enumerate(ARMS[arm]):
                proven = [
                    told_apart(arm, strength, pair, self.vectors, self._senses(arm), own, self.settings["draws"], seed)
                    for pair, own in zip(pairs, vectors, strict=True)
                ]
                losses[f"loss.{arm}.s{place}"] = float(np.mean(proven))
        return losses


def staying(texts: Sequence[str], hidden: Sequence[str]) -> float:
    """Share of the words of the texts that are still in the hidden ones, wherever they stand there."""
    words = [(Counter(text.split()), Counter(other.split())) for text, other in zip(texts, hidden, strict=True)]
    return sum((own & left).total() for own, left in words) / sum(own.total() for own, _ in words)


def strength_for(levels: NDArray[np.float64], values: NDArray[np.float64], level: float) -> float:
    """Where the values are best among the places at which a row of levels is at most `level`.

    Places are counted in strengths; between two strengths, straight: what a coin reaches that decides for each text
    between the two. The first of equally good ones.

    Raises
    ------
    ValueError
        If every one is above `level`.
    """
    places = [float(place) for place in np.flatnonzero(levels <= level)]
    for place, (here, after) in enumerate(pairwise(levels)):
        if (here - level) * (after - level) < 0:
            places.append(place + float((here - level) / (here - after)))
    if not places:
        raise ValueError(f"the smallest of the levels is {levels.min():.3g}, above {level:g}")
    return max(sorted(places), key=lambda place: float(np.interp(place, np.arange(len(values)), values)))


def side_by_side(
    levels: NDArray[np.float64], values: NDArray[np.float64], level: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Values of each seed at the strength that the *other* seeds' means choose for `level`.

    Parameters
    ----------
    levels, values
        `(seeds, strengths)`, from no protection to a constant text.

    Returns
    -------
    tuple
        `(seeds,)` of `values`, and of `levels`, which tell how well the choice holds.
    """
    steps, found = np.arange(levels.shape[1]), []
    for seed in range(len(levels)):
        others = [seed] if len(levels) == 1 else [each for each in range(len(levels)) if each != seed]
        place = strength_for(levels[others].mean(axis=0), values[others].mean(axis=0), level)
        found.append((np.interp(place, steps, values[seed]), np.interp(place, steps, levels[seed])))
    at, reached = np.array(found).T
    return at, reached


def row_of(runs: Sequence[Measured], what: str, arm: str) -> NDArray[np.float64]:
    """`(seeds, strengths)` of an arm between the unprotected texts and a constant one, which tells nothing."""
    first = [run[f"{what}.none"] for run in runs]
    own = [[run[f"{what}.{arm}.s{place}"] for place in range(len(ARMS[arm]))] for run in runs]
    return np.column_stack([first, np.array(own), np.zeros(len(runs))])


def summary(runs: Mapping[str, Sequence[Measured]]) -> dict[str, list[float]]:
    """Values by seed of what is recorded, keys `WHAT.DATA.ARM`.

    Returns
    -------
    dict
        `task`, `gain`, `stays` and `loss` as in `Hiding.run`; `fall`, how much less an attacker gains than unprotected.
        At the best strength where the attacker gains at most `GAIN` points: `kept`, points of the task; `reached`, what
        the attacker gains there; `over` and `coin`, points of the task more than random deletion and than a coin keep,
        which sends a text as it is or not at all. At the best strength where two texts with another telling word are
        told apart with at most `LOSS` nats, between tried strengths: `at_loss`, points of the task, of arms with noise
        whose strongest is that private in every seed, and `half`, how many more than half of the unprotected ones the
        best of them has. `lead` of `common` over the best other arm in `kept`.
    """
    found: dict[str, list[float]] = {}
    for data, rows in runs.items():
        arms = [arm for arm in ARMS if f"task.{arm}.s0" in rows[0]]
        for key in rows[0]:
            what, _, rest = key.partition(".")
            found[f"{what}.{data}.{rest}"] = [row[key] for row in rows]
            if what == "gain" and rest.partition(".")[0] in REMOVAL:
                found[f"fall.{data}.{rest}"] = [row["gain.none"] - row[key] for row in rows]
        ends = [np.array([[row[f"{what}.none"], 0.0] for row in rows]) for what in ("gain", "task")]
        kept = {"coin": side_by_side(ends[0], ends[1], GAIN)[0]}
        at_loss: dict[str, NDArray[np.float64]] = {}
        for arm in arms:
            tasks, gains = row_of(rows, "task", arm), row_of(rows, "gain", arm)
            kept[arm], reached = side_by_side(gains, tasks, GAIN)
            found[f"reached.{data}.{arm}"] = reached.tolist()
            if arm in AUDITED and arm != REFERENCE:
                losses = np.array([[row[f"loss.{arm}.s{place}"] for place in range(len(ARMS[arm]))] for row in rows])
                # No coin between a strength and the text as it is: that coin's loss is the text's own.
                if losses[:, -1].max() <= LOSS:
                    at_loss[arm] = side_by_side(losses, tasks[:, 1:-1], LOSS)[0]
        found |= {f"kept.{data}.{arm}": values.tolist() for arm, values in kept.items()}
        found |= {f"at_loss.{data}.{arm}": values.tolist() for arm, values in at_loss.items()}
        for what, reference in (("over", REFERENCE), ("coin", "coin")):
            more = {arm: (kept[arm] - kept[reference]).tolist() for arm in kept if arm != reference}
            found |= {f"{what}.{data}.{arm}": values for arm, values in more.items()}
        found[f"lead.{data}"] = (kept["common"] - kept[_best(kept, "common")]).tolist()
        found[f"half.{data}"] = (at_loss[_best(at_loss)] - ends[1][:, 0] / 2).tolist()
    return found


def _best(kept: Mapping[str, NDArray[np.float64]], but: str = "") -> str:
    return max(kept.keys() - {but}, key=lambda arm: (float(kept[arm].mean()), arm))
