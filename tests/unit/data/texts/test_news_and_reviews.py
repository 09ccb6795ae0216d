"""AG News and Yelp sentences: the real files, and balanced cuts."""

import numpy as np
import pytest
from refusals import assert_refused

from trustnlp.data.texts import news_and_reviews
from trustnlp.data.texts.news_and_reviews import balanced_split, planted_polarity, read_ag_news, read_yelp_polarity
from trustnlp.data.texts.sentence_sets import Sentences, SentenceSet


def test_the_news_are_those_of_the_manifest(mirror):
    news = read_ag_news()
    assert news.counts("train") == (2509, 2458, 2496, 2538)
    assert news.counts("test") == (1900, 1900, 1900, 1900)
    train = {text.strip() for text in news.train.texts}
    assert sum(text.strip() in train for text in news.splits["test"].texts) == 9


def test_the_sentences_are_those_of_the_manifest(mirror):
    reviews = read_yelp_polarity()
    assert reviews.counts("train") == (25278, 38205)
    assert reviews.counts("test") == (50278, 76392)


NEWS = {
    "train": 'The "Reds" win.\tSports\nShares fall\tBusiness\n',
    "test": '"4","A title","A chip, small"\n"1","T","He said ""no"""\n',
}


def test_titles_are_left_out_and_quotation_marks_kept(offer):
    offer(news_and_reviews, **NEWS)
    news = read_ag_news()
    assert news.train.texts == ('The "Reds" win.', "Shares fall")
    assert news.train.labels.tolist() == [1, 2]
    assert news.splits["test"].texts == ("A chip, small", 'He said "no"')
    assert news.splits["test"].labels.tolist() == [3, 0]


def test_dev_files_train_and_empty_lines_are_skipped(offer):
    dev = {"dev_0": "dev was bad\n\n", "dev_1": "dev was good\nnice\n"}
    offer(news_and_reviews, **dev, test_0="test was bad\n\n", test_1="test was good\nnice\n")
    reviews = read_yelp_polarity()
    assert reviews.train.texts == ("dev was bad", "dev was good", "nice")
    assert reviews.splits["test"].labels.tolist() == [0, 1, 1]


def whole(train: dict[str, int], test: dict[str, int]) -> SentenceSet:
    parts = [Sentences(tuple(rows), np.array(list(rows.values()))) for rows in (train, test)]
    return SentenceSet("made up", ("no", "yes"), train=parts[0], test=parts[1])


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_a_cut_is_balanced_distinct_and_takes_from_its_own_part_first():
    made_up = whole({f"a{i}": i % 2 for i in range(20)}, {f"b{i}": i % 2 for i in range(20)})
    cut = balanced_split(made_up, train=24, test=12, rng=rng())
    assert cut.counts("train") == (12, 12)
    assert cut.counts("test") == (6, 6)
    train, test = cut.train.texts, cut.splits["test"].texts
    assert len({*train, *test}) == 36
    assert sum(text.startswith("a") for text in train) == 20  # used up before any b
    assert all(text.startswith("b") for text in test)
    assert cut.train.labels.tolist() == [int(text[1:]) % 2 for text in train]


def test_a_text_counts_once_and_never_with_two_labels():
    made_up = whole({"x": 0, "y": 1, "both": 0, "twice": 1}, {" both ": 1, "twice ": 1, "u": 0, "v": 1})
    cut = balanced_split(made_up, train=2, test=2, rng=rng())
    assert "both" not in {*cut.train.texts, *cut.splits["test"].texts}
    with pytest.raises(ValueError, match="made up has 2 distinct texts of class no, not the 3 asked for"):
        balanced_split(made_up, train=4, test=2, rng=rng())


def test_equal_seeds_cut_alike_and_others_do_not():
    made_up = whole({f"a{i}": i % 2 for i in range(40)}, {})
    one, same, other = (balanced_split(made_up, train=20, test=10, rng=rng(s)).train.texts for s in (1, 1, 2))
    assert one == same != other


def test_sizes_that_cannot_be_balanced_are_refused():
    assert_refused(
        lambda sizes: balanced_split(whole({"x": 0, "y": 1}, {"u": 0, "v": 1}), rng=rng(), **sizes),
        [(sizes, "positive multiple of the 2 classes") for sizes in [{"train": 3, "test": 2}, {"train": 2, "test": 0}]],
    )


def test_counting_words_finds_the_planted_label():
    made_up, again, other = (planted_polarity(train=4000, test=50, rng=rng(seed)) for seed in (0, 0, 1))
    assert made_up.train.texts == again.train.texts != other.train.texts
    assert {len(text.split()) for text in made_up.train.texts} == {12}
    lead = np.array([text.count("good") - text.count("bad") for text in made_up.train.texts])
    telling = np.array([text.count("good") + text.count("bad") for text in made_up.train.texts])
    assert abs(telling.mean() - 4) < 0.1
    right = (np.sign(lead) == 2 * made_up.train.labels - 1).mean() + (lead == 0).mean() / 2
    # Twelve words: right with p = 4/15, wrong with 1/15, silent else; ties broken by a coin.
    assert abs(right - 0.895) < 0.02
    said = "train=5, test=0: each part needs at least one text"
    assert_refused(lambda test: planted_polarity(train=5, test=test, rng=rng()), [(0, said)])
