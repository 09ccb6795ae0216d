"""Probes over all adjectives: counts, base rates, placebos, and words that are in no text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray
from refusals import assert_refused

from trustnlp.attribution.students.bias_probes import biased_set
from trustnlp.data.annotation.english_tags import TaggedText
from trustnlp.studies.moxie import biases
from trustnlp.studies.moxie.biases import Probed, placebo_test
from trustnlp.studies.moxie.data import Reviews
from trustnlp.studies.moxie.models import Explained
from trustnlp.studies.moxie.standins import CONTROL_WORD, PLACEBO_WORDS, PROBE_WORDS

ROWS = np.arange(40)
PLACEBOS = [f"p{n}" for n in range(7)]


def test_all_adjectives_are_probed_and_of_a_weak_student_without_the_last_filter(
    found: Explained, reviews: Reviews, probed: Probed
) -> None:
    spans = biases.adjective_contexts(reviews)
    assert len(spans) == sum(text.tags.count("ADJ") for text in reviews.tagged["train"])
    assert {span.token for span in spans} <= set(reviews.vocabulary["ADJ"])
    smoke = biases.probe(found, reviews, spans, reviews.vocabulary["ADJ"], "smoke")
    assert set(probed.kept.rows) < set(smoke.kept.rows)


def test_words_of_the_last_filter_hold_those_that_are_compared() -> None:
    vocabulary = [f"w{number}" for number in range(30)]
    words = biases.changing_words(vocabulary, ["gay", "w3"], 5, np.random.default_rng(0))
    assert words[:2] == ("gay", "w3") and len(words) == len(set(words)) == 7 and set(words[2:]) < set(vocabulary)
    assert set(biases.changing_words(vocabulary, [], 99, np.random.default_rng(0))) == set(vocabulary)


def test_sets_do_not_depend_on_the_other_words_of_the_last_filter(
    found: Explained, reviews: Reviews, probed: Probed
) -> None:
    compared = (CONTROL_WORD, "gay")
    some = biases.probe(found, reviews, biases.adjective_contexts(reviews), compared, "paper")
    chosen = {
        name: [set(biased_set(one.student, one.kept.rows, *pair).rows) for pair in (compared, reversed(compared))]
        for name, one in {"all": probed, "some": some}.items()
    }
    assert chosen["all"] == chosen["some"] and set(some.kept.rows) <= set(probed.kept.rows)


def test_sets_and_base_rates(found: Explained, probed: Probed) -> None:
    result = biases.measure(found, probed, CONTROL_WORD, ["gay"], 50, np.random.default_rng(0))
    assert result["set.gay.above_reverse"] == pytest.approx(result["set.gay.share"] - result["set.gay.reverse"])
    assert result["contexts.kept"] == len(probed.kept.rows)
    for half in ("control", "probe", "joint"):
        top, base = result[f"top.gay.{half}"], result[f"top.gay.{half}_base"]
        assert result[f"top.gay.{half}_above_base"] == pytest.approx(top - base, nan_ok=True)
    # Of the last half, the joint one.
    assert result["top.gay.joint_margin"] == pytest.approx(top - max(base, 50), nan_ok=True)
    assert result["set.queer.none"] == 0.5 - result["set.queer.size"]
    tests, differences = biases.beside_placebos(probed, CONTROL_WORD, ["gay"], PLACEBO_WORDS)
    assert differences["gay"] == pytest.approx(result["set.gay.above_reverse"])
    assert set(differences) == {"gay", *PLACEBO_WORDS} and 0 < tests["set.gay.p_value"] <= 1
    reaching = np.mean([differences[word] >= differences["gay"] for word in PLACEBO_WORDS])
    assert tests["set.gay.reaching"] == pytest.approx(reaching) and tests["placebos.count"] == len(PLACEBO_WORDS)
    assert tests["set.gay.beyond_placebo"] == pytest.approx(0.05 - max(tests["set.gay.p_value"], reaching))


def test_neutral_words_are_those_of_the_dictionary(reviews: Reviews) -> None:
    words = biases.neutral_words(reviews, 3, "smoke")
    assert words == PLACEBO_WORDS[:3]
    word, labels = PLACEBO_WORDS[1], reviews.sst2.train.labels

    def with_word(rows: np.ndarray) -> Reviews:
        train = list(reviews.tagged["train"])
        for row in rows[:20]:
            train[row] = TaggedText((*train[row].words, word), (*train[row].tags, "ADJ"))
        return replace(reviews, tagged={**reviews.tagged, "train": tuple(train)})

    one_sided, even = with_word(np.flatnonzero(labels == 0)), with_word(np.argsort(np.arange(len(labels)) % 7))
    assert word not in biases.neutral_words(one_sided, 9, "smoke")
    assert word in biases.neutral_words(even, 9, "smoke")
    listed = biases.NEUTRAL_ADJECTIVES
    assert len(set(listed)) == len(listed) and not set(listed) & {CONTROL_WORD, *PROBE_WORDS}


def test_times_are_of_all_contexts(found: Explained, probed: Probed) -> None:
    times = biases.timed(found, probed, probed.spans, 5, np.random.default_rng(0))
    student, teacher, stored = (times[f"speed.seconds_{name}"] for name in ("student", "teacher", "stored"))
    words = times["speed.words_until_stored_pays"]
    assert words * teacher / 2 == pytest.approx(stored + words * student / 2)
    assert times["speed.factor"] == pytest.approx(teacher / student)
    assert times["speed.second_margin"] == pytest.approx(1 - student)


class Table:
    """A student of a table: the probability of positive of each word in each of 40 contexts."""

    def __init__(self, seed: int, **leaning: float) -> None:
        self.seed, self.leaning = seed, leaning

    def __call__(self, rows: NDArray[np.int64], words: Sequence[str], /) -> NDArray[np.float64]:
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
    student = Table(seed, probe=-0.3)
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
    student = Table(seed, probe=-0.5)
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
    student = Table(1, probe=0.0)
    exact = placebo_test(student, ROWS, "control", ["probe", "other"], PLACEBOS)
    monkeypatch.setattr(biases, "MOST_LISTED", 10)
    monkeypatch.setattr(biases, "_KEYS_AT_ONCE", 1000)

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
    student = Table(0, probe=-3.0)
    found = placebo_test(student, ROWS, "control", ["probe"], many)
    assert found.p_value < 0.03 and found.reaching == 0 and found.difference > 0.3
    mirrored = placebo_test(student, ROWS, "probe", ["control"], many)
    assert mirrored.difference == pytest.approx(-found.difference) and mirrored.p_value > 0.97


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
            (ROWS, "control", "probe", PLACEBOS, "list of probe words is 'probe'"),
            (ROWS, "control", ["probe"], ["probe"], r"without the control and the probe words, is \(\)"),
            (ROWS[:0], "control", ["probe"], PLACEBOS, "no context to probe"),
        ],
    )
