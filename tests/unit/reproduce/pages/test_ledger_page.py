"""The ledger of a chapter: every claim once, findable, with what it rests on."""

import dataclasses
import re
from typing import Any

from judged import Page, in_grid, judged

from trustnlp.reproduce.claims.claim_types import Plan
from trustnlp.reproduce.claims.judgements import Judgement
from trustnlp.reproduce.claims.ledgers import Evidence, Verdict
from trustnlp.reproduce.pages.ledger_page import headlines_html, ledger_html, placed_html


def test_a_claim_row_tells_paper_ours_interval_why_and_deviations() -> None:
    page = Page(ledger_html([judged(name="text-mean", deviations=("Ours are < theirs.",))]))
    for words in (
        "1.54", "1.54", "(1.52 to 1.56)", "reproduced", "because 1 < 2", "Deviations: 1", "Ours are < theirs.",
        "§4 <p>", "Mean > max.",
    ):  # fmt: skip
        assert words in page.text
    assert set(page.values("id")) == {"claim-text-mean", "deviation-1", "tn-reproduced"}
    assert {"href": "#deviation-1"} in page.named("a")
    assert {"href": "#claim-text-mean", "class": "tn-claim-id"} in page.named("a")


def test_a_question_of_ours_tells_what_was_written_before_its_run() -> None:
    plan = Plan(hypothesis="It sees it.", statistic="power", smallest_difference="10 points", n=5, hours=0.5)
    one = judged(our_question=True)
    html = ledger_html([dataclasses.replace(one, claim=dataclasses.replace(one.claim, plan=plan))])
    assert "Written before the run" in html and "<dt>smallest difference</dt><dd>10 points</dd>" in html
    assert "Written before the run" not in ledger_html([one])


def test_code_and_emphasis_are_marked_and_nothing_else_is_markup() -> None:
    html = ledger_html([judged(name="text-mean", deviations=("Run `trustnlp <b>` with *bank*; 2 * 3 * 4 a*b*c.",))])
    assert "Run <code>trustnlp &lt;b&gt;</code> with <em>bank</em>; 2 * 3 * 4 a*b*c." in html


def test_a_grid_is_a_folded_matrix_above_the_claims() -> None:
    places = [("1", "mean", Verdict.REPRODUCED), ("1", "max", Verdict.CLOSE), ("2", "max", Verdict.NOT_REPRODUCED)]
    html = ledger_html([judged(name="alone"), *(in_grid(*place) for place in places)])
    page = Page(html)
    order = [html.index(part) for part in ("<details", "tn-matrix", 'id="claim-alone', 'id="claim-t4-')]
    assert order == sorted(order)
    assert "Table 4: 3 claims (1 reproduced, 1 close, 1 not reproduced)" in page.text and "1.54 | 1.54" in page.text
    anchors = list(page.values("id"))
    assert len(anchors) == len(set(anchors)) == 7, "four claims, and the three verdicts that a front page leads to"
    assert all(tag["href"].removeprefix("#") in anchors for tag in page.named("a"))
    tips = [tag["title"] for tag in page.named("a") if "title" in tag]
    assert tips[0] == "Mean > max.: reproduced; paper 1.54, ours 1.54"
    assert html.count("tn-cell-empty") == 1, "the cell the paper leaves out"


def test_grids_that_share_a_title_stay_apart() -> None:
    one, other = in_grid("1", "mean", Verdict.REPRODUCED), in_grid("1", "mean", Verdict.CLOSE)
    assert other.claim.cell is not None
    claim = dataclasses.replace(other.claim, id="t5-mean-1", cell=dataclasses.replace(other.claim.cell, grid="t5"))
    page = Page(ledger_html([one, dataclasses.replace(other, claim=claim)]))
    assert [fold["class"] for fold in page.named("details")] == ["tn-grids", "tn-grid", "tn-grid"]
    assert {"claim-t4-mean-1", "claim-t5-mean-1"} <= set(page.values("id"))


def test_a_fault_is_told_in_the_place_of_an_unexpected_verdict_and_a_missing_number_is_a_dash() -> None:
    surprise = dataclasses.replace(judged(), verdict=Verdict.CLOSE)
    faulty = judged(Verdict.NOT_MEASURED, ours=None, interval=None, n=None, fault="no metric <x>")
    assert "The ledger expects: reproduced." in Page(ledger_html([surprise])).text
    assert "The ledger expects" not in Page(ledger_html([judged()])).text
    html = ledger_html([faulty])
    assert "Fault: no metric <x>." in Page(html).text and "The ledger expects" not in html
    assert '<td data-label="Ours" class="tn-number"><div>–</div></td>' in html and not faulty.as_expected


