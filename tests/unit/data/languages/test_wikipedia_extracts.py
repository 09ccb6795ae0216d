"""Extracts of a Wikipedia dump: both forms of WikiExtractor, drawing without holding the dump, dates, and damage."""

import bz2
import json
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from refusals import assert_refused

from trustnlp.data.languages.language_corpora import LANGUAGES, read_language
from trustnlp.data.languages.language_words import LanguageWords
from trustnlp.data.languages.wikipedia_extracts import PAPERS_DATE, articles_of, read_extracts
from trustnlp.data.registry import DataError
from trustnlp.data.texts.corpus_documents import Dump, tokenised

ARTICLES = {"Nit": ["Nit la.", "Benn & ñaar"], "Leer": [], "Buur": ["Buur la."]}


def plain(articles: dict[str, list[str]]) -> str:
    """As WikiExtractor's `extract` writes it: the title once more, an empty line, escaped text, an end."""
    return "".join(
        f'<doc id="{n}" url="https://wo.wikipedia.org/wiki?curid={n}" title="{title}">\n{title}\n\n'
        + "\n".join(lines).replace("&", "&amp;")
        + "\n\n</doc>\n"
        for n, (title, lines) in enumerate(articles.items())
    )


def objects(articles: dict[str, list[str]]) -> str:
    return "".join(
        json.dumps({"id": str(n), "revid": "1", "url": "u", "title": title, "text": "\n".join(lines)}) + "\n"
        for n, (title, lines) in enumerate(articles.items())
    )


def written(folder: Path, content: str | bytes, name: str = "AA/wiki_00") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    data = content.encode("utf-8") if isinstance(content, str) else content
    path.write_bytes(bz2.compress(data) if name.endswith(".bz2") else data)
    return folder


@pytest.mark.parametrize("form", [plain, objects])
@pytest.mark.parametrize("name", ["AA/wiki_00", "AA/wiki_00.bz2"])
def test_each_form_gives_the_same_articles(tmp_path, form, name):
    for mark in ("", "\ufeff"):
        found = list(articles_of(written(tmp_path, mark + form(ARTICLES), name)))
        assert [(d.name, list(d.lines)) for d in found] == [("Nit", ["Nit la.", "Benn & ñaar"]), ("Buur", ["Buur la."])]


def test_a_corpus_of_all_articles_stays_on_disk_and_can_be_read_again(tmp_path):
    written(tmp_path, plain(ARTICLES), "AA/wiki_00")
    written(tmp_path, objects({"Gaynde": ["Gaynde gi."]}), "AB/wiki_01.bz2")
    corpus = read_language("wo", tmp_path)
    assert len(corpus) == 3 and corpus.dump == Dump(3, None) and not isinstance(corpus.documents, tuple)
    assert [d.name for d in corpus.documents] == [d.name for d in corpus.documents] == ["Nit", "Buur", "Gaynde"]
    assert tokenised(corpus, LanguageWords("wo"))[2] == [["gaynde", "gi"]]


def test_drawn_articles_are_whole_random_and_no_more_than_asked(tmp_path):
    written(tmp_path, plain({f"t{i}": [f"{i:04d} " + "x" * (5 * (i % 7 + 1))] for i in range(300)}))
    drawn = [read_extracts(tmp_path, "en", characters=1000, rng=np.random.default_rng(s)) for s in range(60)]
    sizes = [[len(line) for d in corpus.documents for line in d.lines] for corpus in drawn]
    # The last of the random order may lie anywhere in the dump: without some article, too little is left.
    assert all(sum(own) >= 1000 and any(sum(own) - size < 1000 for size in own) for own in sizes)
    assert all(corpus.dump == Dump(300, None) for corpus in drawn)
    places = np.array([int(d.name[1:]) for corpus in drawn for d in corpus.documents])
    assert np.mean(places) == pytest.approx(149.5, abs=10) and len(set(places.tolist())) > 250
    again = read_extracts(tmp_path, "en", characters=1000, rng=np.random.default_rng(0))
    assert again.documents == drawn[0].documents != drawn[1].documents
    everything = read_extracts(tmp_path, "en", characters=10**9, rng=np.random.default_rng(0))
    assert list(everything.documents) == list(articles_of(tmp_path))


def test_a_dump_is_never_in_memory_whole(tmp_path):
    for number in range(4):
        lines = {f"t{number}x{i}": ["word " * 400] for i in range(500)}  # 4 MB in all
        written(tmp_path, plain(lines), f"AA/wiki_0{number}")
    tracemalloc.start()
    try:
        assert len(read_extracts(tmp_path, "en")) == 2000
        read_extracts(tmp_path, "en", characters=20_000, rng=np.random.default_rng(0))
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()


def test_the_date_is_given_or_stands_in_a_folders_name(tmp_path):
    named = written(tmp_path / "wikipedia-20200620" / "wo", plain(ARTICLES))
    dump = read_language("wo", named).dump
    assert dump is not None and dump.date == PAPERS_DATE
    other = written(tmp_path / "dumps" / "wowiki-2026-11-01", plain(ARTICLES))
    assert read_extracts(other, "wo").dump == Dump(2, "2026-11-01")
    assert read_extracts(named, "wo", date="2021-01-01").dump == Dump(2, "2021-01-01")
    bad = written(tmp_path / "x20201399", plain(ARTICLES))
    assert read_extracts(bad, "wo").dump == Dump(2, None)


