"""Teachers and students as the chapter's notebooks ask for them: six notebooks share their files.

Kumar, Dixit and Shah (2021), §4.1.1: a teacher fine-tuned on SST-2's training phrases, and a student of it trained on
pairs of a phrase and one of its spans.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from torch import nn

from trustnlp.attribution.students.combination import Combine
from trustnlp.attribution.students.influence_student import InfluenceStudent
from trustnlp.attribution.students.masked_spans import MaskedPairs, MaskedSpan, Span, Words, draw_spans, masked_pairs
from trustnlp.attribution.students.student_training import train_student
from trustnlp.attribution.students.text_teacher import BertTeacher, Recipe, train_teacher
from trustnlp.data.texts.film_reviews import Reviews
from trustnlp.data.texts.review_standins import planted_reviews
from trustnlp.encoders.pretrained import Encoder, load_encoder
from trustnlp.reproduce import Record
from trustnlp.reproduce.notebooks.sources import results_of
from trustnlp.studies.moxie.data import DATA_SETS, read_tagged_reviews

Units = Literal["spans", "words"]


@dataclass(frozen=True, eq=False)
class Explained:
    """A teacher, what its student learned from, and where both are kept.

    Attributes
    ----------
    pairs
        Spans of the training phrases with the teacher's representations.
    folder
        None keeps nothing.
    """

    teacher: BertTeacher
    student: InfluenceStudent
    encoder: Encoder
    pairs: MaskedPairs
    selection: tuple[Words, ...]
    recipe: Recipe
    folder: Path | None


def reviews_for(record: Record, n_texts: int) -> Reviews:
    """SST-2 for the `paper` profile, and the record says so; else `n_texts` made-up reviews, the same in every run."""
    if record.profile != "paper":
        return planted_reviews(n_texts, np.random.default_rng(0))
    for name in DATA_SETS:
        record.uses(name)
    return read_tagged_reviews(results_of("trustnlp.data.annotation.english_tags"))


def explained(reviews: Reviews, parameters: Mapping[str, Any], seed: int) -> Explained:
    """A teacher and its student; those of the `paper` profile are kept in the results' folder.

    Parameters
    ----------
    parameters
        Of these the values of `profile`, `encoder`, `device`, `precision`, `max_length`, `batch_size`,
        `teacher_epochs`, `teacher_rate`, `pairs`, `student_epochs`, `student_rate` and `selection`; other names do not
        count, so that a notebook can give its `vars()`.

    Raises
    ------
    KeyError
        If one of them is missing.
    """
    folder = results_of("trustnlp.attribution.students.student_training") if parameters["profile"] == "paper" else None
    encoder = load_encoder(parameters["encoder"], parameters["device"])
    shared = {name: parameters[name] for name in ("batch_size", "max_length", "precision")}
    train, dev = reviews.sst2.train, reviews.sst2.dev
    teacher = train_teacher(
        encoder,
        train.texts,
        train.labels,
        dev.texts,
        dev.labels,
        Recipe(parameters["teacher_epochs"], "last", learning_rate=parameters["teacher_rate"], **shared),
        seed=seed,
        folder=folder,
    )
    recipe = Recipe(parameters["student_epochs"], "best", learning_rate=parameters["student_rate"], **shared)
    spans = training_spans(reviews, parameters["pairs"], "spans", np.random.default_rng([seed, 1]))
    pairs = masked_pairs(teacher, spans, folder=folder)
    selection = tuple(text.words for text in reviews.tagged["dev"][: parameters["selection"]])
    student = train_student(teacher, encoder, pairs, selection, recipe, seed=seed, folder=folder)
    return Explained(teacher, student, encoder, pairs, selection, recipe, folder)


def other_student(
    found: Explained,
    reviews: Reviews,
    seed: int,
    *,
    units: Units = "spans",
    pairs: int,
    combine: Callable[[int, int], nn.Module] = Combine,
) -> InfluenceStudent:
    """Another student of the same teacher, of other or fewer pairs or with another combine module."""
    spans = training_spans(reviews, pairs, units, np.random.default_rng([seed, 1]))
    return train_student(
        found.teacher,
        found.encoder,
        masked_pairs(found.teacher, spans, folder=found.folder),
        found.selection,
        found.recipe,
        seed=seed,
        folder=found.folder,
        combine=combine,
    )


def training_spans(reviews: Reviews, count: int, units: Units, rng: np.random.Generator) -> list[MaskedSpan]:
    """Pairs of a training phrase and one of its spans: nodes of its tree, or single words.

    Deviation: the paper parses each phrase; here the nodes are those of the treebank. A phrase that is no node of any
    tree has its words for spans.
    """
    texts = [tuple(text.split()) for text in reviews.sst2.train.texts]
    return draw_spans(texts, [_spans(reviews, words, units) for words in texts], count, rng)


def _spans(reviews: Reviews, words: Words, units: Units) -> Sequence[Span]:
    nodes = reviews.trees.spans_of(words) if units == "spans" else None
    return [(at, at + 1) for at in range(len(words))] if nodes is None else nodes
