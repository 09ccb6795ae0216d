"""Drawings of methods: legible on a phone, in the page's colours, and refused where things would overlap."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from trustnlp.plots.drawing_shapes import SMALL, WIDTH, text_width
from trustnlp.plots.drawings import Drawing, read_drawing
from trustnlp.reproduce.project import papers

ROOT = Path(__file__).parents[3]
PAPERS = papers()
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
    begins, ends = re.fullmatch(r"M\d+ (\d+)V(\d+)", path.attrib["d"]).groups()
    bottom = float(boxes[0].attrib["y"]) + float(boxes[0].attrib["height"])
    assert bottom < float(begins) < float(ends) < float(boxes[1].attrib["y"])


def test_a_file_describes_the_drawing_that_calls_make(tmp_path):
    (tmp_path / "drawing.toml").write_text(
        'title = "From a to b"\ndescribes = "An arrow leads from a to b."\ncaption = "A caption & more."\n'
        'arrows = [{path = ["a", "b"]}]\n[things]\na = {kind = "box", says = "a < b", at = [0, 0]}\n'
        'b = {kind = "text", says = "b\\nbelow", note = "a note", at = [2, 0]}\n'
    )
    assert read_drawing(tmp_path / "drawing.toml").svg() == two_boxes().svg()
    (tmp_path / "drawing.toml").write_text('title = "a"\ndescribes = "b"\nthings = {}\narrows = [{path = ["a", "b"]}]')
    with pytest.raises(ValueError, match=r"drawing\.toml: 'a'"):
        read_drawing(tmp_path / "drawing.toml")


def test_a_dashed_arrow_with_words():
    drawing = Drawing("Dashed", "A dashed arrow.")
    drawing.arrow(drawing.box("a", at=(0, 0)), drawing.box("b", at=(1, 0)), "maybe", dashed=True, tone="orange")
    assert "stroke-dasharray" in drawing.svg() and "maybe" in drawing.svg()


@pytest.mark.parametrize(
    ("boxes", "arrow", "said"),
    [
        ([("a", (0, 0), 1), ("b", (0, 0), 1)], None, r"two things in cell \(0, 0\)"),
        ([(name, (at, 0), 1) for at, name in enumerate("abc")], (0, 2), "crosses"),
        ([("a very long step of it", (at, 0), 1) for at in range(4)], None, "too wide"),
        ([("a", (0, 0), 1), ("b", (1, 0), 1), ("far more words than " * 6, (0, 1), 2)], None, "needs more columns"),
    ],
)
def test_what_would_overlap_is_refused(boxes, arrow, said):
    drawing = Drawing("Refused", "Things that overlap.")
    things = [drawing.box(says, at=at, span=span) for says, at, span in boxes]
    if arrow:
        drawing.arrow(*(things[place] for place in arrow))
    with pytest.raises(ValueError, match=said):
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
    drawing = read_drawing(ROOT / "chapters" / slug / "drawing.toml")
    svg = svg_of(drawing)
    sizes = [float(text.attrib["font-size"]) for text in svg.iter("text")]
    assert min(sizes) * NARROW / WIDTH >= 8
    assert len(svg.attrib["aria-label"].split()) >= 25
    colours = re.findall(r"#[0-9a-fA-F]{3,6}", re.sub(r"var\(--tn-figure-\w+, #\w+\)", "", drawing.svg()))
    assert not colours, "a colour that does not follow the page"
