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

from trustnlp.data.relations.marked_sentences import MarkedSentence, parsed_examples, read_marked
from trustnlp.data.relations.relation_examples import RelationExample
from trustnlp.data.store import fetch

PARTS = ("train", "dev", "test")


def read_kbp37(part: str) -> list[RelationExample]:
    """One part of KBP37, parsed: `train`, `dev` or `test`, in the order of the file.

    The first entity is the subject, the second the object, whatever the label's direction. The first call for a part
    takes minutes, later ones seconds.

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
        raise ValueError(f"part must be {', '.join(PARTS)}, got {part!r}")
    items = {name: read_marked(path) for name, path in fetch("kbp37").items() if part in ("train", name)}
    met = {_key(item) for name, others in items.items() if name != part for item in others}
    examples = []
    for item, example in zip(items[part], parsed_examples(f"kbp37-{part}", items[part]), strict=True):
        if example is not None and _key(item) not in met:
            met.add(_key(item))
            examples.append(example)
    return examples


def _key(item: MarkedSentence) -> object:
    return item.text, item.first, item.second
