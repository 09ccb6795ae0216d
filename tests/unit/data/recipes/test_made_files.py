"""What recipes make of small files written here."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import pickle
import tarfile
import zipfile

import numpy as np
import pytest
import rdata
import xarray

from trustnlp.data.recipes import corpora, tables, vectors
from trustnlp.data.recipes.corpora import Files, SourceFile
from trustnlp.data.registry import DataError


def given(**contents: str | bytes) -> Files:
    """Files by path; `__` stands for a dot, `_s_` for a slash."""
    return [
        SourceFile(
            "a/b", "c", path.replace("__", ".").replace("_s_", "/"), text if isinstance(text, bytes) else text.encode()
        )
        for path, text in contents.items()
    ]


def rows_of(made: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(made.decode(), newline="")))


TEI = """<TEI><teiHeader><p>no</p></teiHeader><text><body><head>One</head><p>Two <hi>three</hi>
<note>gone</note> &amp; four.</p><p> </p><p>Poem: <l>a line</l> lost</p></body></text></TEI>"""
PROMPTS = json.dumps([{"sentence": "Said  twice"}, {"sentence": "no"}])
FEED = json.dumps([{"title": "T", "summary": "s\xa0t"}] * 2)
NEWS = [
    {"title": "T", "abstract": None, "paragraphs": ["a  b", " "]},
    {"title": "T", "abstract": "", "paragraphs": ["a b"]},
]


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (corpora.as_published(given(x="as it is")), "as it is"),
        (corpora.prompts(given(a__json=PROMPTS, b__txt="x\nSaid twice\nnext\xa0one")), "Said twice\nnext one\n"),
        (corpora.novels(given(n__xml=TEI)), "One\nTwo three & four.\nPoem: a line\n\n"),
        (corpora.persian_news(given(n__json=json.dumps(NEWS))), "T\na b\n\n"),
        (corpora.persian_feeds(given(n__json=FEED)), "T\ns t\n\nT\ns t\n"),
        (corpora.poems(given(d_s_p__txt="\nverse\n\n", d_s_q__txt="end")), "### p.txt\nverse\n\n### q.txt\nend\n"),
        (corpora.wolof_books(given(b__txt="\ufeffone \t two\r\n\r\n \r\nthree\r\n")), "### b.txt\none two\n\nthree\n"),
        (corpora.chinese_classics(given(b__txt="一 二\r\n\r\n三\r\n")), "### b.txt\n一二\n三\n"),
        (corpora.verses(given(b__xml="<b><seg>\n one  two </seg><seg/></b>")), "one two\n"),
        (corpora.translated_pairs(given(c="Hi.\t嗨。\n")), "eng\tcmn\nHi.\t嗨。\n"),
    ],
)  # fmt: skip
def test_texts(made: dict[str, bytes], text: str) -> None:
    assert made["text"].decode() == text


def test_the_words_of_novels_are_counted() -> None:
    made = corpora.novels(given(level1_s_n__xml="<text><p>l'eau coule-t-elle --fois</p></text>"))
    assert made["novels"] == b"level1/n.xml\t3\n"


def test_saudi_articles_are_distinct_and_shuffled_with_seed_0() -> None:
    articles = [{"title": f"T{i}", "content": f"text  {i % 5}"} for i in range(10)]
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("day.json", json.dumps([*articles, {"title": "empty", "content": None}]))
    made = corpora.saudi_news(given(day__zip=stream.getvalue()))
    assert made["text"].decode().split("\n\n")[:-1] == [f"T{i}\ntext {i}" for i in (2, 1, 0, 4, 3)]


def test_translations_stand_side_by_side() -> None:
    made = corpora.translations(given(n_s_x__src__txt="one\t \ntwo\n", n_s_x__ref__txt="eins\nzwei\n"))
    assert made["table"] == b"src\tref\none\teins\ntwo\tzwei\n"


def test_reviews_stand_in_the_order_of_their_places() -> None:
    made = corpora.reviews(given(d_s_train_s_pos_s_10_7__txt="b<br />c", d_s_train_s_pos_s_2_9__txt="a"))
    assert made["text"].decode().splitlines()[1:] == ["train\tpos\t2\t9\ta", "train\tpos\t10\t7\tb c"]


def test_documents_keep_their_place() -> None:
    policy = tables.platform_policies(given(Org_s_Terms__md="ü"))
    assert policy["documents"].decode() == '{"organisation": "Org", "document": "Terms", "text": "ü"}\n'
    offer = tables.procurement([SourceFile("18F/bpa-opm-eqip", "c", "a/b.md", b"text")])
    assert json.loads(offer["documents"]) == {
        "agency": "OPM", "repo": "18F/bpa-opm-eqip", "commit": "c", "path": "a/b.md", "text": "text"
    }  # fmt: skip


def sample(content: object) -> bytes:
    stream = io.BytesIO()
    np.save(stream, np.array(content, dtype=object), allow_pickle=True)
    return stream.getvalue()


def test_scored_pairs_and_clusters() -> None:
    scores = sample({"pairwise": [[1, 2, -0.5]], "mapN2O": {1: np.int64(7), 2: np.int64(30)}})
    gold, hc, ours = "id,True Id,label\n30,1,b\n7,1,a\n", "Cluster ID,id\n5,7\n5,30\n", "Cluster ID,id\n9,7\n"
    made = tables.pairs_and_clusters(given(f=scores, g=gold, h=hc, o=ours), number="id", name="label")
    assert rows_of(made["pair_scores"])[1:] == [["7", "30", "0.75", "-0.5"]]
    assert rows_of(made["clusters"])[1:] == [["7", "1", "5", "9", "a"], ["30", "1", "5", "", "b"]]


def test_a_pickle_that_names_more_than_arrays_is_refused() -> None:
    with pytest.raises(DataError, match=r"asks for \w+.system, which its data do not need"):
        tables.pairs_and_clusters(given(f=sample(os.system), g="", h="", o=""), number="id", name="n")


ECB = """<Document><token t_id="1" sentence="0">quake</token><token t_id="2" sentence="1">It</token>
<Markables><ACTION_OCCURRENCE m_id="1"><token_anchor t_id="1"/></ACTION_OCCURRENCE>
<HUMAN_PART m_id="2"><token_anchor t_id="2"/></HUMAN_PART>
<ACTION_OCCURRENCE m_id="9" instance_id="ACT1"/></Markables>
<Relations><CROSS_DOC_COREF r_id="5"><source m_id="1"/><target m_id="9"/></CROSS_DOC_COREF></Relations></Document>"""


def test_mentions_have_their_chain_and_whether_their_sentence_was_validated() -> None:
    made = tables.mentions(given(v="Topic,File,Sentence Number\n1,2ecb,0 \n", d_s_1_2ecb__xml=ECB))
    assert rows_of(made["mentions"])[1:] == [
        ["1", "1_2ecb.xml", "0", "1", "event", "ACTION_OCCURRENCE", "quake", "ACT1", "CROSS_DOC_COREF", "1"],
        ["1", "1_2ecb.xml", "1", "2", "entity", "HUMAN_PART", "It", "SINGLETON_2_1_2ecb.xml", "SINGLETON", "0"],
    ]


def test_word_lists_stand_in_a_tar_of_one_time() -> None:
    made = tables.word_lists(given(nouns="a\n"))["archive"]
    with tarfile.open(fileobj=io.BytesIO(made)) as archive:
        assert [(member.name, member.mtime) for member in archive] == [(".", 1795223734), ("./nouns", 1567752595)]
    assert made == tables.word_lists(given(nouns="a\n"))["archive"]


def test_glove_codes_and_stimuli() -> None:
    files = given(v=gzip.compress(bytes(range(6))), w=gzip.compress(b"a\nb"))
    made = np.load(io.BytesIO(vectors.glove_codes(files, scale=0.5)["vectors"]))
    assert (
        made["words"].tolist() == ["a", "b"] and made["q"].tolist() == [[0, 1, 2], [3, 4, 5]] and made["scale"] == 0.5
    )


def test_the_tagger_is_read_from_a_pickle_of_sets() -> None:
    def packed(content: object) -> Files:
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w") as archive:
            archive.writestr("t/t.pickle", pickle.dumps(content))
        return given(t__zip=stream.getvalue())

    made = vectors.tagger(packed(({"bias": {"NN": 1.5}}, {"the": "DT"}, {"NN", "DT"})))
    assert (
        gzip.decompress(made["weights"])
        == b'{"classes":["DT","NN"],"tagdict":{"the":"DT"},"weights":{"bias":{"NN":1.5}}}'
    )
    with pytest.raises(DataError, match="the pickle asks for"):
        vectors.tagger(packed((np.float64, {}, set())))


def test_a_table_in_a_file_of_r() -> None:
    stream = io.BytesIO()
    columns = {"word": np.array(["in", "on"]), "vec": [np.array([0.5, 0.25]), np.array([1.0, 2.0])]}
    rdata.write_rda(stream, {"demodata": columns})
    made = np.load(io.BytesIO(vectors.google_news(given(d__rda=stream.getvalue()))["vectors"]))
    assert made["words"].tolist() == ["in", "on"] and made["vectors"].dtype == np.float16


def test_stimuli_come_from_the_tests_first_and_then_from_the_matrix(monkeypatch: pytest.MonkeyPatch) -> None:
    matrix = xarray.DataArray([[1.5, -2.0], [3.0, 3.0]], dims=["d", "e"], coords={"d": ["art", "aster"]})
    monkeypatch.setattr(vectors, "_r_data", lambda content: {"glove_math": matrix})
    test = json.dumps({"target": ["aster 0.1 0.2", "aster 9 9"]})
    assert vectors.glove_stimuli(given(t=test, m=""))["vectors"] == b"aster 0.1 0.2\nart 1.5 -2.0\n"
