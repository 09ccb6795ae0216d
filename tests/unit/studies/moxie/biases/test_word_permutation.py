"""Placebo tests: against sets that are really built, against all choices, and how often a true null is rejected."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray
from refusals import assert_refused

from trustnlp.attribution import word_replacements
from trustnlp.attribution.students.bias_probes import biased_set
from trustnlp.studies.moxie.biases import word_permutation
from trustnlp.studies.moxie.biases import placebo_test

ROWS = np.arange(40)
PLACEBOS = [f"p{n}" for n in range(7)]


class Table:
    """A student of a table: the probability of positive of each word in each of 40 contexts."""

    def __init__(self, seed: int, leaning: dict[str, float] | None = None) -> None:
        self.seed, self.leaning, self.calls = seed, leaning or {}, 0

    def __call__(self, rows: NDArray[np.int64], words: Sequence[str], /) -> NDArray[np.float64]:
        self.calls += 1
        p = np.stack([self.of(word)[rows] for word in words], axis=1)
        return np.stack([1 - p, p], axis=2)

    def of(self, word: str) -> NDArray[np.float64]:
        drawn = np.random.default_rng([self.seed, *word.encode()]).normal(self.leaning.get(word, 0.3), 1, size=40)
        return 1 / (1 + np.exp(-drawn))


def difference(student: Table, control: str, probe: str) -> float:
    """As the paper has it: of the two sets."""
    return biased_set(student, ROWS, control, probe).share - biased_set(student, ROWS, probe, control).share


@pytest.mark.parametrize("seed", range(5))
def test_one_probe_against_all_ordered_pairs(seed: int) -> None:
    student = Table(seed, {"probe": -0.3})
    found = placebo_test(student, ROWS, "control", ["probe"], PLACEBOS)
    words = ["control", "probe", *PLACEBOS]
    observed = difference(student, "control", "probe")
    pairs = [difference(student, a, b) for a in words for b in words if a != b]
    assert found.difference == pytest.approx(observed)
    assert found.exact and found.choices == len(pairs)
    assert found.p_value == pytest.approx(np.mean([pair >= observed - 1e-12 for pair in pairs]))
    alone = [difference(student, "control", placebo) for placebo in PLACEBOS]
    assert found.differences == pytest.approx(alone) and found.placebos == tuple(PLACEBOS)
    assert found.reaching == pytest.approx(np.mean([value >= observed - 1e-12 for value in alone]))


@pytest.mark.parametrize("seed", range(3))
def test_several_probes_against_all_choices_of_a_control_and_as_many(seed: int) -> None:
    student = Table(seed, {"probe": -0.5})
    found = placebo_test(student, ROWS, "control", ["probe", "other"], PLACEBOS)
    words = ["control", "probe", "other", *PLACEBOS]
    positive = {word: int((student.of(word) > 0.5).sum()) for word in words}
    observed = 2 * positive["control"] - positive["probe"] - positive["other"]
    choices = [
        2 * positive[a] - positive[b] - positive[c] >= observed
        for a in words
        for b, c in combinations([word for word in words if word != a], 2)
    ]
    assert found.p_value == pytest.approx(np.mean(choices)) and found.choices == len(choices)
    assert found.difference == pytest.approx(observed / (2 * len(ROWS)))
    both = [difference(student, "control", probe) for probe in ("probe", "other")]
    assert found.difference == pytest.approx(np.mean(both))


def test_draws_come_near_the_count_and_repeat_by_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    student = Table(1, {"probe": 0.0})
    exact = placebo_test(student, ROWS, "control", ["probe", "other"], PLACEBOS)
    monkeypatch.setattr(word_permutation, "MOST_LISTED", 10)
    monkeypatch.setattr(word_permutation, "_KEYS_AT_ONCE", 1000)

    def drawn(seed: int) -> float:
        rng = np.random.default_rng(seed)
        found = placebo_test(student, ROWS, "control", ["probe", "other"], PLACEBOS, draws=20_000, rng=rng)
        assert not found.exact and found.choices == exact.choices
        return found.p_value

    assert 0.02 < exact.p_value < 0.98 and drawn(0) == pytest.approx(exact.p_value, abs=0.015)
    assert drawn(0) == drawn(0) and drawn(0) != drawn(1)
    with pytest.raises(ValueError, match=r"sampled: give rng=numpy.random.default_rng"):
        placebo_test(student, ROWS, "control", ["probe", "other"], PLACEBOS)


def test_a_planted_bias_is_found_and_its_mirror_image_is_not() -> None:
    many = [f"p{n}" for n in range(40)]
    student = Table(0, {"probe": -3.0})
    found = placebo_test(student, ROWS, "control", ["probe"], many)
    assert found.p_value < 0.03 and found.reaching == 0 and found.difference > 0.3
    mirrored = placebo_test(student, ROWS, "probe", ["control"], many)
    assert mirrored.difference == pytest.approx(-found.difference) and mirrored.p_value > 0.97


def test_words_without_any_bias_are_seldom_rejected() -> None:
    """Exchangeable words: a p-value of at most .1 in at most about a tenth of the tests."""
    p = [placebo_test(Table(seed), ROWS, "control", ["probe"], PLACEBOS).p_value for seed in range(300)]
    assert np.mean(np.array(p) <= 0.1) <= 0.13 and min(p) > 0


def test_the_student_is_asked_once_for_all_words_or_in_portions_that_change_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    student = Table(0)
    whole = placebo_test(student, ROWS, "control", ["probe"], PLACEBOS)
    assert student.calls == 1
    monkeypatch.setattr(word_replacements, "VALUES_AT_ONCE", 2 * 2 * len(ROWS))
    parts = placebo_test(student, ROWS, "control", ["probe"], PLACEBOS)
    assert student.calls > 4 and parts.differences.tolist() == whole.differences.tolist()


def test_words_of_the_test_are_no_placebos() -> None:
    student = Table(2)
    noisy = placebo_test(student, ROWS, "control", ["probe"], ["probe", *PLACEBOS, "control", "p0"])
    clean = placebo_test(student, ROWS, "control", ["probe"], PLACEBOS)
    assert noisy.placebos == clean.placebos and noisy.p_value == clean.p_value


def test_bad_input_is_explained() -> None:
    assert_refused(
        lambda rows, control, probes, placebos: placebo_test(Table(0), rows, control, probes, placebos),
        [
            (ROWS, "control", ["control"], PLACEBOS, "control word 'control' is among the probe words"),
            (ROWS, "control", [], PLACEBOS, r"the list of probe words is \[\]"),
            (ROWS, "control", "probe", PLACEBOS, "list of probe words is 'probe'"),
            (ROWS, "control", ["probe"], ["probe"], r"without the control and the probe words, is \(\)"),
            (ROWS[:0], "control", ["probe"], PLACEBOS, "no context to probe"),
        ],
    )
