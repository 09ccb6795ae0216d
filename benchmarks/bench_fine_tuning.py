"""What length bucketing saves in fine-tuning, and what the privacy layer costs in a forward pass.

    OMP_NUM_THREADS=1 python benchmarks/bench_fine_tuning.py
    OMP_NUM_THREADS=1 python benchmarks/bench_fine_tuning.py --quick
    OMP_NUM_THREADS=1 python benchmarks/bench_fine_tuning.py --precision bfloat16        # beside float32
    TRUSTNLP_MIRROR=... OMP_NUM_THREADS=1 python benchmarks/bench_fine_tuning.py --ag    # on the news of DPNR itself

MiniLM with all layers trained, AdamW, gradients clipped, batches of 64, `--texts` texts: padded to 128 as in the
released code, padded to the longest of a random batch, and batches of like length (ours). Without --ag the texts are
made up, with the lengths of AG's.

--quick trains two layers, with frozen word embeddings, on a quarter of every batch at the width of the whole:
the share of padding stays, and the optimiser's fixed cost falls with the work. Its ratios are up to a tenth lower.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import get_args

import numpy as np
import torch
from _timing import options, say, start

from trustnlp.data.texts.private_attributes import read_ag_entities
from trustnlp.encoders.pretrained import MINILM, load_encoder
from trustnlp.encoders.split_bert import SplitBert
from trustnlp.training.batches import Rows, Tokens, by_length, padded, padding_mask, tokenise
from trustnlp.training.fine_tuning import Precision
from trustnlp.training.private_classifier import Defence, PrivateClassifier

BATCH, LENGTH = 64, 128


def epoch(
    model: PrivateClassifier,
    tokens: Tokens,
    batches: Sequence[Rows],
    widths: Sequence[int],
    precision: Precision = "float32",
) -> float:
    """One pass of training; every batch is padded to its width."""
    model.train()
    trained = [value for value in model.parameters() if value.requires_grad]
    optimiser = torch.optim.AdamW(trained, 5e-5, fused=True)
    generator = torch.Generator().manual_seed(0)
    for rows, width in zip(batches, widths, strict=True):
        ids, mask = padded(tokens.ids, tokens.starts, rows), padding_mask(tokens.starts, rows)
        more = (0, width - ids.shape[1])
        ids, mask = torch.nn.functional.pad(ids, more), torch.nn.functional.pad(mask, more)
        with torch.autocast("cpu", torch.bfloat16, enabled=precision == "bfloat16"):
            scores, _ = model(ids, mask, generator=generator)
        loss = torch.nn.functional.cross_entropy(scores.float(), torch.zeros(len(rows), dtype=torch.long))
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(trained, 1.0)
        optimiser.step()
    return float(loss.detach())


def made_up(count: int, rng: np.random.Generator) -> list[str]:
    """Texts of common words; the lengths are spread like AG's, about forty words with a short tail."""
    words = ["the", "president", "said", "on", "monday", "that", "his", "party", "would", "talk", "about", "peace"]
    lengths = np.clip(rng.gamma(10, 4, count).round().astype(int), 5, 110)
    return [" ".join(rng.choice(words, length)) for length in lengths]


def main() -> None:
    parser = options(__doc__, repeat=5)
    parser.add_argument("--texts", type=int, default=512)
    parser.add_argument("--precision", choices=get_args(Precision), default="float32", help="timed beside float32")
    parser.add_argument("--ag", action="store_true", help="AG's news, from the mirror")
    arguments = parser.parse_args()
    bench = start("Fine-tuning", arguments, "torch")
    rng = np.random.default_rng(0)
    count = arguments.texts
    chosen = read_ag_entities().train.texts[:count] if arguments.ag else made_up(count, rng)
    encoder = load_encoder(MINILM, "cpu")
    tokens = tokenise(encoder.tokenizer, chosen, LENGTH)
    say(f"{len(tokens)} texts, {tokens.lengths.mean():.1f} tokens each, {torch.get_num_threads()} thread(s) of torch")
    order = rng.permutation(len(tokens))
    random = [order[first : first + BATCH] for first in range(0, len(order), BATCH)]
    alike = list(by_length(tokens.lengths, BATCH, rng))
    layers = len(encoder.model.encoder.layer)
    model = PrivateClassifier(SplitBert(encoder.model, layers), 4, 5, Defence("as_written", 1.0))
    trained = model
    if arguments.quick:
        lowest = copy.deepcopy(encoder.model)
        lowest.encoder.layer = lowest.encoder.layer[:2]  # of the last, BERT's pooler needs the first token alone
        trained = PrivateClassifier(SplitBert(lowest, 2), 4, 5, Defence("as_written", 1.0))
        lowest.embeddings.word_embeddings.requires_grad_(False)

    of_alike, of_random = ([int(tokens.lengths[rows].max()) for rows in batches] for batches in (alike, random))
    if arguments.quick:
        alike, random = ([rows[::4] for rows in batches] for batches in (alike, random))

    def ours() -> float:
        return epoch(trained, tokens, alike, of_alike)

    epoch(trained, tokens, [alike[0][:1]], of_alike[:1])  # torch imports its optimisers at their first use
    bench.part(f"One epoch of {len(tokens)} texts, beside batches of like length (ours)")
    bench.pair("random batches, padded to the longest", lambda: epoch(trained, tokens, random, of_random), ours)
    bench.pair("random batches, padded to 128", lambda: epoch(trained, tokens, random, [LENGTH] * len(random)), ours)
    if arguments.precision != "float32":
        native = torch.ops.mkldnn._is_mkldnn_bf16_supported()
        bench.pair(
            f"batches of like length, {arguments.precision}",
            lambda: epoch(trained, tokens, alike, of_alike, arguments.precision),
            ours,
            note="" if native else "imitated: this processor has no bfloat16",
        )

    ids, mask = padded(tokens.ids, tokens.starts, alike[0]), padding_mask(tokens.starts, alike[0])
    generator = torch.Generator().manual_seed(0)
    model.eval()

    @torch.inference_mode()
    def plain() -> torch.Tensor:
        return model.body(ids, mask)

    @torch.inference_mode()
    def private() -> torch.Tensor:
        return model.noise(model.represent(ids, mask), generator=generator)

    bench.part(f"Forward pass of {len(ids)} texts, beside encoder and privacy layer (ours)")
    bench.pair("encoder alone", plain, private, repeat=2 * bench.repeat)
    bench.finish()


if __name__ == "__main__":
    main()
