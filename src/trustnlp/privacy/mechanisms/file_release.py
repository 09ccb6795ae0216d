"""Release a text file line by line, so that a run that was killed goes on where it stopped.

OUT is written as OUT.part, with OUT.state.json beside it, and appears by a rename when the last line is there. The
state says which file is released with which parameters and vectors; a run with others is refused, so what comes out is
never a mix. Line k of OUT is line k of the input.

What a kill costs in privacy: noise is drawn for lines that are not in OUT.part yet, never again for a line that is
there, since two noisy copies of a line tell as much as one at twice the ε. Lines that were computed and not yet written
were seen by nobody and cost nothing. One line can be drawn twice: the last one, if the kill left half of it. The half
is cut off and the line is drawn anew; whoever saw OUT.part before (a backup, a shared folder) has those words twice,
at 2ε. A power failure can have this effect on the last batch, as can a crash of the machine. `restart` draws everything
anew: whoever saw the old part has all its lines twice.

The state holds a SHA-256 of the input, from which a short text can be guessed: it is as private as the input until it
is deleted at the end, and so is OUT.part. Both are for their owner alone; OUT follows the umask.

Lines without a word are copied. Line ends stay, but for a byte order mark at the start of the file, which is dropped.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any, NamedTuple

from filelock import FileLock, Timeout
from tqdm import tqdm

from trustnlp.files.atomic_writing import (
    PRIVATE,
    check_own,
    leads_through,
    naming,
    open_private,
    public_mode,
    put_in_place,
    write_bytes,
)
from trustnlp.files.path_collisions import PathCollisionError, check_distinct
from trustnlp.files.user_text import decoded, open_bytes
from trustnlp.privacy.text.text_guarantee import TextGuarantee
from trustnlp.privacy.text.text_pieces import Piece, cut
from trustnlp.privacy.text.text_privatiser import TextPrivatiser
from trustnlp.privacy.text.text_release import released_text

# Words and lines released at once: enough for the mechanism to be fast, few enough that a kill loses seconds.
_WORDS, _LINES = 8192, 8192


class FileReleaseError(ValueError):
    """The file cannot be released as asked, or not continued: what is in the way, and what to do."""


@dataclass(frozen=True)
class FileRelease:
    """The outcome of releasing a file.

    Attributes
    ----------
    path
        The released file.
    lines, words, unknown
        Lines of the file, words in them, and how many of the words are not in the vocabulary.
    longest
        Of the line with the most words of the vocabulary: what holds for one line, at worst. Lines about one person
        add up.
    kept_lines
        Lines that an earlier run had written.
    """

    path: Path
    lines: int
    words: int
    unknown: int
    longest: TextGuarantee
    kept_lines: int


@dataclass
class _State:
    """The content of OUT.state.json: which rows are released and how, and how much of OUT.part is known to be there."""

    input_sha256: str
    parameters: dict[str, Any]
    bytes_out: int = 0
    lines_out: int = 0


def privatise_file(
    source: Path,
    target: Path,
    privatiser: TextPrivatiser,
    *,
    restart: bool = False,
    charge: Callable[[Iterable[bytes], bool], None] = lambda lines, goes_on: None,
) -> FileRelease:
    """Release the lines of `source` into `target`, going on with what an earlier run left of the same work.

    Parameters
    ----------
    source
        A text file in UTF-8, plain or compressed with gzip (what comes out is plain).
    target
        Must not exist: to release a text once more costs its ε once more.
    privatiser
        Of `trustnlp.privacy.text.text_privatiser`.
    restart
        Throw away what an earlier run left, and begin again.
    charge
        Called with the lines that hold something before any of them is released, and with whether an earlier run is
        gone on with, for which it was called. It raises to refuse.

    Raises
    ------
    FileReleaseError
        If the input is empty or changes; the target exists; another process writes it; what an earlier run
        left lacks lines, has others, or belongs to another input, other vectors or other parameters.
    trustnlp.files.user_text.TextFileError
        If the input is not UTF-8.
    OSError
        If a file cannot be read or written.
    """
    source, target = Path(source), Path(target)
    if target.is_symlink() and not leads_through(target):
        target = Path(os.path.realpath(target))  # the link stays
    if any("\n" in word for word in (privatiser.mask, *privatiser.vectors.words)):
        raise FileReleaseError("the mask or a word of the vocabulary holds a line break, so lines would not stay lines")
    if not source.is_file():
        if source.exists() and not source.is_dir():
            raise FileReleaseError(f"{source} is no regular file, and it is read more than once; save it as one first")
        raise FileReleaseError(f"{source}: no such file")
    if leads_through(target):
        raise FileReleaseError(f"{target} is no file; name one, beside which a killed run leaves what it has done")
    if not target.parent.is_dir():
        raise FileReleaseError(f"{target.parent}: no such folder")
    beside = side_files(target)
    try:
        check_distinct({"the input": source}, {"the release": target, **beside})
        for path in beside.values():
            check_own(path)
    except (PathCollisionError, PermissionError) as error:
        raise FileReleaseError(str(error)) from None
    lock = _beside(target, ".lock")
    try:
        with FileLock(lock, timeout=0, mode=PRIVATE):
            try:
                return _release(source, target, privatiser, restart, charge)
            finally:
                lock.unlink(missing_ok=True)
    except Timeout:
        raise FileReleaseError(f"another process is writing {target}; wait for it or end it") from None


def side_files(target: Path) -> dict[str, Path]:
    """The files beside OUT until it is complete, name → path."""
    return {
        "its unfinished part": _beside(target, ".part"),
        "its state": _beside(target, ".state.json"),
        "its lock": _beside(target, ".lock"),
    }


def _release(
    source: Path,
    target: Path,
    privatiser: TextPrivatiser,
    restart: bool,
    charge: Callable[[Iterable[bytes], bool], None],
) -> FileRelease:
    part, state_path = _beside(target, ".part"), _beside(target, ".state.json")
    _check_absent(target)
    survey = _survey(source)
    if restart:  # not before the input is known to be one that can be released
        part.unlink(missing_ok=True)
        state_path.unlink(missing_ok=True)
    state = _State(survey.sha256, privatiser.parameters())
    kept = 0
    if goes_on := part.exists() or state_path.exists():
        _check(state_path, state)
        kept = _recover(part, state)
    if kept > survey.lines:
        raise FileReleaseError(
            f"{part} has {kept:,} lines of an input that has {survey.lines:,}: it was changed; begin again with restart"
        )
    with open_bytes(source) as stream:
        charge((line.strip() for line in stream if line.strip()), goes_on)
    if not goes_on:
        _write(state_path, state)
    lines = kept
    totals = _Totals()
    bar = tqdm(total=survey.lines, initial=kept, desc="privatising", unit="line", disable=None)  # None: terminals only
    with open_bytes(source) as stream, _appending(part) as out, bar:
        for texts in _batches(stream, kept, totals, privatiser):
            released = [released_text(*both) for both in zip(texts, privatiser.release(texts), strict=True)]
            lines += len(texts)
            whole = lines < survey.lines or survey.ends_with_newline
            content = ("\n".join(released) + ("\n" if whole else "")).encode("utf-8")
            with naming(part):
                out.write(content)
                _to_disk(out)
            state.bytes_out, state.lines_out = state.bytes_out + len(content), lines
            _write(state_path, state)  # after the lines themselves, so that it never tells of more than there is
            bar.update(len(texts))
    if _survey(source) != survey:
        raise FileReleaseError(f"{source} changed while it was released; nothing was put out. Start again with restart")
    part.chmod(public_mode())
    try:
        put_in_place(part, target, new=True)
    except FileExistsError:
        part.chmod(PRIVATE)
        _check_absent(target)
        raise
    state_path.unlink()
    return FileRelease(
        target, survey.lines, totals.words, totals.words - totals.known, privatiser.guarantee(totals.longest), kept
    )


def _check_absent(target: Path) -> None:
    if target.exists():
        raise FileReleaseError(f"{target} exists; to release a text once more costs its ε once more. Name another file")


class _Survey(NamedTuple):
    sha256: str
    lines: int
    ends_with_newline: bool


@dataclass
class _Totals:
    words: int = 0
    known: int = 0
    longest: int = 0


def _survey(source: Path) -> _Survey:
    """The input's size and form, once it is known to be text: errors come before anything is released."""
    digest, lines, line = hashlib.sha256(), 0, b""
    with open_bytes(source) as stream:
        for line in stream:
            lines += 1
            digest.update(line)
            decoded(line, f"{source}: line {lines:,}")
    if not lines:
        raise FileReleaseError(f"{source} is empty: there is no word to privatise")
    return _Survey(digest.hexdigest(), lines, line.endswith(b"\n"))


