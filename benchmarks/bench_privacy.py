"""Speed of the privacy core against the obvious ways to do the same, all in one run.

    OMP_NUM_THREADS=1 python benchmarks/bench_privacy.py

Every figure is the fastest of `--repeat` runs, interleaved. Ratios are to our own time in the same run. The loops over
rows are timed on few rows and scaled up to all of them: the whole would take minutes.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable

import numpy as np
import torch
from bench_weat import fastest, report

from trustnlp.privacy.mechanisms import gaussian_sigma
from trustnlp.privacy.noise import gaussian, laplace, multivariate_laplace

N, DIM = 100_000, 300


def rows_with_covariance(rows: int, rng: np.random.Generator) -> np.ndarray:
    """The loop of the released word mechanisms: a direction from a multivariate normal, one row at a time."""
    noise = np.empty((rows, DIM))
    for row in noise:
        direction = rng.multivariate_normal(np.zeros(DIM), np.eye(DIM))
        row[:] = direction / np.linalg.norm(direction) * rng.gamma(DIM, 1.0)
    return noise


def rows_of_normals(rows: int, rng: np.random.Generator) -> np.ndarray:
    """The same loop as a careful user would write it."""
    noise = np.empty((rows, DIM))
    for row in noise:
        direction = rng.standard_normal(DIM)
        row[:] = direction / np.linalg.norm(direction) * rng.gamma(DIM, 1.0)
    return noise


def all_rows_in_numpy(rng: np.random.Generator) -> np.ndarray:
    noise = rng.standard_normal((N, DIM), dtype=np.float32)
    noise *= (rng.gamma(DIM, 1.0, (N, 1)) / np.linalg.norm(noise, axis=1, keepdims=True)).astype(np.float32)
    return noise


def sampling(repeat: int) -> None:
    generator, rng = torch.Generator().manual_seed(0), np.random.default_rng(0)
    ours = "ours, multivariate Laplace"
    seconds = fastest(
        {
            ours: lambda: multivariate_laplace(N, DIM, 1.0, generator=generator),
            "its Gaussians alone (torch.randn)": lambda: torch.randn(N, DIM, generator=generator),
            "numpy, all rows at once": lambda: all_rows_in_numpy(rng),
        },
        repeat,
    )
    loops: dict[str, tuple[int, Callable[[int, np.random.Generator], object]]] = {
        "numpy, row by row": (N // 20, rows_of_normals),
        "numpy, row by row, covariance given": (50, rows_with_covariance),
    }
    for name, (rows, loop) in loops.items():
        seconds[name] = fastest({name: lambda loop=loop, rows=rows: loop(rows, rng)}, min(repeat, 3))[name] * N / rows
    work = {name: f"scaled up from {rows:,} rows" for name, (rows, _) in loops.items()}
    report(f"Multivariate Laplace noise: {N:,} x {DIM}, float32", seconds, ours, work)

    ours = "ours, Laplace"
    seconds = fastest(
        {
            ours: lambda: laplace((N, DIM), 1.0, generator=generator),
            "ours, Gaussian": lambda: gaussian((N, DIM), 1.0, generator=generator),
            "torch.distributions.Laplace": lambda: torch.distributions.Laplace(0.0, 1.0).sample((N, DIM)),
            "numpy, Laplace": lambda: rng.laplace(size=(N, DIM)),
        },
        repeat,
    )
    work = {"torch.distributions.Laplace": "float32 tails", "numpy, Laplace": "float64"}
    report(f"Noise per coordinate: {N:,} x {DIM}, float32 rounded from float64", seconds, ours, work)


def calibration(repeat: int) -> None:
    ours = "ours"
    jobs: dict[str, Callable[[], object]] = {ours: lambda: gaussian_sigma(1.0, 1e-6)}
    try:
        import dp_accounting
    except ImportError:
        print('\ndp-accounting is not installed: pip install "trustnlp[privacy]"')
    else:
        jobs["dp-accounting"] = lambda: dp_accounting.get_sigma_gaussian(1.0, 1e-6)
    report("Gaussian calibration: the smallest sigma for epsilon 1, delta 1e-6", fastest(jobs, 20 * repeat), ours)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=5)
    arguments = parser.parse_args()
    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", torch.get_num_threads())))
    print(f"torch {torch.__version__}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.2f}")
    sampling(arguments.repeat)
    calibration(arguments.repeat)


if __name__ == "__main__":
    main()
