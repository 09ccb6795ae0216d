"""A command that needs a package which is not there says in one line which."""

from __future__ import annotations

from importlib import metadata

from packaging.requirements import Requirement

from trustnlp.reproduce.colab import EXTRAS

_OF_RUNS = dict.fromkeys(
    ("dask", "distributed", "ipykernel", "jupyter_client", "jupytext", "nbclient", "nbformat", "papermill"), "run"
)
_OF_BOOKS = dict.fromkeys(("jupyter_book", "pypdf", "sphinx"), "book")
_OF_TESTS = dict.fromkeys(("playwright", "igraph"), "test")
_OF_OTHERS = {"dedupe": "records", "rocrate": "crate"}
_OTHER_NAMES = {"sklearn": "scikit-learn", "yaml": "pyyaml"}
_ALL = {**EXTRAS, **_OF_RUNS, **_OF_BOOKS, **_OF_TESTS, **_OF_OTHERS}


def missing_extra(error: ImportError) -> str | None:
    """The command that installs what could not be imported; None where it is a fault of ours."""
    if "pip install" in str(error):  # a module that says so itself
        return " ".join(str(error).split())
    package = (error.name or "").split(".")[0]
    if extra := _ALL.get(package):
        return f"this needs {package}, which is not installed: pip install 'trustnlp[{extra}]'"
    needed = {Requirement(each).name for each in metadata.requires("trustnlp") or () if "extra ==" not in each}
    if (name := _OTHER_NAMES.get(package, package)) not in needed:
        return None
    return f"this needs {name}, which is not installed: pip install {name}; `trustnlp doctor` names all that is lacking"