def _batches(stream: IO[bytes], kept: int, totals: _Totals, privatiser: TextPrivatiser) -> Iterator[list[list[Piece]]]:
    """Lines after the first `kept`, cut into pieces, some at a time; words of all lines are counted."""
    batch: list[list[Piece]] = []
    words = 0
    for number, line in enumerate(stream):
        text = line.decode("utf-8").removesuffix("\n")
        pieces = cut(text)
        rows = [privatiser.row(piece.text) for piece in pieces if piece.is_word]
        known = sum(row >= 0 for row in rows)
        totals.words += len(rows)
        totals.known += known
        totals.longest = max(totals.longest, known)
        if number < kept:
            continue
        batch.append(pieces)
        words += len(rows)
        if words >= _WORDS or len(batch) >= _LINES:
            yield batch
            batch, words = [], 0
    if batch:
        yield batch


# --- what an earlier run left ----------------------------------------------------------------------------------------


def _check(path: Path, wanted: _State) -> None:
    """Fill `wanted` with the progress of the run at `path`. FileReleaseError if that did other work."""
    again = "begin again with restart, or name another file"
    try:
        earlier = _State(**json.loads(path.read_text(encoding="utf-8")))
        wanted.bytes_out, wanted.lines_out = int(earlier.bytes_out), int(earlier.lines_out)
        names = {**earlier.parameters, **wanted.parameters}
    except (OSError, ValueError, TypeError):
        raise FileReleaseError(
            f"{path} is missing or damaged, so nobody knows what the unfinished file beside it is; {again}"
        ) from None
    before, now = earlier.parameters, wanted.parameters
    differing = ["the input is another one or was changed"] * (earlier.input_sha256 != wanted.input_sha256)
    differing += [
        f"{name} was {before.get(name)!r}, is {now.get(name)!r}" for name in names if before.get(name) != now.get(name)
    ]
    if differing:
        raise FileReleaseError(f"{path} belongs to other work: {'; '.join(differing)}; {again}")


