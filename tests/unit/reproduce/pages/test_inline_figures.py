"""Figures within a page: its ink and ground, ids of their own, and colours that can be seen in light and dark."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import matplotlib
import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.colors import to_rgb

from trustnlp.plots import PALETTE, house_style, show
from trustnlp.reproduce.pages.inline_figures import GROUND, inline_svg, named_figure, themed
from trustnlp.reproduce.project import UserError

matplotlib.use("Agg")
STYLES = Path(__file__).parents[4] / "book" / "_assets" / "custom.css"


def drawn(monkeypatch: pytest.MonkeyPatch, *, heat: bool = False) -> str:
    shown: list[Any] = []
    monkeypatch.setattr("IPython.display.display", lambda data, raw, metadata: shown.append(data))
    with house_style():
        figure, axis = plt.subplots()
        if heat:
            axis.imshow(np.eye(2))
            axis.text(0, 0, "x", color="white")
            axis.text(1, 0, "y", color="black")
        else:
            axis.plot([1, 2], [1, 2], color=PALETTE["blue"], markerfacecolor="white")
            axis.bar([1], [1], color=PALETTE["orange"], hatch="//")
    show(figure, "What it shows.")
    return str(shown[0]["image/svg+xml"])


def page(svg: str, prefix: str = "f1-") -> ElementTree.Element:
    return ElementTree.fromstring(inline_svg(svg, alt="Less < more & “so”.", prefix=prefix))


def test_the_picture_has_its_words_and_nothing_that_counts_for_the_whole_page(monkeypatch: pytest.MonkeyPatch) -> None:
    root = page(drawn(monkeypatch))
    assert (root.tag, root.attrib["role"], root.attrib["aria-label"]) == ("svg", "img", "Less < more & “so”.")
    assert root.attrib["viewBox"].startswith("0 0 ")
    assert not {element.tag for element in root.iter()} & {"style", "metadata", "title", "script"}


def test_ids_are_those_that_are_used_and_two_figures_share_none(monkeypatch: pytest.MonkeyPatch) -> None:
    svg = drawn(monkeypatch)
    seen: set[str] = set()
    for prefix in ("f1-", "f2-"):
        root = page(svg, prefix)
        ids = [element.attrib["id"] for element in root.iter() if "id" in element.attrib]
        text = ElementTree.tostring(root, encoding="unicode")
        assert set(ids) == set(re.findall(r"""(?:url\(|href=")#([^")]+)""", text)) and len(ids) == len(set(ids)) > 3
        assert not seen & set(ids)
        seen |= set(ids)


def test_no_colour_of_the_style_is_left_as_it_was_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    text = ElementTree.tostring(page(drawn(monkeypatch)), encoding="unicode")
    assert not re.search(r'(?<!, )#[0-9a-f]{6}\b|\b(?:fill|stroke)="', text)
    assert "currentColor" in text and "--tn-figure-blue" in text and GROUND in text


def test_letters_on_a_heat_map_keep_their_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    root = page(drawn(monkeypatch, heat=True))
    styles = [element.attrib.get("style", "") for element in root.iter("g")]
    assert "fill: #ffffff" in "; ".join(styles) and "fill: #000000" in styles


@pytest.mark.parametrize(
    ("colour", "said"),
    [
        ("#000000", "currentColor"),
        ("#ffffff", GROUND),
        ("#dddddd", f"color-mix(in srgb, currentColor 13%, {GROUND})"),
        ("#666666", f"color-mix(in srgb, currentColor 60%, {GROUND})"),
        ("#56B4E9", "var(--tn-figure-sky, #56b4e9)"),
        ("#abdaf4", f"color-mix(in srgb, var(--tn-figure-sky, #56b4e9) 50%, {GROUND})"),
        ("#00224e", "#00224e"),
        ("#003050", "#003050"),
    ],
)
def test_colours_become_the_page_s(colour: str, said: str) -> None:
    assert themed(colour) == said


def luminance(colour: str) -> float:
    channels = np.array(to_rgb(colour))
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


@pytest.mark.parametrize(("theme", "ground"), [("light", "#ffffff"), ("dark", "#121212")])
def test_every_colour_of_data_can_be_seen_on_its_ground(theme: str, ground: str) -> None:
    """3 to 1 is what WCAG 2.1 asks of graphics (1.4.11)."""
    rules = re.findall(rf'html\[data-theme="{theme}"\][^{{]*{{([^}}]*)}}', STYLES.read_text("utf-8"))
    chosen = dict(re.findall(r"--tn-figure-(\w+): (#\w{6})", " ".join(rules)))
    assert set(chosen) <= set(PALETTE)
    for name in set(PALETTE) - {"grey"}:  # a mixture of ink and ground
        bright, dim = sorted([luminance(chosen.get(name, PALETTE[name])), luminance(ground)], reverse=True)
        assert (bright + 0.05) / (dim + 0.05) >= 3, name


def executed(**figure: str) -> dict[str, Any]:
    output = {"output_type": "display_data", "data": {"image/svg+xml": ["<svg>", "</svg>"]}, "metadata": {}}
    settings = {"figure": figure, "image": {"alt": "A curve."}}
    cell = {"cell_type": "code", "metadata": {"mystnb": settings}, "outputs": [output]}
    text = {"cell_type": "markdown", "metadata": {}}
    return {"cells": [text, cell, {"cell_type": "code", "metadata": {}, "outputs": []}]}


def test_a_figure_is_found_by_its_name() -> None:
    book = executed(name="fig-accuracy", caption="What to see.")
    found = named_figure(book, "fig-accuracy")
    assert (found.svg, found.alt, found.caption) == ("<svg></svg>", "A curve.", "What to see.")
    with pytest.raises(UserError, match="no figure is called 'fig-acuracy'; did you mean 'fig-accuracy'"):
        named_figure(book, "fig-acuracy")


def test_a_cell_without_picture_or_words_is_refused() -> None:
    without_picture, without_words = executed(name="fig-a"), executed(name="fig-a")
    without_picture["cells"][1]["outputs"] = []
    del without_words["cells"][1]["metadata"]["mystnb"]["image"]
    for book in (without_picture, without_words):
        with pytest.raises(UserError, match="the cell of 'fig-a' shows no figure"):
            named_figure(book, "fig-a")
