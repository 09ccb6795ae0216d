"""What a process shares between all who run in it, and whether public commands and functions leave it as it was.

Run as a program in a fresh process, from an empty folder: what is set once and kept would not show in a process that
other tests have used. Prints, as JSON, what each action changed.
"""

from __future__ import annotations

import csv
import decimal
import importlib
import json
import locale
import logging
import os
import pkgutil
import random
import shlex
import signal
import socket
import sys
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

Changes = dict[str, dict[str, list[str]]]


def state() -> dict[str, object]:
    """Global settings of Python and of the libraries that we use, by name."""
    import matplotlib as mpl
    import numpy as np
    import pandas as pd
    import pooch
    import torch

    loggers = {name: each for name, each in logging.root.manager.loggerDict.items() if isinstance(each, logging.Logger)}
    mask = os.umask(0)
    os.umask(mask)
    return {
        **{f"logger {name}": (each.level, each.disabled, each.propagate) for name, each in loggers.items()},
        **{f"environment {name}": value for name, value in os.environ.items()},
        **{f"matplotlib {name}": repr(value) for name, value in mpl.rcParams.items()},
        "logging": (logging.root.level, logging.root.manager.disable, len(logging.root.handlers)),
        "logger of pooch": pooch.get_logger().level,
        "warnings": tuple(map(str, warnings.filters)),
        "folder": str(Path.cwd()),
        "path": tuple(sys.path),
        "mask of new files": mask,
        "locale": locale.setlocale(locale.LC_ALL),
        "random": hash(random.getstate()),
        "numpy random": hash(np.random.get_state()[1].tobytes()),  # type: ignore[index, union-attr]  # noqa: NPY002
        "torch random": hash(torch.random.get_rng_state().numpy().tobytes()),
        "torch": (torch.get_num_threads(), torch.get_default_dtype(), torch.is_grad_enabled()),
        "torch arithmetic": (torch.are_deterministic_algorithms_enabled(), torch.get_float32_matmul_precision()),
        "numpy": (str(np.geterr()), str(np.get_printoptions())),
        "pandas": tuple((name, pd.get_option(name)) for name in ("display.max_rows", "display.max_colwidth")),
        "recursion": sys.getrecursionlimit(),
        "sockets": socket.getdefaulttimeout(),
        "signals": tuple(str(signal.getsignal(number)) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGCHLD)),
        "decimal": str(decimal.getcontext()),
        "csv": csv.field_size_limit(),
        "hook": sys.excepthook is sys.__excepthook__,
    }


def changes(action: Callable[[], object]) -> dict[str, list[str]]:
    """What differs after an action: what was set to another value, and what variables and packages' settings came."""
    before = state()
    action()
    after = state()
    # A logger that an import brings has no caller's level to lose.
    came = {name for name in after.keys() - before.keys() if not name.startswith("logger ")}
    differing = {name for name in before if after.get(name) != before[name]} | came
    return {name: [str(before.get(name)), str(after.get(name))] for name in sorted(differing)}


def load_everything() -> None:
    """Import the package and what it imports when first used: to import a library may set what it likes."""
    import trustnlp

    for module in pkgutil.walk_packages(trustnlp.__path__, "trustnlp."):
        if ".studies" not in module.name and not module.name.endswith(("__main__", "colab")):
            importlib.import_module(module.name)
    for name in ("distributed", "matplotlib.pyplot", "numba", "pooch", "spacy", "transformers"):
        importlib.import_module(name)
    # transformers imports a model's module, which sets what it likes, when it loads the first; its own level is reset.
    _load_encoder()
    importlib.import_module("transformers.utils.logging").set_verbosity_warning()


def actions(own_data: Path) -> dict[str, Callable[[], object]]:
    """Every command of "Use the methods on your own data", and functions that draw, plot, train and load."""
    import re

    from typer.testing import CliRunner

    from trustnlp.tools.cli import app

    page = own_data.read_text("utf-8")
    for name, content in re.findall(r"```\{code-block\} \w+\n:caption: (\S+)\n(.*?)```", page, re.DOTALL):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(content, "utf-8")

    def command(arguments: list[str]) -> None:
        quick = ["--alpha", "1e-6", "--draws", "2000"] if arguments[0] == "audit" else []
        done = CliRunner().invoke(app, [*arguments, *quick])
        if done.exit_code:
            raise RuntimeError(f"{arguments}: {done.output}") from done.exception

    lines = [line for block in re.findall(r"```bash\n(.*?)```", page, re.DOTALL) for line in block.splitlines() if line]

    def script(arguments: list[str]) -> None:
        exec(Path(arguments[0]).read_text("utf-8"), {"__name__": "script"})

    found: dict[str, Callable[[], object]] = {"scores that look like probabilities": _warn_of_scores}
    for line in lines:
        program, *arguments = shlex.split(line)
        found[line] = partial(command if program == "trustnlp" else script, arguments)
    return found | {"an encoder": _load_encoder, "a figure and a seed": _draw}


def _warn_of_scores() -> None:
    from typer.testing import CliRunner

    from trustnlp.tools.cli import app

    Path("scores.csv").write_text("left,right,score\na,b,0.9\nb,c,0.2\n")
    done = CliRunner().invoke(app, ["partition", "scores.csv", "--cut", "0"])
    assert "for probabilities give --cut 0.5" in done.output, done.output


def _load_encoder() -> None:
    from trustnlp.encoders.pretrained import MINILM, load_encoder

    load_encoder(MINILM)


def _draw() -> None:
    import matplotlib.pyplot as plt
    import torch

    from trustnlp.plots.style import house_style
    from trustnlp.training.loop import seeded

    with house_style(), seeded(1, torch.device("cpu")):
        torch.rand(3)
        plt.close(plt.figure())


if __name__ == "__main__":
    load_everything()
    found: Any = {name: changes(action) for name, action in actions(Path(sys.argv[1])).items()}
    print(json.dumps(found))
