"""Fine-tune an encoder with its privacy layer, once for each defence and seed. Lyu, He and Li (2020), §4.3.

AdamW without weight decay, rate 5e-5, gradients clipped to length 1, batches of 64, four epochs, at most 128 tokens: on
these the paper's text and its released code agree, or one of them is silent. They differ on which epoch is kept: the
paper takes the one with the best loss on dev, the released code the last.

Each finished training is kept in a folder as representations of all texts and the classifier, so that attacks and
subgroup accuracies can be measured on it again and again. A training that is killed goes on from its last epoch
(`trustnlp.training.loop`).
"""

from __future__ import annotations

import copy
import json
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from trustnlp.data.texts.private_attributes import AttributeSet
from trustnlp.encoders.pretrained import Encoder
from trustnlp.encoders.split_bert import SplitBert
from trustnlp.training.batches import Rows, Tokens, by_length, tokenise
from trustnlp.training.kept_results import settings_digest
from trustnlp.training.loop import Draws, Keep, Precision, Schedule, Task, fit, seeded
from trustnlp.training.private_classifier import Defence, PrivateClassifier
from trustnlp.training.states import Inputs, inputs_for
from trustnlp.training.whole_files import check_settings, check_zip, fingerprint, reading, scratch_for

# Part of every saved training's name: raise it with any change to what training computes.
_VERSION = 1
_SPLITS = ("train", "dev", "test")
# Frozen layers are computed once, so nothing is won by less.
_STATES_PRECISION: Precision = "float32"


@dataclass(frozen=True)
class TuningRecipe:
    """Settings of a fine-tuning that all defences share.

    Attributes
    ----------
    tuned_layers
        Layers trained, from the top; None means all of them and the embeddings, as in the paper.
    keep
        Which epoch's model is used: `best` loss on dev (the paper's text) or the `last` (its released code).
    mask_seed
        Seed of the word dropout where layers are frozen.
    precision
        What the trained layers compute in; weights, losses and noise stay in float32.
    """

    tuned_layers: int | None = None
    epochs: int = 4
    batch_size: int = 64
    learning_rate: float = 5e-5
    max_length: int = 128
    keep: Keep = "best"
    mask_seed: int = 0
    precision: Precision = "float32"

    def __post_init__(self) -> None:
        if not self.learning_rate > 0:
            raise ValueError(f"the learning rate is positive, got {self.learning_rate}")
        _ = self.schedule  # which refuses what makes no sense

    @property
    def schedule(self) -> Schedule:
        """The part of this that the training loop reads."""
        return Schedule(self.epochs, self.batch_size, keep=self.keep, precision=self.precision)


@dataclass(frozen=True)
class Trained:
    """The result of a finished training, on the device of the encoder, where attacks and measures then run too.

    Attributes
    ----------
    representations
        `(n, k)` for train, dev and test, in the order of the texts: scaled, without noise, without dropout.
    weight, bias
        The linear classifier, `(c, k)` and `(c,)`.
    dev_losses
        One for each epoch.
    seconds
        Time of the training, without frozen states.
    """

    representations: dict[str, Tensor]
    weight: Tensor
    bias: Tensor
    dev_losses: tuple[float, ...]
    seconds: float

    def predict(self, representations: Tensor) -> Tensor:
        """The most likely label `(n,)` of released representations `(n, k)`."""
        return nn.functional.linear(representations, self.weight, self.bias).argmax(dim=1)


