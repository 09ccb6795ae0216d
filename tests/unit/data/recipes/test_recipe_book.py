"""Recipes: pinned files come from a server of our own, and what is made of them is the registry's file or nothing."""

from __future__ import annotations

import hashlib
import http.server
import io
import json
import lzma
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

import pytest

from trustnlp.data import origins, store
from trustnlp.data.origins import facts, origin, origins_in_words, publishers, transfer_bytes
from trustnlp.data.recipes import recipe_book
from trustnlp.data.recipes.recipe_book import Recipe, Source, bring, places, recipes
from trustnlp.data.registry import DataError, DataFile, Dataset, dataset, load_registry

RAW = {
    "/a/b/c1/text one.txt": b"first\n",
    "/a/b/c2/two.txt": b"second\nfirst\nlast one\n",
}
MADE = lzma.compress(b"first\nsecond\nlast one\n", preset=9 | lzma.PRESET_EXTREME)
TOY = Source("a/b", ("c1:text one.txt", "c2:two.txt"))


def zipped(files: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in files.items():
            archive.writestr(f"b-c1/{name}", content)
    return stream.getvalue()


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[list[str]]:
    """A server in the place of GitHub, a registry of one data set, an empty cache; gives the paths that were asked."""
    paths: list[str] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            paths.append(unquote(self.path))
            content = RAW.get(paths[-1])
            self.send_response(404 if content is None else 200)
            self.end_headers()
            self.wfile.write(content or b"")

        def log_message(self, *_: object) -> None: ...

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    for name in ("RAW", "ARCHIVES"):
        monkeypatch.setattr(recipe_book, name, f"http://127.0.0.1:{server.server_port}")
    file = DataFile("text", hashlib.sha256(MADE).hexdigest(), len(MADE), mirror="toy.txt.xz")
    toy = Dataset("toy", "Toy", (file,), "none", "none", "none", "reader", (), "none")
    for module in (store, recipe_book):
        monkeypatch.setattr(module, "dataset", lambda name: toy)
    monkeypatch.setattr(store, "load_registry", lambda: {"toy": toy})
    use(monkeypatch, TOY, b"".join(RAW.values()))
    monkeypatch.setenv("TRUSTNLP_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("TRUSTNLP_MIRROR", raising=False)
    yield paths
    server.shutdown()
    server.server_close()


def use(monkeypatch: pytest.MonkeyPatch, source: Source, content: bytes) -> None:
    recipe = Recipe("corpora:prompts", hashlib.sha256(content).hexdigest(), len(content), (source,), "xz")
    monkeypatch.setattr(recipe_book, "recipes", lambda: {"toy": recipe})


def test_pinned_files_are_brought_once_and_made_into_the_registered_file(asked: list[str]) -> None:
    assert places("toy") == {"text": "recipe"}
    assert bring("toy")["text"].read_bytes() == MADE
    assert sorted(asked) == sorted(RAW)
    assert places("toy") == {"text": "cache"}
    bring("toy")
    assert len(asked) == 2
    assert not list((store.cache_root() / ".sources").iterdir())


def test_what_came_before_an_outage_does_not_come_again(asked: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as outage:
        outage.delitem(RAW, "/a/b/c2/two.txt")
        with pytest.raises(DataError, match=r"could not download .*two\.txt .* what has come is kept"):
            bring("toy")
    bring("toy")
    assert asked.count("/a/b/c1/text one.txt") == 1


def test_another_file_than_the_pinned_one_is_refused(asked: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(RAW, "/a/b/c2/two.txt", b"other")
    with pytest.raises(DataError, match=r"the 2 public files of toy have sha256 .* nothing was made"):
        bring("toy")
    assert places("toy") == {"text": "recipe"}


def test_another_result_than_the_registered_one_is_refused(asked: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recipe_book.lzma, "compress", lambda content, preset: content)
    with pytest.raises(DataError, match="has another sha256 than the registry's"):
        bring("toy")


def test_files_are_taken_out_of_a_repositorys_zip(asked: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    kept = {"in/1.txt": b"first\n", "in/2.txt": b"second\nlast one\n"}
    monkeypatch.setitem(RAW, "/a/b/zip/c1", zipped({**dict(reversed(kept.items())), "out.txt": b"third"}))
    use(monkeypatch, Source("a/b", ("in/*.txt",), "c1", archive=True), b"".join(kept.values()))
    assert bring("toy")["text"].read_bytes() == MADE
    use(monkeypatch, Source("a/b", ("*.txt",), "c1", archive=True), b"few")
    bring("toy")["text"].unlink()
    with pytest.raises(DataError, match="holds more than the 3 bytes"):
        bring("toy")


def test_every_recipe_pins_its_files_and_makes_a_registered_data_set() -> None:
    for name, recipe in recipes().items():
        assert name in load_registry()
        for source in recipe.sources:
            assert source.repository.count("/") == 1
            assert all(len(commit) == 40 for commit, _ in source.pinned())
            assert source.archive or not any("*" in path for _, path in source.pinned())


@pytest.mark.mirror
def test_recipes_compress_as_the_registered_files_were(mirror: Path) -> None:
    for name, recipe in recipes().items():
        for file in dataset(name).files:
            if file.filename.endswith(".xz"):
                path = mirror / str(file.mirror)
                with lzma.open(path) as stream:
                    head = stream.read(1_500_000)
                compressor = lzma.LZMACompressor(preset=recipe_book._PRESETS[recipe.packed])
                made = compressor.compress(head) + (compressor.flush() if len(head) < 1_500_000 else b"")
                assert path.read_bytes()[: len(made)] == made, name


def test_every_data_set_has_an_origin_and_those_of_a_publisher_say_whom_to_ask() -> None:
    asked = {name for name in load_registry() if origin(name) == "publisher"}
    assert asked == set(publishers())
    assert origin("minilm") == origin("mpnet_base") == "index"
    assert origin("ted_ur") == origin("weat_stimuli") == "download"
    assert transfer_bytes(["ted_ur"]) == recipes()["ted_ur"].bytes
    assert transfer_bytes(["minilm", "minilm"]) == transfer_bytes(["minilm"]) == 83_506_384


def test_where_data_come_from_is_said_in_the_same_words_everywhere() -> None:
    assert origins_in_words([]) == "none"
    assert origins_in_words(["minilm"]) == "package index, 83.5 MB"
    assert origins_in_words(["minilm", "ted_ur"]) == "download, 84.8 MB"
    assert origins_in_words(["kbp37", "minilm"]) == "ask the publisher of kbp37; package index, 83.5 MB"
    assert facts("kbp37")["Publisher"] == publishers()["kbp37"].page
    made = facts("ecbplus")["Made of"]
    assert made.startswith("files (1) of github.com/cltl/ecbPlus at 3aa071e12fd0; the zip of github.com/tommasoc80/")
    for name, told in {"ted_ur": "its recipe", "kbp37": "a mirror of yours: kbp37/train.txt"}.items():
        assert origins.source(name, dataset(name).files[0]) == told


def test_most_paper_notebooks_run_without_a_mirror_and_without_asking() -> None:
    from trustnlp.reproduce.data_availability import availability

    rows = json.loads(json.dumps([row.as_json() for row in availability()]))
    assert sum(row["from"] != "publisher" for row in rows) >= 55
    assert {"notebook", "from", "bytes", "data_sets"} == set(rows[0])
