"""The figure of scores holds the counts that were given."""

from __future__ import annotations

from trustnlp.studies.xer.critique import histograms


def test_counts_stand_in_the_panel_of_their_set() -> None:
    counts = [[0] * 40 + [3] + [0] * 39, [2] + [0] * 79]
    figure, alt = histograms({"histogram.made": counts, "cuts": []})
    axis = figure.axes[0]
    assert [patch.get_data().values.tolist() for patch in axis.patches] == counts
    assert axis.get_title(loc="center") + axis.get_title(loc="left") == "made"
    assert alt.endswith("made, same entity: 3 of 3 above 0. made, others: 0 of 2 above 0.")
