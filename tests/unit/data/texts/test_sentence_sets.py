"""The five sets of sentences: sizes, labels and oddities of the real files, and what the reader refuses."""

import csv
import re

import numpy as np
import pytest
from refusals import assert_refused

from trustnlp.data.registry import DataError, dataset
from trustnlp.data.texts import sentence_sets
from trustnlp.data.texts.sentence_sets import LABEL_NAMES, Sentences, SentenceSet, count_labels, read_sentences


@pytest.mark.parametrize("name", LABEL_NAMES)
def test_sizes_and_class_counts_agree_with_the_manifest(mirror, name):
    with (mirror / "MANIFEST.tsv").open(encoding="utf-8", newline="") as stream:
        contents = {row["path"]: row["contents"] for row in csv.DictReader(stream, delimiter="\t", quoting=3)}
    sentences = read_sentences(name)
    for file in dataset(name).files:
        split = "train" if file.key == "sentences" else file.key
        assert file.mirror is not None
        counts = [int(count) for _, count in re.findall(r"\b(\d):(\d+)", contents[file.mirror])]
        assert list(sentences.counts(split)) == counts
        assert len(counts) == len(sentences.label_names)


def test_empty_rows_are_kept(mirror):
    empty = {
        name: [row for row, text in enumerate(read_sentences(name).train.texts) if not text] for name in LABEL_NAMES
    }
    assert empty == {"mr": [], "cr": [768, 1367, 3690, 3774], "mpqa": [6414, 7293, 10605], "sst5": [], "trec6": []}


def test_labels_mean_what_their_names_say(mirror):
    """A sentence of each set whose meaning is beyond doubt."""
    for name in ("mr", "cr", "mpqa"):
        part = read_sentences(name).train
        shares = {
            word: np.mean([label for text, label in zip(part.texts, part.labels, strict=True) if word in text.split()])
            for word in ("good", "bad")
        }
        assert shares["bad"] < part.labels.mean() < shares["good"], name
    trec = read_sentences("trec6").test
    assert trec is not None
    named = dict(zip(trec.texts, trec.labels, strict=True))
    for question, label in (
        ("How far is it from Denver to Aspen ?", "number"),
        ("What county is Modesto , California in ?", "location"),
        ("Who was Galileo ?", "human"),
        ("What is an atom ?", "description"),
    ):
        assert LABEL_NAMES["trec6"][named[question]] == label


def test_bytes_that_look_like_line_ends_stay_inside_sentences(mirror):
    raw = (mirror / "sentence_classification" / "rt-polarity.all").read_bytes()
    texts = read_sentences("mr").train.texts
    assert sum(text.count("\x85") for text in texts) == raw.count(b"\x85") == 23
    assert any("2\xa01" in text for text in read_sentences("sst5").train.texts), "UTF-8, not Latin-1"


def read(offer, name: str, **files: str | bytes) -> SentenceSet:
    offer(sentence_sets, **files)
    return read_sentences(name)


def test_a_file_is_read_as_it_stands(offer):
    sentences = read(offer, "cr", sentences=b"1 caf\xe9 , hmmm\x85might do\n0 \n1 no n't\n")
    assert sentences.train.texts == ("café , hmmm\x85might do", "", "no n't")
    assert sentences.train.labels.tolist() == [1, 0, 1]
    assert sentences.counts() == (1, 2) and len(sentences) == 3
    assert sentences.dev is None and sentences.test is None and list(sentences.splits) == ["train"]


def test_splits_keep_their_names(offer):
    sentences = read(offer, "sst5", test="4 c\n", dev="2 b\n0 b\n", train="1 é\n")
    labels = {split: labels.tolist() for split, labels in sentences.labels.items()}
    assert labels == {"train": [1], "dev": [2, 0], "test": [4]} and list(labels) == ["train", "dev", "test"]
    assert sentences.train.texts == ("é",)


def test_other_files_are_refused(offer):
    rows = [
        ("1 fine\n2 label too large\n", "line 2: expected a label from 0 to 1"),
        ("1 fine\n\n", "line 2"),
        ("good 1\n", "line 1"),
        ("", "line 1"),
    ]
    assert_refused(lambda content: read(offer, "mr", sentences=content), rows, error=DataError)
    with pytest.raises(DataError, match="train is not utf-8"):
        read(offer, "sst5", train=b"1 caf\xe9\n", dev="1 a\n", test="1 a\n")
    with pytest.raises(DataError, match="choose from mr, cr, mpqa, sst5, trec6"):
        read_sentences("subj")


def test_labels_cannot_be_changed_and_fit_the_texts():
    part = Sentences(("a", "b"), np.array([0, 1]))
    with pytest.raises(ValueError, match="read-only"):
        part.labels[0] = 1
    with pytest.raises(ValueError, match="2 texts need as many labels"):
        Sentences(("a", "b"), np.array([0]))
    assert count_labels([0, 2, 2], 4) == (1, 0, 2, 0)
