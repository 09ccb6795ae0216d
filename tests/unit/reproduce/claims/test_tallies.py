"""One function counts: every claim once, every printed cell once, the paper's by evidence and ours apart."""

from hypothesis import given
from hypothesis import strategies as st
from judged import judged

from trustnlp.reproduce.claims.ledgers import Evidence, Verdict
from trustnlp.reproduce.claims.tallies import Group, count, counting, group_of, tally, with_total
from trustnlp.reproduce.claims.verdicts import Judgement

judgements = st.lists(
    st.builds(
        judged,
        st.sampled_from(Verdict),
        our_question=st.booleans(),
        evidence=st.sampled_from(Evidence),
        same_cell_as=st.sampled_from([None, None, "other"]),
    )
)


@given(judgements)
def test_each_counting_claim_stands_in_one_group_under_its_verdict(found: list[Judgement]) -> None:
    numbers = tally(found)
    assert sum(sum(group.values()) for group in numbers.values()) == len(counting(found))
    assert [group for group in Group if group in numbers] == list(numbers)
    for group, verdicts in numbers.items():
        assert list(verdicts) == [verdict for verdict in Verdict if verdict in verdicts] and min(verdicts.values()) > 0
        members = [one for one in counting(found) if group_of(one) is group]
        assert verdicts == count(members)


def test_ours_stand_apart_whatever_they_rest_on() -> None:
    for kind in Evidence:
        assert group_of(judged(our_question=True, evidence=kind)) is Group.OURS
    assert [group_of(judged(evidence=kind)) for kind in Evidence] == [
        group for group in Group if group is not Group.OURS
    ]


def test_a_printed_cell_counts_once_with_the_claim_that_is_named() -> None:
    found = [judged(), *(judged(Verdict.CLOSE, f"again{n}", same_cell_as="one") for n in range(7))]
    assert tally(found) == {Group.REAL: {Verdict.REPRODUCED: 1}}


def test_numbers_are_told_in_words() -> None:
    numbers = {Verdict.REPRODUCED: 12, Verdict.INCONSISTENT: 3}
    assert with_total(numbers) == "15 (12 reproduced, 3 inconsistent in the paper)" and with_total({}) == "0"
