"""Speed of the privacy core against the obvious ways to do the same, all in one run.

    OMP_NUM_THREADS=1 python benchmarks/bench_privacy.py            # two minutes on one core
    OMP_NUM_THREADS=1 python benchmarks/bench_privacy.py --quick    # the same with 3 pairs

The loops over rows are timed on few rows and scaled up to all of them: the whole would take minutes.
"""

from __future__ import annotations

import numpy as np
import torch
from _timing import Bench, installed, options, start

from trustnlp.privacy.accounting.guarantee import L1Sensitivity, L2Sensitivity, Relation
from trustnlp.privacy.mechanisms.additive_noise import Gaussian, Laplace, gaussian_sigma
from trustnlp.privacy.noise import secure_random
from trustnlp.privacy.noise.samplers import gaussian, laplace, multivariate_laplace

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


def sampling(bench: Bench) -> None:
    generator, rng = torch.Generator().manual_seed(0), np.random.default_rng(0)

    def ours() -> object:
        return multivariate_laplace(N, DIM, 1.0, generator=generator)

    bench.part(f"Multivariate Laplace noise: {N:,} x {DIM}, float32")
    bench.pair("its Gaussians alone (torch.randn)", lambda: torch.randn(N, DIM, generator=generator), ours)
    bench.pair("numpy, all rows at once", lambda: all_rows_in_numpy(rng), ours)
    for name, rows, loop in (
        ("numpy, row by row", N // 100, rows_of_normals),
        ("numpy, row by row, covariance given", 20, rows_with_covariance),
    ):
        note = f"scaled up from {rows:,} rows"
        bench.pair(name, lambda loop=loop, rows=rows: loop(rows, rng), ours, scale=N / rows, note=note)

    bench.part(f"Noise per coordinate: {N:,} x {DIM}, float32 rounded from float64; beside our Laplace")

    def ours_laplace() -> object:
        return laplace((N, DIM), 1.0, generator=generator)

    bench.pair("ours, Gaussian", lambda: gaussian((N, DIM), 1.0, generator=generator), ours_laplace)
    peer = torch.distributions.Laplace(0.0, 1.0)
    bench.pair("torch.distributions.Laplace", lambda: peer.sample((N, DIM)), ours_laplace, note="float32 tails")
    bench.pair("numpy, Laplace", lambda: rng.laplace(size=(N, DIM)), ours_laplace, note="float64")


def cryptographic(bench: Bench) -> None:
    """Gaussians and Laplace values that nobody can compute, beside the simulation generator that they replace."""
    generator, count = torch.Generator().manual_seed(0), 4_000_000
    streams = {"os.urandom": None} | ({"AES-256-CTR": secure_random.ciphers} if secure_random.ciphers else {})
    bench.part(f"Noise from a cryptographic source: {count:,} float64 Gaussians")

    def simulated() -> object:
        return torch.empty(count, dtype=torch.float64).normal_(generator=generator)

    for name, ciphers in streams.items():

        def ours(ciphers: object = ciphers) -> object:
            secure_random.ciphers = ciphers
            return secure_random.normals(count)

        bench.pair(f"torch.Generator, beside {name}", simulated, ours, note=f"{count / 1e6:g} million numbers each")
    if "AES-256-CTR" not in streams:
        bench.missing("cryptography", 'python -m pip install "trustnlp[fast-noise]"')
    opendp_rows(bench)


def opendp_rows(bench: Bench) -> None:
    """OpenDP samples the discrete laws exactly; one core, vectors of 50,000 numbers."""
    if not installed("opendp"):
        bench.missing("OpenDP")
        return
    import opendp.prelude as dp

    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T=float, nan=False))
    zeros = [0.0] * 50_000
    rows = torch.zeros(50, 1000, dtype=torch.float64)
    peers = {
        "OpenDP, Laplace": ((space, dp.l1_distance(T=float)), Laplace(1.0, L1Sensitivity(1.0, Relation.LOCAL))),
        "OpenDP, Gaussian": ((space, dp.l2_distance(T=float)), Gaussian(1.0, 1e-6, L2Sensitivity(1.0, Relation.LOCAL))),
    }
    bench.part("50,000 numbers released: noise, grid and all; beside ours")
    for name, (given, mechanism) in peers.items():
        make = dp.m.make_laplace if "Laplace" in name else dp.m.make_gaussian
        release = make(*given, scale=1.0)
        bench.pair(name, lambda release=release: release(zeros), lambda mechanism=mechanism: mechanism(rows))


def calibration(bench: Bench) -> None:
    bench.part("Gaussian calibration: the smallest sigma for epsilon 1, delta 1e-6")
    if not installed("dp_accounting"):
        bench.missing("dp-accounting")
        bench.alone("ours", lambda: gaussian_sigma(1.0, 1e-6))
        return
    import dp_accounting

    bench.pair("dp-accounting", lambda: dp_accounting.get_sigma_gaussian(1.0, 1e-6), lambda: gaussian_sigma(1.0, 1e-6))


def main() -> None:
    arguments = options(__doc__, repeat=10).parse_args()
    bench = start("Privacy core", arguments, "numpy", "torch")
    sampling(bench)
    cryptographic(bench)
    calibration(bench)
    bench.finish()


if __name__ == "__main__":
    main()
