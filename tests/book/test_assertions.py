"""Assertions beside sentences hold, and each fails by name when a value that it speaks of turns or doubles."""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Iterator
from dataclasses import replace

import pytest
from prose import is_size

from trustnlp.reproduce.claims.ledgers import Verdict
from trustnlp.reproduce.claims.verdicts import Judgement, judge_chapter
from trustnlp.reproduce.pages.assertions import Assertion, assertion_of, chosen, failure, numbers_of
from trustnlp.reproduce.pages.measured_text import Measured
from trustnlp.reproduce.project import UserError, chapter_dir, chapters, project_root
from trustnlp.reproduce.records.derived_metrics import committed_record
from trustnlp.reproduce.records.measurement import summary

HOLDS = re.compile(r"\{holds\}`([^`]+)`")
EXAMPLE = re.compile(r"``\{.*? ``")  # a role in a span of code


def written() -> Iterator[tuple[str, str]]:
    """Chapter and text of every assertion of the book."""
    root = project_root()
    for path in sorted([*root.glob("book/*.md"), *root.glob("chapters/*/*.md"), *root.glob("chapters/*/*.py")]):
        for text in HOLDS.findall(EXAMPLE.sub("", path.read_text("utf-8"))):
            where, _, name = assertion_of(text).target.rpartition("/")
            assert where or path.parent.name in chapters(), f"{path.name}: '{text}' stands outside a chapter"
            yield where or path.parent.name, text.replace(f"{where}/{name}", name) if where else text


EACH = sorted(set(written()))
each_assertion = pytest.mark.parametrize(("slug", "text"), EACH, ids=lambda value: value)


@functools.cache
def numbers(slug: str, record: str | None) -> dict[str, Measured]:
    if record is None:
        return numbers_of({found.claim.id: found for found in judge_chapter(slug)})
    kept = committed_record(chapter_dir(slug) / "results" / f"{record}.json")
    return numbers_of(kept["metrics"], f"{record}:")


def spoken_of(slug: str, assertion: Assertion) -> dict[str, Measured]:
    record, colon, _ = assertion.target.partition(":")
    return chosen(assertion, numbers(slug, record if colon else None))


def times(number: Measured, factor: float) -> Measured:
    low = high = None
    if number.low is not None and number.high is not None:
        low, high = sorted((number.low * factor, number.high * factor))
    return replace(number, value=number.value * factor, low=low, high=high)


@each_assertion
def test_what_is_asserted_holds(slug: str, text: str) -> None:
    assert failure(assertion_of(text), spoken_of(slug, assertion_of(text))) is None


def is_about_nought(assertion: Assertion) -> bool:
    """Whether it says that there is no effect, in either direction."""
    return assertion.low < 0 < assertion.high and is_size(assertion)


@each_assertion
def test_a_turned_sign_stops_the_build(slug: str, text: str) -> None:
    """Of what has no sign, such as a share, twice as much; what is about nought has none to turn."""
    assertion = assertion_of(text)
    found = spoken_of(slug, assertion)
    if assertion.count is None:
        [(name, number)] = found.items()
        if is_about_nought(assertion) or not number.value:
            return
        factor = 2 if number.kind.low >= 0 and math.isinf(assertion.low) else -1
        wrong = failure(assertion, {name: times(number, factor)})
        assert wrong is not None and name in wrong and times(number, factor).mean() in wrong
        return
    told = [failure(assertion, found | {name: times(number, -1)}) for name, number in found.items()]
    clear = [number for number in found.values() if number.value and assertion.holds_for(number)]
    clear += [number for number in found.values() if assertion.holds_for(times(number, -1))]
    assert sum(wrong is not None for wrong in told) == len(clear)
    assert clear or assertion.count == 0


