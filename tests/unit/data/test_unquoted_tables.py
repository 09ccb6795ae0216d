"""Tables without quoting: rows as they stand, and what is not such a table."""

from refusals import assert_refused

from trustnlp.data.unquoted_tables import read_unquoted


def test_cells_keep_quotation_marks_and_signs_that_look_like_line_ends(tmp_path):
    path = tmp_path / "t"
    path.write_bytes('a\tb\r\n"one\ttwo\u2028three\r\n'.encode())
    assert read_unquoted(path, 2) == [["a", "b"], ['"one', "two\u2028three"]]
    assert read_unquoted(path, 2, header="a\tb") == [['"one', "two\u2028three"]]


def test_a_byte_order_mark_and_a_missing_end_are_taken_where_they_are_meant(tmp_path):
    path = tmp_path / "t"
    path.write_bytes("\ufeffa\tb\nc\td".encode())
    assert read_unquoted(path, 2, header="a\tb", marked=True, ended=False) == [["c", "d"]]


def test_other_files_are_refused(tmp_path):
    def attempt(content: bytes) -> None:
        (tmp_path / "t.tsv").write_bytes(content)
        read_unquoted(tmp_path / "t.tsv", 2, header="a\tb")

    rows = [
        (b"", "t.tsv ends in the middle"),
        (b"a\tb\n", "t.tsv has no rows"),
        (b"a\tb\nc\td", "ends in the middle of a line"),
        (b"b\ta\nc\td\n", r"has the header 'b\\ta', expected 'a\\tb'"),
        (b"a\tb\nc\td\ne\n", "line 3: 1 columns, expected 2"),
        (b"\xef\xbb\xbfa\tb\nc\td\n", "byte order mark"),
        (b"a\tb\nc\t\xe9\n", "utf-8"),
    ]
    assert_refused(attempt, rows)
