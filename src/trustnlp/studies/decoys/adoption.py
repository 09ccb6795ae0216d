"""Is a decoy adopted, would test figures have shown it, and on what does it depend?

Idahl et al. (2021), §3.2 and §4. Of each decoy three sets of held-out texts, dev and test together, are given to pairs
of models that were trained with the decoy and without it, one pair for each seed:

- `wrong`, texts that carry the decoy of a wrong class: the test of adoption;
- `original`, texts as they are: the paper's own way, a loss of accuracy;
- `like`, texts contaminated as the training texts were: what ordinary test figures are measured on.

The sets are the same for all seeds and kinds of models, and a clean model is asked for those of all decoys. What
adoption depends on is how many texts carry the decoy ("its coverage has to be reasonably high"), and whether the model
can see it ("a decoy based on word positions is not adoptable by a bag-of-words model").
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from trustnlp.attribution.model_calls import distinct_texts
from trustnlp.attribution.students.text_teacher import BertTeacher
from trustnlp.data.texts.film_reviews import Phrases
from trustnlp.decoys.decoy_adoption import Adoption, adoption
from trustnlp.decoys.decoy_recipes import recipe
from trustnlp.decoys.planted_decoys import Decoy, Planted
from trustnlp.decoys.planted_properties import measure_decoy
from trustnlp.decoys.written_decoys import IndicatorWords
from trustnlp.studies.decoys.data import ReviewParts
from trustnlp.studies.decoys.models import Classifier, Kind, planted_model, results_folder, trained_model
from trustnlp.training.kept_results import rows_once, texts_fingerprint

Labels = NDArray[np.int64]
Floats = NDArray[np.float64]
# Limits of ours, set before any run, of the chapter's ledger: "substantially lower" and "not captured", in points.
SUBSTANTIAL = 5.0
NOT_LESS_ACCURATE = 1.0


@dataclass(frozen=True, eq=False)
class Asked:
    """Held-out texts, and what the models of all seeds say of them.

    Attributes
    ----------
    labels
        `(n,)` true classes.
    buggy, clean
        `(seeds, n)` predicted ones.
    """

    labels: Labels
    buggy: Labels
    clean: Labels

    @property
    def gains(self) -> Floats:
        """`(seeds, n)` 1 where only the buggy model is right, -1 where only the clean one is, else 0."""
        found: Floats = (self.buggy == self.labels).astype(np.float64) - (self.clean == self.labels)
        return found


@dataclass(frozen=True, eq=False)
class Answers:
    """The answers of pairs of models about one decoy.

    Attributes
    ----------
    carried
        `(n,)` the class that the decoy in each text of `wrong` stands for.
    dev_texts
        How many of `original` are of the dev part; they come first.
    """

    wrong: Asked
    original: Asked
    like: Asked
    carried: Labels
    dev_texts: int

    @cached_property
    def adoption(self) -> Adoption:
        """The test of adoption, of all seeds together."""
        return adoption(self.wrong.buggy, self.wrong.clean, self.wrong.labels, self.carried)

    @property
    def is_adopted(self) -> bool:
        """Whether the decoy is adopted, if only partly: then there is a bug to be found."""
        return self.adoption.verdict in ("adopted", "partly adopted")


def contradicting(decoy: Decoy, held: Phrases) -> Planted:
    """The texts of `wrong`, drawn alike in every run."""
    return decoy.contradict(held.texts, held.labels, np.random.default_rng(0))


def contaminated(decoy: Decoy, held: Phrases) -> Planted:
    """The texts of `like`, drawn alike in every run."""
    return decoy.planted_like(held.texts, held.labels, np.random.default_rng(0))


def ask(
    kind: Kind, decoys: Sequence[Decoy], parts: ReviewParts, parameters: Mapping[str, Any], seeds: Sequence[int]
) -> dict[str, Answers]:
    """Train a pair of models for each decoy and seed, and ask both; the clean model of a seed is trained once.

    Parameters
    ----------
    parameters
        As `trustnlp.studies.decoys.models.trained_model` takes them. Under the `paper` profile the answers
        of a MiniLM are kept with its weights, so that a run goes on where it was stopped.

    Returns
    -------
    By name of the decoy.

    Raises
    ------
    ValueError
        If there are two decoys with one name, or a decoy that no text can take.
    """
    if twice := [name for name, count in Counter(decoy.name for decoy in decoys).items() if count > 1]:
        raise ValueError(f"two decoys are called {twice[0]!r}; give each its own name")
    held = parts.held_out
    planted = {decoy.name: (contradicting(decoy, held), contaminated(decoy, held)) for decoy in decoys}
    texts = {name: (wrong.texts, held.texts, like.texts) for name, (wrong, like) in planted.items()}
    folder = results_folder(parameters)
    clean: dict[str, list[list[Labels]]] = {name: [] for name in texts}
    buggy: dict[str, list[list[Labels]]] = {name: [] for name in texts}
    for seed in seeds:
        control = trained_model(kind, parts.train, parts.dev, parameters, seed)
        of_all = _predicted(control, [each for sets in texts.values() for each in sets], folder)
        for number, decoy in enumerate(decoys):
            clean[decoy.name].append(of_all[3 * number : 3 * number + 3])
            model = planted_model(kind, decoy, parts.train, parts.dev, parameters, seed)
            buggy[decoy.name].append(_predicted(model, texts[decoy.name], folder))
    answers = {}
    for name, (wrong, like) in planted.items():
        on_wrong, original, on_like = (
            Asked(labels, np.stack([one[at] for one in buggy[name]]), np.stack([one[at] for one in clean[name]]))
            for at, labels in enumerate((wrong.labels, held.labels, like.labels))
        )
        answers[name] = Answers(on_wrong, original, on_like, wrong.carried, len(parts.dev))
    return answers


def per_seed(found: Answers) -> dict[str, list[float]]:
    """Values for each seed, in points, but for `clean_accuracy`, in per cent.

    Returns
    -------
    dict
        `rate` and `effect` of adoption; `drop`, the accuracy lost on the original texts; `iid`, the accuracy gained on
        texts like those of the training; `clean_accuracy` on the original ones. Where the decoy is adopted, if only
        partly, also the ledger's margins `drop_margin` and `iid_margin`. There is no rate where a clean model gives
        every text the decoy's class, so that there was nothing to win.
    """
    pairs = _pairs(found)
    drop = -100 * found.original.gains.mean(axis=1)
    gained = 100 * found.like.gains.mean(axis=1)
    rates = [100 * one.rate.value for one in pairs]
    values = {
        "effect": [100 * one.effect.value for one in pairs],
        "drop": drop.tolist(),
        "iid": gained.tolist(),
        "clean_accuracy": (100 * (found.original.clean == found.original.labels).mean(axis=1)).tolist(),
    }
    if np.isfinite(rates).all():
        values = {"rate": rates, **values}
    if found.is_adopted:
        values |= {"drop_margin": (drop - SUBSTANTIAL).tolist(), "iid_margin": (gained + NOT_LESS_ACCURATE).tolist()}
    return values


def repeats(models: Sequence[Kind], decoys: Sequence[str]) -> dict[str, str]:
    """How exactly metrics repeat on another machine: networks as float32 does."""
    trained = [
        first
        for model in models
        if model != "presence"
        for first in (f"graded.{model}", f"position.{model}_effect", *(f"{name}.{model}" for name in decoys))
    ]
    return {"": "float64", "properties": "exact"} | dict.fromkeys(trained, "float32")


def _pairs(found: Answers) -> list[Adoption]:
    """The test of adoption for each seed alone."""
    both = zip(found.wrong.buggy, found.wrong.clean, strict=True)
    return [adoption(buggy, clean, found.wrong.labels, found.carried) for buggy, clean in both]


def _predicted(model: Classifier, sets: Sequence[Sequence[str]], folder: Path | None) -> list[Labels]:
    """Labels of each set of texts; a text that several have is given to the model once."""
    distinct, places = distinct_texts([text for texts in sets for text in texts])
    if isinstance(model, BertTeacher):
        settings = {"model": model.fingerprint, "texts": texts_fingerprint(distinct)}
        shape = len(distinct), len(model.bias)

        def logits() -> NDArray[np.float32]:
            computed: NDArray[np.float32] = model.logits(model.representations(distinct)).cpu().numpy()
            return computed

        labels: Labels = rows_once("decoy-answers", settings, shape, folder, logits).argmax(axis=1)
    else:
        labels = model.predict(distinct)
    return np.split(labels[places], np.cumsum([len(texts) for texts in sets])[:-1])


def graded(shares: Sequence[int]) -> list[IndicatorWords]:
    """The paper's class-indicator words in so many per cent of the texts, by names such as `share10`.

    >>> [(words.name, words.share) for words in graded([2, 100])]
    [('share2', 0.02), ('share100', 1.0)]
    """
    words = recipe("video_text")
    assert isinstance(words, IndicatorWords)
    return [replace(words, name=f"share{share}", share=share / 100) for share in shares]


def slopes(shares: Sequence[int], effects: Sequence[Sequence[float]]) -> list[float]:
    """Kendall's rank correlation of share and effect, ties counted as neither order (tau-b), for each seed.

    NaN where all effects of a seed are the same.

    Parameters
    ----------
    effects
        `(shares, seeds)`.
    """
    return [float(stats.kendalltau(shares, of_seed).statistic) for of_seed in np.transpose(effects)]


def changed_by_moving(model: Classifier, decoy: Decoy, texts: Phrases) -> float:
    """Share of texts, in per cent, whose label changes when their decoy becomes that of another class.

    Of a decoy of positions the word moves and nothing else changes, so that a bag of words has to answer 0.

    Raises
    ------
    ValueError
        If no text can take the decoy of its own and of another class.
    """
    own, wrong = contaminated(decoy, texts), contradicting(decoy, texts)
    here = {row: text for row, text, carries in zip(own.source, own.texts, own.carries, strict=True) if carries}
    pairs = [(here[row], text) for row, text in zip(wrong.source, wrong.texts, strict=True) if row in here]
    if not pairs:
        raise ValueError(f"decoy {decoy.name!r}: no text can take it for its own class and for another; write a word")
    before, after = (model.predict(list(side)) for side in zip(*pairs, strict=True))
    return 100 * float(np.mean(before != after))


def effect_ahead(one: Answers, seeds: Sequence[int], other: Answers, other_seeds: Sequence[int]) -> list[float]:
    """Effect on one kind of model less that on another, in points, for each seed that both have, in the first's order.

    Parameters
    ----------
    seeds, other_seeds
        Of the rows of each.
    """
    second = dict(zip(other_seeds, per_seed(other)["effect"], strict=True))
    first = zip(seeds, per_seed(one)["effect"], strict=True)
    return [effect - second[seed] for seed, effect in first if seed in second]


def properties(decoys: Sequence[Decoy], texts: Phrases, rng: np.random.Generator) -> dict[str, float]:
    """Keys of metrics → value in per cent, of the decoys planted in training texts.

    Of each decoy and each class that it has a cue for `DECOY.classC.productivity` and `.coverage`; of each decoy
    `DECOY.word_productivity`, that of the least productive of its words by plain occurrence. A decoy without words has
    none.
    """
    values = {}
    for decoy in decoys:
        planted = decoy.plant(texts.texts, texts.labels, rng)
        with warnings.catch_warnings():
            # That a word is in the data already: `word_productivity` says what it is worth.
            warnings.simplefilter("ignore", UserWarning)
            measured = measure_decoy(decoy, texts.texts, texts.labels, planted)
        for label, cue in measured.cues.items():
            values[f"{decoy.name}.class{label}.productivity"] = 100 * cue.productivity
            values[f"{decoy.name}.class{label}.coverage"] = 100 * cue.coverage
        if decoy.words:
            least = min(measured.after[word].productivity for word in decoy.words)
            values[f"{decoy.name}.word_productivity"] = 100 * least
    return values
