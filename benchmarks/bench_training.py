"""The plain training loop beside Hugging Face's Trainer with dynamic padding, on sentences as short as SST-2's.

    OMP_NUM_THREADS=1 _build/peers/bin/python benchmarks/bench_training.py
    OMP_NUM_THREADS=1 _build/peers/bin/python benchmarks/bench_training.py --quick
    OMP_NUM_THREADS=1 _build/peers/bin/python benchmarks/bench_training.py --sst2 FOLDER   # GLUE's files

MiniLM with all layers and a linear layer trained, AdamW of one rate without weight decay, gradients clipped to 1,
batches of 32, from the same weights; tokenising and the loss of 64 texts of dev are within the clock. Trainer computes
in float32, ours in float32 and, where the processor has it, in bfloat16. Afterwards all trained models label dev: a
faster training counts if it is as good. Trainer needs accelerate, which this project does not.

Without --sst2 the sentences are made up: common words with the lengths of SST-2's phrases, of which some carry the
label. --quick trains on fewer, so that the accuracies say less.
"""

from __future__ import annotations

import copy
import csv
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from _timing import installed, options, say, start
from torch import Tensor, nn

from trustnlp.encoders.pretrained import MINILM, Encoder, load_encoder
from trustnlp.encoders.split_bert import SplitBert
from trustnlp.training.batches import tokenise
from trustnlp.training.classification import Labelled, scores_of, train_classifier
from trustnlp.training.loop import Precision, Schedule
from trustnlp.training.text_classifiers import EncoderClassifier

BATCH, LENGTH, SEEN, SEED = 32, 128, 64, 0
CPU = torch.device("cpu")
Part = tuple[Sequence[str], Tensor]


def read_sst2(path: Path) -> Part:
    """Sentences and labels of one of GLUE's files."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    return [row["sentence"] for row in rows], torch.tensor([int(row["label"]) for row in rows])


def made_up(encoder: Encoder, n: int, seed: int) -> Part:
    """Lengths as of SST-2's phrases: nine words, a tail to fifty. In nine texts of ten one word in three tells."""
    rng = np.random.default_rng(seed)
    words = sorted(word for word in encoder.tokenizer.get_vocab() if word.isascii() and word.isalpha())[:6000:3]
    labels = rng.integers(0, 2, n)
    texts = []
    for label, length in zip(labels, np.clip(rng.gamma(1.3, 9.4 / 1.3, n).round().astype(int), 1, 50), strict=True):
        telling = 2 * rng.integers(0, 100, length) + (label if rng.random() < 0.9 else 1 - label)
        chosen = np.where(rng.random(length) < 1 / 3, telling, rng.integers(200, len(words), length))
        texts.append(" ".join(words[at] for at in chosen))
    return texts, torch.from_numpy(labels)


class Ours:
    """The loop on the model's copy; `model` is what was trained last."""

    def __init__(self, first: nn.Module, encoder: Encoder, train: Part, dev: Part, rate: float, precision: Precision):
        self.first, self.encoder, self.train, self.dev, self.rate = first, encoder, train, dev, rate
        self.schedule = Schedule(1, BATCH, precision=precision)
        self.model = first

    def labelled(self, part: Part) -> Labelled:
        return Labelled.of(tokenise(self.encoder.tokenizer, part[0], LENGTH), part[1])

    def __call__(self) -> None:
        self.model = copy.deepcopy(self.first)
        optimiser = torch.optim.AdamW(self.model.parameters(), self.rate, weight_decay=0.0, fused=True)
        seen = (self.dev[0][:SEEN], self.dev[1][:SEEN])
        parts = self.labelled(self.train), self.labelled(seen)
        train_classifier(self.model, optimiser, *parts, self.schedule, device=CPU, seed=SEED, name="MiniLM")


class _Output(dict[str, Any]):
    """What Trainer reads of a model's answer."""


class ForTrainer(nn.Module):
    """The whole BERT, as a user of Trainer has it, with our linear layer."""

    def __init__(self, bert: Any, head: nn.Module) -> None:
        super().__init__()
        self.bert, self.head = bert, head

    def forward(self, input_ids: Tensor, attention_mask: Tensor, labels: Tensor, **more: Any) -> _Output:
        pooled = self.bert(input_ids=input_ids, attention_mask=attention_mask, **more).pooler_output
        scores = self.head(nn.functional.dropout(pooled, 0.1, self.training))
        return _Output(loss=nn.functional.cross_entropy(scores, labels), logits=scores)


