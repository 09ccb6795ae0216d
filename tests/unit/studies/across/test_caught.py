"""What would have caught it: the kinds add up, a shift of them shows, and a faulty coding is refused."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import cohen_kappa_score

from trustnlp.studies.across import caught


def table(*rows: tuple[str, str, str]) -> pd.DataFrame:
    """Paper, kind and second kind of some claims."""
    named = [
        (paper, f"claim{place}", kind, "why", kind if second else "", second)
        for place, (paper, kind, second) in enumerate(rows)
    ]
    return pd.DataFrame(named, columns=["chapter", "claim", "kind", "note", "first", "second"])


MADE = table(
    ("a", "held", ""), ("a", "print", "print"), ("a", "stand-in", "stand-in"), ("b", "stand-in", "interval"),
    ("b", "interval", "interval"), ("c", "interval", ""),
)  # fmt: skip


def numbers(coding: pd.DataFrame) -> dict[str, float]:
    return {key: value for key, value, *_ in caught.numbers(coding, np.random.default_rng(0))}


def test_what_held_is_counted_apart_and_the_kinds_add_up() -> None:
    found = numbers(MADE)
    assert [found[f"{name}.claims"] for name in ("tried", "held", "failed", "own")] == [6, 1, 5, 3]
    assert sum(found[f"kind.{kind}.claims"] for kind in caught.KINDS) == 5
    assert (found["kind.stand-in.claims"], found["kind.stand-in.papers"]) == (2, 2)
    assert found["ours.margin"] == pytest.approx(2 / 5 - 0.5) and found["untrained.margin"] == pytest.approx(
        1 / 3 - 0.5
    )
    assert found["interval.margin"] == 2 - 1


def test_an_interval_draws_the_papers_and_knows_no_other_scatter() -> None:
    alike = table(*((paper, kind, "print") for paper in "abc" for kind in ("print", "stand-in")))
    ranges = {key: interval for key, _, interval, _ in caught.numbers(alike, np.random.default_rng(0))}
    assert ranges["ours.margin"] == (0.0, 0.0)
    low, high = {key: interval for key, _, interval, _ in caught.numbers(MADE, np.random.default_rng(0))}["ours.margin"]
    assert -0.5 <= low < -0.1 < high <= 0.5


def test_two_codings_alike_have_kappa_one_and_by_chance_zero() -> None:
    pairs = [("print", "print"), ("print", "code"), ("code", "print"), ("code", "code")]
    assert numbers(table(*(("a", *pair) for pair in pairs)))["second.kappa"] == pytest.approx(0)
    assert numbers(table(*(("a", kind, kind) for kind, _ in pairs)))["second.kappa"] == 1
    assert numbers(MADE)["second.alike"] == 3
    both = caught.coded().query("second != ''")
    first, second = both["first"].to_numpy(), both["second"].to_numpy()
    assert caught.kappa(first, second) == pytest.approx(cohen_kappa_score(first, second))


@pytest.mark.parametrize(
    ("row", "told"),
    [("a,x,typo,why,,", "unknown kinds: typo"), ("a,y,print,why,,", "coded twice: y"), ("a,x,print,,,", "no note: x")],
)
def test_a_faulty_coding_is_refused(tmp_path: Path, row: str, told: str) -> None:
    (tmp_path / "coding.csv").write_text(f"chapter,claim,kind,note,first,second\na,y,print,why,,\n{row}\n")
    with pytest.raises(ValueError, match=told):
        caught.coded(tmp_path / "coding.csv")


def test_the_figure_tells_kinds_and_papers_in_words() -> None:
    found = numbers(MADE)
    claims, papers = ({kind: found[f"kind.{kind}.{what}"] for kind in caught.KINDS} for what in ("claims", "papers"))
    _, alt = caught.figure(claims, papers)
    assert (
        "our stand-in: 2 in 2 papers; no interval: 2 in 2 papers; print against print: 1 in 1 paper." in alt
        and "code" not in alt
    )
