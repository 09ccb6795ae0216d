"""A small book with one executed notebook: where its figure is shown, and what is refused."""

from __future__ import annotations

import io
import json
import re
import sys
from html import unescape
from pathlib import Path
from typing import Any

import matplotlib
import pytest
from built_book import ROOT
from matplotlib import pyplot as plt
from sphinx.application import Sphinx

from trustnlp.plots import house_style, show
from trustnlp.reproduce.pages.published import Page
from trustnlp.reproduce.pages.staging import prepare_notebook

matplotlib.use("Agg")

FRONT = """# Demo

```{finding-figure} run/fig-demo-curve
The `curve` *bends* in {numref}`finding-fig-demo-curve`.

A second paragraph.
```
"""
REFUSED = {
    "run/fig-demo-curv": "no figure is called 'fig-demo-curv'; did you mean 'fig-demo-curve'?",
    "run/fig-demo-this-run": "the caption of 'fig-demo-this-run' in demo/run does not say 'committed record'",
    "rum/fig-demo-curve": "chapter 'demo' has no notebook 'rum'; did you mean 'run'?",
    "fig-demo-curve": "'fig-demo-curve': expected NOTEBOOK/FIGURE-NAME",
}
ALT = 'A line that bends at 2 < 3, "sharply".'


def notebook(svg: str, metadata: dict[str, Any]) -> dict[str, Any]:
    def figure(name: str, caption: str) -> dict[str, Any]:
        output = {"output_type": "display_data", "data": {"image/svg+xml": svg}, "metadata": metadata}
        settings = {"mystnb": {"figure": {"name": name, "caption": caption}}}
        return {"cell_type": "code", "source": "show()", "metadata": settings, "outputs": [output],
                "execution_count": 1, "id": name}  # fmt: skip

    title = {"cell_type": "markdown", "source": "# A run", "metadata": {}, "id": "title"}
    cells = [title, figure("fig-demo-curve", "It bends (committed record)."), figure("fig-demo-this-run", "It bends.")]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    return {"cells": cells, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Folder of the pages, and Sphinx's warnings."""
    root = tmp_path_factory.mktemp("book")
    shown: list[tuple[Any, Any]] = []
    with pytest.MonkeyPatch.context() as patch, house_style():
        patch.setattr("IPython.display.display", lambda data, raw, metadata: shown.append((data, metadata)))
        figure, axis = plt.subplots()
        axis.plot([1, 2, 3], [0.1, 0.3, 0.2], markerfacecolor="white")
        show(figure, ALT)
    ((data, metadata),) = shown
    metadata["trustnlp"]["source"] = "record"
    chapter = root / "chapters" / "demo"
    chapter.mkdir(parents=True)
    run = prepare_notebook(
        notebook(data["image/svg+xml"], metadata), Page("demo", "run", True, "made-up data"), root=root, commit=None
    )
    run["cells"][0]["source"] = "# A run"  # the banner is of another extension
    (chapter / "run.ipynb").write_text(json.dumps(run))
    (chapter / "index.md").write_text(FRONT)
    (chapter / "wrong.md").write_text("# Wrong\n\n" + "".join(f"```{{finding-figure}} {x}\n```\n\n" for x in REFUSED))
    (root / "index.md").write_text(
        "# Book\n\n```{toctree}\nchapters/demo/index\nchapters/demo/run\nchapters/demo/wrong\n```\n"
    )
    warnings = io.StringIO()
    settings = {"extensions": ["myst_nb", "trustnlp_figures"], "nb_execution_mode": "off", "numfig": True}
    sys.path.insert(0, str(ROOT / "book" / "_ext"))
    try:
        Sphinx(str(root), None, str(root / "html"), str(root / "doctrees"), "html", confoverrides=settings,
               status=None, warning=warnings).build()  # fmt: skip
    finally:
        sys.path.remove(str(ROOT / "book" / "_ext"))
    return root / "html" / "chapters" / "demo", warnings.getvalue()


def ids(page: Path) -> list[str]:
    return re.findall(r'\bid="([^"]*)"', page.read_text("utf-8"))


def labels(page: Path) -> list[str]:
    """What is read out of the page's pictures."""
    return [unescape(label) for label in re.findall(r'<svg[^>]* aria-label="([^"]*)"', page.read_text("utf-8"))]


def test_a_notebook_shows_its_figures_within_its_page(built: tuple[Path, str]) -> None:
    page = built[0] / "run.html"
    assert labels(page) == [ALT, ALT]
    assert "<img" not in page.read_text("utf-8") and not list(built[0].parents[1].glob("_images/*.svg"))
    assert {"fig-demo-curve", "fig-demo-this-run"} <= set(ids(page))
    assert len(ids(page)) == len(set(ids(page)))


def test_the_front_page_shows_the_figure_with_its_own_caption_and_number(built: tuple[Path, str]) -> None:
    page = built[0] / "index.html"
    assert labels(page) == [ALT]
    figure = re.search(r'<figure[^>]*id="finding-fig-demo-curve".*?</figure>', page.read_text("utf-8"), re.DOTALL)
    assert figure is not None
    words = re.sub(r"<[^>]+>|\s+", " ", figure[0])
    assert "Fig. 1" in words and "It bends" not in words and "A second paragraph." in words
    assert re.search(r'href="run\.html".*A run', figure[0]) and "<em>bends</em>" in figure[0]
    assert 'href="#finding-fig-demo-curve"' in figure[0]


def test_what_a_front_page_may_not_show_is_a_warning(built: tuple[Path, str]) -> None:
    folder, warnings = built
    assert labels(folder / "wrong.html") == []
    told = [line for line in warnings.splitlines() if "finding-figure" in line]
    assert len(told) == len(REFUSED) and all("wrong.md" in line for line in told)
    for what in REFUSED.values():
        assert what in warnings
    others = [line for line in warnings.splitlines() if line.strip() and "finding-figure" not in line]
    assert others == []
