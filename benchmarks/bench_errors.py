"""What AEC's chapter waits for: readable features of tweets, an epoch of Kim's network, the loop of labelling.

    OMP_NUM_THREADS=1 python benchmarks/bench_errors.py
    OMP_NUM_THREADS=1 python benchmarks/bench_errors.py --quick
    OMP_NUM_THREADS=1 python benchmarks/bench_errors.py --parts features    # of three

- `features` of 11,664 distinct airline tweets, from text to table. Ours is `annotate`, whose two processes give back
  plain strings and numbers, into an empty cache. The peers are spaCy's own `pipe` in one process and with n_process=2,
  whose processes give back whole documents; the same table is made of them. Ours loads the pipeline
  in each process; spaCy forks a loaded one. Both need two cores.
- `epoch` of Kim's network on SST's sentences in three classes, 300 numbers a word. Ours has batches of like length, and
  one convolution of both channels' sum. Two peers train the same network by a plain loop with every text padded to the
  longest, as Keras's `pad_sequences` and Kim's code do: the first differs in the padding alone, the second convolves
  either channel, too. What all three compute is compared afterwards. Vectors are drawn at random: they cost the same.
- `loop` times nothing: the seconds that the committed record of the chapter's labelling loop took.

Without the tweets or the reviews (see their data cards) made-up ones take their place, which are shorter; the script
says so. --quick takes 1,100 tweets, in two pairs, and 500 sentences. The processes then spend more of their time
on starting, so that our ratio is lower.
"""

from __future__ import annotations

import copy
import heapq
import json
import math
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from _timing import Bench, duration, installed, options, say, start
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from trustnlp.data.annotation.spacy_annotation import (
    COMPONENTS,
    PIPELINE,
    Annotation,
    Entity,
    annotate,
    pipeline_folder,
)
from trustnlp.data.registry import DataError
from trustnlp.data.texts.sentence_sets import Sentences
from trustnlp.data.words.emotion_lexicon import read_emotion_lexicon
from trustnlp.embeddings.static import WordVectors
from trustnlp.error_analysis.readable_features import ANNOTATED, FeatureTable, feature_table
from trustnlp.studies.aec.data.labelled_sets import read_reviews, read_tweets
from trustnlp.studies.aec.standins import planted_reviews, planted_tweets
from trustnlp.training.batches import Rows, Tokens, padded, padding_mask
from trustnlp.training.classification import Labelled
from trustnlp.training.kept_classifiers import CnnRecipe, kim_words
from trustnlp.training.loop import Draws, Schedule, Task, fit, seeded
from trustnlp.training.multichannel_cnn import MultichannelCnn, word_table

TWEETS, REVIEWS, FEWEST, DIMENSIONS, CLASSES, SEED = 11_664, 8_531, 100, 300, 3, 0
RECORD = Path(__file__).parents[1] / "chapters" / "aec" / "results" / "loop.paper.json"
CPU = torch.device("cpu")
RECIPE = CnnRecipe(epochs=1)


# --- features --------------------------------------------------------------------------------------------------------


def tweets(count: int) -> tuple[str, ...]:
    """Distinct tweets, or made-up ones."""
    try:
        texts = tuple(dict.fromkeys(read_tweets().texts))
    except DataError as error:
        say(f"made-up tweets, as the airline tweets cannot be read: {error}")
        texts = planted_tweets(count, np.random.default_rng(SEED)).texts
    chosen = np.sort(np.random.default_rng(SEED).permutation(len(texts))[:count])
    return tuple(texts[row] for row in chosen)


def emotions() -> Mapping[str, Sequence[str]]:
    """The paper's lexicon, or none: looking words up is a small part of the time."""
    try:
        return read_emotion_lexicon()
    except DataError:
        return {}


@contextmanager
def own_cache() -> Iterator[Path]:
    """A cache of annotations for this script alone, so that it reads none and leaves none."""
    pipeline = pipeline_folder()
    before = os.environ.get("TRUSTNLP_CACHE")
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / PIPELINE).symlink_to(pipeline, target_is_directory=True)
        os.environ["TRUSTNLP_CACHE"] = folder
        try:
            yield Path(folder) / "annotations"
        finally:
            del os.environ["TRUSTNLP_CACHE"]
            if before is not None:
                os.environ["TRUSTNLP_CACHE"] = before


