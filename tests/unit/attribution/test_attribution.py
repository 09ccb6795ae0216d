"""One function for all methods: three lines on a function of one's own, labels, seeds, costs, and what is refused."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from explanations import explanation
from refusals import assert_refused
from tiny_classifier import tiny_bert_classifier

from trustnlp.attribution import word_attributions
from trustnlp.attribution.attribution import METHODS, attribute
from trustnlp.attribution.model_calls import Floats
from trustnlp.attribution.text_models import ModelError, TransformerModel
from trustnlp.attribution.word_scores import Attribution, spans

REMOVING = [method for method in METHODS if method not in ("gradient_x_input", "integrated_gradients")]
DRAWN = ["lime", "kernel_shap", "random"]
WEIGHTS = {"good": 2.0, "bad": -2.0, "slow": -1.0, "not": 0.5, "[MASK]": 0.1}
FILM = "a good film , but slow , very slow"


class Bag:
    """The sum of words' weights, and a little for their order; notes what it is asked."""

    mask = "[MASK]"

    def __init__(self) -> None:
        self.calls: list[list[str]] = []

    def probabilities(self, texts: Sequence[str], /) -> Floats:
        self.calls.append(list(texts))
        sums = [sum(WEIGHTS.get(word, 0.0) / (1 + at) ** 0.1 for at, word in enumerate(t.split())) for t in texts]
        positive = 1 / (1 + np.exp(-np.array(sums)))
        return np.stack([1 - positive, positive], axis=1)

    def positive(self, text: str) -> float:
        return float(self.probabilities([text])[0, 1])


@pytest.fixture(scope="module")
def pair() -> tuple[Any, Any]:
    return tiny_bert_classifier(labels=3)


# --- what a reader does -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", REMOVING)
def test_every_method_scores_every_word_of_a_function(method: str) -> None:
    bag = Bag()
    found = attribute(bag.probabilities, FILM, method, samples=300)
    [texts] = bag.calls
    assert len(texts) == len(set(texts)) == found.passes
    assert found.words == tuple(FILM.split()) and found.scores.shape == (9,)
    assert found.value == bag.probabilities([FILM])[0, found.label]
    assert found.scores[5] == found.scores[8], "both are slow, and go together"
    assert (found.fit is not None) == method.startswith("lime")
    narrow = attribute(bag, FILM, method, samples=300, kernel_width=2.0)
    assert np.array_equal(narrow.scores, found.scores) != method.startswith("lime")
    assert not found.scores.flags.writeable
    if method != "random":
        assert max(found.ranked(), key=lambda row: row[1])[0] == "good"


def test_gradients_of_an_object_that_has_a_transformer(pair: tuple[Any, Any]) -> None:
    class Wrapped(Bag):
        transformer = TransformerModel(*pair)

    found, expected = (attribute(model, "a good film", "gradient_x_input") for model in (Wrapped(), pair))
    np.testing.assert_array_equal(found.scores, expected.scores)
    assert (found.removed, found.baseline) == ("no word is removed", None)


# --- scores -----------------------------------------------------------------------------------------------------------


def test_occlusion_leaves_all_occurrences_out_or_masks_one() -> None:
    bag = Bag()
    whole = bag.positive(FILM)
    left_out = attribute(bag, FILM, label=1)
    np.testing.assert_allclose(left_out.scores[1], whole - bag.positive(FILM.replace("good ", "")))
    np.testing.assert_allclose(left_out.scores[[5, 8]], whole - bag.positive("a good film , but , very"))
    assert left_out.passes == 8 and left_out.removed == "removed words are left out"
    masked = attribute(bag, FILM, label=1, removal="mask")
    np.testing.assert_allclose(masked.scores[8], whole - bag.positive("a good film , but slow , very [MASK]"))
    assert masked.passes == 10 and masked.removed == "[MASK] stands for a removed word"
    assert len(left_out.ranked()) == 7 and len(masked.ranked()) == 9


@pytest.mark.parametrize("method", METHODS)
def test_a_text_has_the_same_scores_alone_and_among_others(pair: tuple[Any, Any], method: str) -> None:
    texts = ["a good film", "unwatchable", "very slow , very bad"]
    together = attribute(pair, texts, method, samples=50, steps=4, generator=3)
    backwards = attribute(pair, texts[::-1], method, samples=50, steps=4, generator=3)[::-1]
    for text, one, other in zip(texts, together, backwards, strict=True):
        alone = attribute(pair, text, method, samples=50, steps=4, generator=3)
        for found in (one, other):
            assert (found.words, found.label) == (alone.words, alone.label)
            np.testing.assert_allclose(found.scores, alone.scores, atol=1e-5)


