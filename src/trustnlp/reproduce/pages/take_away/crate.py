"""The evidence of a chapter as an RO-Crate: what others need to check it, in one folder that says what is what.

Each committed record is the result of an action (Process Run Crate): a notebook, with its parameters, on data that are
named by their hashes and not copied. Beside them lie the ledger, the verdicts as a table and the pinned packages.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from io import StringIO
from pathlib import Path
from typing import Any

from rocrate.model.contextentity import ContextEntity
from rocrate.rocrate import ROCrate

from trustnlp.data.registry import load_registry
from trustnlp.reproduce.claims.ledgers import load_claims
from trustnlp.reproduce.claims.verdicts import judge_chapter
from trustnlp.reproduce.notebooks.twins import sources
from trustnlp.reproduce.pages.take_away.all_claims import claims_table
from trustnlp.reproduce.pages.take_away.bibtex import citation
from trustnlp.reproduce.project import UserError, chapter_dir, project_root
from trustnlp.reproduce.records.record_files import load_record

PROFILE = "https://w3id.org/ro/wfrun/process/0.5"
_TERMS = {"sha256": "https://w3id.org/ro/terms/workflow-run#sha256"}


def write_crate(slug: str, folder: Path) -> Path:
    """Write the crate of a chapter to a new folder.

    Raises
    ------
    UserError
        If there is no such chapter, or the folder holds something.
    ImportError
        If rocrate is not installed (extra `crate`).
    """
    chapter, root = chapter_dir(slug), project_root()
    if folder.exists() and any(folder.iterdir()):
        raise UserError(f"{folder} is not empty; name a new folder")
    crate = ROCrate()
    crate.metadata.extra_terms.update(_TERMS)
    _describe(crate, slug, root)
    packages = crate.add_file(root / "requirements.lock", properties={"name": "the packages of the runs, pinned"})
    notebooks = {path.stem: _notebook(crate, path, packages) for path in sources(slug)}
    for name, what in (("claims.yaml", "the ledger of claims"), ("params.yaml", "what each notebook may be asked")):
        crate.add_file(chapter / name, properties={"name": what, "encodingFormat": "application/yaml"})
    for path in sorted((chapter / "results").glob("*.paper.json")):
        _run(crate, path, notebooks)
    verdicts = StringIO(claims_table(judge_chapter(slug)).to_csv(index=False))
    told = {"name": "every claim, with its verdict", "encodingFormat": "text/csv"}
    crate.add_file(verdicts, "verdicts.csv", properties=told)
    crate.write(folder)
    return folder


def _describe(crate: ROCrate, slug: str, root: Path) -> None:
    paper = load_claims(slug).paper
    on = f"“{paper.title}”" if paper else "questions of the book's own"
    profile = ContextEntity(crate, PROFILE, {"@type": "CreativeWork", "name": "Process Run Crate", "version": "0.5"})
    crate.add(profile)
    if paper is not None:
        work = ContextEntity(crate, paper.url, {"@type": "ScholarlyArticle", "name": paper.title})
        crate.root_dataset["about"] = crate.add(work)
    crate.name = f"{citation(root)['title']}: the evidence of the chapter {slug}"
    crate.description = f"Notebooks, parameters, records and verdicts on {on}. The data are named, not held."
    crate.license = "MIT for code, CC BY 4.0 for the rest"
    crate.root_dataset["conformsTo"] = profile


def _notebook(crate: ROCrate, path: Path, packages: Any) -> Any:
    told = {
        "@type": ["File", "SoftwareSourceCode"],
        "name": f"notebook {path.stem}",
        "programmingLanguage": "Python",
        "softwareRequirements": packages,
    }
    return crate.add_file(path.with_suffix(".ipynb"), properties=told)


def _run(crate: ROCrate, path: Path, notebooks: Mapping[str, Any]) -> None:
    """The run that gave a record: its notebook, parameters and data, when, and on which machine."""
    record = load_record(path)
    result = crate.add_file(path, properties={"name": f"record {path.stem}", "encodingFormat": "application/json"})
    given = [
        crate.add(
            ContextEntity(
                crate,
                f"#{path.stem}-{name}",
                {"@type": "PropertyValue", "name": name, "value": json.dumps(value, ensure_ascii=False)},
            )
        )
        for name, value in record["parameters"].items()
    ]
    started = datetime.fromisoformat(record["started"])
    crate.add_action(
        notebooks[record["notebook"]],
        identifier=f"#run-{path.stem}",
        object=[*given, *_data(crate, record["data"])],
        result=[result],
        properties={
            "name": f"{record['notebook']} on the paper's data",
            "startTime": started.isoformat(),
            "endTime": (started + timedelta(seconds=record["seconds"])).isoformat(),
            "description": f"commit {record['git_commit']}, {record['hardware']['cpu']}, {record['device']}",
        },
    )


def _data(crate: ROCrate, loaded: Mapping[str, Mapping[str, str]]) -> Iterator[Any]:
    """Files that a run read, by their hashes; each once in a crate."""
    registry = load_registry()
    for name, files in loaded.items():
        known = {file.key: file for file in registry[name].files} if name in registry else {}
        for key, sha256 in files.items():
            place = known[key].url if key in known else None
            told = {"@type": "CreativeWork", "name": f"{name}: {key}", "sha256": sha256}
            if name in registry:
                told |= {"license": registry[name].licence, "citation": registry[name].citation}
            entity = ContextEntity(crate, place or f"#data-{name}-{key}".replace(" ", "-"), told)
            yield crate.dereference(entity.id) or crate.add(entity)
