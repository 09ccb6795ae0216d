"""A command's findings as a file: `.json` for programs, `.html` for readers, without a link to another host."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from trustnlp.files.atomic_writing import write_bytes

_STYLE = """
:root { color-scheme: light dark }
body { background: Canvas; color: CanvasText; font: 1rem/1.5 system-ui, sans-serif; margin: 1rem auto;
  max-width: 60rem; padding: 0 1rem; overflow-wrap: anywhere }
.scroll { overflow-x: auto } table { border-collapse: collapse } caption { text-align: start }
th, td { border-bottom: 1px solid; padding: .2rem .6rem; text-align: start; vertical-align: top }
"""
Row = Mapping[str, Any]


def write_report(
    path: Path,
    title: str,
    facts: Row,
    tables: Mapping[str, Sequence[Row]],
    body: str = "",
    *,
    private: bool = False,
) -> None:
    """Write facts and tables, each table a list of rows with the same keys; `body` is HTML that follows them.

    A page where the name ends in .html, else JSON. A `private` one is for its owner alone.

    Raises
    ------
    OSError
        If the file cannot be written.
    """
    if path.suffix != ".html":
        text = json.dumps(_finite({**facts, **tables}), indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    else:
        parts = [f"<h1>{escape(title)}</h1>", _table("", [{"": name, "value": facts[name]} for name in facts])]
        parts += [_table(name.replace("_", " "), rows) for name, rows in tables.items() if rows]
        text = page(title, "\n".join([*parts, body]))
    write_bytes(path, text.encode(), private=private)


def page(title: str, body: str) -> str:
    """A whole page that opens without a network."""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head>\n<body><main>\n{body}\n</main></body></html>\n"
    )


def _table(caption: str, rows: Sequence[Row]) -> str:
    heads = "".join(f'<th scope="col">{escape(name)}</th>' for name in rows[0]) if rows else ""
    lines = ("".join(f"<td>{escape(_told(value))}</td>" for value in row.values()) for row in rows)
    body = "\n".join(f"<tr>{line}</tr>" for line in lines)
    named = f"<caption>{escape(caption)}</caption>" if caption else ""
    return f'<div class="scroll"><table>{named}<thead><tr>{heads}</tr></thead>\n<tbody>{body}</tbody></table></div>'


def _told(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "–"}[value]
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, list | tuple):
        return ", ".join(map(_told, value))
    if isinstance(value, Mapping):
        return "; ".join(f"{key}: {_told(item)}" for key, item in value.items())
    return str(value)


def _finite(value: Any) -> Any:
    """As strict JSON can hold it: NaN and infinity become null."""
    if isinstance(value, Mapping):
        return {str(key): _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
