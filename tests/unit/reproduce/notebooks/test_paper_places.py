"""Which tables and figures a heading names."""

import pytest

from trustnlp.reproduce.notebooks.paper_places import headings, named_places


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Tables 2 and 3: accuracy", {"Table 2", "Table 3"}),
        ("Figures 1 to 3 and 5", {"Figure 1", "Figure 2", "Figure 3", "Figure 5"}),
        ("Distances (Figures 1, 2, 5, 6)", {"Figure 1", "Figure 2", "Figure 5", "Figure 6"}),
        ("§5.2, Figs. 7 and 8; Table 4, first row", {"Figure 7", "Figure 8", "Table 4"}),
        ("Tables and figures", set()),
        ("Printable 3", set()),
    ],
)
def test_tables_and_figures_are_found(text: str, named: set[str]) -> None:
    assert named_places(text) == named


def test_headings_in_fences_are_none() -> None:
    assert list(headings("# A\n\n```\n# b\n```\ntext # c\n### D e")) == [(1, "A"), (3, "D e")]
