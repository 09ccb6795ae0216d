"""A user's text is read whatever its editor did to it, or refused with its encoding and line, and never quoted."""

import ast
import codecs
import gzip
from pathlib import Path

import pytest

import trustnlp
from trustnlp.files.user_text import TextFileError, open_bytes, open_text, read_text

TEXT = "Grüße\r\nvon hier\n"
PACKAGE = Path(trustnlp.__file__).parent


@pytest.fixture
def path(tmp_path) -> Path:
    return tmp_path / "in.txt"


@pytest.mark.parametrize("mark", [b"", codecs.BOM_UTF8])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_marks_and_compression_change_nothing(mark, pack, path):
    path.write_bytes(pack(mark + TEXT.encode()))
    assert read_text(path) == "Grüße\nvon hier\n"
    with open_text(path) as stream:
        assert list(stream) == ["Grüße\r\n", "von hier\n"]
    with open_bytes(path) as raw:
        assert raw.read() == TEXT.encode()


@pytest.mark.parametrize("content", [b"", b"\xef", codecs.BOM_UTF8, b"PK", b"\x1f"])
def test_the_shortest_files(content, path):
    path.write_bytes(content)
    with open_bytes(path) as raw:
        assert raw.read() == content.removeprefix(codecs.BOM_UTF8)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (TEXT.encode("utf-16"), "in.txt: not text in UTF-8 but in UTF-16; save it as UTF-8"),
        (TEXT.encode("utf-32"), "in.txt: not text in UTF-8 but in UTF-32"),
        (b"PK\x03\x04...", "in.txt: a zip archive"),
        (b"\x93NUMPY", "in.txt: an array in .npy format"),
        (b"PAR1", "in.txt: a Parquet file"),
        (gzip.compress(gzip.compress(b"a", mtime=0), mtime=0), "in.txt: compressed with gzip; unpack it"),
        (gzip.compress(b"a" * 99, mtime=0)[:-9], "in.txt: the compressed file is damaged"),
        (b"\x1f\x8bno", "in.txt: the compressed file is damaged"),
        (b"a\nb\nStra\xdfe secret\n", r"in.txt: line 3 is not UTF-8 \(.*\), perhaps Windows-1252 or Latin-1"),
        (gzip.compress(b"a\nStra\xdfe secret\n", mtime=0), "in.txt: line 2 is not UTF-8"),
        (b"\x81\xfe\x00\x01secret", "in.txt: line 1 is not UTF-8 and holds zero bytes"),
        (b"secret \x81\x8d\n", r"in.txt: line 1 is not UTF-8 \(invalid start byte\); save it"),
    ],
)
def test_what_is_no_text_is_told_with_its_line_and_not_quoted(content, message, path):
    path.write_bytes(content)
    for read in (read_text, _streamed):
        with pytest.raises(TextFileError, match=message) as told:
            read(path)
        assert "secret" not in str(told.value) and "\n" not in str(told.value)


def _streamed(path: Path) -> None:
    with open_text(path) as stream:
        stream.read()


def test_an_error_of_the_one_who_reads_is_not_taken_for_a_damaged_file(path):
    path.write_bytes(b"a")
    with pytest.raises(EOFError), open_bytes(path):
        raise EOFError


def _reads_text(node: ast.AST) -> bool:
    """`….read_text(encoding="utf-8")`, `open(…, encoding="utf-8")` or `read_csv(…, encoding=…)` around the reader."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute | ast.Name)):
        return False
    name = node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id
    return name in ("read_text", "open", "read_csv") and "encoding" in {each.arg for each in node.keywords}


MODULES = """tools/user_files graphs/pair_files embeddings/vector_text_files tools/cli_bias tools/cli_explain
tools/cli_release tools/cli_text tools/cli_senses tools/cli_graphs tools/cli_attack reproduce/runs/sweep"""


@pytest.mark.parametrize("module", MODULES.split())
def test_every_file_of_a_user_goes_through_the_one_reader(module):
    tree = ast.parse((PACKAGE / f"{module}.py").read_text(encoding="utf-8"))
    assert not [ast.unparse(node) for node in ast.walk(tree) if _reads_text(node)]
