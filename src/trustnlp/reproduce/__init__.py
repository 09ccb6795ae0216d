"""Runs, records, claims and verdicts: what turns notebooks into evidence about a paper.

Light on purpose: a notebook that records its numbers must not load papermill or Dask, and the command line must not
load numpy before it has something to compute.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trustnlp.reproduce.records.recording import Record

__all__ = ["Record"]


def __getattr__(name: str) -> Any:
    if name == "Record":
        from trustnlp.reproduce.records.recording import Record
        from trustnlp.reproduce.runs.injected_parameters import settle_parameters

        settle_parameters()
        return Record
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
