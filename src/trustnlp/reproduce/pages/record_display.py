"""Tables and figures of what a record holds: the paper's value, ours with interval and unit, the verdict.

A key pattern such as `{base}.{strategy}.p{k:d}` names metrics; what its fields may be can be said (`strategy=("aec",
"random")`), and then stands in that order. The numbers are those of `page_evidence.evidence`, and every output says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import pandas as pd

from trustnlp.reproduce.checks.comparison import claims_by_key
from trustnlp.reproduce.claims.ledgers import Claim, Verdict
from trustnlp.reproduce.notebooks.output_sources import LESSON, LESSONS, PRINT, RUN
from trustnlp.reproduce.pages.measured_text import Measured
from trustnlp.reproduce.project import UserError, nearest
from trustnlp.reproduce.records.metric_series import compiled
from trustnlp.reproduce.records.numerals import number_text
from trustnlp.reproduce.records.page_evidence import Running, evidence, source_of_evidence
from trustnlp.reproduce.records.units import kind_of
from trustnlp.reproduce.verdict_marks import SYMBOLS

Pattern = str | Mapping[str, str]
Values = Sequence[str | int | float]
_COLUMNS = frozenset({"key", "label", "mean", "low", "high", "n", "unit", "paper", "printed", "ours", "verdict"})


def shown(record: Running, what: Any, alt: str | None = None, *, printed: bool = False) -> None:
    """Display a table, or a figure with its alternative text, that was made of `evidence(record)` alone.

    `printed` says that it rests on nothing but what the paper prints.
    """
    run = LESSON if record.notebook in LESSONS else RUN
    source = {"source": run, "of": PRINT} if printed else {"source": source_of_evidence(record) or run}
    if alt is not None:
        from trustnlp.plots.display import show

        show(what, alt, source)
        return
    from IPython.display import display

    display(what, metadata={"trustnlp": source})


def frame(record: Running, *patterns: Pattern, **values: Values) -> pd.DataFrame:
    """The metrics that fit, one a row, in the scale of a page (a share of .34 is 34).

    Parameters
    ----------
    patterns
        Key patterns (`records.metric_series.Metrics.series`), or labels → keys.
    values
        Field → what it may be, in the order of the rows; a field without any is whatever the record has.

    Returns
    -------
    pandas.DataFrame
        A column a field (or `label`); `key`, `mean`, `low`, `high`, `n`, `unit`; `paper`, the printed number; `ours`,
        `printed` and `verdict` as text.

    Raises
    ------
    UserError
        If nothing fits, or a key is not there; the nearest is named.
    """
    metrics, claims = evidence(record), _claims_of(record)
    rows = []
    for pattern in patterns:
        for fields, key in _fitting(pattern, metrics, values):
            rows.append({**fields, "key": key, **_row(metrics[key], claims.get(key))})
    data = pd.DataFrame(rows)
    for name, order in reversed(values.items()):
        if name in data:
            places = {value: place for place, value in enumerate(order)}
            data = data.sort_values(name, key=lambda column, at=places: column.map(at), kind="stable")
    return data.reset_index(drop=True)


def table(
    record: Running,
    *patterns: Pattern,
    rows: str | Sequence[str] | None = None,
    columns: str | None = None,
    names: Mapping[Any, str] | None = None,
    **values: Values,
) -> None:
    """Show metrics as the paper's value, ours with interval and unit, and the verdict.

    Parameters
    ----------
    patterns, values
        As for `frame`. Without `rows` and `columns` each metric has a row.
    rows, columns
        Fields whose values are the rows (all others, unless said) and the columns: then a cell is ours with the
        verdict's sign, beside the paper's value where one is printed.
    names
        What a reader is to see in the place of a field's value or name.

    Raises
    ------
    UserError
        If `frame` would raise it; if metrics of several units would share one grid, or two metrics one cell.
    """
    names = names or {}
    data = frame(record, *patterns, **values)
    if columns is None:
        shown(record, _listed(data, names))
        return
    fields = [name for name in data.columns[: list(data.columns).index("key")] if name != columns]
    index = [rows] if isinstance(rows, str) else list(rows or fields or ["unit"])
    _one_unit(data)
    twice = data[data.duplicated([*index, columns], keep=False)]["key"].head(2)
    if len(twice):
        raise UserError(f"one cell would hold both '{twice.iloc[0]}' and '{twice.iloc[1]}'; name more fields as rows")
    shown(record, _grid(data, index, columns, names))


def plot(
    record: Running,
    *patterns: Pattern,
    x: str,
    title: str,
    color: str | None = None,
    col: str | None = None,
    names: Mapping[Any, str] | None = None,
    xlabel: str | None = None,
    ylabel: str | None = None,
    log_x: bool = False,
    log_y: bool = False,
    levels: Mapping[str, float] | None = None,
    alt: str = "",
    **values: Values,
) -> None:
    """Draw metrics over a field with their intervals; what the paper prints is hollow.

    Parameters
    ----------
    patterns, values
        As for `frame`.
    x, color, col
        Fields on the axis, in colours, and in panels. Where x holds numbers, points of a colour are joined.
    title
        What the figure shows, as a sentence: it stands above it and opens the alternative text.
    names
        As for `table`.
    levels
        Label → height of a horizontal line, in the scale of the page.
    alt
        What the alternative text adds to the numbers, if anything.

    Raises
    ------
    UserError
        If `frame` would raise it; if the metrics have several units.
    """
    from trustnlp.plots.tidy import draw

    names = names or {}
    data = frame(record, *patterns, **values)
    _one_unit(data)
    for field in filter(None, (color, col, None if pd.api.types.is_numeric_dtype(data[x]) else x)):
        data[field] = data[field].map(lambda value: _named(value, names))
    label = ylabel or _unit_note(data)
    shown(record, *draw(data, x=x, color=color, col=col, title=title, xlabel=xlabel or _named(x, names), ylabel=label,
                        log_x=log_x, log_y=log_y, levels=levels or {}, alt=alt))  # fmt: skip


def _fitting(
    pattern: Pattern, metrics: Mapping[str, Any], values: Mapping[str, Values]
) -> list[tuple[dict[str, Any], str]]:
    """Fields and key of each metric that fits."""
    if not isinstance(pattern, str):
        for key in pattern.values():
            if key not in metrics:
                raise UserError(f"no metric '{key}'{nearest(key, metrics)}")
        return [({"label": label}, key) for label, key in pattern.items()]
    expression, kinds = compiled(pattern, values)
    fits = [(match.groups(), key) for key in metrics if (match := expression.fullmatch(key))]
    if not fits:
        raise UserError(f"no metric fits '{pattern}'{nearest(pattern, metrics)}; there are {len(metrics)}")
    if taken := sorted({name for name, _ in kinds} & _COLUMNS):
        raise UserError(f"'{pattern}': a frame has a column '{taken[0]}' of its own; call the field otherwise")
    if not kinds:
        return [({"label": key}, key) for _, key in fits]
    return [({name: kind(t) for (name, kind), t in zip(kinds, texts, strict=True)}, key) for texts, key in fits]


def _row(metric: Mapping[str, Any], claim: Claim | None) -> dict[str, Any]:
    n = metric["n"] if metric["interval"] in ("t", "bootstrap") else None
    said = Measured(metric["mean"], metric["unit"], metric["low"], metric["high"], claim.rounding if claim else 0.0, n)
    factor = kind_of(metric["unit"]).factor
    paper = None if claim is None else claim.value
    return {
        **{part: None if metric[part] is None else metric[part] * factor for part in ("mean", "low", "high")},
        "n": metric["n"],
        "unit": metric["unit"],
        "paper": None if paper is None else paper * factor,
        "printed": "" if claim is None or paper is None else number_text(paper, claim.rounding, factor=factor),
        "ours": said.full(),
        "verdict": "" if claim is None else claim.expect.value,
    }


def _claims_of(record: Running) -> Mapping[str, Claim]:
    """The claims on the notebook's record; none outside the book."""
    try:
        return claims_by_key(record.chapter, record.notebook)
    except UserError:
        return {}


