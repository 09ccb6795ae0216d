"""Five tasks of GLUE (Wang et al. 2019), with the metric and the part that a score is computed on.

Arnold, Yesilbas and Weinzierl (2023), §4.2 and Table 2, fine-tune BERT on eight tasks; QQP, MNLI and QNLI are not here.
GLUE's own test labels are not public, so the evaluation part is, for each task:

=========  ============  ==================================================  ======
task       metric        evaluation                                          rows
=========  ============  ==================================================  ======
`cola`     `mcc`         dev, the rows in domain, then those out of domain   527 + 516
`sst2`     `accuracy`    dev                                                 872
`mrpc`     `accuracy`    test of the corpus (GLUE's dev is not marked)       1,725
`stsb`     `spearman`    dev                                                 1,500
`rte`      `accuracy`    dev                                                 277
=========  ============  ==================================================  ======

GLUE cuts its dev part of MRPC, 408 pairs, out of the 4,076 that are the training part here. Which part the paper means
by its scores it does not say.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from trustnlp.data.damage import as_described
from trustnlp.data.registry import DataError
from trustnlp.data.store import fetch
from trustnlp.data.unquoted_tables import read_unquoted

Metric = Literal["mcc", "accuracy", "spearman"]
TASKS = ("cola", "sst2", "mrpc", "stsb", "rte")
HIGHEST_RATING = 5.0


@dataclass(frozen=True, eq=False)
class GluePart:
    """Texts, or pairs of texts, and what is to be predicted of each, in the order of the file.

    Attributes
    ----------
    texts
        Without blanks at their ends.
    second_texts
        The other text of each pair; None where a row is a single text.
    targets
        `(n,)` labels `0..k-1` as int64, or ratings from 0 to 5 as float64.
    """

    texts: tuple[str, ...]
    second_texts: tuple[str, ...] | None
    targets: NDArray[np.int64] | NDArray[np.float64]

    def __post_init__(self) -> None:
        targets = np.array(self.targets)
        pairs = self.texts if self.second_texts is None else self.second_texts
        if targets.shape != (len(self.texts),) or len(pairs) != len(self.texts):
            raise ValueError(
                f"{len(self.texts)} texts need as many second texts, or None, and as many targets, got {len(pairs)} "
                f"second texts and targets of shape {targets.shape}"
            )
        targets.setflags(write=False)
        object.__setattr__(self, "targets", targets)

    def __len__(self) -> int:
        return len(self.texts)


@dataclass(frozen=True, eq=False)
class GlueTask:
    """A task of GLUE.

    Attributes
    ----------
    metric
        `mcc` (Matthews' correlation), `accuracy`, or `spearman` (rank correlation).
    evaluated_on
        Which published part `evaluation` is.
    label_names
        Name of each label; None where the targets are ratings.
    """

    name: str
    metric: Metric
    evaluated_on: str
    label_names: tuple[str, ...] | None
    train: GluePart
    evaluation: GluePart


@dataclass(frozen=True)
class _Table:
    """Where the cells of a task's tables are: the labels as written, in the order of their numbers."""

    columns: int
    header: str | None
    text: int
    second_text: int | None
    label: int
    labels: tuple[str, ...]
    names: tuple[str, ...]


_BINARY = ("0", "1")
_RTE = ("entailment", "not_entailment")
_TABLES = {
    # The second column repeats the label as a linguist's mark; in one row of the training part it does not.
    "cola": _Table(4, None, 3, None, 1, _BINARY, ("unacceptable", "acceptable")),
    "sst2": _Table(2, "sentence\tlabel", 0, None, 1, _BINARY, ("negative", "positive")),
    "mrpc": _Table(5, "Quality\t#1 ID\t#2 ID\t#1 String\t#2 String", 3, 4, 0, _BINARY, ("different", "paraphrase")),
    "rte": _Table(4, "index\tsentence1\tsentence2\tlabel", 1, 2, 3, _RTE, _RTE),
}
_METRICS: dict[str, Metric] = {"cola": "mcc", "stsb": "spearman"}
_EVALUATED_ON = {"cola": "dev, in domain and out of domain", "mrpc": "test"}
_EVALUATION_KEYS = {"cola": ("dev_in_domain", "dev_out_of_domain"), "mrpc": ("test",)}


def read_glue(task: str) -> GlueTask:
    """Fetch and read one of the tasks (data set `glue_<task>` of the registry).

    Parameters
    ----------
    task
        `cola`, `sst2`, `mrpc`, `stsb` or `rte`.

    Raises
    ------
    DataError
        If it is not one of the tasks, or it cannot be fetched or read.
    """
    if task not in TASKS:
        raise DataError(f"{task!r} is not a task of GLUE that is read here; choose from {', '.join(TASKS)}")
    paths = fetch(f"glue_{task}")
    with as_described(f"glue_{task}", paths):
        return GlueTask(
            task,
            _METRICS.get(task, "accuracy"),
            _EVALUATED_ON.get(task, "dev"),
            _TABLES[task].names if task in _TABLES else None,
            _read_part(task, paths, ["train"]),
            _read_part(task, paths, _EVALUATION_KEYS.get(task, ("dev",))),
        )


def _read_part(task: str, paths: Mapping[str, Path], keys: Sequence[str]) -> GluePart:
    if task == "stsb":
        [key] = keys
        return _read_ratings(paths[key])
    table = _TABLES[task]
    texts: list[str] = []
    second_texts: list[str] = []
    targets: list[int] = []
    for key in keys:
        rows = read_unquoted(
            paths[key],
            table.columns,
            header=table.header,
            marked=task == "mrpc",
            ended=key != "dev_out_of_domain",
        )
        for number, row in enumerate(rows, start=1):
            if row[table.label] not in table.labels:
                raise ValueError(
                    f"{paths[key].name}, row {number}: expected a label out of {', '.join(table.labels)}, got "
                    f"{row[table.label]!r}"
                )
            targets.append(table.labels.index(row[table.label]))
            texts.append(_text(row[table.text], paths[key], number))
            if table.second_text is not None:
                second_texts.append(_text(row[table.second_text], paths[key], number))
    second = None if table.second_text is None else tuple(second_texts)
    return GluePart(tuple(texts), second, np.array(targets, dtype=np.int64))


def _read_ratings(path: Path) -> GluePart:
    """STS-B: comma-separated, quoted where a text has a comma, without a header."""
    content = path.read_bytes().decode("utf-8")
    if content.startswith("\ufeff"):
        raise ValueError(f"{path.name} starts with a byte order mark, which would become part of its first text")
    if not content.endswith("\n"):
        raise ValueError(f"{path.name} ends in the middle of a line")
    rows = list(csv.reader(io.StringIO(content, newline=""), strict=True))
    texts, second_texts, ratings = [], [], []
    for number, row in enumerate(rows, start=1):
        if len(row) != 3:
            raise ValueError(f"{path.name}, row {number}: {len(row)} columns, expected 3")
        texts.append(_text(row[0], path, number))
        second_texts.append(_text(row[1], path, number))
        rating = float(row[2])
        if not 0 <= rating <= HIGHEST_RATING:
            raise ValueError(f"{path.name}, row {number}: expected a rating of 0 to 5, got {row[2]}")
        ratings.append(rating)
    return GluePart(tuple(texts), tuple(second_texts), np.array(ratings))


def _text(cell: str, path: Path, number: int) -> str:
    if not cell.strip():
        raise ValueError(f"{path.name}, row {number}: a text is empty")
    return cell.strip()
