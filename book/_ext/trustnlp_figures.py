"""Sphinx extension of the book: figures of notebooks follow the page's light or dark, on their page and on front pages.

Every SVG that a notebook shows becomes a part of its page's HTML (`trustnlp.reproduce.pages.inline_figures` says how).

    ```{finding-figure} NOTEBOOK/FIGURE-NAME
    Caption of its own, which may hold roles.
    ```

shows a figure of a notebook of the same chapter on the chapter's front page, under the anchor `finding-FIGURE-NAME`.
Its caption in the notebook must say "committed record": a front page shows no run of a build.

    ```{drawing}
    ```

shows how the chapter's method works: `drawing.toml` of the chapter, as `trustnlp.plots.drawings` reads it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from trustnlp.plots import drawing_shapes, drawings
from trustnlp.reproduce.kept_answers import content_hash
from trustnlp.reproduce.pages import inline_figures
from trustnlp.reproduce.pages.inline_figures import NamedFigure, inline_svg, named_figure
from trustnlp.reproduce.project import UserError, chapter_dir, nearest

LOGGER = logging.getLogger(__name__)
EVIDENCE = "committed record"
MOST_KILOBYTES = 300


class InlineFigures(SphinxPostTransform):
    """Put the SVGs that notebooks showed into the page itself."""

    default_priority = 10  # once MyST-NB has chosen among the kinds of an output
    formats = ("html",)

    def run(self, **kwargs: Any) -> None:
        shown = [image for image in self.document.findall(nodes.image) if _from_notebook(image["uri"])]
        for number, image in enumerate(shown, start=1):
            svg = (Path(self.env.srcdir) / image["uri"]).read_text("utf-8")
            image.replace_self(_raw(svg, image.get("alt", ""), f"f{number}-", image))


def _from_notebook(uri: str) -> bool:
    place = Path(uri)
    return place.suffix == ".svg" and place.parent.name == "jupyter_execute"


def _raw(svg: str, alt: str, prefix: str, location: Any) -> nodes.raw:
    html = inline_svg(svg, alt=alt, prefix=prefix)
    if (kilobytes := len(html) // 1024) > MOST_KILOBYTES:
        LOGGER.warning(
            "a figure takes %d kB of the page, at most %d are allowed; draw its many points with rasterized=True",
            kilobytes, MOST_KILOBYTES, location=location, type="trustnlp",
        )  # fmt: skip
    return nodes.raw("", html, format="html")


class FindingFigure(SphinxDirective):
    """A figure drawn from a committed record, on the front page of its chapter."""

    required_arguments = 1
    has_content = True
    option_spec: ClassVar[dict[str, Any]] = {}

    def run(self) -> list[nodes.Node]:
        try:
            docname, name, figure = self._found()
        except UserError as error:
            LOGGER.warning("finding-figure: %s", error, location=self.get_location(), type="trustnlp")
            return []
        shown = nodes.figure("", _raw(figure.svg, figure.alt, f"{nodes.make_id(name)}-", self.get_location()))
        self.set_source_info(shown)
        shown["names"].append(f"finding-{name}")
        shown["classes"].append("tn-finding")
        self.state.document.note_explicit_target(shown, shown)
        paragraphs = self.parse_content_to_nodes()
        text = paragraphs[0].children if paragraphs else []
        caption = nodes.caption("", "", *text, nodes.Text(" From "), self._link(docname), nodes.Text("."))
        self.set_source_info(caption)
        shown += caption
        if len(paragraphs) > 1:
            shown += nodes.legend("", *paragraphs[1:])
        return [shown]

    def _found(self) -> tuple[str, str, NamedFigure]:
        notebook, slash, name = self.arguments[0].partition("/")
        if not slash:
            raise UserError(f"'{notebook}': expected NOTEBOOK/FIGURE-NAME")
        folder, slug = Path(self.env.srcdir) / Path(self.env.docname).parent, Path(self.env.docname).parent.name
        place = folder / f"{notebook}.ipynb"
        if not place.is_file():
            known = [other.stem for other in folder.glob("*.ipynb")]
            raise UserError(f"chapter '{slug}' has no notebook '{notebook}'{nearest(notebook, known)}")
        self.env.note_dependency(str(place))
        figure = named_figure(json.loads(place.read_text("utf-8")), name)
        if EVIDENCE not in figure.caption:
            raise UserError(
                f"the caption of '{name}' in {slug}/{notebook} does not say '{EVIDENCE}'; a front page shows no other "
                "run: draw the figure from evidence(record) and say so in its caption"
            )
        return f"/chapters/{slug}/{notebook}", name, figure

    def _link(self, docname: str) -> nodes.Node:
        link = addnodes.pending_xref(
            "", nodes.inline("", "", classes=["std", "std-doc"]), refdomain="std", reftype="doc", reftarget=docname,
            refdoc=self.env.docname, refexplicit=False, refwarn=True,
        )  # fmt: skip
        self.set_source_info(link)
        return link


class MethodDrawing(SphinxDirective):
    """The drawing of a chapter's method, which its `drawing.toml` describes."""

    option_spec: ClassVar[dict[str, Any]] = {}

    def run(self) -> list[nodes.Node]:
        path = chapter_dir(Path(self.env.docname).parent.name) / "drawing.toml"
        try:
            svg = drawings.read_drawing(path).svg()
        except (OSError, UserError, ValueError) as error:
            LOGGER.warning("drawing: %s", error, location=self.get_location(), type="trustnlp")
            return []
        self.env.note_dependency(str(path))
        return [nodes.raw("", f'<figure class="tn-drawing">{svg}</figure>', format="html")]


def _code_version() -> int:
    """Changes with the code that turns figures into HTML: Sphinx then reads every page again."""
    files = (__file__, inline_figures.__file__, drawing_shapes.__file__, drawings.__file__)
    return int(content_hash(map(Path, files)).hex()[:12], 16)


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_directive("finding-figure", FindingFigure)
    app.add_directive("drawing", MethodDrawing)
    app.add_post_transform(InlineFigures)
    return {"version": "1", "env_version": _code_version(), "parallel_read_safe": True, "parallel_write_safe": True}
