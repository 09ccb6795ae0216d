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

import numpy as np
import pytest
from damage import torn
from typer.testing import CliRunner

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
PARAMS = """
notebooks: {nb: {parameters: {alphas: {type: int, min: 2, max: 20, smoke: 3, paper: 4, help: h}}}}
sweeps: {some: {notebook: nb, profile: smoke, grid: {alphas: [2, 4]}}}
"""
NOTEBOOK = '# %% tags=["parameters"]\nprofile = "smoke"\nalphas = 3\n'
FILES: dict[str, str | bytes] = {
    "v.vec": VECTORS, "v.vec.gz": gzip.compress(VECTORS.encode(), mtime=0), "sets.json": json.dumps(SETS),
    "t.csv": TABLE, "in.jsonl": "".join(LINES), "r.toml": RECIPE, "own.py": MODEL, "p.csv": PAIRS,
    "t.txt": "joy and love\ngrief\n",
    "m/chapters/c/claims.yaml": "", "m/chapters/c/params.yaml": PARAMS, "m/chapters/c/nb.py": NOTEBOOK,
    "m/_config.yml": "repository: {url: https://github.com/someone/book}\n",
    "m/_toc.yml": "format: jb-book\nroot: index\n",
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
    "m/chapters/c/nb.py": ["twins", "run c --dry-run"], "m/chapters/c/nb.ipynb": ["twins --check", "run c --dry-run"],
    "m/_config.yml": ["twins", "doctor"], "m/_toc.yml": ["new-chapter new"],
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
        for command in ("twins", "senses v.vec senses.npz --min-size 1 --neighbours 2"):
            assert CliRunner().invoke(app, command.split()).exit_code == 0
    return folder


@pytest.mark.parametrize("name", COMMANDS)
def test_a_damaged_file_is_one_line(name: str, whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = []
    for number in range(EACH):
        folder = tmp_path / str(number)
        shutil.copytree(whole, folder)
        monkeypatch.chdir(folder)
        monkeypatch.setenv("TRUSTNLP_ROOT", str(folder / "m"))
        path = folder / name
        path.write_bytes(torn(path.read_bytes(), random.Random(f"{name} {number}")))
        for command in COMMANDS[name]:
            done = CliRunner().invoke(app, command.split())
            if done.exception is not None and not isinstance(done.exception, SystemExit):
                told.append(f"{command}, mutation {number}: {type(done.exception).__name__}: {done.exception!s:.200}")
            elif done.exit_code not in (0, 1, 2) or "Traceback" in done.output:
                told.append(f"{command}, mutation {number}: exit {done.exit_code}: {done.output[-300:]}")
        shutil.rmtree(folder)
    assert not told, "\n".join(told)
