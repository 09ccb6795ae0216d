"""WiC: the real parts, tokens at their indices, and what is refused."""

from refusals import assert_refused

from trustnlp.data.words import words_in_context
from trustnlp.data.words.words_in_context import Occurrence, read_words_in_context

DATA = "bank\tN\t1-0\tThe bank\u00a0, closed .\tBanks lend .\nrun\tV\t0-1\tRun .\tHe ran .\n"
GOLD = "T\nF\n"


def test_the_real_parts_are_balanced_and_many_tokens_are_inflected(mirror):
    parts = read_words_in_context()
    assert {part: len(pairs) for part, pairs in parts.items()} == {"train": 5428, "dev": 638, "test": 1400}
    for pairs in parts.values():
        assert sum(pair.same for pair in pairs) == len(pairs) / 2
        inflected = [pair for pair in pairs if {pair.first.token.lower(), pair.second.token.lower()} != {pair.lemma}]
        assert 1 / 3 < len(inflected) / len(pairs) < 0.4
        assert {pair.part_of_speech for pair in pairs} == {"n", "v"}
    assert len({pair.lemma for pair in parts["train"]} & {pair.lemma for pair in parts["dev"]}) == 229


def test_tokens_are_cut_at_blanks_and_found_by_their_index(offer):
    parts = ("train", "dev", "test")
    offer(words_in_context, **{f"{part}_data": DATA for part in parts}, **{f"{part}_gold": GOLD for part in parts})
    bank, run = read_words_in_context()["dev"]
    assert (bank.lemma, bank.part_of_speech, bank.same) == ("bank", "n", True)
    assert bank.first == Occurrence(("The", "bank\u00a0,", "closed", "."), 1)
    assert (bank.second.token, run.first.token, run.second.token) == ("Banks", "Run", "ran")
    assert (run.part_of_speech, run.same) == ("v", False)


def test_an_occurrence_points_into_its_text():
    assert Occurrence(("a", "b"), 1).token == "b"
    assert_refused(lambda index: Occurrence(("a", "b"), index), [(2, "outside"), (-1, "outside")])
