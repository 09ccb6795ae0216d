"""Dumps, and further pairs of words that are none of Table 1."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from trustnlp.data.words.gender_words import WORD_LANGUAGES, words_of_lists
from trustnlp.reproduce.claims.ledgers import load_claims
from trustnlp.reproduce.project import chapter_dir
from trustnlp.studies.gender_bias_languages.data import further_pairs, language_text


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_a_dump_is_the_papers_own_by_its_date_and_is_drawn_from(tmp_path) -> None:
    rows = [{"title": f"article {n}", "text": f"nit {'jigéen ' * 30}a{n}"} for n in range(20)]
    own, later = (tmp_path / f"wikipedia-{date}" for date in ("20200620", "20240101"))
    for folder in (own, later):
        (folder / "wo" / "AA").mkdir(parents=True)
        text = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
        (folder / "wo" / "AA" / "wiki_00").write_text(text, encoding="utf-8")
    papers = language_text("wo", wikipedia=own, rng=rng())
    assert papers.papers and papers.datasets == () and papers.dump is not None and papers.dump.articles == 20
    other = language_text("wo", wikipedia=later, tokens=64, rng=rng())
    assert not other.papers and other.tokens == 64
    heads = language_text("wo", wikipedia=own, tokens=50, longest=5, rng=rng())
    assert len(heads.texts) == 10 and heads.tokens == 50
    assert language_text("wo", wikipedia=own, tokens=10**6, longest=5, rng=rng()).tokens == 100  # all there is
    assert not language_text("wo", planted_tokens=2000, rng=rng()).papers


def test_the_page_of_conditions_names_every_claim_that_has_one() -> None:
    page = (chapter_dir("gender_bias_languages") / "conditions.md").read_text(encoding="utf-8")
    capped = [claim.id for claim in load_claims("gender_bias_languages").claims if claim.caps]
    assert capped and not [name for name in capped if f"`{name}`" not in page]


@pytest.mark.parametrize("language", WORD_LANGUAGES)
def test_no_pair_has_a_word_that_is_under_test(language: str) -> None:
    pairs = further_pairs(language, released=False)
    listed = {word.lower() for word in words_of_lists(language)}
    assert not listed & {word for pair in pairs for word in pair}
    assert len(set(pairs)) == len(pairs) and all(female != male for female, male in pairs)
    assert bool(pairs) == (language in ("es", "fr", "de", "ar"))


@pytest.mark.mirror
def test_released_lists_come_first_and_lose_the_pair_under_test(mirror: Path) -> None:
    english = further_pairs("en")
    assert ("aunt", "uncle") in english and ("she", "he") in english and ("mary", "john") in english
    words = {word for pair in english for word in pair}
    assert not words & {"wives", "husbands", "wife", "husband", "woman", "man"}
    assert further_pairs("es")[0] == ("ella", "él") and ("hermana", "hermano") in further_pairs("es")
    assert ("infirmière", "infirmier") not in further_pairs("fr") and ("tante", "oncle") in further_pairs("fr")
    assert all(len(further_pairs(language)) >= 20 for language in ("en", "es", "fr", "de", "ar"))


def test_an_unknown_language_is_told() -> None:
    with pytest.raises(ValueError, match="unknown language"):
        further_pairs("it")
