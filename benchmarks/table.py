"""`make bench`: ours beside every peer, one table of ratios, and how the cost grows. Ten minutes on two idle cores.

    make bench                                  # peers into _build/peers, all rows, benchmarks/table.json, the page
    make bench BENCH_ARGS="--only cliques,lime" # these rows anew, the others as they stand
    make bench BENCH_ARGS="--list"

Peers stand in an environment of their own, `_build/peers`: what `peers.txt` names, above what .venv has. Each row runs
in a process of its own there. First the two answers are compared, which warms both up; a row whose answers differ, or
whose peer is missing, is an error. Then ours and the peer's run in turn, five pairs or more, each on one thread where
it has the choice. The ratio is of CPU seconds, of all threads: a machine that others use changes it least.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import multiprocessing
import os
import platform
import shutil
import statistics
import subprocess
import sys
import sysconfig
import time
from datetime import UTC, datetime
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from _timing import SAMPLE, Run, middle, say, timed, worthless
from table_page import write_page

HERE = Path(__file__).resolve().parent
TABLE, PEERS = HERE / "table.json", HERE.parent / "_build" / "peers"
PAIRS, LIMIT = 5, 600  # seconds for one row, on a machine that others use
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS", "RAYON_NUM_THREADS")


def environment() -> Path:
    """The Python that sees the peers above what this one sees; made where `peers.txt` has changed."""
    wanted = hashlib.sha256(f"{sys.version}{sysconfig.get_path('purelib')}".encode())
    wanted.update((HERE / "peers.txt").read_bytes())
    python, mark = PEERS / "bin" / "python", PEERS / "installed"
    if mark.is_file() and mark.read_text("utf-8") == wanted.hexdigest():
        return python
    say(f"peers: installing {HERE / 'peers.txt'} into {PEERS}")
    shutil.rmtree(PEERS, ignore_errors=True)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(PEERS)], check=True)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", str(python), "install", "-q"]
    subprocess.run([*pip, "--no-deps", "-r", str(HERE / "peers.txt")], check=True)
    beneath = f"import site; site.addsitedir({sysconfig.get_path('purelib')!r})\n"
    next((PEERS / "lib").glob("python*/site-packages")).joinpath("beneath.pth").write_text(beneath, "utf-8")
    mark.write_text(wanted.hexdigest(), "utf-8")
    return python


def measured(row: Any, pairs: int = PAIRS) -> dict[str, Any]:
    """Ours and the peer's in turn, after their answers were compared."""
    case = row.make()
    equal = case.check()
    jobs = (case.theirs, case.ours)
    calls = [max(1, math.ceil(SAMPLE / max(timed(job).cpu, 1e-4))) for job in jobs]
    turns: list[list[Run]] = []
    for turn in range(pairs):
        of_one = {at: timed(jobs[at], calls[at]) for at in ((0, 1) if turn % 2 == 0 else (1, 0))}
        turns.append([of_one[0], of_one[1]])
    ratios = [case.scale * theirs.cpu / mine.cpu for theirs, mine in turns]
    ratio, low, high = middle(ratios)
    theirs, mine = (statistics.median(runs[at].cpu for runs in turns) for at in (0, 1))
    return {
        "work": row.work, "peer": row.peer, "ours": mine, "theirs": case.scale * theirs, "ratio": ratio, "low": low,
        "high": high, "equal": equal, "doubt": worthless(turns, ratios),
    }  # fmt: skip


def machine() -> dict[str, Any]:
    names = [line.partition(":")[2].strip() for line in _lines("/proc/cpuinfo") if line.startswith("model name")]
    memory = [int(line.split()[1]) / 2**20 for line in _lines("/proc/meminfo") if line.startswith("MemTotal")]
    kernels = os.environ.get("OPENBLAS_CORETYPE")
    return {
        "cpu": names[0] if names else platform.processor() or platform.machine(), "cores": os.cpu_count(),
        "gigabytes": round(memory[0]) if memory else None, "day": datetime.now(UTC).date().isoformat(),
        "python": platform.python_version(), "kernels": kernels, "load": round(os.getloadavg()[0], 1),
    }  # fmt: skip


def _lines(path: str) -> list[str]:
    return Path(path).read_text("utf-8").splitlines() if Path(path).is_file() else []


def apart(name: str) -> dict[str, Any]:
    """A row or a curve in a process of its own, forked when all that rows share is imported."""
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=_report, args=(name, there))
    process.start()
    there.close()
    try:
        found = here.recv() if here.poll(LIMIT) else f"still busy after {LIMIT} s"
    except EOFError:
        found = "the process died"
    process.kill()
    process.join()
    if isinstance(found, str):
        raise ChildProcessError(found)
    return {**found, "machine": machine()}


def _report(name: str, there: Connection) -> None:
    from table_growth import GROWTH, grown
    from table_rows import ROWS

    try:
        there.send(measured(ROWS[name]) if name in ROWS else grown(GROWTH[name.removesuffix("-growth")]))
    except (Exception, SystemExit) as error:
        there.send(f"{type(error).__name__}: {error}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="names of rows or curves, with commas between")
    parser.add_argument("--list", action="store_true", help="print all names")
    arguments = parser.parse_args()
    if Path(sys.prefix) != PEERS:
        python = str(environment())
        os.execve(python, [python, __file__, *sys.argv[1:]], {**os.environ, **dict.fromkeys(THREADS, "1")})
    from table_growth import GROWTH
    from table_rows import ROWS

    names = [*ROWS, *(f"{name}-growth" for name in GROWTH)]
    asked = [name for name in arguments.only.split(",") if name] or names
    if unknown := [name for name in asked if name not in names]:
        parser.error(f"no such row: {', '.join(unknown)}; there are {', '.join(names)}")
    if arguments.list:
        say("\n".join(names))
        return 0
    kept = json.loads(TABLE.read_text("utf-8")) if TABLE.is_file() else {"rows": {}, "growth": {}}
    begun, wrong = time.monotonic(), []
    for name in asked:
        say(f"{name:<20}", end=" ")
        try:
            found = apart(name)
        except ChildProcessError as error:
            wrong.append(name)
            say(f"ERROR: {error}")
            continue
        part, known = ("rows", ROWS) if name in ROWS else ("growth", GROWTH)
        kept[part][name.removesuffix("-growth")] = found
        kept[part] = {name: kept[part][name] for name in known if name in kept[part]}
        TABLE.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", "utf-8")
        write_page(kept)
        if name in ROWS:
            say(f"{found['ratio']:>9,.2f} x ours ({found['low']:,.2f} to {found['high']:,.2f})  {found['equal']}")
        else:
            say(f"{found['work']}: time grows as size^{found['exponent']:.2f}")
    say(f"{len(asked) - len(wrong)} of {len(asked)} measured in {time.monotonic() - begun:.0f} s; see book/how-fast.md")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
