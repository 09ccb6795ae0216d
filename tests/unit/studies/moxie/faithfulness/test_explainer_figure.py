"""The figure and table of explainers: names that can be read, numbers without exponents."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pytest
from matplotlib import pyplot as plt
from matplotlib.text import Annotation

from trustnlp.studies.moxie.faithfulness import explainer_figure


def number(mean: float, half: float | None = None) -> dict[str, Any]:
    return {"mean": mean, "low": None if half is None else mean - half, "high": None if half is None else mean + half}


@pytest.fixture
def numbers() -> dict[str, Any]:
    """Five explainers, four of them nearly in one place."""
    places = {"occlusion": (1.0, 9), "shapley": (0.74, 600), "lime_exact": (0.73, 600), "lime": (0.73, 520)}
    places["kernel_shap"] = (0.72, 600)
    found: dict[str, Any] = {}
    for name, (agreement, passes) in places.items():
        found |= {f"occlusion.{name}": number(agreement, 0.05), f"cost.passes.{name}": number(passes, 195.4)}
        found |= {f"{key}.{name}": number(0.0216, 0.0045) for key in ("deletion", "insertion", "infidelity")}
        found[f"cost.seconds.{name}"] = number(0.5)
    return found


def test_no_name_covers_another(numbers: dict[str, Any]) -> None:
    figure, alt = explainer_figure.cost_and_agreement(numbers)
    figure.draw_without_rendering()
    names = [child for child in figure.axes[0].get_children() if isinstance(child, Annotation)]
    assert len(names) == 5 and "Shapley, exact 0.74" in alt
    for one, other in combinations(names, 2):
        assert not one.get_window_extent().overlaps(other.get_window_extent())
    plt.close(figure)


def test_numbers_have_no_exponents(numbers: dict[str, Any]) -> None:
    table = explainer_figure.table(numbers)
    assert table.loc["KernelSHAP", "passes"] == "600 ± 195" and table.loc["occlusion", "seconds"] == "0.5"
    assert table.loc["occlusion", "infidelity, scaled (small)"] == "0.0216 ± 0.0045"
