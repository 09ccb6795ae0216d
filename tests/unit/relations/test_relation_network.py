"""The network as a whole: who depends on whom, what each switch leaves out, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from made_relations import made_relations
from refusals import assert_refused

from trustnlp.relations.relation_dropout import CheapDropout
from trustnlp.relations.relation_inputs import RelationInputs
from trustnlp.relations.relation_network import RelationNetwork
from trustnlp.relations.relation_sizes import RelationSizes
from trustnlp.relations.relation_vocabulary import RelationVocabulary

CPU = torch.device("cpu")
EXAMPLES, RULES = made_relations(24, 0)
VOCABULARY = RelationVocabulary.of(EXAMPLES, RULES)
INPUTS = RelationInputs.of(EXAMPLES, VOCABULARY, RULES)
ROWS = np.arange(24)


def network(**sizes: object) -> RelationNetwork:
    torch.manual_seed(0)
    table = torch.rand(len(VOCABULARY.words), 7)
    table[0] = 0
    return RelationNetwork(VOCABULARY, table, 60, RelationSizes(width=10, **sizes))  # type: ignore[arg-type]


def loss_of(model: RelationNetwork, rows: np.ndarray = ROWS) -> torch.Tensor:
    relations = torch.from_numpy(INPUTS.relations[rows])
    return model.loss(INPUTS.batch(rows, CPU), relations, INPUTS.rules_of(rows, CPU), 0.003)


@pytest.mark.parametrize("share", [0.5, 0.04])
def test_dropout_drops_its_share_and_keeps_the_mean(share: float) -> None:
    torch.manual_seed(0)
    layer = CheapDropout(share)
    values = torch.ones(401, 503, requires_grad=True)
    found = layer(values)
    dropped = found == 0
    error = 4 * np.sqrt(share * (1 - share) / values.numel())
    assert abs(dropped.double().mean().item() - share) < error
    assert found[~dropped].detach().unique().tolist() == pytest.approx([1 / (1 - share)], rel=1e-3)
    # No pattern: a number and any of the next four are dropped together by chance alone.
    flat = dropped.flatten().double()
    for ahead in range(1, 5):
        assert abs((flat[:-ahead] * flat[ahead:]).mean().item() - share**2) < 2 * error
    found.sum().backward()
    assert torch.equal(values.grad, found.detach())
    assert not torch.equal(layer(values), found)
    assert torch.equal(layer.eval()(values), values)
    assert torch.equal(CheapDropout(0.0)(values), values)
    assert_refused(CheapDropout, [(1.0, r"\[0, 1\), got 1.0"), (-0.1, "got -0.1")])


def test_each_switch_leaves_out_a_part_and_the_rest_is_trained() -> None:
    for sizes, missing in (({}, None), ({"decoder": False}, "decoder"), ({"classifier": False}, "classifier")):
        model = network(**sizes)
        loss_of(model).backward()
        silent = [name for name, value in model.named_parameters() if value.grad is None or not value.grad.any()]
        assert not silent, silent
        for part in ("classifier", "decoder"):
            assert (getattr(model, part) is None) == (part == missing)
    assert_refused(lambda: network(classifier=False).scores(None), [("without a classifier",)])  # type: ignore[arg-type]


@pytest.mark.parametrize("form", ["paper", "released"])
def test_a_batch_without_a_rule_trains_the_classifier_alone(form: str) -> None:
    model = network(form=form)
    loss_of(model, np.flatnonzero(~INPUTS.ruled)[:1]).backward()
    assert model.decoder is not None and all(value.grad is None for value in model.decoder.parameters())


def test_what_is_refused() -> None:
    assert_refused(
        lambda call: call(),
        [
            (lambda: RelationSizes(width=0), "at least 1"),
            (lambda: RelationSizes(dropout=1.0), r"lies in \[0, 1\), got 1.0"),
            (lambda: RelationSizes(classifier=False, decoder=False), "nothing to train"),
            (lambda: RelationSizes(form="printed"), "'paper' or 'released'.*'printed'"),
        ],
    )
