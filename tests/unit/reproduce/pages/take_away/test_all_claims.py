"""All claims as one table, and the verdicts that have changed."""

from pathlib import Path

import pandas as pd
import pytest

from trustnlp.reproduce.claims.verdicts import Judgement, judge_chapter
from trustnlp.reproduce.pages.take_away.all_claims import (
    COLUMNS,
    changed_verdicts,
    claims_table,
    data_card,
    verdicts_now,
)


@pytest.fixture(scope="module")
def judgements() -> list[Judgement]:
    return judge_chapter("_template")


def test_a_row_says_what_the_judgement_says(judgements: list[Judgement], tmp_path: Path) -> None:
    table = claims_table(judgements)
    assert list(table) == list(COLUMNS) and len(table) == len(judgements)
    table.to_csv(tmp_path / "claims.csv", index=False)
    read = pd.read_csv(tmp_path / "claims.csv").set_index("claim")
    for judgement in judgements:
        told = judgement.to_json()
        row = read.loc[judgement.claim.id]
        assert (row["verdict"], row["text"]) == (told["verdict"], told["text"])
        if told["interval"]:
            assert [row["ours"], row["low"], row["high"]] == pytest.approx([told["ours"], *told["interval"]])
    assert data_card(table)["rows"].startswith(f"{len(table)}:")


def test_changes_are_told_with_both_verdicts(judgements: list[Judgement], tmp_path: Path) -> None:
    kept = verdicts_now(judgements)
    assert len(kept) >= 3
    kept.to_csv(tmp_path / "h.csv", index=False)
    assert changed_verdicts(tmp_path / "h.csv", judgements).empty
    kept.loc[0, "verdict"] = "close"
    gone = pd.DataFrame([("_template", "gone", "reproduced")], columns=kept.columns)
    pd.concat([kept.drop(1), gone]).to_csv(tmp_path / "h.csv", index=False)
    told = changed_verdicts(tmp_path / "h.csv", judgements).set_index("claim")
    first, second = kept["claim"][:2]
    now = {found.claim.id: str(found.verdict) for found in judgements}
    assert told.loc[first].tolist() == ["_template", "close", now[first]]
    assert told.loc[second].tolist() == ["_template", "", now[second]]
    assert told.loc["gone"].tolist() == ["_template", "reproduced", ""] and len(told) == 3
