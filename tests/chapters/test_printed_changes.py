"""Every printed number is held: changed in memory, it turns a verdict, an ordering, a sum or the text red."""

from __future__ import annotations

import doctest
from collections.abc import Callable
from functools import cache
from pathlib import Path as File
from typing import Any

import printed_changes
import pytest
from printed_changes import Nets, PaperNumbers, changes, printed_numbers

from trustnlp.reproduce.claims.ledger_tables import with_numbers
from trustnlp.reproduce.claims.ledgers import load_claims
from trustnlp.reproduce.project import chapter_dir, papers
from trustnlp.reproduce.records.derived_metrics import committed_record
from trustnlp.reproduce.schemas import load_yaml

SLUGS = papers()
# Numbers that do not stand in the paper's text, and why.
ELSEWHERE = {
    "aec": {"t6-undescribed": "that the paper describes all is no number of it"},
    "dpnr_study": dict.fromkeys(
        [
            *("=saved/english", "=saved/questions", "leak-saved-french-4"),
            *(f"leak-saved-alike-questions-{n}" for n in (2, 3)),
            *(f"leak-saved-other-tweets-{n}" for n in (1, 2, 3, 4)),
        ],
        "saved output of the report's notebook",
    ),
    "edin": {
        "=tacred/test": "no number of the paper: from memory",
        "=tacred/dev": "no number of the paper: from memory",
        "=released/labels": "of the released constant.py",
        "wrong-26": "follows from the 26 of 750",
    },
    "moxie": {"=set/most": "a limit of ours"},
    "polarizedtext": dict.fromkeys(
        [
            *("=areas/polarised", "=areas/skipgram", "=areas/supervised", "=skipgram/true_positives"),
            *("=skipgram/false_positives", "=search/true_positives"),
        ],
        "read off the post's figure, or the middle of a range in its text",
    ),
    "sense_privatization": {
        "fig5-difference-size": "a difference of two printed numbers",
        "t2-mrpc-p90": "a difference of two cells",
        "senses-per-word-trained-ratio": "a ratio of two printed numbers",
        "senses-per-word-glove-ratio": "a ratio of two printed numbers",
    },
    "xer": {"settlements-lead": "a difference of two cells"},
}
# Of these no change is caught: their source is not here, or there is nothing to compare with.
LOOSE = {
    "aec": {"t6-undescribed"},
    "dpnr_study": {"=saved/questions"},
    "moxie": {"t3-values-score-inventive"},
}


def senses_per_word(tables: dict[str, Any]) -> float:
    return tables["inventory"]["senses"] / tables["inventory"]["words"]


def solver_lead(instance: str) -> Callable[[dict[str, Any]], float]:
    return lambda tables: tables["table4"]["optimum"][instance] - tables["table4"]["fmwsp"][instance]


# Numbers that no sentence of the paper has, but that follow from some that it prints.
DERIVED: list[tuple[str, str, Callable[[dict[str, Any]], float]]] = [
    ("edin", "wrong-26", lambda t: 100 * (1 - t["matched"]["wrong"] / t["matched"]["items"])),
    ("privemb", "t1-cr-gain", lambda t: t["table1"]["m2"]["CR"] - t["table1"]["m1"]["CR"]),
    ("privemb", "t1-trec-gain", lambda t: t["table1"]["m2"]["TREC-6"] - t["table1"]["m1"]["TREC-6"]),
    ("sense_privatization", "fig5-difference-size", lambda t: t["figure5"]["same"] - t["figure5"]["other"]),
    ("sense_privatization", "t2-mrpc-p90", lambda t: t["table2"]["sense_90"][3] - t["table2"]["word_90"][3]),
    ("sense_privatization", "senses-per-word-trained-ratio", senses_per_word),
    ("sense_privatization", "senses-per-word-glove-ratio", senses_per_word),
    ("xer", "settlements-lead", solver_lead("settlements")),
    ("xer", "csv-same", solver_lead("csv_example")),
]


@pytest.fixture
def text_of(mirror: File) -> Callable[[str], str]:
    """The text of a chapter's paper; they stand beside the mirror."""
    folder = mirror.parent / "papers"
    if not folder.is_dir():
        pytest.skip(f"no papers' texts at {folder}")
    return lambda slug: (folder / f"{slug.replace('_', '-')}.txt").read_text(encoding="utf-8")


@cache
def nets(slug: str, text: str | None) -> Nets:
    ledger = load_claims(slug)
    paths = {name: chapter_dir(slug) / "results" / f"{name}.json" for name in {c.record for c in ledger.claims} if name}
    records = {name: committed_record(path) if path.is_file() else None for name, path in paths.items()}
    document = load_yaml(chapter_dir(slug) / "claims.yaml", "claims")
    return Nets(document, ledger, records, PaperNumbers(text) if text else None)


@pytest.mark.mirror
@pytest.mark.parametrize("slug", SLUGS)
def test_each_printed_number_stands_in_the_paper(slug: str, text_of: Callable[[str], str]) -> None:
    there = nets(slug, text_of(slug))
    assert there.paper is not None
    missing = {n.name for n in printed_numbers(there.document) if not there.paper.holds(n.value, n.row)}
    assert missing == set(ELSEWHERE.get(slug, {}))


@pytest.mark.mirror
@pytest.mark.parametrize("slug", SLUGS)
def test_each_change_of_a_printed_number_turns_something_red(slug: str, text_of: Callable[[str], str]) -> None:
    there = nets(slug, text_of(slug))
    caught = {n.name: [there.catch(n, value) for value in changes(n.value)] for n in printed_numbers(there.document)}
    loose = {name for name, found in caught.items() if not any(found)}
    assert loose - {name for chapter, name, _ in DERIVED if chapter == slug} == LOOSE.get(slug, set())
    every = [found for each in caught.values() for found in each]
    assert sum(every) >= 0.8 * len(every)


@pytest.mark.parametrize(
    ("slug", "name", "follows"), DERIVED, ids=lambda value: value if isinstance(value, str) else ""
)
def test_what_follows_from_printed_numbers_is_what_is_said(
    slug: str, name: str, follows: Callable[[dict[str, Any]], float]
) -> None:
    [claim] = [claim for claim in load_claims(slug).claims if claim.id == name]
    printed = with_numbers(nets(slug, None).document["printed"])
    assert claim.value == pytest.approx(follows(printed), abs=claim.rounding + 1e-9)


def test_cells_of_table_4_of_weat_are_as_many_and_as_much_as_in_the_scan() -> None:
    """Of one model; those of the others, in `test_table_4`, were added up from the scan."""
    claims = [c for c in load_claims("weat_measures").claims if c.cell and c.cell.grid.startswith("t4-word2vec")]
    values = [claim.value for claim in claims if claim.value is not None]
    assert (len(values), round(sum(values), 2)) == (163, 140.8)


def test_a_change_is_caught_by_each_net() -> None:
    paper = PaperNumbers("Table: 82.67 and 7. Later 82.76 of 1,457 texts, 33 % of them; 5, 428 pairs")
    assert paper.holds(82.67, (82.67, 7)) and not paper.holds(82.76, (82.67, 7)) and paper.holds(82.76, (82.76,))
    assert paper.holds(1457, (1457,)) and paper.holds(0.33, (0.33,)) and paper.holds(5428, (5428,))
    assert doctest.testmod(printed_changes).failed == 0
