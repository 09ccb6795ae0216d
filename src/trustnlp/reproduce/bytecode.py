"""The environment of the processes we start: compiled modules are kept, under `_build` where nowhere else will do.

torch, transformers and pandas take nearly three times as long to import where each process compiles them anew: where
`PYTHONDONTWRITEBYTECODE` is set, or the environment belongs to somebody else. Where Python keeps bytecode beside the
modules, as it does by default, nothing is changed: a prefix would hide what is compiled there.
"""

import os
import sysconfig

from trustnlp.reproduce.project import project_root

NO_BYTECODE = "PYTHONDONTWRITEBYTECODE"
PREFIX = "PYTHONPYCACHEPREFIX"


def child_environment() -> dict[str, str]:
    """This process's environment for a Python process to inherit, with a place for bytecode if it has none."""
    environment = dict(os.environ)
    forbidden = environment.pop(NO_BYTECODE, "") != ""
    if forbidden or not (environment.get(PREFIX) or os.access(sysconfig.get_path("purelib"), os.W_OK)):
        environment[PREFIX] = str(project_root() / "_build" / "pycache")
    return environment
