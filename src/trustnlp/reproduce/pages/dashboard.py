"""The table of chapters: as a picture for the book's first page, as Markdown for the README."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from trustnlp.reproduce.claims.ledgers import Verdict
from trustnlp.reproduce.claims.tallies import Group, count, counting, group_of, tally, tally_in_words, with_total
from trustnlp.reproduce.claims.verdicts import Judgement
from trustnlp.reproduce.pages.html_parts import macros
from trustnlp.reproduce.project import TEMPLATE, UserError
from trustnlp.reproduce.verdict_marks import SYMBOLS, anchor, legend, verdict_class

BEGIN, END = "<!-- verdicts:begin -->", "<!-- verdicts:end -->"


_COLUMNS = {
    "Run on real data": (Group.REAL,),
    "Checked in print or released files": (Group.RELEASED, Group.PRINT),
    "Not tried, or on made-up data": (Group.MADE_UP, Group.NONE),
}


def dashboard_html(chapters: Mapping[str, Sequence[Judgement]], in_work: Sequence[str], base: str = "") -> str:
    """All works at a glance: a square for each claim of the paper, by what was tried, in the colour of its verdict.

    `base` leads from the page to the root of the book, such as `../`; `in_work` are titles without a chapter yet.
    """
    rows = []
    for slug, judgements in chapters.items():
        counted = [judgement for judgement in counting(judgements) if not judgement.claim.ours]
        counted.sort(key=lambda one: list(Verdict).index(one.verdict))
        by_column = {name: [one for one in counted if group_of(one) in groups] for name, groups in _COLUMNS.items()}
        paper = judgements[0].claim.paper if judgements else None
        rows.append((slug, _short(paper.title) if paper else slug, by_column))
    html = macros("tables.j2", anchor, legend, verdict_class, tally_in_words, count, SYMBOLS=SYMBOLS)
    return str(html.dashboard(rows, in_work, list(_COLUMNS), base))


def _short(title: str) -> str:
    """A title up to its colon, where that says enough by itself.

    >>> _short("Measuring Biases of Word Embeddings: What Measures to Use?"), _short("xER: An Explainable Model")
    ('Measuring Biases of Word Embeddings', 'xER: An Explainable Model')
    """
    first, _, _ = title.partition(":")
    return first if len(first) > 20 else title


_OTHERS = [group for group in Group if group not in (Group.REAL, Group.OURS)]


def readme_table(judgements: Iterable[Judgement]) -> str:
    """The README's tables, as Markdown: the papers' claims run on real data by verdict; by other evidence; ours."""
    chapters = defaultdict(list)
    for judgement in judgements:
        if judgement.chapter != TEMPLATE and judgement.claim.paper is not None:
            title = judgement.claim.paper.title.replace("|", "\\|")
            chapters[f"[{title}](chapters/{judgement.chapter}/index.md)"].append(judgement)
    chapters["**All**"] = [judgement for members in chapters.values() for judgement in members]
    tallies = {name: tally(members) for name, members in chapters.items()}
    real = [groups.get(Group.REAL, {}) for groups in tallies.values()]
    given = [verdict for verdict in Verdict if any(verdict in numbers for numbers in real)]
    first = [[sum(numbers.values()), *(numbers.get(verdict, 0) for verdict in given)] for numbers in real]
    others, ours = (
        [[with_total(groups.get(group, {})) for group in asked] for groups in tallies.values()]
        for asked in (_OTHERS, [Group.OURS])
    )
    return "\n\n".join(
        [
            "The papers' claims that were **run on real data**:",
            _markdown(["Claims", *given], tallies, first, " --: |"),
            "Their other claims, by what was tried:",
            _markdown(_OTHERS, tallies, others, " :-- |"),
            "Questions of **ours**, which no sentence of the paper answers:",
            _markdown(["Claims"], tallies, ours, " :-- |"),
        ]
    )


def _markdown(heads: Sequence[str], names: Iterable[str], rows: Iterable[Sequence[Any]], rule: str) -> str:
    lines = [["Chapter", *heads], *([name, *row] for name, row in zip(names, rows, strict=True))]
    first, *rest = [f"| {' | '.join(map(str, cells))} |" for cells in lines]
    return "\n".join([first, f"| :-- |{rule * len(heads)}", *rest])


def replace_between_markers(text: str, table: str) -> str:
    """`text` with whatever stands between the two verdict markers replaced by the table.

    Raises
    ------
    UserError
        If the markers are missing, stand twice, or in the wrong order.
    """
    before, *rest = text.split(BEGIN)
    parts = rest[0].split(END) if len(rest) == 1 else []
    if len(parts) != 2 or END in before:
        raise UserError(
            f"expected the line {BEGIN} once and the line {END} once after it; put them where the table belongs"
        )
    return f"{before}{BEGIN}\n{table.strip()}\n{END}{parts[1]}"
