"""One verdict per sentence of the paper: its cells, the rule, mistakes, and how often all of it counts."""

import dataclasses
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from judged import Page, judged

from trustnlp.reproduce.claims.judgements import Judgement
from trustnlp.reproduce.claims.ledgers import LETTERS, Claim, Evidence, Verdict, parse_claims
from trustnlp.reproduce.claims.sentences import TRIED, judge_sentence
from trustnlp.reproduce.claims.tallies import Group, counting, tally
from trustnlp.reproduce.pages.ledger_page import headlines_html, ledger_html, placed_html
from trustnlp.reproduce.pages.tables import value_text
from trustnlp.reproduce.project import UserError
from trustnlp.reproduce.schemas import SchemaError, parse_yaml

LEDGER = """
paper: {key: doe2020x, title: A title, authors: J. Doe, venue: Somewhere, year: 2020, url: "https://example.org"}
claims:
  - {id: lone, where: p. 1, text: Alone., kind: statement, paper: {text: "alone"},
     measure: {record: one.paper, key: a}, expect: reproduced}
  - {id: other, where: p. 2, text: Another., kind: statement, paper: {text: "another"},
     measure: {record: one.paper, key: b}, expect: reproduced}
  - {id: asked, where: p. 3, text: Asked., kind: statement, ours: true, paper: {text: "asked"},
     measure: {record: one.paper, key: c}, expect: reproduced}
"""
GRID = """
grids:
  - id: t4
    where: "Table 4, {row}, {label}"
    text: "Cell {row} of {label}"
    kind: value
    record: one.paper
    key: "{id}.{row}"
    rounding: 0.5
    columns: [{id: mean, label: Mean}, {id: max, label: Max}]
    paper: {1: [10, 20], 2: [30, null]}
    expect: {1: [R, C], 2: [N, null]}
"""
ON_GRID = '    sentence: {where: Table 4, text: Means grow., paper: {text: "means grow"}, expect: reproduced}\n'


def entry(cells: str, more: str = "") -> str:
    return (
        f"  - {{id: said, where: §5, text: It holds., kind: cells, cells: {cells}, "
        f'paper: {{text: "it holds"}}, expect: reproduced{more}}}\n'
    )


def parse(text: str) -> tuple[Claim, ...]:
    return parse_claims(parse_yaml(text, "claims.yaml"), "aec", "claims.yaml").claims


@pytest.mark.parametrize(
    ("cells", "named"),
    [
        ("[lone, other]", ["lone", "other"]),
        ("[t4, lone]", ["t4-mean-1", "t4-max-1", "t4-mean-2", "lone"]),
        ('["t4-mean-*"]', ["t4-mean-1", "t4-mean-2"]),
    ],
)
def test_a_sentence_names_its_cells_by_id_by_grid_or_by_pattern(cells: str, named: list[str]) -> None:
    claims = {claim.id: claim for claim in parse(LEDGER + entry(cells) + GRID)}
    assert list(claims["said"].cells) == named and claims["said"].holds_in == "most"
    assert {name for name, claim in claims.items() if claim.under == "said"} == set(named)