def test_many_texts_are_asked_in_few_calls_of_bounded_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_attributions, "_AT_ONCE", 20)
    bag = Bag()
    texts = [f"w{number} is a film" for number in range(13)]
    found = attribute(bag, texts)
    # Four explanations of five texts each fill a call; the text without its first word is the same for all.
    assert [len(call) for call in bag.calls] == [17, 17, 17, 5]
    assert [one.words[0] for one in found] == [f"w{number}" for number in range(13)]
    assert attribute(bag, "  2\u00a01/2 \n hours\tlong ").words == ("2\u00a01/2", "hours", "long"), "ASCII blanks alone"
    attribute(bag, FILM, "lime_exact")
    assert len(bag.calls[-1]) == 128, "one explanation is never cut"


@pytest.mark.parametrize("method", DRAWN)
def test_seeds_and_generators(method: str) -> None:
    def scores(generator: Any) -> Floats:
        return attribute(Bag(), FILM + " , and long", method, samples=60, generator=generator).scores

    np.testing.assert_array_equal(scores(1), scores(1))
    assert not np.array_equal(scores(1), scores(2))
    np.testing.assert_array_equal(scores(np.random.default_rng(1)), scores(np.random.default_rng(1)))
    one = np.random.default_rng(1)
    assert not np.array_equal(scores(one), scores(one))
    first, second = attribute(Bag(), ["a b c d", "e f g h"], "random")
    assert not np.array_equal(first.scores, second.scores), "different texts have different draws"


# --- labels -----------------------------------------------------------------------------------------------------------


def test_the_most_likely_label_is_explained_unless_another_is_asked_for() -> None:
    names = ["negative", "positive"]
    found = attribute(Bag(), ["a good film", "a bad film"], class_names=names)
    assert [(one.label, one.label_name) for one in found] == [(1, "positive"), (0, "negative")]
    assert [one.ranked()[0][1] > 0 for one in found] == [True, True]
    by_number, by_name = (attribute(Bag(), "a good film", label=label, class_names=names) for label in (0, "negative"))
    np.testing.assert_allclose(by_number.scores, -found[0].scores)
    np.testing.assert_array_equal(by_number.scores, by_name.scores)
    for label in range(2):
        masked = attribute(Bag(), FILM, "shapley", label=label)
        assert masked.total == pytest.approx(masked.value - masked.baseline)


def test_a_transformer_knows_the_names_of_its_classes() -> None:
    named = tiny_bert_classifier(id2label={0: "dull", 1: "fine"})
    for method in ("occlusion", "gradient_x_input"):
        found = attribute(named, "a good film", method, label="fine")
        assert (found.label, found.label_name) == (1, "fine")
        assert attribute(named, "a film", method, class_names=("x", "y")).label_name in "xy"


# --- what is shown ----------------------------------------------------------------------------------------------------


def shown(**more: Any) -> Attribution:
    scores = {"very": -0.1, "slow": 0.4, "</span>": 0.0, '<b>"&amp;': 3e-6, "film": -0.001}
    return replace(explanation(scores), label_name="<negative>", passes=1234, **more)


def test_the_text_form_is_readable_without_colour() -> None:
    assert shown().text() == str(shown())
    assert shown().text().split("\n") == [
        "<negative>: probability 0.900",
        "occlusion; removed words are left out; 1,234 passes",
        "very       -0.100  -----",
        "slow       +0.400  ++++++++++++++++++++",
        "</span>         0",
        '<b>"&amp;  +3e-06',
        "film       -0.001",
    ]
    head = replace(shown(baseline=0.5, fit=0.834), passes=1).text().split("\n")
    assert head[0].endswith("0.900, 0.500 without words") and head[1].endswith("; 1 pass")
    assert head[2] == "a sum over words describes the model near this text with R² = 0.83"
    integral = shown(method="integrated_gradients", baseline=0.5, quantity="score").text()
    assert "the scores add up to 0.299, which is 0.1 off the difference" in integral


def test_html_is_escaped_and_has_no_script() -> None:
    page = shown()._repr_html_()
    assert "&lt;/span&gt;" in page and "&amp;amp;" in page and "&lt;negative&gt;: prob" in page
    assert set(re.findall(r"<(\w+)", page)) == {"div", "p", "small", "br", "span"}


