"""Tables of documents, of scored pairs and clusters, and of marked events, from what their authors published."""

from __future__ import annotations

import csv
import io
import json
import tarfile
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from xml.etree import ElementTree

import numpy as np

from trustnlp.data.recipes.corpora import Files, SourceFile
from trustnlp.data.unpickle import ARRAYS, ListedUnpickler

# Repository of an offer for tender → the agency that it was written for.
AGENCIES = {
    "tdrs-app-rfq": "HHS/ACF Office of Family Assistance",
    "bpa-DOL-WHD-14-c": "DOL Wage and Hour Division",
    "bpa-fs-epermit-api": "USDA Forest Service",
    "bpa-fs-epermit-intake": "USDA Forest Service",
    "bpa-opm-eqip": "OPM",
    "bpa-DOS-TalentMAP": "Department of State",
    "bpa-fedramp-dashboard": "GSA FedRAMP",
}


def platform_policies(files: Files) -> dict[str, bytes]:
    """Organisation, document and text of each policy, a JSON object a line."""
    return {"documents": _json_lines(map(_policy, files))}


def _policy(file: SourceFile) -> dict[str, str]:
    organisation, document = file.path.split("/")
    return {"organisation": organisation, "document": document.removesuffix(".md"), "text": file.content.decode()}


def procurement(files: Files) -> dict[str, bytes]:
    """Agency, repository, commit, path and text of each document, a JSON object a line."""
    return {"documents": _json_lines(map(_offer, files))}


def _offer(file: SourceFile) -> dict[str, str]:
    agency = AGENCIES[file.repository.split("/")[1]]
    source = {"repo": file.repository, "commit": file.commit, "path": file.path}
    return {"agency": agency, **source, "text": file.content.decode()}


def pairs_and_clusters(files: Files, *, number: str, name: str) -> dict[str, bytes]:
    """F-MWSP's released scores and groupings: `F_sample.npy`, the gold records, dedupe's output and F-MWSP's.

    `number` and `name` are the columns of the gold records that number and name them. The scores stand in a pickle,
    of which arrays and numbers alone are read.
    """
    scores, gold, *outputs = (file.content for file in files)
    sample = _unpickled(scores)
    of_node = sample["mapN2O"]
    pairs = [
        (int(of_node[int(a)]), int(of_node[int(b)]), 0.5 - float(cost) / 2, float(cost))
        for a, b, cost in sample["pairwise"]
    ]
    clusters = [{row[number]: row["Cluster ID"] for row in _rows(output)} for output in outputs]
    records = sorted(_rows(gold), key=lambda row: int(row[number]))
    grouped = [
        (row[number], row["True Id"], *(cluster.get(row[number], "") for cluster in clusters), row[name])
        for row in records
    ]
    return {
        "pair_scores": _csv(("id1", "id2", "dedupe_probability", "fmwsp_cost"), pairs),
        "clusters": _csv(("id", "gold_cluster", "hc_cluster", "fmwsp_cluster", "name"), grouped),
    }


def _unpickled(npy: bytes) -> Mapping[str, Any]:
    """The dictionary in a pickled numpy file."""
    stream = io.BytesIO(npy)
    np.lib.format.read_magic(stream)
    np.lib.format.read_array_header_1_0(stream)
    content: Mapping[str, Any] = ListedUnpickler(stream, ARRAYS, encoding="latin1").load().item()
    return content


def mentions(files: Files) -> dict[str, bytes]:
    """ECB+: each mention of a document with its chain, and whether its sentence was validated.

    The first file is the table of validated sentences, the others are the documents.
    """
    table, *documents = files
    validated = {(row["Topic"], row["File"], row["Sentence Number"].strip()) for row in _rows(table.content)}
    header = ("topic", "doc", "sentence", "m_id", "class", "tag", "text", "chain", "relation", "in_validated_sentence")
    rows = [row for file in documents for row in _mentions(file, validated)]
    return {"mentions": _csv(header, rows)}


def _mentions(file: SourceFile, validated: set[tuple[str, str, str]]) -> Iterable[tuple[object, ...]]:
    name = file.path.rsplit("/", 1)[-1]
    document = ElementTree.fromstring(file.content)
    tokens = {token.get("t_id"): token for token in document.iter("token")}
    marked = {mark.get("m_id"): mark for mark in document.find("Markables") or ()}
    chains = {}
    for relation in document.find("Relations") or ():
        if (target := relation.find("target")) is not None:
            instance = marked[target.get("m_id")].get("instance_id")
            chain = relation.get("note") or instance or f"INTRA_{relation.get('r_id')}_{name}"
            chains.update({source.get("m_id"): (chain, relation.tag) for source in relation.findall("source")})
    topic, number_there = name.removesuffix(".xml").split("_")
    for number, mark in marked.items():
        anchors = [tokens[anchor.get("t_id")] for anchor in mark.findall("token_anchor")]
        if not anchors:
            continue
        chain, kind = chains.get(number, (f"SINGLETON_{number}_{name}", "SINGLETON"))
        what = "event" if mark.tag.startswith(("ACTION", "NEG_ACTION")) else "entity"
        checked = any((topic, number_there, str(token.get("sentence"))) in validated for token in anchors)
        text = " ".join(str(token.text) for token in anchors)
        yield topic, name, anchors[0].get("sentence"), number, what, mark.tag, text, chain, kind, int(checked)


def word_lists(files: Files) -> dict[str, bytes]:
    """Zhou et al.'s lists in a tar with the time of their commit."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=tarfile.GNU_FORMAT) as archive:
        archive.addfile(_entry(".", 1795223734, tarfile.DIRTYPE, 0o755))
        for file in files:
            member = _entry(f"./{file.path}", 1567752595, tarfile.REGTYPE, 0o664)
            member.size = len(file.content)
            archive.addfile(member, io.BytesIO(file.content))
    return {"archive": stream.getvalue()}


def _entry(name: str, time: int, kind: bytes, mode: int) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(name)
    entry.mtime, entry.type, entry.mode, entry.uname, entry.gname = time, kind, mode, "root", "root"
    return entry


def _rows(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"), newline="")))


def _csv(header: Sequence[str], rows: Iterable[Sequence[object]]) -> bytes:
    stream = io.StringIO(newline="")
    csv.writer(stream).writerows([header, *rows])
    return stream.getvalue().encode()


def _json_lines(documents: Iterable[Mapping[str, str]]) -> bytes:
    return "".join(json.dumps(document, ensure_ascii=False) + "\n" for document in documents).encode()
