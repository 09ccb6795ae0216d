"""SemEval-2010 Task 8: 10,717 sentences with two nouns and one of nine relations in either direction, or `Other`.

Hendrickx et al. (2010) took the sentences from the web and put `Other` where none of the nine holds. It is read as
`no_relation`. None of the rules of Angeli et al. (2015) is about these relations; for them it is a corpus in which no
rule should be right.
"""

from __future__ import annotations

import logging
from collections import Counter
from dataclasses import replace

from trustnlp.data.damage import as_described
from trustnlp.data.relations.marked_sentences import parsed, read_marked
from trustnlp.data.relations.relation_examples import NO_RELATION, RelationExample
from trustnlp.data.store import fetch

logger = logging.getLogger(__name__)

PARTS = ("train", "test")
RELATIONS = (
    "Cause-Effect",
    "Component-Whole",
    "Content-Container",
    "Entity-Destination",
    "Entity-Origin",
    "Instrument-Agency",
    "Member-Collection",
    "Message-Topic",
    "Product-Producer",
)
OTHER = "Other"
LABELS = (*(f"{name}({order})" for name in RELATIONS for order in ("e1,e2", "e2,e1")), OTHER)


def read_semeval_relations(part: str) -> list[RelationExample]:
    """One part, parsed: `train` (8,000) or `test` (2,717), in the order of the file.

    The noun marked first is the subject, whatever the label's direction. The first call for a part takes minutes, later
    ones seconds.

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
    logger.info("semeval2010_task8 %s: %d examples; %s", part, len(examples), dict(counts))
    return examples


def _read(part: str) -> tuple[list[RelationExample], Counter[str]]:
    if part not in PARTS:
        raise ValueError(f"part must be {' or '.join(PARTS)}, got {part!r}")
    paths = fetch("semeval2010_task8")
    with as_described("semeval2010_task8", paths):
        items, counts = read_marked(paths[part], LABELS)
        examples, met = parsed(f"semeval-{part}", items)
    found = [
        replace(example, relation=NO_RELATION) if example.relation == OTHER else example
        for example in examples
        if example is not None
    ]
    return found, counts + met
