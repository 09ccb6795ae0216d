"""Raw records with their gold clusters, for entity resolution from end to end (Vadrevu et al. 2021, Table 2, and more).

The paper starts from stored scores; here are the records, so that blocking and scoring can be run as well. Every set is
one table: two lists that are to be linked are stacked, and a gold cluster holds what stands for one entity in either.
"""

from __future__ import annotations

import csv
import json
import string
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from trustnlp.data.damage import as_described
from trustnlp.data.linkage.stored_scores import read_settlement_gold
from trustnlp.data.registry import DataError
from trustnlp.data.store import fetch

_DATASETS = {
    "restaurants": "restaurants",
    "dblp_acm": "dblp_acm",
    "cora": "cora_citations",
    "early_childhood_sites": "early_childhood_sites",
    "settlements": "settlements_records",
    "patents": "patent_inventors",
}
_RESTAURANT = "http://www.okkam.org/ontology_restaurant"
_ARTICLE = ["id", "title", "authors", "venue", "year"]
_CITATION = [
    *("Entity Id", "address", "author", "editor", "institution", "month", "note", "pages", "publisher", "title"),
    *("venue", "volume", "year", ""),
]
_SITE = ["True Id", "Id", "Source", "Site name", "Address", "Zip", "Phone"]
_INVENTOR = ["person_id", "Lat", "Lng", "Coauthor", "Name", "Class"]
_LEUVEN = ["person_id", "leuven_id", "person_name"]


@dataclass(frozen=True, eq=False)
class RecordSet:
    """Records, which of them are one entity, and where they are from; the three have the same index of record ids.

    Attributes
    ----------
    records
        One column per field, each cell a string or None.
    gold
        Label of each record's entity.
    sources
        The list or file each record is from.
    """

    records: pd.DataFrame
    gold: pd.Series
    sources: pd.Series


def read_records(name: str) -> RecordSet:
    """Fetch and read one of the sets.

    Parameters
    ----------
    name
        `restaurants`, `dblp_acm`, `cora`, `early_childhood_sites`, `settlements` or `patents`. The ids of the first two
        carry the name of their list, as in `dblp:17`.

    Raises
    ------
    DataError
        If it is not one of the sets, or it cannot be fetched, or its files are not what their headers say.
    """
    if name not in _DATASETS:
        raise DataError(f"{name!r} is not a set of records; choose from {', '.join(_DATASETS)}")
    dataset = _DATASETS[name]
    paths = fetch(dataset)
    with as_described(dataset, paths):
        return _READERS[name](paths)


def clusters_from_pairs(ids: Sequence[Hashable], pairs: Iterable[tuple[Hashable, Hashable]]) -> pd.Series:
    """Label of each record: the connected component of the gold pairs it is in, indexed by id.

    Raises
    ------
    ValueError
        If a record stands twice, or a pair names a record that is not there.
    """
    place = {record: number for number, record in enumerate(ids)}
    if len(place) < len(ids):
        raise ValueError("a record id stands twice")
    ends = []
    for left, right in pairs:
        if left not in place or right not in place:
            raise ValueError(f"the gold pair ({left!r}, {right!r}) names a record that is not there")
        ends.append((place[left], place[right]))
    rows, columns = np.array(ends, dtype=np.int64).reshape(-1, 2).T
    graph = coo_matrix((np.ones(len(ends)), (rows, columns)), shape=(len(ids), len(ids)))
    return pd.Series(connected_components(graph, directed=False)[1], index=pd.Index(ids, name="id"), name="gold")


