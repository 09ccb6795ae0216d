"""Asking all stored contexts of MOXIE for one word: folded, beside the combine module as the paper writes it.

    python benchmarks/bench_moxie.py
    python benchmarks/bench_moxie.py --quick                       # a tenth of the contexts
    python benchmarks/bench_moxie.py --threads 2 --widths 768

81,435 contexts (appendix F), one word, vectors of 384 (MiniLM) and 768 numbers (roberta-base), random weights: labels
of C(z' + A_M(c, t)). As written, a pair costs 9d² multiplications in W1 and 3d² in W2; folded, 3d² in all. Both are
timed in float32 and in bfloat16, and beside the folded form the matrix product that it cannot do without. Before the
figures stands how many labels are those of float32 as written; folded in float32 all have to be, but where two scores
are equal up to rounding, or the script ends with an error.

Then one context with a vocabulary of 3,394 words (the paper's adjectives), as unlike ratios and counterfactuals ask it.

--quick takes a tenth of the contexts; its ratios are the same, its seconds a tenth.
"""

from __future__ import annotations

from functools import partial

import torch
from _timing import Bench, options, say, start
from torch import Tensor

from trustnlp.attribution.students.combination import Combine, FoldedContexts, FoldedTokens
from trustnlp.attribution.students.text_teacher import Teacher
from trustnlp.training.loop import Precision, seeded

CONTEXTS, ADJECTIVES, BLOCK = 81_435, 3_394, 8192
# Scores of the two labels that lie nearer together than this may change places by rounding.
EVEN = 1e-4
DTYPES: dict[Precision, torch.dtype] = {"float32": torch.float32, "bfloat16": torch.bfloat16}


class LinearLayer(Teacher):
    """C of a teacher of whom nothing else is asked."""

    mask, fingerprint = "[MASK]", "C alone"

    def __init__(self, width: int, generator: torch.Generator) -> None:
        self.weight, self.bias = torch.randn(2, width, generator=generator), torch.randn(2, generator=generator)

    def representations(self, texts: object) -> Tensor:
        raise NotImplementedError


class AsWritten:
    """Equation (3) block by block, then C of the sum, all in one precision."""

    def __init__(
        self, combine: Combine, teacher: Teacher, contexts: Tensor, masked: Tensor, dtype: torch.dtype
    ) -> None:
        hidden, output = combine.hidden, combine.output
        weights = (hidden.weight, hidden.bias, output.weight, output.bias, teacher.weight, teacher.bias)
        self.contexts, self.masked = contexts.to(dtype), masked.to(dtype)
        self._weights = [weight.detach().to(dtype) for weight in weights]
        self._dtype = dtype

    @torch.inference_mode()
    def logits(self, token: Tensor) -> Tensor:
        w1, b1, w2, b2, weight, bias = self._weights
        token = token.to(self._dtype)
        found = []
        for c, z in zip(self.contexts.split(BLOCK), self.masked.split(BLOCK), strict=True):
            joined = torch.cat([c + token, c - token, c * token], 1)
            r = torch.addmm(b2, torch.tanh(torch.addmm(b1, joined, w1.T)), w2.T)
            found.append(torch.addmm(bias, z + r, weight.T))
        return torch.cat(found).float()


def probe(bench: Bench, width: int, count: int) -> None:
    """All figures for vectors of one width."""
    generator = torch.Generator().manual_seed(0)
    with seeded(0, torch.device("cpu")):
        combine = Combine(width, width)
        torch.nn.init.normal_(combine.output.weight, std=(3 * width) ** -0.5)
    teacher = LinearLayer(width, generator)
    contexts, masked = (torch.randn(count, width, generator=generator) for _ in range(2))
    token, factors = torch.randn(width, generator=generator), torch.randn(width, 3 * width, generator=generator)
    vocabulary = torch.randn(ADJECTIVES, width, generator=generator)
    bench.part(f"{count:,} contexts of width {width}, one word; beside folded (ours)")
    exact = AsWritten(combine, teacher, contexts, masked, torch.float32).logits(token)
    decided = (exact[:, 0] - exact[:, 1]).abs() > EVEN

    def compare(name: str, found: Tensor) -> Tensor:
        same = found.argmax(1) == exact.argmax(1)
        say(f"  labels {name}: {float(same.double().mean()):.5f} are those of float32 as written")
        return same

    for precision, dtype in DTYPES.items():
        written = AsWritten(combine, teacher, contexts, masked, dtype)
        folded = FoldedContexts(combine, teacher, contexts, masked, precision)
        low, factor = contexts.to(dtype), factors.to(dtype)
        compare(f"as written, {precision}", written.logits(token))
        same = compare(f"folded, {precision}", folded.logits(token))
        if precision == "float32" and not bool(same[decided].all()):
            raise SystemExit("folding changed labels that rounding does not explain: it is wrong")

        def as_written(written: AsWritten = written) -> Tensor:
            return written.logits(token).argmax(1)

        def product(low: Tensor = low, factor: Tensor = factor) -> list[Tensor]:
            return [rows @ factor for rows in low.split(BLOCK)]

        def ours(folded: FoldedContexts = folded) -> Tensor:
            return folded.labels(token)

        bench.pair(f"as written, {precision}", as_written, ours)
        bench.pair(f"the product alone, {precision}", product, ours)
        tokens = FoldedTokens(combine, teacher, vocabulary, precision)
        bench.alone(f"a context, {ADJECTIVES:,} words, {precision}", partial(tokens.logits, contexts[0], masked[0]))


def main() -> None:
    parser = options(__doc__, repeat=5)
    parser.add_argument("--threads", type=int, help="of torch")
    parser.add_argument("--widths", type=int, nargs="+", default=[384, 768])
    arguments = parser.parse_args()
    if arguments.threads:
        torch.set_num_threads(arguments.threads)
    bench = start("MOXIE's stored contexts", arguments, "torch")
    native = torch.ops.mkldnn._is_mkldnn_bf16_supported()
    say(f"{torch.get_num_threads()} thread(s) of torch; bfloat16 {'in hardware' if native else 'imitated'}")
    for width in arguments.widths:
        probe(bench, width, CONTEXTS // 10 if arguments.quick else CONTEXTS)
    bench.finish()


if __name__ == "__main__":
    main()
