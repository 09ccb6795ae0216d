"""Examples of relations as padded tensors, made once, and the batches that are cut from them.

Sentences of any length lie in one table each of words, entity types, tags and parents in the pruned tree; a batch is a
choice of rows, as wide as its longest sentence. The adjacency matrices of Eq. 2 are filled when a batch is cut.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from trustnlp.data.relations.relation_examples import RelationExample
from trustnlp.relations.pruned_trees import pruned_tree
from trustnlp.relations.relation_vocabulary import PADDING, UNKNOWN, RelationVocabulary, Rule, masked_words

Numbers = NDArray[np.int64]
_SUBJECT, _OBJECT = 1, 2


@dataclass(frozen=True)
class RelationBatch:
    """`B` sentences of at most `T` tokens.

    Attributes
    ----------
    words, entity_types, tags
        `(B, T)` int64, `PADDING` after a sentence's end.
    lengths
        `(B,)` tokens of each sentence.
    adjacency
        `(B, T, T)` float32, Ã / d of Eq. 2: each row sums to 1.
    present, kept, subject, object
        `(B, T)` bool: tokens of the sentence, of its pruned tree, and of the two entities.
    """

    words: Tensor
    entity_types: Tensor
    tags: Tensor
    lengths: Tensor
    adjacency: Tensor
    present: Tensor
    kept: Tensor
    subject: Tensor
    object: Tensor

    def __len__(self) -> int:
        return len(self.lengths)


@dataclass(frozen=True)
class RelationInputs:
    """`n` examples. `of` makes them.

    Attributes
    ----------
    lengths
        `(n,)` tokens of each sentence.
    relations
        `(n,)` numbers of the labels, -1 where training knows no such relation.
    ruled
        `(n,)` whether an example has a rule.
    rules
        `(n, S)` numbers of the tokens of rules with `END` behind them, then `PADDING`.
    """

    lengths: Numbers
    relations: Numbers
    ruled: NDArray[np.bool_]
    rules: NDArray[np.int32]
    _columns: NDArray[np.int32]  # (n, 5, T): words, entity types, tags, parents, roles
    _kept: NDArray[np.bool_]  # (n, T)

    def __len__(self) -> int:
        return len(self.lengths)

    @classmethod
    def of(
        cls,
        examples: Sequence[RelationExample],
        vocabulary: RelationVocabulary,
        rules: Sequence[Rule | None] | None = None,
        *,
        distance: int | None = 1,
    ) -> RelationInputs:
        """Read examples, with the rule that explains each.

        Parameters
        ----------
        rules
            One for each example, None where there is none; None where there are none at all.
        distance
            What is left of the dependency tree, see `trustnlp.relations.pruned_trees.pruned_tree`.

        Raises
        ------
        ValueError
            If there is no example, one without tags, entity types or heads, not one rule for each, or a rule without a
            token.
        """
        if not examples:
            raise ValueError("no examples of relations to read")
        rules = [None] * len(examples) if rules is None else rules
        if len(rules) != len(examples):
            raise ValueError(f"{len(examples)} examples need as many rules, None where there is none, got {len(rules)}")
        if empty := [example.id for example, rule in zip(examples, rules, strict=True) if rule == ()]:
            raise ValueError(f"the rule of example {empty[0]} has no token: give None where there is no rule")
        lengths = np.array([len(example.tokens) for example in examples])
        columns = np.zeros((len(examples), 5, lengths.max()), dtype=np.int32)
        kept = np.zeros((len(examples), lengths.max()), dtype=bool)
        columns[:, 3] = -1
        for row, (example, length) in enumerate(zip(examples, lengths, strict=True)):
            if missing := [name for name in ("tags", "ner", "heads") if not getattr(example, name)]:
                raise ValueError(
                    f"example {example.id} has no {' and no '.join(missing)}; annotate the sentences when they are read"
                )
            entities = [*range(*example.subject), *range(*example.object)]
            tree = pruned_tree(example.heads, entities, distance)
            columns[row, 0, :length] = vocabulary.encode("words", masked_words(example))
            columns[row, 1, :length] = vocabulary.encode("entity_types", example.ner)
            columns[row, 2, :length] = vocabulary.encode("tags", example.tags)
            columns[row, 3, :length] = tree.parents
            columns[row, 4, slice(*example.subject)] = _SUBJECT
            columns[row, 4, slice(*example.object)] = _OBJECT
            kept[row, :length] = tree.kept
        written = [vocabulary.encode_rule(rule) if rule is not None else [] for rule in rules]
        relations = np.array([vocabulary.relation(example.relation) for example in examples])
        return cls(lengths, relations, np.array([bool(rule) for rule in written]), padded_rules(written), columns, kept)

    def batch(
        self, rows: Numbers, device: torch.device, draws: torch.Generator | None = None, dropped: float = 0.0
    ) -> RelationBatch:
        """The sentences of some rows, on a device.

        Parameters
        ----------
        draws, dropped
            In training, a generator on the CPU and the share of words, masks among them, that become `UNKNOWN`.
        """
        width = int(self.lengths[rows].max())
        words, kinds, tags, parents, roles = (self._columns[rows, at, :width] for at in range(5))
        sentence, token = np.nonzero(parents >= 0)
        adjacency = np.zeros((len(rows), width, width), dtype=np.float32)
        adjacency[:, np.arange(width), np.arange(width)] = 1
        adjacency[sentence, token, parents[sentence, token]] = 1
        adjacency[sentence, parents[sentence, token], token] = 1
        adjacency /= adjacency.sum(2, keepdims=True)
        if draws is not None and dropped:
            unknown = torch.rand(words.shape, generator=draws).numpy() < dropped
            words = np.where(unknown & (words != PADDING), UNKNOWN, words)

        def there(values: NDArray[np.generic]) -> Tensor:
            return torch.from_numpy(values).to(device)

        return RelationBatch(
            words=there(words).long(),
            entity_types=there(kinds).long(),
            tags=there(tags).long(),
            lengths=there(self.lengths[rows]),
            adjacency=there(adjacency),
            present=there(np.arange(width) < self.lengths[rows, None]),
            kept=there(self._kept[rows, :width]),
            subject=there(roles == _SUBJECT),
            object=there(roles == _OBJECT),
        )

    def rules_of(self, rows: Numbers, device: torch.device) -> Tensor:
        """`(B, S)` rules of some rows, as wide as the longest of them; all `PADDING` where a row has none."""
        chosen = self.rules[rows]
        width = max(1, int((chosen != PADDING).sum(1).max()))
        return torch.from_numpy(chosen[:, :width]).to(device).long()

    def distinct_words(self, batch_size: int) -> int:
        """At least as many as any batch of this size has distinct words."""
        sentences = zip(self._columns[:, 0], self.lengths, strict=True)
        counts = [len(np.unique(words[:length])) for words, length in sentences]
        return sum(sorted(counts)[-batch_size:]) + 2  # padding, and the unknown word where words are dropped

    def select(self, rows: Numbers) -> RelationInputs:
        """Some of the examples, in the order of `rows`."""
        return RelationInputs(*(getattr(self, field.name)[rows] for field in fields(self)))

    @property
    def arrays(self) -> tuple[NDArray[np.generic], ...]:
        """All that is read, for a fingerprint."""
        return (self.lengths, self.relations, self.rules, self._columns, self._kept)


def padded_rules(rules: Sequence[Sequence[int]]) -> NDArray[np.int32]:
    """`(n, S)` numbers of tokens, `PADDING` behind them."""
    padded = np.full((len(rules), max(1, *map(len, rules))), PADDING, dtype=np.int32)
    for row, rule in enumerate(rules):
        padded[row, : len(rule)] = rule
    return padded
