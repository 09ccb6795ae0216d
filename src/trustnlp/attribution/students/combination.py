"""The combine module A_M of a context and a token, and its fast path over very many of the one or of the other.

Kumar, Dixit and Shah (2021), equation (3): r = W2 tanh(W1 [c + t, c - t, c * t] + b1) + b2, W1 square. Evaluated as it
stands, every pair costs 9d² multiplications in W1. But with W1 = [Wa, Wb, Wp] cut by columns,

    W1 [c + t, c - t, c * t] = (Wa + Wb + Wp diag(t)) c + (Wa - Wb) t,

so one token in many contexts is one product of 3d² each, and so is one context with many tokens. And where only label
scores C(z' + r) are asked for, C W2 is one row for each label. Both are exact: the same numbers with a quarter of the
work.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from trustnlp.attribution.students.text_teacher import Teacher
from trustnlp.training.loop import Precision

# Rows at a time: their hidden layer stays in a processor's cache until it is used.
_BLOCK = 2048


class Combine(nn.Module):
    """r = A_M(c, t). A student begins as the context alone: W2 and b2 are 0 at first, and so is r.

    Deviation: the paper does not say how W2 begins. A random W2 adds noise to z' that has to be unlearned first; with
    few pairs the student may end below the teacher's own view of the context.

    Parameters
    ----------
    width
        d of c and t.
    out
        Of r: the teacher's.
    """

    def __init__(self, width: int, out: int) -> None:
        super().__init__()
        self.hidden = nn.Linear(3 * width, 3 * width)
        self.output = nn.Linear(3 * width, out)
        nn.init.zeros_(self.output.weight)
        nn.init.zeros_(self.output.bias)

    def forward(self, contexts: Tensor, tokens: Tensor) -> Tensor:
        """r `(n, out)` of `(n, d)` contexts and as many tokens, or one `(d,)` for all; in float32 always."""
        with torch.autocast(contexts.device.type, enabled=False):
            contexts, tokens = torch.broadcast_tensors(contexts.float(), tokens.float())
            joined = torch.cat([contexts + tokens, contexts - tokens, contexts * tokens], dim=-1)
            r: Tensor = self.output(torch.tanh(self.hidden(joined)))
            return r


class _Folded:
    """The label scores C(A_M(many, one)) without C's bias, where one side is fixed.

    Parameters
    ----------
    weight
        Of C, `(c, out)`.
    """

    def __init__(self, combine: nn.Module, weight: Tensor, precision: Precision) -> None:
        if type(combine) is not Combine:
            raise ValueError(
                f"folding is exact for the paper's combine module alone, and this is a {type(combine).__name__}: use "
                "InfluenceStudent.influence, which evaluates any as it stands"
            )
        plus, minus, self._times = combine.hidden.weight.detach().chunk(3, dim=1)
        self.of_contexts, self.of_tokens = plus + minus, plus - minus
        self._bias = combine.hidden.bias.detach()
        self.dtype = torch.bfloat16 if precision == "bfloat16" else torch.float32
        self._tail = (weight @ combine.output.weight.detach()).T.to(self.dtype)
        self.fixed = weight @ combine.output.bias.detach()

    def add_to(self, scores: Tensor, many: Tensor, of_many: Tensor, one: Tensor, of_one: Tensor) -> Tensor:
        """Scores `(n, c)` plus those of the `n` rows of one side, `(n, d)`, with the other side's one, `(d,)`."""
        if one.shape != many.shape[1:] or not bool(torch.isfinite(one).all()):
            raise ValueError(
                f"expected one vector of {many.shape[1]} finite numbers, got {tuple(one.shape)}"
                f"{'' if bool(torch.isfinite(one).all()) else ' with NaN or infinity'}"
            )
        factors = (of_many + self._times * one).to(self.dtype).T
        shift = (of_one @ one + self._bias).to(self.dtype)
        for rows, found in zip(many.split(_BLOCK), scores.split(_BLOCK), strict=True):
            found += (torch.addmm(shift, rows, factors).tanh_() @ self._tail).float()
        return scores


class FoldedContexts:
    """Many contexts, of which one token after the other is asked: label scores C(z' + A_M(c, t)).

    Parameters
    ----------
    contexts, masked
        A_C's vectors `(m, d)` and the teacher's z' `(m, out)`.
    precision
        `bfloat16` changes the label of one context in a thousand and is faster; z' enters in float32 either way.

    Raises
    ------
    ValueError
        If given another combine module, shapes that do not fit, or numbers that are not finite.
    """

    def __init__(
        self, combine: nn.Module, teacher: Teacher, contexts: Tensor, masked: Tensor, precision: Precision = "float32"
    ) -> None:
        if len(contexts) != len(masked) or not bool(torch.isfinite(contexts).all() and torch.isfinite(masked).all()):
            raise ValueError(
                f"contexts and z' have as many rows and only finite numbers, got {tuple(contexts.shape)} and "
                f"{tuple(masked.shape)}"
            )
        self._folded = _Folded(combine, teacher.weight, precision)
        self._contexts = contexts.to(self._folded.dtype)
        self._alone = teacher.logits(masked) + self._folded.fixed

    def __len__(self) -> int:
        return len(self._contexts)

    @torch.no_grad()
    def logits(self, token: Tensor) -> Tensor:
        """`(m, c)` for a token `(d,)`."""
        folded = self._folded
        return folded.add_to(self._alone.clone(), self._contexts, folded.of_contexts, token, folded.of_tokens)

    def labels(self, token: Tensor) -> Tensor:
        """`(m,)` for a token `(d,)`."""
        return self.logits(token).argmax(dim=1)


class FoldedTokens:
    """Many tokens, of which one context after the other is asked: label scores C(z + A_M(c, t)).

    Parameters
    ----------
    tokens
        A_T's vectors `(v, d)`.

    Raises
    ------
    ValueError
        If given another combine module, or numbers that are not finite.
    """

    def __init__(self, combine: nn.Module, teacher: Teacher, tokens: Tensor, precision: Precision = "float32") -> None:
        if tokens.ndim != 2 or not bool(torch.isfinite(tokens).all()):
            raise ValueError(f"tokens are rows of finite numbers, got {tuple(tokens.shape)}")
        self._folded, self._teacher = _Folded(combine, teacher.weight, precision), teacher
        self._tokens = tokens.to(self._folded.dtype)

    def __len__(self) -> int:
        return len(self._tokens)

    @torch.no_grad()
    def logits(self, context: Tensor, base: Tensor) -> Tensor:
        """`(v, c)` for a context `(d,)` and what r is added to, `(out,)`: z' in equation (2), z in equation (5)."""
        folded = self._folded
        alone = (self._teacher.logits(base) + folded.fixed).expand(len(self), -1).clone()
        return folded.add_to(alone, self._tokens, folded.of_tokens, context, folded.of_contexts)
