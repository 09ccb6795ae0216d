"""Anonymise a folder: texts in one folder per owner, or lines of JSON, with progress; a killed run goes on.

IN is a folder with one subfolder per owner and `.txt` or `.md` files in them, or a `.jsonl` file whose lines have
`text` and `owner`. OUT is a folder that gets the redacted files under the same names, or the lines under the same keys.
Files that are no UTF-8 text are named, skipped and counted, and so are links to files outside IN, hidden files and
hidden folders such as `.ipynb_checkpoints`; they never stop the rest. Only null, NaN and "" are no owner: 0 is one. 7,
7.0 and "7" are one owner, and so is a name however its accents are encoded.

Only texts are redacted. Names of files and folders, and other fields of JSON lines, `owner` among them, stay. The
report names owners and removed words, so it is beside OUT, not in it, as `OUT.report.json`, for its owner's eyes
only: do not hand it on.

A word is private only beside other owners' documents, so all files are read before the first is written. Each file
appears in OUT by a rename, whole or not at all. Until all is done a file in OUT says from which input and with which
settings; a run that finds it writes only what is missing, and one with another input or other settings is refused. So
is one that finds a file that it would not write, or would write otherwise: nobody knows what was hidden in that. A
restart deletes what that file lists, and is refused where there is anything else.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tqdm import tqdm

from trustnlp.files.atomic_writing import check_own, is_scratch, write_bytes
from trustnlp.files.hidden_files import without_hidden
from trustnlp.files.missing_values import text_or_none
from trustnlp.files.path_collisions import PathCollisionError, check_distinct
from trustnlp.files.user_text import encoding_problem, format_problem, parse_json, read_text
from trustnlp.privacy.text.anonymisation.documents import (
    SHARE,
    AnonymisationReport,
    AnonymisedDocument,
    Method,
    fit_anonymiser,
    report_of,
)

_ENDINGS = (".txt", ".md")
_STATE = ".trustnlp-anonymise.json"


class FolderError(ValueError):
    """The folder cannot be anonymised as asked: what is in the way, and what to do."""


@dataclass(frozen=True)
class SourceDocument:
    """One document: its name below the input, whose it is, its text, and the fields that a line of JSON had."""

    name: str
    owner: str | None
    text: str
    fields: Mapping[str, Any] | None = None


def report_path(target: Path) -> Path:
    """Where the report on OUT is: beside it."""
    whole = target.resolve()
    return whole.with_name(f"{whole.name}.report.json")


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
        As for `trustnlp.privacy.text.anonymisation.documents.anonymise`.
    restart
        Throw away what an earlier run left.

    Returns
    -------
    tuple
        The report, and what was skipped with the reason.

    Raises
    ------
    FolderError
        If there is nothing to read, OUT holds other work, or a report is beside it already.
    ValueError, ImportError
        If `anonymise` would raise it.
    """
    source, target = Path(source), Path(target)
    try:
        check_distinct({"the input": source}, {"the folder for the output": target, "its report": report_path(target)})
        check_own(report_path(target))
    except (PathCollisionError, PermissionError) as error:
        raise FolderError(str(error)) from None
    documents, skipped = read_documents(source)
    if not documents:
        raise FolderError(
            f"{source} holds no document that can be read: give a folder per owner with {' or '.join(_ENDINGS)} files, "
            f"or a file of JSON lines ({'; '.join([f'{len(skipped)} skipped', *skipped[:1]])})"
        )
    settings = {"method": method, "names": dict(names or {}), "threshold": threshold, "share": share, "seed": seed}
    files = sorted({each.name for each in documents})
    state = {"input": _fingerprint(documents), "settings": settings, "files": files}
    earlier = _earlier_files(target, state, restart)
    texts, owners = [each.text for each in documents], [each.owner for each in documents]
    # What is wrong with the settings shows here, before anything is written.
    fitted = fit_anonymiser(texts, owners, method=method, names=names, threshold=threshold, share=share, seed=seed)
    _delete(target, earlier if restart else [each for each in earlier if is_scratch(each)])
    _write(target / _STATE, json.dumps(state, indent=1) + "\n", private=True)
    # Lines of JSON are redacted again, since one file holds them all; a single file per document is kept.
    redacted: list[AnonymisedDocument] = []
    for each in tqdm(documents, desc="anonymising", unit="document", disable=None):
        redacted.append(fitted.redact(each.text, each.owner))
        path = target / each.name
        if each.fields is None and not path.exists():
            _write(path, redacted[-1].text)
        elif each.fields is None and path.read_bytes() != _encoded(redacted[-1].text):
            raise FolderError(f"{path} is not what the earlier run wrote; move it away, or restart")
    if documents[0].fields is not None:
        lines = [
            json.dumps({**(each.fields or {}), "text": one.text}, ensure_ascii=False)
            for each, one in zip(documents, redacted, strict=True)
        ]
        _write(target / source.name, "\n".join(lines) + "\n")
    report = report_of(fitted, texts, redacted)
    said = json.dumps({**asdict(report), "skipped": skipped}, indent=1, ensure_ascii=False)
    _write(report_path(target), said + "\n", private=True)
    (target / _STATE).unlink()
    return report, skipped


