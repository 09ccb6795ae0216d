"""Words, pairs, vocabulary, and the three ways to drop words."""

from __future__ import annotations

import itertools

import pytest
import torch
from refusals import assert_refused

from trustnlp.training.ngrams import DROPPING, UNKNOWN, Bags, Vocabulary, bag_words

TEXTS = ["not so bad", "so so", "bad", ""]


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


@pytest.fixture
def vocabulary() -> Vocabulary:
    return Vocabulary(["so bad , so bad", "not so"])


def test_punctuation_stands_apart_and_some_of_it_is_dropped():
    assert bag_words('A "b";c:d<br />e.F!') == ["a", "b", "c", "d", "e", ".", "f", "!"]
    assert bag_words("  ") == []


def test_rows_are_ranked_by_frequency_then_alphabet(vocabulary: Vocabulary):
    # "so" occurs three times, "bad" and "so bad" twice, five others once.
    assert vocabulary.bags(["so bad", "not so"]).ids.tolist() == [1, 2, 3, 7, 1, 8]
    assert len(vocabulary) == 1 + 8


def test_bags_are_the_rows_of_each_text(vocabulary: Vocabulary):
    bags = vocabulary.bags(["so bad", "so new", ""])
    so, bad, pair = 1, 2, 3
    assert bags.ids.tolist() == [so, bad, pair, so, UNKNOWN, UNKNOWN, UNKNOWN]
    assert bags.lengths.tolist() == [3, 3, 1]
    assert bags.texts.tolist() == [0, 0, 0, 1, 1, 1, 2]


def test_the_order_of_the_texts_does_not_matter():
    one, other = Vocabulary(["a b", "c c"]), Vocabulary(["c c", "a b"])
    assert one.bags(["a b c"]).ids.tolist() == other.bags(["a b c"]).ids.tolist()


def test_take_agrees_with_a_loop(vocabulary: Vocabulary):
    bags = vocabulary.bags(TEXTS)
    order = [2, 0, 0, 3, 1]
    taken = bags.take(torch.tensor(order))
    expected = [bags.ids[bags.starts[i] : bags.starts[i + 1]].tolist() for i in order]
    assert [taken.ids[a:b].tolist() for a, b in zip(taken.starts, taken.starts[1:], strict=False)] == expected


@pytest.mark.parametrize("rate", [0.0, 0.4, 1.0])
def test_dropping_words_agrees_with_a_loop(rate: float):
    texts = ["a b c d e f", "g h", "i", "k l m n"]
    vocabulary = Vocabulary(texts)
    bags = vocabulary.bags(texts)
    hidden, left = (bags.drop(rate, how, generator=generator(3)) for how in ("words", "left_out"))
    draws = (torch.rand(len(bags.ids), generator=generator(3)) >= rate).tolist()
    for i, text in enumerate(texts):
        start, words = int(bags.starts[i]), text.split()
        kept = draws[start : start + len(words)]
        kept += [a and b for a, b in itertools.pairwise(kept)]
        rows = bags.ids[start : start + len(kept)].tolist()
        assert hidden.ids[hidden.starts[i] : hidden.starts[i + 1]].tolist() == [
            row if keep else UNKNOWN for row, keep in zip(rows, kept, strict=True)
        ]
        assert left.ids[left.starts[i] : left.starts[i + 1]].tolist() == (
            [row for row, keep in zip(rows, kept, strict=True) if keep] or [UNKNOWN]
        )


def test_as_released_a_hidden_word_may_survive_in_a_pair():
    bags = Vocabulary(["a b"]).bags(["a b"] * 4000)
    seen = bags.drop(0.5, "ngrams", generator=generator()).ids.view(-1, 3) != UNKNOWN
    words_gone = ~seen[:, 0] & ~seen[:, 1]
    # Three independent draws: a quarter of the texts lose both words, half of those keep the pair.
    assert abs(float(words_gone.double().mean()) - 0.25) < 0.03
    assert abs(float(seen[words_gone, 2].double().mean()) - 0.5) < 0.06
    whole = bags.drop(0.5, "words", generator=generator()).ids.view(-1, 3) != UNKNOWN
    assert torch.equal(whole[:, 2], whole[:, 0] & whole[:, 1])


@pytest.mark.parametrize("how", DROPPING)
def test_equal_seeds_drop_alike_and_others_do_not(how):
    bags = Vocabulary(["a b c d e f g h"]).bags(["a b c d e f g h"] * 20)
    one, same, other = (bags.drop(0.5, how, generator=generator(s)).ids.tolist() for s in (1, 1, 2))
    assert one == same != other


def test_mistakes_are_named(vocabulary: Vocabulary):
    assert_refused(
        lambda call: call(vocabulary.bags(TEXTS)),
        [
            (lambda b: b.drop(0.5, "pairs", generator=generator()), ValueError, "unknown way of dropping 'pairs'"),
            (lambda b: b.drop(1.5, "words", generator=generator()), ValueError, "from 0 to 1, got 1.5"),
            (lambda b: Bags(b.ids[:-1], b.starts), ValueError, "starts must run from 0"),
            (lambda b: Bags(torch.tensor([1]), torch.tensor([0, 0, 1])), ValueError, "text 0 has no row"),
            (lambda b: Vocabulary("a text"), TypeError, "single string"),
            (lambda b: Vocabulary(["", " "]), ValueError, "no text has a word"),
        ],
    )
