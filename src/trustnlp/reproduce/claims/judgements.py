"""The verdict on a claim, with what it rests on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from trustnlp.reproduce.claims.claim_types import Claim, Evidence, Verdict


@dataclass(frozen=True)
class Judgement:
    """The verdict on one claim, with what it rests on.

    `ours` and `interval` are as compared (magnitudes for an `absolute` claim); None without a measurement. `fault` says
    what is wrong with the ledger where there can be no verdict: a record or a metric that is not there. `reading` is
    our number with its unit and what it means, where the bare number would not tell. `unit` is the metric's; `evidence`
    is what it was measured on. `held_back` says that a cap replaced *not reproduced*.
    """

    claim: Claim
    verdict: Verdict
    why: str
    ours: float | None = None
    interval: tuple[float, float] | None = None
    n: int | None = None
    profile: str | None = None
    deviations: tuple[str, ...] = ()
    fault: str | None = None
    reading: str | None = None
    unit: str | None = None
    evidence: Evidence = Evidence.NONE
    held_back: bool = False

    @property
    def chapter(self) -> str:
        """Slug of the chapter the claim belongs to."""
        return self.claim.chapter

    @property
    def as_expected(self) -> bool:
        """Whether the ledger expects this verdict, and is sound."""
        return self.verdict is self.claim.expect and self.fault is None

    def to_json(self) -> dict[str, Any]:
        """The judgement as `trustnlp verdicts --json` prints it."""
        claim = self.claim
        return {
            "chapter": claim.chapter,
            "claim": claim.id,
            "text": claim.text,
            "where": claim.where,
            "paper": claim.quote if claim.value is None else claim.value,
            "ours": self.ours,
            "interval": None if self.interval is None else list(self.interval),
            "n": self.n,
            "question": "ours" if claim.ours else "paper",
            "evidence": self.evidence.value,
            "same_cell_as": claim.same_cell_as,
            "under": claim.under,
            "cells": list(claim.cells),
            "verdict": self.verdict.value,
            "expected": claim.expect.value,
            "profile": self.profile,
            "deviations": list(self.deviations),
            "record": claim.record,
            "why": self.why,
        }
