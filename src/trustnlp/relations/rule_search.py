"""Rules out of a trained decoder: the greedy one, the best of a beam, or the likeliest of rules that are given.

Tang and Surdeanu (2021) decode greedily, up to 100 tokens (Table 4). A beam gives several rules, to be ranked anew by
running them. Where an explanation must be one of some rules, each is scored exactly, log p(rule | example); that is
simple, and no beam can miss one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from trustnlp.relations.relation_encoder import Encoded
from trustnlp.relations.relation_inputs import padded_rules
from trustnlp.relations.relation_vocabulary import END, PADDING, START
from trustnlp.relations.rule_decoder import RuleDecoder

_CANDIDATES_AT_ONCE = 512


@dataclass(frozen=True)
class Beams:
    """`w` rules for each of `B` examples, the likeliest first.

    Attributes
    ----------
    tokens
        `(B, w, S)` numbers of tokens, with `END` and then `PADDING` behind them; no `END` where the limit was met.
    scores
        `(B, w)` log p of each, as `score_rules` gives it; minus infinity where there are fewer rules.
    """

    tokens: Tensor
    scores: Tensor


@torch.no_grad()
def greedy_rules(decoder: RuleDecoder, encoded: Encoded, limit: int) -> Tensor:
    """The likeliest token at each step, `(B, S)` with S at most `limit`; `PADDING` after `END`.

    In the form `paper` examples whose rule has ended leave the batch. In the form `released` they stay, for their
    states flow into those of others, as in the released code.
    """
    count = len(encoded.present)
    rules = torch.full((count, limit), PADDING, device=encoded.present.device)
    active = torch.arange(count, device=encoded.present.device)
    ended = torch.zeros_like(active, dtype=torch.bool)
    state, token = decoder.start(encoded), torch.full_like(active, START)
    for step in range(limit):
        scores, state = decoder(token[:, None], encoded, state)
        token = _writable(scores[:, -1]).argmax(1)
        rules[active, step] = torch.where(ended, PADDING, token)
        ended = ended | (token == END)
        if bool(ended.all()):
            return rules[:, : step + 1]
        if decoder.form == "paper" and bool(ended.any()):
            left = ~ended
            active, token, ended = active[left], token[left], ended[left]
            encoded, state = encoded.rows(left), state.rows(left)
    return rules


@torch.no_grad()
def beam_rules(decoder: RuleDecoder, encoded: Encoded, width: int, limit: int) -> Beams:
    """The likeliest rules that a beam finds.

    Parameters
    ----------
    width
        How many beginnings of rules are kept at each step; of 1, it is the greedy rule.

    Raises
    ------
    ValueError
        If given a decoder whose rules depend on the batch.
    """
    _check_alone(decoder)
    count, device = len(encoded.present), encoded.present.device
    scores = torch.full((count, width), -torch.inf, device=device)
    scores[:, 0] = 0
    tokens = torch.empty((count, width, 0), dtype=torch.int64, device=device)
    example = torch.arange(count, device=device).repeat_interleave(width)
    wide = encoded.rows(example)
    state, last = decoder.start(wide), torch.full_like(example, START)
    for _ in range(limit):
        following, state = decoder(last[:, None], wide, state)
        logs = _writable(following[:, -1].float().log_softmax(1))
        over = (last == END) | (last == PADDING)
        logs[over] = -torch.inf
        logs[over, PADDING] = 0
        vocabulary = logs.shape[1]
        scores, places = (scores[..., None] + logs.view(count, width, vocabulary)).flatten(1).topk(width)
        origin = places // vocabulary
        last = (places % vocabulary).flatten()
        tokens = torch.cat([tokens.gather(1, origin[..., None].expand_as(tokens)), last.view(count, width, 1)], 2)
        state = state.rows((origin + torch.arange(count, device=device)[:, None] * width).flatten())
        if bool(((last == END) | (last == PADDING) | scores.flatten().isneginf()).all()):
            break
    return Beams(tokens, scores)


@torch.no_grad()
def score_rules(
    decoder: RuleDecoder, encoded: Encoded, candidates: Sequence[Sequence[Sequence[int]]]
) -> list[NDArray[np.float64]]:
    """log p(rule | example) of each candidate of each of `B` examples, its `END` included.

    Parameters
    ----------
    candidates
        For each example its rules, as numbers of tokens that end in `END`.

    Raises
    ------
    ValueError
        If given an example without a rule, or a decoder whose rules depend on the batch.
    """
    _check_alone(decoder)
    if not all(candidates):
        raise ValueError("each example needs at least one rule to be scored")
    pairs = [(example, rule) for example, rules in enumerate(candidates) for rule in rules]
    scores = np.empty(len(pairs))
    order = np.argsort([len(rule) for _, rule in pairs], kind="stable")
    for start in range(0, len(order), _CANDIDATES_AT_ONCE):
        chosen = order[start : start + _CANDIDATES_AT_ONCE]
        rows = torch.tensor([pairs[at][0] for at in chosen], device=encoded.present.device)
        rules = torch.from_numpy(padded_rules([pairs[at][1] for at in chosen])).to(rows.device).long()
        scores[chosen] = -decoder.losses(rules, encoded.rows(rows)).double().sum(1).cpu().numpy()
    return np.split(scores, np.cumsum([len(rules) for rules in candidates])[:-1])


def _writable(scores: Tensor) -> Tensor:
    """Scores `(n, V)`, in which `PADDING` and `START`, no tokens of a rule, are never the best."""
    return scores.index_fill(1, torch.tensor([PADDING, START], device=scores.device), -torch.inf)


def _check_alone(decoder: RuleDecoder) -> None:
    if decoder.form != "paper":
        raise ValueError("in the form 'released' a rule's probability depends on the other examples of its batch")
