"""The networks of Tang and Surdeanu (2021) as the chapter's notebooks ask for them: kept, so that each is trained once.

Table 1 has two configurations, *rule-only data* and *rules + training data*, and in each the network and two of its
parts; Table 3 has the network on a part of the rules.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from trustnlp.data.words.word_vectors import read_vectors
from trustnlp.embeddings.static import WordVectors
from trustnlp.relations.joint_training import train_extractor
from trustnlp.relations.relation_sizes import Form, RelationSizes
from trustnlp.relations.relation_vocabulary import Rule
from trustnlp.relations.rules.rule_spelling import rule_tokens
from trustnlp.relations.trained_extractor import ExtractorRecipe, TrainedExtractor
from trustnlp.reproduce.notebooks.sources import results_of
from trustnlp.studies.edin.data import Examples, Fired, RelationCorpus, Supervision, combined, gold_rules, rule_only

Configuration = Literal["rule_only", "combined"]
Row = Literal["ours", "no_decoder", "no_classifier"]


@dataclass(frozen=True)
class RuledPart:
    """A part of a corpus, and what its rules say of it.

    Attributes
    ----------
    references
        For each example the tokens of the rules that match it and give its label.
    """

    examples: Examples
    fired: list[list[Fired]]
    references: list[list[Rule]]

    @property
    def gold(self) -> list[str]:
        return [example.relation for example in self.examples]


@dataclass(frozen=True)
class RuledCorpus:
    """A corpus with its rules run over all parts; `parameters` are a notebook's (see `trained`)."""

    corpus: RelationCorpus
    parameters: Mapping[str, Any]

    @cached_property
    def tokens(self) -> dict[str, Rule]:
        """Those of each rule, by its id."""
        return {rule.id: tuple(rule_tokens(rule.pattern)) for rule in self.corpus.rules.usable}

    @cached_property
    def train(self) -> RuledPart:
        return self._part(self.corpus.train)

    @cached_property
    def dev(self) -> RuledPart:
        return self._part(self.corpus.dev)

    @cached_property
    def test(self) -> RuledPart:
        return self._part(self.corpus.test)

    @cached_property
    def test_ungated(self) -> list[list[Fired]]:
        """Matches in the test part where the types of the two entities are not asked."""
        return self.corpus.fire(self.test.examples, gate=False)

    def _part(self, examples: Examples) -> RuledPart:
        fired = self.corpus.fire(examples)
        references = [[self.tokens[rule] for rule in rules] for rules in gold_rules(examples, fired)]
        return RuledPart(examples, fired, references)

    def top_rules(self, percent: int) -> frozenset[str]:
        """The top n % of the rules that match in training, by matches there (§4, footnote 5)."""
        counts = Counter(match.rule for matches in self.train.fired for match in matches)
        ranked = [rule for rule, _ in counts.most_common()]
        return frozenset(ranked[: max(1, round(len(ranked) * percent / 100))])

    def supervision(self, configuration: Configuration, seed: int, rules: frozenset[str] | None = None) -> Supervision:
        """The examples and rules that training sees; `rules` keeps some of them."""
        fired = self.train.fired
        if rules is not None:
            fired = [[match for match in matches if match.rule in rules] for matches in fired]
        if configuration == "combined":
            count = min(self.parameters["labelled"], len(fired))
            chosen = np.sort(np.random.default_rng([seed, 2]).choice(len(fired), count, replace=False))
            return combined([self.train.examples[at] for at in chosen], [fired[at] for at in chosen])
        return rule_only(self.corpus, fired, np.random.default_rng([seed, 1]), negatives=self.parameters["negatives"])

    def trained(
        self,
        configuration: Configuration,
        row: Row,
        seed: int,
        *,
        rules: frozenset[str] | None = None,
        form: Form = "paper",
    ) -> TrainedExtractor:
        """A network; those of the `paper` profile are kept in the results' folder.

        Of the notebook's parameters `profile`, `vectors`, `width`, `lstm_layers`, `epochs`, `learning_rate`,
        `batch_size`, `negatives`, `labelled` and `device` count.
        """
        sizes = RelationSizes(
            width=self.parameters["width"],
            lstm_layers=self.parameters["lstm_layers"],
            input_dropout=0.0,
            classifier=row != "no_classifier",
            decoder=row != "no_decoder",
            form=form,
        )
        recipe = ExtractorRecipe(
            sizes,
            learning_rate=self.parameters["learning_rate"],
            first_sum=0.0,
            epochs=self.parameters["epochs"],
            batch_size=self.parameters["batch_size"],
        )
        taught = self.supervision(configuration, seed, rules)
        firsts = [right[0] if right else None for right in self.dev.references]
        return self.network_of(taught, recipe, seed, self.dev.examples, firsts, _vectors(*self.parameters["vectors"]))

    def network_of(
        self,
        supervision: Supervision,
        recipe: ExtractorRecipe,
        seed: int,
        dev: Examples,
        dev_targets: Sequence[Rule | None] | None = None,
        vectors: WordVectors | None = None,
    ) -> TrainedExtractor:
        """`train_extractor` with these rules' tokens; of the notebook's parameters `profile` and `device` count."""
        return train_extractor(
            supervision.examples,
            [None if rule is None else self.tokens[rule] for rule in supervision.rules],
            dev,
            recipe,
            seed=seed,
            dev_targets=dev_targets,
            vectors=vectors,
            others=self.test.examples,
            device=self.parameters["device"],
            folder=results_of("trustnlp.relations.joint_training") if self.parameters["profile"] == "paper" else None,
        )


@functools.lru_cache(maxsize=1)
def _vectors(*names: str) -> WordVectors | None:
    return read_vectors(*names) if names else None
