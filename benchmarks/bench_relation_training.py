"""An epoch of the relation extractor, and what its parts would cost if they were written in the usual way.

    OMP_NUM_THREADS=1 python benchmarks/bench_relation_training.py
    OMP_NUM_THREADS=1 python benchmarks/bench_relation_training.py --quick
    OMP_NUM_THREADS=1 python benchmarks/bench_relation_training.py --width 200 --layers 2

Made-up sentences with the lengths of KBP37's, mean 32; a fifth has a rule of 20 tokens. Times are of 20 training steps
of 50 sentences.

- The step as it is, with the classifier alone and with the decoder in both forms.
- The LSTM: two directions that read padding last, beside packed sequences, which torch's users take for that.
- Words: Adagrad on the rows of a batch, beside Adagrad on the whole table.
- Dropout: 16 bits for each number, beside torch's.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import torch
from _timing import options, say, start
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from trustnlp.data.relations.relation_examples import RelationExample, Span
from trustnlp.relations.relation_dropout import CheapDropout
from trustnlp.relations.relation_encoder import SentenceLstm
from trustnlp.relations.relation_inputs import RelationInputs
from trustnlp.relations.relation_network import RelationNetwork
from trustnlp.relations.relation_sizes import RelationSizes
from trustnlp.relations.relation_vocabulary import RelationVocabulary, Rule
from trustnlp.relations.word_rows import WordRows
from trustnlp.training.batches import by_length

CPU = torch.device("cpu")
BATCH, STEPS, EPOCH = 50, 20, 15_800
WORDS, DIM = 40_000, 50


def made_up(count: int, rng: np.random.Generator) -> tuple[list[RelationExample], list[Rule | None]]:
    """Random words, tags and trees; lengths from 9 to 80."""
    examples = []
    rules: list[Rule | None] = []
    for number in range(count):
        length = int(np.clip(rng.lognormal(3.37, 0.45), 9, 80))
        entities = sorted(rng.choice(length - 1, 2, replace=False).tolist())
        heads = (-1, *(int(rng.integers(max(0, token - 6), token)) for token in range(1, length)))
        examples.append(
            RelationExample(
                id=str(number),
                tokens=tuple(f"w{word}" for word in (rng.zipf(1.3, length) % WORDS).tolist()),
                subject=Span(entities[0], entities[0] + 1),
                object=Span(entities[1] + (entities[1] == entities[0]), entities[1] + 1),
                relation=f"r{rng.integers(37)}",
                tags=("NN",) * length,
                ner=("O",) * length,
                heads=heads,
            )
        )
        rules.append(tuple(f"t{token}" for token in rng.integers(0, 1000, 20)) if number % 5 == 0 else None)
    return examples, rules


def training(inputs: RelationInputs, vocabulary: RelationVocabulary, sizes: RelationSizes) -> Callable[[], None]:
    """Twenty steps as the training loop takes them."""
    table = torch.rand(len(vocabulary.words), DIM)
    table[0] = 0
    network = RelationNetwork(vocabulary, table, inputs.distinct_words(BATCH), sizes)
    optimiser = torch.optim.Adagrad(network.parameters(), 0.02)
    network.encoder.words.train_with(optimiser)
    batches = list(by_length(inputs.lengths, BATCH, np.random.default_rng(0)))[:STEPS]
    draws = torch.Generator()

    def run() -> None:
        for rows in batches:
            batch = inputs.batch(rows, CPU, draws, 0.04)
            loss = network.loss(batch, torch.from_numpy(inputs.relations[rows]), inputs.rules_of(rows, CPU), 0.003)
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 5.0)
            optimiser.step()

    return run


def both_ways(lstm: nn.Module, vectors: Tensor, lengths: Tensor) -> None:
    for _ in range(STEPS):
        lstm(vectors, lengths).sum().backward()


class Packed(nn.Module):
    """The same LSTM as its users write it."""

    def __init__(self, inputs: int, width: int, layers: int) -> None:
        super().__init__()
        self.lstm = nn.LSTM(inputs, width, layers, bidirectional=True)

    def forward(self, vectors: Tensor, lengths: Tensor) -> Tensor:
        packed = pack_padded_sequence(vectors, lengths, enforce_sorted=False)
        found: Tensor = pad_packed_sequence(self.lstm(packed)[0])[0]
        return found


def word_steps(words: nn.Module, batches: list[Tensor]) -> Callable[[], None]:
    values = list(words.parameters())
    optimiser = torch.optim.Adagrad(values, 0.02)
    if isinstance(words, WordRows):
        words.train_with(optimiser)

    def run() -> None:
        for ids in batches:
            optimiser.zero_grad(set_to_none=True)
            words(ids).square().sum().backward()
            nn.utils.clip_grad_norm_(values, 5.0)
            optimiser.step()

    return run


def main() -> None:
    parser = options(__doc__, repeat=9)
    parser.add_argument("--width", type=int, default=100, help="of all layers (100; the paper has 200)")
    parser.add_argument("--layers", type=int, default=2, help="of the encoder's LSTM (2, as the paper has)")
    arguments = parser.parse_args()
    width, layers = arguments.width, arguments.layers
    bench = start("relation extractor", arguments, "torch")
    examples, rules = made_up(BATCH * (40 if arguments.quick else 120), np.random.default_rng(0))
    vocabulary = RelationVocabulary.of(examples, rules)
    inputs = RelationInputs.of(examples, vocabulary, rules)
    torch.manual_seed(0)
    for name, given in (
        ("classifier", {"decoder": False}),
        ("classifier and decoder", {}),
        ("the same, released form", {"form": "released"}),
    ):
        sizes = RelationSizes(width=width, lstm_layers=layers, **given)  # type: ignore[arg-type]
        seconds = bench.alone(f"{STEPS} steps: {name}", training(inputs, vocabulary, sizes))
        say(f"    an epoch of {EPOCH:,} sentences: {seconds * EPOCH / BATCH / STEPS:.0f} s")
    lengths = torch.from_numpy(np.sort(inputs.lengths)[-len(inputs) // 2 :][:BATCH])
    vectors = torch.randn(int(lengths.max()), BATCH, DIM + 60)
    ours = SentenceLstm(DIM + 60, width, layers, 0.0)
    packed = Packed(DIM + 60, width, layers)
    bench.pair("LSTM, packed", partial(both_ways, packed, vectors, lengths), partial(both_ways, ours, vectors, lengths))
    table = torch.rand(WORDS, DIM)
    table[0] = 0
    ids = [torch.randint(0, WORDS, (BATCH, 32)) for _ in range(STEPS)]
    whole = nn.Embedding.from_pretrained(table.clone(), freeze=False, padding_idx=0)
    bench.pair("words, the whole table", word_steps(whole, ids), word_steps(WordRows(table, BATCH * 32), ids))
    values = torch.randn(32, BATCH, 2 * width)
    bench.pair("dropout, torch's", partial(nn.Dropout(0.5), values), partial(CheapDropout(0.5), values))
    bench.finish()


if __name__ == "__main__":
    main()
