"""The lists against themselves, and the paper's sums."""

from __future__ import annotations

import pytest

from trustnlp.data.languages.language_words import LanguageWords
from trustnlp.reproduce.claims.ledger_tables import printed_tables
from trustnlp.studies.gender_bias_languages import checks


def test_numbers_of_the_lists() -> None:
    pairs = checks.ORIGINAL_PAIRS
    numbers = checks.text_numbers(pairs, printed_tables("gender_bias_languages", "scientist")["scientist"])
    expected = {
        "bolukbasi.removed": 6,
        "bolukbasi.added": 3,
        "table1.fa.repeated_pairs": 1,
        "table1.ar.repeated_words": 1,
        "table1.ar.unequal_pairs": 2,
        "text.languages_without_download": 1,
        "text.missing_sections": 1,
    }
    assert {key: numbers[key] for key in expected} == expected
    assert numbers["arithmetic.equal"] == pytest.approx(0.13)
    assert numbers["arithmetic.weighted"] == pytest.approx(-0.04479, abs=1e-5)
    share = checks.profession_share("en", {"nurse": 3, "the": 97, "judge": 0}, LanguageWords("en"))
    assert share == pytest.approx(3)
