"""Damaged files given to every command that reads one: an answer or one line, never a traceback.

A few mutations of each file run here; TRUSTNLP_MUTATIONS=300 runs that many of each.
"""

from __future__ import annotations

import gzip
import json
import os
import random
import shutil
from pathlib import Path

import made_records
import numpy as np
import pytest
from typer.testing import CliRunner

from trustnlp.reproduce.records.recording import Record, write_record
from trustnlp.tools.cli import app

EACH = int(os.environ.get("TRUSTNLP_MUTATIONS", "2"))
WORDS = ["rose", "tulip", "wasp", "moth", "joy", "love", "grief", "hate"]
VECTORS = "8 3\n" + "".join(f"{word} {n % 3} {n}.5 -1e-1\n" for n, word in enumerate(WORDS))
TABLE = "text,truth,predicted,n\n" + "".join(f"text {n},{n % 2},{(n + (n % 3 == 0)) % 2},{n % 3}\n" for n in range(99))
LINES = [json.dumps({"text": f"the {n % 2} stone {n}", "owner": f"o{n % 2}", "n": [n]}) + "\n" for n in range(8)]
SETS = dict(zip("XYAB", [WORDS[at : at + 2] for at in range(0, 8, 2)], strict=True))
RECIPE = 'own = {kind = "position", description = "d", word = "a", places = ["last", "first"]}\n'
MODEL = "def f(texts):\n    return [[0.5, 0.5] for _ in texts]\n"
PAIRS = "left,right,score\na,b,0.9\nb,c,-0.2\na,c,0.3\n"
CLAIMS = """
paper: {key: k, title: T, authors: "Author, A.", venue: V, year: 2020, url: "https://example.org"}
claims:
  - {id: one, where: T1, text: t, kind: value, paper: {value: 1.0, rounding: 0.05}, measure: {record: nb.paper, key: a},
     expect: reproduced}
"""
PARAMS = """
notebooks: {nb: {parameters: {alphas: {type: int, min: 2, max: 20, smoke: 3, paper: 4, help: h}}}}
sweeps: {some: {notebook: nb, profile: smoke, grid: {alphas: [2, 4]}}}
"""
NOTEBOOK = '# %% tags=["parameters"]\nprofile = "smoke"\nalphas = 3\n'
FILES: dict[str, str | bytes] = {
    "v.vec": VECTORS, "v.vec.gz": gzip.compress(VECTORS.encode(), mtime=0), "sets.json": json.dumps(SETS),
    "t.csv": TABLE, "in.jsonl": "".join(LINES), "r.toml": RECIPE, "own.py": MODEL, "p.csv": PAIRS,
    "t.txt": "joy and love\ngrief\n", "g.yaml": "alphas: [2, 4]\n",
    "m/chapters/c/claims.yaml": CLAIMS, "m/chapters/c/params.yaml": PARAMS,
    "m/chapters/c/nb.py": NOTEBOOK, "m/_config.yml": "repository: {url: https://github.com/someone/book}\n",
    "m/_toc.yml": "format: jb-book\nroot: index\n", "mirror/MANIFEST.tsv": "path\tsha256\na\tb\n",
}  # fmt: skip
COMMANDS = {
    "v.vec": [
        "weat v.vec --sets sets.json", "release v.vec out.vec --epsilon 9 --method plain", "senses v.vec out.npz",
        "privatise t.txt out.txt --epsilon 9 --vectors v.vec",
    ],
    "v.vec.gz": ["weat v.vec.gz --sets sets.json"], "v.npy": ["release v.npy out.npy --epsilon 9 --method plain"],
    "senses.npz": [
        "privatise t.txt out.txt --epsilon 9 --vectors v.vec --mechanism nearest_sense --inventory senses.npz"
    ],
    "sets.json": ["weat v.vec --sets sets.json"], "t.csv": [
        "errors t.csv --feature n --learner lookup", "plant t.csv out.csv --decoy position --label truth",
    ],
    "r.toml": ["plant t.csv out.csv --decoy own --recipes r.toml --label truth"],
    "in.jsonl": ["anonymise in.jsonl out", "reidentify in.jsonl"], "own.py": ["explain t.txt own.py:f"],
    "t.txt": ["explain t.txt own.py:f", "privatise t.txt out.txt --epsilon 9 --vectors v.vec"],
    "p.csv": ["partition p.csv --out out.csv"],
    "g.yaml": ["sweep c --grid g.yaml --dry-run"],
    "m/chapters/c/claims.yaml": ["verdicts", "list"], "m/chapters/c/params.yaml": ["list", "run c --dry-run"],
    "m/chapters/c/nb.py": ["twins", "run c --dry-run"], "m/chapters/c/nb.ipynb": ["twins --check", "run c --dry-run"],
    "m/chapters/c/results/nb.paper.json": ["verdicts", "records units"],
    "m/_config.yml": ["twins", "doctor"], "m/_toc.yml": ["new-chapter new"], "mirror/MANIFEST.tsv": ["data list"],
}  # fmt: skip


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a good file of each kind."""
    folder = tmp_path_factory.mktemp("whole")
    for name, content in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    np.save(folder / "v.npy", np.arange(12, dtype=np.float32).reshape(4, 3))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("TRUSTNLP_ROOT", str(folder / "m"))
        record = Record("c", "nb", profile="paper", parameters={"alphas": 4})
        record.metric("a", 1.0, unit="none")
        write_record(folder / "m/chapters/c/results/nb.paper.json", made_records.whole(record))
        for command in ("twins", "senses v.vec senses.npz --min-size 1 --neighbours 2"):
            assert CliRunner().invoke(app, command.split()).exit_code == 0
    return folder


SPLICED = [
    b"\xff\xfe", b"\x00", b"\xef\xbb\xbf", b"\r", b"\n\n", b'"', b"'", b",", b";", b"\t", b"-1", b"1e999", b"nan",
    b"null", b"[" * 5000, b"{" * 5000, b'{"a":' * 3000, b"9" * 5000, b"- " * 3000, b"(" * 3000, b"\\ud800", b"&a *a",
    b"!!python/object", b"0x1F", b"\xe2\x80\xa8", b"=1+1", b"true", b"%", b"${x}", b"\x1f\x8b", b"PK\x03\x04",
]  # fmt: skip


def mutated(content: bytes, rng: random.Random) -> bytes:
    """One to three changes of a file, as editors, transfers and tired people make them."""
    for _ in range(rng.randint(1, 3)):
        at, end = sorted((rng.randint(0, len(content)), rng.randint(0, len(content))))
        lines = content.split(b"\n")
        row = rng.randrange(len(lines))
        kind = rng.randrange(8)
        if kind < 3:
            content = content[:at] + rng.choice(SPLICED) + content[at:]
        elif kind == 3:
            content = content[:at]
        elif kind == 4:
            content = content[:at] + content[min(end, at + 20) :]
        elif kind == 5:
            content = content[:at] + rng.randbytes(rng.randint(1, 4)) + content[at + 1 :]
        elif kind == 6:
            content = b"\n".join(lines[:row] + lines[row + 1 :] + lines[:1] * rng.randint(0, 1))
        else:
            content = rng.choice(
                [b"", gzip.compress(content, mtime=0), content.decode("latin-1").encode("utf-16"), content * 2]
            )
    return content


@pytest.mark.parametrize("name", COMMANDS)
def test_a_damaged_file_is_one_line(name: str, whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = []
    for number in range(EACH):
        folder = tmp_path / str(number)
        shutil.copytree(whole, folder)
        monkeypatch.chdir(folder)
        monkeypatch.setenv("TRUSTNLP_ROOT", str(folder / "m"))
        monkeypatch.setenv("TRUSTNLP_MIRROR", str(folder / "mirror"))
        path = folder / name
        path.write_bytes(mutated(path.read_bytes(), random.Random(f"{name} {number}")))
        for command in COMMANDS[name]:
            done = CliRunner().invoke(app, command.split())
            if done.exception is not None and not isinstance(done.exception, SystemExit):
                told.append(f"{command}, mutation {number}: {type(done.exception).__name__}: {done.exception!s:.200}")
            elif done.exit_code not in (0, 1, 2) or "Traceback" in done.output:
                told.append(f"{command}, mutation {number}: exit {done.exit_code}: {done.output[-300:]}")
        shutil.rmtree(folder)
    assert not told, "\n".join(told)
