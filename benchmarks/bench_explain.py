"""Scores of words beside the packages lime and captum: the same model, the same samples and steps.

    OMP_NUM_THREADS=1 _build/peers/bin/python benchmarks/bench_explain.py
    OMP_NUM_THREADS=1 _build/peers/bin/python benchmarks/bench_explain.py --quick
    _build/peers/bin/python benchmarks/bench_explain.py --device cuda --batch 1024

MiniLM with a linear layer of random weights, large enough for answers that differ. Sentences are of common words.

- LIME with 5,000 samples of a sentence of 9 and of 20 words. The peer calls the model as its users do, in batches of 64
  texts as they come; ours evaluates each distinct text once, in batches of like length, in float32 and, where the
  processor has it, in bfloat16. Of 9 words all 512 subsets are fewer than the samples: exact LIME, which has no noise.
- Integrated gradients with 50 steps of sentences with the lengths of SST-2's phrases, 1 to 50 words. The peer takes one
  sentence at a time, all its steps in one batch; ours takes all sentences together.

After the times stands what was computed: how far sampled scores, ours and lime's, lie from exact LIME, and the largest
difference of integrated gradients to captum's.

--quick keeps the highest layer of the model, a quarter of the sentences, and leaves exact LIME out. What is no layer's
work, such as tokenising, then counts for more: its ratios are lower.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import torch
from _timing import Bench, installed, options, say, start

from trustnlp.attribution.attribution import attribute
from trustnlp.attribution.perturbed_words import MOST_ENUMERATED
from trustnlp.attribution.text_models import TransformerModel
from trustnlp.data.store import fetch
from trustnlp.encoders.devices import find_device
from trustnlp.training.loop import Precision, seeded

SAMPLES, STEPS, BATCH, SENTENCES, SEED = 5000, 50, 64, 48, 0


def classifier(device: torch.device, *, layers: int | None) -> tuple[Any, Any]:
    """MiniLM with two classes, all its layers or the highest few, and its tokenizer."""
    from transformers import AutoModelForSequenceClassification, AutoTokenizer
    from transformers.utils import logging

    logging.set_verbosity_error()
    logging.disable_progress_bar()
    source = fetch("minilm")["weights"].parent
    with seeded(SEED, torch.device("cpu")):
        model = AutoModelForSequenceClassification.from_pretrained(source, num_labels=2)
        torch.nn.init.normal_(model.classifier.weight, std=2.5)  # pooled vectors differ little between sentences
    if layers:
        model.bert.encoder.layer = model.bert.encoder.layer[-layers:]
    return model.to(device).eval(), AutoTokenizer.from_pretrained(source)


def sentences(tokenizer: Any, lengths: Sequence[int]) -> list[str]:
    """Different common words, so many in each."""
    rng = np.random.default_rng(SEED)
    words = sorted(word for word in tokenizer.get_vocab() if word.isascii() and word.isalpha())[:6000:3]
    return [" ".join(rng.choice(words, length, replace=False)) for length in lengths]


def as_they_come(model: Any, tokenizer: Any) -> Callable[[list[str]], np.ndarray]:
    """What a user of lime passes: probabilities of texts, in batches in the order of the texts."""

    @torch.inference_mode()
    def probabilities(texts: list[str]) -> np.ndarray:
        found = []
        for first in range(0, len(texts), BATCH):
            batch = tokenizer(texts[first : first + BATCH], padding=True, return_tensors="pt").to(model.device)
            found.append(model(**batch).logits.softmax(1).cpu().numpy())
        return np.concatenate(found)

    return probabilities


def lime_scores(text: str, probabilities: Callable[[list[str]], np.ndarray], seed: int) -> np.ndarray:
    """Of the words in their order, for label 1, by the package lime without selection of words."""
    from lime.lime_text import LimeTextExplainer

    explainer = LimeTextExplainer(class_names=["0", "1"], feature_selection="none", random_state=seed)
    found = explainer.explain_instance(text, probabilities, num_features=len(text.split()), num_samples=SAMPLES)
    by_word = dict(found.as_list(label=1))
    return np.array([by_word[word] for word in text.split()])


def time_lime(
    bench: Bench, pair: tuple[Any, Any], models: dict[str, TransformerModel], words: int, *, exact_too: bool
) -> None:
    """LIME on one sentence; exact LIME too where that can be."""
    [text] = sentences(pair[1], [words])
    probabilities, exact_model = as_they_come(*pair), models["float32"]
    bench.part(f"LIME, {SAMPLES:,} samples, {words} words, beside lime")

    def ours(model: TransformerModel, method: str = "lime", seed: int = 0) -> np.ndarray:
        return attribute(model, text, method, label=1, samples=SAMPLES, generator=seed).scores

    def peer(seed: int = 0) -> np.ndarray:
        return lime_scores(text, probabilities, seed)

    if not installed("lime"):
        bench.missing("lime")
        for name, model in models.items():
            bench.alone(f"ours, {name}", partial(ours, model))
        return
    for name, model in models.items():
        bench.pair(f"lime beside ours in {name}", peer, partial(ours, model))
    if words > MOST_ENUMERATED or not exact_too:
        return
    bench.pair("lime beside exact LIME in float32", peer, partial(ours, exact_model, "lime_exact"))
    exact = ours(exact_model, "lime_exact")
    largest = float(np.abs(exact).max())
    sampled = {"lime": [peer(seed) for seed in (1, 2)], "ours": [ours(exact_model, seed=seed) for seed in (1, 2)]}
    for name, found in sampled.items():
        apart = float(np.abs(np.array(found) - exact).max())
        say(f"  {name}: two samplings are up to {apart:.1e} from exact LIME, whose largest score is {largest:.1e}")
        bench.record(name=f"{name}, from exact LIME", apart=apart, largest=largest)


class Captum:
    """Integrated gradients sentence by sentence, as in captum's tutorial on BERT."""

    def __init__(self, model: Any, tokenizer: Any) -> None:
        from captum.attr import LayerIntegratedGradients

        def logits(ids: torch.Tensor, attended: torch.Tensor) -> torch.Tensor:
            scores: torch.Tensor = model(input_ids=ids, attention_mask=attended).logits
            return scores

        self.tokenizer, self.logits = tokenizer, logits
        self.device = model.device
        self.explainer = LayerIntegratedGradients(logits, model.base_model.embeddings.word_embeddings)

    def __call__(self, texts: Sequence[str]) -> list[np.ndarray]:
        """Scores of word pieces, without [CLS] and [SEP], for the most likely label."""
        found = []
        for text in texts:
            batch = self.tokenizer(text, return_tensors="pt").to(self.device)
            ids, attended = batch["input_ids"], batch["attention_mask"]
            blank = torch.full_like(ids, self.tokenizer.pad_token_id)
            blank[:, [0, -1]] = ids[:, [0, -1]]
            with torch.inference_mode():
                label = int(self.logits(ids, attended).argmax())
            scores = self.explainer.attribute(
                ids, blank, additional_forward_args=(attended,), target=label, n_steps=STEPS
            )
            found.append(scores.sum(-1)[0, 1:-1].cpu().numpy())
        return found


