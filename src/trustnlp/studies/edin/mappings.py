"""The released mapping files against Tang and Surdeanu (2021), section 4, Table 4 and Appendix C, without any text.

A part is what `trustnlp.data.relations.rule_mappings.read_rule_mappings` gives: of each item its matches, an empty
tuple where a rule fired and none agrees with the label (the training part alone has such), or None. Counts are exact. A
share of items comes with a bootstrap over items.

Dev and test lists are taken to hold no match that disagrees with the label: on the test part they are then as many as
the printed recall of the rules asks for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from trustnlp.data.relations.rule_mappings import ListedMatch
from trustnlp.evaluation.intervals import bootstrap_interval
from trustnlp.plots.series import legend_below, looks
from trustnlp.plots.style import house_style
from trustnlp.relations.rules.rule_spelling import rule_tokens, rule_vocabulary
from trustnlp.reproduce.records.metric_series import Metrics
from trustnlp.studies.edin.checks import Check, exact, f1_score
from trustnlp.studies.edin.data import majorities

Part = Sequence[tuple[ListedMatch, ...] | None]
RULES_ONLY = "train_ssl"  # the released name of the paper's rule-only data
_NAMES = {"train": "train", "dev": "dev", "test": "test", RULES_ONLY: "rule_only"}
_FEW = 5  # the ledger's "small number" of rules
_LARGEST_SHARE = 25  # per cent, the ledger's limit for a single rule
_DISAGREEING = 5  # per cent, its limit for positives that contradict their label


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
    for mark, language in (("t", "tokensregex"), ("s", "semgrex")):
        yield exact(f"rules.{language}.count", sum(name.startswith(mark) for name in rules), "count of rules")
    distinct = {" ".join(text.split()) for name, text in rules.items() if name.startswith("s")}
    yield exact("rules.semgrex.distinct.count", len(distinct), "count of rules")
    yield exact("rules.firing.count", len(firing), "count of rules")
    yield exact("rules.firing_above_half", 100 * len(firing) / len(rules) - 50, "points")
    lemma = {name for name, text in rules.items() if "lemma:" in text}
    yield exact("rules.lemma.count", len(lemma), "count of rules")
    yield exact("rules.lemma.firing.count", len(lemma & firing), "count of rules")
    yield exact("rules.lemma.firing_margin", len(lemma & firing) - 0.5, "number of rules")
    yield exact("tokens.vocabulary.count", len(rule_vocabulary(rules)), "count of tokens")
    tokens = Counter(tuple(rule_tokens(text)) for text in rules.values())
    for name, pattern in printed["examples"].items():
        equal = tokens[tuple(rule_tokens(pattern))]
        yield exact(f"example.{name}.rules.count", equal, "count of rules")
        yield exact(f"example.{name}.rules_margin", equal - 0.5, "number of rules")


def part_checks(parts: Mapping[str, Part], printed: Mapping[str, Any], *, rng: np.random.Generator) -> Iterator[Check]:
    """`matches.…`: items and matches of each part."""
    for name, part in parts.items():
        place, matched = f"matches.{_NAMES[name]}", matched_items(part)
        empty = sum(item == () for item in part)
        counts = {"items": len(part), "matched": len(matched), "empty": empty}
        for kind, count in (counts | {"unmatched": len(part) - len(matched) - empty}).items():
            yield exact(f"{place}.{kind}.count", count, "count of items")
        [top, *_] = firing_rules(matched)
        has_top = [any(match.rule == top for match in item) for item in matched]
        yield share(f"{place}.top_rule", has_top, "%", rng=rng)
        yield share(f"{place}.top_rule_margin", has_top, "points", rng=rng, less=_LARGEST_SHARE, sign=-1)
    fired = [item == () for item in parts["train"] if item is not None]
    yield exact("matches.train.fired.count", len(fired), "count of items")
    yield share("matches.train.disagreeing", fired, "%", rng=rng)
    yield share("matches.train.agreement_margin", fired, "points", rng=rng, less=_DISAGREEING, sign=-1)
    for name in ("test", "dev"):
        yield exact(f"matches.{name}.recall", _recall(parts, name, printed), "%")
    most = float(np.quantile([len(item) for item in matched_items(parts["test"])], 0.95, method="higher"))
    yield exact("matches.test.few_rules_margin", _FEW + 0.5 - most, "number of rules")


def _recall(parts: Mapping[str, Part], name: str, printed: Mapping[str, Any]) -> float:
    """Of the items of TACRED's dev or test part with a relation, per cent with a rule."""
    return 100 * len(matched_items(parts[name])) / float(printed["tacred"][name])


