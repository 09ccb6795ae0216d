"""A thousand damaged ledgers, parameter files, records and manifests: each is read, or refused in one line.

No traceback may reach the person who made the mistake, and the line has to name the file.
"""

from __future__ import annotations

import contextlib
import copy
import csv
import json
import random
import shutil
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from damage import torn
from typer.testing import CliRunner

from trustnlp.data.registry import DataError, load_registry
from trustnlp.data.store import where
from trustnlp.reproduce.claims.ledgers import Claim, load_claims
from trustnlp.reproduce.claims.verdicts import judge
from trustnlp.reproduce.project import UserError
from trustnlp.reproduce.records.recording import digest, load_record
from trustnlp.reproduce.runs.params import PROFILES, load_params
from trustnlp.reproduce.schemas import parse_yaml
from trustnlp.tools.cli import app
from trustnlp.tools.unreadable_files import unreadable

ROOT = Path(__file__).resolve().parents[4]
SLUG = "_template"
GRID = """
caps:
  vectors: {at_best: direction only, unless: {vectors: [the paper's]}, why: other vectors}
grids:
  - id: lengths
    where: Table 1
    text: "The score of {row} at {label}."
    kind: value
    record: method.paper
    key: "lengths.{row}.{id}"
    rounding: 0.5
    tolerance: {absolute: 2.0, why: because}
    direction: {reference: 0.0}
    caps: [vectors]
    not_measured: not yet
    columns: [{id: a, label: A}, {id: b, label: B}]
    paper: {x: [1.0, 2.0], y: [null, 3.0]}
    expect: {x: [M, M], y: [null, M]}
"""
# Values that a hand, an editor or another tool may leave in the place of any other.
STRANGE: list[Any] = [
    None, True, -1, 0, 3.5, 1e308, -1e-320, 2**62, 2**63, 2**64, 10**400, -(10**4000), "", "x", "ünï", "a\0b", "\ud800",
    "{", "{row", "{}", "%s", "../../etc/passwd", "x" * 3000, "2026-13-45", "nan", [], [[]], [None], {}, {"": ""},
    {"a": {"b": 1}}, [1, "a", None], [1e308, 1e308, -1e308], ["a"] * 3, [0] * 5000, "\u202e", "\n\n", "<b>",
    "-0", "1e999",
]  # fmt: skip


