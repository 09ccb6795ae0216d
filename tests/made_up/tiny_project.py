"""A project of one tiny chapter: its notebook, its claims and its parameters, as files of a folder."""

import textwrap
from dataclasses import dataclass
from pathlib import Path

import made_records
import yaml
from gate import AT_THE_GATE

NOTEBOOK = """
# %% [markdown]
# # A tiny notebook

# %% tags=["parameters"]
profile = "smoke"
scale = 1.0
trouble = "none"

# %%
import os
import signal
import sys

from trustnlp.reproduce import Record

record = Record("tiny", "{name}", profile=profile)
record.metric("doubled", 2 * scale)
record.metric("given", 0.5, interval=(0.4, 0.6))
record.array("python", sys.executable)
record.array("threads", os.environ["OMP_NUM_THREADS"])

# %%
{gate}
if trouble == "raise":
    raise ValueError("asked to fail")
if trouble == "die":
    os.kill(os.getpid(), signal.SIGKILL)
if trouble == "orphan":
    os.kill(os.getppid(), signal.SIGKILL)

# %%
if trouble != "forget":
    record.save()
""".replace("{gate}", AT_THE_GATE.strip())

CLAIMS = {
    "paper": {"key": "k", "title": "T", "authors": "A, B.", "venue": "V", "year": 2020, "url": "https://example.org"},
    "claims": [
        {
            "id": "doubled",
            "where": "Table 1",
            "text": "Twice one is two.",
            "kind": "value",
            "paper": {"value": 2.0, "rounding": 0.05},
            "measure": {"record": "one.paper", "key": "doubled"},
            "expect": "reproduced",
        }
    ],
}

PARAMETERS = {
    "scale": {"type": "float", "smoke": 1.0, "paper": 1.0, "min": 0, "max": 10, "help": "factor"},
    "trouble": {
        "type": "str",
        "smoke": "none",
        "paper": "none",
        "choices": ["none", "raise", "die", "orphan", "forget"],
        "help": "what goes wrong",
    },
}


@dataclass
class TinyProject:
    """The folder, and what tests do to it."""

    root: Path

    @property
    def chapter(self) -> Path:
        return self.root / "chapters" / "tiny"

    @property
    def runs(self) -> Path:
        return self.root / "_build" / "runs" / "tiny"

    def write_notebook(self, name: str, text: str = NOTEBOOK) -> None:
        from trustnlp.reproduce.notebooks import twins

        (self.chapter / f"{name}.py").write_text(textwrap.dedent(text).replace("{name}", name), encoding="utf-8")
        twins.sync("tiny")

    def commit(self, notebook: str = "one", **provenance: object) -> Path:
        """Commit the record that a paper run of a notebook would leave today, without running it."""
        from trustnlp.reproduce.checks.standing import sources_of
        from trustnlp.reproduce.records.recording import Record, write_record
        from trustnlp.reproduce.runs.params import committed, load_params

        parameters = load_params("tiny").notebook(notebook).resolve("paper")
        record = Record("tiny", notebook, profile="paper", parameters=parameters)
        record.metric("doubled", 2 * parameters["scale"])
        record.metric("given", 0.5, interval=(0.4, 0.6))
        record.deviation("Twice by addition.")
        found = made_records.whole(record, **{"sources": sources_of("tiny", notebook), **provenance})
        write_record(committed("tiny", notebook), found)
        return committed("tiny", notebook)

    def write_params(self, **notebooks: dict) -> None:
        grid = {"notebook": "one", "profile": "smoke", "grid": {"scale": [1.0, 2.0, 3.0, 4.0]}}
        content: dict = {"notebooks": notebooks}
        if "scale" in notebooks["one"].get("parameters", {}):
            content["sweeps"] = {"scales": grid}
        (self.chapter / "params.yaml").write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
