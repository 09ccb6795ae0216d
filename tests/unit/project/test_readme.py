"""The README's example runs as printed."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


def test_the_example_runs(capsys: pytest.CaptureFixture[str]) -> None:
    """Needs the package index once, as `wefe_googlenews` comes in a wheel."""
    [code] = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)
    exec(textwrap.dedent(code), {})
    effect_size, p_value = map(float, capsys.readouterr().out.split())
    assert effect_size > 1 and p_value < 0.01
