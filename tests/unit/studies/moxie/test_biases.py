"""Probes over all adjectives: counts, base rates, placebos, and words that are in no text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations, permutations

import numpy as np
import pytest
from numpy.typing import NDArray
from refusals import assert_refused

from trustnlp.attribution.students.bias_probes import biased_set
from trustnlp.attribution.word_replacements import ReplacementModel
from trustnlp.data.annotation.english_tags import TaggedText
from trustnlp.data.texts.film_reviews import Reviews
from trustnlp.data.texts.review_standins import CONTROL_WORD, PLACEBO_WORDS
from trustnlp.studies.moxie import biases
from trustnlp.studies.moxie.biases import Probed, placebo_test
from trustnlp.studies.moxie.models import Explained

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
    top, base = result["top.gay.joint"], result["top.gay.joint_base"]
    assert result["top.gay.joint_above_base"] == pytest.approx(top - base, nan_ok=True)
    assert result["top.gay.joint_margin"] == pytest.approx(top - max(base, 50), nan_ok=True)
    assert result["set.queer.none"] == 0.5 - result["set.queer.size"]
    tests, differences = biases.beside_placebos(probed, CONTROL_WORD, ["gay"], PLACEBO_WORDS)
    assert differences["gay"] == pytest.approx(result["set.gay.above_reverse"])
    assert set(differences) == {"gay", *PLACEBO_WORDS} and 0 < tests["set.gay.p_value"] <= 1
    reaching = np.mean([differences[word] >= differences["gay"] for word in PLACEBO_WORDS])
    assert tests["set.gay.reaching"] == pytest.approx(reaching) and tests["placebos.count"] == len(PLACEBO_WORDS)
    assert tests["set.gay.beyond_placebo"] == pytest.approx(0.05 - max(tests["set.gay.p_value"], reaching))


def test_neutral_words_are_those_of_the_dictionary(reviews: Reviews) -> None:
    assert biases.neutral_words(reviews, 3, "smoke") == PLACEBO_WORDS[:3]
    word, labels = PLACEBO_WORDS[1], reviews.sst2.train.labels

    def with_word(rows: np.ndarray) -> Reviews:
        train = list(reviews.tagged["train"])
        for row in rows[:20]:
            train[row] = TaggedText((*train[row].words, word), (*train[row].tags, "ADJ"))
        return replace(reviews, tagged={**reviews.tagged, "train": tuple(train)})

    one_sided, even = with_word(np.flatnonzero(labels == 0)), with_word(np.argsort(np.arange(len(labels)) % 7))
    assert word not in biases.neutral_words(one_sided, 9, "smoke")
    assert word in biases.neutral_words(even, 9, "smoke")


def test_times_are_of_all_contexts(found: Explained, probed: Probed) -> None:
    times = biases.timed(found, probed, probed.spans, 5, np.random.default_rng(0))
    student, teacher, stored = (times[f"speed.seconds_{name}"] for name in ("student", "teacher", "stored"))
    words = times["speed.words_until_stored_pays"]
    assert words * teacher / 2 == pytest.approx(stored + words * student / 2)
    assert times["speed.factor"] == pytest.approx(teacher / student)


def table(seed: int, **leaning: float) -> ReplacementModel:
    """A student of a table: the probability of positive of each word in each of 40 contexts."""

    def answer(rows: NDArray[np.int64], words: Sequence[str], /) -> NDArray[np.float64]:
        drawn = [np.random.default_rng([seed, *w.encode()]).normal(leaning.get(w, 0.3), size=40)[rows] for w in words]
        p = 1 / (1 + np.exp(-np.stack(drawn, axis=1)))
        return np.stack([1 - p, p], axis=2)

    return answer


def difference(student: ReplacementModel, control: str, probe: str) -> float:
    """As the paper has it: of the two sets."""
    return biased_set(student, ROWS, control, probe).share - biased_set(student, ROWS, probe, control).share


@pytest.mark.parametrize("probes", [["probe"], ["probe", "other"]])
@pytest.mark.parametrize("seed", range(2))
def test_probes_against_all_choices_of_a_control_and_as_many(seed: int, probes: list[str]) -> None:
    student = table(seed, probe=-0.4)
    # Neither a word of the test nor a repeated one counts as a placebo.
    found = placebo_test(student, ROWS, "control", probes, ["probe", *PLACEBOS, "control", "p0"])
    words = ["control", *probes, *PLACEBOS]
    apart = {(a, b): difference(student, a, b) for a, b in permutations(words, 2)}
    observed = np.mean([apart["control", probe] for probe in probes]) - 1e-12
    choices = [
        np.mean([apart[a, b] for b in others])
        for a in words
        for others in combinations([word for word in words if word != a], len(probes))
    ]
    assert found.difference == pytest.approx(observed) and found.exact and found.choices == len(choices)
    assert found.p_value == pytest.approx(np.mean(np.array(choices) >= observed))
    alone = np.array([apart["control", placebo] for placebo in PLACEBOS])
    assert found.differences == pytest.approx(alone) and found.placebos == tuple(PLACEBOS)
    assert found.reaching == pytest.approx(np.mean(alone >= observed))


def test_draws_come_near_the_count_and_repeat_by_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = (table(1, probe=-0.5), ROWS, "control", ["probe", "other"], PLACEBOS)
    exact = placebo_test(*asked)
    monkeypatch.setattr(biases, "MOST_LISTED", 10)
    monkeypatch.setattr(biases, "_KEYS_AT_ONCE", 1000)
    first, again, other = (
        placebo_test(*asked, draws=20_000, rng=np.random.default_rng(seed)).p_value for seed in (0, 0, 1)
    )
    assert 0.6 < exact.p_value < 0.98 and first == pytest.approx(exact.p_value, abs=0.015)
    assert first == again != other
    with pytest.raises(ValueError, match=r"sampled: give rng=numpy.random.default_rng"):
        placebo_test(*asked)


def test_bad_input_is_explained() -> None:
    assert_refused(
        lambda rows, control, probes, placebos: placebo_test(table(0), rows, control, probes, placebos),
        [
            (ROWS, "control", ["control"], PLACEBOS, "control word 'control' is among the probe words"),
            (ROWS, "control", ["probe"], ["probe"], r"without the control and the probe words, is \(\)"),
            (ROWS[:0], "control", ["probe"], PLACEBOS, "no context to probe"),
        ],
    )
