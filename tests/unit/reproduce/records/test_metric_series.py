import pytest

from trustnlp.reproduce.claims.ledgers import load_claims, printed_values
from trustnlp.reproduce.project import UserError
from trustnlp.reproduce.records.metric_series import Metrics

KEYS = [
    "ag.dim32.eps5.classic",
    "ag.dim32.eps0.05.classic",
    "ag.dim32.eps0.05.classic_over_robust",
    "yelp.dim64.eps1e-05.robust",
    "one_row.ag.dim32.eps5.classic",
    "ag.dim32.non_private",
]
METRICS = Metrics({key: {"values": [float(number)], "mean": float(number)} for number, key in enumerate(KEYS)})


def test_one_field_gives_its_values_as_keys_in_the_order_of_the_record():
    assert list(METRICS.series("ag.dim32.eps{e:g}.classic").items()) == [(5.0, [0.0]), (0.05, [1.0])]


def test_several_fields_give_tuples_and_keep_their_kinds():
    assert METRICS.series("{task}.dim{k:d}.eps{e:g}.{training}", "mean") == {
        ("ag", 32, 5.0, "classic"): 0.0,
        ("ag", 32, 0.05, "classic"): 1.0,
        ("ag", 32, 0.05, "classic_over_robust"): 2.0,
        ("yelp", 64, 1e-05, "robust"): 3.0,
    }


def test_a_name_holds_no_dot_and_the_whole_key_has_to_fit():
    assert METRICS.series("{task}.dim32.non_private", "mean") == {"ag": 5.0}
    assert set(METRICS.series("ag.dim32.eps0.05.{a}_over_{b}")) == {("classic", "robust")}


@pytest.mark.parametrize(
    ("pattern", "part", "message"),
    [
        ("ag.dim32.eps{e:g}.clasic", "mean", "no metric fits 'ag.dim32.eps{e:g}.clasic'.*ag.dim32.eps5.classic"),
        ("ag.dim{k:x}", "mean", "{name:d} or {name:g}, got {k:x}"),
        ("ag.dim32.non_private", "mean", "has no field"),
        ("ag.dim{k:d}.non_private", "maen", "no 'maen'.*mean"),
    ],
)
def test_what_does_not_fit_is_said(pattern, part, message):
    with pytest.raises(UserError, match=message):
        METRICS.series(pattern, part)


def test_what_the_paper_prints_is_read_by_the_same_patterns():
    cells = printed_values("dpnr_study", "leakage", tables=True)
    every = printed_values("dpnr_study", "leakage")
    assert set(cells) < set(every)
    claimed = {claim.key: claim.value for claim in load_claims("dpnr_study").claims if claim.value is not None}
    assert every.series("{case}.report.top5", "value")["english"] == claimed["english.report.top5"]
    with pytest.raises(UserError, match="no metric fits"):
        printed_values("dpnr_study", "training").series("english.report.top{n:d}", "value")
