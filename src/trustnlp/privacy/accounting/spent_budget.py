"""An account of what was spent on an input, kept beside it: releases of one row or line add up, and are added up here.

The account is as private as the input, and for its owner alone. Of each row it holds eight bytes of a hash under a key
of its own, by which a row is known again in another order, another file format or among others; who has the account can
test guesses with it. Nothing of it belongs into a released file, where even a hash of private data is a release of it.

ε and δ add up (basic composition, `composition.compose`) where they measure the same; other measures stand side by
side. An input that is copied elsewhere leaves its account behind.
"""

from __future__ import annotations

import base64
import errno
import hashlib
import json
import math
import os
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from filelock import FileLock, Timeout

from trustnlp.files.atomic_writing import PRIVATE, check_own, write_bytes

_WHAT = "privacy spent on the file beside this one; as private as that, do not hand it on"
_PATIENCE = 20


class SpentError(ValueError):
    """Rows of the input were released before: how often, what it cost, and what one more release makes of it."""


def ledger_beside(source: Path) -> Path:
    """Where the account of an input stands: beside the file that its name leads to."""
    real = Path(os.path.realpath(source))
    return real.with_name(real.name + ".spent.json")


class Account:
    """The account in a file, which need not exist yet."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._last = ""

    def charge(
        self, rows: Iterable[bytes], *, measure: str, epsilon: float, delta: float, into: str, again: bool = False,
        goes_on: bool = False,
    ) -> str:  # fmt: skip
        """Enter a release before it is made; what the rows have cost with it, in words.

        Parameters
        ----------
        rows
            What is released, each row or line as bytes; those that are equal cost as often as they stand there.
        measure
            What ε counts, in words: only what measures the same adds up.
        into
            The name of the release.
        again
            Add up where a row was released before, rather than refuse.
        goes_on
            An earlier run is gone on with: where its entry stands, of these rows into this release, none is added.

        Raises
        ------
        SpentError
            If a row was released before.
        ValueError
            If another file stands there.
        OSError
            If the account cannot be read or written.
        """
        with self._alone():
            return self._charge(rows, measure, epsilon, delta, into, again or goes_on, goes_on)

    def refund(self) -> None:
        """Take out what this object has entered: its release was never seen by anybody."""
        with self._alone():
            account = self._read()
            account["spent"] = [entry for entry in account["spent"] if entry["id"] != self._last]
            if account["spent"]:
                self._write(account)
            else:
                self.path.unlink(missing_ok=True)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        lock = self.path.with_name(self.path.name + ".lock")
        if not os.access(lock.parent, os.W_OK):
            code = errno.EACCES if lock.parent.is_dir() else errno.ENOENT
            raise OSError(code, os.strerror(code), str(self.path))
        try:
            with FileLock(lock, mode=PRIVATE, timeout=_PATIENCE):
                try:
                    yield
                finally:
                    lock.unlink(missing_ok=True)
        except Timeout:
            raise ValueError(f"another process has held {lock} for {_PATIENCE} s; wait for it or end it") from None

    def _charge(
        self, rows: Iterable[bytes], measure: str, epsilon: float, delta: float, into: str, again: bool, goes_on: bool
    ) -> str:
        account = self._read()
        key = bytes.fromhex(account["key"])
        hashes = np.frombuffer(b"".join(hashlib.blake2b(r, digest_size=8, key=key).digest() for r in rows), np.uint64)
        keys, times = np.unique(hashes, return_counts=True)
        release = {
            "into": into, "measure": measure, "epsilon": epsilon, "delta": delta, "times": int(times.max(initial=1)),
            "rows": base64.b64encode(keys.tobytes()).decode(),
        }  # fmt: skip
        entered = goes_on and any(release.items() <= entry.items() for entry in account["spent"])
        spent = np.stack([times * epsilon, times * delta]) * (not entered)
        earlier, others, known = 0, set(), np.zeros(len(keys), dtype=bool)
        for entry in account["spent"]:
            before = np.frombuffer(base64.b64decode(entry["rows"]), np.uint64)
            again_here = np.isin(keys, before)
            if not again_here.any():
                continue
            earlier, known = earlier + 1, known | again_here
            if entry["measure"] == measure:
                spent[:, again_here] += np.array([[entry["epsilon"]], [entry["delta"]]]) * entry["times"]
            else:
                others.add(f"ε = {entry['epsilon']:g}, {entry['measure']}")
        total = f"ε = {spent[0].max():g}, δ = {spent[1].max():g}, {measure}" if len(keys) else "nothing"
        total += "".join(f"; besides {other}" for other in sorted(others))
        if earlier and not again:
            raise SpentError(
                f"{known.sum():,} of {len(keys):,} rows were released before, by {self.path}; with one more release "
                f"they cost {total}"
            )
        if not entered:
            self._last = secrets.token_hex(8)
            when = datetime.now(UTC).isoformat(timespec="seconds")
            account["spent"].append({"id": self._last, "when": when, **release})
            self._write(account)
        count = earlier + (not entered)
        often = f", and a row that stands {times.max():,} times" if times.max(initial=1) > 1 else ""
        return f"{total}, for the row with most ({count} release{'s' * (count > 1)} of it{often})"

    def _read(self) -> dict[str, Any]:
        check_own(self.path)
        if not self.path.exists():
            return {"what": _WHAT, "key": secrets.token_hex(16), "spent": []}
        try:
            account = json.loads(self.path.read_text(encoding="utf-8"))
            if not all(
                isinstance(each["id"], str)
                and isinstance(each["measure"], str)
                and math.isfinite(each["epsilon"] + each["delta"] + each["times"])
                and len(base64.b64decode(each["rows"], validate=True)) % 8 == 0
                for each in account["spent"]
            ):
                raise ValueError
            hashlib.blake2b(key=bytes.fromhex(account["key"]))
        except (ValueError, TypeError, KeyError, RecursionError):
            raise ValueError(f"{self.path} is no account of what was spent, or a damaged one; move it away") from None
        return dict(account)

    def _write(self, account: dict[str, Any]) -> None:
        write_bytes(self.path, json.dumps(account, indent=1, ensure_ascii=False).encode(), private=True)