class FineTuning:
    """Trainings of one encoder on one corpus; each is done once and read from the folder afterwards.

    Parameters
    ----------
    encoder
        A BERT with a pooler. Its weights are where every training starts; they are not changed. Everything is computed
        on its device.
    data
        Texts, topics and private attributes.
    folder
        Where trainings, checkpoints and frozen states are kept; None keeps nothing.
    """

    def __init__(self, encoder: Encoder, data: AttributeSet, recipe: TuningRecipe, folder: Path | None = None) -> None:
        self.encoder, self.data, self.recipe, self.folder = encoder, data, recipe, folder
        layers = len(encoder.model.encoder.layer)
        self._tuned = layers if recipe.tuned_layers is None else recipe.tuned_layers
        self._start = SplitBert(copy.deepcopy(encoder.model), self._tuned)
        texts = [text for split in data.splits.values() for text in split.texts]
        self._tokens: Tokens = tokenise(encoder.tokenizer, texts, recipe.max_length)
        edges = np.cumsum([0, *(len(split) for split in data.splits.values())])
        self._rows = {name: np.arange(*edges[at : at + 2]) for at, name in enumerate(_SPLITS)}
        self._labels = torch.from_numpy(np.concatenate([split.labels for split in data.splits.values()]))
        self._attributes = torch.from_numpy(np.concatenate([split.attributes for split in data.splits.values()]))
        self._fingerprint = fingerprint(
            self._tokens.ids, self._tokens.starts, self._labels.numpy(), self._attributes.numpy()
        )
        self._inputs: dict[float, Inputs] = {}

    def trained(self, defence: Defence, seed: int) -> Trained:
        """Train with a defence, or read the finished training.

        Raises
        ------
        FloatingPointError
            If the loss is not a number: with the step, the defence and the learning rate.
        ValueError
            If the saved file or checkpoint is damaged, or belongs to another encoder, corpus or setting.
        """
        settings = self._settings(defence, seed)
        if self.folder is None:
            return self._train(defence, seed, settings, None)
        path = self.folder / f"{settings_digest(settings)}.npz"
        if not path.exists():
            result = self._train(defence, seed, settings, path.with_suffix(".checkpoint"))
            _save(path, result, settings)
            path.with_suffix(".checkpoint").unlink(missing_ok=True)
        return _load(path, settings, self.encoder.device)

    def _settings(self, defence: Defence, seed: int) -> dict[str, Any]:
        return {
            "version": _VERSION,
            "encoder": f"{self.encoder.name} {self.encoder.revision}",
            "device": self.encoder.device.type,
            "data": f"{self.data.name} {self._fingerprint}",
            "recipe": asdict(self.recipe),
            "defence": asdict(defence),
            "seed": seed,
        }

    def inputs(self, rate: float) -> Inputs:
        """Inputs of the trained layers under a rate of word dropout, computed at first use."""
        if rate not in self._inputs:
            seed = self.recipe.mask_seed
            shared = self._settings(Defence(rate=rate), seed) | {
                "recipe": {
                    "tuned_layers": self._tuned,
                    "max_length": self.recipe.max_length,
                    "precision": _STATES_PRECISION,
                }
            }
            self._inputs[rate] = inputs_for(
                self._start, self._tokens, rate, seed=seed, settings=shared, folder=self.folder
            )
        return self._inputs[rate]

    def _train(self, defence: Defence, seed: int, settings: dict[str, Any], checkpoint: Path | None) -> Trained:
        began = time.perf_counter()
        device = self.encoder.device
        with seeded(seed, device):
            model = PrivateClassifier(
                copy.deepcopy(self._start), len(self.data.label_names), len(self.data.attribute_names), defence
            ).to(device)
        inputs = self.inputs(defence.rate)
        task = Task(
            name=f"{defence.name} with the learning rate {self.recipe.learning_rate:g}",
            module=model,
            optimiser=_optimiser(model, self.recipe.learning_rate),
            device=device,
            lengths=self._tokens.lengths[self._rows["train"]],
            loss=lambda rows, draws: self._loss(model, inputs, self._rows["train"][rows], draws),
            dev_loss=lambda: self._dev_loss(model, inputs, seed),
        )
        dev_losses = fit(task, self.recipe.schedule, seed=seed, settings=settings, checkpoint=checkpoint)
        vectors = self._represent(model, inputs, seed)
        return Trained(
            representations={name: vectors[rows] for name, rows in self._rows.items()},
            weight=model.classifier.weight.detach(),
            bias=model.classifier.bias.detach(),
            dev_losses=dev_losses,
            seconds=time.perf_counter() - began,
        )

    def _loss(self, model: PrivateClassifier, inputs: Inputs, rows: Rows, draws: Draws) -> Tensor:
        """Algorithm 1: of the labels under noise, and of the attributes where there is an adversary."""
        device = self.encoder.device
        states, attended = inputs.batch(rows, draws.here)
        labels, attributes = model(states.to(device), attended.to(device), generator=draws.there)
        loss = nn.functional.cross_entropy(labels.float(), self._labels[rows].to(device))
        if attributes is not None:
            truth = self._attributes[rows].to(device, torch.float32)
            # Summed over the attributes, averaged over the texts, as the released attacker's loss.
            loss = loss + nn.functional.binary_cross_entropy_with_logits(attributes.float(), truth) * truth.shape[1]
        return loss

    def _dev_loss(self, model: PrivateClassifier, inputs: Inputs, seed: int) -> float:
        """Loss of the labels on dev, under one draw of the noise."""
        device = self.encoder.device
        noise, masks = torch.Generator(device).manual_seed(seed), torch.Generator().manual_seed(seed)
        total = 0.0
        rows = self._rows["dev"]
        for chosen in by_length(self._tokens.lengths[rows], self.recipe.batch_size):
            batch = rows[chosen]
            states, attended = inputs.batch(batch, masks)
            scores, _ = model(states.to(device), attended.to(device), generator=noise)
            truth = self._labels[batch].to(device)
            total += float(nn.functional.cross_entropy(scores.float(), truth, reduction="sum"))
        return total / len(rows)

    @torch.no_grad()
    def _represent(self, model: PrivateClassifier, inputs: Inputs, seed: int) -> Tensor:
        """`(n, k)` scaled representations of all texts."""
        device = self.encoder.device
        masks = torch.Generator().manual_seed(seed)
        vectors = torch.zeros(len(self._tokens), model.body.width, device=device)
        for rows in by_length(self._tokens.lengths, self.recipe.batch_size):
            states, attended = inputs.batch(rows, masks)
            with self.recipe.schedule.autocast(device):
                vectors[rows] = model.represent(states.to(device), attended.to(device)).float()
        return vectors


