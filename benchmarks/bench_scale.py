"""Ten million scored pairs in one file: the command that a reader would give, its seconds by the clock and its memory.

    python benchmarks/bench_scale.py           # ten million pairs, two processes
    python benchmarks/bench_scale.py --quick   # 200,000

Planted components of up to 60 records and 25 on average, written as Splink writes its predictions. `trustnlp partition`
reads the file, solves, writes the clusters and says whether they are proven. Memory is the largest that the command and
its processes held at once, read every half second. There is no peer: none of them proves anything.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
import psutil
from _timing import options, say, start

from trustnlp.graphs.planted import planted_components

PAIRS, QUICK, LARGEST, PAIRS_A_RECORD = 10_000_000, 200_000, 60, 6.4


def write_predictions(path: Path, pairs: int) -> int:
    rng = np.random.default_rng(0)
    graph, _ = planted_components(int(pairs / PAIRS_A_RECORD), LARGEST, rng)
    order = rng.permutation(len(graph.weights))
    table = pd.DataFrame({"unique_id_l": graph.left[order], "unique_id_r": graph.right[order]})
    table["match_probability"] = np.clip(graph.weights[order] + 0.5, 0.0, 1.0)
    table.to_csv(path, index=False)
    return len(table)


def run(command: list[str]) -> tuple[float, float]:
    """Seconds by the clock, and GB held at once by the command and its processes."""
    begun, most = time.monotonic(), 0
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        watched = psutil.Process(process.pid)
        while process.poll() is None:
            held = 0
            for one in [watched, *watched.children(recursive=True)]:
                try:
                    held += one.memory_full_info().pss
                except psutil.Error:
                    continue
            most = max(most, held)
            time.sleep(0.5)
        assert process.stdout is not None
        say(process.stdout.read().rstrip())
    if process.returncode:
        raise SystemExit(process.returncode)
    return time.monotonic() - begun, most / 1e9


def main() -> None:
    parser = options(__doc__, repeat=1)
    parser.add_argument("--pairs", type=int, help="about so many (10,000,000; 200,000 with --quick)")
    parser.add_argument("--workers", type=int, default=2, help="processes (2)")
    arguments = parser.parse_args()
    bench = start("Pairs in one file", arguments, "numpy", "pandas", "highspy")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "predictions.csv"
        pairs = write_predictions(path, arguments.pairs or (QUICK if arguments.quick else PAIRS))
        command = [str(Path(sys.executable).with_name("trustnlp")), "partition", str(path), "--time-limit", "5"]
        seconds, held = run([*command, "--workers", str(arguments.workers), "--out", f"{folder}/clusters.csv"])
    bench.record(pairs=pairs, workers=arguments.workers, seconds=seconds, gigabytes=held)
    say(f"  {pairs:,} pairs, {arguments.workers} processes: {seconds:.0f} s, {held:.1f} GB")


if __name__ == "__main__":
    main()
