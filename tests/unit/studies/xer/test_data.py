"""Halves without a common entity; drawn pairs against the list of all pairs, near misses against a search by hand."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trustnlp.data.linkage.record_sets import read_records
from trustnlp.studies.xer.data import FIELDS, _plain, draw_matches, draw_non_matches, split_entities

labels = st.lists(st.integers(0, 5), min_size=2, max_size=25).map(np.array)


@given(labels, st.integers(0, 40), st.integers(0, 99))
def test_matches_are_pairs_of_one_label_and_none_is_drawn_twice(label, n, seed):
    every = {(a, b) for a, b in itertools.combinations(range(len(label)), 2) if label[a] == label[b]}
    drawn = [tuple(pair) for pair in draw_matches(label, n, np.random.default_rng(seed)).tolist()]
    assert set(drawn) <= every and len(set(drawn)) == len(drawn) == min(n, len(every))


def test_every_match_is_as_likely():
    label = np.array([0, 0, 0, 1, 1])
    rng = np.random.default_rng(0)
    counts = np.unique([draw_matches(label, 1, rng)[0] for _ in range(4000)], axis=0, return_counts=True)[1]
    assert len(counts) == 4 and np.abs(counts - 1000).max() < 120


@given(labels, st.floats(0, 1), st.integers(0, 99), st.data())
def test_non_matches_are_pairs_of_two_labels_and_none_is_drawn_twice(label, near_share, seed, data):
    every = {(a, b) for a, b in itertools.combinations(range(len(label)), 2) if label[a] != label[b]}
    n = data.draw(st.integers(0, len(every)))
    texts = [f"text of {value}" for value in label]
    drawn = [tuple(p) for p in draw_non_matches(label, texts, n, near_share, np.random.default_rng(seed)).tolist()]
    assert set(drawn) <= every and len(set(drawn)) == len(drawn) == n
    with pytest.raises(ValueError, match=f"the records hold {len(every)}"):
        draw_non_matches(label, texts, len(every) + 1, near_share, np.random.default_rng(seed))


def test_near_misses_are_the_likest_of_other_entities():
    texts = [f"{word} street" for word in ("oaken", "oakens", "elmwood", "elmwoods", "pinetree", "pinetrees")]
    far = [digit * 8 for digit in "12345678"]
    label = np.arange(14)
    among = set(itertools.combinations(range(6), 2))
    for n in (10, 15, 20):
        drawn = draw_non_matches(label, texts + far, n, 1.0, np.random.default_rng(0))
        # Every street has the five others for neighbours; the other texts are like none, so chance pairs fill up.
        assert len({tuple(pair) for pair in drawn.tolist()} & among) == min(n, 15)
    half = draw_non_matches(label, texts + far, 20, 0.5, np.random.default_rng(0))
    assert 10 <= len({tuple(pair) for pair in half.tolist()} & among) <= 13
    streets = draw_non_matches(np.array([0, 0, *range(1, 13)]), texts + far, 14, 1.0, np.random.default_rng(0))
    assert {tuple(pair) for pair in streets.tolist()} == among - {(0, 1)}


@given(st.lists(st.integers(0, 12), min_size=2, max_size=60), st.integers(0, 99))
def test_no_entity_is_on_both_sides(gold, seed):
    train, test = split_entities(gold, np.random.default_rng(seed))
    label = np.array(gold)
    assert (train ^ test).all() and not set(label[train]) & set(label[test])
    assert len(set(label[train])) == round(len(set(gold)) / 2)


def test_cells_are_plain():
    cells = ["  A \n b", "", "  ", "'Q & A'", None, float("nan"), '"']
    assert [_plain(cell) for cell in cells] == ["a b", None, None, "q & a", None, None, None]


@pytest.mark.mirror
@pytest.mark.parametrize("name", sorted(set(FIELDS) - {"planted"}))
def test_the_fields_are_there(mirror, name):
    assert set(FIELDS[name]) <= set(read_records(name).records)