def test_html_says_sign_and_size_without_colour_too() -> None:
    against, speaks_for, nothing = re.findall("<span .*?>", spans(["very", "slow", "film"], np.array([-0.2, 0.4, 0.0])))
    assert 'title="-0.200"' in against and 'title="+0.400"' in speaks_for and 'title="0"' in nothing
    assert "dotted" in against and "solid" in speaks_for
    assert "underline" not in nothing and "background" not in nothing
    # Translucent, and no colour of text: both light and dark pages stay readable.
    alphas = [float(re.findall(r"rgba\(.*?, ([\d.]+)\)", word)[0]) for word in (against, speaks_for)]
    assert alphas[0] < alphas[1] <= 0.5
    assert not any(re.search(r"[\";\s]color:", word) for word in (against, speaks_for, nothing))


# --- what is refused --------------------------------------------------------------------------------------------------


def test_what_cannot_be_explained_is_refused(pair: tuple[Any, Any]) -> None:
    bag, long = Bag(), " ".join(f"w{number}" for number in range(13))
    assert_refused(
        lambda model, texts, options: attribute(model, texts, **options),
        [
            (bag, "a", {"method": "shap"}, "no method is called 'shap'; did you mean '(kernel_)?shap(ley)?'?.*random"),
            (bag, "a", {"method": "integrated-gradients"}, "did you mean 'integrated_gradients'"),
            (bag, [], {}, "no text to explain"),
            (bag, "a", {"removal": "delete"}, "one of leave_out, mask, got 'delete'"),
            (bag, long, {"method": "shapley"}, "13 different words take 8,192 passes.*kernel_shap"),
            (bag, long, {"method": "kernel_shap", "samples": 10}, "10 samples are too few for 13 words"),
            (bag, "a", {"label": "good", "class_names": ("no", "yes")}, "the classes are no, yes"),
        ],
    )
    assert_refused(
        lambda model, texts, options: attribute(model, texts, **options),
        [
            (bag, [b"a"], {}, "a text is a string, text 0 is of type bytes"),
            (bag, "a", {"method": "integrated_gradients"}, r"needs gradients: give a pair \(model, tokenizer\)"),
            (pair[0], "a", {}, "without its tokenizer"),
        ],
        TypeError,
    )
    with pytest.raises(ModelError, match="nan"):
        attribute(lambda texts: [[float("nan"), 1.0]] * len(texts), "a film")


def test_arguments_of_another_type_are_refused_in_one_sentence() -> None:
    """`label=True` was a matrix of the wrong shape, `None` as a text or seed a TypeError of Python's."""
    bag, text = Bag(), "a good film"

    label = "label is the number of a class, such as 1, or its name, got "
    seed = "generator is a numpy.random.Generator, or"
    rows: list[tuple[dict[str, Any], str]] = [
        ({"texts": None}, "texts is one text .a str. or a list of texts, got None, which is of type NoneType"),
        *(({"label": given}, label) for given in (True, torch.tensor(True), 1.0, torch.ones(2))),
        *(({"generator": given}, seed) for given in (None, 0.5, np.random.RandomState(0))),
        *(({"samples": given, "method": "lime"}, "samples is a whole number") for given in (None, "5")),
        ({"steps": False}, "steps is a whole number, such as 50"),
        *(({"kernel_width": given}, "kernel_width is a number") for given in (None, True, 10**400)),
        *(({"class_names": given}, "class_names is a list") for given in ("no", 2, [0, 1])),
    ]

    def attempt(options: dict[str, Any]) -> None:
        attribute(bag, **({"texts": text} | options))

    assert_refused(attempt, rows, TypeError)
    assert_refused(attempt, [({"generator": -1}, "0 or more, got -1"), ({"removal": None}, "one of leave_out, mask")])


def test_whole_numbers_of_other_libraries_are_numbers_and_texts_may_come_one_by_one() -> None:
    plain = attribute(Bag(), ["a good film", "slow"], "lime", label=1, samples=50, generator=3)
    other = attribute(
        Bag(),
        (text for text in ("a good film", "slow")),  # type: ignore[arg-type]
        "lime", label=np.int64(1), samples=np.int32(50), generator=torch.tensor(3), kernel_width=np.float32(25),
    )  # type: ignore[call-overload]  # fmt: skip
    assert [one.scores.tolist() for one in other] == [one.scores.tolist() for one in plain]
    assert {type(one.label) for one in other} == {int}
