"""Exported stimulus vectors: out and in again, by the function and by the command, and what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from trustnlp.bias import weat
from trustnlp.data.registry import DataError
from trustnlp.data.words.weat_stimuli import WeatTest
from trustnlp.embeddings.static import WordVectors
from trustnlp.studies.weat_measures import data


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TRUSTNLP_STIMULI", str(tmp_path / "stimuli"))
    return tmp_path / "stimuli"


def test_exported_vectors_give_the_same_tests(googlenews: WordVectors, weat_tests: dict[int, WeatTest]) -> None:
    path = data.write_stimulus_vectors(googlenews, "word2vec", "the wheel of wefe")
    assert path == data.stimulus_path("word2vec") and path.stat().st_size < 1_000_000
    assert [p.name for p in path.parent.iterdir()] == ["word2vec.npz"], "no part is left behind"
    exported, told = data.read_stimulus_vectors("word2vec")
    assert set(exported) == {word for word in data.stimuli() if word in googlenews}
    assert len(exported) == len(data.stimuli()) - 2  # axe and Billy
    assert "the wheel of wefe, sha256 " in told
    for number in (1, 6, 10):
        assert weat(exported, weat_tests[number]) == weat(googlenews, weat_tests[number])


def test_the_command_reads_a_text_file(tmp_path: Path, googlenews: WordVectors, capsys: pytest.CaptureFixture) -> None:
    text = tmp_path / "glove.txt"
    words = ["rose", "Amy", "xylophone"]
    rows = {word: np.arange(3.0) + i for i, word in enumerate(words, start=1)}
    text.write_text("".join(f"{word} {' '.join(map(str, row))}\n" for word, row in rows.items()), encoding="utf-8")
    path = data.main(["glove", "--vectors", str(text)])
    assert f"{path}: " in capsys.readouterr().out
    vectors, told = data.read_stimulus_vectors("glove")
    assert set(vectors) == {"rose", "Amy"} and told.startswith("glove: exported stimulus vectors, from glove.txt")
    np.testing.assert_array_equal(vectors["Amy"], rows["Amy"])


@pytest.mark.slow
def test_the_command_encodes_words_alone() -> None:
    data.main(["minilm.cls", "--encoder", "all-MiniLM-L6-v2"])
    vectors, told = data.read_stimulus_vectors("minilm.cls")
    assert len(vectors) == len(data.stimuli()) and vectors.dim == 384 and "cls_last_four" in told


def test_what_cannot_be_is_explained(folder: Path, capsys: pytest.CaptureFixture) -> None:
    with pytest.raises(DataError, match=r"no exported stimulus vectors of elmo .*weat_measures.data elmo --vectors"):
        data.read_stimulus_vectors("elmo")
    folder.mkdir()
    (folder / "elmo.npz").write_bytes(b"no archive")
    with pytest.raises(DataError, match="is no file of stimulus vectors"):
        data.read_stimulus_vectors("elmo")
    with pytest.raises(DataError, match="none of the"):
        data.write_stimulus_vectors({"xylophone": np.ones(3)}, "mine", "here")
    for given, told in (([], "--vectors --encoder is required"), (["--encoder", "gpt2"], "ends with its pooling")):
        with pytest.raises(SystemExit):
            data.main(["gpt2", *given])
        assert told in capsys.readouterr().err
