"""What length bucketing saves in fine-tuning, and what the privacy layer costs in a forward pass.

    OMP_NUM_THREADS=1 python benchmarks/bench_fine_tuning.py
    TRUSTNLP_MIRROR=... OMP_NUM_THREADS=1 python benchmarks/bench_fine_tuning.py --ag    # on the news of DPNR itself

MiniLM with all layers trained, AdamW, gradients clipped, batches of 64, `--texts` texts: padded to 128 as in the
released code, padded to the longest of a random batch, and batches of like length (ours). Without --ag the texts are
made up, with the lengths of AG's. Every figure is the fastest of `--repeat` runs, interleaved.
"""

from __future__ import annotations

import argparse
import copy
import os
from collections.abc import Callable, Sequence

import numpy as np
import torch
from bench_weat import fastest, report

from trustnlp.data.private_attributes import read_ag_entities
from trustnlp.encoders.pretrained import MINILM, load_encoder
from trustnlp.encoders.split_bert import SplitBert
from trustnlp.models.private_classifier import Defence, PrivateClassifier
from trustnlp.training.batches import Rows, Tokens, by_length, padded, padding_mask, tokenise

BATCH, LENGTH = 64, 128


def epoch(model: PrivateClassifier, tokens: Tokens, batches: Sequence[Rows], width: int | None) -> float:
    """One pass of training; `width` pads every batch to so many tokens."""
    model = copy.deepcopy(model).train()
    optimiser = torch.optim.AdamW(model.parameters(), 5e-5, fused=True)
    generator = torch.Generator().manual_seed(0)
    for rows in batches:
        ids, mask = padded(tokens.ids, tokens.starts, rows), padding_mask(tokens.starts, rows)
        if width is not None:
            more = (0, width - ids.shape[1])
            ids, mask = torch.nn.functional.pad(ids, more), torch.nn.functional.pad(mask, more)
        scores, _ = model(ids, mask, generator=generator)
        loss = torch.nn.functional.cross_entropy(scores, torch.zeros(len(rows), dtype=torch.long))
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
    return float(loss.detach())


def made_up(count: int, rng: np.random.Generator) -> list[str]:
    """Texts of common words; the lengths are spread like AG's, about forty words with a short tail."""
    words = [
        "the",
        "president",
        "said",
        "on",
        "monday",
        "that",
        "his",
        "party",
        "would",
        "talk",
        "to",
        "other",
        "states",
        "about",
        "peace",
        "and",
        "trade",
    ]
    lengths = np.clip(rng.gamma(10, 4, count).round().astype(int), 5, 110)
    return [" ".join(rng.choice(words, length)) for length in lengths]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--texts", type=int, default=512)
    parser.add_argument("--ag", action="store_true")
    arguments = parser.parse_args()
    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", torch.get_num_threads())))
    rng = np.random.default_rng(0)
    chosen = read_ag_entities().train.texts[: arguments.texts] if arguments.ag else made_up(arguments.texts, rng)
    encoder = load_encoder(MINILM, "cpu")
    tokens = tokenise(encoder.tokenizer, chosen, LENGTH)
    print(f"torch {torch.__version__}, {torch.get_num_threads()} thread(s), load {os.getloadavg()[0]:.2f}")
    print(f"{len(tokens)} texts, {tokens.lengths.mean():.1f} tokens each")
    order = rng.permutation(len(tokens))
    random = [order[start : start + BATCH] for start in range(0, len(order), BATCH)]
    alike = list(by_length(tokens.lengths, BATCH, rng))
    body = SplitBert(encoder.model, encoder.model.config.num_hidden_layers)
    model = PrivateClassifier(body, 4, 5, Defence("as_written", 1.0))
    jobs: dict[str, Callable[[], object]] = {
        "batches of like length (ours)": lambda: epoch(model, tokens, alike, None),
        "random batches, padded to the longest": lambda: epoch(model, tokens, random, None),
        "random batches, padded to 128": lambda: epoch(model, tokens, random, LENGTH),
    }
    report(f"One epoch of {len(tokens)} texts", fastest(jobs, arguments.repeat), "batches of like length (ours)")

    ids, mask = padded(tokens.ids, tokens.starts, alike[0]), padding_mask(tokens.starts, alike[0])
    generator = torch.Generator().manual_seed(0)
    model.eval()

    @torch.inference_mode()
    def plain() -> torch.Tensor:
        return model.body(ids, mask)

    @torch.inference_mode()
    def private() -> torch.Tensor:
        return model.noise(model.represent(ids, mask), generator=generator)

    passes = {"encoder alone": plain, "encoder and privacy layer": private}
    report(f"Forward pass of {len(ids)} texts", fastest(passes, 5 * arguments.repeat), "encoder alone")


if __name__ == "__main__":
    main()
