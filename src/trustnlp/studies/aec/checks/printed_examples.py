"""What the example tweets of Table 5 hold: entities of type *time* and question marks, counted and not shown.

Misra, Liu and Mahmud (2021), §4.2: "feature set of Row-1 has higher values for the feature question-starters, text of
Row-3 contains Named Entity type: time". §3.3.1 has "questions starting with do, did, can, could, with who, what,
where". Margins are positive where the tweet has none of what it is to show.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trustnlp.data.annotation.spacy_annotation import Annotation
from trustnlp.studies.aec.data.error_corpus import ErrorCorpus
from trustnlp.studies.aec.reproduction.named_features import example_rows

_TIME = "TIME"


def example_checks(corpus: ErrorCorpus, examples: Mapping[str, Mapping[str, Any]]) -> dict[str, tuple[float, str]]:
    """Key → value and unit: one half less the times of row 3 and less the question marks of row 1; the times of row 2.

    Parameters
    ----------
    examples
        `table5` of the printed tables.

    Raises
    ------
    ValueError
        Some of the tweets are not in the file.
    """
    rows = example_rows(corpus.tweets, examples)
    texts = {name: corpus.annotations[row] for name, row in rows.items()}
    return {
        "table5.row3.time_margin": (0.5 - times(texts["row3"]), "number of entities"),
        "table5.row2.times": (times(texts["row2"]), "count of entities"),
        "table5.row1.question_margin": (0.5 - question_marks(texts["row1"]), "number of question marks"),
    }


def times(text: Annotation) -> int:
    """Entities that spaCy takes for a time of the day or a span of less than one."""
    return sum(entity.label == _TIME for entity in text.entities)


def question_marks(text: Annotation) -> int:
    """Signs "?", those inside of addresses left out.

    >>> question_marks(Annotation(("What", "??", "http://a.b/?c"), (0, 5, 8)))
    2
    """
    return sum(token.count("?") for token in text.tokens if "://" not in token)
