"""A session of Colab, made on this machine: a bare folder, a Python of its own, `google.colab`, a repository near by.

The cells are those of the notebooks, unchanged: git is told that the repository's address is a folder here, and pip
installs for good, into an environment that is thrown away. What Colab brings comes from another Python: the one that
runs the tests, or better one that holds Colab's own versions (`colab_packages.txt`).
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
ADDRESS = "https://github.com/OWNER/trustnlp"
RUN = """
import sys, nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
notebook = nbformat.read(sys.argv[1], as_version=4)
client = NotebookClient(notebook, timeout=1200, kernel_name="python3", resources={"metadata": {"path": "."}})
try:
    client.execute()
except CellExecutionError as error:
    print(error, file=sys.stderr)
    sys.exit(1)
finally:
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            print(output.get("text", ""), end="")
"""


class Session:
    """One session, below `folder`; `python` brings the packages."""

    def __init__(self, folder: Path, python: Path) -> None:
        self.content = folder / "content"
        self.content.mkdir()
        self._origin = _repository(folder / "origin")
        own = folder / "python"
        subprocess.run([python, "-m", "venv", "--without-pip", own], check=True)
        self.python = own / "bin" / "python"
        site, brought = (_printed(each, "import sysconfig; print(sysconfig.get_path('purelib'))") for each in
                         (self.python, python))  # fmt: skip
        (Path(site) / "google" / "colab").mkdir(parents=True)  # beside protobuf's, in the same namespace
        (Path(site) / "google" / "colab" / "__init__.py").touch()
        # As Colab: its packages are there, and its kernel has imported google.colab.
        (Path(site) / "colab.pth").write_text(f"{brought}\nimport google.colab\n", "utf-8")

    def run(self, notebook: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run all cells of `CHAPTER/NOTEBOOK`; what the cells printed, and on stderr why one failed."""
        path = self._origin / "chapters" / f"{notebook}.ipynb"
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("TRUSTNLP_", "PYTHON"))}
        ours = {
            "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": f"url.{self._origin.as_uri()}.insteadOf",
            "GIT_CONFIG_VALUE_0": ADDRESS, "JUPYTER_PATH": "",
            "PATH": f"{self.python.parent}{os.pathsep}{kept['PATH']}",
        }  # fmt: skip
        return subprocess.run(
            [self.python, "-c", RUN, path], cwd=self.content, env={**kept, **ours, **environment},
            capture_output=True, text=True, timeout=1800, check=False,
        )  # fmt: skip

    def versions(self) -> str:
        """The packages that Colab brings and the installation has to leave alone, with their versions."""
        code = "from importlib.metadata import version as v; print(*(f'{n}=={v(n)}' for n in ('torch', 'numpy')))"
        return _printed(self.python, code)


def _repository(place: Path) -> Path:
    """A repository with today's files, committed or not, on the branch `main`."""
    listed = subprocess.run(
        ["git", "-C", ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            (place / name).write_bytes((ROOT / name).read_bytes())
    identity = ["-c", "user.name=test", "-c", "user.email=test@example.org"]
    for command in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-qm", "all"]):
        subprocess.run(["git", "-C", place, *identity, *command], check=True)
    return place


def _printed(python: Path, code: str) -> str:
    return subprocess.run([python, "-c", code], check=True, capture_output=True, text=True).stdout.strip()
