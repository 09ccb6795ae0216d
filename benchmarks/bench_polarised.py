"""Speed of polarised vectors, with the polarisation term on, beside fastText without it; and of redaction.

    python benchmarks/bench_polarised.py
    python benchmarks/bench_polarised.py --quick                  # a fifth of the tokens
    _build/peers/bin/python benchmarks/bench_polarised.py   # with peers, see README.md
    python benchmarks/bench_polarised.py --parts redaction

One million tokens, Zipf with exponent 1 over 20,000 types that are random strings of 3 to 10 letters, 50 to a line; 20
labels in turn, 1,000 lines to a document. Skip-gram, 100 dimensions, window 5, 5 negatives, n-grams of 3 to 6, two
million buckets, words seen 5 times, thinning at 1e-4, one epoch. Each job begins with the text in a file and ends with
word vectors. A token that is thinned out counts as done, for all.

Ours makes an update for each pair, as fastText does, and writes the rows of a word once for each centre word
(`trustnlp.embeddings.polarised.polarised_kernel`). Its rows are only those of n-grams that the text has, so that it
need not fill two million rows with random numbers: part of the ratio for one epoch. The ratio for five epochs is nearer
to that of the training alone.

Seconds of CPU time stand beside those of the clock: on a machine that others use they repeat better. `as_released`
trains as many dimensions as there are labels, which is less work, and is timed alone.

Redaction: 1,000 pages of 500 such words with 20 owners, from texts to redacted texts and a report, the learning of what
is private to whom in it. Presidio reads 20 pages, and its seconds are those times 50.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from _timing import Bench, installed, options, say, start

from trustnlp.embeddings.polarised.polarised_training import Form, train_polarised
from trustnlp.privacy.text.anonymisation.documents import Method, anonymise

PAGES, PAGE_LINES, FEW_PAGES = 1000, 10, 20
TYPES, LABELS, LINE, DOCUMENT = 20_000, 20, 50, 1000
DIM, WINDOW, NEGATIVES, NGRAMS, BUCKETS, MIN_COUNT, THINNING = 100, 5, 5, (3, 6), 2_000_000, 5, 1e-4


def write_corpus(path: Path, tokens: int) -> None:
    """Lines of random words, the frequent ones short or long by chance."""
    rng = np.random.default_rng(0)
    letters = np.array(list("etaoinshrdlucmfwypvbgkjqxz"))
    odds = 1 / np.arange(1, 27)
    words = ["".join(rng.choice(letters, n, p=odds / odds.sum())) for n in rng.integers(3, 11, TYPES)]
    share = 1 / np.arange(1, TYPES + 1)
    ids = rng.choice(TYPES, tokens, p=share / share.sum())
    lines = (" ".join(words[i] for i in ids[first : first + LINE]) for first in range(0, tokens, LINE))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def ours(path: Path, *, form: Form, field: float, epochs: int, threads: int) -> None:
    lines = [line.split() for line in path.read_text(encoding="utf-8").splitlines()]
    documents = [lines[first : first + DOCUMENT] for first in range(0, len(lines), DOCUMENT)]
    train_polarised(
        documents, [f"label {at % LABELS}" for at in range(len(documents))], form=form, field=field,
        dim=None if form == "as_released" else DIM, window=WINDOW, negatives=NEGATIVES, epochs=epochs,
        learning_rate=0.05, min_count=MIN_COUNT, ngrams=NGRAMS, buckets=BUCKETS, subsample=THINNING, threads=threads,
        seed=1,
    )  # fmt: skip


def by_gensim(path: Path, *, epochs: int, threads: int) -> None:
    from gensim.models import FastText

    FastText(
        corpus_file=str(path), sg=1, vector_size=DIM, window=WINDOW, negative=NEGATIVES, min_n=NGRAMS[0],
        max_n=NGRAMS[1], bucket=BUCKETS, min_count=MIN_COUNT, sample=THINNING, epochs=epochs, workers=threads,
        alpha=0.05, ns_exponent=0.5,
    )  # fmt: skip


def by_facebook(path: Path, *, epochs: int, threads: int) -> None:
    import fasttext

    fasttext.train_unsupervised(
        str(path), model="skipgram", dim=DIM, ws=WINDOW, neg=NEGATIVES, minn=NGRAMS[0], maxn=NGRAMS[1], bucket=BUCKETS,
        minCount=MIN_COUNT, t=THINNING, epoch=epochs, thread=threads, verbose=0,
    )  # fmt: skip


class Counted:
    """A job that notes its CPU seconds, those of all its threads, and its seconds on the clock."""

    def __init__(self, job: Callable[[], None]) -> None:
        self.job, self.cpu, self.wall = job, [], []

    def __call__(self) -> None:
        cpu, wall = time.process_time(), time.perf_counter()
        self.job()
        self.cpu.append(time.process_time() - cpu)
        self.wall.append(time.perf_counter() - wall)


def compare(bench: Bench, name: str, peer: Callable[[], None], job: Callable[[], None], tokens: int) -> None:
    theirs, mine = Counted(peer), Counted(job)
    bench.pair(name, theirs, mine)
    for label, seconds in (("clock", lambda one: one.wall), ("CPU", lambda one: one.cpu)):
        say(
            f"    {label}: {tokens / statistics.median(seconds(theirs)):,.0f} tokens/s, ours "
            f"{tokens / statistics.median(seconds(mine)):,.0f} (best {tokens / min(seconds(theirs)):,.0f}, ours "
            f"{tokens / min(seconds(mine)):,.0f}); {statistics.median(seconds(theirs)):.2f} s, ours "
            f"{statistics.median(seconds(mine)):.2f} s"
        )


def redact(pages: list[str], method: Method) -> None:
    anonymise(pages, [f"owner {at % LABELS}" for at in range(len(pages))], method=method)


def time_redaction(bench: Bench, path: Path, repeat: int) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    pages = ["\n".join(lines[at * PAGE_LINES : (at + 1) * PAGE_LINES]) for at in range(PAGES)]
    bench.part(f"{PAGES:,} pages of {PAGE_LINES * LINE} words, one thread: from texts to redacted texts")
    methods: tuple[Method, ...] = ("log_odds", "tf_idf", "polarised", "search")
    for method in methods:
        job = Counted(partial(redact, pages, method))
        bench.alone(method, job, repeat=repeat)
        say(f"    CPU: {statistics.median(job.cpu):.1f} s")
    if installed("presidio_analyzer"):
        few = Counted(partial(redact, pages[:FEW_PAGES], "presidio"))
        seconds = bench.alone(f"presidio, {FEW_PAGES} pages", few, repeat=repeat)
        times = PAGES / FEW_PAGES
        say(f"    {PAGES:,} pages: {seconds * times:.0f} s, CPU: {statistics.median(few.cpu) * times:.0f} s")
    else:
        bench.missing("presidio")


def main() -> None:
    parser = options(__doc__, repeat=5)
    parser.add_argument("--parts", default="training,redaction", help="of two: training, redaction (both)")
    parser.add_argument("--epochs", default="1,5", help="passes over the text, one table each (1,5)")
    arguments = parser.parse_args()
    bench = start("Training of polarised vectors", arguments, "numpy", "numba", "gensim")
    tokens = 200_000 if arguments.quick else 1_000_000
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "corpus.txt"
        if "redaction" in arguments.parts:
            write_corpus(path, PAGES * PAGE_LINES * LINE)
            time_redaction(bench, path, 1 if arguments.quick else 3)
        if "training" in arguments.parts:
            write_corpus(path, tokens)
            time_training(bench, path, tokens, arguments.epochs)
    bench.finish()


def time_training(bench: Bench, path: Path, tokens: int, passes: str) -> None:
    peers = {}
    for name, module, method in (
        ("gensim FastText", "gensim", by_gensim),
        ("Facebook's fastText", "fasttext", by_facebook),
    ):
        if installed(module):
            peers[name] = method
        else:
            bench.missing(name)
    ours(path, form="repaired", field=1.0, epochs=1, threads=2)  # compiles
    for epochs in (int(number) for number in passes.split(",")):
        bench.part(f"{tokens:,} tokens, epochs: {epochs}, field 1, from file to vectors")
        for threads in (2, 1):
            for name, method in peers.items():
                compare(
                    bench, f"{name}, threads: {threads}", partial(method, path, epochs=epochs, threads=threads),
                    partial(ours, path, form="as_written", field=1.0, epochs=epochs, threads=threads),
                    tokens * epochs,
                )  # fmt: skip
    bench.part(f"{tokens:,} tokens, one epoch, one thread: what the forms and the field cost")
    for form, field in (("as_written", 0.0), ("as_written", 1.0), ("repaired", 1.0), ("as_released", 1.0)):
        job = Counted(partial(ours, path, form=form, field=field, epochs=1, threads=1))
        bench.alone(f"{form}, field {field:g}", job)
        say(f"    CPU: {statistics.median(job.cpu):.2f} s (best {min(job.cpu):.2f} s)")


if __name__ == "__main__":
    main()
