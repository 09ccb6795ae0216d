"""Raw records with their gold clusters, for entity resolution from end to end (Vadrevu et al. 2021, Table 2, and more).

The paper starts from stored scores; here are the records, so that blocking and scoring can be run as well. Every set is
one table: two lists that are to be linked are stacked, and a gold cluster holds what stands for one entity in either.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from trustnlp.data.json_lines import read_json_lines
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
        If it is not one of the sets, or it cannot be fetched.
    """
    if name not in _DATASETS:
        raise DataError(f"{name!r} is not a set of records; choose from {', '.join(_DATASETS)}")
    return _READERS[name](fetch(_DATASETS[name]))


def clusters_from_pairs(ids: Sequence[Hashable], pairs: Iterable[Iterable[Hashable]]) -> pd.Series:
    """Label of each record: the connected component of the gold pairs it is in, indexed by id."""
    index = pd.Index(ids, name="id")
    ends = index.get_indexer(np.array([end for pair in pairs for end in pair], dtype=object))
    graph = coo_matrix((np.ones(len(ends) // 2), (ends[::2], ends[1::2])), shape=(len(index), len(index)))
    return pd.Series(connected_components(graph, directed=False)[1], index=index, name="gold")


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
    records = pd.DataFrame([rows[row] for row in order], columns=["name", "address", "phone"])
    return _record_set(range(len(rows)), records, [gold[row] for row in order], "planted")


def _word(rng: np.random.Generator) -> str:
    return "".join(rng.choice(list(string.ascii_lowercase), size=int(rng.integers(4, 9))))


def _mistyped(text: str, rng: np.random.Generator) -> str:
    """One letter replaced, left out or written twice."""
    at = int(rng.integers(len(text)))
    middle = ("", text[at] * 2, str(rng.choice(list(string.ascii_lowercase))))[int(rng.integers(3))]
    return text[:at] + middle + text[at + 1 :]


def _record_set(
    ids: Iterable[Hashable], records: pd.DataFrame, gold: Iterable[Hashable], sources: str | Iterable[str]
) -> RecordSet:
    index = pd.Index(list(ids), name="id")
    cells = records.astype(object).where(records.notna(), None).set_axis(index)
    labels = pd.Series(pd.factorize(np.asarray(list(gold)))[0], index=index, name="gold")
    named = pd.Series(sources if isinstance(sources, str) else list(sources), index=index, name="source", dtype=object)
    return RecordSet(cells, labels, named)


def _table(path: Path, separator: str = ",") -> pd.DataFrame:
    """A table of texts; empty cells are missing."""
    return pd.read_csv(path, sep=separator, dtype=str, keep_default_na=False, na_values=[""])


def _linked(paths: Mapping[str, Path], separator: str, *names: str) -> RecordSet:
    """Two lists, `first` and `second`, and gold pairs of the id in one and the id in the other."""
    tables = [_table(paths[key], separator) for key in ("first", "second")]
    sources = np.repeat(names, [len(table) for table in tables]).tolist()
    records = pd.concat([table.rename(columns=lambda name: name.split("#")[-1]) for table in tables])
    ids = [f"{name}:{record}" for name, record in zip(sources, records.pop("id"), strict=True)]
    gold = _table(paths["gold"], separator)
    pairs = zip(f"{names[0]}:" + gold["D1"], f"{names[1]}:" + gold["D2"], strict=True)
    return _record_set(ids, records, clusters_from_pairs(ids, pairs), sources)


def _read_restaurants(paths: Mapping[str, Path]) -> RecordSet:
    return _linked(paths, "|", "first", "second")


def _read_dblp_acm(paths: Mapping[str, Path]) -> RecordSet:
    return _linked(paths, "%", "dblp", "acm")


def _read_cora(paths: Mapping[str, Path]) -> RecordSet:
    """Every line ends with a separator; the gold pairs have no header."""
    records = _table(paths["records"], "|").iloc[:, :-1]
    ids = records.pop("Entity Id")
    pairs = (line.split("|") for line in paths["gold"].read_text(encoding="utf-8").split())
    return _record_set(ids, records, clusters_from_pairs(ids, pairs), "cora")


def _read_sites(paths: Mapping[str, Path]) -> RecordSet:
    records = _table(paths["records"])
    gold, ids, sources = (records.pop(column) for column in ("True Id", "Id", "Source"))
    return _record_set(ids, records, gold, sources)


def _read_settlements(paths: Mapping[str, Path]) -> RecordSet:
    """One JSON object per line; the gold is of another data set, which holds the scores of the same records."""
    lines = read_json_lines(paths["records"])
    fields = ("label", "lat", "lon")
    cells = [{field: str(line["data"][field]) for field in fields if field in line["data"]} for line in lines]
    ids, records = [line["id"] for line in lines], pd.DataFrame(cells, columns=fields)
    gold = read_settlement_gold(fetch("fmwsp_settlements")["gold"])
    return _record_set(ids, records, gold.loc[ids], [line["data"]["ontology"] for line in lines])


def _read_patents(paths: Mapping[str, Path]) -> RecordSet:
    """Two tables with one row per inventor: the fields, and the gold with the name as first written."""
    records = _table(paths["records"])
    ids = records.pop("person_id")
    gold = _table(paths["reference"]).set_index("person_id")["leuven_id"]
    return _record_set(ids, records, gold.loc[ids], "patstat")


_READERS: dict[str, Callable[[Mapping[str, Path]], RecordSet]] = {
    "restaurants": _read_restaurants,
    "dblp_acm": _read_dblp_acm,
    "cora": _read_cora,
    "early_childhood_sites": _read_sites,
    "settlements": _read_settlements,
    "patents": _read_patents,
}
