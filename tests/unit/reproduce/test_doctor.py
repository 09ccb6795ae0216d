"""What `trustnlp doctor` says of packages that are not there."""

import sys
from importlib import metadata

import pytest
import torch

from trustnlp.reproduce import doctor


@pytest.mark.parametrize(("extra", "state"), [("records", "note"), ("graphs", "note"), ("run", "bad")])
def test_a_missing_package_is_named_with_the_command_and_the_compiler_if_it_needs_one(monkeypatch, extra, state):
    absent = doctor._needed()[f"trustnlp[{extra}]"][-1]

    def version(name):
        if name == absent:
            raise metadata.PackageNotFoundError(name)
        return "1.0"

    monkeypatch.setattr(metadata, "version", version)
    (finding,) = [finding for finding in doctor._packages() if "missing" in finding.text]
    assert finding.state == state
    assert f"missing {absent}: pip install 'trustnlp[{extra}]'" in finding.text
    assert ("C compiler" in finding.text) == (extra == "records")


def test_torch_that_cannot_be_imported_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    finding = list(doctor._machine())[-1]
    assert finding.topic == "device" and finding.state == "bad" and "torch cannot be imported" in finding.text
    assert finding.text.endswith(doctor.CPU_BUILD)


@pytest.mark.parametrize("cuda", [None, "13.0"])
def test_cuda_without_a_card_is_told_with_the_smaller_build(monkeypatch, cuda):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)
    monkeypatch.setattr(torch.version, "cuda", cuda)
    assert doctor._device().startswith("cpu (torch ") and (doctor.CPU_BUILD in doctor._device()) == bool(cuda)