def read_document(document: Any) -> Annotation:
    """What features need of a document of spaCy's."""
    return Annotation(
        tuple(token.text for token in document),
        tuple(token.idx for token in document),
        tags=tuple(token.tag_ for token in document),
        heads=tuple(token.head.i for token in document),
        relations=tuple(token.dep_ for token in document),
        entities=tuple(Entity(span.start, span.end, span.label_) for span in document.ents),
    )


def time_features(bench: Bench, count: int, repeat: int | None) -> None:
    """From texts to the table of features."""
    import spacy

    texts, lexicon = tweets(count), emotions()
    parts = frozenset[str]().union(*(COMPONENTS[part] for part in ANNOTATED))
    others = {"senter"}.union(*COMPONENTS.values()) - parts
    pipeline = spacy.load(pipeline_folder(), exclude=sorted(others))
    table = partial(feature_table, lexicon=lexicon, fewest_texts=min(FEWEST, len(texts)))

    def by_spacy(processes: int) -> FeatureTable:
        return table([read_document(document) for document in pipeline.pipe(texts, n_process=processes)])

    with own_cache() as kept:

        def ours() -> FeatureTable:
            shutil.rmtree(kept, ignore_errors=True)
            return table(annotate(texts, ANNOTATED, processes=2))

        bench.part(f"Features of {len(texts):,} tweets, {sum(map(len, texts)) / len(texts):.0f} characters each")
        bench.pair("spaCy in one process", partial(by_spacy, 1), ours, repeat=repeat)
        bench.pair("spaCy with n_process=2", partial(by_spacy, 2), ours, repeat=repeat)
        mine, theirs = ours(), by_spacy(1)
        bench.alone("ours again, from the cache", lambda: table(annotate(texts, ANNOTATED, processes=2)))
    equal = mine.names == theirs.names and np.array_equal(mine.values, theirs.values)
    say(f"  ours and spaCy's: {'equal' if equal else 'DIFFERENT'} tables of {mine.values.shape[1]} features")
    bench.record(name="equal tables", equal=equal)


# --- an epoch --------------------------------------------------------------------------------------------------------


class EitherChannel(MultichannelCnn):
    """The same network with each channel convolved for itself, as the paper writes it."""

    def forward(self, ids: Tensor, attended: Tensor) -> Tensor:
        lengths = attended.sum(1, keepdim=True)
        static, tuned = (
            (vectors * attended[..., None]).transpose(1, 2) for vectors in (self.static[ids], self.tuned(ids))
        )
        found = []
        for width, windows in zip(RECIPE.widths, self.windows, strict=True):
            # Both answers have the bias, which the network counts once.
            answers = windows(static) + windows(tuned) - windows.get_parameter("bias")[:, None]
            beyond = torch.arange(answers.shape[2]) >= lengths + width - 1
            found.append(answers.masked_fill(beyond[:, None], -torch.inf).amax(2).relu())
        kept = nn.functional.dropout(torch.cat(found, 1), RECIPE.dropout, self.training) * (1 - RECIPE.dropout)
        scores: Tensor = self.classifier(kept)
        return scores


def reviews(count: int) -> Sentences:
    """The treebank's training sentences in three classes, or made-up ones."""
    try:
        found: Sentences = read_reviews(near_duplicates=True).train
    except DataError as error:
        say(f"made-up reviews, as SST cannot be read: {error}")
        made = planted_reviews(count, np.random.default_rng(SEED))
        return Sentences(made.texts, made.labels)
    rows = np.random.default_rng(SEED).permutation(len(found.texts))[:count]
    return Sentences(tuple(found.texts[row] for row in rows), found.labels[rows])


def networks(words: Sequence[str]) -> tuple[MultichannelCnn, EitherChannel]:
    """Two with the same weights."""
    rng = np.random.default_rng(SEED)
    drawn = WordVectors(["(none of them)"], rng.normal(0, 0.2, (1, DIMENSIONS)), "drawn")
    table = word_table(words, drawn, rng)
    with seeded(SEED, CPU):
        model = MultichannelCnn(table, CLASSES)
    other = EitherChannel(table, CLASSES)
    other.load_state_dict(model.state_dict())
    return model, other


def optimiser_of(model: MultichannelCnn) -> torch.optim.Optimizer:
    found = torch.optim.Adadelta(model.parameters(), lr=1.0, rho=RECIPE.decay, eps=1e-6)
    found.register_step_post_hook(lambda *_: model.shorten_rows())
    return found


