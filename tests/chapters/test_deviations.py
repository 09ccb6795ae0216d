"""The deviations that committed records hold stay with the metrics they concern."""

from __future__ import annotations

from pathlib import Path

import pytest

from trustnlp.reproduce.project import chapter_dir, chapters
from trustnlp.reproduce.records.measurement import covers
from trustnlp.reproduce.records.recording import load_record

# How many pairs of a metric and a deviation that concerns it the records of a chapter hold. A stamp once replaced the
# keys of deviations by those of a reduced run, and nothing noticed. A new run of a record may change a number: say why
# in the commit.
COUNTS = {
    "_template": 16,
    "aec": 1152,
    "decoys": 3707,
    "dpnr": 4677,
    "dpnr_study": 2234,
    "edin": 1858,
    "gender_bias_languages": 890,
    "moxie": 296,
    "polarizedtext": 1353,
    "privemb": 1855,
    "sense_privatization": 774,
    "weat_measures": 303,
    "xer": 142,
}


def concerned(path: Path) -> int:
    record = load_record(path)
    return sum(
        not item["keys"] or any(covers(prefix, key) for prefix in item["keys"])
        for item in record["deviations"]
        for key in record["metrics"]
    )


@pytest.mark.parametrize("slug", chapters())
def test_the_records_of_a_chapter_keep_their_deviations(slug: str) -> None:
    assert sum(map(concerned, (chapter_dir(slug) / "results").glob("*.json"))) == COUNTS.get(slug)
