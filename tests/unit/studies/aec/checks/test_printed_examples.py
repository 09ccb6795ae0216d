"""Times and question marks of the example tweets are counted, and nothing of a text is given back."""

from __future__ import annotations

from dataclasses import replace

import pytest
from made_experiments import made_corpus

from trustnlp.data.annotation.spacy_annotation import Annotation, Entity
from trustnlp.studies.aec.checks.printed_examples import example_checks, question_marks, times

EXAMPLES = {f"row{n}": {"words": "words that no tweet has"} for n in (1, 2, 3)}


def text(*tokens: str, entities: tuple[Entity, ...] = ()) -> Annotation:
    return Annotation(tokens, tuple(range(len(tokens))), entities=entities)


def test_times_and_question_marks() -> None:
    two = text("at", "noon", "or", "nine", "on", "Monday",
               entities=(Entity(1, 2, "TIME"), Entity(3, 4, "TIME"), Entity(5, 6, "DATE")))  # fmt: skip
    assert times(two) == 2 and times(text("no", "time")) == 0
    assert question_marks(text("Why", "?!?", "see", "https://a.b/?c")) == 2


def test_margins_are_positive_where_a_text_has_none() -> None:
    corpus = replace(made_corpus())
    annotations = [text("a", "?"), text("b", entities=(Entity(0, 1, "TIME"),)), text("c")]
    vars(corpus)["annotations"] = annotations + [text("d")] * (len(corpus.tweets) - 3)
    found = example_checks(corpus, EXAMPLES)
    assert found == {
        "table5.row3.time_margin": (0.5, "number of entities"),
        "table5.row2.times": (1, "count of entities"),
        "table5.row1.question_margin": (-0.5, "number of question marks"),
    }
    vars(corpus)["annotations"] = annotations[1:2] * len(corpus.tweets)
    again = example_checks(corpus, EXAMPLES)
    assert again["table5.row3.time_margin"][0] == -0.5 and again["table5.row1.question_margin"][0] == 0.5


def test_a_file_without_one_of_the_tweets_is_refused() -> None:
    corpus = replace(made_corpus())
    words = corpus.tweets.texts[0].lower()
    with pytest.raises(ValueError, match="no tweet has the words of row2, row3"):
        example_checks(corpus, EXAMPLES | {"row1": {"words": words}})