def test_a_grid_with_a_sentence_is_one_claim_before_its_cells_and_ours_if_they_are() -> None:
    _, _, _, table, *cells = parse(LEDGER + GRID + ON_GRID + "    ours: true\n    evidence: made-up data\n")
    assert (table.id, table.kind, table.where, table.quote) == ("t4", "cells", "Table 4", "means grow")
    assert table.expect is Verdict.REPRODUCED
    assert table.cells == tuple(cell.id for cell in cells) == ("t4-mean-1", "t4-max-1", "t4-mean-2")
    assert {cell.under for cell in cells} == {"t4"}
    assert {(claim.ours, claim.evidence) for claim in (table, *cells)} == {(True, Evidence.MADE_UP)}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (entry("[lonee]"), "said: cells: this ledger has no claim and no grid 'lonee'; did you mean 'lone'?"),
        (entry('["t5-*"]'), "said: cells: no claim fits 't5-*'"),
        (entry("[edin/t3]"), "expected the id of a claim or grid, or a pattern with `*`"),
        (entry('[lone, "l*"]'), "'lone' stands twice; a cell counts for one sentence, once"),
        (entry("[lone]") + entry("[lone]").replace("said", "again"), "again: cells: 'lone' stands under 'said'"),
        (entry("[lone]") + entry("[said]").replace("id: said", "id: again"), "'said' is a sentence itself"),
        (entry("[t4]") + GRID + ON_GRID, "'t4-mean-1' stands under 'said', too"),
        (entry("[asked]"), "'asked' is a question of ours, the sentence is the paper's; mark both 'ours: true'"),
        (entry("[lone]", ", ours: true"), "'lone' is a question of the paper's, the sentence is ours"),
        (entry("[lone]") + GRID.replace("id: t4", "id: lone"), "'lone' is a grid's id and a claim's"),
        (GRID + ON_GRID.replace("where: Table 4, ", ""), "lacks 'where'"),
    ],
)  # fmt: skip
def test_what_cannot_be_a_sentence_is_told_in_a_line(text: str, told: str) -> None:
    with pytest.raises(SchemaError) as caught:
        parse(LEDGER + text)
    assert told in str(caught.value) and "\n" not in str(caught.value)


def sentence(holds_in: str = "most", **more: Any) -> Claim:
    given = dataclasses.replace(judged().claim, id="said", kind="cells", value=None, quote="it holds", **more)
    return dataclasses.replace(given, holds_in=holds_in, rounding=0.0)


def under(letters: str) -> list[Judgement]:
    """A cell a letter, of a verdict; `x` is a disagreement that a cap keeps open."""
    cells = [judged(LETTERS[c.upper()], f"cell{n}", held_back=c == "x") for n, c in enumerate(letters)]
    return [dataclasses.replace(cell, claim=dataclasses.replace(cell.claim, under="said")) for cell in cells]


# Letters of the cells, and of the verdicts where the sentence asks for most and for all of them. Half is not most.
RULE = """
RRR R R | RCC C C | RRC R C | RRCD C D | RRRCD R D | RRN R N
RRx R U | Rxx U U | RRXX R R | RNx U N | xx X X | RRU R U
RN N N | RU U U | RD D D | DD D D | RDN D N | RDU D U
RDNN N N | RNU U N | NXMI N N | XM M M | II I I | FF F F | IF X X
"""


@pytest.mark.parametrize(("letters", "most", "all_"), [case.split() for case in re.split(r"[|\n]", RULE.strip())])
def test_the_rule(letters: str, most: str, all_: str) -> None:
    found = [judge_sentence(sentence(how), under(letters)).verdict for how in ("most", "all")]
    assert found == [LETTERS[most], LETTERS[all_]]


@given(st.text("RCDNUXMIF", min_size=1, max_size=12))
def test_all_asks_for_no_less_than_most_and_what_was_not_tried_decides_nothing(letters: str) -> None:
    ladder = [Verdict.REPRODUCED, Verdict.CLOSE, Verdict.DIRECTION, Verdict.UNDETERMINED, Verdict.NOT_REPRODUCED]
    most, every = (judge_sentence(sentence(how), under(letters)) for how in ("most", "all"))
    tried = "".join(letter for letter in letters if LETTERS[letter] in TRIED)
    if not tried:
        assert most.verdict is every.verdict and most.verdict not in ladder
    else:
        assert ladder.index(most.verdict) <= ladder.index(every.verdict)
        assert most.verdict is judge_sentence(sentence(), under(tried)).verdict
        assert f"{len(tried)} of {len(letters)} cells tried" in most.why


