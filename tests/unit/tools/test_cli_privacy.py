"""`trustnlp audit`: convictions, acquittals, and that every mistake is one line."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner, Result

from trustnlp.tools import cli_privacy
from trustnlp.tools.cli import app

MINE = """
import torch
from trustnlp.privacy import L2Sensitivity, MultivariateLaplace, Relation

right = MultivariateLaplace(2.0, L2Sensitivity(1.0, Relation.METRIC))


def gamma(vectors, scale):
    lengths = torch.distributions.Gamma(float(vectors.shape[1]), 1 / scale).sample((len(vectors), 1))
    return vectors + torch.nn.functional.normalize(torch.randn(vectors.shape)) * lengths


def half(vectors):
    return gamma(vectors, 0.25)


def fails(vectors):
    return vectors @ torch.ones(99, 3)


def widens(vectors, widths=[8]):
    widths[0] += 1
    return vectors.new_ones(len(vectors), widths[0] - 1)


def listed(vectors):
    return vectors.tolist()


def infinite(vectors):
    return vectors / 0


def first_value(vectors):
    return right(vectors)[:, :1]


class Mechanism:
    def __call__(self, vectors):
        return vectors


number = 3
"""


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    path = tmp_path / "mine_of_this_test.py"
    path.write_text(MINE)
    return path


def run(target: object, *options: object) -> Result:
    given = ("--dim", 8, "--epsilon", 2, "--draws", 2000, *options)
    return CliRunner().invoke(app, ["audit", str(target), *map(str, given)])


def test_a_right_mechanism_passes_every_audit(mine: Path) -> None:
    result = run(f"{mine}:right", "--scale", 0.5, "--alpha", 1e-6)
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert (
        lines[0]
        == "claim: (2, 0)-differential privacy, per unit of distance, L2 sensitivity 1, for all pairs of inputs; "
        "compared at distance 0.5"
    )
    assert [line.split()[0] for line in lines[1:9]] == ["passed"] * 8
    assert lines[9] == "no audit convicts; that is no proof of privacy"
    assert [line.split(":")[0] for line in lines[10:]] == ["not searched"] * 3


def test_half_the_noise_is_convicted_by_its_length(mine: Path) -> None:
    out = mine.parent / "new" / "found.json"
    result = run(f"{mine}:half", "--scale", 0.5, "--dim", 54, "--out", out)
    assert result.exit_code == 1 and result.stderr == ""
    ratio = re.search(r"CONVICTED  law of the length     total length: ([0-9.]+)", result.stdout)
    assert ratio and float(ratio[1]) == pytest.approx(0.5, rel=0.02), result.stdout
    told = json.loads(out.read_text())
    assert told["convicted"] and told["dim"] == 54 and told["distance"] == 0.5
    convicting = {found["audit"] for found in told["audits"] if found["convicts"]}
    assert "law of the length" in convicting and "two inputs" not in convicting
    assert sum(found["alpha"] for found in told["audits"]) == pytest.approx(0.05)


def test_without_a_scale_the_laws_are_not_tried(mine: Path) -> None:
    result = run(f"{mine}:first_value", "--alpha", 1e-6)
    assert result.exit_code == 0
    assert result.stdout.count("not tried") == 3 == result.stdout.count("it needs the stated law of the noise")


def test_other_claims(mine: Path) -> None:
    """A local claim of ε = 2 for inputs of the L1 unit ball, which are at L2 distance 2 at most."""
    unit_ball = "--norm l1 --relation local --distance 1 --low -1 --high 1 --alpha 1e-6"
    loose = run(f"{mine}:right", *unit_ball.split())
    assert loose.exit_code == 0
    assert "any two inputs, L1 sensitivity 1, for all pairs of inputs; compared at distance 1" in loose.stdout
    refuted = run(f"{mine}:right", "--relation", "local", "--low", -4, "--high", 4)
    assert refuted.exit_code == 1 and "CONVICTED  directions" in refuted.stdout
    pair = mine.parent / "pair.csv"
    pair.write_text("0,0,0,0,0,0,0,0\n9,9,9,9,9,9,9,9\n")
    given = run(f"{mine}:right", "--relation", "local", "--pair", pair)
    assert given.exit_code == 1 and "claimed at distance 25.5" in given.stdout
    assert "CONVICTED  given pair" in given.stdout
    other = run(f"{mine}:right", "--scale", 0.5, "--law", "gaussian", "--draws", 400)
    assert other.exit_code == 1 and "CONVICTED  law of the length" in other.stdout


def test_an_installed_module_is_found() -> None:
    result = CliRunner().invoke(app, ["audit", "torch:zeros_like", "--dim", "2", "--epsilon", "1", "--draws", "200"])
    assert result.exit_code == 0


@pytest.mark.parametrize(
    ("target", "options", "message"),
    [
        ("{mine}", (), "expected MODULE:FUNCTION, such as mine.py:release"),
        ("nowhere.py:f", (), "nowhere.py: no such file"),
        ("{faulty}:f", (), "cannot be imported: NameError: name 'undefined'"),
        ("no_such_module:f", (), "No module named 'no_such_module'; give a path that ends in .py"),
        ("{mine}:hlaf", (), "has no 'hlaf'; did you mean 'half'?"),
        ("{mine}:Mechanism", (), "is a class; make an instance of it"),
        ("{mine}:number", (), "is no function"),
        ("{mine}:fails", (), "failed on vectors of shape (500, 8): RuntimeError: mat1 and mat2"),
        ("{mine}:widens", (), "releases 8 numbers of a vector, and now 9"),
        ("{lacking}:f", (), "lacking_of_this_test.py imports it: install it"),
        ("{mine}:listed", (), "returned list; expected a torch.Tensor (n, m)"),
        ("{mine}:infinite", (), "the mechanism released NaN or infinity"),
        ("{mine}:right", ("--norm", "l3"), "--norm is l1 or l2, got l3"),
        ("{mine}:right", ("--relation", "global"), "--relation is metric or local, got global"),
        ("{mine}:right", ("--relation", "local"), "so say which there are: --low 0 --high 1"),
        ("{mine}:right", ("--low", 0), "--low and --high are given together"),
        ("{mine}:right", ("--pair", "{mine}"), "not two inputs of as many numbers each"),
        ("{mine}:right", ("--distance", 0), "--distance is positive and finite"),
        ("{mine}:right", ("--epsilon", -1), "epsilon is positive"),
        ("{mine}:right", ("--scale", -1), "the scale of noise is positive and finite"),
        ("{mine}:right", ("--law", "laplace"), "--law laplace needs --scale"),
        ("{mine}:right", ("--scale", 1, "--law", "cauchy"), "the law is one of"),
        ("{mine}:right", ("--alpha", 2), "--alpha is a probability between 0 and 1"),
        ("{mine}:right", ("--dtype", "float16"), "--dtype is float32 or float64"),
        ("{mine}:first_value", ("--distance", 30, "--draws", 50), "no audit could be tried: too few draws"),
    ],
)  # fmt: skip
def test_mistakes_are_one_line(mine: Path, target: str, options: tuple[object, ...], message: str) -> None:
    faulty = mine.with_name("faulty_of_this_test.py")
    faulty.write_text("print(undefined)\n")
    lacking = mine.with_name("lacking_of_this_test.py")
    lacking.write_text("import no_such_module\n")
    result = run(
        target.format(mine=mine, faulty=faulty, lacking=lacking), *(str(each).format(mine=mine) for each in options)
    )
    assert result.exit_code == 2 and result.stdout == ""
    assert message in result.stderr and result.stderr.count("\n") == 1


@pytest.mark.parametrize("error", [MemoryError("74 GiB"), RuntimeError("DefaultCPUAllocator: can't allocate memory")])
def test_what_does_not_fit_into_memory_is_one_line(
    mine: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    monkeypatch.setattr(cli_privacy, "_guarded", lambda *_: (_ for _ in ()).throw(error))
    result = run(f"{mine}:right")
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1) and "not enough memory" in result.stderr


@pytest.mark.parametrize(
    ("given", "out", "code"),
    [
        ({"PYTHONIOENCODING": "cp1252"}, os.devnull, 0),
        ({"PYTHONIOENCODING": "ascii"}, os.devnull, 0),
        ({}, "/dev/full", 2),
        ({}, os.devnull, 70),
    ],
)
def test_only_a_conviction_has_the_exit_status_of_one(mine: Path, given: dict[str, str], out: str, code: int) -> None:
    """Not a terminal without Greek letters, nor a full disk, nor an error of ours."""
    if code == 70:
        mine.write_text(f"import trustnlp.privacy.audits.auditing as ours\n{MINE}del ours._releases\n")
    command = "from trustnlp.tools.cli import app; app()"
    options = ["--dim", "2", "--epsilon", "2", "--draws", "400", "--alpha", "1e-6", "--out"]
    arguments = [sys.executable, "-c", command, "audit", f"{mine}:right", *options, out]
    done = subprocess.run(arguments, capture_output=True, env=os.environ | given)
    assert done.returncode == code, done.stderr
    assert (b"Traceback" in done.stderr) == (code == 70)


@pytest.mark.parametrize("option", ["--distance=1e308", "--pair={}/huge.npy", "--pair={}/objects.npy"])
def test_numbers_too_large_and_arrays_that_are_none_are_one_line(option: str, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("def same(x):\n    return x\n")
    described = b"{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999, 3), }"
    (tmp_path / "huge.npy").write_bytes(b"\x93NUMPY\x01\x00v\x00" + described.ljust(117) + b"\n")
    np.save(tmp_path / "objects.npy", np.array([["a"], [1]], dtype=object), allow_pickle=True)
    result = CliRunner().invoke(
        app, ["audit", f"{tmp_path}/mine.py:same", "--dim", "3", "--epsilon", "1", option.format(tmp_path)]
    )
    assert result.exit_code == 2 and "allow_pickle" not in result.stderr and result.stderr.count("\n") == 1
