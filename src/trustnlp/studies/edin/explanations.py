"""How good decoded rules are, and rules that nobody decoded: BLEU, exact match, and whether they are true.

Tang and Surdeanu (2021), §4: "We report BLEU scores only over the non 'no_relation' extractions with the corresponding
testing data points that are matched by one of the rules"; all of these are references. Beside the decoder's stand the
rules of four baselines that read no sentence, or hardly. BLEU compares a decoded rule with one that was written;
whether it is true of the sentence is found by reading its tokens as a pattern, and running it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_extraction.text import TfidfVectorizer

from trustnlp.data.relations.relation_examples import NO_RELATION, RelationExample
from trustnlp.evaluation.reference_overlap import corpus_bleu, exact_matches
from trustnlp.relations.relation_vocabulary import Rule, masked_words
from trustnlp.relations.rules.rule_base import RuleBase
from trustnlp.relations.rules.rule_index import match_all
from trustnlp.relations.rules.rule_spelling import pattern_of, rule_tokens, well_formed
from trustnlp.relations.rules.slot_types import SLOT_TYPES
from trustnlp.studies.edin.data import RelationCorpus, Supervision, most_frequent_rules


class ExecutedRules:
    """Rules, given as tokens, run over the examples of a part.

    A rule that is one of the corpus's gives that rule's relation. One that is none of them has no relation of its own:
    it is taken for a rule of the relation that it is to explain, with the direction of that label.

    Parameters
    ----------
    rules
        Any token sequences; those that cannot be read match nothing.
    """

    def __init__(self, corpus: RelationCorpus, examples: Sequence[RelationExample], rules: Iterable[Rule]) -> None:
        self._corpus, self._gold = corpus, [example.relation for example in examples]
        self._types = [(example.subject_type, example.object_type) for example in examples]
        distinct = sorted(set(rules))
        self._readable = {rule for rule in distinct if rule and well_formed(rule)}
        listed = [rule for rule in distinct if rule in self._readable]
        self._relations: dict[Rule, set[str]] = defaultdict(set)
        for known in corpus.rules.usable:
            if known.relation is not None:
                self._relations[tuple(rule_tokens(known.pattern))].add(known.relation)
        base = RuleBase.of((str(at), "any", pattern_of(rule)) for at, rule in enumerate(listed))
        found = match_all(
            base, examples, lemmas=False, commas=corpus.commas, gate=False, both_directions=corpus.directed
        )
        self._places: dict[Rule, list[tuple[int, bool]]] = defaultdict(list)
        for place, matches in enumerate(found.matches):
            for match in matches:
                self._places[listed[int(match.rule)]].append((place, match.swapped))

    def parses(self, rules: Sequence[Rule]) -> NDArray[np.bool_]:
        """`(n,)`: whether each rule can be read."""
        return np.array([rule in self._readable for rule in rules], dtype=bool)

    def known(self, rules: Sequence[Rule]) -> NDArray[np.bool_]:
        """`(n,)`: whether each rule is one of the corpus's."""
        return np.array([rule in self._relations for rule in rules], dtype=bool)

    def true_of(self, rules: Sequence[Rule], labels: Sequence[str]) -> NDArray[np.bool_]:
        """`(n,)`: whether rule i matches example i and gives label i; rules and labels are as many as the examples.

        Never for the label `no_relation`.
        """
        pairs = enumerate(zip(rules, labels, strict=True))
        return np.array([self._is_true(rule, place, label) for place, (rule, label) in pairs], dtype=bool)

    def precision(self, rules: Sequence[Rule], labels: Sequence[str]) -> NDArray[np.float64]:
        """`(n,)`: of the *other* examples where rule i fires, the share for which what it gives is their label.

        As in the rules' own system a rule fires where it matches and the two entities have the types that its relation
        takes. NaN where it fires at no other.
        """
        found = np.full(len(rules), np.nan)
        for place, (rule, label) in enumerate(zip(rules, labels, strict=True)):
            if label == NO_RELATION:
                continue
            matches = self._places.get(rule, ())
            others = [(at, turned) for at, turned in matches if at != place and self._fits(rule, at, turned, label)]
            if others:
                found[place] = np.mean([self._is_right(rule, at, turned, label) for at, turned in others])
        return found

    def _is_true(self, rule: Rule, place: int, label: str) -> bool:
        matches = (swapped for at, swapped in self._places.get(rule, ()) if at == place)
        return any(self._gives(rule, swapped, label) for swapped in matches)

    def _fits(self, rule: Rule, place: int, swapped: bool, label: str) -> bool:
        """Whether the entities there have types that the rule's relation takes, or the relation to explain."""
        types = self._types[place][::-1] if swapped else self._types[place]
        relations = self._relations.get(rule) or {label.partition("(")[0] if self._corpus.directed else label}
        return any(relation not in SLOT_TYPES or SLOT_TYPES[relation].fit(*types) for relation in relations)

    def _is_right(self, rule: Rule, place: int, swapped: bool, label: str) -> bool:
        """Whether what a rule for a label gives elsewhere is the label there."""
        gold = self._gold[place]
        return self._same(gold, label) and self._gives(rule, swapped, gold)

    def _gives(self, rule: Rule, swapped: bool, label: str) -> bool:
        if relations := self._relations.get(rule):
            return any(self._corpus.label_of(relation, swapped) == label for relation in relations)
        if label == NO_RELATION:
            return False
        return swapped == label.endswith("(e2,e1)") if self._corpus.directed else not swapped

    def _same(self, one: str, other: str) -> bool:
        """Whether two labels are of one relation, whatever the direction where both directions are run."""
        return one.partition("(")[0] == other.partition("(")[0] if self._corpus.directed else one == other


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