def places(document: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to each value of a document."""
    yield path
    if isinstance(document, dict | list):
        for key, value in document.items() if isinstance(document, dict) else enumerate(document):
            yield from places(value, (*path, key))


def changed(document: Any, rng: random.Random) -> Any:
    """The document with one to three values replaced, removed, doubled or renamed."""
    document = copy.deepcopy(document)
    for _ in range(rng.randint(1, 3)):
        path = rng.choice(list(places(document))[1:] or [()])
        if not path:
            return rng.choice(STRANGE)
        holder = document
        for step in path[:-1]:
            holder = holder[step]
        how = rng.random()
        if how < 0.6:
            holder[path[-1]] = copy.deepcopy(rng.choice(STRANGE))
        elif how < 0.8:
            del holder[path[-1]]
        elif isinstance(holder, list):
            holder.append(copy.deepcopy(rng.choice([*holder, *STRANGE])))
        else:
            holder[rng.choice(["x", "", "nan", "a\0", "x" * 500, "1"])] = holder.pop(path[-1])
    return document


def written(document: Any) -> bytes:
    """As JSON, which is YAML too: it holds whatever a document may hold, half characters escaped."""
    return json.dumps(document, default=str).encode()


@pytest.fixture(scope="module")
def untouched(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with one small chapter that has a ledger with a grid, parameters, records; and a mirror."""
    root = tmp_path_factory.mktemp("damaged")
    shutil.copytree(ROOT / "chapters" / SLUG, root / "chapters" / SLUG)
    (root / "_config.yml").write_text("repository: {url: https://github.com/someone/book}\n")
    with (root / "chapters" / SLUG / "claims.yaml").open("a", encoding="utf-8") as ledger:
        ledger.write(GRID)
    files = [file for entry in load_registry().values() for file in entry.files if file.mirror][:40]
    rows = ["path\tbytes\tsha256", *(f"{file.mirror}\t{file.bytes}\t{file.sha256}" for file in files)]
    (root / "mirror").mkdir()
    (root / "mirror" / "MANIFEST.tsv").write_text("\n".join(rows) + "\n", "utf-8")
    return root


@pytest.fixture
def project(untouched: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TRUSTNLP_ROOT", str(untouched))
    monkeypatch.setenv("TRUSTNLP_MIRROR", str(untouched / "mirror"))
    monkeypatch.setenv("TRUSTNLP_CACHE", str(untouched / "cache"))
    return untouched


@cache
def stored(root: Path) -> dict[str, Any]:
    """The chapter's records by the names that ledgers give them."""
    return {path.stem: load_record(path) for path in (root / "chapters" / SLUG / "results").glob("*.json")}


def read_ledger(path: Path) -> None:
    for claim in load_claims(SLUG).claims:
        judge(claim, stored(path.parents[2]).get(claim.record or ""))


def read_parameters(path: Path) -> None:
    loaded = load_params(SLUG)
    for notebook in loaded.notebooks.values():
        for profile in PROFILES:
            notebook.resolve(profile, notebook.verify)
    for sweep in loaded.sweeps.values():
        sweep.points()


def read_record(path: Path) -> None:
    record = load_record(path)
    for claim in claims(path.parents[3]):
        judge(claim, record)


@cache
def claims(root: Path) -> tuple[Claim, ...]:
    return load_claims(SLUG).claims


def read_manifest(path: Path) -> None:
    try:
        where("wefe_googlenews")
    except (UnicodeDecodeError, csv.Error) as error:  # as the command line does
        raise UserError(unreadable(error)) from None


KINDS: dict[str, tuple[str, Callable[[Path], None], list[str]]] = {
    "ledger": (f"chapters/{SLUG}/claims.yaml", read_ledger, ["verdicts"]),
    "parameters": (f"chapters/{SLUG}/params.yaml", read_parameters, ["run", SLUG, "--dry-run"]),
    "record": (f"chapters/{SLUG}/results/method.paper.json", read_record, ["verdicts"]),
    "manifest": ("mirror/MANIFEST.tsv", read_manifest, ["data", "list"]),
}


def damaged(content: bytes, document: Any, kind: str, rng: random.Random) -> bytes:
    if document is None or rng.random() < 0.5:
        return torn(content, rng)
    document = changed(document, rng)
    if kind == "record" and isinstance(document, dict) and rng.random() < 0.8:
        with contextlib.suppress(KeyError, ValueError):
            document["digest"] = digest(document)  # else nothing behind the digest would be reached
    return written(document)


def refusal(read: Callable[[Path], None], path: Path) -> str | None:
    try:
        read(path)
    except (UserError, DataError) as error:
        return str(error)
    return None


def command_refusal(command: list[str], kind: str) -> str | None:
    done = CliRunner().invoke(app, command)
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.stderr.strip() if done.exit_code == 2 or (kind == "manifest" and "MANIFEST" in done.stderr) else None


@pytest.mark.parametrize("kind", KINDS)
def test_a_damaged_file_is_read_or_refused_in_one_line_that_names_it(project: Path, kind: str) -> None:
    place, read, command = KINDS[kind]
    path = project / place
    content = path.read_bytes()
    document = None if kind == "manifest" else parse_yaml(content.decode(), path)
    read(path)  # what is kept for later is that of the sound files
    rng = random.Random(f"damage to a {kind}")
    refused, wrong = 0, []
    try:
        for number in range(250):
            path.write_bytes(damaged(content, document, kind, rng))
            try:
                message = refusal(read, path) if number % 25 else command_refusal(command, kind)
            except Exception as error:
                wrong.append(f"{number}: {type(error).__name__}: {error!s:.200}")
                continue
            refused += message is not None
            if message is not None and ("\n" in message or path.name not in message or len(message) > 2000):
                wrong.append(f"{number}: {message[:300]!r}")
    finally:
        path.write_bytes(content)
    assert not wrong, f"{len(wrong)} of 250:\n" + "\n".join(wrong[:25])
    assert refused > (5 if kind == "manifest" else 100), refused


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (RuntimeError("File 'a.npy' is encrypted, password required for extraction"), "without a password"),
        (NotImplementedError("That compression method is not supported"), "cannot be unpacked here"),
        (RuntimeError("another"), None),
        (ValueError("another"), None),
    ],
)
def test_an_archive_that_cannot_be_read_is_told_from_a_fault_of_ours(error: Exception, told: str | None) -> None:
    found = unreadable(error)
    assert found is None if told is None else told in (found or "")
