"""TACRED from a folder of one's own, on a made-up file of its form."""

import json
from pathlib import Path
from typing import Any

import pytest
from refusals import assert_refused

from trustnlp.data.registry import DataError
from trustnlp.data.relations.relation_examples import RelationExample, Span
from trustnlp.data.relations.tacred import PARTS, read_tacred

ITEM: dict[str, Any] = {
    "id": "made-1",
    "docid": "none",
    "relation": "per:title",
    "token": ["King", "Ludd", "-LRB-", "left", ".", "He", "slept"],
    "subj_start": 1,
    "subj_end": 1,
    "obj_start": 0,
    "obj_end": 0,
    "subj_type": "PERSON",
    "obj_type": "TITLE",
    "stanford_pos": ["NN", "NNP", "-LRB-", "VBD", ".", "PRP", "VBD"],
    "stanford_ner": ["TITLE", "PERSON", "O", "O", "O", "O", "O"],
    "stanford_head": ["2", "4", "4", "0", "4", "7", "0"],
    "stanford_deprel": ["compound", "nsubj", "punct", "ROOT", "punct", "nsubj", "ROOT"],
}


def write(folder: Path, items: Any) -> None:
    for part in PARTS:
        (folder / f"{part}.json").write_text(items if isinstance(items, str) else json.dumps(items), encoding="utf-8")


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv("TRUSTNLP_TACRED", str(tmp_path))
    return tmp_path


def test_an_item_is_an_example_with_one_tree_and_no_lemmas(folder):
    write(folder, [ITEM, {**ITEM, "id": "made-2", "relation": "no_relation"}])
    first, second = read_tacred("test")
    assert first == RelationExample(
        id="made-1",
        tokens=tuple(ITEM["token"]),
        subject=Span(1, 2),
        object=Span(0, 1),
        relation="per:title",
        subject_type="PERSON",
        object_type="TITLE",
        tags=tuple(ITEM["stanford_pos"]),
        ner=tuple(ITEM["stanford_ner"]),
        heads=(1, 3, 3, -1, 3, 6, 3),
        dependencies=("compound", "nsubj", "punct", "ROOT", "punct", "nsubj", "parataxis"),
    )
    assert (second.id, second.relation, second.lemmas) == ("made-2", "no_relation", ())


def test_without_the_data_licence_and_variable_are_named(folder, monkeypatch):
    with pytest.raises(DataError, match=r"train\.json cannot be read.*train\.json, dev\.json, test\.json"):
        read_tacred("train")
    for value, problem in (("", "is not set"), (str(folder / "gone"), "gone is not a folder")):
        monkeypatch.setenv("TRUSTNLP_TACRED", value)
        with pytest.raises(DataError, match=f"{problem}.*LDC2018T24; set TRUSTNLP_TACRED"):
            read_tacred("train")
    with pytest.raises(ValueError, match="part must be train, dev, test, got 'train_ssl'"):
        read_tacred("train_ssl")


def test_items_of_another_form_are_refused(folder):
    def attempt(items: Any) -> None:
        write(folder, items)
        read_tacred("dev")

    def item(**changed: Any) -> list[dict[str, Any]]:
        return [ITEM, {**ITEM, **changed}]

    rows = [
        ("[{", "dev.json is not the JSON of TACRED.*LDC2018T24"),
        ({}, "expected a list of items"),
        ([{key: value for key, value in ITEM.items() if key != "stanford_pos"}], "item 0.*'stanford_pos'"),
        (item(stanford_ner=["O"]), "item 1.*1 ner for 7 tokens"),
        (item(stanford_head=["2", "4", "4", "0", "4", "7", "x"]), "item 1.*ValueError"),
        (item(stanford_head=["2", "1", "4", "0", "4", "7", "0"]), "item 1.*no tree"),
        (item(obj_start=1, obj_end=2), "item 1.*overlap"),
    ]
    assert_refused(attempt, rows, error=DataError)