class Theirs:
    """Trainer with dynamic padding."""

    def __init__(self, bert: Any, head: nn.Module, encoder: Encoder, train: Part, dev: Part, rate: float) -> None:
        self.bert, self.head, self.tokenizer = bert, head, encoder.tokenizer
        self.train, self.dev, self.rate = train, dev, rate
        self.model = ForTrainer(bert, head)

    def rows(self, texts: Sequence[str], labels: Tensor) -> list[dict[str, Any]]:
        found = self.tokenizer(list(texts), truncation=True, max_length=LENGTH)
        keys = ("input_ids", "attention_mask")
        return [{**{key: found[key][at] for key in keys}, "labels": int(label)} for at, label in enumerate(labels)]

    def __call__(self) -> None:
        from transformers import DataCollatorWithPadding, PrinterCallback, Trainer, TrainingArguments
        from transformers.utils import logging

        logging.set_verbosity_error()
        self.model = ForTrainer(copy.deepcopy(self.bert), copy.deepcopy(self.head))
        with tempfile.TemporaryDirectory() as folder:
            asked = TrainingArguments(
                folder,
                per_device_train_batch_size=BATCH,
                per_device_eval_batch_size=BATCH,
                num_train_epochs=1,
                learning_rate=self.rate,
                lr_scheduler_type="constant",
                weight_decay=0.0,
                max_grad_norm=1.0,
                seed=SEED,
                use_cpu=True,
                report_to=[],
                save_strategy="no",
                logging_strategy="no",
                disable_tqdm=True,
                dataloader_pin_memory=False,
            )
            trainer = Trainer(
                model=self.model,
                args=asked,
                train_dataset=self.rows(*self.train),
                eval_dataset=self.rows(self.dev[0][:SEEN], self.dev[1][:SEEN]),
                data_collator=DataCollatorWithPadding(self.tokenizer),
            )
            trainer.remove_callback(PrinterCallback)
            trainer.train()
            trainer.evaluate()


def main() -> None:
    parser = options(__doc__, repeat=5)
    parser.add_argument("--texts", type=int, help="sentences trained on (1024; 192 with --quick)")
    parser.add_argument("--rate", type=float, default=1e-4, help="learning rate")
    parser.add_argument("--sst2", type=Path, help="folder with train.tsv and dev.tsv of GLUE's SST-2")
    arguments = parser.parse_args()
    bench = start("Training a classifier of sentences", arguments, "torch", "transformers", "accelerate")
    encoder = load_encoder(MINILM, "cpu")
    count = arguments.texts or (192 if arguments.quick else 1024)
    if arguments.sst2:
        train, dev = (read_sst2(arguments.sst2 / f"{name}.tsv") for name in ("train", "dev"))
        chosen = np.random.default_rng(SEED).permutation(len(train[0]))[:count]
        train = ([train[0][at] for at in chosen], train[1][chosen])
    else:
        train, dev = made_up(encoder, count, 0), made_up(encoder, 800, 1)
    mean = tokenise(encoder.tokenizer, train[0], LENGTH).lengths.mean()
    say(f"{count} sentences, {mean:.1f} tokens each, {torch.get_num_threads()} thread(s) of torch")

    bert = encoder.model
    torch.manual_seed(SEED)
    first = EncoderClassifier(SplitBert(copy.deepcopy(bert), len(bert.encoder.layer)), 2)
    exact, rough = (Ours(first, encoder, train, dev, arguments.rate, p) for p in ("float32", "bfloat16"))
    native = torch.ops.mkldnn._is_mkldnn_bf16_supported()
    trained: dict[str, Ours] = {"ours, float32": exact}
    bench.part("One epoch")
    if not native:
        say("  ours in bfloat16                       left out: this processor has no bfloat16")
    if installed("accelerate"):
        theirs = Theirs(bert, first.classifier, encoder, train, dev, arguments.rate)
        bench.pair("Trainer beside ours in float32", theirs, exact)
        if native:
            bench.pair("Trainer beside ours in bfloat16", theirs, rough)
        # Its weights in our module, so that one function labels dev for all.
        again = Ours(copy.deepcopy(first), encoder, train, dev, arguments.rate, "float32")
        again.model.body.load_state_dict(SplitBert(theirs.model.bert, len(bert.encoder.layer)).state_dict())
        again.model.classifier.load_state_dict(theirs.model.head.state_dict())
        trained["Trainer"] = again
    else:
        bench.missing("Hugging Face Trainer")
        if native:
            bench.pair("ours in float32 beside bfloat16", exact, rough)
    if native:
        trained["ours, bfloat16"] = rough

    bench.part(f"Accuracy on {len(dev[0])} sentences of dev; always the more frequent label: {_majority(dev[1]):.1%}")
    right = {name: _right(run) for name, run in trained.items()}
    for name, found in right.items():
        # The same texts for all: what counts is by how much a model differs from Trainer's, or else from our own.
        apart = (found - right.get("Trainer", right["ours, float32"])).double()
        error = float(apart.std()) / len(apart) ** 0.5
        say(f"  {name:<38} {found.double().mean():>12.1%}   {apart.mean():+.1%} (standard error {error:.1%})")
        bench.record(name=name, accuracy=float(found.double().mean()), apart=float(apart.mean()), error=error)
    bench.finish()


def _majority(labels: Tensor) -> float:
    return float(labels.bincount().max()) / len(labels)


def _right(run: Ours) -> Tensor:
    """Which texts of dev the trained model labels rightly."""
    dev = run.labelled(run.dev)
    return (scores_of(run.model, dev.inputs, run.schedule, CPU).argmax(1) == dev.labels).long()


if __name__ == "__main__":
    main()
