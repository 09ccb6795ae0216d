"""The decoder's two forms, its loss, and what is decoded: alone, among neighbours, by a beam, or out of given rules."""

from __future__ import annotations

import pytest
import torch
from refusals import assert_refused
from torch import nn

from trustnlp.relations.relation_encoder import Encoded
from trustnlp.relations.relation_sizes import Form, RelationSizes
from trustnlp.relations.relation_vocabulary import END, PADDING, START
from trustnlp.relations.rule_decoder import RuleDecoder
from trustnlp.relations.rule_search import beam_rules, greedy_rules, score_rules

WIDTH, TOKENS = 8, 9
LENGTHS = (5, 2, 4, 5)


def decoder(form: Form = "paper") -> RuleDecoder:
    model = RuleDecoder(TOKENS, RelationSizes(WIDTH, form=form))
    for value in model.parameters():
        nn.init.normal_(value, std=1.0)
    with torch.no_grad():
        model.embedding.weight[PADDING] = 0
    return model.eval()


def encoded() -> Encoded:
    states = torch.randn(len(LENGTHS), max(LENGTHS), WIDTH)
    present = torch.arange(max(LENGTHS)) < torch.tensor(LENGTHS)[:, None]
    return Encoded(states, present, *(torch.randn(len(LENGTHS), WIDTH) for _ in range(3)))


@pytest.fixture(autouse=True)
def _seed() -> None:
    torch.manual_seed(0)


RULES = torch.tensor([[4, 5, 6, END], [7, END, 0, 0], [8, 8, END, 0], [END, 0, 0, 0]])


@torch.no_grad()
def test_in_the_released_form_neighbours_decide_and_only_there() -> None:
    """Exchanging the entities of one example changes what is said of another, which the paper's form never does."""
    for form, changes in (("released", True), ("paper", False)):
        model, seen = decoder(form), encoded()
        before = model.losses(RULES, seen)
        swapped = torch.tensor([0, 1, 2, 0])
        other = Encoded(seen.states, seen.present, seen.sentence, seen.subject[swapped], seen.object[swapped])
        after = model.losses(RULES, other)
        assert bool(((after - before)[:3].abs() > 1e-4).any()) == changes
        hidden, cell = model.start(seen)
        assert cell.any() == changes and torch.equal(hidden[0], seen.subject) != changes


@torch.no_grad()
def test_decoding_stops_at_the_limit_and_behind_an_end() -> None:
    for form in ("paper", "released"):
        model, seen = decoder(form), encoded()  # type: ignore[arg-type]
        model.output.bias[END] = -1e4
        assert greedy_rules(model, seen, 7).shape == (4, 7)
        model.output.bias[END] = 1e4
        assert greedy_rules(model, seen, 7).tolist() == [[END]] * 4
        model.output.bias[END] = 0
        model.output.bias[[PADDING, START]] = 1e3
        found = greedy_rules(model, seen, 9)
        for row in found.tolist():
            written = row[: row.index(END)] if END in row else row
            assert PADDING not in written and START not in row
    model = decoder()
    model.output.bias[END] = -1e4
    assert beam_rules(model, encoded(), 3, 5).tokens.shape == (4, 3, 5)


def test_what_search_refuses() -> None:
    seen, released = encoded(), decoder("released")
    assert_refused(
        lambda call: call(),
        [
            (lambda: beam_rules(released, seen, 1, 5), "depends on the other examples"),
            (lambda: score_rules(released, seen, [[[4, END]]] * 4), "depends on the other examples"),
            (lambda: score_rules(decoder(), seen, [*[[[4, END]]] * 3, []]), "needs at least one rule"),
        ],
    )
