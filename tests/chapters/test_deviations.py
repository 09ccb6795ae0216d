"""The deviations that committed records hold stay with the metrics they concern."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from trustnlp.reproduce.project import chapter_dir, chapters
from trustnlp.reproduce.records.measurement import covers
from trustnlp.reproduce.records.recording import load_record

# One line per record: how many pairs of a metric and a deviation that concerns it. A stamp once replaced the keys of
# deviations by those of a reduced run, and nothing noticed. A new run of a record may change its line: say why in the
# commit.
COUNTS: dict[str, int] = yaml.safe_load(Path(__file__).with_name("deviation_counts.yaml").read_text("utf-8"))
RECORDS = {
    f"{slug}/{path.stem}": path
    for slug in chapters()
    for path in sorted((chapter_dir(slug) / "results").glob("*.json"))
}


def concerned(path: Path) -> int:
    record = load_record(path)
    return sum(
        not item["keys"] or any(covers(prefix, key) for prefix in item["keys"])
        for item in record["deviations"]
        for key in record["metrics"]
    )


def test_every_record_is_counted() -> None:
    assert sorted(COUNTS) == sorted(RECORDS)


@pytest.mark.parametrize("name", sorted(RECORDS))
def test_a_record_keeps_its_deviations(name: str) -> None:
    assert concerned(RECORDS[name]) == COUNTS.get(name)
