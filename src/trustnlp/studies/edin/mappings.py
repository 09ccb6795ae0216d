"""The released mapping files against Tang and Surdeanu (2021), section 4, Table 4 and Appendix C, without any text.

A part is what `trustnlp.data.relations.rule_mappings.read_rule_mappings` gives: of each item its matches, an empty
tuple where a rule fired and none agrees with the label (the training part alone has such), or None. Counts are exact. A
share of items comes with a bootstrap over items.

Dev and test lists are taken to hold no match that disagrees with the label: on the test part they are then as many as
the printed recall of the rules asks for.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from trustnlp.data.relations.rule_mappings import RuleMatch
from trustnlp.evaluation.intervals import bootstrap_interval
from trustnlp.plots.series import legend_below, looks
from trustnlp.plots.style import house_style
from trustnlp.relations.rules.rule_spelling import rule_tokens, rule_vocabulary
from trustnlp.reproduce.records.metric_series import Metrics
from trustnlp.studies.edin.checks import Check, f1_score

Part = Sequence[tuple[RuleMatch, ...] | None]
RULES_ONLY = "train_ssl"  # the released name of the paper's rule-only data
_NAMES = {"train": "train", "dev": "dev", "test": "test", RULES_ONLY: "rule_only"}
_FEW = 5  # the ledger's "small number" of rules
_LARGEST_SHARE = 25  # per cent, the ledger's limit for a single rule
_DISAGREEING = 5  # per cent, its limit for positives that contradict their label
_MARK = {"t": "tokensregex", "s": "semgrex"}


def exact(key: str, value: float, unit: str) -> Check:
    """A check without doubt: its interval is its value."""
    return Check(key, value, value, value, unit)


def share(key: str, holds: ArrayLike, unit: str, *, rng: np.random.Generator, less: float = 0, sign: int = 1) -> Check:
    """`sign` × (per cent of items of which something holds, less a limit), with a bootstrap over the items."""
    values = 100 * np.asarray(holds, dtype=np.float64)
    low, high = sorted(sign * (end - less) for end in bootstrap_interval(values, rng=rng))
    return Check(key, sign * (float(values.mean()) - less), low, high, unit)


def rule_checks(rules: Mapping[str, str], parts: Mapping[str, Part], printed: Mapping[str, Any]) -> Iterator[Check]:
    """`rules.…`, `tokens.…`, `example.…`: the released rules, which of them ever match, and the decoder's tokens.

    Parameters
    ----------
    rules
        Name → pattern.
    parts
        By their released names.
    printed
        The ledger's tables (`printed_tables`).
    """
    firing = {match.rule for part in parts.values() for item in part for match in item or ()}
    for mark, language in _MARK.items():
        there = {name: " ".join(text.split()) for name, text in rules.items() if name.startswith(mark)}
        yield exact(f"rules.{language}.count", len(there), "count of rules")
        yield exact(f"rules.{language}.distinct.count", len(set(there.values())), "count of rules")
    yield exact("rules.firing.count", len(firing), "count of rules")
    yield exact("rules.firing_above_half", 100 * len(firing) / len(rules) - 50, "points")
    lemma = {name for name, text in rules.items() if "lemma:" in text}
    yield exact("rules.lemma.count", len(lemma), "count of rules")
    yield exact("rules.lemma.firing.count", len(lemma & firing), "count of rules")
    yield exact("rules.lemma.firing_margin", len(lemma & firing) - 0.5, "number of rules")
    yield exact("tokens.vocabulary.count", len(rule_vocabulary(rules)), "count of tokens")
    tokens = {name: rule_tokens(text) for name, text in rules.items()}
    limit = printed["decoding_length"] + 0.5
    for place, names in (("longest", tokens.keys()), ("longest_firing", firing)):
        longest = max(len(tokens[name]) for name in names) + 1  # its end
        yield exact(f"tokens.{place}.count", longest, "count of tokens")
        yield exact(f"tokens.{place}_margin", limit - longest, "number of tokens")
    yield exact("tokens.too_long.count", sum(len(each) + 1 > limit for each in tokens.values()), "count of rules")
    written = Counter(map(tuple, tokens.values()))
    for name, pattern in printed["examples"].items():
        equal = written[tuple(rule_tokens(pattern))]
        yield exact(f"example.{name}.rules.count", equal, "count of rules")
        yield exact(f"example.{name}.rules_margin", equal - 0.5, "number of rules")


def part_checks(parts: Mapping[str, Part], printed: Mapping[str, Any], *, rng: np.random.Generator) -> Iterator[Check]:
    """`matches.…`: items and matches of each part."""
    for name, part in parts.items():
        yield from _counted(f"matches.{_NAMES[name]}", part, rng)
    train, test = parts["train"], parts["test"]
    fired = [item == () for item in train if item is not None]
    if any(fired):
        yield share("matches.train.disagreeing", fired, "%", rng=rng)
    yield share("matches.train.agreement_margin", fired, "points", rng=rng, less=_DISAGREEING, sign=-1)
    yield exact("matches.test.recall", 100 * _matched(test) / printed["tacred"]["test"], "%")
    yield exact("matches.dev.recall", 100 * _matched(parts["dev"]) / printed["tacred"]["dev"], "%")
    relations = {match.relation for item in matched_items(test) for match in item}
    yield exact("matches.test.relations_margin", len(relations) + 0.5 - printed["relations"], "number of relations")
    yield exact("matches.epoch_ratio", len(train) / len(parts[RULES_ONLY]), "ratio")


def suffice_check(parts: Mapping[str, Part], printed: Mapping[str, Any]) -> Check:
    """`curve.p40_over_rules`: printed F1 with 40 % of the rules, less the F1 of all rules on the dev part, too.

    The rules' recall there is that of the mapping file. Their precision is not printed; it is put between that of the
    training part (matched lists over those and the empty ones) and the printed one of the test part. The interval holds
    all values that these two, and the rounding, allow.
    """
    said, rounding = printed["table3"][40]["f1"], printed["table1"]["rounding"]
    recall = 100 * _matched(parts["dev"]) / printed["tacred"]["dev"]
    train = parts["train"]
    precisions = (
        100 * _matched(train) / sum(item is not None for item in train),
        printed["table1"]["rule_only"]["rules"]["precision"],
    )
    leads = [said + off - f1_score(p, recall) for off, p in product((-rounding, rounding), precisions)]
    return Check(
        "curve.p40_over_rules", said - f1_score(float(np.mean(precisions)), recall), min(leads), max(leads), "points"
    )


def matched_items(part: Part) -> list[tuple[RuleMatch, ...]]:
    """The items that have a rule, in their order."""
    return [item for item in part if item]


def most_frequent(part: Part) -> tuple[str, dict[str, str]]:
    """The rule that matches the most items of a part, and that of each relation; of equals the first in the file."""
    by_relation: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for item in part:
        for match in item or ():
            by_relation[match.relation][match.rule] += 1
    if not by_relation:
        raise ValueError("no item of this part has a rule")
    return firing_rules(part)[0], {name: count.most_common(1)[0][0] for name, count in by_relation.items()}


def firing_rules(part: Part) -> list[str]:
    """Rules that match an item of a part, the most frequent first (footnote 5); of equals the first in the file."""
    return [rule for rule, _ in Counter(match.rule for item in part for match in item or ()).most_common()]


def _matched(part: Part) -> int:
    return sum(bool(item) for item in part)


def _counted(place: str, part: Part, rng: np.random.Generator) -> Iterator[Check]:
    there, empty = matched_items(part), sum(item == () for item in part)
    counts = {"items": len(part), "matched": len(there), "empty": empty, "fired": len(there) + empty}
    for name, count in (counts | {"unmatched": len(part) - counts["fired"]}).items():
        yield exact(f"{place}.{name}.count", count, "count of items")
    most = float(np.quantile([len(item) for item in there], 0.95, method="higher"))
    yield exact(f"{place}.few_rules_margin", _FEW + 0.5 - most, "number of rules")
    [(top, _)] = Counter(match.rule for item in there for match in item).most_common(1)
    has_top = [any(match.rule == top for match in item) for item in there]
    yield share(f"{place}.top_rule", has_top, "%", rng=rng)
    yield share(f"{place}.top_rule_margin", has_top, "points", rng=rng, less=_LARGEST_SHARE, sign=-1)


_LOOKUP, _OTHER_LOOKUP, _DECODER = "true relation's most frequent rule", "the same, all rules as references", "decoder"


# Rules that no network wrote (`baselines`), in words.
CANDIDATES = {
    "one_rule": "the most frequent rule, always",
    "relation_rule": "the most frequent rule of the relation",
    "unrelated": "a random rule of another relation",
    "word_free": "a gold rule, every word another",
    "one_word": "a gold rule, one word wrong",
    "swapped": "a gold rule, subject and object exchanged",
}


def lookup_figure(numbers: Metrics, printed: Mapping[str, Any]) -> tuple[Figure, str]:
    """Printed BLEU of the decoder (hollow) beside that of the relation's most frequent rule, with its alternative text.

    Table 1 on top, then Table 3. Table 3 has the lookup twice: the paper does not say whether rules that were left out
    are references.
    """
    table = printed["table1"]
    rows = {
        "test, rules only": (table["rule_only"]["ours"]["bleu"], "bleu.test.relation_rule"),
        "test, no classifier": (table["rule_only"]["no_classifier"]["bleu"], "bleu.test.relation_rule"),
        "test, with training data": (table["combined"]["ours"]["bleu"], "bleu.test.relation_rule_combined"),
    }
    for percent, row in printed["table3"].items():
        rows[f"dev, {percent} % of rules"] = (row["bleu"], f"curve.p{percent}.lookup_bleu_kept")
    # On the test part all rules are kept, so both readings are one.
    lookups = {_LOOKUP: "_kept", _OTHER_LOOKUP: "_all"}
    said: list[list[str]] = [[] for _ in rows]
    with house_style():
        figure, axis = plt.subplots(figsize=(7.2, 1.1 * len(rows) + 1.5))
        for place, (name, look) in enumerate(looks([*lookups, _DECODER]).items()):
            heights = np.arange(len(rows)) + 0.24 * (place - 1)
            how: dict[str, Any] = {"linestyle": "", "marker": look.marker, "color": look.colour}
            if name == _DECODER:
                values = [value for value, _ in rows.values()]
                axis.plot(values, heights, **how, label=f"{name}, paper",
                          markerfacecolor="white", markersize=8, markeredgewidth=1.6, zorder=1.9)  # fmt: skip
                words = [f"{name}: paper {value:g}" for value in values]
            else:
                ours = [numbers[key.replace("_kept", lookups[name])] for _, key in rows.values()]
                lows, highs = ([each[end] for each in ours] for end in ("low", "high"))
                axis.hlines(heights, lows, highs, color=look.colour, linewidth=3, alpha=0.5)
                axis.plot([each["mean"] for each in ours], heights, **how, label=f"{name}, ours")
                words = [f"{name}: ours {own['mean']:.1f} ({own['low']:.1f} to {own['high']:.1f})" for own in ours]
            for row_words, each in zip(said, words, strict=True):
                row_words.append(each)
        axis.set_yticks(range(len(rows)), list(rows))
        axis.grid(axis="y", visible=False)
        axis.set_ylim(len(rows) - 0.45, -0.55)
        axis.set_xlabel("BLEU")
        legend_below(figure, axis.get_legend_handles_labels()[0], columns=3)
    listed = ". ".join(f"{row}: {'; '.join(words)}" for row, words in zip(rows, said, strict=True))
    return figure, f"Dot plot of BLEU, the paper's values beside ours with 95 % intervals. {listed}."
