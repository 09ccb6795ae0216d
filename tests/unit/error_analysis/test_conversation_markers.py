"""Signs of a conversation are counted word by word, whatever the tokenizer makes of contractions."""

from __future__ import annotations

import re

import pytest

from trustnlp.data.annotation.spacy_annotation import Annotation
from trustnlp.error_analysis.conversation_markers import count_markers


def annotated(marked: str) -> Annotation:
    """A text of tokens parted by blanks; a token after `_` is written against the one before it."""
    tokens, offsets, end = [], [], 0
    for mark, token in re.findall(r"(_?)([^ ]+)", marked):
        offsets.append(end if mark or not tokens else end + 1)
        tokens.append(token)
        end = offsets[-1] + len(token)
    return Annotation(tuple(tokens), tuple(offsets))


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ("Hello _, could you help _?", {"greeting": 1, "question_yesno": 1, "second_person": 1, "?": 1}),
        ("GOOD morning to a good flight _! _!", {"greeting": 1, "!": 2}),
        ("thx _, we apologize _; sorry _!", {"thanks": 1, "apology": 2, "!": 1}),
        ("who knows what happened", {"question_wh": 2}),  # not only at the start of a question
        ("they do what they do", {"question_yesno": 2, "question_wh": 1}),
        ("do _n't go _, can _not go _, did _nt go _, do _n’t", {}),
        ("can not go", {"question_yesno": 1}),
        ("No _, NO no _- _no nothing noon", {"no": 4}),
        ("@you #can http://a.example/b?c=d! wow _! great", {"!": 1}),
        ("wow!great", {"!": 1}),
        ("\N{GRINNING FACE} \N{GRINNING FACE}", {}),
    ],
)
def test_markers_of_a_text(marked: str, expected: dict[str, int]) -> None:
    assert count_markers(annotated(marked)) == expected


def test_white_space_tokens_part_no_greeting_and_join_no_negation() -> None:
    text = Annotation(("  ", "good", " ", "evening", "do", "\n", "not"), (0, 2, 7, 8, 16, 18, 19))
    assert count_markers(text) == {"greeting": 1, "question_yesno": 1}
    assert count_markers(Annotation(("\n", "not", "no"), (0, 1, 5))) == {"no": 1}
