"""Released word lists on gender: Bolukbasi et al. (2016) in English, Zhou et al. (2019) in Spanish and French."""

from __future__ import annotations

import json
import lzma
import tarfile
from dataclasses import dataclass
from typing import Literal

from trustnlp.data.store import fetch


@dataclass(frozen=True)
class BolukbasiLists:
    """Ten (female, male) pairs, and the professions in the order of the file."""

    pairs: tuple[tuple[str, str], ...]
    professions: tuple[str, ...]


@dataclass(frozen=True)
class ZhouLists:
    """Pairs of occupations (feminine, masculine), and nouns by their grammatical gender."""

    occupations: tuple[tuple[str, str], ...]
    feminine_nouns: tuple[str, ...]
    masculine_nouns: tuple[str, ...]


def read_bolukbasi() -> BolukbasiLists:
    """Fetch and read the lists of Bolukbasi et al. (data set `bolukbasi_lists`).

    Raises
    ------
    DataError
        If they cannot be fetched.
    """
    paths = fetch("bolukbasi_lists")
    pairs, professions = (json.loads(paths[key].read_text("utf-8")) for key in ("pairs", "professions"))
    return BolukbasiLists(tuple((f, m) for f, m in pairs), tuple(row[0] for row in professions))


def read_zhou(language: Literal["es", "fr"]) -> ZhouLists:
    """Fetch and read the lists of Zhou et al. (data set `zhou2019_lists`). Nothing is unpacked to disk.

    Raises
    ------
    ValueError
        If not Spanish or French.
    DataError
        If they cannot be fetched.
    """
    if language not in ("es", "fr"):
        raise ValueError(f"the lists of Zhou et al. are Spanish (es) and French (fr), got {language!r}")
    occupations, feminine, masculine = _zhou_lines(
        f"{language.upper()}_occupation_words_with_EN_translations",
        f"feminine_nouns_{language}",
        f"masculine_nouns_{language}",
    )
    rows = (row.split("\t") for row in occupations)
    return ZhouLists(tuple((f, m) for f, m, *_ in rows), feminine, masculine)


def read_equalized() -> tuple[tuple[str, str], ...]:
    """(female, male) pairs that Bolukbasi et al. equalise, and their ten defining ones (data set `bolukbasi_pairs`).

    The file of pairs to equalise has the male word first.

    Raises
    ------
    DataError
        If they cannot be fetched.
    """
    paths = fetch("bolukbasi_pairs")
    equalized, defining = (json.loads(paths[key].read_text("utf-8")) for key in ("equalized", "defining"))
    return (*((f, m) for m, f in equalized), *((f, m) for f, m in defining))


def read_zhou_pairs(language: Literal["es", "fr"]) -> tuple[tuple[str, str], ...]:
    """(feminine, masculine) defining pairs and occupations of Zhou et al.; errors are those of `read_zhou`."""
    occupations = read_zhou(language).occupations
    [lines] = _zhou_lines(f"{language.upper()}_definitional_pairs.json")
    return (*((f, m) for f, m in json.loads("".join(lines))), *occupations)


def _zhou_lines(*names: str) -> list[tuple[str, ...]]:
    """The lines that hold something, of some members of the archive."""
    with lzma.open(fetch("zhou2019_lists")["archive"]) as raw, tarfile.open(fileobj=raw) as archive:
        contents = [archive.extractfile(f"./{name}").read().decode("utf-8") for name in names]  # type: ignore[union-attr]
    return [tuple(line.strip() for line in content.split("\n") if line.strip()) for content in contents]
