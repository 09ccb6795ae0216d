"""TACRED (Zhang et al. 2017), for whoever has it: its text is licensed and cannot be fetched.

Tang and Surdeanu (2021) report on it: 68,124, 22,631 and 15,509 pairs of entities, one of 41 relations or none. The
Linguistic Data Consortium licenses it as LDC2018T24. `TRUSTNLP_TACRED` names a folder with its `train.json`, `dev.json`
and `test.json`. Item i is what line i of the mapping files is about (`trustnlp.data.relations.rule_mappings`).

Tags, entity types and trees are CoreNLP's, as released. Lemmas are not in the files: the examples have none, and a rule
that asks for a lemma cannot match, as in the authors' mapping.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from trustnlp.data.annotation.corenlp_dependencies import one_tree
from trustnlp.data.registry import DataError
from trustnlp.data.relations.relation_examples import RelationExample, Span

PARTS = ("train", "dev", "test")
_COLUMNS = ("stanford_pos", "stanford_ner", "stanford_head", "stanford_deprel")
_FOLDER = "TRUSTNLP_TACRED"


def read_tacred(part: str) -> list[RelationExample]:
    """One part of TACRED, in the order of its file.

    Where a sentence was cut in two, later roots hang on the first one (`corenlp_dependencies.one_tree`).

    Raises
    ------
    DataError
        If `TRUSTNLP_TACRED` is not set or names no folder with the three files, or a file is not of TACRED's form;
        names file and item.
    ValueError
        If there is no such part.
    """
    if part not in PARTS:
        raise ValueError(f"part must be {', '.join(PARTS)}, got {part!r}")
    path = _folder() / f"{part}.json"
    try:
        items = json.loads(path.read_bytes().decode("utf-8"))
    except OSError as error:
        raise DataError(f"{path} cannot be read ({error.strerror}); {_FOLDER} must hold {_files()}") from error
    except ValueError as error:
        raise DataError(f"{path} is not the JSON of TACRED ({error}); unpack LDC2018T24 again") from error
    if not isinstance(items, list) or not items:
        raise DataError(f"{path} is not of TACRED's form: expected a list of items")
    return [_example(item, f"{path.name}, item {number}") for number, item in enumerate(items)]


def _folder() -> Path:
    named = os.environ.get(_FOLDER)
    if not named or not (folder := Path(named).expanduser()).is_dir():
        problem = f"{_FOLDER}={named} is not a folder" if named else f"{_FOLDER} is not set"
        raise DataError(
            f"TACRED is not here: {problem}. The Linguistic Data Consortium licenses it as LDC2018T24; set {_FOLDER} "
            f"to the folder with its {_files()}. KBP37 is the public corpus nearest to it "
            "(trustnlp.data.relations.kbp37)"
        )
    return folder


def _files() -> str:
    return ", ".join(f"{part}.json" for part in PARTS)


def _example(item: Mapping[str, Any], place: str) -> RelationExample:
    try:
        pos, ner, head, deprel = (item[name] for name in _COLUMNS)
        heads, dependencies = one_tree([int(number) - 1 for number in head], deprel)
        return RelationExample(
            id=str(item["id"]),
            tokens=tuple(item["token"]),
            subject=Span(item["subj_start"], item["subj_end"] + 1),
            object=Span(item["obj_start"], item["obj_end"] + 1),
            relation=item["relation"],
            subject_type=item["subj_type"],
            object_type=item["obj_type"],
            tags=tuple(pos),
            ner=tuple(ner),
            heads=tuple(heads),
            dependencies=tuple(dependencies),
        )
    except (LookupError, TypeError, ValueError) as error:
        raise DataError(f"{place} is not of TACRED's form ({type(error).__name__}: {error})") from error
