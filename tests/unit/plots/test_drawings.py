"""Drawings of methods: legible on a phone, in the page's colours, and refused where things would overlap."""

import importlib
import re
from xml.etree import ElementTree

import pytest

from trustnlp.plots.drawing_shapes import SMALL, WIDTH, text_width
from trustnlp.plots.drawings import Drawing
from trustnlp.reproduce.project import chapters

PAPERS = [slug for slug in chapters() if not slug.startswith("_")]
NARROW = 360  # pixels of a page's column on a phone


def two_boxes() -> Drawing:
    drawing = Drawing("From a to b", "An arrow leads from a to b.", caption="A caption & more.")
    drawing.arrow(drawing.box("a < b", at=(0, 0)), drawing.text("b\nbelow", "a note", at=(2, 0)))
    return drawing


def svg_of(drawing: Drawing) -> ElementTree.Element:
    return ElementTree.fromstring(drawing.svg())


def test_a_drawing_is_a_picture_with_a_title_and_a_description():
    svg = svg_of(two_boxes())
    texts = [text.text for text in svg.iter("text")]
    assert svg.attrib["role"] == "img"
    assert svg.attrib["aria-label"] == "From a to b. An arrow leads from a to b."
    assert texts == ["a < b", "b", "below", "a note", "A caption & more."]


def test_an_arrow_ends_at_the_thing_that_it_leads_to():
    drawing = Drawing("Down", "A leads to b, which is below.")
    drawing.arrow(drawing.box("a", at=(0, 0)), drawing.box("b", at=(0, 1)))
    svg = svg_of(drawing)
    boxes = list(svg.iter("rect"))
    (path,) = svg.iter("path")
    begins, ends = re.fullmatch(r"M\d+ (\d+)V(\d+)", path.attrib["d"]).groups()  # type: ignore[union-attr]
    bottom = float(boxes[0].attrib["y"]) + float(boxes[0].attrib["height"])
    assert bottom < float(begins) < float(ends) < float(boxes[1].attrib["y"])


def test_a_dashed_arrow_with_words():
    drawing = Drawing("Dashed", "A dashed arrow.")
    drawing.arrow(drawing.box("a", at=(0, 0)), drawing.box("b", at=(1, 0)), "maybe", dashed=True, tone="orange")
    assert "stroke-dasharray" in drawing.svg() and "maybe" in drawing.svg()


def test_what_would_overlap_is_refused():
    drawing = Drawing("Twice", "Two things in a cell.")
    drawing.box("a", at=(0, 0))
    drawing.box("b", at=(0, 0))
    with pytest.raises(ValueError, match=r"two things in cell \(0, 0\)"):
        drawing.svg()


def test_an_arrow_through_a_thing_is_refused():
    drawing = Drawing("Through", "An arrow through a box.")
    first, _, last = (drawing.box(name, at=(at, 0)) for at, name in enumerate("abc"))
    drawing.arrow(first, last)
    with pytest.raises(ValueError, match="crosses"):
        drawing.svg()


def test_a_drawing_wider_than_the_page_is_refused():
    drawing = Drawing("Wide", "A row of long boxes.")
    for at in range(4):
        drawing.box("a very long step of it", at=(at, 0))
    with pytest.raises(ValueError, match="too wide"):
        drawing.svg()


def test_a_thing_wider_than_its_columns_is_refused():
    drawing = Drawing("Spans", "A box over two columns.")
    drawing.box("a", at=(0, 0))
    drawing.box("a box that is wider than both of its columns together, by far", at=(0, 1), span=1)
    drawing.box("b", at=(1, 0))
    assert drawing.svg()  # a column is as wide as what is in it
    drawing.box(
        "a text over two columns that are too narrow for it, even if they are taken together", at=(0, 2), span=2
    )
    with pytest.raises(ValueError, match="needs more columns"):
        drawing.svg()


@pytest.mark.parametrize("values", [[], [1.2], [-0.1, 0.5]])
def test_a_vector_is_drawn_from_shares(values):
    with pytest.raises(ValueError, match="between 0 and 1"):
        Drawing("Vector", "A vector.").vector(values, at=(0, 0))


def test_wider_letters_take_more_room():
    assert text_width("W" * 10, SMALL) > text_width("i" * 10, SMALL) > 0
    assert text_width("a", 2 * SMALL) == pytest.approx(2 * text_width("a", SMALL), rel=0.02)


@pytest.mark.parametrize("slug", PAPERS)
def test_each_chapter_has_a_drawing_that_can_be_read_on_a_phone(slug):
    drawing = importlib.import_module(f"trustnlp.studies.{slug}.drawing").method_drawing()
    svg = svg_of(drawing)
    sizes = [float(text.attrib["font-size"]) for text in svg.iter("text")]
    assert min(sizes) * NARROW / WIDTH >= 8
    assert len(svg.attrib["aria-label"].split()) >= 25
    colours = re.findall(r"#[0-9a-fA-F]{3,6}", re.sub(r"var\(--tn-figure-\w+, #\w+\)", "", drawing.svg()))
    assert not colours, "a colour that does not follow the page"
