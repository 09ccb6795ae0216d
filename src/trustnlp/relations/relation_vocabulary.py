"""Numbers of all that a relation extractor reads and writes: words, entity types, tags, relations, tokens of rules.

Tang and Surdeanu (2021), §4: the words of the two entities are masked, "replacing the original token with a special
<NER>-SUBJ or <NER>-OBJ token". A mask is a word of the vocabulary, such as `PERSON-SUBJ`.

Words are compared in lower case, for so are those of GloVe 6B. Deviation: the released code keeps the case, as GloVe
840B does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import takewhile

from trustnlp.data.annotation.corenlp_labels import written
from trustnlp.data.relations.relation_examples import NO_RELATION, RelationExample
from trustnlp.embeddings.static import WordVectors

PADDING, UNKNOWN = 0, 1
# Of rules only: what a decoder reads first, and what it writes last.
START, END = 2, 3
_SPECIAL = ("<PAD>", "<UNK>")
_SPECIAL_OF_RULES = (*_SPECIAL, "<START>", "<END>")

Rule = tuple[str, ...]


@dataclass(frozen=True)
class RelationVocabulary:
    """The known names; a name's place is its number. `of` makes one.

    Attributes
    ----------
    words, entity_types, tags
        `<PAD>` and `<UNK>` first.
    relations
        `no_relation` first, if it occurs.
    rule_tokens
        `<PAD>`, `<UNK>`, `<START>` and `<END>` first.

    Raises
    ------
    ValueError
        If there are fewer than two relations.
    """

    words: tuple[str, ...]
    entity_types: tuple[str, ...]
    tags: tuple[str, ...]
    relations: tuple[str, ...]
    rule_tokens: tuple[str, ...] = _SPECIAL_OF_RULES

    def __post_init__(self) -> None:
        if len(self.relations) < 2:
            raise ValueError(f"a classifier needs at least two relations, got {self.relations}")

    @classmethod
    def of(
        cls,
        examples: Sequence[RelationExample],
        rules: Iterable[Rule | None] = (),
        *,
        vectors: WordVectors | None = None,
        others: Iterable[RelationExample] = (),
    ) -> RelationVocabulary:
        """The names that occur in examples for training and their rules.

        Parameters
        ----------
        vectors, others
            Words of other examples, such as those of dev and test, are known too where there are vectors of them. Of
            the others nothing but their words is read.

        Raises
        ------
        ValueError
            If there are fewer than two relations.
        """
        words = Counter(word for example in examples for word in masked_words(example))
        further = {word for example in others for word in masked_words(example) if vectors and word in vectors}
        relations = {example.relation for example in examples}
        return cls(
            words=(*_SPECIAL, *sorted(words.keys() | further)),
            entity_types=(*_SPECIAL, *sorted({kind for example in examples for kind in example.ner})),
            tags=(*_SPECIAL, *sorted({tag for example in examples for tag in example.tags})),
            relations=tuple(sorted(relations, key=lambda relation: (relation != NO_RELATION, relation))),
            rule_tokens=(*_SPECIAL_OF_RULES, *sorted({token for rule in rules for token in rule or ()})),
        )

    @cached_property
    def _numbers(self) -> dict[str, dict[str, int]]:
        return {
            field.name: {name: number for number, name in enumerate(getattr(self, field.name))}
            for field in fields(self)
        }

    def encode(self, kind: str, names: Iterable[str]) -> list[int]:
        """Numbers of names of a kind, such as `words`; `UNKNOWN` where a name is not known."""
        known = self._numbers[kind]
        return [known.get(name, UNKNOWN) for name in names]

    def relation(self, name: str) -> int:
        """The number of a relation, -1 if it is not known."""
        return self._numbers["relations"].get(name, -1)

    def encode_rule(self, rule: Rule) -> list[int]:
        """Numbers of a rule's tokens, with `END` behind them."""
        return [*self.encode("rule_tokens", rule), END]

    def decode_rule(self, numbers: Iterable[int]) -> Rule:
        """Tokens of a rule up to `END`; what is not known is `<UNK>`."""
        written = takewhile(lambda number: number != END, numbers)
        return tuple(self.rule_tokens[number] for number in written if number not in (PADDING, START))


def masked_words(example: RelationExample) -> list[str]:
    """Words in lower case and as they are written (CoreNLP's brackets), the entities masked by type and role.

    >>> from trustnlp.data.relations.relation_examples import Span
    >>> masked_words(RelationExample("1", ("Ada", "Lovelace", "wrote", "It"), Span(0, 2), Span(3, 4), "r", "PERSON"))
    ['PERSON-SUBJ', 'PERSON-SUBJ', 'wrote', 'O-OBJ']
    """
    words = [written(word).lower() for word in example.tokens]
    for span, mask in (
        (example.subject, f"{example.subject_type}-SUBJ"),
        (example.object, f"{example.object_type}-OBJ"),
    ):
        words[span.start : span.end] = [mask] * (span.end - span.start)
    return words
