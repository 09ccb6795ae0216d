"""Means over a field, as a tidy frame has them."""

from math import nan

import pandas as pd

from trustnlp.plots.tidy import draw


def test_an_axis_of_numbers_is_logarithmic_and_long_names_are_slanted() -> None:
    data = pd.DataFrame({"share": [2, 20, 100], "mean": [1.0, 2.0, 3.0]}).assign(low=nan, high=nan, paper=nan)
    figure, _ = draw(data, x="share", title="It rises", xlabel="share", ylabel="points", log_x=True)
    assert figure.axes[0].get_xscale() == "log"
    named = data.assign(share=["a name of many letters, " * 2 + end for end in "abc"])
    figure, _ = draw(named, x="share", title="It rises", xlabel="share", ylabel="points")
    assert {label.get_rotation() for label in figure.axes[0].get_xticklabels()} == {35.0}