def planted_records(entities: int, rng: np.random.Generator) -> RecordSet:
    """Stand-in for runs without data: two to four records for each entity, with planted truth.

    A record has a name, an address and a phone number. Its first record has them right; the others have a typing error
    in the name, one in the address half of the time, and no phone number a quarter of the time. Entities share the
    first words of their names and their streets with others, and some their phone number.

    Raises
    ------
    ValueError
        If there is less than one entity.
    """
    if entities < 1:
        raise ValueError(f"a set of records needs at least one entity, got {entities}")
    rows: list[tuple[str, str, str | None]] = []
    gold: list[int] = []
    firsts, streets = ([_word(rng) for _ in range(1 + entities // 5)] for _ in range(2))
    phone = ""
    for entity in range(entities):
        name = f"{rng.choice(firsts)} {_word(rng)}"
        address = f"{rng.integers(1, 99)} {rng.choice(streets)} street"
        if not phone or rng.random() < 0.8:
            phone = "555-" + "".join(map(str, rng.integers(0, 10, 7)))
        rows.append((name, address, phone))
        for _ in range(int(rng.integers(1, 4))):
            other = _mistyped(address, rng) if rng.random() < 0.5 else address
            rows.append((_mistyped(name, rng), other, phone if rng.random() < 0.75 else None))
        gold += [entity] * (len(rows) - len(gold))
    order = rng.permutation(len(rows))
    shuffled = [dict(zip(("name", "address", "phone"), rows[row], strict=True)) for row in order]
    return _record_set(range(len(rows)), shuffled, [gold[row] for row in order], "planted")


def _word(rng: np.random.Generator) -> str:
    return "".join(rng.choice(list(string.ascii_lowercase), size=int(rng.integers(4, 9))))


def _mistyped(text: str, rng: np.random.Generator) -> str:
    """One letter replaced, left out or written twice."""
    at = int(rng.integers(len(text)))
    middle = ("", text[at] * 2, str(rng.choice(list(string.ascii_lowercase))))[int(rng.integers(3))]
    return text[:at] + middle + text[at + 1 :]


def _record_set(
    ids: Iterable[Hashable], rows: list[dict[str, str | None]], gold: Sequence[Hashable], sources: str | Sequence[str]
) -> RecordSet:
    index = pd.Index(list(ids), name="id")
    if not index.is_unique:
        raise ValueError("a record id stands twice")
    records = pd.DataFrame(rows, index=index, dtype=object)
    records = records.mask(records.isna() | (records == ""), None)
    named = pd.Series(sources, index=index, name="source", dtype=object)
    return RecordSet(records, pd.Series(pd.factorize(np.asarray(gold))[0], index=index, name="gold"), named)


def _rows(path: Path, separator: str, header: Sequence[str], *, more: bool = False) -> list[dict[str, str | None]]:
    """Rows of a table that opens with this header; `more` allows further columns."""
    with path.open(encoding="utf-8", newline="") as stream:
        reader = csv.reader(stream, delimiter=separator, strict=True)
        found = next(reader, [])
        rows = list(reader)
    if found[: len(header)] != list(header) or (len(found) != len(header) and not more):
        raise ValueError(f"{path.name} opens with {found}, expected the columns {', '.join(header)}")
    if not rows:
        raise ValueError(f"{path.name} has a header and no rows")
    for number, row in enumerate(rows, start=1):
        if len(row) != len(found):
            raise ValueError(f"record {number} of {path.name} has {len(row)} fields, its header {len(found)}")
    return [dict(zip(found, row, strict=True)) for row in rows]


def _linked(
    paths: Mapping[str, Path], separator: str, names: tuple[str, str], headers: tuple[list[str], list[str]]
) -> RecordSet:
    """Two lists, `first` and `second`, and gold pairs of the id in one and the id in the other."""
    rows, ids, sources = [], [], []
    for name, header, path in zip(names, headers, (paths["first"], paths["second"]), strict=True):
        for row in _rows(path, separator, header):
            ids.append(f"{name}:{row['id']}")
            sources.append(name)
            rows.append({key.split("#")[-1]: value for key, value in row.items() if key != "id"})
    gold = _rows(paths["gold"], separator, ["D1", "D2"])
    pairs = [(f"{names[0]}:{row['D1']}", f"{names[1]}:{row['D2']}") for row in gold]
    return _record_set(ids, rows, clusters_from_pairs(ids, pairs).tolist(), sources)


def _read_restaurants(paths: Mapping[str, Path]) -> RecordSet:
    fields = ("name", "phone_number", "street")
    first, second = (["id", *(f"{_RESTAURANT}{number}.owl#{field}" for field in fields)] for number in (1, 2))
    return _linked(paths, "|", ("first", "second"), (first, second))


def _read_dblp_acm(paths: Mapping[str, Path]) -> RecordSet:
    return _linked(paths, "%", ("dblp", "acm"), (_ARTICLE, _ARTICLE))


def _read_cora(paths: Mapping[str, Path]) -> RecordSet:
    """Every line ends with a separator; the gold pairs have no header."""
    rows = _rows(paths["records"], "|", _CITATION)
    ids = [str(row.pop("Entity Id")) for row in rows]
    for row in rows:
        row.pop("")
    lines = [line.split("|") for line in paths["gold"].read_text(encoding="utf-8").split()]
    if not lines or any(len(line) != 2 for line in lines):
        raise ValueError(f"{paths['gold'].name} does not hold two ids per line")
    pairs = [(left, right) for left, right in lines]
    return _record_set(ids, rows, clusters_from_pairs(ids, pairs).tolist(), "cora")


def _read_sites(paths: Mapping[str, Path]) -> RecordSet:
    rows = _rows(paths["records"], ",", _SITE, more=True)
    gold, ids, sources = ([str(row.pop(column)) for row in rows] for column in ("True Id", "Id", "Source"))
    if "" in gold:
        raise ValueError("a record has no True Id")
    return _record_set(ids, rows, gold, sources)


def _read_settlements(paths: Mapping[str, Path]) -> RecordSet:
    """One JSON object per line; the gold is of another data set, which holds the scores of the same records."""
    lines = [json.loads(line) for line in paths["records"].read_text(encoding="utf-8").splitlines()]
    if not lines:
        raise ValueError("there are no records")
    rows = [{field: _text(line["data"].get(field)) for field in ("label", "lat", "lon")} for line in lines]
    ids = [line["id"] for line in lines]
    scored = fetch("fmwsp_settlements")
    with as_described("fmwsp_settlements", scored):
        gold = read_settlement_gold(scored["gold"]).reindex(ids)
    if gold.isna().any():
        raise ValueError(f"record {gold.index[gold.isna()][0]} is in no gold cluster")
    return _record_set(ids, rows, gold.tolist(), [line["data"]["ontology"] for line in lines])


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def _read_patents(paths: Mapping[str, Path]) -> RecordSet:
    """Two tables with one row per inventor: the fields, and the gold with the name as first written."""
    rows = _rows(paths["records"], ",", _INVENTOR)
    gold = {row["person_id"]: row["leuven_id"] for row in _rows(paths["reference"], ",", _LEUVEN)}
    ids = [str(row.pop("person_id")) for row in rows]
    if unknown := [record for record in ids if not gold.get(record)]:
        raise ValueError(f"record {unknown[0]!r} has no leuven_id")
    return _record_set(ids, rows, [gold[record] for record in ids], "patstat")


_READERS: dict[str, Callable[[Mapping[str, Path]], RecordSet]] = {
    "restaurants": _read_restaurants,
    "dblp_acm": _read_dblp_acm,
    "cora": _read_cora,
    "early_childhood_sites": _read_sites,
    "settlements": _read_settlements,
    "patents": _read_patents,
}
