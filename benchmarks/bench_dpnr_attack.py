"""Speed of the attribute attacker against scikit-learn's MLPClassifier and a plain torch loop, all in one run.

    OMP_NUM_THREADS=1 python benchmarks/bench_dpnr_attack.py

11,657 representations of 384 coordinates (AG's training texts under MiniLM), 512 hidden units, five attributes, ten
epochs. Random data: the work does not depend on what is learned. Every figure is the fastest of `--repeat` runs,
interleaved; ratios are to our own time in the same run.
"""

from __future__ import annotations

import argparse
import os
import warnings
from collections.abc import Callable

import torch
from bench_weat import fastest, report
from torch import Tensor

from trustnlp.privacy.attribute_inference import Attacker, Released, attack

N, K, HIDDEN, ATTRIBUTES, EPOCHS = 11_657, 384, 512, 5, 10


def ours(x: Tensor, y: Tensor, epochs: int, batch: int) -> object:
    """One attack; `y` is `(n, a)` of 0 and 1, or `(n,)` for one attribute."""
    attacker = Attacker("bench", hidden=(HIDDEN,), epochs=epochs, batch=batch)
    released = Released(x, y if y.ndim == 2 else y[:, None])
    return attack(released, None, x[:1], attacker, kind="entities", generator=torch.Generator().manual_seed(0))


def plain_loop(x: Tensor, y: Tensor, epochs: int, batch: int) -> object:
    net = torch.nn.Sequential(torch.nn.Linear(K, HIDDEN), torch.nn.ReLU(), torch.nn.Linear(HIDDEN, y.shape[1]))
    optimiser = torch.optim.Adam(net.parameters(), 1e-3)
    for _ in range(epochs):
        for rows in torch.randperm(len(x)).split(batch):
            loss = torch.nn.functional.binary_cross_entropy_with_logits(net(x[rows]), y[rows].float())
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
    return net


def scikit_learn(x: Tensor, y: Tensor, epochs: int, batch: int) -> object:
    from sklearn.neural_network import MLPClassifier

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it says that ten epochs are few
        model = MLPClassifier(
            (HIDDEN,), batch_size=batch, max_iter=epochs, n_iter_no_change=epochs + 1, alpha=0, random_state=0
        )
        return model.fit(x.numpy(), y.numpy())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=3)
    arguments = parser.parse_args()
    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", torch.get_num_threads())))
    print(f"torch {torch.__version__}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.2f}")
    generator = torch.Generator().manual_seed(0)
    x = torch.rand(N, K, generator=generator)
    y = (torch.rand(N, ATTRIBUTES, generator=generator) < 0.25).long()
    ours(x[:64], y[:64], 1, 64)  # torch imports its optimisers at their first use
    for batch in (64, 128):
        jobs: dict[str, Callable[[], object]] = {
            name: lambda job=job, batch=batch: job(x, y, EPOCHS, batch)
            for name, job in {"ours": ours, "torch, plain loop": plain_loop, "scikit-learn": scikit_learn}.items()
        }
        title = f"Attacker: {N:,} x {K}-{HIDDEN}-{ATTRIBUTES}, {EPOCHS} epochs, batch {batch}"
        report(title, fastest(jobs, arguments.repeat), "ours")


if __name__ == "__main__":
    main()
