"""How good decoded rules are, and rules that nobody decoded: BLEU, exact match, and whether they are true.

Tang and Surdeanu (2021), §4: "We report BLEU scores only over the non 'no_relation' extractions with the corresponding
testing data points that are matched by one of the rules"; all of these are references. Beside the decoder's stand the
rules of a baseline that reads no sentence. BLEU compares a decoded rule with one that was written; whether it is true
of the sentence is found by reading its tokens as a pattern, and running it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from trustnlp.data.relations.relation_examples import NO_RELATION
from trustnlp.evaluation.reference_overlap import corpus_bleu, exact_matches
from trustnlp.relations.relation_vocabulary import Rule
from trustnlp.relations.rules.rule_base import RuleBase
from trustnlp.relations.rules.rule_index import match_all
from trustnlp.relations.rules.rule_spelling import pattern_of, rule_tokens, well_formed
from trustnlp.studies.edin.data import Examples, RelationCorpus, Supervision, majorities


class ExecutedRules:
    """Rules, given as tokens, run over the examples of a part.

    A rule that is one of the corpus's gives that rule's relation. One that is none of them has no relation of its own:
    it is taken for a rule of the relation that it is to explain, with the direction of that label.

    Parameters
    ----------
    rules
        Any token sequences; those that cannot be read match nothing.
    """

    def __init__(self, corpus: RelationCorpus, examples: Examples, rules: Iterable[Rule]) -> None:
        self._corpus = corpus
        self._readable = sorted({rule for rule in rules if rule and well_formed(rule)})
        self._relations: defaultdict[Rule, set[str]] = defaultdict(set)
        for known in corpus.rules.usable:
            if known.relation is not None:
                self._relations[tuple(rule_tokens(known.pattern))].add(known.relation)
        base = RuleBase.of((str(at), "any", pattern_of(rule)) for at, rule in enumerate(self._readable))
        run = match_all(base, examples, lemmas=False, commas=corpus.commas, gate=False, both_directions=corpus.directed)
        self._matches = [[(self._readable[int(match.rule)], match.swapped) for match in each] for each in run.matches]

    def parses(self, rules: Sequence[Rule]) -> NDArray[np.bool_]:
        """`(n,)`: whether each rule can be read."""
        readable = set(self._readable)
        return np.array([rule in readable for rule in rules], dtype=bool)

    def known(self, rules: Sequence[Rule]) -> NDArray[np.bool_]:
        """`(n,)`: whether each rule is one of the corpus's."""
        return np.array([rule in self._relations for rule in rules], dtype=bool)

    def true_of(self, rules: Sequence[Rule], labels: Sequence[str]) -> NDArray[np.bool_]:
        """`(n,)`: whether rule i matches example i and gives label i; rules and labels are as many as the examples.

        Never for the label `no_relation`.
        """
        return np.array(
            [
                any(self._gives(rule, swapped, label) for one, swapped in matches if one == rule)
                for rule, label, matches in zip(rules, labels, self._matches, strict=True)
            ],
            dtype=bool,
        )

    def _gives(self, rule: Rule, swapped: bool, label: str) -> bool:
        if relations := self._relations.get(rule):
            return any(self._corpus.label_of(relation, swapped) == label for relation in relations)
        if label == NO_RELATION:
            return False
        return swapped == label.endswith("(e2,e1)") if self._corpus.directed else not swapped


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
    right, written = [references[row] for row in rows], [rules[row] for row in rows]
    return {"bleu": corpus_bleu(right, written), "exact": 100 * float(exact_matches(right, written).mean())}


def scored_items(references: References, predicted: Sequence[str]) -> NDArray[np.bool_]:
    """Items on which the paper computes BLEU: with a predicted relation and a gold rule."""
    return np.array([bool(right) and label != NO_RELATION for right, label in zip(references, predicted, strict=True)])


def explanation_scores(
    references: References, predicted: Sequence[str], rules: Sequence[Rule], run: ExecutedRules
) -> dict[str, float]:
    """Of decoded rules, in per cent: `bleu`, `exact`, `executed_scored` on the paper's items; `executed`, `parses`,
    `known` and `scored_share` on all items with a predicted relation. What has no items is left out."""
    extracted, scored = np.asarray(predicted) != NO_RELATION, scored_items(references, predicted)
    true = run.true_of(rules, predicted)
    shares = {
        "executed": true[extracted],
        "parses": run.parses(rules)[extracted],
        "known": run.known(rules)[extracted],
        "scored_share": scored[extracted],
        "executed_scored": true[scored],
    }
    return {
        **overlap(references, rules, scored),
        **{name: 100 * float(values.mean()) for name, values in shares.items() if len(values)},
    }


def looked_up_rules(supervision: Supervision, tokens: Mapping[str, Rule], labels: Sequence[str]) -> list[Rule]:
    """A baseline that reads no sentence: the most frequent training rule of each label, or of all if it has none.

    Parameters
    ----------
    tokens
        Of the id of each rule.
    """
    explained = supervision.explained
    [(overall, _)] = Counter(rule for _, rule in explained).most_common(1)
    by_relation = majorities((example.relation, rule) for example, rule in explained)
    return [tokens[by_relation.get(label, overall)] for label in labels]
