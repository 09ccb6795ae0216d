"""Five tasks of GLUE: sizes and class shares of the real files, their formats, and what is refused."""

import numpy as np
import pytest
from refusals import assert_refused

from trustnlp.data.registry import DataError
from trustnlp.data.texts import glue
from trustnlp.data.texts.glue import GluePart, GlueTask, read_glue

MRPC = "\ufeffQuality\t#1 ID\t#2 ID\t#1 String\t#2 String\n"
RTE = "index\tsentence1\tsentence2\tlabel\n"
GOOD = {
    "cola": {
        "train": "x\t0\t\tBad was.\nx\t1\t\tIt was.\n",
        "dev_in_domain": "x\t1\t\tGood.\n",
        "dev_out_of_domain": "y\t0\t*\tThe.\ny\t1\t \tShe sleeps. ",
    },
    "sst2": {"train": "sentence\tlabel\nfine \t1\n", "dev": "sentence\tlabel\nbad \t0\n"},
    "mrpc": {
        "train": MRPC + '1\t1\t2\t"Yes," he said.\tHe agreed.\n0\t3\t4\t"No\tYes\n',
        "test": MRPC + "0\t5\t6\tA b.\tC d.\n",
    },
    "stsb": {"train": '"A, b.",C.,2.5\r\nD.,"E ""e"".",5.0\r\n', "dev": "F.,G.,0.0\r\n"},
    "rte": {"train": RTE + "0\tA.\tB.\tnot_entailment\n", "dev": RTE + "0\tC.\tD.\tentailment\n"},
}


@pytest.mark.parametrize(
    ("task", "metric", "sizes", "larger"),
    [
        ("cola", "mcc", (8551, 1043), 0.689),
        ("sst2", "accuracy", (67349, 872), 0.509),
        ("mrpc", "accuracy", (4076, 1725), 0.665),
        ("stsb", "spearman", (5749, 1500), None),
        ("rte", "accuracy", (2490, 277), 0.527),
    ],
)
def test_real_sizes_and_the_share_of_the_larger_class(mirror, task, metric, sizes, larger):
    read = read_glue(task)
    assert (read.metric, (len(read.train), len(read.evaluation))) == (metric, sizes)
    if larger is None:
        assert read.evaluation.targets.mean() == pytest.approx(2.364, abs=5e-4)
    else:
        assert (np.bincount(read.evaluation.targets) / sizes[1]).max() == pytest.approx(larger, abs=5e-4)


def test_the_real_dev_part_of_cola_is_the_two_domains_in_turn(mirror):
    targets = read_glue("cola").evaluation.targets
    assert (targets[:527].mean(), targets[527:].mean()) == pytest.approx((365 / 527, 354 / 516))


def read(offer, task: str, **files: str) -> GlueTask:
    offer(glue, **GOOD[task] | files)
    return read_glue(task)


def test_sentences_of_both_domains_with_the_label_and_not_the_mark(offer):
    task = read(offer, "cola")
    assert task.evaluation.texts == ("Good.", "The.", "She sleeps.") and task.evaluation.second_texts is None
    assert task.evaluation.targets.tolist() == [1, 0, 1] and task.train.targets.tolist() == [0, 1]
    assert (task.name, task.metric, task.evaluated_on) == ("cola", "mcc", "dev, in domain and out of domain")
    assert task.label_names == ("unacceptable", "acceptable")


def test_quotation_marks_lose_no_pair(offer):
    task = read(offer, "mrpc")
    assert task.train.texts == ('"Yes," he said.', '"No')
    assert task.train.second_texts == ("He agreed.", "Yes")
    assert (task.train.targets.tolist(), task.evaluated_on) == ([1, 0], "test")


def test_ratings_are_quoted_where_a_text_has_a_comma(offer):
    task = read(offer, "stsb")
    assert (task.train.texts, task.train.second_texts) == (("A, b.", "D."), ("C.", 'E "e".'))
    assert task.train.targets.tolist() == [2.5, 5.0] and task.train.targets.dtype == np.float64
    assert (task.metric, task.label_names) == ("spearman", None)


def test_labels_are_numbered_by_their_names(offer):
    task = read(offer, "rte")
    assert task.label_names is not None
    assert task.label_names[task.train.targets[0]] == "not_entailment"
    assert task.label_names[task.evaluation.targets[0]] == "entailment"
    task = read(offer, "sst2")
    assert task.label_names == ("negative", "positive")
    assert (task.train.texts, task.evaluation.targets.tolist()) == (("fine",), [0])


def test_damaged_files_are_refused(offer):
    rows = [
        ("sst2", "dev", "sentence\tlabel\nfine\t2\n", "dev, row 1: expected a label out of 0, 1, got '2'"),
        ("sst2", "train", "fine\t1\n", "has the header"),
        ("sst2", "train", "sentence\tlabel\n \t1\n", "row 1: a text is empty"),
        ("rte", "dev", RTE + "0\tC.\tD.\tneutral\n", "out of entailment, not_entailment, got 'neutral'"),
        ("stsb", "dev", "F.,G.,5.5\r\n", "row 1: expected a rating.* got 5.5.*trustnlp data fetch glue_stsb"),
        ("stsb", "dev", "F.,G.,nan\r\n", "a rating of 0 to 5"),
        ("stsb", "dev", "F.,G.\r\n", "2 columns, expected 3"),
        ("stsb", "dev", "F.,G.,1.0\r\nH.,I.,", "ends in the middle of a line"),
        ("stsb", "dev", "\ufeffF.,G.,1.0\r\n", "byte order mark"),
        ("stsb", "dev", 'F.,"G.,1.0\r\n', "unexpected end of data"),
    ]
    assert_refused(lambda task, key, content: read(offer, task, **{key: content}), rows, error=DataError)


def test_an_unknown_task_is_refused():
    assert_refused(read_glue, [("qqp", DataError, "choose from cola, sst2, mrpc, stsb, rte")])


def test_a_part_has_as_many_targets_as_texts_and_keeps_them():
    part = GluePart(("a", "b"), None, np.array([0, 1]))
    with pytest.raises(ValueError, match="read-only"):
        part.targets[0] = 1
    assert_refused(
        lambda second, targets: GluePart(("a", "b"), second, np.array(targets)),
        [(None, [0], "2 texts need"), (("c",), [0, 1], "2 texts need"), ((), [0, 1], "2 texts need")],
    )
