"""How many claims got which verdict: the paper's claims by kind of evidence, those run on real data first; ours apart.

Every count of verdicts that a page or a command shows comes from here. A sentence or table of the paper counts once,
and the cells under it not at all; so does a printed cell that several claims judge, with the claim that the ledger
names.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from enum import StrEnum

from trustnlp.reproduce.claims.ledgers import Evidence, Verdict
from trustnlp.reproduce.claims.verdicts import Judgement


class Group(StrEnum):
    """Whose question, and what was tried, in the order in which pages show it."""

    REAL = "Run on real data"
    RELEASED = "Released files"
    PRINT = "Print only"
    MADE_UP = "Made-up data"
    NONE = "Not tried here"
    OURS = "Our questions"


_OF_EVIDENCE = dict(zip(Evidence, (Group.REAL, Group.RELEASED, Group.PRINT, Group.MADE_UP, Group.NONE), strict=True))


def group_of(judgement: Judgement) -> Group:
    """Where a claim is counted: with ours, or with the paper's of its kind of evidence."""
    return Group.OURS if judgement.claim.ours else _OF_EVIDENCE[judgement.evidence]


def counting(judgements: Iterable[Judgement]) -> list[Judgement]:
    """The judgements without cells of a sentence, and those on a printed cell that another claim counts for."""
    return [one for one in judgements if one.claim.under is None and one.claim.same_cell_as is None]


def count(judgements: Iterable[Judgement]) -> dict[Verdict, int]:
    """Verdict → number of all that are given, cells too, in the verdicts' order; what nobody got is left out."""
    counts = Counter(judgement.verdict for judgement in judgements)
    return {verdict: counts[verdict] for verdict in Verdict if counts[verdict]}


def tally(judgements: Iterable[Judgement]) -> dict[Group, dict[Verdict, int]]:
    """Group → verdict → number of claims, in the order of both; groups without a claim are left out."""
    members_of: dict[Group, list[Judgement]] = {group: [] for group in Group}
    for judgement in counting(judgements):
        members_of[group_of(judgement)].append(judgement)
    return {group: count(members) for group, members in members_of.items() if members}


def tally_in_words(numbers: Mapping[Verdict, int]) -> str:
    """Numbers of claims by verdict as words: `12 reproduced, 3 close`."""
    return ", ".join(f"{number} {verdict}" for verdict, number in numbers.items()) or "none"


def with_total(numbers: Mapping[Verdict, int]) -> str:
    """The same with how many they are together: `15 (12 reproduced, 3 inconsistent in the paper)`; 0 for none."""
    return f"{sum(numbers.values())} ({tally_in_words(numbers)})" if numbers else "0"
