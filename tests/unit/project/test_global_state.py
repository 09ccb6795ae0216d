"""No command and no function changes what the whole process shares: loggers' levels, random numbers, settings."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from process_state import changes

from trustnlp.data.logger_levels import at_level
from trustnlp.privacy.text.anonymisation import entity_spans

ROOT = Path(__file__).parents[3]


@pytest.mark.slow
def test_commands_and_functions_leave_the_process_as_it_was(tmp_path: Path) -> None:
    script, page = ROOT / "tests" / "process_state.py", ROOT / "book" / "own-data.md"
    done = subprocess.run([sys.executable, script, page], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert len(found) > 14
    assert {action: changed for action, changed in found.items() if changed} == {}


def test_a_change_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    logger = logging.getLogger("trustnlp.of_this_test")
    assert changes(lambda: None) == {}
    assert changes(lambda: logger.setLevel(33)) == {
        "logger trustnlp.of_this_test": ["(0, False, True)", "(33, False, True)"]
    }
    monkeypatch.delenv("TRUSTNLP_OF_THIS_TEST", raising=False)
    assert list(changes(lambda: monkeypatch.setenv("TRUSTNLP_OF_THIS_TEST", "1"))) == [
        "environment TRUSTNLP_OF_THIS_TEST"
    ]
    logger.setLevel(0)


def test_a_level_is_put_back_after_an_error() -> None:
    logger = logging.getLogger("trustnlp.of_this_test")
    with pytest.raises(KeyError), at_level(logger, logging.ERROR):
        assert not logger.isEnabledFor(logging.WARNING)
        raise KeyError
    assert logger.level == logging.NOTSET


def test_presidio_is_quiet_and_offline_while_it_is_asked_only(monkeypatch: pytest.MonkeyPatch) -> None:
    outer, inner = ModuleType("tldextract"), ModuleType("tldextract.tldextract")
    theirs = object()
    outer.extract = inner.extract = inner.TLD_EXTRACTOR = theirs  # type: ignore[attr-defined]
    outer.tldextract = inner  # type: ignore[attr-defined]
    outer.TLDExtract = lambda **given: given  # type: ignore[attr-defined]
    logger, seen = logging.getLogger("presidio-analyzer"), []

    def analyse(text: str) -> list[Any]:
        seen.append((logger.isEnabledFor(logging.WARNING), inner.TLD_EXTRACTOR, outer.extract))  # type: ignore[attr-defined]
        if text == "broken":
            raise RuntimeError
        return [SimpleNamespace(start=0, end=3, score=0.5)]

    monkeypatch.setitem(sys.modules, "tldextract", outer)
    monkeypatch.setattr(entity_spans, "has_presidio", lambda: True)
    monkeypatch.setattr(entity_spans, "_presidio", lambda: analyse)
    level = logger.level
    assert entity_spans.presidio_entities(["Ann"]) == [[(0, 3, 0.5)]]
    with pytest.raises(RuntimeError):
        entity_spans.presidio_entities(["broken"])
    offline = {"suffix_list_urls": (), "cache_dir": None}
    assert seen == [(False, offline, offline)] * 2
    assert logger.level == level and outer.extract is inner.extract is inner.TLD_EXTRACTOR is theirs  # type: ignore[attr-defined]