def test_why_says_what_was_tried_and_what_was_not() -> None:
    found = judge_sentence(sentence(), under("R" * 12 + "CNXX"))
    assert found.why == (
        "14 of 16 cells tried (88 %): 12 reproduced, 1 close, 1 not reproduced; not tried: 2 not testable here; "
        "the sentence asks for most of them"
    )
    assert (found.n, found.reading, value_text(found, "ours")) == (14, "13 of 14 cells", "92.9 %")
    assert judge_sentence(sentence(), under("RDD")).reading == "1 of 3 cells, 2 more in direction"
    assert judge_sentence(sentence(), under("XX")).why == "none of 2 cells tried: 2 not testable here: because 1 < 2"
    assert judge_sentence(sentence(), under("XX")).ours is None


def test_a_number_that_is_judged_twice_under_one_sentence_counts_once() -> None:
    first, second, third = under("RNN")
    for same, tried in ((second.claim.id, 2), ("of another sentence", 3)):
        again = dataclasses.replace(third, claim=dataclasses.replace(third.claim, same_cell_as=same))
        assert f"{tried} of {tried} cells" in judge_sentence(sentence(), [first, second, again]).why


def test_a_sentence_rests_on_what_most_of_its_tried_cells_rest_on() -> None:
    real, made = judged(), judged(evidence=Evidence.MADE_UP)
    lacking = judged(Verdict.UNTESTABLE, evidence=Evidence.NONE)
    assert judge_sentence(sentence(), [real, lacking, lacking]).evidence is Evidence.REAL
    assert judge_sentence(sentence(), [real, made]).evidence is Evidence.MADE_UP, "of two the weaker"
    assert judge_sentence(sentence(), [lacking]).evidence is Evidence.NONE
    assert judge_sentence(sentence(evidence=Evidence.PRINT), [real]).evidence is Evidence.PRINT


def test_a_headline_says_in_how_many_cells_and_no_metric() -> None:
    told = sentence(headline=0, reads="worse in {ours}")
    assert judge_sentence(told, under("RRN")).reading == "worse in 2 of 3 cells"
    with pytest.raises(UserError, match=r"headline said: '\{clean\.acc\}': a sentence has no record; write \{ours\}"):
        judge_sentence(sentence(headline=0, reads="{clean.acc}"), under("R"))


def whole(letters: str = "RRN") -> list[Judgement]:
    cells = under(letters)
    told = sentence(cells=tuple(cell.claim.id for cell in cells), headline=0)
    return [judged(name="lone"), judge_sentence(told, cells), *cells]


def test_a_sentence_counts_once_and_its_cells_not_at_all() -> None:
    assert [one.claim.id for one in counting(whole())] == ["lone", "said"]
    assert tally(whole()) == {Group.REAL: {Verdict.REPRODUCED: 2}}


def test_the_page_folds_the_cells_under_their_sentence_each_with_its_place() -> None:
    html = ledger_html(whole())
    page = Page(html)
    for words in ("3 cells are evidence under these claims", "2 claims", "3 cells: 2 reproduced, 1 not reproduced"):
        assert words in page.text
    assert html.index('id="claim-said"') < html.index('class="tn-under"') < html.index('id="claim-cell0"')
    offered = [option["value"] for option in page.named("option") if option.get("value")]
    assert offered == ["tn-reproduced"], "filters are for claims, not for cells"
    assert {"href": "ledger.html#claim-said"} in Page(headlines_html(whole(), "ledger.html")).named("a")


def test_a_table_on_a_page_shows_the_sentence_and_not_its_cells_again() -> None:
    told = [
        dataclasses.replace(found, claim=dataclasses.replace(found.claim, where="Table 3", record=record))
        for found, record in zip(whole(), ["one.paper", None, *["one.paper"] * 3], strict=True)
    ]
    html = placed_html(told, "one", "Table 3", "ledger.html")
    links = [tag["href"].rpartition("claim-")[2] for tag in Page(html).named("a")]
    assert links == ["lone", "said"]
    alone = [found for found in told if found.claim.id != "said"]
    assert "claim-cell0" in placed_html(alone, "one", "Table 3", "ledger.html")