def suffice_check(parts: Mapping[str, Part], printed: Mapping[str, Any]) -> Check:
    """`curve.p40_over_rules`: printed F1 with 40 % of the rules, less the F1 of all rules on the dev part, too.

    The rules' recall there is that of the mapping file. Their precision is not printed; it is put between that of the
    training part (matched lists over those and the empty ones) and the printed one of the test part. The interval holds
    all values that these two, and the rounding, allow.
    """
    said, rounding = printed["table3"][40]["f1"], printed["table1"]["rounding"]
    recall, train = _recall(parts, "dev", printed), parts["train"]
    precisions = (
        100 * len(matched_items(train)) / sum(item is not None for item in train),
        printed["table1"]["rule_only"]["rules"]["precision"],
    )
    leads = [said + off - f1_score(p, recall) for off, p in product((-rounding, rounding), precisions)]
    return Check(
        "curve.p40_over_rules", said - f1_score(float(np.mean(precisions)), recall), min(leads), max(leads), "points"
    )


def matched_items(part: Part) -> list[tuple[ListedMatch, ...]]:
    """The items that have a rule, in their order."""
    return [item for item in part if item]


def most_frequent(part: Part) -> tuple[str, dict[str, str]]:
    """The rule that matches the most items of a part, and that of each relation; of equals the first in the file."""
    return firing_rules(part)[0], majorities((match.relation, match.rule) for item in part for match in item or ())


def firing_rules(part: Part) -> list[str]:
    """Rules that match an item of a part, the most frequent first (footnote 5); of equals the first in the file."""
    return [rule for rule, _ in Counter(match.rule for item in part for match in item or ()).most_common()]


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
    are references. On the test part all rules are kept, so both readings are one.
    """
    table = printed["table1"]
    rows = [
        ("test, rules only", table["rule_only"]["ours"]["bleu"], "bleu.test.relation_rule"),
        ("test, no classifier", table["rule_only"]["no_classifier"]["bleu"], "bleu.test.relation_rule"),
        ("test, with training data", table["combined"]["ours"]["bleu"], "bleu.test.relation_rule_combined"),
    ]
    for percent, row in printed["table3"].items():
        rows.append((f"dev, {percent} % of rules", row["bleu"], f"curve.p{percent}.lookup_bleu{{}}"))
    labels, paper, keys = zip(*rows, strict=True)
    heights, told = np.arange(len(rows)), [[f"{label}: decoder: paper {value:g}"] for label, value, _ in rows]
    lookups = {"true relation's most frequent rule": "_kept", "the same, all rules as references": "_all"}
    *own_looks, decoder = looks([*lookups, "decoder"]).values()
    with house_style():
        figure, axis = plt.subplots(figsize=(7.2, 1.1 * len(rows) + 1.5))
        for shift, (name, ending), look in zip((-0.24, 0), lookups.items(), own_looks, strict=True):
            ours = [numbers[key.format(ending)] for key in keys]
            means, lows, highs = ([each[end] for each in ours] for end in ("mean", "low", "high"))
            axis.hlines(heights + shift, lows, highs, color=look.colour, linewidth=3, alpha=0.5)
            axis.plot(means, heights + shift, look.marker, color=look.colour, label=f"{name}, ours")
            for words, mean, low, high in zip(told, means, lows, highs, strict=True):
                words.append(f"{name}: ours {mean:.1f} ({low:.1f} to {high:.1f})")
        hollow: dict[str, Any] = {"markerfacecolor": "white", "markersize": 8, "markeredgewidth": 1.6, "zorder": 1.9}
        axis.plot(paper, heights + 0.24, decoder.marker, color=decoder.colour, label="decoder, paper", **hollow)
        axis.set_yticks(heights, labels)
        axis.grid(axis="y", visible=False)
        axis.set_ylim(len(rows) - 0.45, -0.55)
        axis.set_xlabel("BLEU")
        legend_below(figure, axis.get_legend_handles_labels()[0], columns=3)
    listed = ". ".join("; ".join(words) for words in told)
    return figure, f"Dot plot of BLEU, the paper's values beside ours with 95 % intervals. {listed}."
