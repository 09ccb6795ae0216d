"""Files as editors, transfers and tired people leave them."""

from __future__ import annotations

import gzip
import random

BROKEN = [
    b"\xff\xfe", b"\x00", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\x1b[31m", b"\r", b"\t", b"\n", b"\n\n", b"\xe2\x80\xa8",
    b"{", b"}", b"[", b"]", b": ", b"- ", b",", b";", b"=", b"%", b"'", b'"', b"\\ud800", b"${x}", b"=1+1",
    b"-1", b"-1e400", b".inf", b"nan", b"NaN", b"null", b"true", b"1:2:3", b"2026-13-45", b"2026-02-30T25:61:61Z",
    b"9999999999-01-01", b"9" * 4300, b"9" * 5000, b"0x" + b"f" * 5000,
    b"[" * 3000, b"[" * 100_000, b"{a: " * 3000, b'{"a":' * 3000, b"- " * 3000, b"(" * 3000,
    b"&a [*a]", b"*b", b"<<: 3", b"? [a]\n", b"%YAML 9.9\n---\n", b"---\n", b"...\n", b"!!python/object:os.system x",
    b"!!binary a", b"!!set {a, b}", b"!!timestamp 'x'", b"!!int x", b"!!float x", b"!!omap [a: 1]",
    b"\x1f\x8b", b"PK\x03\x04",
]  # fmt: skip


def torn(content: bytes, rng: random.Random) -> bytes:
    """The file with something broken put in, taken out or repeated, or as another program would save it."""
    at = rng.randrange(len(content) + 1)
    how = rng.random()
    if how < 0.3:
        return content[:at] + rng.choice(BROKEN) + content[at:]
    if how < 0.55:  # in the place of a value
        ends = [i for i, byte in enumerate(content) if byte in b":,[\t"]
        start = rng.choice(ends or [0]) + 1
        return content[:start] + b" " + rng.choice(BROKEN) + content[start + rng.randint(0, 12) :]
    if how < 0.7:
        return content[:at]
    if how < 0.85:
        return content[:at] + rng.randbytes(rng.randint(0, 4)) + content[at + rng.randint(1, 40) :]
    if how < 0.95:
        return content[:at] + content[max(0, at - 60) : at] + content[at:]
    return rng.choice([b"", gzip.compress(content, mtime=0), content.decode("latin-1").encode("utf-16"), content * 2])
