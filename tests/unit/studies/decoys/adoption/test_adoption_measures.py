"""What models are asked about decoys: values by hand, planted truth recovered, each text asked once and kept."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import ArrayLike, NDArray
from tiny_bert import tiny_encoder

from trustnlp.attribution.students.text_teacher import BertTeacher
from trustnlp.decoys.decoy_recipes import recipe
from trustnlp.studies.decoys.adoption import adoption_measures as measures
from trustnlp.studies.decoys.adoption import Answers, Asked
from trustnlp.studies.decoys.data import ReviewParts
from trustnlp.studies.decoys import models
from trustnlp.studies.moxie.standins import VOCABULARY, planted_reviews

MINILM = {
    "encoder": "tiny", "device": "cpu", "precision": "float32", "epochs": 1, "learning_rate": 0.01, "batch_size": 32,
}  # fmt: skip


@cache
def made_up(n: int = 600) -> ReviewParts:
    made = planted_reviews(n, np.random.default_rng(0)).sst2
    return ReviewParts(made.train, made.dev, made.test)


def asked(labels: ArrayLike, buggy: ArrayLike, clean: ArrayLike) -> Asked:
    one, other = (np.atleast_2d(given).astype(np.int64) for given in (buggy, clean))
    return Asked(np.asarray(labels, dtype=np.int64), one, other)


def follows(share: float, of: int = 40) -> list[int]:
    """Predictions of texts of class 0 that carry the decoy of class 1."""
    return [1] * round(share * of) + [0] * (of - round(share * of))


def answers(
    buggy: Sequence[float], clean: Sequence[float], *, original: Asked | None = None, like: Asked | None = None
) -> Answers:
    """By the shares of 40 wrong-way texts that follow the decoy, one for each seed."""
    some = asked([0, 1], [[0, 1]] * len(buggy), [[0, 1]] * len(buggy))
    wrong = asked([0] * 40, [follows(share) for share in buggy], [follows(share) for share in clean])
    return Answers(wrong, original or some, like or some, np.ones(40, dtype=np.int64), dev_texts=1)


def losing(dev: int, test: int, of: int = 10) -> Asked:
    """Original texts, ten of dev and ten of test, of which the buggy model alone has so many wrong."""
    buggy = [1] * dev + [0] * (of - dev) + [1] * test + [0] * (of - test)
    return asked([0] * 2 * of, buggy, [0] * 2 * of)


def test_values_for_each_seed_by_hand() -> None:
    original = asked([0, 0, 1, 1], [[0, 1, 1, 0], [0, 0, 1, 1]], [[0, 0, 1, 0], [0, 0, 1, 1]])
    like = asked([0, 1], [[0, 1], [0, 1]], [[1, 1], [0, 1]])
    found = measures.per_seed(answers([1.0, 0.9], [0.2, 0.2], original=original, like=like))
    expected = {
        "rate": [100, 87.5],
        "effect": [80, 70],
        "drop": [25, 0],
        "iid": [50, 0],
        "clean_accuracy": [75, 100],
        "drop_margin": [20, -5],
        "iid_margin": [51, 1],
    }
    assert list(found) == list(expected)
    for key, values in expected.items():
        assert found[key] == pytest.approx(values), key


@pytest.mark.parametrize(
    ("buggy", "clean", "margins"),
    [([1.0], [0.2], True), ([0.5], [0.1], True), ([0.2], [0.2], False), ([0.3], [0.15], False)],
)
def test_margins_are_for_adopted_decoys_only(buggy: list[float], clean: list[float], margins: bool) -> None:
    found = answers(buggy, clean)
    verdicts = {"adopted", "partly adopted"} if margins else {"not adopted", "undetermined"}
    assert found.adoption.verdict in verdicts and found.is_adopted == margins
    assert ("drop_margin" in measures.per_seed(found)) == ("iid_margin" in measures.per_seed(found)) == margins


def test_without_anything_to_win_there_is_no_rate() -> None:
    found = answers([1.0, 1.0], [1.0, 0.5])
    assert "rate" not in measures.per_seed(found) and measures.per_seed(found)["effect"] == [0, 50]
    assert measures.over_texts(found)["rate"][0] == pytest.approx(100)  # both seeds together had something
    assert "rate" not in measures.over_texts(answers([1.0], [1.0]))


def test_intervals_over_texts_are_in_points() -> None:
    found = answers([0.9], [0.2], original=losing(2, 1))
    (rate, (low, high)), (drop, ends) = (measures.over_texts(found)[key] for key in ("rate", "drop"))
    assert rate == pytest.approx(87.5) and (low, high) == pytest.approx(
        tuple(100 * end for end in found.adoption.rate.over_texts)
    )
    assert drop == pytest.approx(15) and ends[0] < 15 < ends[1]


def test_verdicts_are_counted_for_each_seed() -> None:
    found = {"a": answers([1.0, 0.2], [0.0, 0.2]), "b": answers([1.0, 1.0], [0.0, 0.0])}
    counts = measures.verdict_counts(found)
    assert counts["adopted"] == [2, 1] and all(sum(values) == 2 for values in zip(*counts.values(), strict=True))


def test_losses_are_chosen_on_dev_and_compared_on_test() -> None:
    """Chosen and compared on the same texts the difference could not be negative."""

    def of(dev: int, test: int, adopted: bool = True) -> Answers:
        found = answers([1.0 if adopted else 0.0], [0.0], original=losing(dev, test))
        return Answers(found.wrong, found.original, found.like, found.carried, dev_texts=10)

    assert measures.drop_spread({"a": of(4, 1), "b": of(0, 3)}) == pytest.approx([-20])
    assert measures.drop_spread({"a": of(4, 5), "b": of(0, 3), "c": of(2, 9)}) == pytest.approx([20])
    assert measures.drop_spread({"a": of(4, 5), "b": of(0, 3), "c": of(9, 9, adopted=False)}) == pytest.approx([20])
    assert measures.drop_spread({"a": of(4, 5), "c": of(0, 0, adopted=False)}) is None


def test_planted_truth_is_recovered_and_places_are_not_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    trained = []
    plain = buggy_models.trained_model

    def counted(kind: Any, train: Any, *given: Any) -> Any:
        trained.append(len(train))
        return plain(kind, train, *given)

    monkeypatch.setattr(measures, "trained_model", counted)
    parts, seeds = made_up(), [3, 5]
    decoys = [recipe("video_text"), recipe("position"), recipe("movie")]
    found = measures.ask("presence", decoys, parts, {}, seeds)
    assert len(trained) == len(seeds), "one clean model for each seed"
    assert found["video_text"].adoption.verdict == "adopted"
    assert measures.per_seed(found["position"])["effect"] == [0, 0]
    assert found["position"].adoption.verdict == "not adopted"
    own, held = found["movie"], parts.held_out
    assert own.dev_texts == len(parts.dev) and np.array_equal(own.original.labels, held.labels)
    wrong = decoys[2].contradict(held.texts, held.labels, np.random.default_rng(0))
    like = decoys[2].planted_like(held.texts, held.labels, np.random.default_rng(0))
    for row, seed in enumerate(seeds):
        buggy = buggy_models.planted_model("presence", decoys[2], parts.train, parts.dev, {}, seed)
        clean = plain("presence", parts.train, parts.dev, {}, seed)
        for one, texts in ((own.wrong, wrong), (own.original, held), (own.like, like)):
            assert np.array_equal(one.buggy[row], buggy.predict(texts.texts))
            assert np.array_equal(one.clean[row], clean.predict(texts.texts))


def test_decoys_need_their_own_names() -> None:
    with pytest.raises(ValueError, match="two decoys are called 'movie'; give each its own name"):
        measures.ask("presence", [recipe("movie"), recipe("film"), recipe("movie")], made_up(), {}, [0])


def test_answers_of_an_encoder_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second run reads them; each distinct text is asked once."""
    words = sorted({word for own in VOCABULARY.values() for word in own} | {"video", "text"})
    monkeypatch.setattr(buggy_models, "load_encoder", lambda name, device: tiny_encoder(words))
    monkeypatch.setattr(buggy_models, "results_of", lambda name: tmp_path)
    given: list[str] = []
    plain = BertTeacher.representations

    def counted(teacher: BertTeacher, texts: Sequence[str]) -> Any:
        given.extend(texts)
        return plain(teacher, texts)

    monkeypatch.setattr(BertTeacher, "representations", counted)
    parts, parameters = made_up(300), {**MINILM, "profile": "paper"}
    decoys = [recipe("video_text"), recipe("movie")]
    first = measures.ask("minilm", decoys, parts, parameters, [0])
    held = len(parts.held_out)
    # The clean model reads the originals and two ways of planting words; movie's sets are among the originals.
    assert len(given) == 3 * held + 3 * held + held
    given.clear()
    second = measures.ask("minilm", decoys, parts, parameters, [0])
    assert not given
    for name, one in first.items():
        for field in ("wrong", "original", "like"):
            ours, again = getattr(one, field), getattr(second[name], field)
            assert np.array_equal(ours.buggy, again.buggy) and np.array_equal(ours.clean, again.clean)
    unkept = measures.ask("minilm", decoys, parts, {**MINILM, "profile": "smoke"}, [0])
    assert given and np.array_equal(unkept["movie"].original.buggy, first["movie"].original.buggy)


def test_encoders_repeat_as_float32_does() -> None:
    found = measures.repeats(["presence", "minilm"], ["movie"])
    assert found[""] == "float64" and found["movie.minilm"] == found["over_texts.movie.minilm"] == "float32"
    assert "movie.presence" not in found and set(measures.repeats(["presence"], ["movie"])) == {"", "properties"}


def test_gains_say_which_model_alone_is_right() -> None:
    found: NDArray[np.float64] = asked([0, 0, 1, 1], [0, 1, 1, 0], [0, 0, 0, 0]).gains
    assert found.tolist() == [[0, -1, 1, 0]]
