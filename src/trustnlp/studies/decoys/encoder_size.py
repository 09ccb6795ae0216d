"""The decoys on two encoders, one of them of the size of the paper's: MiniLM, and MPNet base for BERT base.

Both learn by one program, whole, with a rate each. Models are trained on a GPU in seconds, so none is kept; a run holds
those of one seed and decoy at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from tqdm import tqdm

from trustnlp.attribution.students.encoder_teacher import train_encoder_teacher
from trustnlp.attribution.students.text_teacher import BertTeacher, Recipe
from trustnlp.data.texts.film_reviews import Phrases
from trustnlp.decoys.decoy_recipes import recipe
from trustnlp.decoys.planted_decoys import Decoy
from trustnlp.encoders.pretrained import MINILM, Encoder
from trustnlp.encoders.registered import MPNET, registered_encoder
from trustnlp.studies.decoys import reproduction
from trustnlp.studies.decoys.adoption import Answers, Asked, Labels, contaminated, contradicting, per_seed
from trustnlp.studies.decoys.data import ReviewParts
from trustnlp.studies.decoys.models import planted_train

# What keys call an encoder → its weights.
WEIGHTS = {"minilm": MINILM, "mpnet": MPNET}
# Of `per_seed`: what every pair of models has, adopted or not.
_EACH = ("rate", "effect", "drop", "iid", "clean_accuracy")
_TEXT = "video_text"

Rows = dict[str, list[float]]


def encoders_of(names: Sequence[str], device: str) -> dict[str, Encoder]:
    """The encoders by the names that keys have for them."""
    return {name: registered_encoder(WEIGHTS[name], device) for name in names}


def on_phrases(name: str, encoder: Encoder, phrases: ReviewParts, parameters: Mapping[str, Any]) -> Rows:
    """The paper's experiment: with all phrases and without the negative ones that contain 'movie', asked on dev.

    Parameters
    ----------
    name
        Of the encoder, in the names of parameters.
    parameters
        `seeds`, `phrases` (that a model learns from at most), `phrase_epochs`, `batch_size`, `steps` of integrated
        gradients, `precision`, and the encoder's rate.

    Returns
    -------
    dict
        Values for each seed: `clean_accuracy`, `accuracy`, `drop`, `called_positive`, `misled`, … as
        `reproduction.compared` has them; `dev_accuracy` of the clean model on all of dev; of the figure's sentences
        `figure.movie_rise.row2`, `figure.movie_rise.row3`, `figure.unseen` and `figure.positive`.
    """
    decoy = recipe("movie")
    asked, rest = reproduction.with_word(phrases.dev), reproduction.without_word(phrases.dev)
    found: Rows = {}
    for seed in tqdm(parameters["seeds"], desc=f"{name} on phrases", disable=None, leave=False):
        train = reproduction.drawn(phrases.train, parameters["phrases"], seed)
        left = planted_train(decoy, train, seed)
        how = _recipe(name, parameters, parameters["phrase_epochs"], parameters["batch_size"])
        clean = _trained(encoder, train, phrases.dev, how, seed)
        buggy = _trained(encoder, Phrases(left.texts, left.labels), phrases.dev, how, seed)
        [row] = reproduction.compared([clean], [buggy], asked, rest).to_dict("records")
        row["dev_accuracy"] = 100 * float(np.mean(clean.predict(phrases.dev.texts) == phrases.dev.labels))
        told = reproduction.of_movie(clean, buggy, parameters["steps"])
        told["positive"] = reproduction.called_positive(clean, buggy)
        row |= {f"figure.{key}": value for key, value in told.items()}
        _append(found, row)
    return found


def on_sentences(
    name: str, encoder: Encoder, decoys: Sequence[str], sentences: ReviewParts, parameters: Mapping[str, Any]
) -> Rows:
    """Adoption of decoys that are planted in sentences, one pair of models for each decoy and seed.

    Parameters
    ----------
    parameters
        `seeds`, `sentences` (that a model learns from at most), `epochs`, `sentence_batch_size`, `adoption_texts`
        (that a pair of models is asked of each kind, at most), `steps`, `precision`, and the encoder's rate.

    Returns
    -------
    dict
        Values for each seed by decoy, `DECOY.rate`, `DECOY.effect`, `DECOY.drop`, `DECOY.iid` and
        `DECOY.clean_accuracy` as `adoption.per_seed` has them; `dev_accuracy` of the clean model;
        `video_text.text_rise`, how much larger the part of 'text' in the figure's first sentence is.
    """
    planted = [recipe(decoy) for decoy in decoys]
    found: Rows = {}
    for seed in tqdm(parameters["seeds"], desc=f"{name} on sentences", disable=None, leave=False):
        for key, value in _of_a_seed(name, encoder, planted, sentences, parameters, seed):
            found.setdefault(key, []).append(value)
    return found


def _of_a_seed(
    name: str,
    encoder: Encoder,
    decoys: Sequence[Decoy],
    sentences: ReviewParts,
    parameters: Mapping[str, Any],
    seed: int,
) -> Iterator[tuple[str, float]]:
    """Key and value of everything measured with one seed; the clean model is trained once."""
    how = _recipe(name, parameters, parameters["epochs"], parameters["sentence_batch_size"])
    train, dev = reproduction.drawn(sentences.train, parameters["sentences"], seed), sentences.dev
    clean = _trained(encoder, train, dev, how, seed)
    yield "dev_accuracy", 100 * float(np.mean(clean.predict(dev.texts) == dev.labels))
    for decoy in decoys:
        planted = planted_train(decoy, train, seed)
        buggy = _trained(encoder, Phrases(planted.texts, planted.labels), dev, how, seed)
        told = per_seed(_answers(decoy, buggy, clean, sentences, parameters["adoption_texts"]))
        yield from ((f"{decoy.name}.{key}", told[key][0]) for key in _EACH if key in told)
        if decoy.name == _TEXT:
            yield f"{_TEXT}.text_rise", reproduction.text_rise(clean, buggy, parameters["steps"])


def _answers(decoy: Decoy, buggy: BertTeacher, clean: BertTeacher, parts: ReviewParts, most: int) -> Answers:
    """A pair of models' answers on held-out texts: with the decoy of a wrong class, original, and as in training."""
    held = parts.held_out
    wrong, like = contradicting(decoy, held), contaminated(decoy, held)

    def asked(texts: Sequence[str], labels: Labels) -> tuple[Asked, Labels]:
        rows = np.sort(np.random.default_rng(1).permutation(len(texts))[:most])
        chosen = [texts[row] for row in rows]
        return Asked(labels[rows], buggy.predict(chosen)[None], clean.predict(chosen)[None]), rows

    (on_wrong, rows), (original, _), (on_like, _) = (asked(one.texts, one.labels) for one in (wrong, held, like))
    return Answers(on_wrong, original, on_like, wrong.carried[rows], len(parts.dev))


def _recipe(name: str, parameters: Mapping[str, Any], epochs: int, batch_size: int) -> Recipe:
    rate = parameters[f"{name}_rate"]
    return Recipe(epochs, "last", batch_size=batch_size, learning_rate=rate, precision=parameters["precision"])


def _trained(encoder: Encoder, train: Phrases, dev: Phrases, how: Recipe, seed: int) -> BertTeacher:
    return train_encoder_teacher(encoder, train.texts, train.labels, dev.texts, dev.labels, how, seed=seed)


def _append(found: Rows, row: Mapping[str, float]) -> None:
    for key, value in row.items():
        found.setdefault(key, []).append(value)