def _optimiser(model: PrivateClassifier, learning_rate: float) -> torch.optim.Optimizer:
    """AdamW on what is trained; the adversary, which starts from nothing, at Adam's usual 1e-3."""
    adversary = [] if model.adversary is None else list(model.adversary.parameters())
    others = [value for name, value in model.named_parameters() if not name.startswith("adversary.")]
    groups: list[dict[str, Any]] = [{"params": others, "lr": learning_rate}]
    if adversary:
        groups.append({"params": adversary, "lr": 1e-3})
    return torch.optim.AdamW(groups, weight_decay=0.0, fused=True)


def _save(path: Path, result: Trained, settings: dict[str, Any]) -> None:
    arrays: dict[str, Any] = {name: vectors.cpu().numpy() for name, vectors in result.representations.items()}
    arrays |= {"weight": result.weight.cpu().numpy(), "bias": result.bias.cpu().numpy()}
    arrays |= {"dev_losses": result.dev_losses, "seconds": result.seconds, "settings": json.dumps(settings)}
    with scratch_for(path) as part, part.open("wb") as file:
        np.savez(file, **arrays)


def _load(path: Path, settings: dict[str, Any], device: torch.device) -> Trained:
    with reading(path):
        check_zip(path)
        with np.load(path, allow_pickle=False) as saved:
            names = (*_SPLITS, "weight", "bias", "dev_losses", "seconds", "settings")
            arrays = {name: saved[name] for name in names}
    check_settings(path, str(arrays["settings"]), settings)
    return Trained(
        representations={name: torch.from_numpy(arrays[name]).to(device) for name in _SPLITS},
        weight=torch.from_numpy(arrays["weight"]).to(device),
        bias=torch.from_numpy(arrays["bias"]).to(device),
        dev_losses=tuple(arrays["dev_losses"].tolist()),
        seconds=float(arrays["seconds"]),
    )
