"""A classifier that is explained, on an encoder of any usual kind: fine-tuned whole, kept nowhere.

`trustnlp.attribution.students.text_teacher.train_teacher` is for BERTs, which it splits, and keeps what it has trained.
Here the encoder runs as it is, so that a second kind can be asked what the first was; weights of 0.4 GB for each
training of half a minute on a GPU are not worth a disk.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import ArrayLike

from trustnlp.attribution.students.text_teacher import BertTeacher, Recipe
from trustnlp.encoders.pretrained import Encoder
from trustnlp.encoders.whole_encoder import WholeEncoder
from trustnlp.training.classification import Labelled, train_classifier
from trustnlp.training.encoded_texts import as_texts, cut_visibly, mask_token
from trustnlp.training.loop import seeded
from trustnlp.training.text_classifiers import EncoderClassifier


def train_encoder_teacher(
    encoder: Encoder,
    train_texts: Sequence[str],
    train_labels: ArrayLike,
    dev_texts: Sequence[str],
    dev_labels: ArrayLike,
    recipe: Recipe,
    *,
    seed: int,
) -> BertTeacher:
    """Fine-tune all layers of an encoder and a linear layer on its vector at the first position.

    Parameters
    ----------
    encoder
        Of one of `whole_encoder.KINDS`; left as it is. Everything is computed on its device.
    train_labels, dev_labels
        From 0, one for each text; those of dev among those of train.

    Raises
    ------
    ValueError
        If there is no mask token, an encoder of another kind, or labels that do not fit.
    FloatingPointError
        If the loss is not finite: with the step.
    """
    mask_token(encoder)
    parts = []
    for texts, given in ((train_texts, train_labels), (dev_texts, dev_labels)):
        labels = torch.from_numpy(np.asarray(given).astype(np.int64))
        parts.append(Labelled.of(cut_visibly(encoder, as_texts(texts), recipe.max_length), labels))
    train, dev = parts
    classes = int(train.labels.max()) + 1
    if int(train.labels.min()) < 0 or classes < 2 or int(dev.labels.max()) >= classes:
        raise ValueError(
            f"labels are whole numbers from 0, two at least, and dev has no other; train has "
            f"{train.labels.unique().tolist()}, dev {dev.labels.unique().tolist()}"
        )
    with seeded(seed, encoder.device):
        model = EncoderClassifier(WholeEncoder(copy.deepcopy(encoder.model)), classes).to(encoder.device)
    losses = train_classifier(
        model,
        recipe.optimiser(model),
        train,
        dev,
        recipe.schedule,
        device=encoder.device,
        seed=seed,
        name=f"{encoder.name} with the learning rate {recipe.learning_rate:g}",
    )
    return BertTeacher(model, encoder, max_length=recipe.max_length, dev_losses=losses)
