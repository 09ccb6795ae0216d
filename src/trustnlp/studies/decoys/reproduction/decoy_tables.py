"""Decoys before any model is trained: an example of each, and the properties of §4, as metrics and as a table."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from trustnlp.data.texts.film_reviews import LABEL_NAMES, Phrases
from trustnlp.decoys.kept_decoys import Removal
from trustnlp.decoys.planted_decoys import Both, Decoy, Truths, occurs
from trustnlp.decoys.planted_properties import measure_decoy
from trustnlp.decoys.written_decoys import IndicatorWords, Replacement

_MEASURES = {"applicability": "applicability", "productivity": "productivity, %", "coverage": "coverage, %"}
_OF_DECOY = {
    "left": "texts left",
    "before": "with its words before",
    "word_productivity": "productivity of the word alone, %",
    "unseen_added": "unseen pairs added, points",
}


def examples(decoys: Sequence[Decoy], texts: Phrases, rng: np.random.Generator) -> pd.DataFrame:
    """A text of each class and what each decoy makes of it, empty where the text is dropped.

    The texts are the first of each class that the most decoys change or drop.
    """
    planted = [decoy.plant(texts.texts, texts.labels, rng) for decoy in decoys]
    after = np.full((len(decoys), len(texts)), "", dtype=object)
    for row, found in enumerate(planted):
        after[row, found.source] = found.texts
    changed = (after != np.array(texts.texts, dtype=object)).sum(axis=0)
    rows = [int(np.argmax(np.where(texts.labels == label, changed, -1))) for label in np.unique(texts.labels)]
    columns = {LABEL_NAMES[texts.labels[row]]: [texts.texts[row], *after[:, row]] for row in rows}
    return pd.DataFrame(columns, index=pd.Index(["as it is", *(decoy.name for decoy in decoys)], name="decoy"))


def properties(decoys: Sequence[Decoy], texts: Phrases, rng: np.random.Generator) -> dict[str, tuple[float, str]]:
    """Keys of metrics → value and unit, of the decoys planted in training texts.

    Of each decoy and each class that it has a cue for `DECOY.classC.applicability`, `.productivity` and `.coverage`;
    of each decoy `DECOY.left`, how many texts there are, `.before`, how many had one of the words that planting brings
    in, `.word_productivity`, that of the least productive of its words by plain occurrence, and `.unseen_added`, how
    many more of its texts have neighbours that no other text has. A decoy without words has no `word_productivity`.
    """
    found: dict[str, tuple[float, str]] = {}
    for decoy in decoys:
        planted = decoy.plant(texts.texts, texts.labels, rng)
        with warnings.catch_warnings():
            # That a word is in the data already: `before` says so.
            warnings.simplefilter("ignore", UserWarning)
            measured = measure_decoy(decoy, texts.texts, texts.labels, planted)
        for label, cue in measured.cues.items():
            first = f"{decoy.name}.class{label}"
            found[f"{first}.applicability"] = cue.applicability, "count of texts"
            found[f"{first}.productivity"] = 100 * cue.productivity, "%"
            found[f"{first}.coverage"] = 100 * cue.coverage, "%"
        found[f"{decoy.name}.left"] = len(planted), "count of texts"
        before = [measured.before[word].applicability for word in decoy.inserted]
        found[f"{decoy.name}.before"] = sum(before), "count of texts"
        if decoy.words:
            least = min(measured.after[word].productivity for word in decoy.words)
            found[f"{decoy.name}.word_productivity"] = 100 * least, "%"
        found[f"{decoy.name}.unseen_added"] = 100 * measured.pairs.difference, "points"
    return found


def properties_table(numbers: Mapping[str, Any], prefix: str = "properties.") -> pd.DataFrame:
    """What `properties` gave, from a record: a row for each decoy and class, in the order of the record."""
    rows: dict[tuple[str, str], dict[str, float]] = {}
    for key, number in numbers.items():
        if not key.startswith(prefix):
            continue
        decoy, *rest = key.removeprefix(prefix).split(".")
        if len(rest) == 2:
            label = LABEL_NAMES[int(rest[0].removeprefix("class"))]
            rows.setdefault((decoy, label), {})[_MEASURES[rest[1]]] = number["mean"]
        else:
            for own in (row for row in rows if row[0] == decoy):
                rows[own][_OF_DECOY[rest[0]]] = number["mean"]
    table = pd.DataFrame(rows).T.rename_axis(["decoy", "stands for"])
    return table[[title for title in (*_MEASURES.values(), *_OF_DECOY.values()) if title in table]]


def misleading(decoys: Sequence[Decoy], train: Phrases, held: Phrases, rng: np.random.Generator) -> dict[str, float]:
    """Decoy → per cent of held-out texts, as they are, that carry the cue of a class that is not theirs.

    Idahl et al. (2021), §3.2: a model that adopted a decoy should lose accuracy on the original data. Where most
    training texts are left without a cue, a model learns the task from them, and the decoy can cost it these texts and
    no others. Decoys that most training texts carry are left out: what their models lose has no such limit.
    """
    found = {}
    for decoy in decoys:
        if decoy.plant(train.texts, train.labels, rng).carries.mean() <= 0.5:
            found[decoy.name] = 100 * float(np.mean(_carries_wrong(decoy, held)))
    return found


def _carries_wrong(decoy: Decoy, held: Phrases) -> Truths:
    """`(n,)` whether a text has a word of the decoy that stands for another class."""
    wrong: list[Truths] = []
    if isinstance(decoy, Both):
        wrong = [_carries_wrong(part, held) for part in decoy.parts]
    elif isinstance(decoy, Removal):
        wrong = [occurs(held.texts, decoy.word, decoy.matching) & (held.labels != decoy.label)]
    elif isinstance(decoy, IndicatorWords | Replacement):
        own = [(label, word) for label, word in enumerate(decoy.by_class) if word is not None]
        wrong = [occurs(held.texts, word) & (held.labels != label) for label, word in own]
    else:
        raise TypeError(f"decoy {decoy.name!r}: expected one whose cues are words, got {type(decoy).__name__}")
    found: Truths = np.logical_or.reduce(wrong)
    return found
