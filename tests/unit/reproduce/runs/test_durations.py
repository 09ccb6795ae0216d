"""Durations are read from records, and said in the units a reader needs."""

import json

import pytest

from trustnlp.reproduce.runs.durations import duration_text, last_took


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.84, "0.8 s"), (9.96, "10 s"), (41.2, "41 s"), (59.7, "1 min 0 s"), (200.4, "3 min 20 s"), (7500, "2 h 5 min")],
)
def test_two_units_are_enough(seconds, text):
    assert duration_text(seconds) == text


def test_the_committed_record_speaks_for_paper_and_the_last_run_here_for_smoke(tmp_path, monkeypatch):
    (tmp_path / "_config.yml").touch()
    (tmp_path / "chapters" / "c").mkdir(parents=True)
    (tmp_path / "chapters" / "c" / "claims.yaml").touch()
    monkeypatch.setenv("TRUSTNLP_ROOT", str(tmp_path))
    places = {"paper": "chapters/c/results/nb.paper.json", "smoke": "_build/runs/c/nb.smoke.json"}
    for seconds, place in zip((200.4, 5.0), places.values(), strict=True):
        path = tmp_path / place
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps({"seconds": seconds}))
    assert {profile: last_took("c", "nb", profile) for profile in places} == {"paper": "3 min 20 s", "smoke": "5.0 s"}
    assert last_took("c", "other", "paper") is None
    (tmp_path / places["smoke"]).write_text("{")
    assert last_took("c", "nb", "smoke") is None
