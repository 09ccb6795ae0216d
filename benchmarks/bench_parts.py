"""Pairs in files: one process that reads all of them, and Dask's workers that read, join and solve in parts.

    OMP_NUM_THREADS=1 python benchmarks/bench_parts.py             # 1,000,000 pairs in 16 files
    OMP_NUM_THREADS=1 python benchmarks/bench_parts.py --quick     # 100,000

Few machines have the cores for a cluster. So every task of `partition_parts` runs alone, one after the other, and its
seconds, those of the process and not of the clock, are written down with what it waits for and how large its result is.
From that follows when as many workers would be done: each takes the task that has waited longest, and fetches what
another worker made at a gigabit a second. Dask's own cost of a task is taken as one millisecond. One process is
`partition` on the table of all files, reading included.
"""

from __future__ import annotations

import pickle
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
from _timing import options, say, start
from dask.callbacks import Callback

from trustnlp.graphs import partition
from trustnlp.graphs.distributed_pairs import partition_parts
from trustnlp.graphs.pair_files import read_pairs
from trustnlp.graphs.planted import planted_components

FILES, LARGEST, BYTES_A_SECOND, OVERHEAD = 16, 60, 125e6, 1e-3


class Ledger(Callback):
    """Seconds, bytes and requirements of every task that dask runs in this process."""

    def __init__(self) -> None:
        super().__init__(start_state=self._begin, pretask=self._before, posttask=self._after)
        self.seconds: dict[object, float] = {}
        self.bytes: dict[object, int] = {}
        self.needs: dict[object, set[object]] = {}
        self._clock = 0.0

    def _begin(self, dsk: object, state: dict) -> None:
        self.needs = {key: set(needs) for key, needs in state["dependencies"].items()}

    def _before(self, key: object, dsk: object, state: object) -> None:
        self._clock = time.process_time()

    def _after(self, key: object, result: object, dsk: object, state: object, worker: object) -> None:
        self.seconds[key] = time.process_time() - self._clock
        self.bytes[key] = len(pickle.dumps(result))


def simulated(ledger: Ledger, workers: int) -> float:
    """Seconds until the last task is done, with so many workers."""
    free, done, home = [0.0] * workers, {}, {}
    waiting = list(ledger.seconds)  # in dask's order, in which what a task needs stands before it
    for key in waiting:
        needs = [need for need in ledger.needs.get(key, ()) if need in done]
        finish = []
        for worker in range(workers):
            fetched = sum(ledger.bytes[need] for need in needs if home[need] != worker) / BYTES_A_SECOND
            ready = max([free[worker], *(done[need] for need in needs)])
            finish.append(ready + fetched + ledger.seconds[key] + OVERHEAD)
        best = int(np.argmin(finish))
        free[best] = done[key] = finish[best]
        home[key] = best
    return max(done.values())


def main() -> None:
    parser = options(__doc__, repeat=1)
    parser.add_argument("--pairs", type=int, help="in all (1,000,000; 100,000 with --quick)")
    arguments = parser.parse_args()
    wanted = arguments.pairs or (100_000 if arguments.quick else 1_000_000)
    bench = start("Pairs in files", arguments, "numpy", "dask", "pandas")
    rng = np.random.default_rng(0)
    graph, _ = planted_components(wanted // 9, LARGEST, rng)
    order = rng.permutation(len(graph.weights))
    table = pd.DataFrame({"left": graph.left[order], "right": graph.right[order], "score": graph.weights[order]})
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"part{number:02}.csv" for number in range(FILES)]
        for number, path in enumerate(paths):
            table.iloc[number::FILES].to_csv(path, index=False)
        small = pd.DataFrame([("a", "b", 1.0), ("b", "c", -1.0)], columns=["left", "right", "score"])
        partition(small)  # imports and compiles
        partition_parts([small])
        begun = time.process_time()
        whole = partition(pd.concat([read_pairs(path).table for path in paths], ignore_index=True), time_limit=5.0)
        alone = time.process_time() - begun
        import dask

        with dask.config.set(scheduler="synchronous"), Ledger() as ledger:
            parted = partition_parts(paths, time_limit=5.0)
    same = abs(parted.value - whole.value) <= 1e-6 * abs(whole.value)
    say(f"  {len(table):,} pairs of {len(graph):,} records, {len(whole.components):,} components, same weight: {same}")
    say(f"  one process {alone:.1f} s; {len(ledger.seconds):,} tasks of {sum(ledger.seconds.values()):.1f} s in all")
    for workers in (1, 2, 4, 8, 16):
        seconds = simulated(ledger, workers)
        bench.record(pairs=len(table), workers=workers, seconds=seconds, one_process=alone)
        say(f"  {workers:>3} workers {seconds:>8.1f} s, {alone / seconds:.2f} x as fast as one process")


if __name__ == "__main__":
    main()
