"""One call on a reader's own predictions: made-up texts, planted causes, a page that can be opened offline."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from counted_tables import CAUSE, TWIN, counted_features

from trustnlp.data.registry import DataError
from trustnlp.error_analysis import error_reports
from trustnlp.error_analysis.error_reports import Characterisation, characterise
from trustnlp.error_analysis.feature_rankings import areas_under_curve
from trustnlp.error_analysis.readable_features import FeatureTable
from trustnlp.error_analysis.report_pages import report_page

LABELS = ["bad", "mixed", "good"]
TEXTS = 300
CELLS = ("seat", "meal", "gate", "film", "plot", "desk")


def made(seed: int = 0, rates: tuple[float, float] = (0.8, 0.2), texts: int = TEXTS) -> dict[str, Any]:
    """Predictions that are wrong at two rates, with and without the cause."""
    rng = np.random.default_rng(seed)
    features = counted_features(texts, 10, 0.4, rng)
    truth = rng.integers(0, 3, size=texts)
    wrong = rng.random(texts) < np.where(features.values[:, 0] > 0, *rates)
    predicted = np.where(wrong, (truth + 1 + rng.integers(0, 2, size=texts)) % 3, truth)
    probabilities = np.eye(3)[predicted] * 0.4 + rng.dirichlet([5, 5, 5], size=texts) * 0.6
    return {
        "texts": [f"The {CELLS[row % 6]} of row {row} was fine" for row in range(texts)],
        "truth": truth, "predicted": predicted, "probabilities": probabilities, "features": features,
    }  # fmt: skip


def characterised(given: dict[str, Any] | None = None, seed: int = 0, **settings: Any) -> Characterisation:
    given = made() if given is None else given
    settings = {"learner": "shallow_tree", "repeats": 2, "rng": np.random.default_rng(seed)} | settings
    return characterise(**given, **settings)


@pytest.fixture(scope="module")
def found() -> Characterisation:
    return characterised()


def test_the_planted_cause_is_named_with_its_effect(found: Characterisation) -> None:
    assert [each.name for each in found.slices.causes] == [CAUSE]
    assert found.slices.twins_of(CAUSE) == (TWIN,)
    first = found.features[0]
    assert first.name == CAUSE and first.impurity_rank == 1 and first.direction > 0.4
    assert first.slice is not None and first.slice.effect == pytest.approx(0.6, abs=0.12)
    assert first.slice.low < 0.8 < first.slice.high
    assert found.area > found.area_by_chance
    assert found.error_probability.shape == (TEXTS,)


def test_counts_by_predicted_label_and_at_k(found: Characterisation) -> None:
    given = made()
    wrong = given["truth"] != given["predicted"]
    assert found.texts == TEXTS and found.errors == wrong.sum()
    for label in range(3):
        own = given["predicted"] == label
        assert found.by_class[str(label)] == (own.sum(), wrong[own].sum())
    assert found.ks == (10, 20, 30, 40, 50)
    assert set(found.counts) == {
        "least_confidence", "margin", "entropy",
        "aec", "aec_with_probabilities", "probabilities", "confidence", "predicted_class",
    }  # fmt: skip
    # The rule's own rate of errors is four in five.
    assert found.counts["aec"][-1] > 32 > found.counts["least_confidence"][-1]


def test_labels_may_be_strings_in_any_order(found: Characterisation) -> None:
    given = made()
    named = given | {
        "truth": [LABELS[label] for label in given["truth"]],
        "predicted": np.array(LABELS)[given["predicted"]],
    }
    same = characterised(named, labels=LABELS)
    assert dict(same.by_class) == {LABELS[int(label)]: counts for label, counts in found.by_class.items()}
    assert (same.error_probability == found.error_probability).all()
    assert [each.name for each in same.features] == [each.name for each in found.features]


def test_columns_in_another_order_than_the_labels_are_noted() -> None:
    given = made()
    said, columns = given["predicted"], given["probabilities"]
    agreeing = given | {"probabilities": np.eye(3)[said] * 0.4 + 0.2}
    assert characterised(agreeing).notes == ()
    assert set(characterised(given | {"probabilities": None}).counts) == {"aec"}, "no uncertainty to compare with"
    turned = characterised(given | {"probabilities": columns[:, [1, 2, 0]]})
    unlike = int((columns[:, [1, 2, 0]].argmax(axis=1) != said).sum())
    assert unlike > TEXTS / 2
    assert turned.notes[0].startswith(f"For {unlike} of 300 texts the predicted label is not the likeliest")
    assert turned.notes[0] in report_page(turned)


def test_more_errors_than_correct_predictions_turn_the_undersampling_round() -> None:
    given = made(rates=(0.9, 0.55))
    found = characterised(given)
    assert found.errors > TEXTS / 2 and found.slices.causes[0].name == CAUSE
    assert found.error_probability.mean() == pytest.approx(0.5, abs=0.08)


def test_repeats_of_a_text_do_not_tell_on_each_other() -> None:
    """Every text twice, with features of noise: repeats in two folds would be found again, and the area be high."""
    rng = np.random.default_rng(0)
    half = {"truth": rng.integers(0, 2, size=150), "predicted": rng.integers(0, 2, size=150)}
    noise = rng.random((150, 3))
    texts = [f"Text {row}" for row in range(150)]
    table = FeatureTable(("a", "b", "c"), np.tile(noise, (2, 1)), ("made",) * 3)
    for twice, expected in ((texts * 2, 0.5), ([*texts, *(f"{text}!" for text in texts)], 1.0)):
        found = characterise(
            twice, np.tile(half["truth"], 2), np.tile(half["predicted"], 2),
            features=table, learner="lookup", repeats=1, rng=np.random.default_rng(0),
        )  # fmt: skip
        assert found.area == pytest.approx(expected, abs=0.15)


def test_a_cause_that_is_spread_over_relations_is_found_in_their_sum() -> None:
    rng = np.random.default_rng(1)
    variants, noise = 8, 6
    has = rng.integers(0, 2 * variants, size=TEXTS)  # half of the texts have one of the variants
    values = np.column_stack([np.eye(2 * variants)[has][:, :variants], rng.integers(0, 2, size=(TEXTS, noise))])
    names = (*(f"neg-JJ-{n}" for n in range(variants)), *(f"other {n}" for n in range(noise)))
    truth = rng.integers(0, 2, size=TEXTS)
    wrong = rng.random(TEXTS) < np.where(has < variants, 0.65, 0.3)
    found = characterised({
        "texts": [f"Text {row}" for row in range(TEXTS)], "truth": truth, "predicted": truth ^ wrong,
        "features": FeatureTable(names, values.astype(float), ("dependency",) * variants + ("made",) * noise),
    })  # fmt: skip
    assert found.slices.causes[0].name == "neg-*-*" and found.slices.causes[0].support == (has < variants).sum()
    assert "neg-*-*" not in {each.name for each in found.features}, "the error classifier has the paper's features"
    assert "has neg-*-*" in report_page(found)


def test_the_page_is_whole_and_fetches_nothing(found: Characterisation) -> None:
    page = report_page(found)
    tags = re.findall(r"<(/?\w+)", page)
    lone = {"meta", "path", "circle"}
    assert all(tags.count(f"/{tag}") == tags.count(tag) for tag in {tag.strip("/") for tag in tags} - lone)
    assert not {"script", "link", "img", "iframe", "object"} & set(tags)
    assert not re.search(r"<[^>]*\s(src|href|srcset|data|style|on\w+)=", page)
    assert "http" not in page and "url(" not in page and "@import" not in page
    # Light and dark by the browser's own colours, on a phone by tables that scroll inside themselves.
    assert "color-scheme: light dark" in page and "width=device-width" in page
    assert re.findall(r"#[0-9a-f]{3,6}\b|rgb", page) == []
    assert tags.count("table") == page.count('class="scroll"') == 4
    # A caption inside would be cut off in a narrow window.
    assert "caption" not in tags


def test_the_page_says_what_was_found_and_none_of_the_texts(found: Characterisation) -> None:
    page = report_page(found)
    cause = found.slices.causes[0]
    assert f"has cause (and with it: {TWIN})" in page
    assert f"{100 * cause.rate:.1f} %" in page and f"+{100 * cause.effect:.1f} points" in page
    assert f"{found.errors} of {TEXTS} texts" in page
    assert "of row" not in page
    none = report_page(characterised(made(rates=(0.4, 0.4), seed=5)))
    assert "Nothing is found" in none and "the order below says nothing" in none
    for each, said in ((page, "more errors"), (report_page(characterised(made(rates=(0.2, 0.8)))), "fewer errors")):
        [row] = re.findall(rf"<tr><td>{CAUSE}</td>.*?</tr>", each, re.DOTALL)
        assert re.findall("more errors|fewer errors", row) == [said]


def test_what_chance_gives_is_that_of_scores_that_know_nothing(found: Characterisation) -> None:
    rng = np.random.default_rng(0)
    wrong = np.arange(found.texts) < found.errors
    areas = areas_under_curve(rng.random((4_000, found.texts)), wrong)
    assert found.area_by_chance == pytest.approx(np.quantile(areas, 0.975), abs=0.006)


def test_names_are_escaped_and_constant_features_left_out() -> None:
    given = made()
    table = given["features"]
    values = np.column_stack([table.values, np.full(TEXTS, 2.0)])
    names, groups = ("<script>&", *table.names[1:], "<i>"), ("<b>", *table.groups[1:], "made")
    page = report_page(characterised(given | {"features": FeatureTable(names, values, groups)}))
    assert "the same in all texts: &lt;i&gt;." in page
    assert "has &lt;script&gt;&amp;" in page and "<script" not in page and "<b>" not in page


def test_bad_input_is_explained() -> None:
    good = made()
    few = good | {"predicted": np.where(np.arange(TEXTS) < 29, (good["truth"] + 1) % 3, good["truth"])}
    constant = FeatureTable(("a", "b"), np.ones((TEXTS, 2)), ("made",) * 2)
    strings = good | {"truth": ["bad"] * TEXTS, "predicted": ["good"] * TEXTS}
    cases: list[tuple[dict[str, Any], str]] = [
        (good | {"predicted": good["truth"]}, "makes no error on 300 texts: there is nothing to characterise"),
        (few, "29 errors among 300 texts; ranking features needs at least 30 of them, so label more texts"),
        (good | {"predicted": good["predicted"] + 1}, r"predicted has the label 3 \(\d+ times\), .* one of \[0, 1, 2"),
        (good | {"truth": good["truth"][1:]}, "300 texts need a label each, truth has 299"),
        (
            good | {"truth": [None, *good["truth"][1:]], "probabilities": None},
            "truth has no label for 1 texts, the first is text 0; label them, or leave them out",
        ),
        (good | {"features": constant}, "all 2 features are the same in all texts"),
        (good | {"features": made(texts=200)["features"]}, "300 texts and features of 200"),
        (strings, r"labels are strings, and the columns of probabilities have no names: give labels=\[…\]"),
    ]
    for given, message in cases:
        with pytest.raises(ValueError, match=message):
            characterised(given)


def test_a_missing_pipeline_names_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(*_: object) -> None:
        raise DataError("could not download it")

    monkeypatch.setattr(error_reports, "annotate", absent)
    with pytest.raises(DataError, match=r"could not download it.* run 'trustnlp data fetch en_core_web_sm', or give"):
        characterised(made() | {"features": None})


def test_the_papers_features_on_made_up_texts(mirror: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """Errors on questions: "?" is named. Without the lexicon the report says that emotions are missing."""
    pytest.importorskip("spacy", reason="readable features need the extra 'text'")
    rng = np.random.default_rng(0)
    asked = rng.random(150) < 0.4
    texts = [
        f"Is the {CELLS[n % 6]} late {n}?" if ask else f"My {CELLS[n % 6]} {n} is here." for n, ask in enumerate(asked)
    ]
    truth = rng.integers(0, 2, size=150)
    predicted = np.where(rng.random(150) < np.where(asked, 0.8, 0.2), 1 - truth, truth)

    def absent() -> None:
        raise DataError("only in a mirror")

    monkeypatch.setattr(error_reports, "read_emotion_lexicon", absent)
    settings: dict[str, Any] = {"learner": "shallow_tree", "repeats": 1, "rng": np.random.default_rng(0)}
    found = characterise(texts, truth, predicted, **settings)
    assert "?" in {each.name for each in found.slices.found}
    assert "No emotions among the features: only in a mirror" in report_page(found) and "joy" in found.left_out
