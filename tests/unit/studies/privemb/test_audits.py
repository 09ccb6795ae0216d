"""A small version of the chapter's table: the audits made for a fault see it, and nothing sees what is right."""

from __future__ import annotations

import pandas as pd
import pytest

from trustnlp.studies.privemb.audits import FAULTS, PLANTED, RIGHT, convictions, draws_to_see

# Fault → the audits that must convict it, and those that must not, at 3,000 draws.
TABLE = {
    "half_1": (
        {"two inputs", "every axis", "law of the length"},
        {"law of the direction", "repeated noise", "last digits"},
    ),
    "half_8": ({"law of the length"}, {"every axis", "law of the direction"}),
    "half_54": ({"law of the length"}, {"two inputs", "every axis", "law of the direction"}),
    "less_10": ({"law of the length"}, {"two inputs", "every axis"}),
    "less_5": ({"law of the length"}, {"two inputs", "every axis"}),
    "forgotten": ({"law of the length"}, {"law of the direction"}),
    "one_value": ({"two inputs", "every axis", "law of the length", "law of the direction"}, set()),
    "bare": ({"every axis", "law of the length", "law of the direction"}, {"two inputs", "repeated noise"}),
    "few_seeds": ({"repeated noise"}, {"two inputs", "every axis", "last digits"}),
    "float_leak": (
        {"last digits"},
        {"two inputs", "every axis", "law of the length", "law of the direction", "repeated noise"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_is_seen_by_the_audits_made_for_it(fault: str) -> None:
    table = convictions([fault], draws=[3000], seeds=[0], alpha=0.001)
    seen = set(table.loc[table["convicted"], "audit"])
    must, must_not = TABLE[fault]
    assert must <= seen and not seen & must_not


def test_nothing_is_seen_in_a_right_mechanism() -> None:
    assert not convictions(RIGHT, draws=[200, 3000], seeds=[0], alpha=1e-5)["convicted"].any()


def test_half_the_scale_at_54_dimensions_is_seen_with_few_draws_where_the_audit_of_two_inputs_sees_nothing() -> None:
    """The finding that this table is for: the law of the length convicts with 20 draws, two inputs not with 50,000."""
    few = convictions(["half_54"], draws=[20], seeds=range(20), audits=["law of the length"])
    many = convictions(["half_54"], draws=[50_000], seeds=[0], audits=["two inputs"])
    assert few["convicted"].all() and not many["convicted"].any()


def test_runs_repeat_and_do_not_depend_on_what_else_is_run() -> None:
    options = {"draws": [100], "seeds": [0, 1], "audits": ["law of the length", "law of the direction"]}
    both = convictions(PLANTED, **options)  # type: ignore[arg-type]
    one = convictions(["less_10"], **options)  # type: ignore[arg-type]
    assert both[both["fault"] == "less_10"].reset_index(drop=True).equals(one)


def fewest(rates: dict[int, list[bool]]) -> list[float]:
    rows = [("f", "a", draws, seed, hit) for draws, hits in rates.items() for seed, hit in enumerate(hits)]
    return draws_to_see(pd.DataFrame(rows, columns=["fault", "audit", "draws", "seed", "convicted"])).tolist()


def test_the_fewest_draws_are_those_from_which_on_most_runs_convict() -> None:
    yes, no = [True] * 5, [False] * 5
    assert fewest({10: yes, 20: no, 30: [True] * 4 + [False], 40: yes}) == [30]
    assert fewest({10: yes, 20: yes}) == [10]
    assert fewest({10: no, 20: yes, 30: no}) == []
