"""The registry: what ships is complete and well formed, and a bad entry is refused with its reason."""

import csv
import importlib

from refusals import assert_refused

from trustnlp.data.joined_archives import archives
from trustnlp.data.registry import DataError, dataset, is_safe_path, load_registry, parse_registry

GOOD = f"""
[wheel.pkg]
version = "1.0"
sha256 = "{"a" * 64}"
bytes = 10

[dataset.toy]
title = "t"
licence = "l"
terms = "t"
redistribution = "r"
citation = "c"
reader = "x.y"

[[dataset.toy.file]]
key = "one"
sha256 = "{"b" * 64}"
bytes = 3
wheel = "pkg"
member = "pkg/data/one.txt"
mirror = "toy/one.txt"
"""


def test_every_shipped_entry_is_complete():
    for name, entry in load_registry().items():
        for field in ("title", "licence", "terms", "citation", "redistribution"):
            assert len(getattr(entry, field)) > 3, (name, field)
        assert entry.caveats and entry.files, name
        assert entry.stands_for is None, name
        module, function = entry.reader.rsplit(".", 1)
        assert callable(getattr(importlib.import_module(module), function)), name


def test_urls_are_pinned_to_a_commit():
    urls = [file.url for entry in load_registry().values() for file in entry.files if file.url]
    assert urls
    for url in urls:
        owner, repository, commit = url.split("/")[3:6]
        assert owner and repository and len(commit) == 40 and int(commit, 16), url


def test_hashes_and_sizes_agree_with_the_mirror_manifest(mirror):
    with (mirror / "MANIFEST.tsv").open(encoding="utf-8", newline="") as stream:
        rows = {row["path"]: row for row in csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)}
    entries = [entry for entry in load_registry().values() if entry.name not in archives()]
    files = [file for entry in entries for file in entry.files if file.mirror]
    assert len(files) == 169
    for file in files:
        row = rows[file.mirror]
        assert (file.sha256, file.bytes) == (row["sha256"], int(row["bytes"]))
        if file.url:
            repository, path = row["source"].split("@")
            commit, path = path.split(":")
            pinned = file.url.split("/")[5]
            assert file.url == f"https://raw.githubusercontent.com/{repository}/{pinned}/{path}"
            # Where the manifest abbreviates its commit, the url has the one that brought the same file.
            assert pinned == commit or len(commit) < 40


def test_an_unknown_name_suggests_the_nearest():
    rows = [("mini_lm", "unknown data set 'mini_lm'; did you mean 'minilm'"), ("zzz", "known: ag_entities")]
    assert_refused(dataset, rows, error=DataError)


def test_the_registry_handed_out_is_a_copy():
    load_registry().clear()
    assert "minilm" in load_registry()


def test_a_good_entry_parses():
    (file,) = parse_registry(GOOD)["toy"].files
    assert file.filename == "one.txt"
    assert file.wheel is not None and file.wheel.requirement == "pkg==1.0"


MEMBER = 'member = "pkg/data/one.txt"'
MOVED = GOOD.replace(MEMBER, f'{MEMBER}\nsave_as = "first/one.txt"')
SECOND = MOVED[MOVED.index("[[dataset") :].replace('"one"', '"two"')


def test_files_of_one_name_lie_in_folders_of_their_own():
    both = parse_registry(MOVED + SECOND.replace("first/", "second/"))["toy"].files
    assert [file.filename for file in both] == ["first/one.txt", "second/one.txt"]


def test_bad_entries_are_refused():
    without_wheel = GOOD.replace(f'wheel = "pkg"\n{MEMBER}\n', "")
    rows = [
        (GOOD.replace('title = "t"', "title = "), "not valid TOML"),
        (GOOD.replace('licence = "l"\n', ""), "lacks the entry 'licence'"),
        (GOOD.replace('wheel = "pkg"', 'wheel = "gone"'), "lacks the entry 'gone'"),
        (GOOD.replace("b" * 64, "b" * 63), "is not a sha256"),
        (GOOD.replace("a" * 64, "A" * 64), "is not a sha256"),
        (GOOD.replace("pkg/data/one.txt", "../../etc/one.txt"), "leaves its folder"),
        (GOOD.replace("toy/one.txt", "/toy/one.txt"), "absolute or leaves"),
        (MOVED.replace("first/", "../"), "absolute or leaves its folder"),
        (GOOD.replace("mirror = ", 'url = "https://x.org/one.txt"\nmirror = '), "both a url and a wheel"),
        (GOOD.replace("dataset.toy", "dataset.'../toy'"), "data set name '../toy'"),
        (without_wheel.replace('mirror = "toy/one.txt"', ""), "has no source"),
        (without_wheel.replace("mirror =", "url ="), "must start with https"),
        (MOVED + SECOND, "two files have the same filename"),
    ]
    assert_refused(parse_registry, rows, error=DataError)


def test_a_path_is_safe_that_stays_below_its_folder():
    assert all(map(is_safe_path, ["a", "a/b.txt", "a/..b", "..a/b"]))
    unsafe = ["", "/a", "../a", "a/../b", "a/..", "a//b", "a\\..\\b", "C:/a", "a\0b"]
    assert not any(map(is_safe_path, unsafe))
