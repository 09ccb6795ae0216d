"""The code on the book's pages: each block runs by itself, and does what the text beside it advises.

To cover another page, add it to `PAGES`; a block that needs a variable of the reader's then fails by name.
"""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Any

import pytest
import torch

from trustnlp.data.registry import DataError
from trustnlp.error_analysis import error_reports
from trustnlp.privacy.accounting.guarantee import Relation
from trustnlp.privacy.audits.auditing import audit

ROOT = Path(__file__).resolve().parents[2]
PAGES = ["book/findings.md", *(path.relative_to(ROOT).as_posix() for path in sorted(ROOT.glob("chapters/*/index.md")))]
MOST_SECONDS = 30  # of this process alone: a busy machine does not make a block slow
_BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page: str) -> list[tuple[int, str]]:
    """Line of the first statement and code of each Python block of a page."""
    text = (ROOT / page).read_text("utf-8")
    return [(text.count("\n", 0, block.start(1)) + 1, block[1]) for block in _BLOCK.finditer(text)]


def run(page: str, line: int, code: str) -> dict[str, Any]:
    """What a block defines when it runs in a namespace of its own; tracebacks name its line on the page."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    exec(compile("\n" * (line - 1) + code, str(ROOT / page), "exec"), namespace)
    return namespace


def advised(word: str) -> dict[str, Any]:
    """The namespace of the one block of the findings that calls something."""
    (found,) = [(line, code) for line, code in blocks("book/findings.md") if word in code]
    return run("book/findings.md", *found)


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a folder of its own, and without the one lexicon that a reader has to ask its publisher for."""

    def absent() -> None:
        raise DataError("only in a mirror")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(error_reports, "read_emotion_lexicon", absent)


@pytest.mark.parametrize(
    ("page", "line", "code"),
    [pytest.param(page, *block, id=f"{page}:{block[0]}") for page in PAGES for block in blocks(page)],
)
def test_each_block_runs_alone_in_seconds_and_prints_what_the_page_says(
    page: str, line: int, code: str, capsys: pytest.CaptureFixture[str]
) -> None:
    begun = time.process_time()
    run(page, line, code)
    assert time.process_time() - begun < MOST_SECONDS
    _, has_output, after = (ROOT / page).read_text("utf-8").partition(f"{code}```\n\n```text\n")
    if has_output:
        assert capsys.readouterr().out.rstrip() == after.partition("```")[0].rstrip()


def test_every_page_has_a_block() -> None:
    assert [page for page in PAGES if not blocks(page)] == []


def test_a_block_that_needs_the_reader_s_own_variable_fails() -> None:
    with pytest.raises(NameError, match="vectors"):
        run("book/findings.md", 1, "print(vectors)")


def test_the_label_keeps_the_stated_epsilon_for_any_two_texts() -> None:
    given = advised("LabelRelease(")
    guarantee = given["phone"].guarantee
    assert (guarantee.epsilon, guarantee.delta, guarantee.relation) == (3.0, 0.0, Relation.LOCAL)
    assert given["sent"].sum(dim=1).tolist() == [1.0] * 5
    texts = torch.eye(4, 384)[:2]  # one of each of two topics
    source = torch.Generator().manual_seed(0)
    proven = audit(given["phone"], texts[0], texts[1], draws=20_000, alpha=1e-6, generator=source).epsilon
    assert 2.5 < proven <= 3.0


def test_the_clusters_are_the_heaviest_and_the_check_proves_it() -> None:
    given = advised("partition(")
    assert given["found"].clusters == [["a17", "b3"], ["c5"]]
    assert given["found"].value == pytest.approx(0.4)  # of {a, b, c}: 0.4 + 0.3 - 0.4; of {b, c}: 0.3
    assert given["bound"] == pytest.approx(0.4)


def test_the_audit_refutes_noise_that_is_never_negative() -> None:
    given = advised("audit(")
    assert given["found"].epsilon > given["claimed"]
    assert given["found"].confidence == pytest.approx(0.99)
