"""WiC: the real parts, tokens at their indices, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from refusals import assert_refused

from trustnlp.data.registry import DataError
from trustnlp.data.words import words_in_context
from trustnlp.data.words.words_in_context import ContextPair, Occurrence, read_words_in_context

DATA = "bank\tN\t1-0\tThe bank\u00a0, closed .\tBanks lend .\nrun\tV\t0-1\tRun .\tHe ran .\n"
GOLD = "T\nF\n"


@pytest.mark.mirror
def test_the_real_parts_are_balanced_and_many_tokens_are_inflected(mirror: Path) -> None:
    parts = read_words_in_context()
    assert {part: len(pairs) for part, pairs in parts.items()} == {"train": 5428, "dev": 638, "test": 1400}
    for pairs in parts.values():
        assert sum(pair.same for pair in pairs) == len(pairs) / 2
        inflected = [pair for pair in pairs if {pair.first.token.lower(), pair.second.token.lower()} != {pair.lemma}]
        assert 1 / 3 < len(inflected) / len(pairs) < 0.4
        assert {pair.part_of_speech for pair in pairs} == {"n", "v"}
    assert len({pair.lemma for pair in parts["train"]} & {pair.lemma for pair in parts["dev"]}) == 229


def read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, data: str = DATA, gold: str = GOLD
) -> dict[str, tuple[ContextPair, ...]]:
    files = {
        f"{part}_{kind}": tmp_path / f"{part}.{kind}.txt"
        for part in ("train", "dev", "test")
        for kind in ("data", "gold")
    }
    for key, path in files.items():
        good = DATA if key.endswith("data") else GOLD
        path.write_text({"dev_data": data, "dev_gold": gold}.get(key, good), encoding="utf-8", newline="")
    monkeypatch.setattr(words_in_context, "fetch", lambda name: files)
    return read_words_in_context()


def test_tokens_are_cut_at_blanks_and_found_by_their_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bank, run = read(tmp_path, monkeypatch)["dev"]
    assert (bank.lemma, bank.part_of_speech, bank.same) == ("bank", "n", True)
    assert bank.first == Occurrence(("The", "bank\u00a0,", "closed", "."), 1)
    assert (bank.second.token, run.first.token, run.second.token) == ("Banks", "Run", "ran")
    assert (run.part_of_speech, run.same) == ("v", False)


def test_damaged_parts_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert_refused(
        lambda data, gold: read(tmp_path, monkeypatch, data, gold),
        [
            (DATA, "T\n", "dev.data.txt has 2 rows, dev.gold.txt has 1 labels"),
            (DATA, "T\nX\n", "line 2: expected a word, N or V, and T or F, got 'run', 'V' and 'X'"),
            (DATA, "T\nF", "dev.gold.txt ends in the middle of a line"),
            (DATA[:-3], GOLD, "dev.data.txt ends in the middle.*trustnlp data fetch wic"),
            (DATA.replace("1-0", "4-0"), GOLD, "line 1: index 4 lies outside a context of 4 tokens"),
            (DATA.replace("1-0", "-1-0"), GOLD, "two indices such as 2-5, got '-1-0'"),
            (DATA.replace("1-0", "1"), GOLD, "two indices"),
            (DATA.replace("\tN\t", "\tA\t"), GOLD, "expected a word, N or V"),
            (DATA.replace("bank\tN", "\tN"), GOLD, "expected a word"),
            (DATA.replace("\tBanks", " Banks"), GOLD, "line 1: 4 columns, expected 5"),
            ("\ufeff" + DATA, GOLD, "byte order mark"),
        ],
        error=DataError,
    )


def test_an_occurrence_points_into_its_text() -> None:
    assert Occurrence(("a", "b"), 1).token == "b"
    assert_refused(lambda index: Occurrence(("a", "b"), index), [(2, "outside"), (-1, "outside")])
