"""A record names the encoder that was loaded: by the files' hashes, and by a name that no folder can borrow."""

import hashlib
from pathlib import Path

import torch
from refusals import assert_refused
from transformers import BertConfig, BertModel

from trustnlp.data.registry import DataError, dataset
from trustnlp.encoders.identity import identify
from trustnlp.encoders.pretrained import MINILM
from trustnlp.reproduce import Record
from trustnlp.reproduce.claims.ledgers import Cap
from trustnlp.reproduce.claims.verdicts import Verdict, _applies


def save_bert(folder: Path, seed: int) -> Path:
    torch.manual_seed(seed)
    shape = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32}
    BertModel(BertConfig(vocab_size=12, **shape)).save_pretrained(folder)
    return folder


def recorded(name: str) -> dict[str, dict[str, str]]:
    record = Record("dpnr", "reproduction", profile="paper", parameters={"encoder": name})
    record.uses_encoder(name)
    part = record.to_json()
    return {"data": part["data"], "conditions": part["conditions"], "parameters": part["parameters"]}


def test_minilm_is_the_registered_data_set():
    files = {file.key: file.sha256 for file in dataset("minilm").files}
    assert recorded(MINILM)["data"] == {"minilm": files}
    assert recorded(MINILM)["conditions"] == {"encoder": MINILM}


def test_a_folder_is_named_by_its_weights_and_lifts_no_cap(tmp_path):
    folder = save_bert(tmp_path / "bert-base-uncased", 0)
    found = recorded(str(folder))
    [(name, files)] = found["data"].items()
    weights = (folder / "model.safetensors").read_bytes()
    assert files["model.safetensors"] == hashlib.sha256(weights).hexdigest() and "config.json" in files
    assert "minilm" not in name and str(tmp_path) not in name
    cap = Cap("encoder", {"encoder": ["bert-base-uncased", str(folder)]}, Verdict.DIRECTION, None, "another encoder")
    record = {"chapter": "dpnr", "notebook": "reproduction", **found}
    assert _applies(cap, record)


def test_other_weights_have_another_name(tmp_path):
    labels = {identify(str(save_bert(tmp_path / str(seed) / "same", seed))).label for seed in (0, 1)}
    assert len(labels) == 2


def test_what_has_no_weights_is_refused(tmp_path, monkeypatch):
    def offline(name: str, file: str) -> str:
        raise OSError(f"{name}/{file} cannot be had")

    (tmp_path / "config.json").write_text("{}")
    monkeypatch.setattr("transformers.utils.hub.cached_file", offline)
    rows = [(str(tmp_path), "holds no weights"), ("none/such", "'none/such' has no files to name")]
    assert_refused(identify, rows, error=DataError)


def test_two_encoders_are_not_one_condition(tmp_path):
    record = Record("weat_measures", "reproduction", profile="smoke")
    for name in (MINILM, str(save_bert(tmp_path / "other", 0))):
        record.uses_encoder(name, condition=None)
    assert len(record.to_json()["data"]) == 2 and record.to_json()["conditions"] == {}
