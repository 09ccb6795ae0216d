"""Files with one JSON object a line, plain or compressed with gzip."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any


def read_json_lines(path: Path) -> list[dict[str, Any]]:
    """The objects of a file, in order; signs of Unicode that look like line ends part no lines."""
    content = path.read_bytes()
    if content.startswith(b"\x1f\x8b"):  # of gzip
        content = gzip.decompress(content)
    return [json.loads(line) for line in content.decode("utf-8").removesuffix("\n").split("\n")]
