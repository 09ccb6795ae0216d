"""The registry: what ships is complete and well formed, and a bad entry is refused with its reason."""

from __future__ import annotations

import csv
import importlib
from pathlib import Path

import pytest
from refusals import assert_refused

from trustnlp.data.joined_archives import archives
from trustnlp.data.registry import DataError, dataset, is_safe_path, load_registry, parse_registry

NAMES = {
    "ag_entities",
    "ag_news",
    "anki_fra_eng",
    "blog_posts",
    "quora_pairs",
    "tweets_emoji",
    "airline_tweets",
    "wefe_googlenews",
    "wefe_weat_lists",
    "glove_6b_50d",
    "glove_6b_50d_words",
    "en_core_web_sm",
    "hu_liu_lexicon",
    "nrc_emotion",
    "minilm",
    "mpnet_base",
    "mpnet_base_pieces",
    "weat_stimuli",
    "glove_840b_weat_exact",
    "glove_840b_9910",
    "googlenews_8000",
    "mr",
    "cr",
    "mpqa",
    "sst5",
    "sst2_test",
    "sst_trees",
    "trec6",
    "commonvoice_en",
    "brown_corpus",
    "nltk_treebank",
    "universal_tagset",
    "perceptron_tagger",
    "eltec_en",
    "imdb_reviews",
    "yelp_reviews",
    "yelp_sentences",
    "fmwsp_settlements",
    "fmwsp_csv_example",
    "fmwsp_patent",
    "patent_inventors",
    "ecbplus",
    "cora_citations",
    "dblp_acm",
    "restaurants",
    "early_childhood_sites",
    "settlements_records",
    "wordsim353",
    "simlex999",
    "scws",
    "wic",
    "glue_cola",
    "glue_sst2",
    "glue_mrpc",
    "glue_stsb",
    "glue_rte",
    "edin_rules",
    "corenlp_kbp_semgrex",
    "kbp37",
    "semeval2010_task8",
    "platform_policies",
    "procurement_18f",
    "eltec_de",
    "eltec_es",
    "eltec_fr",
    "saudinewsnet",
    "commonvoice_fa",
    "commonvoice_ur",
    "commonvoice_zh",
    "farsi_news",
    "farsi_feeds",
    "ganjoor_poems",
    "ted_ur",
    "makhzan_counts",
    "bible_wo",
    "news_wo",
    "books_wo",
    "classics_zh",
    "tatoeba_zh",
    "ntrex128",
    "zhou2019_lists",
    "bolukbasi_lists",
    "bolukbasi_pairs",
}

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


def test_the_shipped_registry_has_the_data_sets_of_the_book() -> None:
    assert set(load_registry()) == NAMES


def test_every_entry_is_complete() -> None:
    for name, entry in load_registry().items():
        for field in ("title", "licence", "terms", "citation", "redistribution"):
            assert len(getattr(entry, field)) > 3, (name, field)
        assert entry.caveats and entry.files, name
        assert entry.stands_for is None, name
        module, function = entry.reader.rsplit(".", 1)
        assert callable(getattr(importlib.import_module(module), function)), name


def test_urls_are_pinned_to_a_commit() -> None:
    pinned = 0
    for name, entry in load_registry().items():
        for file in entry.files:
            if file.url:
                owner_and_repository, commit = file.url.split("/")[3:5], file.url.split("/")[5]
                assert all(owner_and_repository), (name, file.key)
                assert len(commit) == 40 and int(commit, 16), (name, file.key)
                pinned += 1
    assert pinned > 0


@pytest.mark.mirror
def test_hashes_and_sizes_agree_with_the_mirror_manifest(mirror: Path) -> None:
    with (mirror / "MANIFEST.tsv").open(encoding="utf-8", newline="") as stream:
        rows = {row["path"]: row for row in csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)}
    checked = 0
    for entry in load_registry().values():
        for file in entry.files:
            if file.mirror and entry.name not in archives():
                row = rows[file.mirror]
                assert (file.sha256, file.bytes) == (row["sha256"], int(row["bytes"]))
                if file.url:
                    repository, path = row["source"].split("@")
                    commit, path = path.split(":")
                    pinned = file.url.split("/")[5]
                    assert file.url == f"https://raw.githubusercontent.com/{repository}/{pinned}/{path}"
                    # Where the manifest abbreviates its commit, the url has the one that brought the same file.
                    assert pinned == commit or len(commit) < 40
                checked += 1
    assert checked == 169


