"""No command overwrites what it reads, what it writes besides, or what is never written over; none forgets to ask."""

from __future__ import annotations

import inspect
import json
import os
import re
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import numpy as np
import pytest
import typer
from typer.testing import CliRunner, Result

from trustnlp.privacy.mechanisms import file_release
from trustnlp.reproduce.command_paths import CheckedTyper, roles_of
from trustnlp.tools.cli import app

# Parameters that hold text and never a path: whoever adds a command says here, or by a role, which it is.
NO_PATHS = {
    "anonymise": {"method", "name"},
    "audit": {"norm", "relation", "law", "dtype"},
    "card": {"name"},
    "crate": {"chapter"},
    "errors": {"label", "text", "truth", "predicted", "learner", "feature"},
    "explain": {"method"},
    "fetch": {"names"},
    "drop": {"names"},
    "join": {"target", "grid"},
    "new_chapter": {"slug"},
    "move": {"names"},
    "partition": {"left", "right", "score", "absent", "scheduler"},
    "pdf": {"chapter"},
    "plant": {"decoy", "text", "label"},
    "privatise": {"mechanism", "unknown", "mask"},
    "release": {"method"},
    "rename": {"target", "name"},
    "run": {"target", "profile", "set_", "seeds", "device"},
    "senses": {"word"},
    "book": {"chapters"},
    "sweep": {"target", "grid", "profile", "scheduler"},
    "units": {"only"},
    "verify": {"targets", "name"},
    "weat": {"measure", "statistic", "alternative"},
}


def commands(group: typer.Typer = app) -> Iterator[Callable[..., Any]]:
    for each in group.registered_commands:
        assert each.callback is not None
        yield each.callback
    for below in group.registered_groups:
        assert below.typer_instance is not None
        yield from commands(below.typer_instance)


def groups(group: typer.Typer = app) -> Iterator[typer.Typer]:
    yield group
    for below in group.registered_groups:
        assert below.typer_instance is not None
        yield from groups(below.typer_instance)


def holds(hint: Any, *kinds: type) -> bool:
    """Whether a type is, or has in it, one of `kinds`."""
    if get_origin(hint) is Annotated:
        hint = get_args(hint)[0]
    return hint in kinds or any(holds(each, *kinds) for each in get_args(hint))


def forgotten(command: Callable[..., Any]) -> list[str]:
    """Parameters that may hold a path and say nothing about it."""
    plain = inspect.unwrap(command)
    hints, roles = get_type_hints(plain, include_extras=True), roles_of(plain)
    known = NO_PATHS.get(plain.__name__, set())
    return [
        name
        for name, hint in hints.items()
        if name != "return" and name not in roles and (holds(hint, Path) or (holds(hint, str) and name not in known))
    ]


def test_every_command_says_which_files_it_reads_and_writes() -> None:
    found = list(commands())
    assert len(found) > 20
    assert {each.__name__: names for each in found if (names := forgotten(each))} == {}
    assert all(isinstance(group, CheckedTyper) for group in groups()), "a group of commands that is not checked"
    with_paths = [each for each in found if roles_of(inspect.unwrap(each))]
    assert len(with_paths) > 12 and all(each is not inspect.unwrap(each) for each in with_paths)


def test_a_command_that_forgets_is_found() -> None:
    def new(source: Path, other: Annotated[str, typer.Option()] = "", number: int = 3) -> None: ...

    assert forgotten(new) == ["source", "other"]


# --- pairings --------------------------------------------------------------------------------------------------------

