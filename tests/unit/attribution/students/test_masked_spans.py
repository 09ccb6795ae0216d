"""Masked spans, how they are drawn, and the teacher's view of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from refusals import assert_refused

from trustnlp.attribution.students.masked_spans import MaskedPairs, MaskedSpan, draw_spans, each_word, masked_pairs
from trustnlp.studies.moxie.planted import PlantedTeacher

TEXT = ("a", "very", "good", "film")
TEACHER = PlantedTeacher({"good": 1.0, "bad": -1.0}, {"not"}, {"very": 2.0})


def test_a_span_and_what_is_made_of_it() -> None:
    span = MaskedSpan(TEXT, 1, 3)
    assert (span.token, span.text) == ("very good", "a very good film")
    assert span.context("<mask>") == ("a", "<mask>", "film")
    assert span.masked_text("[MASK]") == "a [MASK] film"
    assert span.replaced("no bad") == ("a", "no", "bad", "film")
    assert [each.token for each in each_word(TEXT)] == list(TEXT)


def test_bad_spans_are_explained() -> None:
    assert_refused(
        MaskedSpan,
        [
            ("a good film", 0, 1, "a text is a tuple of words"),
            (("a", " "), 0, 1, "none of them blank"),
            (TEXT, 2, 5, "at least one of the 4 words, from number 0 on, got 2 to 5 of 'a very good film'"),
        ],
    )
    with pytest.raises(ValueError, match="text without words"):
        each_word(())


TEXTS = [TEXT, ("bad",), ("the", "film"), ("is", "not", "bad")]
SPANS = [[(0, 4), (1, 3), (2, 3), (2, 3)], [(0, 1)], None, [(0, 3), (1, 3), (0, 1)]]
DIFFERENT = {(TEXT, 1, 3), (TEXT, 2, 3), (TEXTS[3], 1, 3), (TEXTS[3], 0, 1)}


def test_every_span_is_drawn_once_and_whole_texts_never() -> None:
    drawn = draw_spans(TEXTS, SPANS, 4, np.random.default_rng(0))
    assert {(span.words, span.start, span.stop) for span in drawn} == DIFFERENT


def test_texts_are_visited_alike_and_spans_are_equally_likely() -> None:
    rng = np.random.default_rng(0)
    pairs = [draw_spans(TEXTS, SPANS, 2, rng) for _ in range(400)]
    assert all({span.words for span in pair} == {TEXTS[0], TEXTS[3]} for pair in pairs)
    first = np.mean([any(span.stop - span.start == 2 and span.words == TEXT for span in pair) for pair in pairs])
    assert 0.4 < first < 0.6


def test_draws_that_cannot_be_made() -> None:
    rng = np.random.default_rng(0)
    assert_refused(
        lambda texts, spans, count: draw_spans(texts, spans, count, rng),
        [
            (TEXTS, SPANS, 5, "these texts have 4 spans that are not the whole text; 5 were asked for"),
            (TEXTS, SPANS, 0, "0 were asked for"),
            (TEXTS, SPANS[:3], 1, "got 3 for 4 texts"),
        ],
    )


def test_the_teachers_view_of_a_pair(tmp_path: Path) -> None:
    """very good: 2; without "very" 1; without "good" nothing is said."""
    pairs = masked_pairs(TEACHER, each_word(TEXT), folder=tmp_path)
    scores = [TEACHER.logits(z)[:, 1] - TEACHER.logits(z)[:, 0] for z in (pairs.full, pairs.masked)]
    assert scores[0].tolist() == [2.0] * 4
    assert scores[1].tolist() == [2.0, 1.0, 0.0, 2.0]
    assert torch.equal(pairs.influence, pairs.full - pairs.masked)
    again = masked_pairs(TEACHER, each_word(TEXT), folder=tmp_path)
    assert torch.equal(pairs.masked, again.masked) and len(list(tmp_path.glob("*.npy"))) == 2


def test_pairs_that_do_not_fit_are_refused() -> None:
    pairs = masked_pairs(TEACHER, each_word(TEXT))
    with pytest.raises(ValueError, match="representations of another teacher"):
        pairs.check_teacher(PlantedTeacher({"good": 1.5}))
    with pytest.raises(ValueError, match="NaN or infinity"):
        MaskedPairs(pairs.spans, pairs.full * float("nan"), pairs.masked, pairs.teacher)
    with pytest.raises(ValueError, match="4 spans need z and z' of as many rows"):
        MaskedPairs(pairs.spans, pairs.full[:3], pairs.masked, pairs.teacher)
    with pytest.raises(ValueError, match="no masked spans"):
        masked_pairs(TEACHER, [])
