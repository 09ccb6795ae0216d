"""Audits tell what they should."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import assert_refused

from trustnlp.data.words.gender_words import word_list
from trustnlp.studies.gender_bias_languages import beyond, critique
from trustnlp.studies.gender_bias_languages.data import language_text
from trustnlp.studies.gender_bias_languages.models import Training

QUICK = Training(dim=20, epochs=2)


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_audits_and_repairs_run_and_tell_what_they_should(spanish) -> None:
    turns = critique.turns(spanish, QUICK, [0])
    assert set(turns) == set(word_list("es").pairs) and all(-1 <= v[0] < 1 + 1e-9 for v in turns.values())
    assert critique.agreement({"a": 1, "b": 2, "c": 3, "x": 9}, {"a": -1, "b": -2, "c": -3}) == pytest.approx(-1)
    assert_refused(critique.agreement, [({"a": 1, "b": 2}, {"a": 1, "b": 2}, "three professions or more, got 2")])
    same = [{"a": 0.1, "b": -0.2}, {"a": 0.3, "b": 0.2}]
    spread = beyond.spread(same)
    assert spread["same_sign"] == 0.5
    assert spread["median_width"] == pytest.approx(0.95 * (0.2 + 0.4) / 2)
    assert_refused(beyond.spread, [([{"a": 1.0}], "1 samples")])


def test_a_text_is_compared_with_itself_written_otherwise(spanish) -> None:
    assert critique.written_otherwise(spanish, spanish, QUICK, [0]) == pytest.approx([1.0])
    other = [[["novo"] * 50]] * 400
    mixed = critique.mixed_with(spanish, other, 0.45, rng())
    assert mixed.counts["novo"] == pytest.approx(0.45 * spanish.tokens, abs=50)
    assert mixed.tokens == pytest.approx(spanish.tokens, abs=100)
    assert_refused(
        lambda share: critique.mixed_with(spanish, other, share, rng()),
        [(0, "between 0 and 1"), (0.99, "the 400 documents hold 20,000")],
    )
    rows = critique.without_homographs(spanish, QUICK, [0])
    assert rows[0]["all.pairs"] == rows[0]["single.pairs"] == 7  # no defining word of the Spanish list has two meanings
    assert rows[0]["cosine"] == pytest.approx(1) and rows[0]["agreement"] > 0.9
    german = language_text("de", planted_tokens=20_000, rng=rng())
    rows = critique.without_homographs(german, QUICK, [0])
    assert (rows[0]["all.pairs"], rows[0]["single.pairs"]) == (7, 4) and rows[0]["cosine"] < 1
    arabic = language_text("ar", planted_tokens=2000, rng=rng())
    assert "mother-father" in arabic.pairs() and "mother-father" not in arabic.pairs(homographs=False)
    folded = critique.hamza_folded(arabic)
    assert arabic.counts["أب"] and not folded.counts["أب"] and folded.pairs()["mother-father"] == ("ام", "اب")
