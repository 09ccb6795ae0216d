"""Differences and margins of whole measurements, where it is known which side is ahead: a sign or a side that was
swapped, or an owner's name that counts where it ought not, shows here."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("numba", reason="the chapter's vectors need the extra 'senses'")

from trustnlp.privacy.text.anonymisation.name_search import find_names, name_words
from trustnlp.privacy.text.anonymisation.words import DocumentWords
from trustnlp.reproduce.claims.ledger_tables import printed_tables
from trustnlp.studies.polarizedtext import critique, reproduction
from trustnlp.studies.polarizedtext.baselines import VECTORS
from trustnlp.studies.polarizedtext.data import corpus_of, planted_corpus
from trustnlp.studies.polarizedtext.detection import Measured, weights_for
from trustnlp.studies.polarizedtext.models import word_kinds

GIVEN = {"profile": "smoke", "epochs": [2, 2], "resamples": 10, "presidio_seeds": 0, "seeds": [0]}
PLANTED = planted_corpus(corpus_of("procurement", "smoke"), 0)
NAMES = PLANTED.corpus.names
PLACES = {id(words): place for place, words in enumerate(PLANTED.words)}
Floats = np.ndarray


def everything(words: DocumentWords, owner: str) -> Floats:
    """Finds names and secrets, and nothing else."""
    secret = PLANTED.secret_marks[PLACES[id(words)]] > 0
    return (find_names(words, NAMES[owner])[0] | secret).astype(float)


def target(words: DocumentWords, owner: str) -> Floats:
    """Finds the words of the name that is looked for, and no other name."""
    goal = set(name_words(NAMES[owner]))
    return np.array([float(key in goal) for key in words.keys])


def nothing(words: DocumentWords, owner: str) -> Floats:
    return np.zeros(len(words))


def scored(**methods: object) -> object:
    """In the place of the walk over seeds."""

    def seeds(corpus: object, numbers: object, names: object, parameters: dict[str, int]) -> Iterator[object]:
        pairs = list(zip(PLANTED.words, PLANTED.owners, strict=True))
        scores = {name: [method(*pair) for pair in pairs] for name, method in methods.items()}  # type: ignore[operator]
        yield PLANTED, weights_for(PLANTED, parameters["resamples"]), scores

    return seeds


class Placed:
    """Vectors of which it is known where they lie: words of an owner on `of_owner`, words that all use on the last."""

    def __init__(self, of_owner: dict[str, int]) -> None:
        kinds = word_kinds(PLANTED.words, PLANTED.owners, NAMES)
        self.axes = {
            word: axis
            for owner, axis in of_owner.items()
            for word in (
                *kinds.unique[owner],
                *name_words(NAMES[owner]),
                *(word.lower() for ways in PLANTED.planted.words[owner].values() for word in ways.values()),
            )
        }

    def stack(self, words: list[str]) -> Floats:
        return np.eye(len(NAMES) + 1, dtype=np.float32)[[self.axes.get(word, len(NAMES)) for word in words]]


def test_the_figure_takes_the_second_from_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    methods = {"polarised": everything, "skipgram": target, "supervised": nothing, "supervised_lines": nothing}
    walk = scored(**methods, log_odds=everything, search=nothing, entities=nothing, presidio=everything)
    monkeypatch.setattr(reproduction, "scored_seeds", walk)
    monkeypatch.setattr(reproduction, "_geometry", lambda *_: None)
    measured, curves = reproduction.reproduce_figure(PLANTED.corpus, [0], list(methods), GIVEN)
    found = measured.values
    for layer in ("names", "template", "free"):
        assert found[f"procurement.{layer}.polarised.auc"] == [pytest.approx(1)]
        assert found[f"procurement.{layer}.supervised.auc"] == [0.5]
        assert found[f"procurement.{layer}.polarised_over_supervised"] == [pytest.approx(0.5)]
        assert curves[layer]["polarised"][0][1] == 1
    assert 0 < found["procurement.names.skipgram_over_supervised"][0] < 0.5
    assert 0 < found["procurement.names.polarised_over_skipgram"][0] < 0.5
    # Names are no false alarms of secrets: whoever finds names alone finds as much there as chance.
    for layer in ("template", "free"):
        assert found[f"procurement.{layer}.skipgram_over_supervised"] == [0]
        assert found[f"procurement.{layer}.polarised_over_skipgram"] == [pytest.approx(0.5)]
    assert found["procurement.names.skipgram_over_entities"][0] > 0.3
    assert found["procurement.names.entities.missed_margin"] == [pytest.approx(0.9)]
    assert found["procurement.names.presidio.missed_margin"] == [pytest.approx(-0.1)]
    assert found["procurement.names.supervised_over_log_odds"] == [pytest.approx(-0.5)]
    assert found["procurement.names.polarised_over_presidio"] == [pytest.approx(0)]
    assert found["procurement.names.supervised_over_presidio"] == [pytest.approx(-1)]


def test_each_sentence_on_where_words_lie_holds_where_it_is_known_to(monkeypatch: pytest.MonkeyPatch) -> None:
    apart = Placed({owner: axis for axis, owner in enumerate(NAMES)})
    together = Placed(dict.fromkeys(NAMES, 0))

    def vectors(contexts: object, owners: object, training: object, seed: int, profile: str) -> Placed:
        return together if training == replace(VECTORS["skipgram"], epochs=2) else apart

    monkeypatch.setattr(reproduction, "scored_seeds", scored(polarised=everything, skipgram=everything,
                                                                  search=nothing, entities=nothing))  # fmt: skip
    monkeypatch.setattr(reproduction, "vectors_once", vectors)
    monkeypatch.setattr(reproduction, "fitted", lambda *_, **__: nothing)
    measured, _ = reproduction.reproduce_figure(PLANTED.corpus, [0], ["polarised"], GIVEN)
    found = {key.rpartition(".")[2]: value[0] for key, value in measured.values.items() if ".geometry." in key}
    assert found["labels_apart"] == found["more_orthogonal"] == 1  # one axis for all, against an axis for each
    assert found["orthogonal"] > 0
    assert found["common_pulled_away"] == found["unique_bound"] == 1
    assert found["confusion"] == pytest.approx(1 - 1 / len(NAMES))  # on one axis the first owner is nearest
    assert found["typos"] == pytest.approx(1 - reproduction.FALSE_POSITIVES)
    assert measured.values["procurement.geometry.cosine.polarised.unique_name"] == [1]
    # Secrets are most of the unique words here, and `everything` finds them and no common word.
    assert measured.values["procurement.geometry.score.polarised.unique_over_common"][0] > 0.9
    assert measured.values["procurement.geometry.score.polarised.misspellings"] == [1]


def test_the_critique_leaves_the_target_out_and_takes_the_second_from_the_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    walk = scored(polarised=target, skipgram=lambda *pair: -everything(*pair), log_odds=everything)
    monkeypatch.setattr(critique, "scored_seeds", walk)
    measured, _ = critique.compare_with_counts(PLANTED.corpus, [0], ["polarised"], GIVEN)
    found = measured.values
    names = "procurement.names"
    assert found[f"{names}.polarised.auc"][0] > 0.6
    assert found[f"{names}.without_target.polarised.auc"] == [0.5]
    assert found[f"{names}.without_target.log_odds.auc"] == [pytest.approx(1)]
    assert found[f"{names}.without_target.polarised_over_skipgram"] == [pytest.approx(0.5)]
    assert found[f"{names}.polarised_over_log_odds"][0] < -0.1
    assert found[f"{names}.log_odds.precision"][0] < 0.95  # a perfect detector, with false alarms among many others


def test_the_forms_are_told_apart_by_what_they_are_called(monkeypatch: pytest.MonkeyPatch) -> None:
    good = {("released_cleared", "name"), ("leaked", "word"), ("skipgram", "name")}

    def fitted(name: str, planted: object, profile: str, epochs: int, *, target: str, training: object) -> object:
        return everything if (name, target) in good else nothing

    monkeypatch.setattr(critique, "planted_corpus", lambda *_: PLANTED)
    monkeypatch.setattr(critique, "fitted", fitted)
    found = critique.vary_form(PLANTED.corpus, [0], GIVEN).values
    assert found["procurement.names.bug.effect"] == [pytest.approx(0.5)]  # what clearing the buffer gains
    assert found["procurement.names.bug.effect_margin"] == [pytest.approx(0.49)]
    assert found["procurement.names.released_over_small"] == [pytest.approx(-0.5)]
    assert found["procurement.template.leak_gain_word"] == [pytest.approx(0.5)]
    assert found["procurement.template.leak_margin_word"] == [pytest.approx(-0.48)]
    assert found["procurement.template.leak_gain_name"] == [0]


def test_unseen_documents_are_in_no_training(monkeypatch: pytest.MonkeyPatch) -> None:
    trained: list[object] = []
    counted: list[list[DocumentWords]] = []
    learn, placed = critique.log_odds_scores, Placed({owner: axis for axis, owner in enumerate(NAMES)})
    monkeypatch.setattr(critique, "planted_corpus", lambda *_: PLANTED)
    monkeypatch.setattr(critique, "train", lambda contexts, *_: trained.append(contexts) or placed)
    monkeypatch.setattr(
        critique, "log_odds_scores", lambda words, owners: counted.append(words) or learn(words, owners)
    )
    found = critique.unseen_documents(PLANTED.corpus, [0, 1], GIVEN).values
    for seed, words in enumerate(counted):
        held = {id(each) for place, each in enumerate(PLANTED.words) if place % 5 == seed}
        assert held and {id(each) for each in words} == {id(each) for each in PLANTED.words} - held
        assert trained[2 * seed : 2 * seed + 2] == [[each.contexts for each in words]] * 2
    assert found["procurement.names.unseen.polarised_over_skipgram"] == [0, 0]
    assert all(0.6 < area <= 1 for area in found["procurement.names.unseen.log_odds.auc"])


def measured_with(**values: list[float]) -> Measured:
    return Measured(dict(values), {key: [np.full(2, value) for value in each] for key, each in values.items()})


def test_the_best_weight_is_chosen_by_other_seeds() -> None:
    # Each weight wins on one seed by luck and is worse on the others: chosen on the seed itself, it would seem better.
    for areas, margins in (([[0.5, 0.5], [0.6, 0.3], [0.3, 0.6]], [0.2, 0.2]), ([[0.5], [0.6]], [-0.1])):
        measured = measured_with(**{f"f{number}.auc": each for number, each in enumerate(areas, start=1)})
        critique._best_other(measured, "margin", "f", [1.0, 2.0, 3.0][: len(areas)])
        assert np.allclose(measured.values["margin"], margins)


def test_only_procurement_papers_are_shown() -> None:
    shown = reproduction.example_paragraph(PLANTED.corpus, GIVEN)
    assert shown["methods"] == ["log_odds", "polarised"] and all(len(piece) in (1, 2) for piece in shown["pieces"])
    with pytest.raises(ValueError, match="only paragraphs of procurement papers"):
        reproduction.example_paragraph(corpus_of("policies", "smoke"), GIVEN)


def test_a_removed_word_can_be_read_without_colour() -> None:
    pieces = [["Ask", [[0.1, False], [0.9, True]]], [" "], ["Corvane", [[3.2, True], [0.95, True]]], [" & Co"]]
    page = reproduction.example_html({"document": "a/b.md", "methods": ["log_odds", "polarised"], "pieces": pieces})
    assert "Ask [<s>Corvane</s>&nbsp;<small>3.20</small>] &amp; Co" in page
    assert "[<s>Ask</s>&nbsp;<small>0.90</small>]" in page


def test_arithmetic_on_the_printed_point() -> None:
    numbers = critique.printed_numbers(PLANTED.corpus, printed_tables("polarizedtext", "areas", "skipgram", "search"))
    assert np.isclose(numbers["printed.smallest_area"], 0.87)
    assert np.isclose(numbers["printed.precision_at_3_percent"], 0.02325 / 0.0572)
    assert numbers["printed.labels_per_word_margin"] > 0
