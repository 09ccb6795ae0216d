"""Sphinx extension of the book: numbers and verdicts in running text, read from records and ledgers.

Roles (inside a chapter its slug may be left out)
    {ours}`[CHAPTER/]CLAIM`, {paper}`…`, {verdict}`…`
    {metric}`[CHAPTER/]RECORD:KEY`  for example {metric}`reproduction.paper:word2vec.cosine.mean.weat1.effect_size`
    {duration}`[CHAPTER/]RECORD`    how long the run of a record took; {duration}`CHAPTER | paper`: a chapter's together
    A bar asks for something else of the same claim or metric: {ours}`CLAIM | interval`, {metric}`RECORD:KEY | n`, or
    `full`, number and interval; `abs` leaves the sign out, as in {ours}`CLAIM | abs | full`. In a table of Markdown it
    is written with a backslash before it. A verdict is a link to its claim on the ledger page.
    {claim}`WORDS <[CHAPTER/]CLAIM>`  words that lead to a claim on its chapter's page of claims
    {holds}`TARGET above 0`, {holds}`TARGET between 7 9`, {holds}`3 of 9 CLAIMS above 0`
                                    prints nothing, and stops the build when the sentence beside it is no longer true
                                    (`trustnlp.reproduce.pages.assertions`)

An unknown claim or record is a Sphinx warning that names the nearest one, so a build with `-W` fails.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging
from sphinx.util.docutils import SphinxRole
from trustnlp_reader import ledger_address, reader_of

from trustnlp.reproduce import verdict_marks
from trustnlp.reproduce.pages import assertions, tables
from trustnlp.reproduce.project import UserError
from trustnlp.reproduce.runs.durations import duration_text
from trustnlp.reproduce.runs.params import load_params

LOGGER = logging.getLogger(__name__)


class ValueRole(SphinxRole):
    """A number or a verdict in running text: what a claim says or a run measured, and how long it took."""

    def __init__(self, what: str) -> None:
        super().__init__()
        self.what = what

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        try:
            return [self._node()], []
        except UserError as error:
            LOGGER.warning("%s: %s", self.what, error, location=self.get_location(), type="trustnlp")
            return [nodes.inline(self.rawtext, self.text)], []

    def _node(self) -> nodes.Node:
        target, *bars = (part.strip() for part in self.text.replace("\\|", "|").split("|"))
        magnitude = "abs" in bars
        asked = next((bar for bar in bars if bar != "abs"), "")
        classes = [f"tn-{self.what}-value"]
        if self.what == "duration":
            return nodes.inline(self.rawtext, self._duration(target, asked), classes=classes)
        slug, name = self._place(target)
        if self.what == "metric":
            text = tables.value_text(reader_of(self.env.app).metric(slug, name), asked or "mean", magnitude=magnitude)
            return nodes.inline(self.rawtext, text, classes=classes)
        judgement = reader_of(self.env.app).judgement(slug, name)
        text = tables.value_text(judgement, asked or self.what, magnitude=magnitude)
        if self.what != "verdict":
            return nodes.inline(self.rawtext, text, classes=classes)
        classes += ["tn-verdict", verdict_marks.verdict_class(judgement.verdict)]
        address = _row_address(self.env.docname, slug, name)
        return nodes.reference(self.rawtext, text, refuri=address, internal=True, classes=classes)

    def _duration(self, target: str, profile: str) -> str:
        slug, name = (target, "") if profile else self._place(target)
        entries = load_params(slug).notebooks.values() if profile else ()
        recorded = [f"{entry.name}.{profile}" for entry in entries if profile != "paper" or not entry.lesson]
        names = recorded or [name]
        reader = reader_of(self.env.app)
        return duration_text(sum(reader.named(slug, name)["seconds"] for name in names))

    def _place(self, target: str) -> tuple[str, str]:
        """Chapter and name; the chapter may be left out on its own pages."""
        return _chapter_and_name(self.env.docname, target)


class HoldsRole(SphinxRole):
    """Nothing on the page; a warning, and so a failed build, when what it asserts does not hold."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        try:
            assertion = assertions.assertion_of(self.text.replace("\\|", "|"))
            slug, name = _chapter_and_name(self.env.docname, assertion.target)
            known = reader_of(self.env.app).numbers(slug, name)
            wrong = assertions.failure(assertion, assertions.chosen(replace(assertion, target=name), known))
        except UserError as error:
            wrong = str(error)
        if wrong:
            LOGGER.warning("holds: %s", wrong, location=self.get_location(), type="trustnlp")
        return [], []


def _row_address(docname: str, slug: str, name: str) -> str:
    """From a page to a claim's row on its chapter's page of claims."""
    return f"{ledger_address(docname, slug)}#{verdict_marks.anchor(name)}"


def _chapter_and_name(docname: str, target: str) -> tuple[str, str]:
    slug, slash, name = target.partition("/")
    if slash:
        return slug, name
    parts = docname.split("/")
    if parts[0] != "chapters":
        raise UserError(f"'{target}' stands outside a chapter; write CHAPTER/{target}")
    return parts[1], target


class ClaimRole(SphinxRole):
    """Words of a sentence as a link to the claim that they rest on."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        words, _, target = self.text.rstrip(">").rpartition(" <")
        try:
            slug, name = _chapter_and_name(self.env.docname, target)
            reader_of(self.env.app).judgement(slug, name)
            if not words:
                raise UserError(f"'{self.text}': expected words before the claim, as in words <CHAPTER/CLAIM>")
        except UserError as error:
            LOGGER.warning("claim: %s", error, location=self.get_location(), type="trustnlp")
            return [nodes.inline(self.rawtext, words or self.text)], []
        address = _row_address(self.env.docname, slug, name)
        return [nodes.reference(self.rawtext, words, refuri=address, internal=True)], []


class UnbrokenBadges(SphinxPostTransform):
    """Keep a verdict on one line with the brackets around it and the sign behind it."""

    default_priority = 10
    formats = ("html",)

    def run(self, **kwargs: Any) -> None:
        for badge in list(
            self.document.findall(lambda node: "tn-verdict" in getattr(node, "attributes", {}).get("classes", ()))
        ):
            siblings = badge.parent.children
            at = siblings.index(badge)
            held = nodes.inline("", "", badge.deepcopy(), classes=["tn-nowrap"])
            if at and isinstance(siblings[at - 1], nodes.Text) and siblings[at - 1].endswith("("):
                held.insert(0, nodes.Text("("))
                siblings[at - 1] = nodes.Text(siblings[at - 1][:-1])
            if at + 1 < len(siblings) and isinstance(after := siblings[at + 1], nodes.Text):
                signs = len(after) - len(after.lstrip("),.;:"))
                held += nodes.Text(after[:signs])
                siblings[at + 1] = nodes.Text(after[signs:])
            badge.parent.replace(badge, held)


def setup(app: Sphinx) -> dict[str, Any]:
    for name in ("ours", "paper", "verdict", "metric", "duration"):
        app.add_role(name, ValueRole(name))
    app.add_role("claim", ClaimRole())
    app.add_role("holds", HoldsRole())
    app.add_post_transform(UnbrokenBadges)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
