"""One loop that trains every classifier of the book: it knows a module, the loss of a batch and a loss on dev.

Batches are of texts of like length. Every epoch draws from its own seed, so a training that is stopped and goes on from
its checkpoint ends with the numbers of one that was not. What it computes in and on is declared, never guessed from the
machine.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from trustnlp.training.batches import Rows, by_length
from trustnlp.training.whole_files import check_settings, check_zip, reading, scratch_for

Precision = Literal["float32", "bfloat16"]
Keep = Literal["best", "last"]


@dataclass(frozen=True)
class Schedule:
    """How long is trained, and in what precision.

    Attributes
    ----------
    keep
        Which epoch's weights are the result: those with the `best` loss on dev, or the `last`.
    patience
        Stop when so many epochs in a row brought no better loss on dev; None trains all `epochs`.
    clip
        Longer gradients are shortened to this length.
    precision
        `float32`, or `bfloat16` by autocast: faster on a GPU and on a CPU that has it, ten times slower on a CPU that
        imitates it. Weights, their updates and losses stay in float32.

    Raises
    ------
    ValueError
        If given a number that is not positive, an unknown precision or epoch to keep.
    """

    epochs: int
    batch_size: int
    keep: Keep = "best"
    patience: int | None = None
    clip: float = 1.0
    precision: Precision = "float32"

    def __post_init__(self) -> None:
        if self.epochs < 1 or self.batch_size < 1 or not self.clip > 0:
            raise ValueError(f"epochs, batch size and the length of clipped gradients are positive, got {self}")
        if self.patience is not None and self.patience < 1:
            raise ValueError(f"the patience is at least one epoch, or None to train all of them, got {self.patience}")
        if self.keep not in get_args(Keep):
            raise ValueError(f"the epoch to keep is 'best' or 'last', got {self.keep!r}")
        if self.precision not in get_args(Precision):
            raise ValueError(f"the precision is one of {', '.join(get_args(Precision))}, got {self.precision!r}")

    def autocast(self, device: torch.device) -> torch.autocast:
        """Within this, modules compute in the precision."""
        return torch.autocast(device.type, torch.bfloat16, enabled=self.precision == "bfloat16")


@dataclass(frozen=True)
class Draws:
    """The random numbers of one epoch.

    Attributes
    ----------
    there, here
        A generator on the device of the model, as for noise, and one on the CPU, as for masks of what goes to it.
    """

    there: torch.Generator
    here: torch.Generator


@dataclass(frozen=True)
class Task:
    """A module to train, its optimiser, and its losses.

    Attributes
    ----------
    name
        What an error calls this training: the model and the setting that may be at fault, such as the learning rate.
    device
        Where the module is.
    lengths
        `(n,)` of the texts trained on: batches are of texts of like length.
    loss
        Loss of a batch, given its rows (numbers from 0 to n - 1) and the epoch's random numbers.
    dev_loss
        What a better epoch has less of. It is called without gradients and without dropout.
    """

    name: str
    module: nn.Module
    optimiser: torch.optim.Optimizer
    device: torch.device
    lengths: NDArray[np.int64]
    loss: Callable[[Rows, Draws], Tensor]
    dev_loss: Callable[[], float]


@contextmanager
def seeded(seed: int, device: torch.device) -> Iterator[None]:
    """Torch draws from this seed within, and goes on afterwards as if nothing had been drawn."""
    with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
        torch.manual_seed(seed)
        yield


def fit(
    task: Task, schedule: Schedule, *, seed: int, settings: Mapping[str, Any], checkpoint: Path | None = None
) -> tuple[float, ...]:
    """Train a module, which then has the weights of the epoch to keep; returns the loss on dev after each epoch.

    Parameters
    ----------
    seed
        Of batches, dropout and `Draws`. The module's first weights are the caller's: make them within `seeded`.
    settings
        What else decides the result, such as model and data. A checkpoint with other settings is refused.
    checkpoint
        Written after every epoch, and gone on from if it exists. It is the caller's to delete.

    Raises
    ------
    FloatingPointError
        If a loss or a gradient is not finite: with the epoch, the step and the task's name.
    ValueError
        If the checkpoint is damaged or of other settings.
    """
    progress = _Progress(task.module, task.optimiser, {**settings, **_declared(task, schedule), "seed": seed})
    if checkpoint is not None and checkpoint.exists():
        progress.load(checkpoint)
    with seeded(seed, task.device):
        while not _ended(progress.dev_losses, schedule):
            epoch = len(progress.dev_losses)
            _epoch(task, schedule, seed, epoch)
            progress.finish(_dev_loss(task, schedule, epoch), schedule.keep)
            if checkpoint is not None:
                progress.save(checkpoint)
    task.module.load_state_dict(progress.kept)
    task.module.eval()
    return tuple(progress.dev_losses)


def _declared(task: Task, schedule: Schedule) -> dict[str, Any]:
    found = {"device": task.device.type, "optimiser": type(task.optimiser).__name__}
    found |= {f"schedule.{name}": value for name, value in asdict(schedule).items()}
    for at, group in enumerate(task.optimiser.param_groups):
        found |= {f"optimiser.{at}.{name}": value for name, value in group.items() if name != "params"}
    return found


def _ended(dev_losses: list[float], schedule: Schedule) -> bool:
    if len(dev_losses) >= schedule.epochs:
        return True
    since = len(dev_losses) - dev_losses.index(min(dev_losses)) - 1 if dev_losses else 0
    return schedule.patience is not None and since >= schedule.patience


def _epoch(task: Task, schedule: Schedule, seed: int, epoch: int) -> None:
    """All texts once, with randomness of the epoch's own."""
    rng = np.random.default_rng((seed, epoch))
    torch.manual_seed(int(rng.integers(2**31)))
    draws = Draws(
        there=torch.Generator(task.device).manual_seed(int(rng.integers(2**31))),
        here=torch.Generator().manual_seed(int(rng.integers(2**31))),
    )
    task.module.train()
    for step, rows in enumerate(by_length(task.lengths, schedule.batch_size, rng), start=1):
        with schedule.autocast(task.device):
            loss = task.loss(rows, draws)
        task.optimiser.zero_grad(set_to_none=True)
        loss.backward()
        length = nn.utils.clip_grad_norm_(task.module.parameters(), schedule.clip)
        # One look at both, before the weights change: on a GPU a look waits for the device.
        if not bool(torch.isfinite(loss.detach() + length)):
            wrong = f"loss is {loss.item()}" if not math.isfinite(loss.item()) else f"gradient's length is {length}"
            raise _not_finite(task, wrong, f"at step {step} of epoch {epoch + 1}")
        task.optimiser.step()