def by_length(first: MultichannelCnn, train: Labelled) -> MultichannelCnn:
    """Our loop: an epoch on batches of like length."""
    model = copy.deepcopy(first)

    def loss(rows: Rows, draws: Draws) -> Tensor:
        values, mask = train.inputs.batch(rows, draws.here)
        return cross_entropy(model(values, mask), train.labels[rows])

    task = Task("Kim's network", model, optimiser_of(model), CPU, train.inputs.lengths, loss, lambda: 0.0)
    fit(task, Schedule(1, RECIPE.batch_size, clip=math.inf), seed=SEED, settings={})
    return model


def all_padded(first: MultichannelCnn, ids: Tensor, mask: Tensor, labels: Tensor) -> None:
    """A plain loop: an epoch on random batches of texts as long as the longest."""
    model = copy.deepcopy(first).train()
    optimiser = optimiser_of(model)
    with seeded(SEED, CPU):
        for rows in torch.randperm(len(ids)).split(RECIPE.batch_size):
            optimiser.zero_grad(set_to_none=True)
            cross_entropy(model(ids[rows], mask[rows]), labels[rows]).backward()
            optimiser.step()


def time_epoch(bench: Bench, count: int) -> None:
    """One pass over the reviews, without dev."""
    train = reviews(count)
    split = [kim_words(text) for text in train.texts]
    words = sorted({word for row in split for word in row})
    number = {word: row for row, word in enumerate(words, start=1)}
    tokens = Tokens.of([[number[word] for word in row] or [0] for row in split])
    labels, rows = torch.tensor(train.labels), np.arange(len(tokens))
    ids, mask = padded(tokens.ids, tokens.starts, rows), padding_mask(tokens.starts, rows)
    summed, either = networks(words)
    ours = partial(by_length, summed, Labelled.of(tokens, labels))
    all_padded(either, ids[:10], mask[:10], labels[:10])  # the first optimiser imports for seconds
    say(f"{torch.get_num_threads()} thread(s) of torch")
    bench.part(
        f"An epoch on {len(rows):,} sentences, {tokens.lengths.mean():.1f} words each, the longest {ids.shape[1]}; "
        f"{len(words):,} words, batches of {RECIPE.batch_size}, Adadelta"
    )
    bench.pair("the same network, all padded", partial(all_padded, summed, ids, mask, labels), ours)
    bench.pair("either channel convolved, all padded", partial(all_padded, either, ids, mask, labels), ours)
    # Trained weights: at first the channels are equal, and so are the sums.
    trained = ours()
    either.load_state_dict(trained.state_dict())
    with torch.inference_mode():
        whole = either.eval()(ids[:64], mask[:64])
        short = int(mask[:64].sum(1).max())
        apart = float((trained(ids[:64, :short], mask[:64, :short]) - whole).abs().max())
    largest = float(whole.abs().max())
    say(f"  the trained network either way, 64 sentences: scores up to {apart:.1e} apart, the largest {largest:.1e}")
    bench.record(name="scores of both networks", apart=apart, largest=largest)


# --- the loop --------------------------------------------------------------------------------------------------------


def read_loop(bench: Bench) -> None:
    """Wall time of the labelling loop, as its record has it."""
    record = json.loads(RECORD.read_text(encoding="utf-8"))
    seconds = [part["seconds"] for part in record["parts"] or [record]]
    cores = {part["hardware"]["cores"] for part in record["parts"] or [record]}
    free = [0.0, 0.0]
    for each in sorted(seconds, reverse=True):
        heapq.heapreplace(free, free[0] + each)
    bench.part("The labelling loop, from its committed record (not timed here)")
    say(f"  {len(seconds)} runs, {len(record['seeds'])} seeds, {record['threads']} thread(s), {sorted(cores)} core(s)")
    say(f"  one after the other{duration(sum(seconds)):>27}; two at a time, counted from these: {duration(max(free))}")
    bench.record(name="labelling loop", seconds=seconds, two_at_a_time=max(free))


def main() -> None:
    parser = options(__doc__, repeat=5)
    parser.add_argument("--parts", default="features,epoch,loop", help="some of the three, with commas between")
    arguments = parser.parse_args()
    bench = start("Characterising errors", arguments, "spacy", "torch")
    if "features" in arguments.parts:
        if installed("spacy"):
            time_features(bench, *((1_100, 2) if arguments.quick else (TWEETS, None)))
        else:
            bench.missing("features", "pip install 'trustnlp[text]'")
    if "epoch" in arguments.parts:
        time_epoch(bench, 500 if arguments.quick else REVIEWS)
    if "loop" in arguments.parts:
        read_loop(bench)
    bench.finish()


if __name__ == "__main__":
    main()
