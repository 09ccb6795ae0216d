"""Differences and margins of whole measurements, where it is known which side is ahead: a sign or a side that was
swapped, or an owner's name that counts where it ought not, shows here."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("numba", reason="the chapter's vectors need the extra 'senses'")

from trustnlp.privacy.text.anonymisation.name_search import find_names, name_words
from trustnlp.privacy.text.anonymisation.words import DocumentWords
from trustnlp.reproduce.claims.ledger_tables import printed_tables
from trustnlp.studies.polarizedtext import critique, reproduction
from trustnlp.studies.polarizedtext.data import corpus_of, planted_corpus
from trustnlp.studies.polarizedtext.models import word_kinds

GIVEN = {"profile": "smoke", "epochs": [2, 2], "resamples": 10, "presidio_seeds": 1, "seeds": [0]}
PLANTED = planted_corpus(corpus_of("procurement", "smoke"), 0)
NAMES = PLANTED.corpus.names
PAIRS = list(zip(PLANTED.words, PLANTED.owners, strict=True))
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


def fit(**methods: object) -> object:
    """In the place of `fitted`; whatever is not named finds nothing."""
    return lambda name, *_, **__: methods.get(name, nothing)


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
    method = fit(polarised=everything, skipgram=target, log_odds=everything, presidio=everything)
    monkeypatch.setattr(reproduction, "planted_corpus", lambda *_: PLANTED)
    monkeypatch.setattr(reproduction, "fitted", method)
    monkeypatch.setattr(reproduction, "where_words_lie", lambda *_: {})
    monkeypatch.setattr("trustnlp.studies.polarizedtext.baselines.has_presidio", lambda: True)
    methods = ["polarised", "skipgram", "supervised", "supervised_lines", "log_odds", "entities", "presidio"]
    measured, curves = reproduction.reproduce_figure(PLANTED.corpus, [0], methods, GIVEN)
    values = {key: [drawn[0] for drawn in seeds] for key, seeds in measured.items()}
    for layer in ("names", "template", "free"):
        assert values[f"procurement.{layer}.polarised.auc"] == [pytest.approx(1)]
        assert values[f"procurement.{layer}.supervised.auc"] == [0.5]
        assert values[f"procurement.{layer}.polarised_over_supervised"] == [pytest.approx(0.5)]
        assert curves[layer]["polarised"][0][1] == 1
    assert 0 < values["procurement.names.skipgram_over_supervised"][0] < 0.5
    assert 0 < values["procurement.names.polarised_over_skipgram"][0] < 0.5
    # Names are no false alarms of secrets: whoever finds names alone finds as much there as chance.
    for layer in ("template", "free"):
        assert values[f"procurement.{layer}.skipgram_over_supervised"] == [0]
        assert values[f"procurement.{layer}.polarised_over_skipgram"] == [pytest.approx(0.5)]
    assert values["procurement.names.skipgram_over_entities"][0] > 0.3
    assert values["procurement.names.entities.missed_margin"] == [pytest.approx(0.9)]
    assert values["procurement.names.supervised_over_log_odds"] == [pytest.approx(-0.5)]
    assert values["procurement.names.polarised_over_presidio"] == [pytest.approx(0)]
    assert values["procurement.names.supervised_over_presidio"] == [pytest.approx(-1)]


def test_each_sentence_on_where_words_lie_holds_where_it_is_known_to(monkeypatch: pytest.MonkeyPatch) -> None:
    apart = Placed({owner: axis for axis, owner in enumerate(NAMES)})
    together = Placed(dict.fromkeys(NAMES, 0))

    monkeypatch.setattr(reproduction, "vectors_of", lambda name, *_: apart if name == "polarised" else together)
    monkeypatch.setattr(reproduction, "fitted", fit())
    numbers = reproduction.where_words_lie(PLANTED, [everything(*pair) for pair in PAIRS], GIVEN)
    assert numbers["labels_apart"] == 1  # one axis for all, against an axis for each
    assert numbers["orthogonal"] > 0
    assert numbers["common_pulled_away"] == numbers["unique_bound"] == 1
    assert numbers["confusion"] == pytest.approx(1 - 1 / len(NAMES))  # on one axis the first owner is nearest
    assert numbers["typos"] == pytest.approx(1 - reproduction.FALSE_POSITIVES)
    assert numbers["cosine.polarised.unique_name"] == 1


def test_the_trainings_are_told_apart_by_what_they_are_called(monkeypatch: pytest.MonkeyPatch) -> None:
    def fitted(name: str, *_: object, target: str = "name", **settings: object) -> object:
        ahead = name == "released_cleared" or (target, settings) == ("axis", {"form": "repaired", "field": 3})
        return everything if ahead else nothing

    monkeypatch.setattr(critique, "planted_corpus", lambda *_: PLANTED)
    monkeypatch.setattr(critique, "fitted", fitted)
    measured = critique.vary_training(PLANTED.corpus, [0], [0.3, 1, 3], GIVEN)
    values = {key.removeprefix("procurement.names."): seeds[0][0] for key, seeds in measured.items()}
    assert values["bug.effect"] == pytest.approx(0.5)  # what clearing the buffer gains
    assert values["bug.effect_margin"] == pytest.approx(0.49)
    of_field = {key: value for key, value in values.items() if key.startswith("field.")}
    assert len(of_field) == 3 * 2 + 2 * 2
    assert [key for key, area in of_field.items() if area > 0.9] == ["field.repaired.axis.f3.auc"]


def test_only_procurement_papers_are_shown() -> None:
    shown = reproduction.example_paragraph(PLANTED.corpus, GIVEN | {"presidio_seeds": 0})
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
