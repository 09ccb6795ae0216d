"""All claims as one table to take away, and which verdicts differ from those that were kept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from trustnlp.reproduce.claims.tallies import counting
from trustnlp.reproduce.claims.verdicts import Judgement

# Column → what it holds, as the data card says it.
COLUMNS: dict[str, str] = {
    "chapter": "the chapter, by its slug",
    "claim": "the claim's id, unique in its chapter and the anchor of its row in the chapter's ledger",
    "question": "paper: a sentence, table or figure of the paper; ours: a question that the paper has no sentence on",
    "under": "the id of the sentence that this cell is evidence for; empty for a claim that counts by itself",
    "same_cell_as": "the id of the claim that counts for the same printed cell; empty for all others",
    "where": "the place in the paper",
    "text": "the claim, in our words",
    "paper": "the paper's value, or its words",
    "ours": "our value: the mean over seeds, in the record's unit; empty where nothing was measured",
    "low": "lower end of our 95 % interval",
    "high": "upper end of our 95 % interval",
    "n": "how many values are behind it: seeds, or 1 where nothing is random",
    "evidence": "what it was tried on: real data, released files, print only, made-up data, or nothing",
    "verdict": "the verdict, by the rules of the page on how to read the book",
    "record": "the committed record that holds the value: chapters/CHAPTER/results/RECORD.json",
    "why": "the sentence that explains the verdict",
}


def claims_table(judgements: Iterable[Judgement]) -> pd.DataFrame:
    """One row a claim, with the columns of `COLUMNS`."""
    rows: list[dict[str, Any]] = []
    for judgement in judgements:
        told = judgement.to_json()
        low, high = told["interval"] or (None, None)
        rows.append({**told, "low": low, "high": high})
    return pd.DataFrame(rows, columns=list(COLUMNS))


def changed_verdicts(history: Path, judgements: Iterable[Judgement]) -> pd.DataFrame:
    """The verdicts that differ from those kept in `history`: chapter, claim, before, now; empty for no such claim.

    Parameters
    ----------
    history
        CSV with the columns chapter, claim and verdict, as `verdicts_now` has them.
    """
    before = pd.read_csv(history, dtype=str, keep_default_na=False).rename(columns={"verdict": "before"})
    now = verdicts_now(judgements).rename(columns={"verdict": "now"})
    both = before.merge(now, on=["chapter", "claim"], how="outer", sort=False).fillna("")
    return both[both["before"] != both["now"]].reset_index(drop=True)


def verdicts_now(judgements: Iterable[Judgement]) -> pd.DataFrame:
    """Chapter, claim and verdict of each claim that counts, without the cells under a sentence."""
    rows = [(found.claim.chapter, found.claim.id, str(found.verdict)) for found in counting(judgements)]
    return pd.DataFrame(rows, columns=["chapter", "claim", "verdict"], dtype=str)


def data_card(table: pd.DataFrame) -> Mapping[str, str]:
    """The facts of the table's data card."""
    whole = table[table["under"].isna() & table["same_cell_as"].isna()]
    return {
        "rows": f"{len(table):,}: one for each claim and each cell of a table",
        "claims that count": f"{len(whole):,}, of which {(whole['question'] == 'paper').sum():,} are the papers'",
        "licence": "CC BY 4.0; the papers' numbers and words are their authors'",
        "made": "from the ledgers and the committed records, whenever the book is built",
        "missing": "an empty cell: nothing was measured, or there is no such thing; never nought",
    }
