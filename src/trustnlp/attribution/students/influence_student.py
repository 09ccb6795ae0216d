"""MOXIE's student: the influence r of a span on the teacher's representation, from the context and the span apart.

Kumar, Dixit and Shah (2021), §3.1. The context processor A_C reads the text with the span masked and gives its state at
the mask; the token processor A_T reads the span alone and gives its state at the first position; the combine module A_M
makes r of both (equation 1). Added to the teacher's z' of the masked text it gives label scores C(z' + r) (equation 2).

A_C and A_T never see each other's input, so the vectors of contexts and words can be stored, and asked of each other by
the million.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from trustnlp.attribution.model_calls import distinct_texts
from trustnlp.attribution.students.combination import Combine
from trustnlp.attribution.students.masked_spans import MaskedSpan
from trustnlp.attribution.students.text_teacher import Teacher
from trustnlp.encoders.pretrained import Encoder
from trustnlp.training.batches import Rows, Tokens, by_length, padded, padding_mask
from trustnlp.training.encoded_texts import as_texts, cut_visibly, encode, mask_token
from trustnlp.training.kept_results import rows_once, texts_fingerprint, weights_fingerprint
from trustnlp.training.loop import Precision

# Tokens of a masked span that are read (appendix A.2).
SPAN_LENGTH = 50
# Spans of a batch of pairs that are encoded together: pairs are sorted by their contexts, not by their spans.
_TOGETHER = 32


class DevScore(NamedTuple):
    """How good a student was on dev after an epoch of its training.

    Attributes
    ----------
    all_correct
        Share of the texts for all of whose words it predicted the teacher's label.
    loss
        Mean squared error of r.
    """

    all_correct: float
    loss: float


class InfluenceStudent(nn.Module):
    """A student of one teacher, whose encoders begin as copies of one pretrained encoder.

    Parameters
    ----------
    encoder
        Any encoder with a mask token; it need not be the teacher's. The student is on its device.
    teacher
        Of whom the width of r and the fingerprint are kept.
    max_length
        Tokens of a context that are read.
    precision
        What the encoders compute in; the combine module computes in float32.
    combine
        Makes A_M of the widths of the encoder and of r. Folding (`trustnlp.attribution.students.combination`) is for
        the paper's.

    Attributes
    ----------
    dev_scores
        One for each epoch of its training.

    Raises
    ------
    ValueError
        If the encoder has no mask token.
    """

    def __init__(
        self,
        encoder: Encoder,
        teacher: Teacher,
        *,
        max_length: int = 128,
        precision: Precision = "float32",
        combine: Callable[[int, int], nn.Module] = Combine,
    ) -> None:
        super().__init__()
        self.mask = mask_token(encoder)
        self.context_processor = _without_pooler(encoder.model)
        self.token_processor = _without_pooler(encoder.model)
        self.combine = combine(encoder.model.config.hidden_size, teacher.width)
        self.width: int = encoder.model.config.hidden_size
        self.teacher_fingerprint = teacher.fingerprint
        self.max_length, self.precision = max_length, precision
        self.dev_scores: tuple[DevScore, ...] = ()
        self._encoder = encoder
        self.to(encoder.device).eval()

    @property
    def device(self) -> torch.device:
        """Where the student is."""
        return self._encoder.device

    @property
    def fingerprint(self) -> str:
        """Changes with all that decides an influence."""
        return f"{weights_fingerprint(self)} {self.max_length} {self.precision} {self.device.type}"

    def contexts(self, spans: Sequence[MaskedSpan]) -> Tensor:
        """A_C: the state at the mask, `(n, d)`, of each context.

        Raises
        ------
        ValueError
            If a text is so long that its mask is cut off, or holds the mask token itself.
        """
        tokens, masks = self.tokenised_contexts(spans)

        def forward(ids: Tensor, attended: Tensor, rows: Rows) -> Tensor:
            return self._context_states(ids, attended, masks[rows])

        precision = self.precision
        return encode(forward, tokens, self.width, device=self.device, precision=precision, of="contexts")

    def tokens(self, strings: Sequence[str]) -> Tensor:
        """A_T: the state at the first position, `(n, d)`, of each word or span; of equal ones computed once.

        Raises
        ------
        ValueError
            If there is no word, or a blank one.
        """
        distinct, places = distinct_texts(as_texts(strings))
        tokens = self.tokenised_spans(distinct)

        def forward(ids: Tensor, attended: Tensor, _: Rows) -> Tensor:
            return self._token_states(ids, attended)

        states = encode(forward, tokens, self.width, device=self.device, precision=self.precision, of="words")
        return states[places]

    @torch.no_grad()
    def influence(self, contexts: Tensor, tokens: Tensor) -> Tensor:
        """A_M: r `(n, out)` of `(n, d)` contexts and as many tokens, or one `(d,)` for all."""
        r: Tensor = self.combine(contexts, tokens)
        return r

    def span_influences(self, spans: Sequence[MaskedSpan], masked: Tensor) -> Tensor:
        """r `(n, out)` of each span (equation 1); the teacher's z' is not used."""
        return self.influence(self.contexts(spans), self.tokens([span.token for span in spans]))

    def forward(self, contexts: Tokens, masks: NDArray[np.int64], tokens: Tokens, rows: Rows) -> Tensor:
        """r of some rows of tokenised pairs, with gradients: what a training step computes."""
        ids, attended = self._batch(contexts, rows)
        of_contexts = self._context_states(ids, attended, masks[rows])
        of_tokens = torch.empty_like(of_contexts)
        for part in by_length(tokens.lengths[rows], _TOGETHER):
            of_tokens[part] = self._token_states(*self._batch(tokens, rows[part]))
        r: Tensor = self.combine(of_contexts, of_tokens)
        return r

    def tokenised_contexts(self, spans: Sequence[MaskedSpan]) -> tuple[Tokens, NDArray[np.int64]]:
        """Token ids of the contexts, and where in each the mask is, `(n,)`."""
        tokens = cut_visibly(self._encoder, [span.masked_text(self.mask) for span in spans], self.max_length)
        found = np.flatnonzero(tokens.ids == self._encoder.tokenizer.mask_token_id)
        rows = np.searchsorted(tokens.starts, found, side="right") - 1
        counts = np.bincount(rows, minlength=len(tokens))
        if (wrong := np.flatnonzero(counts != 1)).size:
            first = spans[wrong[0]]
            why = (
                f"holds {self.mask} itself, so its mask cannot be found"
                if counts[wrong[0]]
                else f"has its mask beyond the {self.max_length} tokens that are read; leave it out or raise max_length"
            )
            raise ValueError(f"{len(wrong)} of {len(spans)} contexts; the first masks {first.token[:40]!r}: it {why}")
        return tokens, found - tokens.starts[:-1]

    def tokenised_spans(self, strings: Sequence[str]) -> Tokens:
        """Token ids of words and spans, at most `SPAN_LENGTH`."""
        if blank := [at for at, string in enumerate(strings) if not string.strip()]:
            raise ValueError(f"a word or span is not blank; number {blank[0]} is {strings[blank[0]]!r}")
        return cut_visibly(self._encoder, strings, SPAN_LENGTH)

    def _batch(self, tokens: Tokens, rows: Rows) -> tuple[Tensor, Tensor]:
        ids, attended = padded(tokens.ids, tokens.starts, rows), padding_mask(tokens.starts, rows)
        return ids.to(self.device), attended.to(self.device)

    def _context_states(self, ids: Tensor, attended: Tensor, masks: NDArray[np.int64]) -> Tensor:
        states: Tensor = self.context_processor(input_ids=ids, attention_mask=attended.long()).last_hidden_state
        return states[torch.arange(len(ids), device=self.device), torch.from_numpy(masks).to(self.device)]

    def _token_states(self, ids: Tensor, attended: Tensor) -> Tensor:
        states: Tensor = self.token_processor(input_ids=ids, attention_mask=attended.long()).last_hidden_state
        return states[:, 0]


def contexts_once(student: InfluenceStudent, spans: Sequence[MaskedSpan], folder: Path | None = None) -> Tensor:
    """A_C of each context, `(n, d)`, kept in a folder for the next time: mapped from there, not read into memory.

    With the teacher's z' of `masked_pairs` they are what `FoldedContexts` asks for any word.

    Raises
    ------
    ValueError
        If there are no contexts, a mask that is cut off, or a damaged file in the folder.
    """
    texts = as_texts([span.masked_text(student.mask) for span in spans])
    settings = {"student": student.fingerprint, "contexts": texts_fingerprint(texts)}

    def compute() -> NDArray[np.float32]:
        computed: NDArray[np.float32] = student.contexts(spans).cpu().numpy()
        return computed

    rows = rows_once("student-contexts", settings, (len(texts), student.width), folder, compute)
    return torch.from_numpy(rows).to(student.device)


def check_student(student: Any, teacher: Teacher) -> None:
    """Refuse a student of another teacher: its r would be added to representations that it has never seen.

    Raises
    ------
    ValueError
        If the teacher's fingerprint is not the one that the student remembers.
    """
    if student.teacher_fingerprint != teacher.fingerprint:
        raise ValueError(
            "this student learned from another teacher (other weights, limit of length or precision); train one for "
            "this teacher"
        )


def _without_pooler(model: Any) -> Any:
    """A copy; the pooler has no part in the states."""
    body = copy.deepcopy(model)
    if getattr(body, "pooler", None) is not None:
        body.pooler = None
    return body