@each_assertion
def test_a_doubled_size_stops_the_build_and_nought_is_small_beside_its_interval(slug: str, text: str) -> None:
    assertion = assertion_of(text)
    found = spoken_of(slug, assertion)
    if is_about_nought(assertion):
        for number in found.values():
            assert assertion.high - assertion.low <= max(8 * number.half_width, 0.1)
    elif is_size(assertion):
        assert all(failure(assertion, found | {name: times(number, 2)}) for name, number in found.items())


NUMBERS = {
    "a": Measured(-0.08, "difference of shares", -0.11, -0.05),
    "b": Measured(0.34, "share of texts", 0.28, 0.4),
    "c": Measured(0.2, "points", -1, 1.4),
    "shown-as-0": Measured(0.2, "points", -5, 5.4),
    "shown-as-9": Measured(8.8, "points", 5, 12.6),
}


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("a below 0", True),
        ("a between -9 -7", True),
        ("a between 7 9", False),
        ("c clearly above 0", False),
        ("shown-as-0 above 0", False),
        ("shown-as-9 between 7 9", False),
        ("b between 33 35", True),  # per cent, as on the page
        ("b between 0.33 0.35", False),
        ("1 of ? clearly above 0", True),
        ("3 of ? above 0", False),
    ],
)
def test_an_assertion_reads_as_it_says(text: str, holds: bool) -> None:
    wrong = failure(assertion_of(text), chosen(assertion_of(text), NUMBERS))
    assert (wrong is None) is holds
    assert holds or "no longer holds" in str(wrong)


FEW = {
    "none": Measured(0.34, "share"),
    "few": Measured(0.34, "share", 0.28, 0.4, n=4),
    "enough": Measured(0.34, "share", 0.28, 0.4, n=5),
    "exact": Measured(0.34, "share", 0.34, 0.34),
}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("none clearly above 0", "none has no interval"),
        ("few clearly above 0", "few rests on 4 of the 5 values"),
        ("4 of * clearly above 0", "none has no interval; few rests on 4"),
        ("0 of 4 * clearly above 90", "none has no interval; few rests on 4"),  # nor is it clear that none is
        ("exact clearly above 0", None),
    ],
)
def test_nothing_is_clear_without_an_interval_over_enough_values(text: str, told: str | None) -> None:
    wrong = failure(assertion_of(text), chosen(assertion_of(text), FEW))
    assert wrong is None if told is None else wrong is not None and told in wrong and text in wrong


@pytest.mark.parametrize(
    ("interval", "values", "clear"),
    [
        ("t", [0.3, 0.31, 0.32, 0.33], False),
        ("bootstrap", [0.3], False),
        ("t", [0.3, 0.31, 0.32, 0.33, 0.3], True),
        ("t", [0.3, 0.3], False),  # the same twice is no certainty
        ("deterministic", [0.3], True),
        ((0.2, 0.4), [0.3], True),  # known otherwise: over the texts of one run
    ],
)
def test_a_record_and_its_judgement_know_whether_their_interval_bears_it(interval, values, clear) -> None:
    metric = summary(values, interval, unit="share", seeds=list(range(len(values))))
    [of_metric] = numbers_of({"a": metric}).values()
    ends = None if metric["low"] is None else (metric["low"], metric["high"])
    claim = judge_chapter("xer")[0].claim
    judged = Judgement(claim, Verdict.REPRODUCED, "", metric["mean"], ends, metric["n"], unit="share")
    [of_claim] = numbers_of({"a": judged}).values()
    for number in (of_metric, of_claim):
        assert (failure(assertion_of("a clearly above 0"), {"a": number}) is None) is clear


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a between 3", "expected TARGET above X"),
        ("a between 9 7", "9 is not below 7"),
        ("d above 0", "there is no number 'd'"),
        ("2 of 4 * above 0", "5 numbers are named so, expected 4"),
        ("2 of x* above 0", "0 numbers are named so"),
    ],
)
def test_an_assertion_of_another_form_or_of_nothing_is_refused(text: str, message: str) -> None:
    with pytest.raises(UserError, match=re.escape(message)):
        chosen(assertion_of(text), NUMBERS)
