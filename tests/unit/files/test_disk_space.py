"""A full disk is told by its name where another program blames something else."""

import shutil
from collections import namedtuple

import pytest

from trustnlp.data.registry import DataError
from trustnlp.files.disk_space import full_disk
from trustnlp.tools.unreadable_files import fetch_problem

Usage = namedtuple("Usage", "total used free")


@pytest.mark.parametrize(
    ("free", "told", "found"), [(10, "", True), (2**40, "", False), (2**40, "OSError: [Errno 28] No space left", True)]
)
def test_the_disk_is_named_when_it_is_full_or_was(free, told, found, tmp_path, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(2**40, 0, free))
    said = full_disk(tmp_path / "not" / "there", told=told)
    assert (said is not None) == found and (not found or str(tmp_path) in str(said))


@pytest.mark.parametrize(
    ("free", "said"), [(2**40, "check the network"), (5 * 10**6, "(5.0 MB are free, 15.8 needed)")]
)
def test_pip_that_failed_on_a_full_disk(free, said, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(2**40, 0, free))
    assert said in fetch_problem(DataError("pip could not download wefe==1.0.1 from the index; check the network"))
