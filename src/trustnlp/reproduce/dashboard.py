"""The table of chapters: as HTML for the book's first page, as Markdown for the README."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from trustnlp.reproduce.claims import Verdict
from trustnlp.reproduce.project import UserError
from trustnlp.reproduce.tallies import Group, group_in_words, in_words, tally
from trustnlp.reproduce.verdict_marks import bar, legend
from trustnlp.reproduce.verdicts import Judgement

BEGIN, END = "<!-- verdicts:begin -->", "<!-- verdicts:end -->"


@dataclass(frozen=True)
class Chapter:
    """A paper's row: its verdicts, what data its records rest on, and the day (ISO) a record was last verified."""

    judgements: Sequence[Judgement]
    data: str | None
    verified: str | None


def dashboard_html(chapters: Mapping[str, Chapter], in_work: Sequence[str], base: str = "") -> str:
    """All works at a glance: verdicts of what was run on real data as a bar, the rest in words, data, last check.

    Works in work follow, and a line for all chapters together goes before.

    `base` leads from the page to the root of the book, such as `../`; `in_work` are titles without a chapter yet.
    """
    rows = []
    for slug, chapter in chapters.items():
        found = chapter.judgements
        title = escape(found[0].claim.paper.title if found else slug)
        rows.append(
            f'<tr><th scope="row"><a href="{escape(base)}chapters/{slug}/index.html">{title}</a>'
            f'<p class="tn-counts">{escape(chapter.data or "")}</p></th>'
            f"<td>{_groups(found)}</td>"
            f'<td class="tn-number">{escape(chapter.verified or "not yet")}</td></tr>'
        )
    rows += [
        f'<tr class="tn-in-work"><th scope="row">{escape(title)}</th><td>in work</td><td></td></tr>'
        for title in in_work
    ]
    heads = "".join(f'<th scope="col">{name}</th>' for name in ("Paper, and our data", "Verdicts", "Last verified"))
    caption = f"{len(chapters)} chapters" + (f", {len(in_work)} in work" if in_work else "")
    together = [judgement for chapter in chapters.values() for judgement in chapter.judgements]
    return (
        f'<div class="tn-tally"><p>All chapters together:</p>{_groups(together)}</div>'
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


_WITH_BAR = Group.REAL
_OTHERS = [group for group in Group if group not in (_WITH_BAR, Group.OURS)]


def _groups(judgements: Sequence[Judgement]) -> str:
    """A tally: a bar for the paper's claims that were run on real data, and every group in words."""
    found = tally(judgements)
    drawn = bar(found[_WITH_BAR]) if _WITH_BAR in found else ""
    words = "".join(f"<p class='tn-counts'>{group_in_words(group, numbers)}</p>" for group, numbers in found.items())
    return drawn + words


def readme_table(judgements: Iterable[Judgement]) -> str:
    """The README's tables, as Markdown: the papers' claims run on real data by verdict; by other evidence; ours."""
    chapters = papers(judgements)
    links = {slug: f"[{_title(found, slug)}](chapters/{slug}/index.md)" for slug, found in chapters.items()}
    found = {links[slug]: tally(members) for slug, members in chapters.items()}
    found["**All**"] = tally(judgement for members in chapters.values() for judgement in members)
    real = {name: groups.get(_WITH_BAR, {}) for name, groups in found.items()}
    given = [verdict for verdict in Verdict if any(verdict in numbers for numbers in real.values())]
    first = [
        [name, str(sum(numbers.values())), *(str(numbers.get(verdict, 0)) for verdict in given)]
        for name, numbers in real.items()
    ]
    others = [[name, *(_cell(groups, group) for group in _OTHERS)] for name, groups in found.items()]
    ours = [[name, _cell(groups, Group.OURS)] for name, groups in found.items()]
    return "\n\n".join(
        [
            "The papers' claims that were **run on real data**:",
            _markdown(["Chapter", "Claims", *given], first, " --: |"),
            "Their other claims, by what was tried:",
            _markdown(["Chapter", *_OTHERS], others, " :-- |"),
            "Questions of **ours**, which no sentence of the paper answers:",
            _markdown(["Chapter", "Claims"], ours, " :-- |"),
        ]
    )


def _title(found: Sequence[Judgement], slug: str) -> str:
    return found[0].claim.paper.title.replace("|", "\\|") if found else slug


def _cell(groups: Mapping[Group, Mapping[Verdict, int]], group: Group) -> str:
    """One group of a chapter as a cell: `15 (12 reproduced, 3 inconsistent in the paper)`."""
    numbers = groups.get(group, {})
    return f"{sum(numbers.values())} ({in_words(numbers)})" if numbers else "0"


def _markdown(heads: Sequence[str], rows: Iterable[Sequence[str]], rule: str) -> str:
    lines = [f"| {' | '.join(cells)} |" for cells in (heads, *rows)]
    return "\n".join([lines[0], f"| :-- |{rule * (len(heads) - 1)}", *lines[1:]])


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
