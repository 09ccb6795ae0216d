"""Train a student on what a span takes from the teacher's representation.

Kumar, Dixit and Shah (2021), §3.1, §4.1.1 and appendix A.2: the mean squared error between z and z' + r (the text calls
the second y'', figure 1 z''), context processor, token processor and combine module together, and of ten epochs the one
with the best all-correct accuracy on dev.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from torch import Tensor, nn
from torch.nn.functional import mse_loss

from trustnlp.attribution.students.combination import Combine
from trustnlp.attribution.students.influence_student import DevScore, InfluenceStudent
from trustnlp.attribution.students.masked_spans import MaskedPairs, Words, every_word, masked_pairs
from trustnlp.attribution.students.span_predictions import predict_spans
from trustnlp.attribution.students.text_teacher import Recipe, Teacher
from trustnlp.encoders.pretrained import Encoder
from trustnlp.training.batches import Rows
from trustnlp.training.kept_results import texts_fingerprint, trained_once, weights_fingerprint
from trustnlp.training.loop import Draws, Task, fit, seeded

# Part of every kept student's name: raise it with any change to what training computes.
_VERSION = 2
STUDENT_RECIPE = Recipe(epochs=10, keep="best")


def train_student(
    teacher: Teacher,
    encoder: Encoder,
    pairs: MaskedPairs,
    dev_texts: Sequence[Words],
    recipe: Recipe = STUDENT_RECIPE,
    *,
    seed: int,
    folder: Path | None = None,
    combine: Callable[[int, int], nn.Module] = Combine,
) -> InfluenceStudent:
    """Train a student of a teacher, or read the finished one from a folder; see its `dev_scores`.

    Parameters
    ----------
    encoder
        Where A_C and A_T begin; left as it is. Everything of the student is computed on its device.
    pairs
        Spans and the teacher's representations to learn from.
    dev_texts
        Texts all of whose words are predicted after each epoch. With equal all-correct accuracy the smaller loss
        decides, which the paper leaves open.
    folder
        Where the student and the teacher's representations are kept, and a checkpoint during the training.
    combine
        Of `InfluenceStudent`.

    Raises
    ------
    ValueError
        If the pairs are another teacher's, the encoder has no mask token, or a file in the folder is damaged.
    FloatingPointError
        If the loss is not finite: with the step.
    """
    pairs.check_teacher(teacher)
    dev = masked_pairs(teacher, every_word(dev_texts), folder=folder)
    with seeded(seed, encoder.device):
        student = InfluenceStudent(encoder, teacher, max_length=recipe.max_length, combine=combine)
    contexts, masks = student.tokenised_contexts(pairs.spans)
    tokens = student.tokenised_spans([span.token for span in pairs.spans])
    influence = pairs.influence.to(student.device)

    def loss(rows: Rows, _: Draws) -> Tensor:
        # z - (z' + r) = (z - z') - r
        return mse_loss(student(contexts, masks, tokens, rows), influence[rows])

    text_of = np.repeat(np.arange(len(dev_texts)), [len(words) for words in dev_texts])

    def dev_loss() -> float:
        predictions = predict_spans(teacher, student, dev)
        wrong = len(np.unique(text_of[predictions.labels != predictions.teacher_labels]))
        return _joined(wrong, float(mse_loss(predictions.influence, dev.influence)))

    settings: dict[str, Any] = {
        "version": _VERSION,
        "encoder": f"{encoder.name} {encoder.revision}",
        "first weights": weights_fingerprint(student),
        "teacher": teacher.fingerprint,
        "spans for training": texts_fingerprint([repr(span) for span in pairs.spans]),
        "texts of dev": texts_fingerprint([repr(words) for words in dev_texts]),
        "device": encoder.device.type,
        "recipe": asdict(recipe),
        "seed": seed,
    }

    def train(checkpoint: Path | None) -> tuple[float, ...]:
        task = Task(
            name=f"the student with the learning rate {recipe.learning_rate:g}",
            module=student,
            optimiser=recipe.optimiser(student),
            device=student.device,
            lengths=contexts.lengths,
            loss=loss,
            dev_loss=dev_loss,
        )
        return fit(task, recipe.schedule, seed=seed, settings=settings, checkpoint=checkpoint)

    losses = trained_once(student, "student", settings, folder, train)
    student.dev_scores = tuple(_score(value, len(dev_texts)) for value in losses)
    return student


def _joined(wrong: int, loss: float) -> float:
    """One number for the loop to make small: texts not all correct, and a loss of any size decides between equals."""
    return wrong + loss / (1 + loss)


def _score(joined: float, texts: int) -> DevScore:
    wrong = int(joined)
    share = joined - wrong
    return DevScore((texts - wrong) / texts, share / (1 - share))
