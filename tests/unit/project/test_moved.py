"""Addresses of 0.1 lead to the modules of today, with a warning, and nothing else does."""

import importlib
import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

from trustnlp import moved

CHANGELOG = Path(__file__).parents[3] / "CHANGELOG.md"


def told_by_the_changelog() -> dict[str, str]:
    """Old address → new one, as lines such as "`data` → `data.annotation`: annotation → spacy_annotation" say."""
    lines = re.findall(r"^  - `(\w[\w.]*)` → `([\w.]+)`:((?: [\w →,]+\n)+)", CHANGELOG.read_text("utf-8"), re.MULTILINE)
    pairs = {}
    for old, new, modules in lines:
        for module in " ".join(modules.split()).split(", "):
            before, _, after = module.partition(" → ")
            pairs[f"trustnlp.{old}.{before}"] = f"trustnlp.{new}.{after or before}"
    return pairs


def test_every_address_of_the_changelog_leads_to_the_module_that_it_names() -> None:
    told = told_by_the_changelog()
    assert len(told) > 190 and {old: moved.address_of(old) for old in told} == told
    # A package may stand where a module stood: it answers for that module's names.
    for old, new in told.items():
        spec = importlib.util.find_spec(old)
        assert spec is not None and (spec.loader.__class__ is moved.OldAddresses or new.startswith(f"{old}.")), old


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("trustnlp.explain.attribution", "trustnlp.attribution.attribution"),
        ("trustnlp.explain.decoys.leaderboard", "trustnlp.decoys.benchmark.leaderboard"),
        ("trustnlp.models.ngrams", "trustnlp.training.ngrams"),
        ("trustnlp.reproduce.cli", "trustnlp.tools.cli"),
    ],
)
def test_an_old_address_is_the_module_of_today(old: str, new: str) -> None:
    program = (
        "import importlib, warnings\n"
        "with warnings.catch_warnings(record=True) as told:\n"
        "    warnings.simplefilter('always')\n"
        f"    before = importlib.import_module({old!r})\n"
        f"after = importlib.import_module({new!r})\n"
        "assert before is after and after.__spec__.name == after.__name__, after.__spec__\n"
        "print([str(w.message) for w in told if w.category is DeprecationWarning])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert f"{old} is now {new}" in done.stdout


def test_a_package_answers_for_the_module_that_had_its_address() -> None:
    noise = importlib.import_module("trustnlp.privacy.noise")
    samplers = importlib.import_module("trustnlp.privacy.noise.samplers")
    assert noise.laplace is samplers.laplace
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = noise.nothing


def test_what_was_never_there_is_not_found() -> None:
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("trustnlp.explain.nothing")
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("trustnlp.nothing")
