"""Changes of committed records that keep them true: metrics that go, and metrics that move to another record.

Nobody edits a record by hand. What is done here is noted in the record's `log`, and its digest is computed again.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from trustnlp.reproduce.checks.recorded_keys import keys_of, not_recorded
from trustnlp.reproduce.claims.ledgers import load_claims
from trustnlp.reproduce.project import UserError, git_commit, nearest, project_root
from trustnlp.reproduce.records.measurement import covers, exactness, problem
from trustnlp.reproduce.records.recording import digest, load_record, write_record
from trustnlp.reproduce.runs.params import committed, load_params, question


def logged(record: Mapping[str, Any], what: str, commit: str | None) -> dict[str, Any]:
    """The record with one more line in its log, and the digest of what it holds now."""
    entry = {"date": datetime.now(UTC).date().isoformat(), "what": what, "commit": commit}
    changed = {**record, "log": [*record.get("log", []), entry]}
    return {**changed, "digest": digest(changed)}


def drop(keys: Sequence[str], target: str) -> list[str]:
    """Take metrics out of the paper record of `CHAPTER/NOTEBOOK`; a key names all metrics that begin with it.

    Returns
    -------
    The keys of the metrics that went.

    Raises
    ------
    UserError
        There is no such record or metric, a claim of the ledger rests on one of them, or none would be left.
    """
    record = _record_of(target)
    gone = _named(record, keys, target)
    claims = [claim.id for claim in _claims_on(record, gone)]
    if claims:
        raise UserError(
            f"claims rest on what would go: {_some(claims)}; give them another record or key in claims.yaml first"
        )
    left = {key: metric for key, metric in record["metrics"].items() if key not in gone}
    if not left:
        raise UserError(f"{target}: no metric would be left; delete the record instead")
    changed = {**record, "metrics": left, "deviations": _without_dead_keys(record, left)}
    _write(logged(changed, f"dropped {', '.join(gone)}", git_commit(project_root())))
    return gone


def move(keys: Sequence[str], source: str, target: str) -> list[str]:
    """Move metrics from one paper record of a chapter to another, with the deviations and data that concern them.

    Returns
    -------
    The keys of the metrics that moved.

    Raises
    ------
    UserError
        There is no such record or metric, or a metric would be false there: measured with other seeds, data,
        parameters, conditions, versions or another device than that record says, or by code that its notebook lacks.
    """
    if "/" not in target:
        target = f"{source.partition('/')[0]}/{target}"
    if source.partition("/")[0] != target.partition("/")[0] or source == target:
        raise UserError(f"from {source} to {target}: expected two notebooks of one chapter")
    old, new = _record_of(source), _record_of(target)
    moved = _named(old, keys, source)
    wrong = _conflicts(old, new, moved) + _never_recorded(source, target, moved)
    if wrong:
        raise UserError(f"{target} cannot take {_some(moved)}: {'; '.join(wrong)}. Run {target} with them instead")
    left = {key: metric for key, metric in old["metrics"].items() if key not in moved}
    if not left:
        raise UserError(f"{source}: no metric would be left; rename the record's file and notebook instead")
    repeats = dict(new["repeats"])
    for key in moved:
        exact = exactness(old["repeats"], key)
        if exactness(repeats, key) != exact:
            repeats[key] = exact
    received = {
        **new,
        "metrics": {**new["metrics"], **{key: old["metrics"][key] for key in moved}},
        "deviations": _with_deviations(old, new, moved),
        "data": {**old["data"], **new["data"]},
        "conditions": {**old["conditions"], **new["conditions"]},
        "repeats": repeats,
    }
    told = ", ".join(moved)
    made = f"measured at commit {old['git_commit']}"
    kept = {**old, "metrics": left, "deviations": _without_dead_keys(old, left)}
    commit = git_commit(project_root())
    _write(logged(received, f"moved here from {source}: {told} ({made})", commit))
    _write(logged(kept, f"moved to {target}: {told}", commit))
    return moved


def claims_on(keys: Collection[str], target: str) -> list[str]:
    """Claims of the ledger that look for metrics in the paper record of `CHAPTER/NOTEBOOK`."""
    return [claim.id for claim in _claims_on(_record_of(target), keys)]


def _claims_on(record: Mapping[str, Any], keys: Collection[str]) -> list[Any]:
    name = f"{record['notebook']}.paper"
    return [c for c in load_claims(record["chapter"]).claims if c.record == name and c.key in keys]


def _record_of(target: str) -> dict[str, Any]:
    chapter, _, notebook = target.partition("/")
    known = load_params(chapter).notebooks
    if notebook not in known:
        raise UserError(f"no notebook '{target}'{nearest(notebook, known)}; expected CHAPTER/NOTEBOOK")
    path = committed(chapter, notebook)
    if not path.is_file():
        raise UserError(f"{target} has no paper record yet")
    return load_record(path)


def _write(record: Mapping[str, Any]) -> None:
    write_record(committed(record["chapter"], record["notebook"]), record)


def _named(record: Mapping[str, Any], keys: Sequence[str], target: str) -> list[str]:
    """The metrics that keys, or their first names, mean."""
    if not keys:
        raise UserError(f"{target}: which metrics? Give their keys, or the first names of them")
    for key in keys:
        if not any(covers(key, held) for held in record["metrics"]):
            raise UserError(f"{target} has no metric '{key}'{nearest(key, record['metrics'])}")
    return [held for held in record["metrics"] if any(covers(key, held) for key in keys)]


def _without_dead_keys(record: Mapping[str, Any], left: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The deviations without keys whose metrics went; one that concerned only those goes."""
    found = []
    for item in record["deviations"]:
        dead = {key for key in item["keys"] if _begins(key, record["metrics"]) and not _begins(key, left)}
        keys = [key for key in item["keys"] if key not in dead]
        if keys or not item["keys"]:
            found.append({**item, "keys": keys})
    return found


