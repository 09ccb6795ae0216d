"""Checks of the printed numbers: values by hand, and each turns red where the print is changed."""

import copy
from functools import reduce
from math import comb
from operator import getitem

import pytest

from trustnlp.reproduce.claims.ledger_tables import printed_tables, table_names
from trustnlp.studies.edin.checks import checks_of, f1_score


@pytest.fixture
def printed():
    return printed_tables("edin", *table_names("edin"))


def found(printed):
    return {check.key.removeprefix("printed."): check for check in checks_of(printed)}


def test_by_hand(printed):
    checks = found(printed)
    assert checks["table1.f1_gain"].value == pytest.approx(45.5 - 36.6)
    assert checks["table1.least_joint_gain"].value == pytest.approx(67.0 - 66.5)
    assert checks["manual.undecoded"].value == 176 - 59 - 55 - 46 == 16
    assert checks["manual.exact_above_half"].value == pytest.approx(100 * 59 / 160 - 50)
    assert checks["manual.exact_above_half"].high < 0 < checks["manual.approximate_above_half"].low
    # 1,220 of 3,325 are found, 724 of them with a rule; 2,034 relations are given, 734 of them with a rule.
    outside = {
        key: checks[f"outside.{key}_above_half"].value + 50
        for key in ("rule_only.precision", "rule_only.scored", "combined.precision")
    }
    assert outside["rule_only.precision"] == pytest.approx(100 * (1220.275 - 724) / (1220.275 / 0.6 - 734))
    assert outside["rule_only.scored"] == pytest.approx(100 * 734 / (1220.275 / 0.6))
    # With 26 of the other row: 2,128 are found, of 3,031 given.
    found_there = 0.64 * 3325
    assert outside["combined.precision"] == pytest.approx(100 * (found_there - 724) / (found_there / 0.702 - 734))
    either = checks["outside.precision_above_half"]
    assert either.low == checks["outside.rule_only.precision_above_half"].low < 0
    assert either.high == checks["outside.combined.precision_above_half"].high > 0
    assert checks["outside.scored_above_half"].high < 0  # on either row
    assert checks["released.annealing_delay"].value == 6  # five epochs have to lie behind the last one: from epoch 7
    assert checks["released.agreeing.count"].value == 13 and checks["released.relations.count"].value == 41
    for check in checks.values():
        assert check.low <= check.value <= check.high, check


def test_a_random_part_would_not_hold_all_false_negatives(printed):
    expected = comb(176, 16) / comb(750, 16)
    assert found(printed)["manual.random_chance"].value == pytest.approx(expected)


def test_a_whole_that_fits_in_print(printed):
    checks = found(printed)
    for key in ("table1.f1_margin", "table3.f1_margin", "manual.grid_margin", "wrong.sum_margin"):
        assert checks[key].value > 0, key


@pytest.mark.parametrize(
    ("path", "value", "key"),
    [
        ("table1 rule_only ours f1", 45.9, "table1.f1_margin"),
        ("table3 60 f1", 41.0, "table3.f1_margin"),
        ("table3 60 recall", 26.0, "table3.least_recall_step"),
        ("table1 combined no_classifier bleu", 92.5, "table1.least_joint_gain"),
        ("table1 combined no_decoder f1", 65.6, "table1.ablation_margin"),
        ("matched ambiguous", 4, "wrong.sum_margin"),
        ("manual exact", 33.8, "manual.grid_margin"),
        ("released rnn_layers", 2, "released.missing_lstm_layers"),
        ("released decay_epoch", -1, "released.annealing_delay"),
        ("released optimiser", "adagrad", "released.other_optimiser"),
        ("released settings batch_size", 64, "released.agreeing_margin"),
        ("appendix settings pooling", "avg", "released.agreeing_margin"),
    ],
)
def test_another_number_is_seen(printed, path, value, key):
    assert found(printed)[key].value > 0
    changed = copy.deepcopy(printed)
    *steps, last = (int(step) if step.isdigit() else step for step in path.split())
    place = reduce(getitem, steps, changed)
    assert place[last] != value
    place[last] = value
    assert found(changed)[key].value <= 0


def test_f1():
    assert f1_score(60.0, 36.7) == pytest.approx(45.5, abs=0.05)
    assert f1_score(0, 0) == 0
