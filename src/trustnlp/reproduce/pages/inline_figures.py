"""Figures of the notebooks as part of the page's HTML, where they take the page's colours, light or dark.

A notebook shows its figures as plain SVG, black on white (`trustnlp.plots.display`). In the book, black becomes the
page's text colour, white its ground, every grey the mixture of the two, and each colour of the house style a variable
of the style sheet (`--tn-figure-blue`), which names a lighter one in the dark. Tints of these colours are mixed with
the ground. All other colours stay, and so do letters on the coloured cells of a heat map.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree

from matplotlib.colors import to_rgb

from trustnlp.plots.display import OVER_DATA
from trustnlp.plots.style import PALETTE
from trustnlp.reproduce.project import UserError, nearest

GROUND = "var(--pst-color-background, #ffffff)"
SVG = "image/svg+xml"
_COLOUR = re.compile(r"#[0-9a-fA-F]{6}\b")
_REFERENCE = re.compile(r"url\(#([^)]+)\)")
_SPARE_DIGITS = re.compile(r"(\.\d\d)\d+")
_DROPPED = {"metadata", "style", "title"}


@dataclass(frozen=True)
class NamedFigure:
    """A figure of an executed notebook: its SVG, alternative text and caption."""

    svg: str
    alt: str
    caption: str


def named_figure(notebook: Mapping[str, Any], name: str) -> NamedFigure:
    """The figure that a staged notebook calls `name` (`mystnb.figure.name` of its cell).

    Raises
    ------
    UserError
        If no figure has this name, or the cell shows no SVG with alternative text.
    """
    figures = {
        str(figure["name"]): cell
        for cell in notebook["cells"]
        if (figure := cell["metadata"].get("mystnb", {}).get("figure", {})).get("name") and "outputs" in cell
    }
    if name not in figures:
        raise UserError(f"no figure is called '{name}'{nearest(name, figures)}")
    settings = figures[name]["metadata"]["mystnb"]
    shown = [output["data"][SVG] for output in figures[name]["outputs"] if SVG in output.get("data", {})]
    alt = settings.get("image", {}).get("alt", "")
    if not shown or not alt:
        raise UserError(f"the cell of '{name}' shows no figure; end it with trustnlp.plots.show(figure, alt)")
    return NamedFigure("".join(shown[0]), alt, settings["figure"].get("caption", ""))


def inline_svg(svg: str, *, alt: str, prefix: str) -> str:
    """A matplotlib SVG as an element of a page.

    Parameters
    ----------
    svg
        The picture as `trustnlp.plots.show` displays it.
    alt
        What a screen reader says instead.
    prefix
        Put before every id: a page holds several figures, and matplotlib calls their letters alike.
    """
    root = ElementTree.fromstring(svg)
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]  # without namespaces
        element.attrib = {name.rpartition("}")[2]: value for name, value in element.attrib.items()}
        element.text = element.tail = None
    _drop(root)
    used = {name for element in root.iter() for name in _references(element)}
    _dress(root, prefix, used, fixed=False)
    root.attrib = {
        "class": "tn-figure",
        "role": "img",
        "aria-label": alt,
        **{name: root.attrib[name] for name in ("width", "height", "viewBox") if name in root.attrib},
        # What matplotlib asks of every element in a style sheet, which would count for the whole page.
        "style": "fill: currentColor; stroke-linejoin: round; stroke-linecap: butt",
    }
    return ElementTree.tostring(root, encoding="unicode")


def themed(colour: str) -> str:
    """How the page's style sheet says a colour that a figure was drawn with.

    >>> themed("#000000"), themed("#0072b2")
    ('currentColor', 'var(--tn-figure-blue, #0072b2)')
    >>> themed("#00224e")
    '#00224e'
    """
    drawn = to_rgb(colour)
    for name, shade in {"": "#000000", **PALETTE}.items():
        full = to_rgb(shade)
        said = f"var(--tn-figure-{name}, {shade.lower()})" if name else "currentColor"
        # Each channel's way from white to the full colour; a tint has gone the same way in all of them.
        shares = [(1 - ours) / (1 - theirs) for ours, theirs in zip(drawn, full, strict=True) if theirs < 1]
        if max(shares) - min(shares) > 0.01 or max(shares) > 1.005:
            continue
        share = round(100 * sum(shares) / len(shares))
        return {0: GROUND, 100: said}.get(share, f"color-mix(in srgb, {said} {share}%, {GROUND})")
    return colour


def _drop(element: ElementTree.Element) -> None:
    for child in list(element):
        _drop(child)
        if child.tag in _DROPPED or (child.tag in ("defs", "g") and not len(child)):
            element.remove(child)


def _references(element: ElementTree.Element) -> Iterator[str]:
    for name, value in element.attrib.items():
        if name == "href" and value.startswith("#"):
            yield value[1:]
        yield from _REFERENCE.findall(value)


def _dress(element: ElementTree.Element, prefix: str, used: set[str], *, fixed: bool) -> None:
    """Colours, ids and digits of an element and of all within it; colours of what is `fixed` stay."""
    attributes = element.attrib
    name = attributes.pop("id", "")
    if name in used:
        attributes["id"] = prefix + name
    if over_data := name.startswith(OVER_DATA):
        attributes["style"] = "fill: #000000"  # matplotlib leaves out what is black
    fixed = fixed or over_data
    # Variables are safe in styles only, and a hatch has its colours in attributes.
    paint = "".join(f"; {kind}: {attributes.pop(kind)}" for kind in ("fill", "stroke") if kind in attributes)
    if paint:
        attributes["style"] = (attributes.get("style", "") + paint).removeprefix("; ")
    for kind, value in attributes.items():
        value = _REFERENCE.sub(rf"url(#{prefix}\1)", value)
        if kind == "href" and value.startswith("#"):
            value = f"#{prefix}{value[1:]}"
        elif kind == "style" and not fixed:
            value = _COLOUR.sub(lambda match: themed(match[0]), value)
        elif kind in ("d", "x", "y"):
            value = _SPARE_DIGITS.sub(r"\1", value)
        attributes[kind] = value
    for child in element:
        _dress(child, prefix, used, fixed=fixed)
