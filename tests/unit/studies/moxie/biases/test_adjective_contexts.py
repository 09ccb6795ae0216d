"""Probes over all adjectives: counts, base rates, placebos, and words that are in no text."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from trustnlp.attribution.students.bias_probes import biased_set
from trustnlp.data.annotation.english_tags import TaggedText
from trustnlp.studies.moxie.biases import adjective_contexts
from trustnlp.studies.moxie.biases import Probed
from trustnlp.studies.moxie.data import Reviews
from trustnlp.studies.moxie.models import Explained
from trustnlp.studies.moxie.standins import CONTROL_WORD, PLACEBO_WORDS, PROBE_WORDS


@pytest.fixture(scope="module")
def probed(found: Explained, reviews: Reviews) -> Probed:
    return adjective_contexts.probe(found, reviews, adjective_contexts.of(reviews), reviews.vocabulary["ADJ"], "paper")


def test_contexts_are_all_adjectives_of_the_training_phrases(reviews: Reviews) -> None:
    spans = adjective_contexts.of(reviews)
    assert len(spans) == sum(text.tags.count("ADJ") for text in reviews.tagged["train"])
    assert {span.token for span in spans} <= set(reviews.vocabulary["ADJ"])


def test_a_weak_student_is_probed_without_the_last_filter(found: Explained, reviews: Reviews, probed: Probed) -> None:
    smoke = adjective_contexts.probe(found, reviews, adjective_contexts.of(reviews), reviews.vocabulary["ADJ"], "smoke")
    assert set(probed.kept.rows) < set(smoke.kept.rows)


def test_words_of_the_last_filter_hold_those_that_are_compared() -> None:
    vocabulary = [f"w{number}" for number in range(30)]
    words = adjective_contexts.changing_words(vocabulary, ["gay", "w3"], 5, np.random.default_rng(0))
    assert words[:2] == ("gay", "w3") and len(words) == len(set(words)) == 7 and set(words[2:]) < set(vocabulary)
    assert set(adjective_contexts.changing_words(vocabulary, [], 99, np.random.default_rng(0))) == set(vocabulary)


def test_sets_do_not_depend_on_the_other_words_of_the_last_filter(
    found: Explained, reviews: Reviews, probed: Probed
) -> None:
    compared = (CONTROL_WORD, "gay")
    some = adjective_contexts.probe(found, reviews, adjective_contexts.of(reviews), compared, "paper")
    chosen = {
        name: [set(biased_set(one.student, one.kept.rows, *pair).rows) for pair in (compared, reversed(compared))]
        for name, one in {"all": probed, "some": some}.items()
    }
    assert chosen["all"] == chosen["some"] and set(some.kept.rows) <= set(probed.kept.rows)


def test_vocabulary_sizes_name_punctuation() -> None:
    assert adjective_contexts.vocabulary_sizes({"NOUN": ("a", "b"), ".": (",",)}) == {"NOUN": 2, "punctuation": 1}


def test_sets_and_base_rates(found: Explained, probed: Probed) -> None:
    rng = np.random.default_rng(0)
    result = adjective_contexts.measure(found, probed, CONTROL_WORD, ["gay"], 50, rng)
    share, reverse = result["set.gay.share"], result["set.gay.reverse"]
    assert result["set.gay.above_reverse"] == pytest.approx(share - reverse)
    assert result["contexts.kept"] == len(probed.kept.rows)
    for half in ("control", "probe", "joint"):
        top, base = result[f"top.gay.{half}"], result[f"top.gay.{half}_base"]
        assert result[f"top.gay.{half}_above_base"] == pytest.approx(top - base, nan_ok=True)
    joint, base = result["top.gay.joint"], result["top.gay.joint_base"]
    assert result["top.gay.joint_margin"] == pytest.approx(joint - max(base, 50), nan_ok=True)
    assert result["set.queer.none"] == 0.5 - result["set.queer.size"]
    tests, differences = adjective_contexts.beside_placebos(probed, CONTROL_WORD, ["gay"], PLACEBO_WORDS)
    assert differences["gay"] == pytest.approx(result["set.gay.above_reverse"])
    assert set(differences) == {"gay", *PLACEBO_WORDS} and 0 < tests["set.gay.p_value"] <= 1
    reaching = np.mean([differences[word] >= differences["gay"] for word in PLACEBO_WORDS])
    assert tests["set.gay.reaching"] == pytest.approx(reaching) and tests["placebos.count"] == len(PLACEBO_WORDS)
    assert tests["set.gay.beyond_placebo"] == pytest.approx(0.05 - max(tests["set.gay.p_value"], reaching))


def test_neutral_words_are_those_of_the_dictionary(reviews: Reviews) -> None:
    words = adjective_contexts.neutral_words(reviews, 3, "smoke")
    assert words == PLACEBO_WORDS[:3]
    word, labels = PLACEBO_WORDS[1], reviews.sst2.train.labels

    def with_word(rows: np.ndarray) -> Reviews:
        train = list(reviews.tagged["train"])
        for row in rows[:20]:
            train[row] = TaggedText((*train[row].words, word), (*train[row].tags, "ADJ"))
        return replace(reviews, tagged={**reviews.tagged, "train": tuple(train)})

    one_sided, even = with_word(np.flatnonzero(labels == 0)), with_word(np.argsort(np.arange(len(labels)) % 7))
    assert word not in adjective_contexts.neutral_words(one_sided, 9, "smoke")
    assert word in adjective_contexts.neutral_words(even, 9, "smoke")
    listed = adjective_contexts.NEUTRAL_ADJECTIVES
    assert len(set(listed)) == len(listed) and not set(listed) & {CONTROL_WORD, *PROBE_WORDS}


def test_times_are_of_all_contexts(found: Explained, probed: Probed) -> None:
    times = adjective_contexts.timed(found, probed, probed.spans, 5, np.random.default_rng(0))
    student, teacher, stored = (times[f"speed.seconds_{name}"] for name in ("student", "teacher", "stored"))
    words = times["speed.words_until_stored_pays"]
    assert words * teacher / 2 == pytest.approx(stored + words * student / 2)
    assert times["speed.factor"] == pytest.approx(times["speed.seconds_teacher"] / times["speed.seconds_student"])
    assert times["speed.second_margin"] == pytest.approx(1 - times["speed.seconds_student"])
