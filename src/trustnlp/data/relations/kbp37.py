"""KBP37: 21,046 sentences with two entities and one of 18 relations in either direction, or none (Zhang and Wang 2015).

It is the public corpus nearest to TACRED, on which Tang and Surdeanu (2021) report: the relations are those of TAC KBP.
They differ all the same. A tenth of the items has no relation (four fifths of TACRED's), `org:founded` means the date,
and 21 of the 41 relations that the paper's rules know have no label. No sentence has a comma, which most of the rules
ask for. Which entity is the subject of the relation is part of the label: in `per:title(e1,e2)` the person comes first.

What is left out, by rule:

- An item in which nothing stands between the marks of an entity.
- An item that repeats the text and the entities of an earlier one of its part, with the same label or another.
- An item of `train` whose text and entities are in `dev` or `test` as well.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

from trustnlp.data.damage import as_described
from trustnlp.data.relations.marked_sentences import MarkedSentence, parsed, read_marked
from trustnlp.data.relations.relation_examples import NO_RELATION, RelationExample
from trustnlp.data.store import fetch

logger = logging.getLogger(__name__)

PARTS = ("train", "dev", "test")
RELATIONS = (
    "org:alternate_names",
    "org:city_of_headquarters",
    "org:country_of_headquarters",
    "org:founded",
    "org:founded_by",
    "org:members",
    "org:stateorprovince_of_headquarters",
    "org:subsidiaries",
    "org:top_members/employees",
    "per:alternate_names",
    "per:cities_of_residence",
    "per:countries_of_residence",
    "per:country_of_birth",
    "per:employee_of",
    "per:origin",
    "per:spouse",
    "per:stateorprovinces_of_residence",
    "per:title",
)
LABELS = (*(f"{name}({order})" for name in RELATIONS for order in ("e1,e2", "e2,e1")), NO_RELATION)


def read_kbp37(part: str) -> list[RelationExample]:
    """One part of KBP37, parsed: `train`, `dev` or `test`, in the order of the file.

    The first entity is the subject, the second the object, whatever the label's direction. What was left out or met on
    the way is logged, and is what `kbp37_counts` returns. The first call for a part takes minutes, later ones seconds.

    Raises
    ------
    ImportError
        If spaCy is not installed.
    DataError
        If the files cannot be fetched or read.
    ValueError
        If there is no such part.
    """
    examples, counts = _read(part)
    logger.info("kbp37 %s: %d examples; %s", part, len(examples), dict(counts))
    return examples


def kbp37_counts(part: str) -> dict[str, int]:
    """Numbers of items that `read_kbp37` left out of a part or met in it, by reason.

    Left out are `empty entity`, `overlapping entities`, `repeated` (the earlier one has the same label),
    `contradicting` (it has another) and `in dev or test`. Kept are items with `labels with blanks`, `widened entity`,
    `several trees` and `entities in different trees`; these counts include items that are left out for another reason.
    """
    return dict(_read(part)[1])


def _read(part: str) -> tuple[list[RelationExample], Counter[str]]:
    if part not in PARTS:
        raise ValueError(f"part must be {', '.join(PARTS)}, got {part!r}")
    paths = fetch("kbp37")
    with as_described("kbp37", paths):
        items, counts = read_marked(paths[part], LABELS)
        held_out = _elsewhere(paths, ("dev", "test")) if part == "train" else frozenset()
        parses, met = parsed(f"kbp37-{part}", items)
    counts.update(met)
    labels: dict[object, str] = {}
    examples = []
    for item, example in zip(items, parses, strict=True):
        if example is None:
            continue
        key = _key(item)
        if key in held_out:
            counts["in dev or test"] += 1
        elif key in labels:
            counts["repeated" if labels[key] == item.label else "contradicting"] += 1
        else:
            labels[key] = item.label
            examples.append(example)
    return examples, +counts


def _elsewhere(paths: Mapping[str, Path], parts: Iterable[str]) -> frozenset[object]:
    return frozenset(_key(item) for part in parts for item in read_marked(paths[part], LABELS)[0])


def _key(item: MarkedSentence) -> object:
    return item.text, item.first, item.second
