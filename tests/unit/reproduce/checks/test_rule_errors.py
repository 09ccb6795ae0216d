"""The rules on made-up papers: strong evidence gives true verdicts, and the table says what was counted."""

from collections import Counter

import numpy as np

from trustnlp.reproduce.checks.rule_errors import TRUTHS, Trial, rule_errors_html, trials
from trustnlp.reproduce.claims.ledgers import Verdict


def test_with_little_scatter_the_right_verdict_is_nearly_always_given() -> None:
    found = list(trials(np.random.default_rng(1), draws=60, n_values=(20,), scatters=(0.02,)))
    assert [trial.effect for trial in found] == [effect for effect, *_ in TRUTHS]
    for trial in found:
        assert trial.counts.total() == 60
        assert trial.untrue <= 0.05, trial
    assert found[0].counts[Verdict.REPRODUCED] >= 57


def test_an_absent_or_opposite_effect_is_never_called_a_success() -> None:
    good = {Verdict.REPRODUCED, Verdict.CLOSE, Verdict.DIRECTION}
    for trial in trials(np.random.default_rng(2), draws=60, n_values=(5,), scatters=(0.3,)):
        if trial.effect <= 0:
            assert not good & set(trial.counts), trial


def test_the_table_counts_in_percent_and_undetermined_is_not_untrue() -> None:
    counts = Counter({Verdict.REPRODUCED: 3, Verdict.UNDETERMINED: 1})
    trial = Trial(0.3, "three tenths of it", frozenset({Verdict.NOT_REPRODUCED}), 5, 0.1, counts)
    assert trial.untrue == 0.75
    html = rule_errors_html([trial])
    assert '<td class="tn-number">75</td>' in html and "75.0" in html
    assert '<td class="tn-number"><strong>0</strong></td>' in html
