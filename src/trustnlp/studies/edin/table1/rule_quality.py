"""How good decoded rules are, and rules that no decoder had to write: BLEU, exact match, and whether they are true.

Tang and Surdeanu (2021), §4: "We report BLEU scores only over the non 'no_relation' extractions with the corresponding
testing data points that are matched by one of the rules"; all of these are references. Beside the decoder's stand the
rules of four baselines that read no sentence, or hardly: the most frequent rule of training, that of the predicted
relation, that of the gold relation, and the rule of the nearest training sentence.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_extraction.text import TfidfVectorizer

from trustnlp.data.relations.relation_examples import NO_RELATION, RelationExample
from trustnlp.evaluation.reference_overlap import corpus_bleu, exact_matches
from trustnlp.relations.relation_vocabulary import Rule, masked_words
from trustnlp.studies.edin.data.rule_supervision import Supervision, most_frequent_rules
from trustnlp.studies.edin.table1.executed_rules import ExecutedRules

References = Sequence[Sequence[Rule]]


def overlap(references: References, rules: Sequence[Rule], items: NDArray[np.bool_]) -> dict[str, float]:
    """BLEU and exact match on some items, in per cent; nothing where there are none.

    Parameters
    ----------
    references
        For each item the rules that are right, at least one where `items` is true.
    """
    rows = np.flatnonzero(items).tolist()
    if not rows:
        return {}
    right, given = [references[row] for row in rows], [rules[row] for row in rows]
    return {"bleu": corpus_bleu(right, given), "exact": 100 * float(exact_matches(right, given).mean())}


def scored_items(references: References, predicted: Sequence[str]) -> NDArray[np.bool_]:
    """Items on which the paper computes BLEU: with a predicted relation and a gold rule."""
    return np.array([bool(right) and label != NO_RELATION for right, label in zip(references, predicted, strict=True)])


def explanation_scores(
    references: References, predicted: Sequence[str], rules: Sequence[Rule], run: ExecutedRules
) -> dict[str, float]:
    """Of decoded rules, in per cent: `bleu`, `exact`, `executed_scored` on the paper's items; `executed`, `parses`,
    `known` and `scored_share` on all items with a predicted relation. What has no items is left out."""
    given = np.array([label != NO_RELATION for label in predicted])
    scored = scored_items(references, predicted)
    if not given.any():
        return {}
    true = run.true_of(rules, predicted)
    shares = {
        "executed": true[given],
        "parses": run.parses(rules)[given],
        "known": run.known(rules)[given],
        "scored_share": scored[given],
        "executed_scored": true[scored],
    }
    return {
        **overlap(references, rules, scored),
        **{name: 100 * float(values.mean()) for name, values in shares.items() if len(values)},
    }


class LookedUpRules:
    """Rules of training that a baseline writes.

    Parameters
    ----------
    tokens
        Of the id of each rule.
    """

    def __init__(self, supervision: Supervision, tokens: Mapping[str, Rule]) -> None:
        self._tokens = tokens
        counts = Counter(rule for rule in supervision.rules if rule is not None)
        self.one_rule = tokens[counts.most_common(1)[0][0]]
        self._by_relation = {name: tokens[rule] for name, rule in most_frequent_rules(supervision).items()}
        self._taught = [
            (example, rule)
            for example, rule in zip(supervision.examples, supervision.rules, strict=True)
            if rule is not None
        ]

    def of_relations(self, labels: Sequence[str]) -> list[Rule]:
        """The most frequent rule of each label; that of all where the label has none."""
        return [self._by_relation.get(label, self.one_rule) for label in labels]

    def of_nearest(self, examples: Sequence[RelationExample]) -> list[Rule]:
        """The rule of the training example with a rule that is nearest by the cosine of TF-IDF weights.

        Words and pairs of words are weighed, with the entities masked as the network sees them.
        """
        weights = TfidfVectorizer(ngram_range=(1, 2), analyzer="word", token_pattern=r"\S+", lowercase=False)
        taught = weights.fit_transform(" ".join(masked_words(example)) for example, _ in self._taught)
        asked = weights.transform(" ".join(masked_words(example)) for example in examples)
        nearest = np.concatenate(
            [np.asarray((asked[at : at + 500] @ taught.T).argmax(1)).ravel() for at in range(0, len(examples), 500)]
        )
        return [self._tokens[self._taught[place][1]] for place in nearest]
