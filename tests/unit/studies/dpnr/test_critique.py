"""What dropping pieces leaves of a budget, against all masks of a word's pieces, and what a hidden word still shows."""

import itertools
import math

import pytest
import torch

from trustnlp.encoders.pretrained import MINILM, load_encoder
from trustnlp.privacy.accounting.composition import dropout_bernoulli
from trustnlp.studies.dpnr.critique import pieces_budget, represent_without


@pytest.mark.parametrize("pieces", [1, 2, 3, 5])
@pytest.mark.parametrize("rate", [0.1, 0.5, 0.8])
def test_a_word_of_pieces_against_every_mask(pieces, rate):
    """The word shows, at the full e^ε, in every mask that keeps a piece of it, and not in the one that keeps none."""
    epsilon, ratio = 1.0, 0.0
    for mask in itertools.product((False, True), repeat=pieces):
        ratio += math.prod(1 - rate if kept else rate for kept in mask) * (math.exp(epsilon) if any(mask) else 1)
    assert pieces_budget(epsilon, rate, pieces) == pytest.approx(math.log(ratio), rel=1e-12)
    assert (pieces_budget(epsilon, rate, pieces) > dropout_bernoulli(epsilon, rate)) is (pieces > 1)


@pytest.mark.slow
def test_a_hidden_word_shows_how_many_pieces_it_has(mirror):
    encoder = load_encoder(MINILM, "cpu")
    words = ["test", "virus", "biopsy", "paracetamol"]
    vectors, pieces = represent_without(encoder, "My doctor says the {} was serious .", words)
    assert pieces == [1, 1, 2, 4]
    assert torch.allclose(vectors[0], vectors[1], atol=1e-6)  # two words of one piece: nothing is left of either
    assert (vectors[2:] - vectors[0]).abs().sum(1).min() > 1  # more than the paper's bound of a whole text's change