def test_what_is_no_folder_of_extracts_is_refused(tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "others").mkdir()
    (tmp_path / "others" / "notes.txt").write_text("x", encoding="utf-8")
    (tmp_path / "file").write_text("x", encoding="utf-8")
    twice = written(written(tmp_path / "twice", plain(ARTICLES)), plain(ARTICLES), "AA/wiki_00.bz2")
    rows = [
        (tmp_path / "none", "none does not exist; give the folder that WikiExtractor wrote"),
        (tmp_path / "empty", "empty is empty; give the folder"),
        (tmp_path / "others", r"others has no files wiki_\* below it"),
        (tmp_path / "file", "file is a file; give the folder"),
        (twice, "wiki_00.bz2 is there plain as well"),
    ]
    assert_refused(lambda folder: read_language("wo", folder), rows, error=DataError)


def test_damaged_files_are_named(tmp_path):
    def read(content: bytes, name: str = "AA/wiki_00") -> object:
        return read_language("wo", written(tmp_path, content, name))

    unended = plain(ARTICLES).replace("</doc>\n", "", 1).encode()
    rows = [
        (b'<doc id="1" url="" title="x">\na\n', "wiki_00.*'x' has no end"),
        (b"text\n", "line 1 is neither an object nor inside a <doc>"),
        ("é\n".encode("latin-1"), "wiki_00: not a file of WikiExtractor in UTF-8"),
        (b"{bad\n", "wiki_00: not a file"),
        (
            b'{"title": "t", "text": "a"}\n{"title": "t", "text": null}\n',
            "line 2: the text is None, expected a str",
        ),
        (b'{"title": null, "text": "a"}\n', "line 1: the title is None, expected a string"),
        (unended, "wiki_00: .*line 7 opens an article before 'Nit' has ended, expected </doc> first"),
        (b'{"title": "t"}\n', "1 files, but no article with text"),
        (b"", "1 files, but no article with text"),
    ]
    assert_refused(read, rows, error=DataError)
    (tmp_path / "AA" / "wiki_00").write_text(plain(ARTICLES))
    (tmp_path / "AA" / "wiki_01.bz2").write_bytes(bz2.compress(plain(ARTICLES).encode())[:-10])
    with pytest.raises(DataError, match=r"wiki_01\.bz2: not a file"):
        read_language("wo", tmp_path)


SAMPLES = {
    "Latin": (["en", "es", "de", "fr", "wo"], "Une femme, «un homme», 12."),
    "Arabic": (["ar", "fa", "ur"], "أم و أب، ﻻ ١٢"),
    "CJK": (["zh"], "女儿和儿子，ABC。"),
}


@pytest.mark.parametrize("options", [{}, {"characters": 5, "rng": np.random.default_rng(0)}], ids=["all", "a part"])
@pytest.mark.parametrize("script", SAMPLES)
def test_a_dump_in_another_script_is_refused(script, options, tmp_path):
    own, line = SAMPLES[script]
    folder = written(tmp_path / script, plain({"1": [line], "2": [line]}))
    for language in own:
        assert read_extracts(folder, language, **options).dump == Dump(2, None)
    said = rf"{script}: .*script of '{{}}' \(most are {script.upper()}\); give the folder of a dump"
    rows = [(language, said.format(language)) for language in LANGUAGES if language not in own]
    assert_refused(lambda language: read_extracts(folder, language, **options), rows, error=DataError)


def test_the_script_is_that_of_most_of_the_first_letters(tmp_path):
    mixed = written(tmp_path / "mixed", plain({"a": ["女" * 49 + "x" * 51], "b": ["12 "]}))
    assert len(read_extracts(mixed, "wo")) == 2
    with pytest.raises(DataError, match=r"mixed: 49 of the first 100 letters are CJK, .*'zh' \(most are LATIN\)"):
        read_extracts(mixed, "zh")
    late = written(tmp_path / "late", plain({"a": ["x" * 5_000], "b": ["女" * 50_000]}))
    assert len(read_extracts(late, "wo")) == 2
    numbers = written(tmp_path / "numbers", plain({"a": ["1 2 3"]}))
    assert len(read_extracts(numbers, "wo")) == 1  # no letter, nothing to refuse it for


def test_what_cannot_be_drawn_is_refused(tmp_path):
    written(tmp_path, plain(ARTICLES))
    rows = [
        ({"characters": 10}, "a generator"),
        ({"language": "xx"}, "unknown language 'xx'"),
        ({"characters": 0, "rng": np.random.default_rng(0)}, "1 character or more"),
        ({"date": "June 2020"}, "expected the day of the dump as 2020-06-20, got 'June 2020'"),
    ]
    assert_refused(lambda options: read_extracts(tmp_path, **{"language": "wo"} | options), rows)
    assert_refused(
        lambda options: read_language("wo", **options),
        [({"characters": 5}, "give its folder"), ({"date": "x"}, "dump")],
    )
