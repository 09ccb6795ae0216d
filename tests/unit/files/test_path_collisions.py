"""No output is an input, however it is spelt."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from trustnlp.files import path_collisions
from trustnlp.files.path_collisions import PathCollisionError, check_distinct


def linked(path: Path) -> Path:
    link = path.with_name("a link")
    link.symlink_to(path)
    return link


def linked_twice(path: Path) -> Path:
    link = path.with_name("a link to a link")
    link.symlink_to(linked(path))
    return link


def through_a_folder(path: Path) -> Path:
    folder = path.parent / "a link to a folder"
    folder.symlink_to(path.parent)
    return folder / path.name


SPELLINGS: dict[str, Callable[[Path], Path]] = {
    "as it is": lambda path: path,
    "./x": lambda path: Path(f"{path.parent}/./{path.name}"),
    "../d/x": lambda path: Path(f"{path.parent}/../{path.parent.name}/{path.name}"),
    "new/../x": lambda path: Path(f"{path.parent}/new/../{path.name}"),
    "x/": lambda path: Path(f"{path}/"),
    "//x": lambda path: Path(f"{path.parent}//{path.name}"),
    "relative": lambda path: Path(os.path.relpath(path)),
    "link": linked,
    "link to a link": linked_twice,
    "folder's link": through_a_folder,
}
every_spelling = pytest.mark.parametrize("spelling", SPELLINGS.values(), ids=SPELLINGS)


@every_spelling
@pytest.mark.parametrize("there", [True, False], ids=["there", "to be made"])
def test_one_file_under_two_names(spelling, there, tmp_path):
    folder = tmp_path / "d"
    folder.mkdir()
    path = folder / "file.json"
    if there:
        path.touch()
    other = spelling(path)
    with pytest.raises(PathCollisionError, match=r"the input .* would be overwritten, as --out .*; name another file"):
        check_distinct({"the input": path}, {"--out": other})
    with pytest.raises(PathCollisionError, match=r"OUT .* and --out .* are one file, .*; name two files"):
        check_distinct({}, {"OUT": path, "--out": other})
    check_distinct({"one": path, "two": other}, {"--out": folder / "another.json"})


def test_a_second_hard_link_is_the_same_file(tmp_path):
    (tmp_path / "one").touch()
    (tmp_path / "two").hardlink_to(tmp_path / "one")
    with pytest.raises(PathCollisionError):
        check_distinct({"IN": tmp_path / "one"}, {"OUT": tmp_path / "two"})


@every_spelling
@pytest.mark.parametrize("below", ["x.json", "new/deep/x.json"])
def test_an_output_in_a_folder_and_an_input_in_an_output(spelling, below, tmp_path):
    folder = tmp_path / "d"
    folder.mkdir()
    for inputs, outputs, said in (
        ({"IN": folder}, {"--out": spelling(folder) / below}, "--out .* cannot lie in IN"),
        ({}, {"OUT": folder, "--out": folder / below}, "--out .* cannot lie in OUT"),
        ({}, {"--out": folder / below, "OUT": folder}, "--out .* cannot lie in OUT"),
        ({"IN": folder / below}, {"OUT": folder}, "IN .* cannot lie in OUT"),
    ):
        with pytest.raises(PathCollisionError, match=said):
            check_distinct(inputs, outputs)
        for link in tmp_path.glob("a link*"):
            link.unlink()
    check_distinct({"IN": folder, "--before": folder / below}, {"--out": tmp_path / "d2"})


@pytest.mark.parametrize("way", ["symlink_to", "hardlink_to"])
def test_an_output_that_a_folder_has_a_link_to(way, tmp_path):
    (tmp_path / "parts" / "deep").mkdir(parents=True)
    (tmp_path / "out.csv").touch()
    getattr(tmp_path / "parts" / "deep" / "one.csv", way)(tmp_path / "out.csv")
    (tmp_path / "parts" / "nothing.csv").symlink_to("absent")
    with pytest.raises(PathCollisionError, match=r"one.csv in PARTS would be overwritten, as --out .*"):
        check_distinct({"PARTS": tmp_path / "parts"}, {"--out": tmp_path / "out.csv"})
    check_distinct({"PARTS": tmp_path / "parts"}, {"--out": tmp_path / "other.csv"})


def test_folders_still_to_be_made(tmp_path):
    with pytest.raises(PathCollisionError):
        check_distinct({}, {"OUT": tmp_path / "a" / "b" / "c", "--out": tmp_path / "a" / "x" / ".." / "b" / "c"})
    with pytest.raises(PathCollisionError, match="cannot lie in"):
        check_distinct({}, {"OUT": tmp_path / "a" / "b", "--out": tmp_path / "a" / "b" / "c"})
    check_distinct({}, {"OUT": tmp_path / "a" / "b", "--out": tmp_path / "a" / "c", "more": tmp_path / "a.b"})


def test_case_and_accents_where_the_file_system_takes_them_for_one(tmp_path, monkeypatch):
    two = {"OUT": tmp_path / "r\u00e9sum\u00e9.json", "--out": tmp_path / "Re\u0301sume\u0301.JSON"}
    if not (tmp_path.with_name(tmp_path.name.swapcase())).exists():
        check_distinct({}, two)
    monkeypatch.setattr(path_collisions, "_takes_both_cases", lambda folder: True)
    with pytest.raises(PathCollisionError):
        check_distinct({}, two)


def test_what_is_written_through_overwrites_nothing(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (Path("/dev/null"), tmp_path / "pipe"):
        check_distinct({"IN": path}, {"OUT": path, "--out": path})
    check_distinct({}, {"--out": Path("/dev/stdout"), "--html": Path("/dev/stdout")})


def test_a_descriptor_that_is_open_on_a_file_is_that_file(tmp_path):
    """`weat v.txt --sets /dev/stdin --out sets.json < sets.json` wrote over what it had read."""
    given = tmp_path / "sets.json"
    given.write_text("{}")
    with given.open("r+") as stream:
        opened = Path(f"/dev/fd/{stream.fileno()}")
        for inputs, outputs in (
            ({"--sets": opened}, {"--out": given}),
            ({"--sets": given}, {"--out": opened}),
            ({}, {"--out": opened, "--html": given}),
        ):
            with pytest.raises(PathCollisionError):
                check_distinct(inputs, outputs)
