"""BLEU of rules that no network wrote, on the released mapping files alone.

Tang and Surdeanu (2021), section 4: multi-reference BLEU of 1 to 4 grams between decoded rules and all rules that match
the item, over items with a rule. Here the same references meet rules that read no sentence:

one_rule
    The rule that matches most often in training, always.
relation_rule
    The rule of the item's relation that matches most often in training: a lookup, with the relation given. Training is
    the rule-only set; `relation_rule_combined` has the whole training part instead, on which the row with training data
    is trained.
unrelated
    A random rule that fires, and for none of the item's relations; many draws.
word_free
    A gold rule, of which each word, type and label is another: what is left are brackets, marks and attribute names.
one_word
    A gold rule of which one word, type or label is wrong; many draws.
swapped
    A gold rule with subject and object exchanged, which says the opposite.

A gold rule is the first of the item's list. The paper leaves out items for which its classifier predicts no relation
(16 of 750); without text this is not known here, so all items with a rule are scored. Bootstraps resample items.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trustnlp.data.relations.rule_mappings import RuleMatch
from trustnlp.evaluation.reference_overlap import (
    bleu_of_counts,
    exact_matches,
    ngram_counts,
    resample_weights,
    resampled_bleu,
)
from trustnlp.relations.rules.rule_spelling import rule_tokens
from trustnlp.studies.edin.checks import Check, either
from trustnlp.studies.edin.mappings import (
    RULES_ONLY,
    Part,
    exact,
    firing_rules,
    matched_items,
    most_frequent,
    share,
)

Counts = NDArray[np.int64]
Item = tuple[RuleMatch, ...]
# What is in every rule of its language, whatever it says.
_FRAME = {"kbpentity", "slotvalue", "true", "EXISTS", "entity", "slot", "ner", "word", "lemma", "tag", "pos"}
_SWAPS = {"kbpentity": "slotvalue", "slotvalue": "kbpentity", "entity": "slot", "slot": "entity"}
_OTHER = "<another>"  # no token of any rule
# Per cent: BLEU of an exchanged rule that shows nothing; the ledger's limit of such rules.
_UNSEEN, _UNSEEN_RULES = 99, 5
_EXACT, _WRONG = 90, 90  # the ledger's limits


def saying(token: str) -> bool:
    """Whether a token is a word, type, label or number, and no part of the frame that rules share.

    >>> [token for token in rule_tokens('([{kbpentity:true}]+) "born" [{ner:DATE}]') if saying(token)]
    ['born', 'DATE']
    """
    return token.isalnum() and token not in _FRAME


def swapped(tokens: Sequence[str]) -> list[str]:
    """A rule with the marks of subject and object exchanged.

    >>> " ".join(swapped(rule_tokens("{}=entity >nsubj {}=slot")))
    '{ } = slot > nsubj { } = entity'
    """
    return [_SWAPS.get(token, token) for token in tokens]


def lookup_checks(
    rules: Mapping[str, str],
    parts: Mapping[str, Part],
    printed: Mapping[str, Any],
    *,
    draws: int,
    resamples: int,
    rng: np.random.Generator,
) -> Iterator[Check]:
    """`bleu.test.…` of all candidates, and how far the printed BLEU is above those of the lookups.

    Parameters
    ----------
    rules
        Name → pattern.
    parts
        By their released names; `train_ssl` gives the frequencies, for the row with training data `train` does, and
        `test` is scored.
    printed
        The ledger's tables (`printed_tables`).
    draws
        Wrong words and unrelated rules per item.
    resamples
        Of the items.
    """
    tokens = {name: rule_tokens(text) for name, text in rules.items()}
    items = matched_items(parts["test"])
    right = references(items, tokens)
    weights = resample_weights(len(items), rng=rng, resamples=resamples)
    candidates = candidates_of(items, tokens, parts[RULES_ONLY], draws=draws, rng=rng)
    counted = {name: _counts(right, each) for name, each in candidates.items()}

    def bleu(key: str, name: str, *, sign: int = 1, offset: float = 0.0, unit: str = "points") -> Check:
        return bleu_check(f"bleu.test.{name}{key}", counted[name], weights, sign=sign, offset=offset, unit=unit)

    for name, drawn in candidates.items():
        yield bleu("", name, unit="%")
        equal = np.mean([exact_matches(right, each) for each in drawn], axis=0)
        yield share(f"bleu.test.{name}.exact", equal, "%", rng=rng)
        if name == "relation_rule":
            yield share(f"bleu.test.{name}.exact_margin", equal, "points", rng=rng, less=_EXACT)
    table = printed["table1"]
    ours, combined = table["rule_only"]["ours"]["bleu"], table["combined"]["ours"]["bleu"]
    alone = table["rule_only"]["no_classifier"]["bleu"]
    yield bleu(".printed_lead", "one_rule", sign=-1, offset=ours)
    for ending, said in (("", ours), ("_alone", alone)):
        yield bleu(f".printed_lead{ending}", "relation_rule", sign=-1, offset=said)
    labelled, place = _counts(right, [_of_relations(items, tokens, parts["train"])]), "bleu.test.relation_rule_combined"
    yield bleu_check(place, labelled, weights, unit="%")
    yield bleu_check(f"{place}.printed_lead", labelled, weights, sign=-1, offset=combined)
    yield bleu(".below_half", "word_free", sign=-1, offset=50)
    yield bleu(".below_half", "unrelated", sign=-1, offset=50)
    for name in ("one_word", "swapped"):
        yield bleu(".below_90", name, sign=-1, offset=_WRONG)
    unseen = [_unseen(tokens[name]) for name in firing_rules(parts[RULES_ONLY]) if name.startswith("t_")]
    yield share("bleu.rules.swap_unseen", unseen, "%", rng=rng)
    yield share("bleu.rules.swap_unseen_margin", unseen, "points", rng=rng, less=_UNSEEN_RULES, sign=-1)


def candidates_of(
    items: Sequence[Item], tokens: Mapping[str, list[str]], train: Part, *, draws: int, rng: np.random.Generator
) -> dict[str, list[list[list[str]]]]:
    """Candidate → draws → `(n,)` rules as tokens; a candidate without chance has one draw.

    A relation that training has no rule for gets the rule that is most frequent of all.
    """
    gold = [tokens[item[0].rule] for item in items]
    others = _others(items, train)
    return {
        "one_rule": [[tokens[most_frequent(train)[0]]] * len(items)],
        "relation_rule": [_of_relations(items, tokens, train)],
        "unrelated": [[tokens[rng.choice(names)] for names in others] for _ in range(draws)],
        "word_free": [[[_OTHER if saying(token) else token for token in rule] for rule in gold]],
        "one_word": [[_one_wrong(rule, rng) for rule in gold] for _ in range(draws)],
        "swapped": [[swapped(rule) for rule in gold]],
    }


def _of_relations(items: Sequence[Item], tokens: Mapping[str, list[str]], train: Part) -> list[list[str]]:
    overall, by_relation = most_frequent(train)
    return [tokens[by_relation.get(item[0].relation, overall)] for item in items]


def references(items: Sequence[Item], tokens: Mapping[str, list[str]]) -> list[list[list[str]]]:
    """Of each item all its rules, as tokens."""
    return [[tokens[match.rule] for match in item] for item in items]


def curve_checks(
    rules: Mapping[str, str],
    parts: Mapping[str, Part],
    printed: Mapping[str, Any],
    *,
    resamples: int,
    rng: np.random.Generator,
) -> Iterator[Check]:
    """`curve.…`: Table 3 for the lookup by relation, on the dev part, with the top n % of the firing rules.

    The paper does not say what the references are. `…_kept`: the kept rules, and items those that have one, since where
    only these rules are known the others are no "gold rules" (footnote 6). `…_all`: all rules of all items that have
    one, as the released train.py reads them for every share. The interval of `printed_lead` holds both. A relation
    that keeps no rule gets the most frequent rule of all.
    """
    tokens = {name: rule_tokens(text) for name, text in rules.items()}
    train, dev = parts[RULES_ONLY], matched_items(parts["dev"])
    ranked = firing_rules(train)
    all_rules = sum(printed["rules"].values())
    yield exact("curve.firing_beyond_20_percent", len(ranked) - 0.2 * all_rules, "number of rules")
    weights = resample_weights(len(dev), rng=rng, resamples=resamples)
    counted: dict[str, dict[int, Counts]] = {"kept": {}, "all": {}}
    all_right = references(dev, tokens)
    for percent, row in printed["table3"].items():
        kept = set(ranked[: max(1, round(percent / 100 * len(ranked)))])
        left = [tuple(match for match in item if match.rule in kept) for item in dev]
        covered = np.array([bool(item) for item in left])
        overall, by_relation = most_frequent([tuple(m for m in item or () if m.rule in kept) for item in train])
        there = [item for item in left if item]
        every = [tokens[by_relation.get(item[0].relation, overall)] for item in dev]
        said = [rule for rule, kept_one in zip(every, covered, strict=True) if kept_one]
        counted["kept"][percent] = np.zeros((len(dev), 10), dtype=np.int64)
        counted["kept"][percent][covered] = ngram_counts(references(there, tokens), said)
        counted["all"][percent] = ngram_counts(all_right, every)
        place = f"curve.p{percent}"
        yield share(f"{place}.covered", covered, "%", rng=rng)
        yield share(f"{place}.covered_below_half", covered, "points", rng=rng, less=50, sign=-1)
        leads = []
        for reading, counts in counted.items():
            yield bleu_check(f"{place}.lookup_bleu_{reading}", counts[percent], weights, unit="%")
            key = f"{place}.printed_lead_{reading}"
            leads.append(bleu_check(key, counts[percent], weights, sign=-1, offset=row["bleu"]))
        yield from (*leads, either(f"{place}.printed_lead", leads))
    differences = []
    for reading, counts in counted.items():
        few, many = counts[20], counts[80]
        gains = resampled_bleu(few, weights) - resampled_bleu(many, weights)
        gain = float(bleu_of_counts(few.sum(0)) - bleu_of_counts(many.sum(0)))
        differences.append(Check(f"curve.p20_over_p80.lookup_bleu_{reading}", gain, *_middle(gains), "points"))
    yield from (*differences, either("curve.p20_over_p80.lookup_bleu", differences))


def bleu_check(
    key: str, counts: Counts, weights: NDArray[np.int64], *, sign: int = 1, offset: float = 0.0, unit: str = "points"
) -> Check:
    """`sign` × BLEU + `offset`, with its interval over the resampled items."""
    low, high = sorted(sign * end + offset for end in _middle(resampled_bleu(counts, weights)))
    return Check(key, sign * float(bleu_of_counts(counts.sum(0))) + offset, low, high, unit)


def _counts(right: list[list[list[str]]], drawn: Sequence[list[list[str]]]) -> Counts:
    """n-grams of each item, added up over the draws."""
    return np.asarray(sum(ngram_counts(right, each) for each in drawn))


def _middle(values: NDArray[np.float64]) -> tuple[float, float]:
    low, high = np.quantile(values, [0.025, 0.975])
    return float(low), float(high)


def _others(items: Sequence[Item], train: Part) -> list[list[str]]:
    """For each item the firing rules that are never of one of its relations."""
    relations: defaultdict[str, set[str]] = defaultdict(set)
    for item in train:
        for match in item or ():
            relations[match.rule].add(match.relation)
    return [
        [rule for rule, theirs in relations.items() if not any(match.relation in theirs for match in item)]
        for item in items
    ]


def _one_wrong(rule: list[str], rng: np.random.Generator) -> list[str]:
    """A copy with one token that says something replaced; a rule that has none stays as it is."""
    places = [place for place, token in enumerate(rule) if saying(token)]
    if not places:
        return rule
    wrong = rng.choice(places)
    return [_OTHER if place == wrong else token for place, token in enumerate(rule)]


def _unseen(rule: list[str]) -> bool:
    counts = ngram_counts([[rule]], [swapped(rule)])
    return bool(bleu_of_counts(counts.sum(0)) >= _UNSEEN)
