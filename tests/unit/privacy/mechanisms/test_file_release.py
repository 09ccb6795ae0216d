"""A file released line by line: killed, resumed, and never a mix of two runs."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import torch
from filelock import FileLock
from made_vocabularies import WORDS, Next, vocabulary

from trustnlp.files.user_text import TextFileError
from trustnlp.privacy.mechanisms import file_release
from trustnlp.privacy.mechanisms.file_release import FileReleaseError, privatise_file
from trustnlp.privacy.text.text_privatiser import TextPrivatiser, privatiser
from trustnlp.privacy.text.word_substitution import TruncatedExponential

LINES = ["The bank by the river.", "", "Anna walks!", "cash money cash money", "..."] * 40
RELEASED = ["River stream walks river bank.", "", "[UNK] the!", "n't cash n't cash", "..."] * 40


def made(**options: Any) -> TextPrivatiser:
    return privatiser(**{"vectors": vocabulary(), "mechanism": Next(), **options})


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "in.txt"
    path.write_text("\n".join(LINES) + "\n", encoding="utf-8")
    return path


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_release, "_WORDS", 20)


def beside(target: Path) -> list[str]:
    return sorted(path.name for path in target.parent.iterdir() if path.name.startswith(target.name))


def test_line_for_line(source: Path, tmp_path: Path) -> None:
    target = tmp_path / "out.txt"
    done = privatise_file(source, target, made())
    assert target.read_text(encoding="utf-8") == "\n".join(RELEASED) + "\n"
    assert beside(target) == ["out.txt"]
    assert (done.lines, done.words, done.unknown, done.kept_lines) == (200, 11 * 40, 40, 0)
    assert done.longest.words == 5


@pytest.mark.parametrize(
    ("content", "released"),
    [
        (b"the bank", b"river stream"),
        (b"\xef\xbb\xbfThe bank\r\n\r\nby\r\n", b"River stream\r\n\r\nwalks\r\n"),
        (b"\n", b"\n"),
    ],
)
def test_line_ends_stay(content: bytes, released: bytes, tmp_path: Path) -> None:
    (tmp_path / "in").write_bytes(content)
    privatise_file(tmp_path / "in", tmp_path / "out", made())
    assert (tmp_path / "out").read_bytes() == released


# --- a kill ----------------------------------------------------------------------------------------------------------

# Random words, so that a line drawn twice would be seen; after so many batches the mechanism never returns.
CHILD = """
import sys
import threading
from pathlib import Path

import torch
from made_vocabularies import Next, vocabulary

from trustnlp.privacy.mechanisms import file_release
from trustnlp.privacy.text.text_privatiser import privatiser

source, target, batches = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
file_release._WORDS = 20


class Next(Next):
    def __call__(self, rows, *, generator=None):
        if len(self.calls) == batches:
            threading.Event().wait()
        self.calls.append(len(rows))
        return torch.randint(self.size, rows.shape)


