"""Cells of the leaderboard: one explainer, one decoy, one model, one seed. Each is computed once and kept.

A cell's file is named by a digest of all that decides it: explainer, decoy, model, seed, and the `settings`. What a run
was stopped in, it goes on with: kept cells are read. Cells do not see each other, so their order changes nothing, and
the parts of a sweep can share a folder.

An explainer that raises fails its own cell and no other. A failure is not kept, so that a second run tries it again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from tqdm import tqdm

from trustnlp.training.kept_results import json_once


@dataclass(frozen=True)
class BenchmarkCell:
    """One place of the benchmark: explainer, decoy, model and seed, with the settings.

    Attributes
    ----------
    explainer, decoy, model, seed
        The explainer that searches for the decoy in the model of that seed.
    settings
        All else that decides the result, as JSON holds it: fingerprints of the model's weights and of the texts
        (`trustnlp.training.kept_results`), the budget, the inspector's rule, and who provides the explainer in which
        version (`trustnlp.attribution.explainer_registry.provider`).
    """

    explainer: str
    decoy: str
    model: str
    seed: int
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class CellResult:
    """The outcome of a cell.

    Attributes
    ----------
    cell
        Which.
    values
        What was computed, as JSON gives it back: tuples are lists. None where it failed.
    failure
        Why it failed, in one line that begins with the explainer's name; empty where it did not.
    """

    cell: BenchmarkCell
    values: Any
    failure: str = ""


def run_cells(
    cells: Sequence[BenchmarkCell], compute: Callable[[BenchmarkCell], Any], folder: Path | None = None
) -> list[CellResult]:
    """The results of cells in their order, read from the folder or computed.

    Parameters
    ----------
    compute
        Gives of a cell what JSON can hold; for the leaderboard, rows as `cell_table.long_table` reads them. What it
        raises is the failure of that cell, but for `MemoryError` and `KeyboardInterrupt`, which end the run; the cells
        before are kept.
    folder
        Where cells are kept. Without it all are computed.

    Raises
    ------
    ValueError
        If there is a damaged file in the folder.

    Examples
    --------
    >>> cells = [BenchmarkCell("lime", decoy, "linear", 0) for decoy in ("text", "none")]
    >>> [good, bad] = run_cells(cells,
    ...                         lambda cell: [{"found_at": {"text": 3}[cell.decoy]}])
    >>> good.values, bad.failure
    ([{'found_at': 3}], "lime: KeyError: 'none'")
    """
    results = []
    for cell in tqdm(cells, desc="cells", unit="cell", disable=None, leave=False):  # None: in a terminal only
        try:
            results.append(CellResult(cell, json_once("cell", asdict(cell), folder, partial(_computed, compute, cell))))
        except _CellFailedError as failed:
            results.append(CellResult(cell, None, str(failed)))
    return results


class _CellFailedError(Exception):
    """The explainer of a cell raised."""


def _computed(compute: Callable[[BenchmarkCell], Any], cell: BenchmarkCell) -> Any:
    try:
        values = compute(cell)
    except MemoryError:
        raise
    except Exception as error:
        reason = " ".join(f"{type(error).__name__}: {error}".split()).removesuffix(":")
        raise _CellFailedError(f"{cell.explainer}: {reason}") from error
    return json.loads(json.dumps(values))
