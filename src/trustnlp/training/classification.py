"""The plain case of the training loop: texts with one label each, cross-entropy, and any model that gives scores.

with seeded(seed, device):
    model = ConvolutionClassifier(nn.Embedding(len(words), 100), 2).to(device)
optimiser = torch.optim.AdamW(model.parameters(), 1e-3)
train_classifier(model, optimiser, train, dev, Schedule(10, 32), device=device, seed=seed, name="convolutions")
predicted = scores_of(model, test.inputs, schedule, device).argmax(1)
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from trustnlp.training.batches import Rows, Tokens, by_length
from trustnlp.training.loop import Draws, Schedule, Task, fit
from trustnlp.training.states import Inputs
from trustnlp.training.whole_files import fingerprint


@dataclass(frozen=True)
class Labelled:
    """Texts and their labels `(n,)`, int64 from 0.

    Raises
    ------
    ValueError
        If there is not one label for each text.
    """

    inputs: Inputs
    labels: Tensor

    def __post_init__(self) -> None:
        if self.labels.shape != (len(self.inputs),) or self.labels.dtype != torch.int64:
            raise ValueError(
                f"{len(self.inputs)} texts need as many int64 labels, got {tuple(self.labels.shape)} of "
                f"{self.labels.dtype}"
            )

    @classmethod
    def of(cls, tokens: Tokens, labels: Tensor) -> Labelled:
        """Texts whose words enter the model as they are; texts under frozen layers need `states.inputs_for`."""
        return cls(Inputs(tokens.starts, tokens.ids, None, 0.0), labels)

    @property
    def fingerprint(self) -> str:
        """Changes with any label or value of any text."""
        return fingerprint(self.inputs.starts, self.inputs.values, self.labels.numpy())


def train_classifier(
    model: nn.Module,
    optimiser: torch.optim.Optimizer,
    train: Labelled,
    dev: Labelled,
    schedule: Schedule,
    *,
    device: torch.device,
    seed: int,
    name: str,
    checkpoint: Path | None = None,
) -> tuple[float, ...]:
    """Train `model(values, mask) -> scores (B, c)` on a device, where it is already; returns the losses on dev.

    See `trustnlp.training.loop.fit`. A checkpoint belongs to the model's first weights and to all values and labels.
    """

    def loss(rows: Rows, draws: Draws) -> Tensor:
        values, mask = train.inputs.batch(rows, draws.here)
        scores = model(values.to(device), mask.to(device))
        return cross_entropy(scores.float(), train.labels[rows].to(device))

    def dev_loss() -> float:
        return float(cross_entropy(scores_of(model, dev.inputs, schedule, device), dev.labels.to(device)))

    settings = {}
    if checkpoint is not None:
        weights = [value.detach().cpu().numpy() for value in model.state_dict().values()]
        settings = {
            "name": name,
            "first weights": fingerprint(*weights),
            "texts for training": train.fingerprint,
            "texts of dev": dev.fingerprint,
        }
    task = Task(name, model, optimiser, device, train.inputs.lengths, loss, dev_loss)
    return fit(task, schedule, seed=seed, settings=settings, checkpoint=checkpoint)


@torch.no_grad()
def scores_of(model: nn.Module, inputs: Inputs, schedule: Schedule, device: torch.device) -> Tensor:
    """Scores `(n, c)` in float32 of texts, in their order, without dropout."""
    model.eval()
    found: list[Tensor] = []
    order: list[int] = []
    for rows in by_length(inputs.lengths, schedule.batch_size):
        values, mask = inputs.batch(rows, torch.Generator())
        with schedule.autocast(device):
            found.append(model(values.to(device), mask.to(device)).float())
        order += rows.tolist()
    scores = torch.cat(found)
    return torch.empty_like(scores).index_copy_(0, torch.tensor(order, device=scores.device), scores)