def test_an_unknown_name_suggests_the_nearest() -> None:
    with pytest.raises(DataError, match="unknown data set 'mini_lm'; did you mean 'minilm'"):
        dataset("mini_lm")
    with pytest.raises(DataError, match="known: ag_entities"):
        dataset("zzz")


def test_the_registry_handed_out_is_a_copy() -> None:
    load_registry().clear()
    assert set(load_registry()) == NAMES


def test_a_good_entry_parses() -> None:
    (file,) = parse_registry(GOOD)["toy"].files
    assert file.filename == "one.txt"
    assert file.wheel is not None and file.wheel.requirement == "pkg==1.0"


def test_files_of_one_name_lie_in_folders_of_their_own() -> None:
    member = 'member = "pkg/data/one.txt"'
    moved = GOOD.replace(member, f'{member}\nsave_as = "first/one.txt"')
    second = moved[moved.index("[[dataset") :].replace('"one"', '"two"')
    both = parse_registry(moved + second.replace("first/", "second/"))["toy"].files
    assert [file.filename for file in both] == ["first/one.txt", "second/one.txt"]
    with pytest.raises(DataError, match="two files have the same filename"):
        parse_registry(moved + second)
    with pytest.raises(DataError, match="absolute or leaves its folder"):
        parse_registry(moved.replace("first/", "../"))


def test_bad_entries_are_refused() -> None:
    def attempt(old: str, new: str) -> None:
        assert old in GOOD
        parse_registry(GOOD.replace(old, new))

    assert_refused(
        attempt,
        [
            ('title = "t"', "title = ", "not valid TOML"),
            ('licence = "l"\n', "", "lacks the entry 'licence'"),
            ("bytes = 3", "", "lacks the entry 'bytes'"),
            ("b" * 64, "b" * 63, "is not a sha256"),
            ("a" * 64, "A" * 64, "is not a sha256"),
            ('wheel = "pkg"', 'wheel = "gone"', "lacks the entry 'gone'"),
            ("pkg/data/one.txt", "../../etc/one.txt", "leaves its folder"),
            ("toy/one.txt", "/toy/one.txt", "absolute or leaves"),
            ("pkg/data/one.txt", "pkg/data/", "leaves its folder"),
            ('mirror = "toy/one.txt"', 'url = "https://x.org/one.txt"', "both a url and a wheel"),
            ("dataset.toy", "dataset.'../toy'", "data set name '../toy'"),
        ],
        error=DataError,
    )


def test_a_file_needs_a_source_and_an_encrypted_address() -> None:
    without_wheel = GOOD.replace('wheel = "pkg"\nmember = "pkg/data/one.txt"\n', "")
    with pytest.raises(DataError, match="has no source"):
        parse_registry(without_wheel.replace('mirror = "toy/one.txt"', ""))
    with pytest.raises(DataError, match="must start with https"):
        parse_registry(without_wheel.replace("mirror =", "url ="))


def test_two_files_may_not_share_a_name_in_the_cache() -> None:
    second = GOOD[GOOD.index("[[") :].replace('"one"', '"two"').replace("pkg/data/", "pkg/other/")
    with pytest.raises(DataError, match="same filename"):
        parse_registry(GOOD + second)


@pytest.mark.parametrize("path", ["a", "a/b.txt", "a/..b", "..a/b"])
def test_safe_paths(path: str) -> None:
    assert is_safe_path(path)


@pytest.mark.parametrize("path", ["", "/a", "../a", "a/../b", "a/..", "a//b", "a\\..\\b", "C:/a", "a\0b"])
def test_unsafe_paths(path: str) -> None:
    assert not is_safe_path(path)