def _listed(data: pd.DataFrame, names: Mapping[Any, str]) -> pd.DataFrame:
    """A metric a row: what its fields are, paper, ours, unit where ours has no sign for it, verdict."""
    fields = {name: _named(name, {"label": "", **names}) for name in data.columns[: list(data.columns).index("key")]}
    kept = data[list(fields)].map(lambda value: _named(value, names)).rename(columns=fields)
    signless = data["unit"].map(lambda unit: not kind_of(unit).sign and unit not in (None, "none"))
    kept = kept.assign(paper=data["printed"], ours=data["ours"], unit=data["unit"].where(signless, ""))
    kept = kept.assign(verdict=data["verdict"])
    empty = [name for name in ("paper", "unit", "verdict") if (kept[name] == "").all()]
    return kept.drop(columns=empty).set_index(list(fields.values()))


def _grid(data: pd.DataFrame, index: list[str], columns: str, names: Mapping[Any, str]) -> pd.DataFrame:
    """Rows × columns, in each what the paper prints, where it does, and ours with the verdict's sign."""
    marks = data["verdict"].map(lambda word: f" {SYMBOLS[Verdict(word)]}" if word else "")
    cells = data.assign(paper=data["printed"], ours=data["ours"] + marks)
    grid = cells.pivot(index=index, columns=columns, values=["paper", "ours"]).fillna("").swaplevel(axis="columns")
    places = [(value, part) for value in data[columns].unique() for part in ("paper", "ours")]
    grid = grid.loc[cells.set_index(index).index.unique(), [place for place in places if (grid[place] != "").any()]]
    named = partial(_named, names=names)
    grid = grid.rename(index=named).rename(columns=named, level=0).rename_axis(index=list(map(named, index)))
    if set(grid.columns.get_level_values(1)) == {"ours"}:
        grid = grid.droplevel(1, axis="columns")
    unit = _unit_note(data)
    return grid.rename_axis(columns=unit if grid.columns.nlevels == 1 else [unit, None])


def _one_unit(data: pd.DataFrame) -> None:
    units = data.drop_duplicates("unit")
    if len(units) > 1:
        listed = ", ".join(f"'{key}' in {unit}" for key, unit in zip(units["key"], units["unit"], strict=True))
        raise UserError(f"metrics of several units: {listed}; say which values a field may have")


def _unit_note(data: pd.DataFrame) -> str:
    """The unit of all, as an axis says it: `tweets (%)`, `points`, `count of pairs`."""
    unit = data["unit"].iloc[0] or ""
    sign, of = kind_of(unit).sign.strip(), unit.partition(" of ")[2]
    return f"{of} ({sign})" if of and sign else sign or ("" if unit == "none" else unit)


def _named(value: Any, names: Mapping[Any, str]) -> str:
    return names.get(value, str(value) if isinstance(value, int | float) else str(value).replace("_", " "))