file_release.privatise_file(source, target, privatiser(vectors=vocabulary(), mechanism=Next()))
"""


def kill_after(batches: int, source: Path, target: Path) -> list[str]:
    """Lines that a child had written when it was killed in the middle of a batch."""
    part = target.with_name(f"{target.name}.part")
    command = [sys.executable, "-c", CHILD, str(source), str(target), str(batches)]
    paths = os.pathsep.join([str(Path(__file__).parents[3] / "made_up"), os.environ.get("PYTHONPATH", "")])
    with subprocess.Popen(command, env={"PYTHONPATH": paths}, stderr=subprocess.PIPE) as child:
        lines = 0
        while child.poll() is None:
            lines = part.read_bytes().count(b"\n") if part.exists() else 0
            if lines >= 8 * batches:  # 20 words are 8 to 10 of these lines
                break
            time.sleep(0.01)
        child.send_signal(signal.SIGKILL)
        assert child.stderr is not None
        errors = child.stderr.read()
    assert child.returncode == -signal.SIGKILL, errors.decode()
    return part.read_text(encoding="utf-8").split("\n")[:-1]


def test_a_killed_run_goes_on_and_keeps_every_line(source: Path, tmp_path: Path) -> None:
    target = tmp_path / "out.txt"
    batches = random.randint(1, 15)
    written = kill_after(batches, source, target)
    assert 8 * batches <= len(written) < 200 and not target.exists()
    part = target.with_name("out.txt.part")
    with part.open("ab") as stream:
        stream.write(b"a whole line\nhalf a lin")
    done = privatise_file(source, target, made())
    lines = target.read_text(encoding="utf-8").split("\n")
    assert lines[: len(written)] == written, f"after {batches} batches"
    assert lines[len(written)] == "a whole line"
    assert lines[len(written) + 1 :] == [*RELEASED[len(written) + 1 :], ""]
    assert (done.lines, done.words, done.unknown, done.kept_lines) == (200, 440, 40, len(written) + 1)
    assert beside(target) == ["out.txt"]


def stop_after(calls: int, source: Path, target: Path, **options: Any) -> None:
    """Leave an unfinished release."""

    class Stops(Next):
        def __call__(self, *args: Any, **kwargs: Any) -> Any:
            if len(self.calls) == calls:
                raise KeyboardInterrupt
            return super().__call__(*args, **kwargs)

    Stops.__name__ = "Next"
    with pytest.raises(KeyboardInterrupt):
        privatise_file(source, target, made(**{"mechanism": Stops(), **options}))


def test_only_lines_that_are_missing_are_drawn(source: Path, tmp_path: Path) -> None:
    stop_after(3, source, tmp_path / "out")
    written = (tmp_path / "out.part").read_bytes().count(b"\n")
    mechanism = Next()
    done = privatise_file(source, tmp_path / "out", made(mechanism=mechanism))
    assert done.kept_lines == written > 0
    known_per_line = [5, 0, 1, 4, 0] * 40
    assert sum(mechanism.calls) == sum(known_per_line[written:])


def test_other_work_is_refused_until_it_begins_again(source: Path, tmp_path: Path) -> None:
    target = tmp_path / "out"
    stop_after(2, source, target)
    before = (tmp_path / "out.part").read_bytes(), (tmp_path / "out.state.json").read_bytes()
    for options, difference in (
        ({"mechanism": Next(epsilon=2.0)}, "epsilon was 3.0, is 2.0"),
        ({"unknown": "drop"}, "unknown was 'mask', is 'drop'"),
        ({"mask": "#"}, r"mask was '\[UNK\]', is '#'"),
        ({"vectors": vocabulary().restrict([*WORDS[1:], WORDS[0]])}, "vectors was"),
    ):
        with pytest.raises(FileReleaseError, match=f"belongs to other work: .*{difference}.*begin again with restart"):
            privatise_file(source, target, made(**options))
    with source.open("a", encoding="utf-8") as stream:
        stream.write("more\n")
    with pytest.raises(FileReleaseError, match="the input is another one or was changed"):
        privatise_file(source, target, made())
    assert before == ((tmp_path / "out.part").read_bytes(), (tmp_path / "out.state.json").read_bytes())
    done = privatise_file(source, target, made(unknown="drop"), restart=True)
    assert (done.lines, done.kept_lines) == (201, 0) and "[UNK]" not in target.read_text()


def test_damage_is_refused(source: Path, tmp_path: Path) -> None:
    target, part, state = tmp_path / "out", tmp_path / "out.part", tmp_path / "out.state.json"
    stop_after(2, source, target)
    good_part, good_state = part.read_bytes(), state.read_bytes()

    def attempt(message: str) -> None:
        with pytest.raises(FileReleaseError, match=f"{message}.*begin again with restart"):
            privatise_file(source, target, made())
        part.write_bytes(good_part)
        state.write_bytes(good_state)

    part.write_bytes(good_part[:-1])
    attempt("out.part lacks lines that were written there")
    part.write_bytes(good_part.replace(b"\n", b" ", 1))  # as long, and a line of the input would be left out
    attempt("out.part lacks lines that were written there")
    part.write_bytes(good_part[:-1] + b"x\n")  # no line ends where one did
    state.write_text(json.dumps(json.loads(good_state) | {"lines_out": 1}))
    attempt("out.part lacks lines that were written there")
    part.unlink()
    attempt("out.part lacks lines that were written there")
    state.unlink()
    attempt("out.state.json is missing or damaged")
    state.write_bytes(good_state[:40])
    attempt("out.state.json is missing or damaged")
    state.write_text("[]")
    attempt("out.state.json is missing or damaged")
    part.write_bytes(good_part + b"more\n" * 300)
    attempt("of an input that has 200")
    assert privatise_file(source, target, made()).kept_lines > 0


def test_part_and_state_are_for_their_owner_alone(source: Path, tmp_path: Path) -> None:
    """The state holds a hash of the input, from which a short text can be guessed."""
    stop_after(2, source, tmp_path / "out")
    assert {path.stat().st_mode & 0o777 for path in tmp_path.glob("out.*") if path.suffix != ".lock"} == {0o600}
    privatise_file(source, tmp_path / "out", made())
    assert (tmp_path / "out").stat().st_mode & 0o777 != 0o600
    assert beside(tmp_path / "out") == ["out"]


def test_a_mechanism_of_other_candidates_or_another_threshold_is_other_work(source: Path, tmp_path: Path) -> None:
    """Class, ε and guarantee alone do not tell two mechanisms apart."""
    table = torch.tensor(vocabulary().matrix.copy())
    first = TruncatedExponential(table, 3.0, 0.5)
    others = (TruncatedExponential(table, 3.0, 0.25), TruncatedExponential(table * 2, 3.0, 0.5))
    known = made(mechanism=first).parameters()
    for other in others:
        assert made(mechanism=other).parameters() != known
    assert made(mechanism=TruncatedExponential(table, 3.0, 0.5)).parameters() == known


def test_nothing_is_thrown_away_before_the_input_is_known_to_be_good(source: Path, tmp_path: Path) -> None:
    stop_after(2, source, tmp_path / "out")
    before = (tmp_path / "out.part").read_bytes()
    source.write_bytes(b"caf\xe9\n")
    with pytest.raises(TextFileError, match="not UTF-8"):
        privatise_file(source, tmp_path / "out", made(), restart=True)
    assert (tmp_path / "out.part").read_bytes() == before


@pytest.mark.parametrize("ending", ["", ".part", ".state.json", ".lock"])
def test_an_input_that_would_be_overwritten_is_refused(ending: str, source: Path, tmp_path: Path) -> None:
    source.rename(tmp_path / f"out{ending}")
    place = tmp_path / "another name"
    place.symlink_to(tmp_path / f"out{ending}")
    with pytest.raises(FileReleaseError, match="would be overwritten"):
        privatise_file(place, tmp_path / "out", made(), restart=True)
    assert place.read_text(encoding="utf-8") == "\n".join(LINES) + "\n"


def test_a_file_that_appears_on_the_way_is_kept(source: Path, tmp_path: Path) -> None:
    class Writes(Next):
        def __call__(self, *args: Any, **kwargs: Any) -> Any:
            (tmp_path / "out").write_text("somebody else's")
            return super().__call__(*args, **kwargs)

    with pytest.raises(FileReleaseError, match="exists"):
        privatise_file(source, tmp_path / "out", made(mechanism=Writes()))
    assert (tmp_path / "out").read_text() == "somebody else's"


def test_an_input_that_changes_on_the_way_is_not_put_out(source: Path, tmp_path: Path) -> None:
    class Writes(Next):
        def __call__(self, *args: Any, **kwargs: Any) -> Any:
            with source.open("a", encoding="utf-8") as stream:
                stream.write("the\n")
            return super().__call__(*args, **kwargs)

    with pytest.raises(FileReleaseError, match="changed while it was released; nothing was put out"):
        privatise_file(source, tmp_path / "out", made(mechanism=Writes()))
    assert not (tmp_path / "out").exists()


def test_files_that_are_refused(source: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    (tmp_path / "latin").write_bytes(b"the bank\ncaf\xe9\n")
    for place, target, message in (
        (tmp_path / "nowhere", tmp_path / "out", "nowhere: no such file"),
        (tmp_path, tmp_path / "out", "no such file"),
        (tmp_path / "empty", tmp_path / "out", "is empty: there is no word to privatise"),
        (tmp_path / "latin", tmp_path / "out", "line 2 is not UTF-8"),
        (source, tmp_path / "no" / "out", "no such folder"),
        (source, source, "would be overwritten"),
        (source, Path("/dev/null"), "null is no file"),
        (source, tmp_path / "latin", "exists; to release a text once more costs its ε once more"),
    ):
        with pytest.raises(ValueError, match=message):
            privatise_file(place, target, made())
        assert not (tmp_path / "out").exists() and not (tmp_path / "out.part").exists()
        assert not list(tmp_path.glob("*.lock")), "a lock that was ours goes with us"
    with pytest.raises(FileReleaseError, match="holds a line break"):
        privatise_file(source, tmp_path / "out", made(mask="a\nb"))
    with FileLock(tmp_path / "out.lock"), pytest.raises(FileReleaseError, match="another process is writing"):
        privatise_file(source, tmp_path / "out", made())
