"""Counts, lookups and their BLEU on lists written by hand, on made-up ones, and on the released files."""

import numpy as np
import pytest
from all_printed import all_printed
from matplotlib.colors import to_hex

from trustnlp.data.relations.rule_mappings import PARTS, ListedMatch, read_rule_mappings, read_rule_texts
from trustnlp.evaluation.reference_overlap import corpus_bleu
from trustnlp.relations.rules.rule_spelling import rule_tokens
from trustnlp.reproduce import Record
from trustnlp.studies.edin import baselines as lookups
from trustnlp.studies.edin import mappings as statistics
from trustnlp.studies.edin.standins import made_up_mappings
from trustnlp.studies.edin.tables import record_checks

pytest.importorskip("nltk")

S, V = "([{kbpentity:true}]+)", "([{slotvalue:true}]+)"
RULES = {
    "t_1": f"({S} /was/ /born/ /on/ {V})",
    "t_2": f'({S} "," "based" "in" {V})',
    "t_3": f"({V} {S})",
    "t_4": f'({S} [{{lemma:"be"}}] {V})',
    "s_1": "{ner:PERSON}=entity >/compound/ {ner:TITLE}=slot",
}
TOKENS = {name: rule_tokens(text) for name, text in RULES.items()}
RIGHT = [[TOKENS["t_1"]], [TOKENS["t_3"]], [TOKENS["s_1"], TOKENS["t_3"]]]  # of the test part
BORN, BASED = ListedMatch("per:date_of_birth", "t_1"), ListedMatch("org:city", "t_2")
TITLE, BESIDE = ListedMatch("per:title", "s_1"), ListedMatch("per:title", "t_3")
TRAIN = [(TITLE, BESIDE), (TITLE,), (BORN,), (), None, None, None, (BASED,), (TITLE,), (TITLE,)]
LISTS = {
    "train": TRAIN,
    "dev": [(TITLE,), (BORN,), (BASED,), None],
    "test": [(BORN,), (BESIDE,), (TITLE, BESIDE), None, None],
    "train_ssl": [*TRAIN[:3], *TRAIN[7:], (BORN,), None, None],
}


@pytest.fixture
def printed():
    return all_printed("edin")


def rng(seed=0):
    return np.random.default_rng(seed)


def values(checks):
    found = {check.key: check for check in checks}
    for check in found.values():
        assert check.low <= check.high, check
    return found


def test_counts_of_lists_by_hand(printed):
    found = values(
        [
            *statistics.rule_checks(RULES, LISTS, printed),
            *statistics.part_checks(LISTS, printed, rng=rng()),
            statistics.suffice_check(LISTS, printed),
        ]
    )
    expected = {
        "rules.tokensregex.count": 4,
        "rules.semgrex.count": 1,
        "rules.firing.count": 4,
        "rules.firing_above_half": 30,
        "rules.lemma.count": 1,
        "rules.lemma.firing.count": 0,
        "example.date_of_birth.rules.count": 1,
        "example.ceo.rules.count": 0,
        "example.based_in.rules.count": 1,
        "matches.train.matched.count": 6,
        "matches.train.empty.count": 1,
        "matches.train.fired.count": 7,
        "matches.test.few_rules_margin": 5.5 - 2,
        "matches.train.unmatched.count": 3,
        "matches.train.disagreeing": 100 / 7,
        "matches.train.agreement_margin": 5 - 100 / 7,
        "matches.train.top_rule": 100 * 4 / 6,
        "matches.train.top_rule_margin": 25 - 100 * 4 / 6,
        "matches.test.matched.count": 3,
        "matches.test.recall": 100 * 3 / 3325,
    }
    assert {key: found[key].value for key in expected} == pytest.approx(expected)
    assert found["matches.train.top_rule_margin"].low == pytest.approx(25 - found["matches.train.top_rule"].high)


def test_the_same_part_or_another(printed):
    """40 % of the rules are ahead of all rules where these find little, and behind them where they find much."""
    many = printed["tacred"]["dev"]
    for share, ahead in ((0.2, True), (0.3, False)):
        matched = round(share * many)
        dev = [(TITLE,)] * matched
        train = [(TITLE,)] * 86 + [()] * 14
        check = statistics.suffice_check({"train": train, "dev": dev}, printed)
        assert (check.low > 0) is ahead and (check.high < 0) is not ahead
        recall = 100 * matched / many
        ends = [38.8 - 2 * p * recall / (p + recall) for p in (86.0, 86.9)]
        assert check.low == pytest.approx(min(ends) - 0.05) and check.high == pytest.approx(max(ends) + 0.05)


def test_frequencies_and_their_order():
    overall, by_relation = statistics.most_frequent(LISTS["train_ssl"])
    assert overall == "s_1" and by_relation["per:title"] == "s_1" and by_relation["org:city"] == "t_2"
    assert statistics.firing_rules(LISTS["train_ssl"]) == ["s_1", "t_1", "t_3", "t_2"]


def test_lookups_against_their_references(printed):
    found = values(lookups.lookup_checks(RULES, LISTS, printed, draws=3, resamples=200, rng=rng()))
    relation = corpus_bleu(RIGHT, [TOKENS["t_1"], TOKENS["s_1"], TOKENS["s_1"]])
    exchanged = found["bleu.test.swapped"].value
    expected = {
        "bleu.test.relation_rule": relation,
        "bleu.test.relation_rule.exact": 200 / 3,
        "bleu.test.relation_rule.printed_lead": 90.3 - relation,
        "bleu.test.relation_rule.printed_lead_alone": 88.3 - relation,
        "bleu.test.one_rule": corpus_bleu(RIGHT, [TOKENS["s_1"]] * 3),
        "bleu.test.swapped.below_90": 90 - exchanged,
        "bleu.rules.swap_unseen": 100,
    }
    assert {key: found[key].value for key in expected} == pytest.approx(expected)
    assert 90 < exchanged < 100  # the Semgrex rule shows it, and no more than that
    assert corpus_bleu([[TOKENS["t_1"]]], [lookups.swapped(TOKENS["t_1"])]) == pytest.approx(100)


