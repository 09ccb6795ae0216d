"""A notebook that trains and one that encodes, under two instruction sets of one processor: the same answers.

The numbers agree as exactly as the notebooks say they repeat, and claims judged by them get the same verdicts. (A smoke
run judges nothing on a page; here its numbers are put in the place of the record's.)
"""

from typing import Any

import pytest

from trustnlp.reproduce.checks.verification import compare
from trustnlp.reproduce.claims.ledgers import Verdict, load_claims
from trustnlp.reproduce.claims.verdicts import judge
from trustnlp.reproduce.records.recording import load_record
from trustnlp.reproduce.runs.runner import plan, relocate, run_many

# What torch, oneDNN and OpenBLAS may use. Every x86-64 processor of the last ten years has the second.
PATHS = {
    "plain": {"ATEN_CPU_CAPABILITY": "default", "ONEDNN_MAX_CPU_ISA": "SSE41", "OPENBLAS_CORETYPE": "Nehalem"},
    "avx2": {"ATEN_CPU_CAPABILITY": "avx2", "ONEDNN_MAX_CPU_ISA": "AVX2", "OPENBLAS_CORETYPE": "Haswell"},
}
# Fifteen trainings of an encoder's uppermost layer on a few made-up sentences.
SMALL = {
    "seeds": [0, 1, 2, 3, 4], "n_texts": 100, "epochs": 1, "variants": ["released"], "epsilons": [0.05], "rates": [],
}  # fmt: skip
JUDGED = {Verdict.REPRODUCED, Verdict.CLOSE, Verdict.DIRECTION, Verdict.NOT_REPRODUCED, Verdict.UNTESTABLE}


def verdicts(chapter: str, notebook: str, record: dict[str, Any]) -> dict[str, Verdict]:
    as_paper = {**record, "profile": "paper"}
    claims = [claim for claim in load_claims(chapter).claims if claim.record == f"{notebook}.paper"]
    return {claim.id: judge(claim, as_paper).verdict for claim in claims}


@pytest.mark.parametrize(
    ("chapter", "notebook", "changes"), [("dpnr", "reproduction", SMALL), ("weat_measures", "reproduction", {})]
)
def test_instruction_sets_change_no_verdict(chapter, notebook, changes, tmp_path, monkeypatch):
    records = []
    for name, variables in PATHS.items():
        for variable, value in variables.items():
            monkeypatch.setenv(variable, value)
        [spec] = plan(chapter, notebook, "smoke", changes)
        [result] = run_many([relocate(spec, tmp_path / name, notebook)], workers=1, resume=False)
        assert result.status == "done", result.error
        records.append(load_record(result.record))
    plain, avx2 = records
    assert plain["instructions"] != avx2["instructions"], "the two runs computed with the same instructions"
    assert compare(plain, avx2) == []
    judged = verdicts(chapter, notebook, plain)
    assert JUDGED & set(judged.values())
    assert judged == verdicts(chapter, notebook, avx2)
