"""Released word lists on gender: Bolukbasi et al. (2016) in English, Zhou et al. (2019) in Spanish and French."""

from __future__ import annotations

import json
import lzma
import tarfile
from dataclasses import dataclass
from typing import Literal

from trustnlp.data.damage import as_described
from trustnlp.data.store import fetch

_MOST_BYTES = 1_000_000


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
        If they cannot be fetched or read.
    """
    paths = fetch("bolukbasi_lists")
    with as_described("bolukbasi_lists", paths):
        pairs, professions = (json.loads(paths[key].read_text("utf-8")) for key in ("pairs", "professions"))
        return BolukbasiLists(tuple((str(f), str(m)) for f, m in pairs), tuple(str(row[0]) for row in professions))


def read_zhou(language: Literal["es", "fr"]) -> ZhouLists:
    """Fetch and read the lists of Zhou et al. (data set `zhou2019_lists`). Nothing is unpacked to disk.

    Raises
    ------
    ValueError
        If not Spanish or French.
    DataError
        If they cannot be fetched or read.
    """
    if language not in ("es", "fr"):
        raise ValueError(f"the lists of Zhou et al. are Spanish (es) and French (fr), got {language!r}")
    paths = fetch("zhou2019_lists")
    with (
        as_described("zhou2019_lists", paths),
        lzma.open(paths["archive"]) as raw,
        tarfile.open(fileobj=raw) as archive,
    ):
        rows = _lines(archive, f"{language.upper()}_occupation_words_with_EN_translations")
        occupations = [row.split("\t") for row in rows]
        return ZhouLists(
            tuple((feminine, masculine) for feminine, masculine, *_ in occupations),
            _lines(archive, f"feminine_nouns_{language}"),
            _lines(archive, f"masculine_nouns_{language}"),
        )


def read_equalized() -> tuple[tuple[str, str], ...]:
    """(female, male) pairs that Bolukbasi et al. equalise, and their ten defining ones (data set `bolukbasi_pairs`).

    The file of pairs to equalise has the male word first.

    Raises
    ------
    DataError
        If they cannot be fetched or read.
    """
    paths = fetch("bolukbasi_pairs")
    with as_described("bolukbasi_pairs", paths):
        equalized, defining = (json.loads(paths[key].read_text("utf-8")) for key in ("equalized", "defining"))
        return (*((str(f), str(m)) for m, f in equalized), *((str(f), str(m)) for f, m in defining))


def read_zhou_pairs(language: Literal["es", "fr"]) -> tuple[tuple[str, str], ...]:
    """(feminine, masculine) defining pairs and occupations of Zhou et al.; errors are those of `read_zhou`."""
    occupations = read_zhou(language).occupations
    paths = fetch("zhou2019_lists")
    with (
        as_described("zhou2019_lists", paths),
        lzma.open(paths["archive"]) as raw,
        tarfile.open(fileobj=raw) as archive,
    ):
        rows = json.loads("".join(_lines(archive, f"{language.upper()}_definitional_pairs.json")))
        return (*((str(f), str(m)) for f, m in rows), *occupations)


def _lines(archive: tarfile.TarFile, name: str) -> tuple[str, ...]:
    """A member's lines that hold something."""
    member = archive.getmember(f"./{name}")
    file = archive.extractfile(member)
    if file is None or member.size > _MOST_BYTES:
        raise ValueError(f"{name} in the archive is no list of words")
    return tuple(line.strip() for line in file.read().decode("utf-8").split("\n") if line.strip())