def test_each_row_of_table_1_meets_a_lookup_with_the_frequencies_of_its_own_training_part(printed):
    lists = {**LISTS, "train": [(BESIDE,), (BESIDE,), (BORN,)]}  # here another rule is the most frequent of titles
    found = values(lookups.lookup_checks(RULES, lists, printed, draws=1, resamples=100, rng=rng()))
    for row, title, decoder in (("relation_rule", "s_1", 90.3), ("relation_rule_combined", "t_3", 92.4)):
        bleu = corpus_bleu(RIGHT, [TOKENS["t_1"], TOKENS[title], TOKENS[title]])
        assert found[f"bleu.test.{row}"].value == pytest.approx(bleu)
        assert found[f"bleu.test.{row}.printed_lead"].value == pytest.approx(decoder - bleu)
    assert found["bleu.test.relation_rule"].value != found["bleu.test.relation_rule_combined"].value


def test_a_planted_fault_costs_and_unrelated_rules_are_unrelated():
    items = statistics.matched_items(LISTS["test"])
    candidates = lookups.candidates_of(items, TOKENS, LISTS["train_ssl"], draws=20, rng=rng())
    for drawn in candidates["one_word"]:
        for item, rule in zip(items, drawn, strict=True):
            wrong = [a for a, b in zip(TOKENS[item[0].rule], rule, strict=True) if a != b]
            assert len(wrong) == (item[0].rule != "t_3") and all(map(lookups.saying, wrong))
    assert not any(lookups.saying(token) for rule in candidates["word_free"][0] for token in rule)
    for drawn in candidates["unrelated"]:
        for item, rule in zip(items, drawn, strict=True):
            related = {"t_4", *(m.rule for m in item), *(["s_1", "t_3"] if item[0].relation == "per:title" else [])}
            assert rule in [TOKENS[name] for name in TOKENS.keys() - related]


def test_the_curve_keeps_the_top_rules(printed):
    found = values(lookups.curve_checks(RULES, LISTS, printed, resamples=100, rng=rng()))
    right = [[TOKENS[name]] for name in ("s_1", "t_1", "t_2")]
    always = corpus_bleu(right, [TOKENS["s_1"]] * 3)
    expected = {
        # Of four firing rules 20 % are one, s_1: it covers one of three dev items, and is right there.
        "curve.p20.covered": 100 / 3,
        "curve.p20.covered_below_half": 50 - 100 / 3,
        "curve.p20.lookup_bleu_kept": 100,
        "curve.p20.lookup_bleu_all": always,
        "curve.p20.printed_lead_kept": 96.9 - 100,
        "curve.p20.printed_lead_all": 96.9 - always,
        "curve.firing_beyond_20_percent": 4 - 0.2 * (4528 + 169),
    }
    assert {key: found[key].value for key in expected} == pytest.approx(expected)
    kept, all_rules, either = (found[f"curve.p20.printed_lead{end}"] for end in ("_kept", "_all", ""))
    assert (either.low, either.high) == (min(kept.low, all_rules.low), max(kept.high, all_rules.high))


def test_made_up_files_recover_what_was_planted(printed):
    rules, parts = made_up_mappings(3000, rng())
    assert set(parts) == set(PARTS) and made_up_mappings(3000, rng(1)) != (rules, parts)
    assert made_up_mappings(3000, rng()) == (rules, parts)
    found = values(statistics.part_checks(parts, printed, rng=rng()))
    assert found["matches.train.disagreeing"].low < 15 < found["matches.train.disagreeing"].high
    fired = found["matches.train.fired.count"].value
    assert fired == found["matches.rule_only.matched.count"].value == pytest.approx(900, abs=90)
    assert found["matches.rule_only.unmatched.count"].value == 3 * fired


def test_the_figure_has_the_print_beside_the_lookups(printed):
    rules, parts = made_up_mappings(200, rng())
    record = Record("edin", "mappings", profile="smoke", seeds=[0], repeats="exact")
    record_checks(record, lookups.lookup_checks(rules, parts, printed, draws=1, resamples=100, rng=rng()))
    record_checks(record, lookups.curve_checks(rules, parts, printed, resamples=100, rng=rng()))
    assert {f"bleu.test.{name}" for name in statistics.CANDIDATES} <= record.measurements.keys()
    assert record.measurements["curve.firing_beyond_20_percent"]["interval"] == "deterministic"
    figure, told = statistics.lookup_figure(record.measurements, printed)
    ours, _, paper = figure.axes[0].lines
    assert to_hex(paper.get_markerfacecolor()) == "#ffffff" != to_hex(ours.get_markerfacecolor())
    assert (ours.get_xdata()[0], paper.get_xdata()[0]) == (record.measurements["bleu.test.relation_rule"]["mean"], 90.3)
    assert "test, rules only: decoder: paper 90.3; true relation's" in told and "paper 96.9" in told


def test_the_released_files(printed, mirror):
    parts = {part: read_rule_mappings(part) for part in PARTS}
    rules = read_rule_texts()
    found = values([*statistics.rule_checks(rules, parts, printed), *statistics.part_checks(parts, printed, rng=rng())])
    assert found["tokens.vocabulary.count"].value == 1141
    assert found["matches.train.fired.count"].value == found["matches.rule_only.matched.count"].value == 3850
    assert found["rules.firing.count"].value == 424
