"""Fixtures: a project of one tiny chapter in a temporary folder (real files, real kernels), and a gate for its runs."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from gate import Gate
from tiny_project import CLAIMS, PARAMETERS, TinyProject


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TinyProject:
    """A project with the chapter `tiny` and its notebooks `one` and `two`."""
    project = TinyProject(tmp_path / "project")
    project.chapter.mkdir(parents=True)
    (project.root / "_config.yml").write_text("repository: {url: https://github.com/someone/book}\n", encoding="utf-8")
    (project.root / "_toc.yml").write_text("format: jb-book\nroot: book/intro\n", encoding="utf-8")
    (project.chapter / "claims.yaml").write_text(yaml.safe_dump(CLAIMS), encoding="utf-8")
    monkeypatch.setenv("TRUSTNLP_ROOT", str(project.root))
    project.write_params(one={"parameters": PARAMETERS, "verify": {}}, two={"parameters": PARAMETERS})
    project.write_notebook("one")
    project.write_notebook("two")
    return project


@pytest.fixture
def gate(tmp_path: Path) -> Iterator[Gate]:
    """A gate for the notebooks of `tiny`; it closes with the test."""
    folder = tmp_path / "gate"
    folder.mkdir()
    made = Gate(folder)
    yield made
    made.close()
