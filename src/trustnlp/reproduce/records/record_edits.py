"""Changes of committed records that keep them true: metrics that go, new names of notebooks, units that are said anew.

Nobody edits a record by hand. What is done here is noted in the record's `log`, and its digest is computed again.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any

from trustnlp.reproduce.claims.ledgers import load_claims
from trustnlp.reproduce.project import UserError, git_commit, nearest, project_root, shown
from trustnlp.reproduce.records.measurement import RecordError, covers, summary
from trustnlp.reproduce.records.recording import check_digest, digest, load_record, write_record
from trustnlp.reproduce.records.units import FILE, units_of
from trustnlp.reproduce.runs.params import committed, load_params
from trustnlp.reproduce.schemas import load_json, validate


def logged(record: Mapping[str, Any], what: str, commit: str | None) -> dict[str, Any]:
    """The record with one more line in its log, and the digest of what it holds now."""
    entry = {"date": datetime.now(UTC).date().isoformat(), "what": what, "commit": commit}
    changed = {**record, "log": [*record.get("log", []), entry]}
    return {**changed, "digest": digest(changed)}


def drop(keys: Sequence[str], target: str) -> list[str]:
    """Take metrics, and arrays, out of the paper record of `CHAPTER/NOTEBOOK`; a key names all that begin with it.

    With them go what concerned them alone: deviations, names in `repeats`, and parameters that the notebook no longer
    has. That no metric which stays hangs on such a parameter is for a verification to show.

    Returns
    -------
    The keys of what went.

    Raises
    ------
    UserError
        If there is no such record or metric, a claim of the ledger rests on one of them, or none would be left.
    """
    record = _record_of(target)
    gone = _named(record, keys, target)
    name = f"{record['notebook']}.paper"
    claims = [c.id for c in load_claims(record["chapter"]).claims if c.record == name and c.key in gone]
    if claims:
        raise UserError(
            f"claims rest on what would go: {', '.join(claims)}; give them another record or key in claims.yaml first"
        )
    left = {key: metric for key, metric in record["metrics"].items() if key not in gone}
    if not left:
        raise UserError(f"{target}: no metric would be left; delete the record instead")
    deviations = []
    for item in record["deviations"]:  # one that concerned only what goes, goes too
        alive = [key for key in item["keys"] if any(covers(key, metric) for metric in left)]
        if alive or not item["keys"]:
            deviations.append({**item, "keys": alive})
    repeats = {name: how for name, how in record["repeats"].items() if any(covers(name, metric) for metric in left)}
    arrays = {name: array for name, array in record["arrays"].items() if name not in gone}
    declared = load_params(record["chapter"]).notebooks[record["notebook"]].parameters
    parameters = {name: value for name, value in record["parameters"].items() if name in declared}
    gone_too = [f"parameter {name}" for name in record["parameters"] if name not in declared]
    kept = {"metrics": left, "arrays": arrays, "deviations": deviations, "repeats": repeats, "parameters": parameters}
    changed = logged({**record, **kept}, f"dropped {', '.join([*gone, *gone_too])}", git_commit(project_root()))
    write_record(committed(record["chapter"], record["notebook"]), changed)
    return gone


def rename(target: str, name: str) -> None:
    """Give the paper record of `CHAPTER/NOTEBOOK` to the notebook of the chapter that is called `name` now.

    What was measured stays as it is. Where the notebook's statements are the record's but for the name that they give
    their record, it stands as it did; where they are others, it waits for a verification.

    Raises
    ------
    UserError
        If there is no such record or notebook, or the old notebook is still there and keeps records.
    """
    chapter, _, old = target.partition("/")
    known = load_params(chapter).notebooks
    if name not in known or known[name].lesson:
        raise UserError(f"{chapter} has no notebook '{name}' that keeps a record{nearest(name, known)}")
    if old in known and not known[old].lesson:
        raise UserError(f"{target} is still there, so its record stays; rename the notebook first")
    if not (path := committed(chapter, old)).is_file():
        raise UserError(f"{target} has no paper record")
    record = load_record(path)
    was, now = (f"chapters/{chapter}/{each}.py" for each in (old, name))
    sources = {now if source == was else source: value for source, value in record["sources"].items()}
    sources |= _of_new_name(chapter, old, name, sources)
    changed = logged(
        {**record, "notebook": name, "sources": sources}, f"renamed from {old}", git_commit(project_root())
    )
    write_record(committed(chapter, name), changed)
    path.unlink()


def _of_new_name(chapter: str, old: str, name: str, sources: Mapping[str, str]) -> dict[str, str]:
    """A record's sources under the new name of its notebook; nothing where more than the name is another."""
    from trustnlp.reproduce.checks.standing import cells_of
    from trustnlp.reproduce.code.code_closure import CELLS, TOGETHER, changes, evidence_of
    from trustnlp.reproduce.code.reach import PACKAGE, package_at

    file = f"chapters/{chapter}/{name}.py"
    cells = cells_of(chapter, name)
    now, _ = evidence_of(cells, package_at(PACKAGE))
    for node in (node for cell in cells for statement in cell.statements for node in ast.walk(statement)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Record":
            for argument in node.args[1:2]:
                if isinstance(argument, ast.Constant) and argument.value == name:
                    argument.value = old
    before, _ = evidence_of(cells, package_at(PACKAGE))
    before[file] = before.pop(CELLS)
    same = before[file] == sources.get(file) and not changes(sources, before)
    return {file: now[CELLS], TOGETHER: now[TOGETHER]} if same else {}


def _record_of(target: str) -> dict[str, Any]:
    chapter, _, notebook = target.partition("/")
    known = load_params(chapter).notebooks
    if notebook not in known:
        raise UserError(f"no notebook '{target}'{nearest(notebook, known)}; expected CHAPTER/NOTEBOOK")
    path = committed(chapter, notebook)
    if not path.is_file():
        raise UserError(f"{target} has no paper record yet")
    return load_record(path)


def _named(record: Mapping[str, Any], keys: Sequence[str], target: str) -> list[str]:
    """The metrics and arrays that keys, or their first names, mean."""
    if not keys:
        raise UserError(f"{target}: which metrics? Give their keys, or the first names of them")
    names = [*record["metrics"], *record["arrays"]]
    for key in keys:
        if not any(covers(key, name) for name in names):
            raise UserError(f"{target} has no metric '{key}'{nearest(key, names)}")
    return [name for name in names if any(covers(key, name) for key in keys)]


def with_units(record: Mapping[str, Any], commit: str | None) -> dict[str, Any]:
    """A record whose metrics have the units that its chapter says today, which is logged; no value is touched.

    An interval ends where the unit does, as in a new run: none of a share goes beyond 1. The same record where all
    units agree already.

    Raises
    ------
    UserError
        If given a metric that has no unit, or one that its values do not allow.
    """
    name = f"{record['chapter']}/{record['notebook']}"
    table = units_of(record["chapter"], record["notebook"])
    changed = {}
    for key, metric in record["metrics"].items():
        unit = (table and table.unit_of(key)) or metric["unit"]
        if unit is None:
            raise UserError(f"{name}: '{key}' has no unit; add a pattern to chapters/{record['chapter']}/{FILE}")
        if unit != metric["unit"]:
            kind = (metric["low"], metric["high"]) if metric["interval"] == "given" else metric["interval"]
            try:
                changed[key] = summary(metric["values"], kind, unit=unit, seeds=record["seeds"])
            except (RecordError, UserError) as error:
                raise UserError(f"{name}: '{key}': {error}") from None
    if not changed:
        return dict(record)
    what = f"units said by kind (metrics: {len(changed)}; values touched: 0)"
    return logged({**record, "metrics": {**record["metrics"], **changed}}, what, commit)


def rewrite_units(chapters: list[str]) -> list[str]:
    """Bring the units of the chapters' committed records up to date; one line for each record that changed."""
    commit, changed = git_commit(project_root()), {}
    for chapter in chapters:
        for path in sorted((project_root() / "chapters" / chapter / "results").glob("*.json")):
            # Not `load_record`: a unit of old is of no known kind.
            record = load_json(path, partial(validate, name="record", source=path))
            check_digest(record, shown(path))
            again = with_units(record, commit)
            if again["digest"] != record["digest"]:
                changed[path] = again
    for path, record in changed.items():  # all or none
        write_record(path, record)
    return [f"{shown(path)}: {record['log'][-1]['what']}" for path, record in changed.items()]
