"""The numbers a page shows: a smoke run proves that the code works, the committed record is the evidence."""

from __future__ import annotations

import os
from typing import Any

from trustnlp.reproduce.metric_series import Metrics
from trustnlp.reproduce.project import chapter_dir
from trustnlp.reproduce.records import Record, load_record

# Set by the runner for paper runs that are no record: verifications, and runs with other parameters.
PART_VARIABLE = "TRUSTNLP_PART"


def evidence(record: Record) -> Metrics:
    """Metrics to draw a figure from, by key, or as series by a pattern.

    Those of the notebook's committed `paper` record; where there is none yet, and in a whole `paper` run, which is
    about to become the record, those of the run itself. Call it after everything is recorded.

    Raises
    ------
    UserError, SchemaError
        The chapter or its record cannot be read.
    """
    return Metrics(_evidence(record)["metrics"])


def evidence_arrays(record: Record) -> dict[str, Any]:
    """Arrays to draw a figure from: name → what was recorded; from where, when and errors as for `evidence`."""
    return _evidence(record)["arrays"]


def _evidence(record: Record) -> dict[str, dict[str, Any]]:
    committed = chapter_dir(record.chapter) / "results" / f"{record.notebook}.paper.json"
    whole = record.profile == "paper" and PART_VARIABLE not in os.environ
    if whole or not committed.is_file():
        return {"metrics": record.metrics, "arrays": record.arrays}
    return load_record(committed)