def _recover(part: Path, state: _State) -> int:
    """Cut off half a line at the end of `part`; how many whole ones there are."""
    lines = size = 0
    known = -1 if state.bytes_out else 0  # lines up to where the state says that lines end
    with os.fdopen(open_private(part, os.O_RDWR | os.O_CREAT), "r+b") as stream:
        for line in stream:
            if size >= state.bytes_out and not line.endswith(b"\n"):
                break
            lines, size = lines + 1, size + len(line)
            known = lines if size == state.bytes_out else known
        if size < state.bytes_out or known != state.lines_out:
            raise FileReleaseError(
                f"{part} lacks lines that were written there, or has others; begin again with restart"
            )
        stream.truncate(size)
    state.bytes_out, state.lines_out = size, lines
    return lines


def _appending(part: Path) -> IO[bytes]:
    return os.fdopen(open_private(part, os.O_WRONLY | os.O_APPEND | os.O_CREAT), "ab")


def _beside(target: Path, ending: str) -> Path:
    return target.with_name(target.name + ending)


def _write(path: Path, state: _State) -> None:
    """The state, whole or not at all; for the owner's eyes only."""
    write_bytes(path, json.dumps(asdict(state), indent=1, ensure_ascii=False).encode(), private=True)


def _to_disk(stream: IO[Any]) -> None:
    stream.flush()
    os.fsync(stream.fileno())
