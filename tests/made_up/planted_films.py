"""Short made-up opinions, and teachers that are known exactly: what MOXIE's students are tested on."""

from __future__ import annotations

import numpy as np

from trustnlp.attribution.students.masked_spans import MaskedSpan, Words, each_word
from trustnlp.studies.moxie.planted import PlantedTeacher

GOOD = {"good": 1.0, "fine": 0.6, "superb": 1.5}
BAD = {"bad": -1.0, "dull": -0.6, "awful": -1.5}
FILL = ("the", "film", "plot", "is", "a")
VOCABULARY = (*GOOD, *BAD, *FILL, "not", "very")
BAG = PlantedTeacher({**GOOD, **BAD}, bias=0.1)
NEGATING = PlantedTeacher({**GOOD, **BAD}, {"not"}, {"very": 1.5}, bias=0.1)


def film_texts(n: int, seed: int) -> list[Words]:
    """One or two opinions each, three words in ten turned by "not", three strengthened by "very"."""
    rng = np.random.default_rng(seed)
    return [tuple(word for _ in range(rng.integers(1, 3)) for word in _opinion(rng)) for _ in range(n)]


def _opinion(rng: np.random.Generator) -> list[str]:
    words = [str(word) for word in rng.choice(FILL, rng.integers(1, 3))]
    words += [word for word in ("not", "very") if rng.random() < 0.3]
    return [*words, str(rng.choice([*GOOD, *BAD]))]


def word_by_word(texts: list[Words]) -> list[MaskedSpan]:
    return [span for words in texts for span in each_word(words)]
