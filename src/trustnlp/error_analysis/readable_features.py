"""Features of a text that a person can read: grammatical relations, emotions, named entities, signs of a conversation.

Misra, Liu and Mahmud (2021), §3.3.1. A feature is a count divided by the length of the text:

- `dependency`: a relation with its two words replaced by their parts of speech, the head's first, as in Table 6:
  `amod-NN-JJ`. The root of a sentence is its own head: `ROOT-VBN-VBN`.
- `emotion`: words of each of ten emotions of the NRC lexicon (the paper says eight and lists ten).
- `entity`: named entities of each type.
- `conversation`: see `trustnlp.error_analysis.conversation_markers`.

The paper does not say what a text's length is; here it is the number of spaCy's tokens, white space left out. It does
not say which relations it keeps; here the caller does. A word is looked up in the lexicon as it is written, in lower
case. Where a text has neither letter nor digit, a parse and entities mean nothing: only its "!" and "?" count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trustnlp.data.annotation.spacy_annotation import Annotation
from trustnlp.data.words.emotion_lexicon import EMOTIONS
from trustnlp.error_analysis.conversation_markers import MARKERS, count_markers

ANNOTATED = ("tags", "dependencies", "entities")  # the parts to ask `annotate` for
_Column = tuple[str, str]  # group and name


@dataclass(frozen=True, eq=False)
class FeatureTable:
    """A table of `n` texts by `f` named features.

    Attributes
    ----------
    names
        `f` names, all distinct.
    values
        `(n, f)`, float64.
    groups
        `f` kinds of feature: `dependency`, `emotion`, `entity`, `conversation`, or a reader's own.

    Raises
    ------
    ValueError
        If the sizes do not agree, a name is there twice, or a value is not finite.
    """

    names: tuple[str, ...]
    values: NDArray[np.float64]
    groups: tuple[str, ...]

    def __post_init__(self) -> None:
        shape, dtype = np.shape(self.values), getattr(self.values, "dtype", None)
        if dtype != np.float64 or len(shape) != 2:
            raise ValueError(f"values must be a float64 array (texts, features), got {dtype or 'no array'} {shape}")
        if not len(self.names) == len(self.groups) == shape[1]:
            raise ValueError(
                f"{shape[1]} columns of values need as many names and groups, got {len(self.names)} names and "
                f"{len(self.groups)} groups"
            )
        if twice := [name for name, count in Counter(self.names).items() if count > 1]:
            raise ValueError(f"two features have the name {twice[0]!r}; rename one")
        if not np.isfinite(self.values).all():
            text, column = np.argwhere(~np.isfinite(self.values))[0]
            raise ValueError(
                f"feature {self.names[column]!r} of text {text} is {self.values[text, column]}; fill it in, or leave "
                f"out the text or the feature"
            )

    def without_constants(self) -> tuple[FeatureTable, tuple[str, ...]]:
        """The features that differ between texts, and the names of the others, which can tell no texts apart."""
        varies = (self.values != self.values[:1]).any(axis=0)
        varying = np.flatnonzero(varies)
        table = FeatureTable(
            tuple(self.names[column] for column in varying),
            self.values[:, varying],
            tuple(self.groups[column] for column in varying),
        )
        return table, tuple(self.names[column] for column in np.flatnonzero(~varies))


def feature_table(
    annotations: Sequence[Annotation],
    lexicon: Mapping[str, Sequence[str]],
    *,
    fewest_texts: int,
) -> FeatureTable:
    """The paper's features, those of one group after those of another.

    There is a column for each emotion and each sign of a conversation, whether it occurs or not, and for the relations
    and the types of entity that occur; `FeatureTable.without_constants` takes out those that say nothing.

    Parameters
    ----------
    annotations
        `n` texts as `trustnlp.data.annotation.spacy_annotation.annotate` reads them, with the parts `ANNOTATED`.
    lexicon
        Lower-case word → its emotions, from `read_emotion_lexicon`. An empty one leaves the emotions at 0.
    fewest_texts
        A relation is left out where fewer texts have it.

    Raises
    ------
    ValueError
        If there are no texts, no tags or relations in an annotation, an unknown emotion, or `fewest_texts` below 1.
    """
    if fewest_texts < 1:
        raise ValueError(f"fewest_texts must be 1 or more, got {fewest_texts}")
    counts = _counted(annotations, lexicon)
    texts_with = Counter(column for each in counts for column in each)
    common = sorted(c for c, texts in texts_with.items() if c[0] != "dependency" or texts >= fewest_texts)
    columns = [
        *(column for column in common if column[0] == "dependency"),
        *(("emotion", emotion) for emotion in EMOTIONS),
        *(column for column in common if column[0] == "entity"),
        *(("conversation", marker) for marker in MARKERS),
    ]
    return _table(annotations, counts, columns)


def same_features(
    annotations: Sequence[Annotation], lexicon: Mapping[str, Sequence[str]], like: FeatureTable
) -> FeatureTable:
    """The columns of another table for other texts, for a model that was trained on that table.

    What the other table has no column for is left out, and what these texts do not have is 0. The other arguments are
    those of `feature_table`.

    Raises
    ------
    ValueError
        If `feature_table` would raise it.
    """
    columns = list(zip(like.groups, like.names, strict=True))
    return _table(annotations, _counted(annotations, lexicon), columns)


def with_relation_families(table: FeatureTable) -> FeatureTable:
    """The table with a column for each relation whatever the parts of speech of its words, named as `neg-*-*`.

    A cause that is spread over several relations, such as a negation over `neg-JJ-RB` and `neg-VBD-RB`, is common only
    in their sum. A relation that has a single column gets no other. Not a feature of the paper.

    >>> table = FeatureTable(("neg-JJ-RB", "neg-VB-RB", "no"), np.eye(3), ("dependency", "dependency", "conversation"))
    >>> with_relation_families(table).names[3:], with_relation_families(table).values[:, 3].tolist()
    (('neg-*-*',), [1.0, 1.0, 0.0])
    """
    families: dict[str, list[int]] = {}
    for column, (name, group) in enumerate(zip(table.names, table.groups, strict=True)):
        if group == "dependency":
            families.setdefault(f"{name.split('-')[0]}-*-*", []).append(column)
    several = {family: columns for family, columns in families.items() if len(columns) > 1}
    sums = [table.values[:, columns].sum(axis=1, keepdims=True) for columns in several.values()]
    values = np.concatenate([table.values, *sums], axis=1)
    return FeatureTable((*table.names, *several), values, (*table.groups, *("dependency",) * len(several)))


def text_lengths(annotations: Sequence[Annotation]) -> NDArray[np.int64]:
    """Tokens of each text that are not white space, `(n,)`.

    >>> text_lengths([Annotation(("No", "seat", "  ", "!"), (0, 3, 7, 10)), Annotation((), ())]).tolist()
    [3, 0]
    """
    return np.array([sum(not token.isspace() for token in each.tokens) for each in annotations], dtype=np.int64)


def _counted(annotations: Sequence[Annotation], lexicon: Mapping[str, Sequence[str]]) -> list[Counter[_Column]]:
    if not annotations:
        raise ValueError("there are no texts to take features from")
    if unknown := {emotion for emotions in lexicon.values() for emotion in emotions} - set(EMOTIONS):
        raise ValueError(f"the lexicon has the emotions {sorted(unknown)}; known are {', '.join(EMOTIONS)}")
    for number, each in enumerate(annotations):
        if not len(each.tokens) == len(each.tags) == len(each.relations):
            raise ValueError(
                f"text {number} has {len(each.tokens)} tokens, {len(each.tags)} tags and {len(each.relations)} "
                f"relations; annotate it with the parts {', '.join(ANNOTATED)}"
            )
    return [_counts(each, lexicon) for each in annotations]


def _counts(text: Annotation, lexicon: Mapping[str, Sequence[str]]) -> Counter[_Column]:
    counts = Counter({("conversation", marker): count for marker, count in count_markers(text).items()})
    if not any(character.isalnum() for token in text.tokens for character in token):
        return counts
    for token, tag, head, relation in zip(text.tokens, text.tags, text.heads, text.relations, strict=True):
        if not token.isspace():
            counts["dependency", f"{relation}-{text.tags[head]}-{tag}"] += 1
        for emotion in lexicon.get(token.lower(), ()):
            counts["emotion", emotion] += 1
    for entity in text.entities:
        counts["entity", entity.label] += 1
    return counts


def _table(
    annotations: Sequence[Annotation], counts: Sequence[Counter[_Column]], columns: Sequence[_Column]
) -> FeatureTable:
    place = {column: number for number, column in enumerate(columns)}
    values = np.zeros((len(counts), len(columns)))
    for row, each in zip(values, counts, strict=True):
        for column in each.keys() & place.keys():
            row[place[column]] = each[column]
    values /= np.maximum(text_lengths(annotations), 1)[:, None]
    return FeatureTable(tuple(name for _, name in columns), values, tuple(group for group, _ in columns))
