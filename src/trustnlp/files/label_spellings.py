"""Labels of two columns that are one label in two spellings: each such text would be counted as an error.

Nobody asks for `neu` and `neutral`, for `Pos` and `pos ` or for 1 and 1.0 in two columns; a table that was joined from
two files has them.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from decimal import Decimal, InvalidOperation
from itertools import chain
from typing import Any


def check_spellings(truth: Sequence[Any], predicted: Sequence[Any]) -> None:
    """Refuse labels that look like one label in two spellings.

    Raises
    ------
    ValueError
        If two labels are equal but for blanks, case, the form of letters or the way a number is written; or a label
        that is never predicted stands, in at least half of its texts, beside one that is never true.
    """
    check_one_spelling(truth, predicted, or_else="; if they are two, give all labels in labels=[…], or with --label")
    never_predicted, never_true = set(truth) - set(predicted), set(predicted) - set(truth)
    texts, pairs = Counter(truth), Counter(zip(truth, predicted, strict=False))
    for (label, other), times in pairs.most_common():
        if label in never_predicted and other in never_true and 2 * times >= texts[label]:
            raise ValueError(
                f"the label {label!r} is never predicted and {other!r} is never true, and {times:,} of the "
                f"{texts[label]:,} texts with the first have the second as their prediction; if they are one label, "
                "write them alike; if they are two, give all labels in labels=[…], or with --label"
            )


def check_one_spelling(*columns: Iterable[Any], or_else: str = "", two_in_each: bool = False) -> None:
    """Refuse labels that are equal but for blanks, case, the form of letters or the way a number is written.

    With `two_in_each`, two spellings that every column has are two labels, such as `US` and `us`.

    Raises
    ------
    ValueError
        If there are two such labels in the columns; `or_else` ends its message.
    """
    read = [list(column) for column in columns]
    counts = Counter(chain(*read))
    everywhere = set.intersection(*map(set, read)) if two_in_each else set()
    first: dict[Hashable, Any] = {}
    for label in counts:
        if isinstance(label, float) and label != label:
            raise ValueError(f"a label is missing (NaN, {counts[label]:,} times); leave its text out, or name it")
        if (other := first.setdefault(_plainest(label), label)) != label and not {label, other} <= everywhere:
            raise ValueError(
                f"the labels {other!r} ({counts[other]:,} times) and {label!r} ({counts[label]:,} times) differ in "
                f"spelling alone, and would be counted as errors; write them alike{or_else}"
            )


def lone_labels(truth: Sequence[Any], predicted: Sequence[Any]) -> tuple[str, ...]:
    """A note for the labels that are only true or only predicted: each of their texts counts as an error."""
    notes = []
    for column, other, what in ((truth, predicted, "never predicted"), (predicted, truth, "never true")):
        lone = set(column) - set(other)
        if lone:
            notes.append(
                f"Each of {sum(label in lone for label in column):,} texts counts as an error, as its label is {what} "
                f"({', '.join(sorted(map(repr, lone))):.200}); check the spelling."
            )
    return tuple(notes)


def _plainest(label: Any) -> Hashable:
    """The form that two spellings of a label have in common.

    >>> _plainest(" Neutral ") == _plainest("neutral"), _plainest("1.0") == _plainest(1), _plainest("a b")
    (True, True, 'a b')
    """
    unseen = ("Cf", "Cc")  # a byte-order mark, a soft hyphen, a carriage return
    text = unicodedata.normalize("NFKC", str(label)).casefold()
    text = " ".join(
        "".join(each for each in text if each.isspace() or unicodedata.category(each) not in unseen).split()
    )
    text = text.strip("\"' ")
    try:
        return number if (number := Decimal(text)).is_finite() else text  # exact: a long id is no other
    except InvalidOperation:
        return text