@torch.no_grad()
def _dev_loss(task: Task, schedule: Schedule, epoch: int) -> float:
    task.module.eval()
    with schedule.autocast(task.device):
        loss = float(task.dev_loss())
    if not math.isfinite(loss):
        raise _not_finite(task, f"loss on dev is {loss}", f"after the last step of epoch {epoch + 1}")
    return loss


def _not_finite(task: Task, wrong: str, place: str) -> FloatingPointError:
    return FloatingPointError(
        f"the {wrong} {place} of {task.name}; nothing of this epoch was kept. Try a smaller learning rate"
    )


class _Progress:
    """Model, optimiser and losses of a training under way."""

    def __init__(self, module: nn.Module, optimiser: torch.optim.Optimizer, settings: Mapping[str, Any]) -> None:
        self._module, self._optimiser, self._settings = module, optimiser, settings
        self.dev_losses: list[float] = []
        self.kept: dict[str, Any] = {}

    def finish(self, dev_loss: float, keep: Keep) -> None:
        """Note an epoch's loss, and keep its weights if they are to be kept."""
        self.dev_losses.append(dev_loss)
        if keep == "last" or dev_loss == min(self.dev_losses):
            self.kept = {name: value.detach().clone() for name, value in self._module.state_dict().items()}

    def save(self, path: Path) -> None:
        state = {
            "settings": json.dumps(self._settings),
            "dev_losses": self.dev_losses,
            "kept": self.kept,
            "model": self._module.state_dict(),
            "optimiser": self._optimiser.state_dict(),
        }
        with scratch_for(path) as part:
            torch.save(state, part)

    def load(self, path: Path) -> None:
        with reading(path):
            check_zip(path)
            state = torch.load(path, map_location="cpu", weights_only=True)
            settings, losses, kept = state["settings"], list(state["dev_losses"]), state["kept"]
        check_settings(path, settings, self._settings)
        with reading(path):
            self._module.load_state_dict(state["model"])
            self._optimiser.load_state_dict(state["optimiser"])
        self.dev_losses, self.kept = losses, kept