def _begins(key: str, metrics: Mapping[str, Any]) -> bool:
    return any(covers(key, metric) for metric in metrics)


def _with_deviations(old: Mapping[str, Any], new: Mapping[str, Any], moved: Sequence[str]) -> list[dict[str, Any]]:
    """The deviations of the record that receives metrics, and those that come with them."""
    found = [dict(item) for item in new["deviations"]]
    for item in old["deviations"]:
        keys = [key for key in moved if not item["keys"] or any(covers(named, key) for named in item["keys"])]
        same = next((d for d in found if (d["text"], d["lacks"]) == (item["text"], item["lacks"])), None)
        if keys and same is None:
            found.append({**item, "keys": keys})
        elif keys and same is not None and same["keys"]:
            same["keys"] = list(dict.fromkeys([*same["keys"], *keys]))
    return found


def _conflicts(old: Mapping[str, Any], new: Mapping[str, Any], moved: Sequence[str]) -> list[str]:
    """Why metrics would be false in another record."""
    wrong = [f"it has '{key}' already" for key in moved if key in new["metrics"]]
    metrics = [old["metrics"][key] for key in moved]
    random = [metric for metric in metrics if metric["interval"] != "deterministic"]
    if random and old["seeds"] != new["seeds"]:
        wrong.append(f"its seeds are {new['seeds']}, these were measured with {old['seeds']}")
    wrong += [f"{key}: {why}" for key in moved if (why := problem(old["metrics"][key], new["seeds"]))]
    for field, word in (("data", "data"), ("conditions", "condition")):
        both = old[field].keys() & new[field].keys()
        wrong += [f"{word} '{name}' is another" for name in sorted(both) if old[field][name] != new[field][name]]
    asked, given = question(new["parameters"]), question(old["parameters"])
    wrong += [
        f"parameter '{name}' is {asked[name]!r}, not {given[name]!r}"
        for name in given
        if name in asked and asked[name] != given[name]
    ]
    wrong += [f"{word} is another" for word in ("device", "precision") if old[word] != new[word]]
    exact = all(exactness(old["repeats"], key) == "exact" for key in moved)
    if old["environment"] != new["environment"] and not exact:
        names = old["environment"].keys() | new["environment"].keys()
        other = sorted(n for n in names if old["environment"].get(n) != new["environment"].get(n))
        wrong.append(f"it was made with other versions: {_some(other)}")
    # A general deviation of the record that receives them would be said of these, too.
    general = [item["text"] for item in new["deviations"] if not item["keys"]]
    own = {item["text"] for item in old["deviations"] if not item["keys"]}
    wrong += [f"its deviation '{text:.60}' concerns all its metrics" for text in general if text not in own]
    return wrong


def _never_recorded(source: str, target: str, moved: Sequence[str]) -> list[str]:
    """Why the code of a notebook cannot have recorded metrics of another."""
    told, there = (keys_of(*name.split("/")) for name in (source, target))
    return [why for key in moved if (why := not_recorded(key, told, there))]


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
