"""Sentences, and those without a hole, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from trustnlp.privacy.text.anonymisation.words import document_words
from trustnlp.studies.polarizedtext.reidentification import sentences_of, share_whole


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("", []),
        ("One two. Three", [0, 0, 1]),
        ("One two? Three! Four", [0, 0, 1, 2]),
        ('"One two." Three', [0, 0, 1]),
        ("(One two.) Three", [0, 0, 1]),
        ("One\n\ntwo", [0, 1]),
        ("version 2.5 of it", [0, 0, 0, 0, 0]),
        ("One, two; three: four", [0, 0, 0, 0]),
    ],
)
def test_a_sentence_ends_at_its_mark_or_with_its_paragraph(text: str, numbers: list[int]) -> None:
    assert sentences_of(document_words(text)).tolist() == numbers


def test_a_whole_sentence_has_no_hole_and_short_ones_do_not_count() -> None:
    units = [np.repeat([0, 1, 2], [8, 9, 3]), np.repeat([0, 1], [10, 8])]
    removed = [np.zeros(20, dtype=bool), np.zeros(18, dtype=bool)]
    assert share_whole(units, removed) == 1
    removed[0][[3, 18]] = True  # one in a sentence of eight words, one in a sentence of three
    assert share_whole(units, removed) == pytest.approx(3 / 4)
    removed[1][:] = True
    assert share_whole(units, removed) == pytest.approx(1 / 4)
