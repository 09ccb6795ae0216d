"""The table of chapters: as HTML for the book's first page, as Markdown for the README."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from trustnlp.reproduce.claims import Verdict
from trustnlp.reproduce.project import UserError
from trustnlp.reproduce.verdict_marks import bar, counts, counts_text, legend
from trustnlp.reproduce.verdicts import Judgement

BEGIN, END = "<!-- verdicts:begin -->", "<!-- verdicts:end -->"


@dataclass(frozen=True)
class Chapter:
    """A paper's row: its verdicts, what data its records rest on, and the day (ISO) a record was last verified."""

    judgements: Sequence[Judgement]
    data: str | None
    verified: str | None


def dashboard_html(chapters: Mapping[str, Chapter], in_work: Sequence[str], base: str = "") -> str:
    """All works at a glance: verdicts as a bar with its counts in words, data, last check; then those in work.

    `base` leads from the page to the root of the book, such as `../`; `in_work` are titles without a chapter yet.
    """
    rows = []
    for slug, chapter in chapters.items():
        found = chapter.judgements
        title = escape(found[0].claim.paper.title if found else slug)
        rows.append(
            f'<tr><th scope="row"><a href="{escape(base)}chapters/{slug}/index.html">{title}</a>'
            f'<p class="tn-counts">{escape(chapter.data or "")}</p></th>'
            f"<td>{bar(found)}<p class='tn-counts'>{len(found)} claims: {counts_text(found)}</p></td>"
            f'<td class="tn-number">{escape(chapter.verified or "not yet")}</td></tr>'
        )
    rows += [
        f'<tr class="tn-in-work"><th scope="row">{escape(title)}</th><td>in work</td><td></td></tr>'
        for title in in_work
    ]
    heads = "".join(f'<th scope="col">{name}</th>' for name in ("Paper, and our data", "Verdicts", "Last verified"))
    caption = f"{len(chapters)} chapters" + (f", {len(in_work)} in work" if in_work else "")
    return (
        f'<table class="tn-dashboard"><caption>{caption}</caption><thead><tr>{heads}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table>{legend()}"
    )


def papers(judgements: Iterable[Judgement]) -> dict[str, list[Judgement]]:
    """Judgements by chapter, in the order given, without chapters that are no papers (`_template`)."""
    found: dict[str, list[Judgement]] = {}
    for judgement in judgements:
        if not judgement.chapter.startswith("_"):
            found.setdefault(judgement.chapter, []).append(judgement)
    return found


def readme_table(judgements: Iterable[Judgement]) -> str:
    """The README's table of chapters: claims and verdicts by count, as Markdown."""
    heads = ["Chapter", "Claims", *(verdict.value for verdict in Verdict)]
    lines = [f"| {' | '.join(heads)} |", f"| :-- |{' --: |' * (len(heads) - 1)}"]
    for slug, found in papers(judgements).items():
        number = counts(found)
        title = found[0].claim.paper.title.replace("|", "\\|")
        cells = [f"[{title}](chapters/{slug}/index.md)", str(len(found))]
        cells += [str(number.get(verdict, 0)) for verdict in Verdict]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def replace_between_markers(text: str, table: str) -> str:
    """`text` with whatever stands between the two verdict markers replaced by the table.

    Raises
    ------
    UserError
        The markers are missing, stand twice, or in the wrong order.
    """
    if text.count(BEGIN) != 1 or text.count(END) != 1 or text.index(BEGIN) > text.index(END):
        raise UserError(
            f"expected the line {BEGIN} once and the line {END} once after it; put them where the table belongs"
        )
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    return f"{before}{BEGIN}\n{table.strip()}\n{END}{after}"