def time_integrals(bench: Bench, pair: tuple[Any, Any], models: dict[str, TransformerModel], count: int) -> None:
    """Integrated gradients of many sentences."""
    rng = np.random.default_rng(SEED)
    lengths = np.clip(rng.gamma(1.3, 9.4 / 1.3, count).round().astype(int), 1, 50)
    texts = sentences(pair[1], lengths.tolist())
    bench.part(f"Integrated gradients, {STEPS} steps, {count} sentences of {lengths.mean():.1f} words, beside captum")

    def ours(model: TransformerModel) -> list[np.ndarray]:
        return [found.scores for found in attribute(model, texts, "integrated_gradients", steps=STEPS)]

    if not installed("captum"):
        bench.missing("captum")
        for name, model in models.items():
            bench.alone(f"ours, {name}", partial(ours, model))
        return
    captum = Captum(*pair)
    for name, model in models.items():
        bench.pair(f"captum beside ours in {name}", partial(captum, texts), partial(ours, model))
    # Every word is one piece, so pieces and words have the same scores.
    theirs = captum(texts)
    for name, model in models.items():
        mine = ours(model)
        apart = max(float(np.abs(one - other).max()) for one, other in zip(mine, theirs, strict=True))
        largest = max(float(np.abs(scores).max()) for scores in theirs)
        say(f"  ours in {name}: up to {apart:.1e} from captum, whose largest score is {largest:.1e}")
        bench.record(name=f"{name}, from captum", apart=apart, largest=largest)


def main() -> None:
    parser = options(__doc__, repeat=3)
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    parser.add_argument("--batch", type=int, default=BATCH, help="texts, or points of texts, in a batch of ours")
    parser.add_argument("--parts", default="lime,integrals", help="one of the two or both, with a comma between")
    arguments = parser.parse_args()
    bench = start("Scores of words", arguments, "torch", "transformers", "lime", "captum")
    device = find_device(arguments.device)
    pair = classifier(device, layers=1 if arguments.quick else None)
    native = device.type == "cuda" or torch.ops.mkldnn._is_mkldnn_bf16_supported()
    precisions: list[Precision] = ["float32", "bfloat16"] if native else ["float32"]
    models = {name: TransformerModel(*pair, batch_size=arguments.batch, precision=name) for name in precisions}
    say(f"{torch.get_num_threads()} thread(s) of torch, on {device}" + ("" if native else "; no bfloat16 here"))
    for words in (9, 20) if "lime" in arguments.parts else ():
        time_lime(bench, pair, models, words, exact_too=not arguments.quick)
    if "integrals" in arguments.parts:
        time_integrals(bench, pair, models, SENTENCES // 4 if arguments.quick else SENTENCES)
    bench.finish()


if __name__ == "__main__":
    main()
