"""SemEval-2010 Task 8: 10,717 sentences with two nouns and one of nine relations in either direction, or `Other`.

Hendrickx et al. (2010) took the sentences from the web and put `Other` where none of the nine holds. It is read as
`no_relation`. None of the rules of Angeli et al. (2015) is about these relations; for them it is a corpus in which no
rule should be right.
"""

from __future__ import annotations

from dataclasses import replace

from trustnlp.data.relations.marked_sentences import parsed_examples, read_marked
from trustnlp.data.relations.relation_examples import NO_RELATION, RelationExample
from trustnlp.data.store import fetch

PARTS = ("train", "test")
OTHER = "Other"


def read_semeval_relations(part: str) -> list[RelationExample]:
    """One part, parsed: `train` (8,000) or `test` (2,717), in the order of the file.

    The noun marked first is the subject, whatever the label's direction. The first call for a part takes minutes, later
    ones seconds.

    Raises
    ------
    ImportError
        If spaCy is not installed.
    DataError
        If the files cannot be fetched.
    ValueError
        If there is no such part.
    """
    if part not in PARTS:
        raise ValueError(f"part must be {' or '.join(PARTS)}, got {part!r}")
    examples = filter(None, parsed_examples(f"semeval-{part}", read_marked(fetch("semeval2010_task8")[part])))
    return [replace(each, relation=NO_RELATION) if each.relation == OTHER else each for each in examples]
