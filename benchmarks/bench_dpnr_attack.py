"""Speed of the attribute attacker against scikit-learn's MLPClassifier and a plain torch loop, all in one run.

    OMP_NUM_THREADS=1 python benchmarks/bench_dpnr_attack.py            # about five minutes on one core
    OMP_NUM_THREADS=1 python benchmarks/bench_dpnr_attack.py --quick    # one epoch of the ten, 3 pairs

11,657 representations of 384 coordinates (AG's training texts under MiniLM), 512 hidden units, five attributes, ten
epochs. Random data: the work does not depend on what is learned, and is the same in every epoch.
"""

from __future__ import annotations

import warnings

import torch
from _timing import options, start
from torch import Tensor

from trustnlp.privacy.attacks.attribute_inference import Attacker, Released, attack

N, K, HIDDEN, ATTRIBUTES, EPOCHS = 11_657, 384, 512, 5, 10


def ours(x: Tensor, y: Tensor, epochs: int, batch: int) -> object:
    """One attack; `y` is `(n, a)` of 0 and 1, or `(n,)` for one attribute."""
    attacker = Attacker("bench", hidden=HIDDEN, epochs=epochs, batch=batch)
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
    arguments = options(__doc__, repeat=5).parse_args()
    bench = start("Attribute attacker", arguments, "torch", "scikit-learn")
    epochs = 1 if arguments.quick else EPOCHS
    generator = torch.Generator().manual_seed(0)
    x = torch.rand(N, K, generator=generator)
    y = (torch.rand(N, ATTRIBUTES, generator=generator) < 0.25).long()
    peers = {"torch, plain loop": plain_loop, "scikit-learn": scikit_learn}
    for job in (ours, *peers.values()):
        job(x[:64], y[:64], 1, 64)  # torch imports its optimisers at their first use
    for batch in (64, 128):
        bench.part(f"{N:,} x {K}-{HIDDEN}-{ATTRIBUTES}, {epochs} epochs, batch {batch}")
        for name, peer in peers.items():
            bench.pair(
                name,
                lambda peer=peer, batch=batch: peer(x, y, epochs, batch),
                lambda batch=batch: ours(x, y, epochs, batch),
            )
    bench.finish()


if __name__ == "__main__":
    main()
