"""SST-2 with gold labels: sizes, how texts are written, and what is refused."""

import numpy as np
import pytest
from refusals import assert_refused

from trustnlp.data.registry import DataError
from trustnlp.data.texts import film_reviews, glue
from trustnlp.data.texts.film_reviews import Phrases, Sst2, read_sst2
from trustnlp.data.unquoted_tables import read_unquoted

GLUE = {"train": "sentence\tlabel\na fine film \t1\ndull \t0\n", "dev": "sentence\tlabel\nit 's dull . \t0\n"}


def read(offer, test: bytes = b"1 fine\n0 -lrb- bad\\/dull -rrb- .\n") -> Sst2:
    offer(glue, **GLUE)
    offer(film_reviews, test=test)
    return read_sst2()


def test_three_parts_with_texts_as_glue_writes_them(offer):
    sst2 = read(offer)
    assert list(sst2.splits) == ["train", "dev", "test"] and len(sst2) == 5
    assert sst2.train.texts == ("a fine film", "dull") and sst2.train.labels.tolist() == [1, 0]
    assert sst2.dev.texts == ("it 's dull .",) and sst2.dev.labels.dtype == np.int64
    assert sst2.test.texts == ("fine", "( bad/dull ) .") and sst2.test.labels.tolist() == [1, 0]


def test_damaged_test_parts_are_refused(offer):
    rows = [
        (b"2 fine\n", "line 1: expected 0 or 1"),
        (b"1 fine\n0 \n", "line 2: expected 0 or 1.*trustnlp data fetch sst2_test"),
    ]
    assert_refused(lambda content: read(offer, content), rows, error=DataError)


def test_phrases_have_as_many_labels_of_two_kinds_and_keep_them():
    part = Phrases(("a", "b"), np.array([0, 1]))
    with pytest.raises(ValueError, match="read-only"):
        part.labels[0] = 1
    rows = [
        (("a", "b"), [0], "2 texts need as many labels"),
        (("a", "b"), [0, 2], r"0 \(negative\) or 1 \(positive\), got \[0, 2\]"),
        (("a", "b"), [0, -1], "or 1"),
        (("a", " "), [0, 1], "text 1 is empty"),
    ]
    assert_refused(lambda texts, labels: Phrases(texts, np.array(labels)), rows)


def test_real_sizes_and_gold_labels(mirror):
    sst2 = read_sst2()
    counts = {name: np.bincount(part.labels).tolist() for name, part in sst2.splits.items()}
    assert counts == {"train": [29780, 37569], "dev": [428, 444], "test": [912, 909]}
    assert all(text == " ".join(text.split()) for part in (sst2.dev, sst2.test) for text in part.texts)


def test_all_but_six_real_test_sentences_are_those_of_glue(mirror):
    rows = read_unquoted(mirror / "glue" / "sst2" / "test.tsv", 2, header="index\tsentence")
    assert len(set(read_sst2().test.texts) - {text.strip() for _, text in rows}) == 6
