"""Vocabularies, padded inputs, and vectors that are borrowed by the batch."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
import torch
from made_relations import made_relations
from refusals import assert_refused
from torch import Tensor, nn

from trustnlp.data.relations.relation_examples import NO_RELATION, RelationExample, Span
from trustnlp.embeddings.static import WordVectors
from trustnlp.relations.pruned_trees import pruned_tree
from trustnlp.relations.relation_inputs import RelationInputs
from trustnlp.relations.relation_vocabulary import END, PADDING, START, UNKNOWN, RelationVocabulary
from trustnlp.relations.word_rows import WordRows

CPU = torch.device("cpu")


def example(**given: object) -> RelationExample:
    """Mr Smith -> runs -> a small firm (in Rome): subject 'Mr Smith', object 'firm'."""
    values: dict[str, object] = {
        "id": "one",
        "tokens": ("Mr", "Smith", "runs", "a", "Small", "firm", "in", "Rome"),
        "subject": Span(0, 2),
        "object": Span(5, 6),
        "relation": "per:employee_of",
        "subject_type": "PERSON",
        "object_type": "ORGANIZATION",
        "tags": ("NNP", "NNP", "VBZ", "DT", "JJ", "NN", "IN", "NNP"),
        "ner": ("PERSON", "PERSON", "O", "O", "O", "ORGANIZATION", "O", "CITY"),
        "heads": (1, 2, -1, 5, 5, 2, 5, 6),
    }
    return RelationExample(**{**values, **given})  # type: ignore[arg-type]


# --- vocabulary ------------------------------------------------------------------------------------------------------


def test_the_vocabulary_is_that_of_training_and_of_vectors() -> None:
    vectors = WordVectors(["rome", "paris", "runs"], np.ones((3, 4)), "made up")
    other = example(tokens=("Mr", "Smith", "runs", "a", "Small", "firm", "in", "Paris"), relation="per:other")
    unheard = example(tokens=("Mr", "Smith", "runs", "a", "Small", "firm", "in", "Ulm"), tags=("XX",) * 8)
    found = RelationVocabulary.of(
        [example(), example(relation=NO_RELATION)], [("(", "b"), None], vectors=vectors, others=[other, unheard]
    )
    assert set(found.words[2:]) == {"PERSON-SUBJ", "ORGANIZATION-OBJ", "runs", "a", "small", "in", "rome", "paris"}
    assert found.relations == (NO_RELATION, "per:employee_of")
    assert found.rule_tokens == ("<PAD>", "<UNK>", "<START>", "<END>", "(", "b")
    assert "XX" not in found.tags
    assert found.relation("per:employee_of") == 1 and found.relation("per:other") == -1
    assert found.encode("words", ["ulm", "<PAD>"]) == [UNKNOWN, PADDING]


def test_a_rule_is_written_up_to_its_end() -> None:
    found = RelationVocabulary.of([example(), example(relation="r")], [("a", "b")])
    assert found.encode_rule(("b", "zzz", "a")) == [5, UNKNOWN, 4, END]
    assert found.decode_rule([START, 5, 4, END, 4, PADDING]) == ("b", "a")
    assert found.decode_rule([5, UNKNOWN, PADDING]) == ("b", "<UNK>")


# --- inputs ----------------------------------------------------------------------------------------------------------


def test_columns_masks_and_adjacency_of_a_batch() -> None:
    short = example(
        tokens=("Ann", "wed", "Bo"), subject=Span(0, 1), object=Span(2, 3), tags=("NNP", "VBD", "NNP"),
        ner=("PERSON", "O", "PERSON"), heads=(1, -1, 1), relation="per:spouse", object_type="PERSON",
    )  # fmt: skip
    vocabulary = RelationVocabulary.of([example(), short], [None, ("x", "y")])
    inputs = RelationInputs.of([example(), short], vocabulary, [None, ("x", "y")])
    both = inputs.batch(np.array([1, 0]), CPU)
    assert both.words.shape == (2, 8) and both.lengths.tolist() == [3, 8]
    assert [vocabulary.words[w] for w in both.words[0].tolist()] == ["PERSON-SUBJ", "wed", "PERSON-OBJ", *["<PAD>"] * 5]
    assert both.present.sum(1).tolist() == [3, 8]
    assert both.subject[1].nonzero().flatten().tolist() == [0, 1] and both.object[1].nonzero().flatten().tolist() == [5]
    # On the path: Mr, Smith, runs, firm. Attached to it: a, small, in. Rome is two steps away.
    assert both.kept[1].tolist() == [True] * 7 + [False]
    edges = {(0, 1), (1, 2), (5, 2), (3, 5), (4, 5), (6, 5)}
    expected = np.eye(8)
    for child, head in edges:
        expected[child, head] = expected[head, child] = 1
    np.testing.assert_allclose(both.adjacency[1], expected / expected.sum(1, keepdims=True), rtol=1e-6)
    torch.testing.assert_close(inputs.batch(np.array([1]), CPU).adjacency[0], both.adjacency[0, :3, :3])
    assert inputs.ruled.tolist() == [False, True]
    assert inputs.rules_of(np.array([0, 1]), CPU).tolist() == [[0, 0, 0], [4, 5, END]]
    assert inputs.rules_of(np.array([0]), CPU).tolist() == [[0]]
    assert inputs.distinct_words(1) == 7 + 2 and inputs.distinct_words(50) == 7 + 3 + 2
    assert inputs.select(np.array([1])).relations.tolist() == [vocabulary.relation("per:spouse")]


def test_words_are_dropped_at_their_rate_and_padding_never() -> None:
    examples, _ = made_relations(300, 0)
    vocabulary = RelationVocabulary.of(examples)
    inputs = RelationInputs.of(examples, vocabulary)
    rows = np.arange(300)
    whole = inputs.batch(rows, CPU).words
    dropped = inputs.batch(rows, CPU, torch.Generator().manual_seed(1), 0.3).words
    changed = whole != dropped
    assert bool((dropped[changed] == UNKNOWN).all()) and not bool(changed[whole == PADDING].any())
    count = int((whole != PADDING).sum())
    assert abs(int(changed.sum()) / count - 0.3) < 4 * np.sqrt(0.21 / count)
    assert torch.equal(inputs.batch(rows, CPU).words, whole)


def test_what_inputs_refuse() -> None:
    vocabulary = RelationVocabulary.of([example(), example(relation="r")])
    bare = example(ner=(), heads=())
    assert_refused(lambda: RelationVocabulary.of([example()]), [("at least two relations",)])
    assert_refused(
        lambda examples, rules: RelationInputs.of(examples, vocabulary, rules),
        [
            ([], None, "no examples"),
            ([example()], [None, None], "1 examples need as many rules.*got 2"),
            ([example()], [()], "rule of example one has no token: give None"),
            ([bare], None, "example one has no ner and no heads; annotate"),
        ],
    )
    assert_refused(lambda distance: pruned_tree((-1, 0), [0], distance), [(-1, "at least 0, or None.*got -1")])
    assert pruned_tree((-1, 0, 1, 2), [0, 1], None).parents == (-1, 0, 1, 2)


# --- borrowed vectors ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("first_sum", [0.0, 0.1])
def test_borrowed_rows_are_trained_as_a_whole_table_is(first_sum: float) -> None:
    torch.manual_seed(0)
    table = torch.randn(30, 4)
    table[PADDING] = 0

    def trained(make: Callable[[Tensor], Any]) -> tuple[Any, list[float]]:
        words, scores = make(table), nn.Linear(4, 1)
        nn.init.constant_(scores.weight, 0.5)
        nn.init.zeros_(scores.bias)
        values = [*words.parameters(), *scores.parameters()]
        optimiser = torch.optim.Adagrad(values, lr=0.3, initial_accumulator_value=first_sum)
        if isinstance(words, WordRows):
            words.train_with(optimiser)
        lengths = []
        for step in range(6):
            ids = torch.randint(0, 20, (5, 3), generator=torch.Generator().manual_seed(step))
            optimiser.zero_grad()
            (scores(words(ids)) ** 3).sum().backward()
            lengths.append(float(nn.utils.clip_grad_norm_(values, 0.7)))
            optimiser.step()
        return words, lengths

    whole = partial(nn.Embedding.from_pretrained, freeze=False, padding_idx=PADDING)
    dense, expected = trained(lambda start: whole(start.clone()))
    rows, found = trained(lambda start: WordRows(start, 16))
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    torch.testing.assert_close(rows.rows, dense.weight.detach(), rtol=1e-5, atol=1e-6)
    assert torch.equal(rows.rows[20:], table[20:]) and not rows.rows[PADDING].any()
    assert not torch.allclose(rows.rows[1:20], table[1:20])
    ids = torch.tensor([[1, 5]])
    with torch.no_grad():
        assert torch.equal(rows(ids), rows.rows[ids])


def test_frozen_vectors_stay_and_too_many_words_are_refused() -> None:
    table = torch.randn(9, 2)
    table[PADDING] = 0
    frozen = WordRows(table, 0)
    assert not list(frozen.parameters()) and not frozen(torch.tensor([[1, 2]])).requires_grad
    narrow = WordRows(table, 2)
    assert_refused(lambda: narrow(torch.tensor([[1, 2, 3]])), [("3 distinct words, 2 can be borrowed",)])
