"""Anonymise a folder: texts in one folder per owner, or lines of JSON, with progress; a killed run goes on.

IN is a folder with one subfolder per owner and `.txt` or `.md` files in them, or a `.jsonl` file whose lines have
`text` and `owner`. OUT is a folder that gets the redacted files under the same names, or the lines under the same keys,
and `report.json`. Files that are no UTF-8 text are named, skipped and counted; they never stop the rest.

A word is private only beside other owners' documents, so all files are read before the first is written. Each file
appears in OUT by a rename, whole or not at all. OUT/.state.json says from which input and with which settings, until
all is done; a run that finds it redacts only what is missing, and one with another input or other settings is refused.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tqdm import tqdm

from trustnlp.privacy.anonymisation import (
    SHARE,
    AnonymisationReport,
    AnonymisedDocument,
    Method,
    fit_anonymiser,
    report_of,
)

_ENDINGS = (".txt", ".md")
_STATE, _REPORT = ".state.json", "report.json"


class FolderError(ValueError):
    """The folder cannot be anonymised as asked: what is in the way, and what to do."""


@dataclass(frozen=True)
class _Source:
    """One document of the input: where it goes, whose it is, its text, and the fields that a line of JSON had."""

    name: str
    owner: str | None
    text: str
    fields: Mapping[str, Any] | None = None


def anonymise_folder(
    source: Path,
    target: Path,
    *,
    method: Method = "log_odds",
    names: Mapping[str, str] | None = None,
    threshold: float | None = None,
    share: float = SHARE,
    seed: int = 0,
    restart: bool = False,
) -> tuple[AnonymisationReport, list[str]]:
    """Redact everything in `source` into `target`.

    Parameters
    ----------
    source, target
        See above.
    method, names, threshold, share, seed
        As for `trustnlp.privacy.anonymisation.anonymise`.
    restart
        Throw away what an earlier run left.

    Returns
    -------
    tuple
        The report, and what was skipped with the reason.

    Raises
    ------
    FolderError
        There is nothing to read, or OUT holds other work.
    ValueError, ImportError
        As `anonymise`.
    """
    source, target = Path(source), Path(target)
    if target.resolve() == source.resolve() or source.resolve() in target.resolve().parents:
        raise FolderError(f"{target} is inside the input; name a folder elsewhere")
    documents, skipped = _read(source)
    if not documents:
        raise FolderError(
            f"{source} holds no document that can be read: give a folder per owner with {' or '.join(_ENDINGS)} files, "
            f"or a file of JSON lines ({len(skipped)} skipped)"
        )
    settings = {"method": method, "names": dict(names or {}), "threshold": threshold, "share": share, "seed": seed}
    state = {"input": _fingerprint(documents), "settings": settings}
    _begin(target, state, restart)
    texts, owners = [each.text for each in documents], [each.owner for each in documents]
    fitted = fit_anonymiser(texts, owners, method=method, names=names, threshold=threshold, share=share, seed=seed)
    # Lines of JSON are redacted again, since one file holds them all; a single file per document is kept.
    found: list[AnonymisedDocument] = []
    for each in tqdm(documents, desc="anonymising", unit="document", disable=None):
        found.append(fitted.redact(each.text, each.owner))
        path = target / each.name
        if each.fields is None and not path.exists():
            _write(path, found[-1].text)
    if documents[0].fields is not None:
        lines = [
            json.dumps({**(each.fields or {}), "text": one.text}, ensure_ascii=False)
            for each, one in zip(documents, found, strict=True)
        ]
        _write(target / source.name, "\n".join(lines) + "\n")
    report = report_of(fitted, texts, found)
    _write(target / _REPORT, json.dumps({**asdict(report), "skipped": skipped}, indent=1, ensure_ascii=False) + "\n")
    (target / _STATE).unlink()
    return report, skipped


def _read(source: Path) -> tuple[list[_Source], list[str]]:
    skipped: list[str] = []
    if source.is_file():
        return list(_lines(source, skipped)), skipped
    if not source.is_dir():
        raise FolderError(f"{source}: no such file or folder")
    found = []
    for path in sorted(each for each in source.rglob("*") if each.is_file()):
        name = path.relative_to(source)
        if path.suffix.lower() not in _ENDINGS:
            skipped.append(f"{name}: neither {' nor '.join(_ENDINGS)}")
        elif (text := _decoded(path.read_bytes(), str(name), skipped)) is not None:
            found.append(_Source(str(name), name.parts[0] if len(name.parts) > 1 else None, text))
    return found, skipped


def _lines(source: Path, skipped: list[str]) -> Iterator[_Source]:
    for number, raw in enumerate(source.read_bytes().splitlines(), 1):
        if not raw.strip():
            continue
        line = _decoded(raw, f"line {number}", skipped)
        if line is None:
            continue
        try:
            fields = json.loads(line)
            text = fields["text"]
            if not isinstance(text, str):
                raise TypeError
        except (ValueError, TypeError, KeyError):
            skipped.append(f"line {number}: no JSON object with a 'text'")
            continue
        yield _Source(source.name, str(fields.get("owner") or "") or None, text, fields)


def _decoded(raw: bytes, name: str, skipped: list[str]) -> str | None:
    if b"\x00" in raw:
        skipped.append(f"{name}: binary")
        return None
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        skipped.append(f"{name}: not UTF-8 at byte {error.start:,}")
        return None


def _begin(target: Path, state: Mapping[str, Any], restart: bool) -> None:
    """Make OUT ready: empty, or holding what an earlier run of the same work left."""
    path = target / _STATE
    if target.exists() and any(target.iterdir()):
        if not path.is_file():
            raise FolderError(f"{target} is not empty and holds no unfinished run; name another folder")
        found = json.loads(path.read_text("utf-8")) if not restart else None
        if found is not None and {key: found.get(key) for key in state} != dict(state):
            raise FolderError(
                f"{target} belongs to another input or other settings; use restart, or name another folder"
            )
        if restart:
            for each in sorted(target.rglob("*"), reverse=True):
                each.rmdir() if each.is_dir() else each.unlink()
    target.mkdir(parents=True, exist_ok=True)
    _write(path, json.dumps(state, indent=1) + "\n")


def _fingerprint(documents: list[_Source]) -> str:
    digest = hashlib.sha256()
    for each in documents:
        digest.update(json.dumps([each.name, each.owner, each.text]).encode())
    return digest.hexdigest()


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.part")
    part.write_bytes(text.encode("utf-8"))
    part.replace(path)
