"""What was spent on an input: known again in any order, added up, refused, taken back, and nobody else's to read."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner, Result

from trustnlp.privacy.accounting.spent_budget import Account, SpentError, ledger_beside
from trustnlp.tools.cli import app

ROWS = [b"one", b"two", b"three"]
PER_UNIT = {"measure": "per unit of L2 distance", "epsilon": 10.0, "delta": 1e-6}


def test_rows_are_known_again_among_others_and_add_up(tmp_path: Path) -> None:
    ledger = Account(tmp_path / "in.spent.json")
    assert ledger.charge(ROWS, into="a", **PER_UNIT).startswith("ε = 10, δ = 1e-06")
    assert ledger.charge([b"new"], into="b", **PER_UNIT).startswith("ε = 10")
    with pytest.raises(SpentError, match=r"1 of 2 rows were released before, .* ε = 20, δ = 2e-06"):
        ledger.charge([b"newer", b"two"], into="c", **PER_UNIT)
    told = [ledger.charge(ROWS[::-1], into="d", again=True, **PER_UNIT) for _ in range(2)]
    assert told[1].startswith("ε = 30, δ = 3e-06") and "3 releases of it" in told[1]
    other = ledger.charge(ROWS, into="e", measure="any two words", epsilon=1.0, delta=0.0, again=True)
    assert other.startswith("ε = 1, δ = 0, any two words; besides ε = 10, per unit of L2 distance")
    twice = Account(tmp_path / "other").charge([b"one", b"one", b"two"], into="a", **PER_UNIT)
    assert twice.startswith("ε = 20") and "stands 2 times" in twice


def test_what_is_kept_is_private_and_tells_no_row(tmp_path: Path) -> None:
    first, second = Account(tmp_path / "a"), Account(tmp_path / "b")
    for ledger in (first, second):
        ledger.charge(ROWS, into="out", **PER_UNIT)
        assert ledger.path.stat().st_mode & 0o777 == 0o600
    kept = [json.loads(ledger.path.read_text())["spent"][0]["rows"] for ledger in (first, second)]
    assert kept[0] != kept[1]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b"]


ENTRY = '{"id": "a", "epsilon": 1, "delta": 0, "times": 1, "measure": "m", "rows": "AAAAAAAAAAA="}'


@pytest.mark.parametrize(
    "content",
    [
        "", "{}", "[" * 5000, '{"key": "xx", "spent": []}', '{"key": "", "spent": [{}]}',
        f'{{"key": "{"00" * 65}", "spent": []}}',
        *(
            f'{{"key": "00", "spent": [{ENTRY.replace(old, new)}]}}'
            for old, new in [("rows", "row"), ("AAAAAAAA=", "AA=="), ("AAAA", "!!"), ("measure", "of"), ('"m"', "[]")]
        ),
    ],
)  # fmt: skip
def test_another_file_is_no_account(content: str, tmp_path: Path) -> None:
    (tmp_path / "in.spent.json").write_text(content)
    with pytest.raises(ValueError, match="is no account of what was spent"):
        Account(tmp_path / "in.spent.json").charge(ROWS, into="a", **PER_UNIT)
    assert (tmp_path / "in.spent.json").read_text() == content


def run(folder: Path, target: str, *options: str, source: str = "in.npy") -> Result:
    return CliRunner().invoke(app, ["release", str(folder / source), str(folder / target), "--epsilon", "2", *options])


def test_the_command_refuses_a_second_release_or_adds_it_up(tmp_path: Path) -> None:
    rows = np.random.default_rng(0).normal(size=(5, 60)).astype(np.float32)
    np.save(tmp_path / "in.npy", rows)
    (tmp_path / "link.npy").symlink_to("in.npy")
    first = run(tmp_path, "a.npy", "--out", str(tmp_path / "a.json"))
    assert first.exit_code == 0 and "ε = 2, δ = 0" in first.stdout
    assert "spent" not in (tmp_path / "a.json").read_text()  # how often a row stands there is private, too
    account = ledger_beside(tmp_path / "in.npy")
    for source in ("in.npy", "link.npy"):
        refused = run(tmp_path, "b.npy", "--once", source=source)
        assert refused.exit_code == 2 and "5 of 5 rows were released before" in refused.stderr
        assert "--once" in refused.stderr and not (tmp_path / "b.npy").exists()
    np.save(tmp_path / "in.npy", np.vstack([rows[::-1], rows[:1] + 1]).astype(np.float64))
    assert "5 of 6 rows" in run(tmp_path, "b.npy", "--once").stderr
    assert "ε = 4, δ = 0" in run(tmp_path, "b.npy").stdout
    secret = json.loads(account.read_text())["spent"][0]["rows"]
    assert secret.encode() not in (tmp_path / "a.npy").read_bytes() + (tmp_path / "a.json").read_bytes()
    assert run(tmp_path, "c.npy", "--ledger", "none").exit_code == 0
    assert "ε = 2, δ = 0" in run(tmp_path, "d.npy", "--ledger", str(tmp_path / "mine.json")).stdout
    assert "no account can be kept there" in run(tmp_path, "e.npy", "--ledger", str(tmp_path / "no" / "x.json")).stderr


@pytest.mark.filterwarnings("error")
def test_rows_beyond_single_precision_are_rows(tmp_path: Path) -> None:
    np.save(tmp_path / "in.npy", np.diag(np.full(60, 1e300)) + 1)
    assert "1 release of it)" in run(tmp_path, "a.npy").stdout