def read_documents(source: Path) -> tuple[list[SourceDocument], list[str]]:
    """The documents of a folder or of JSON lines, and what was skipped with the reason.

    Raises
    ------
    FolderError
        If there is no such file or folder, or it bears the name of an unfinished run's state.
    """
    skipped: list[str] = []
    if source.exists() and not source.is_dir():  # a pipe, too
        return list(_lines(source, skipped)), skipped
    if not source.is_dir():
        raise FolderError(f"{source}: no such file or folder")
    documents = []
    entries = (each for each in source.rglob("*") if each.is_symlink() or not each.is_dir())
    files, hidden = without_hidden(source, sorted(entries))
    skipped += hidden
    for path in files:
        name = path.relative_to(source)
        if path.is_dir():
            skipped.append(f"{name}: a link to a folder")
        elif not path.is_file():
            skipped.append(f"{name}: {'a link that leads nowhere' if path.is_symlink() else 'no regular file'}")
        elif not path.resolve().is_relative_to(source.resolve()):
            skipped.append(f"{name}: a link to a file elsewhere")
        elif path.suffix.lower() not in _ENDINGS:
            skipped.append(f"{name}: neither {' nor '.join(_ENDINGS)}")
        elif (text := _decoded(path.read_bytes(), str(name), skipped)) is not None:
            owner = text_or_none(name.parts[0]) if len(name.parts) > 1 else None
            documents.append(SourceDocument(str(name), owner, text))
    return documents, skipped


def _lines(source: Path, skipped: list[str]) -> Iterator[SourceDocument]:
    if source.name == _STATE:
        raise FolderError(f"{source}: OUT needs a file of this name for itself; rename the input")
    content = source.read_bytes()
    if problem := format_problem(content):  # told once, not of each line
        raise FolderError(f"{source}: {problem}")
    for number, raw in enumerate(content.splitlines(), 1):
        if not raw.strip():
            continue
        line = _decoded(raw, f"line {number}", skipped)
        if line is None:
            continue
        try:
            fields = parse_json(line)
            text = fields["text"]
            if not isinstance(text, str):
                raise TypeError
            json.dumps(fields, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            skipped.append(f"line {number}: half of a surrogate pair, which no file can hold")
            continue
        except (ValueError, TypeError, KeyError):
            skipped.append(f"line {number}: no JSON object with a 'text'")
            continue
        yield SourceDocument(source.name, text_or_none(fields.get("owner")), text, fields)


def _decoded(raw: bytes, name: str, skipped: list[str]) -> str | None:
    if problem := format_problem(raw):
        skipped.append(f"{name}: {problem}")
        return None
    if b"\x00" in raw:
        skipped.append(f"{name}: binary")
        return None
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        skipped.append(f"{name} {encoding_problem(raw, error)}")
        return None


def _earlier_files(target: Path, state: Mapping[str, Any], restart: bool) -> list[Path]:
    """Files in OUT; FolderError unless there are none, or all that is asked for may be done with them."""
    if target.exists() and not target.is_dir():
        raise FolderError(f"{target} is a file; name a folder")
    present = [each for each in sorted(target.rglob("*")) if each.is_symlink() or not each.is_dir()]
    if all(map(is_scratch, present)):
        if report_path(target).exists():
            raise FolderError(f"{report_path(target)} exists already; move it away, or name another folder")
        return present
    path = target / _STATE
    if not path.is_file():
        raise FolderError(f"{target} is not empty and holds no unfinished run; name another folder")
    try:
        earlier = parse_json(read_text(path))
        listed = {Path(_STATE), *map(Path, earlier["files"])}
        if not all(name.name for name in listed):
            raise ValueError
    except (ValueError, TypeError, KeyError):
        raise FolderError(
            f"{path} is damaged or another program's; delete {target} if you need nothing in it, or name another folder"
        ) from None
    if links := [each for each in present if each.is_symlink()]:
        raise FolderError(f"{links[0]} is a link, which no run leaves; remove it, or name another folder")
    if not restart and earlier != state:
        raise FolderError(f"{target} belongs to another input or other settings; restart, or name another folder")
    if others := [each for each in present if not (each.relative_to(target) in listed or is_scratch(each))]:
        raise FolderError(f"{others[0]} was not written by the earlier run; move it away, or name another folder")
    return present


def _delete(target: Path, files: list[Path]) -> None:
    for path in files:
        path.unlink()
    for folder in sorted(
        {parent for path in files for parent in path.parents if target in parent.parents}, reverse=True
    ):
        if not any(folder.iterdir()):
            folder.rmdir()


def _fingerprint(documents: list[SourceDocument]) -> str:
    digest = hashlib.sha256()
    for each in documents:
        digest.update(json.dumps([each.name, each.owner, each.text]).encode())
    return digest.hexdigest()


def _write(path: Path, text: str, *, private: bool = False) -> None:
    write_bytes(path, _encoded(text), private=private)


def _encoded(text: str) -> bytes:
    # A file's name may be no Unicode; in the report it is escaped, as JSON would.
    return text.encode("utf-8", "backslashreplace")
