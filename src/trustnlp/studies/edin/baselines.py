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

from trustnlp.data.relations.rule_mappings import ListedMatch
from trustnlp.evaluation.reference_overlap import (
    bleu_of_counts,
    exact_matches,
    ngram_counts,
    resample_weights,
    resampled_bleu,
    sentence_bleu,
)
from trustnlp.relations.rules.rule_spelling import rule_tokens
from trustnlp.studies.edin.checks import Check, either, exact
from trustnlp.studies.edin.mappings import RULES_ONLY, Part, firing_rules, matched_items, most_frequent, share

Item = tuple[ListedMatch, ...]
# What is in every rule of its language, whatever it says.
_FRAME = {"kbpentity", "slotvalue", "true", "EXISTS", "entity", "slot", "ner", "word", "lemma", "tag", "pos"}
_SWAPS = {"kbpentity": "slotvalue", "slotvalue": "kbpentity", "entity": "slot", "slot": "entity"}
_OTHER = "<another>"  # no token of any rule
_FEWEST = 20  # per cent of the rules: the row of footnote 6
_UNSEEN = 99  # BLEU in per cent of an exchanged rule that shows nothing
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
    bleu = {name: bleu_check(f"bleu.test.{name}", right, drawn, weights) for name, drawn in candidates.items()}
    labelled = [_of_relations(items, tokens, parts["train"])]
    bleu["relation_rule_combined"] = bleu_check("bleu.test.relation_rule_combined", right, labelled, weights)
    yield from bleu.values()
    for name, drawn in candidates.items():
        equal = np.mean([exact_matches(right, each) for each in drawn], axis=0)
        yield share(f"bleu.test.{name}.exact", equal, "%", rng=rng)
        if name == "relation_rule":
            yield share(f"bleu.test.{name}.exact_margin", equal, "points", rng=rng, less=_EXACT)
    table = printed["table1"]
    limits = {
        "one_rule.printed_lead": table["rule_only"]["ours"]["bleu"],
        "relation_rule.printed_lead": table["rule_only"]["ours"]["bleu"],
        "relation_rule.printed_lead_alone": table["rule_only"]["no_classifier"]["bleu"],
        "relation_rule_combined.printed_lead": table["combined"]["ours"]["bleu"],
        "word_free.below_half": 50,
        "unrelated.below_half": 50,
        "one_word.below_90": _WRONG,
        "swapped.below_90": _WRONG,
    }
    for key, limit in limits.items():
        yield _below(f"bleu.test.{key}", limit, bleu[key.partition(".")[0]])
    firing = [tokens[name] for name in firing_rules(parts[RULES_ONLY]) if name.startswith("t_")]
    unseen = [sentence_bleu([rule], swapped(rule)) >= _UNSEEN for rule in firing]
    yield share("bleu.rules.swap_unseen", unseen, "%", rng=rng)


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
    for percent, row in printed["table3"].items():
        place, kept = f"curve.p{percent}", set(ranked[: max(1, round(percent / 100 * len(ranked)))])
        left, taught = ([tuple(m for m in item or () if m.rule in kept) for item in part] for part in (dev, train))
        covered = np.array([bool(item) for item in left])
        if percent == _FEWEST:
            yield share(f"{place}.covered", covered, "%", rng=rng)
            yield share(f"{place}.covered_below_half", covered, "points", rng=rng, less=50, sign=-1)
        said = _of_relations(dev, tokens, taught)
        with_one = [rule for rule, there in zip(said, covered, strict=True) if there]
        readings = {
            "kept": bleu_check(
                f"{place}.lookup_bleu_kept", references(matched_items(left), tokens), [with_one], weights[:, covered]
            ),
            "all": bleu_check(f"{place}.lookup_bleu_all", references(dev, tokens), [said], weights),
        }
        leads = [_below(f"{place}.printed_lead_{name}", row["bleu"], bleu) for name, bleu in readings.items()]
        yield from (*readings.values(), *leads, either(f"{place}.printed_lead", leads))


def bleu_check(
    key: str, right: list[list[list[str]]], drawn: Sequence[list[list[str]]], weights: NDArray[np.int64]
) -> Check:
    """BLEU in per cent, n-grams added up over the draws, with its interval over the resampled items."""
    counts = np.asarray(sum(ngram_counts(right, each) for each in drawn))
    low, high = np.quantile(resampled_bleu(counts, weights), [0.025, 0.975])
    return Check(key, float(bleu_of_counts(counts.sum(0))), float(low), float(high), "%")


def _below(key: str, limit: float, bleu: Check) -> Check:
    """How far a BLEU is below a limit."""
    return Check(key, limit - bleu.value, limit - bleu.high, limit - bleu.low, "points")


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
