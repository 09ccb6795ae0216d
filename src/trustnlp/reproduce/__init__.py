"""Runs, records, claims and verdicts: what turns notebooks into evidence about a paper.

Light on purpose: a notebook that records its numbers must not load papermill or Dask.
"""

from trustnlp.reproduce.records import Record

__all__ = ["Record"]
