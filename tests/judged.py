"""Made judgements, and a reader of HTML that checks its nesting."""

from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any

from trustnlp.reproduce.claims.ledgers import Claim, Evidence, GridCell, Paper, Verdict
from trustnlp.reproduce.claims.verdicts import Judgement

VOID = {"br", "img", "hr", "input"}


class Page(HTMLParser):
    """Checks that tags nest, and keeps ids, links, classes and visible text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.text = ""
        self.feed(html)
        self.close()
        assert self.open == [], f"not closed: {self.open}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data

    def values(self, attribute: str) -> Iterator[str]:
        return (attributes[attribute] for _, attributes in self.tags if attribute in attributes)

    def named(self, tag: str) -> list[dict[str, str]]:
        return [attributes for name, attributes in self.tags if name == tag]


_TITLE = "Bias & <measures> | pipes"
PAPER = Paper(key="doe2020x", title=_TITLE, authors="J. Doe", venue="Somewhere", year=2020, url="https://example.org")


def judged(
    verdict: Verdict = Verdict.REPRODUCED,
    name: str = "one",
    chapter: str = "aec",
    cell: GridCell | None = None,
    our_question: bool = False,
    same_cell_as: str | None = None,
    **more: Any,
) -> Judgement:
    claim = Claim(
        chapter=chapter, paper=PAPER, id=name, where="§4 <p>", text="Mean > max.", kind="value", expect=verdict,
        value=1.54, rounding=0.005, cell=cell, ours=our_question, same_cell_as=same_cell_as,
    )  # fmt: skip
    found = {"ours": 1.5387, "interval": (1.52, 1.56), "n": 5, "profile": "paper", "evidence": Evidence.REAL, **more}
    return Judgement(claim, verdict, "because 1 < 2", **found)


def in_grid(row: str, column: str, verdict: Verdict) -> Judgement:
    cell = GridCell("t4", "Table 4", row, f"WEAT {row}", column, f"cosine, {column}")
    return judged(verdict, f"t4-{column}-{row}", cell=cell)


EACH = [judged(verdict, f"claim{number}") for number, verdict in enumerate(Verdict)]
