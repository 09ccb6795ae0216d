"""The numbers a page shows: a smoke run proves that the code works, the committed record is the evidence."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Protocol

from trustnlp.reproduce.notebooks.output_sources import RECORD
from trustnlp.reproduce.records.derived_metrics import committed_record
from trustnlp.reproduce.records.metric_series import Metrics
from trustnlp.reproduce.runs.params import committed

# Set by the runner for paper runs that are no record: verifications, and runs with other parameters.
PART_VARIABLE = "TRUSTNLP_PART"


class Running(Protocol):
    """The part of a `records.Record` that pages need, which knows this module and not the other way round."""

    chapter: str
    notebook: str
    profile: str

    @property
    def measurements(self) -> Metrics: ...

    @property
    def arrays(self) -> dict[str, Any]: ...


def evidence(record: Running) -> Metrics:
    """Metrics to draw a figure from, by key, or as series by a pattern.

    Those of the notebook's committed `paper` record; where there is none yet, and in a whole `paper` run, which is
    about to become the record, those of the run itself. Call it after everything is recorded.

    Raises
    ------
    UserError, SchemaError
        If the chapter or its record cannot be read.
    """
    return Metrics(_evidence(record)["metrics"])


def evidence_arrays(record: Running) -> dict[str, Any]:
    """Arrays to draw a figure from: name → what was recorded; from where, when and errors as for `evidence`."""
    return _evidence(record)["arrays"]


def evidence_file(chapter: str, notebook: str, profile: str = "smoke", *, part: bool = False) -> Path | None:
    """The committed record that `evidence` gives to a run; None where it gives the run's own numbers.

    `part` says of a paper run that it is no record: a verification, or one with other parameters.
    """
    record = committed(chapter, notebook)
    whole = profile == "paper" and not part
    return None if whole or not record.is_file() else record


def source_of_evidence(record: Running) -> str | None:
    """The source of an output made of `evidence(record)` alone: "record", or None where that is the run."""
    return None if _file_of(record) is None else RECORD


def _file_of(record: Running) -> Path | None:
    return evidence_file(record.chapter, record.notebook, record.profile, part=PART_VARIABLE in os.environ)


def _evidence(record: Running) -> dict[str, dict[str, Any]]:
    path = _file_of(record)
    return {"metrics": record.measurements, "arrays": record.arrays} if path is None else committed_record(path)