ROWS = "".join(f"{word} {row} 1 2\n" for row, word in enumerate(["rose", "wasp", "joy", "grief", "a", "b"], start=1))
SETS = {"X": ["rose", "a"], "Y": ["wasp", "b"], "A": ["joy", "a"], "B": ["grief", "b"]}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file for every command; each is precious."""
    here = tmp_path / "d"
    here.mkdir()
    monkeypatch.chdir(here)
    np.save("in.npy", np.ones((5, 60), dtype=np.float32))
    np.save("old.npy", np.zeros((2, 2)))
    for name, text in {
        "vectors.txt": ROWS, "vectors.json": ROWS, "in.json": "the rose\n",
        "sets.json": json.dumps(SETS), "model.py": "def f(texts): return [[0.5, 0.5] for _ in texts]\n",
        "pairs.csv": "left,right,score\na,b,1\n", "table.csv": "text,truth,predicted,label\nx,0,1,0\ny,1,1,1\n",
        "table.json": "text,truth,predicted,label\nx,0,1,0\n", "recipes.csv": "", "lines.json": "{}\n",
        "inventory.json": "x", "inventory.npz": "x",
    }.items():  # fmt: skip
        Path(name).write_text(text)
    for owner in "ab":
        Path("notes", owner).mkdir(parents=True)
        for number in range(3):
            Path("notes", owner, f"{number}.txt").write_text(f"rain roads {owner}{owner} winter {number}\n")
    Path("parts").mkdir()
    Path("parts", "one.csv").write_text("left,right,score\na,b,1\n")
    Path("new").mkdir()
    return here


def contents(folder: Path) -> dict[str, bytes | None]:
    return {str(path): path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


def trustnlp(*arguments: object) -> Result:
    return CliRunner().invoke(app, [*map(str, arguments)])


RELEASE = ("release", "in.npy", "new/out.npy", "--epsilon", "5")
PRIVATISE = ("privatise", "in.json", "new/out.json", "--epsilon", "5", "--vectors", "vectors.txt")
PARTITION = ("partition", "pairs.csv")
# The command without its last path, that path, the file that it would overwrite.
PAIRINGS: dict[str, tuple[tuple[str, ...], str]] = {
    "release: the projection over the vectors": ((*RELEASE, "--projection"), "in.npy"),
    "release: the projection over the release": ((*RELEASE, "--projection"), "new/out.npy"),
    "release: the projection over an earlier release": ((*RELEASE, "--projection"), "old.npy"),
    "release: OUT over IN": (("release", "in.npy", "--epsilon", "5"), "in.npy"),
    "release: OUT over an earlier release": (("release", "in.npy", "--epsilon", "5"), "old.npy"),
    "release: the report over the account of IN": ((*RELEASE, "--out"), "in.npy.spent.json"),
    "privatise: the report over the account of IN": ((*PRIVATISE, "--out"), "in.json.spent.json"),
    "privatise: the report over the text": ((*PRIVATISE, "--out"), "in.json"),
    "privatise: the report over the release": ((*PRIVATISE, "--out"), "new/out.json"),
    "privatise: the report over the state of the release": (
        ("privatise", "in.json", "new/out", *PRIVATISE[3:], "--out"), "new/out.state.json",
    ),
    "privatise: the report over the inventory": (
        (*PRIVATISE, "--mechanism", "nearest_sense", "--inventory", "inventory.json", "--out"), "inventory.json",
    ),
    "privatise: OUT over IN": (("privatise", "in.json", "--epsilon", "5", "--vectors", "vectors.txt"), "in.json"),
    "weat: the report over the sets": (("weat", "vectors.txt", "--sets", "sets.json", "--out"), "sets.json"),
    "weat: the report over the vectors": (("weat", "vectors.json", "--sets", "sets.json", "--out"), "vectors.json"),
    "weat: one file for two reports": (
        ("weat", "vectors.txt", "--sets", "sets.json", "--html", "new/page.html", "--out"), "new/page.html",
    ),
    "senses: the inventory over what it is made of": (("senses", "inventory.npz"), "inventory.npz"),
    "partition: the clusters over the pairs": ((*PARTITION, "--out"), "pairs.csv"),
    "partition: the proof over the page": (
        (*PARTITION, "--explain", "new/page.html", "--certificate"), "new/page.html",
    ),
    "partition: the clusters among the parts": (("partition", "parts", "--out"), "parts/clusters.csv"),
    "plant: OUT over the recipes": (
        ("plant", "table.csv", "--decoy", "position", "--recipes", "recipes.csv"), "recipes.csv",
    ),
    "explain: the report over the texts": (("explain", "in.json", "model.py:f", "--out"), "in.json"),
    "errors: the report over the predictions": (("errors", "table.json", "--out"), "table.json"),
    "anonymise: the report over that beside OUT": (("anonymise", "notes", "redacted", "--out"), "redacted.report.json"),
    "anonymise: the report in OUT": (("anonymise", "notes", "redacted", "--out"), "redacted/removed.json"),
    "anonymise: the report in IN": (("anonymise", "notes", "redacted", "--out"), "notes/removed.json"),
    "anonymise: OUT in IN": (("anonymise", "notes"), "notes/redacted"),
    "anonymise: OUT is IN": (("anonymise", "notes"), "notes"),
    "reidentify: the report over the lines": (("reidentify", "lines.json", "--out"), "lines.json"),
    "reidentify: the report in the documents before": (
        ("reidentify", "lines.json", "--before", "notes", "--out"), "notes/report.html",
    ),
    "join: the record over a part": (("join", "dpnr/reproduction", "in.json", "sets.json", "--out"), "sets.json"),
}  # fmt: skip
SPELLINGS: dict[str, Callable[[str], str]] = {
    "as it is": lambda path: path,
    "absolute": lambda path: str(Path(path).absolute()),
    "link": lambda path: linked(path, "symlink"),
    "hard link": lambda path: linked(path, "hardlink"),
}


def linked(path: str, way: str) -> str:
    """Another name of the same file, which ends alike; a hard link needs a file that is there."""
    other = Path("other").with_suffix(Path(path).suffix)
    if way == "hardlink" and Path(path).is_file():
        other.hardlink_to(path)
    else:
        other.symlink_to(Path(path).absolute())
    return str(other)


# Each pairing as it is, and one of each kind (a file read, a file written, a folder) in every spelling.
RESPELLED = ("weat: the report over the sets", "partition: the proof over the page", "anonymise: OUT in IN")
CASES = [(name, "as it is") for name in PAIRINGS] + [(name, how) for name in RESPELLED for how in list(SPELLINGS)[1:]]


@pytest.mark.parametrize(("name", "spelling"), CASES, ids=map(", ".join, CASES))
def test_nothing_is_overwritten_nor_computed(name: str, spelling: str, folder: Path) -> None:
    command, path = PAIRINGS[name]
    given = SPELLINGS[spelling](path)
    options = ("--out", "--html", "--projection", "--explain", "--certificate")
    at = len(command) if command[-1] in options else 2  # OUT is the second argument
    before = contents(folder)
    result = trustnlp(*command[:at], given, *command[at:])
    assert (result.exit_code, result.stdout) == (2, ""), result.output
    assert re.search("would be overwritten|are one file|cannot lie in|exists; a release is never", result.stderr)
    assert result.stderr.startswith("trustnlp: ") and result.stderr.count("\n") == 1
    assert contents(folder) == before


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ((*RELEASE, "--projection", "new/p.csv"), "is written as .npy"),
        (("release", "vectors.txt", "new/o.XLSX", "--epsilon", "5", "--method", "plain"), "not written as .XLSX"),
        (("privatise", "in.json", "new/o.docx", *PRIVATISE[3:]), "not written as .docx"),
        (("weat", "vectors.txt", "--sets", "sets.json", "--out", "new/r.csv"), "as .json or .html"),
        (("weat", "vectors.txt", "--sets", "sets.json", "--html", "new/r.json"), "is written as .html"),
        (("senses", "vectors.txt", "new/s.npy"), "is written as .npz"),
        *((("partition", "pairs.csv", "--out", f"new/c{end}"), "is written as .csv or .parquet")
          for end in (".xlsx", "", ".CSV.gz")),
        (("partition", "pairs.csv", "--certificate", "new/p.csv"), "as .json or .html"),
        (("plant", "table.csv", "new/out.parquet", "--decoy", "position"), "is written as .csv"),
        (("join", "dpnr/reproduction", "in.json", "--out", "new/r.csv"), "is written as .json"),
    ],
)  # fmt: skip
def test_a_format_that_is_not_written_is_refused_by_its_ending(
    command: tuple[str, ...], said: str, folder: Path
) -> None:
    before = contents(folder)
    result = trustnlp(*command)
    assert (result.exit_code, result.stdout) == (2, "") and said in result.stderr
    assert contents(folder) == before


def test_what_stands_beside_the_file_that_a_link_leads_to_is_kept(folder: Path) -> None:
    """An unfinished release is beside the file, not beside the link; `--restart` deletes what is left of one."""
    Path("link").symlink_to("new/real")
    Path("new/real.state.json").write_bytes(Path("vectors.txt").read_bytes())
    before = contents(folder)
    result = trustnlp("privatise", "in.json", "link", "--epsilon", "5", "--vectors", "new/real.state.json", "--restart")
    assert result.exit_code == 2 and "--vectors new/real.state.json would be overwritten" in result.stderr
    assert contents(folder) == before


def test_a_place_that_holds_no_file_is_refused(folder: Path) -> None:
    Path("new.json").mkdir()
    for command, said in (
        (("errors", "table.csv", "--out", "new.json"), "new.json is a folder; name a file"),
        (("errors", "table.csv", "--out", "pairs.csv/deep/r.json"), "pairs.csv is a file, so nothing can be written"),
        (("anonymise", "notes", "pairs.csv"), "pairs.csv is a file; name a folder"),
    ):
        result = trustnlp(*command)
        assert result.exit_code == 2 and said in result.stderr


# --- what is written -------------------------------------------------------------------------------------------------


@pytest.fixture(params=[0o022, 0o000], ids=oct)
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def modes(folder: Path) -> dict[str, int]:
    return {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.rglob("*") if path.is_file()}


def test_private_files_are_for_their_owner_and_others_follow_the_umask(folder: Path, umask: int) -> None:
    public = 0o666 & ~umask
    for command in (
        (*RELEASE, "--projection", "new/public.npy", "--out", "new/guarantee.json"),
        ("privatise", "in.json", "new/private.txt", *PRIVATISE[3:], "--out", "new/privatised.html"),
        ("anonymise", "notes", "new/redacted", "--out", "new/removed.html"),
        ("reidentify", "notes", "--folds", "2", "--out", "new/attack.json"),
        (*PARTITION, "--out", "new/clusters.csv", "--certificate", "new/proof.json"),
    ):
        result = trustnlp(*command)
        assert result.exit_code == 0, result.output
    found = modes(folder / "new")
    private = {name for name, mode in found.items() if mode == 0o600}
    assert private == {"redacted.report.json", "removed.html", "attack.json"}
    assert {mode for name, mode in found.items() if name not in private} == {public}
    assert not [name for name in found if "tmp" in name or "part" in name]


def test_a_device_and_a_pipe_need_no_ending_and_stay(folder: Path) -> None:
    Path("new/null").symlink_to("/dev/null")
    os.mkfifo("new/pipe")
    listening = os.open("new/pipe", os.O_RDONLY | os.O_NONBLOCK)
    try:
        assert trustnlp(*PARTITION, "--out", "new/null", "--certificate", "new/pipe").exit_code == 0
        assert json.loads(os.read(listening, 100_000))["optimal"] is True
    finally:
        os.close(listening)
    assert Path("new/null").is_symlink() and Path("/dev/null").is_char_device() and Path("new/pipe").is_fifo()


def test_a_link_planted_at_an_old_name_is_not_followed(folder: Path) -> None:
    """The names under which parts were written once."""
    Path("new/victim").write_text("mine")
    for name in (".out.npy.part.npy", ".public.npy.part.npy", ".redacted.report.json.part"):
        Path("new", name).symlink_to("victim")
    assert trustnlp(*RELEASE, "--projection", "new/public.npy").exit_code == 0
    assert trustnlp("anonymise", "notes", "new/redacted").exit_code == 0
    assert Path("new/victim").read_text() == "mine"


@pytest.mark.parametrize("at", ["out.part", "out.state.json", "out.lock", "out.state.json.tmp"])
@pytest.mark.parametrize("way", ["symlink", "hardlink"])
def test_a_link_planted_beside_a_release_is_not_followed(at: str, way: str, folder: Path) -> None:
    Path("new/victim").write_text("mine")
    getattr(Path("new", at), f"{way}_to")(Path("new/victim").absolute())
    result = trustnlp("privatise", "in.json", "new/out", *PRIVATISE[3:])
    assert result.exit_code == (0 if at.endswith(".tmp") else 2), result.output
    assert Path("new/victim").read_text() == "mine"
    assert at.endswith(".tmp") or "somebody else's file stands there" in result.stderr


@pytest.mark.parametrize("way", ["symlink", "dangling"])
def test_a_link_planted_at_the_report_beside_a_folder_is_not_followed(way: str, folder: Path) -> None:
    if way == "symlink":
        Path("new/victim").write_text("mine")
    Path("new/redacted.report.json").symlink_to("victim")
    result = trustnlp("anonymise", "notes", "new/redacted")
    assert result.exit_code == 2 and "somebody else's file stands there" in result.stderr
    assert not Path("new/redacted").exists()
    assert Path("new/victim").exists() == (way == "symlink")


@pytest.mark.parametrize(
    "error", [OSError(28, "No space left on device"), KeyboardInterrupt()], ids=["full", "interrupt"]
)
@pytest.mark.parametrize("command", [(*RELEASE, "--projection", "new/p.npy"), (*PARTITION, "--out", "new/c.csv")])
def test_an_error_while_writing_leaves_nothing(
    command: tuple[str, ...], error: BaseException, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise error

    before = contents(folder)
    monkeypatch.setattr(os, "fsync", full)
    result = trustnlp(*command)
    assert result.exit_code in (1, 130) and ("No space left" in result.stderr or "interrupted" in result.stderr)
    assert contents(folder) == before


def test_a_pipe_that_would_be_read_twice_is_told_as_one(folder: Path) -> None:
    os.mkfifo("new/pipe")
    result = trustnlp("privatise", "new/pipe", "new/o", *PRIVATISE[3:])
    assert result.exit_code == 2 and "new/pipe is no regular file, and it is read more than once" in result.stderr


def test_a_full_disk_names_the_unfinished_release(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(file_release, "_to_disk", full)
    result = trustnlp(*PRIVATISE)
    assert result.exit_code == 1 and "out.json.part: No space left on device" in result.stderr
    assert not Path("new/out.json").exists()


def test_a_page_of_too_few_words_is_refused_in_one_line(folder: Path) -> None:
    """The covariance of two words cannot be estimated."""
    rng = np.random.default_rng(0)
    rows = [f"w{place} {' '.join(f'{x:.5f}' for x in rng.normal(size=10))}" for place in range(8)]
    Path("few.txt").write_text("\n".join(rows) + "\n")
    Path("few.json").write_text(json.dumps({key: [f"w{2 * n}", f"w{2 * n + 1}"] for n, key in enumerate("XYAB")}))
    result = trustnlp("weat", "few.txt", "--sets", "few.json", "--html", "new/page.html")
    assert result.exit_code == 2 and "--html: the covariance of 2 samples" in result.stderr
    assert result.stderr.count("\n") == 1 and not Path("new/page.html").exists()