def test_a_deviation_is_told_once_and_numbered_at_each_row_it_concerns() -> None:
    both = judged(name="a", deviations=("First.", "Second."))
    page = Page(ledger_html([both, judged(name="b", deviations=("Second.",)), judged(name="c")]))
    assert page.text.count("Second.") == 1
    links = [link["href"] for link in page.named("a") if "class" not in link]
    assert links == ["#deviation-1", "#deviation-2", "#deviation-2"]


def test_filters_offer_what_there_is_and_wait_for_the_script() -> None:
    page = Page(ledger_html([judged(name="alone"), in_grid("1", "mean", Verdict.CLOSE)]))
    assert [form["class"] for form in page.named("form") if "hidden" in form] == ["tn-filter"]
    offered = [option.get("value") for option in page.named("option")]
    assert offered == ["", "tn-reproduced", "tn-close", "", None, "", None, None]
    assert [row["data-place"] for row in page.named("tr") if "id" in row] == ["§4 <p>", "Table 4"]


def test_headlines_keep_their_order_their_wording_and_lead_to_the_ledger() -> None:
    def marked(name: str, reading: str | None = None, **fields: Any) -> Judgement:
        found = judged(name=name, reading=reading)
        return dataclasses.replace(found, claim=dataclasses.replace(found.claim, **fields))

    first = marked("first", "7 of 10", headline=0, says="Short.")
    page = Page(headlines_html([marked("later", headline=1), first, judged(name="other")], "ledger.html"))
    assert [link["href"] for link in page.named("a")] == ["ledger.html#claim-first", "ledger.html#claim-later"]
    assert page.text.index("Short.") < page.text.index("7 of 10") < page.text.index("Mean > max.")


def test_an_interval_is_shown_beside_the_number_it_belongs_to_only() -> None:
    found = judged(name="seconds")
    for reads, shown in (("{ours} s", True), ("{took} s, stopped", False)):
        read = dataclasses.replace(found, claim=dataclasses.replace(found.claim, reads=reads), reading="3.2 s")
        assert ("(1.52 to 1.56)" in Page(ledger_html([read])).text) is shown


def test_the_tally_and_the_rows_put_claims_run_on_real_data_first_and_ours_last() -> None:
    rows = [
        judged(name="question", our_question=True),
        judged(name="sum", evidence=Evidence.PRINT),
        judged(name="run"),
        judged(name="again", same_cell_as="run"),
    ]
    html = ledger_html(rows)
    page = Page(html)
    assert [row["id"] for row in page.named("tr") if "id" in row] == [
        "claim-run", "claim-again", "claim-sum", "claim-question",
    ]  # fmt: skip
    assert [row["data-group"] for row in page.named("tr") if "id" in row] == [
        "Run on real data", "Run on real data", "Print only", "Our questions",
    ]  # fmt: skip
    assert html.index("tn-tally") < html.index("tn-filter") and "1 more judge a printed number once again" in page.text
    assert {"href": "#claim-run"} in page.named("a")
    marks = re.findall(r'<span class="tn-mark">([^<]+)</span>', html)
    assert marks == ["print only", "our question"]


def test_a_grid_says_how_many_of_its_printed_numbers_count() -> None:
    cells = [in_grid("1", "mean", Verdict.REPRODUCED), in_grid("1", "max", Verdict.CLOSE)]
    again = dataclasses.replace(cells[1], claim=dataclasses.replace(cells[1].claim, same_cell_as=cells[0].claim.id))
    assert (
        "Table 4: 2 claims on 1 printed numbers that count (1 reproduced)" in Page(ledger_html([cells[0], again])).text
    )


def test_a_table_of_the_paper_is_told_by_the_claims_that_name_it() -> None:
    """What stands on a page in the place of a smoke run: the record's rows, each linked to the ledger."""
    own = judged(name="text-mean")
    there = dataclasses.replace(own, claim=dataclasses.replace(own.claim, where="§4, Table 3", record="one.paper"))
    other = dataclasses.replace(there, claim=dataclasses.replace(there.claim, id="other", where="Table 4"))
    html = placed_html([there, other], "one", "Tables 2 and 3: counts", "ledger.html")
    assert {"href": "ledger.html#claim-text-mean"} in Page(html).named("a")
    assert "claim-other" not in html
    assert placed_html([there, other], "one", "Figure 3", "ledger.html") == ""
