"""Full-size published word vectors, for runs at the paper's scale. None of this is needed to build the book.

========================================  ============================  ===========  ====================
what                                      how                           download     licence
========================================  ============================  ===========  ====================
word2vec GoogleNews, 3 M words, 300-d     `download_keyed_vectors`      1.7 GB       none stated
fastText wiki-news subwords, 1 M, 300-d   `download_keyed_vectors`      1.0 GB       CC BY-SA 3.0
GloVe Wikipedia+Gigaword, 400 k, 300-d    `download_keyed_vectors`      0.4 GB       PDDL 1.0
GloVe 840B (common crawl), 2.2 M, 300-d   `read_glove_text`             2.0 GB       PDDL 1.0
========================================  ============================  ===========  ====================

The GloVe vectors of the WEAT papers are the 840B ones. gensim's downloader does not offer them; its
`glove-wiki-gigaword-300` is another, lower-cased training run. Get them once from their authors and read the words you
need from the archive::

    curl -LO https://nlp.stanford.edu/data/glove.840B.300d.zip
    vectors = read_glove_text("glove.840B.300d.zip", words=test.words)

About pickles: `gensim.downloader.load(name)` imports a Python file it has downloaded, and `KeyedVectors.load`
unpickles. Neither is used here. The downloader only fetches (it checks an md5), and the file, which is in word2vec's
own text or binary format, is parsed by `load_word2vec_format`, which executes nothing.
"""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from trustnlp.data.registry import DataError
from trustnlp.embeddings.static import WordVectors

if TYPE_CHECKING:
    from gensim.models import KeyedVectors

# gensim-data name → whether its file is in word2vec's binary format (else its text format).
DOWNLOADS: dict[str, bool] = {
    "word2vec-google-news-300": True,
    "fasttext-wiki-news-subwords-300": False,
    "glove-wiki-gigaword-300": False,
}


def download_keyed_vectors(name: str, limit: int | None = None) -> KeyedVectors:
    """Download a full set of vectors with gensim's downloader (once, to `~/gensim-data`) and parse it.

    Parameters
    ----------
    name
        One of `DOWNLOADS`.
    limit
        Read the first so many words only; the files are sorted by frequency. All three million words of word2vec take
        3.6 GB of memory.

    Returns
    -------
    KeyedVectors
        Usable wherever this package takes vectors, e.g. in `trustnlp.bias`.

    Raises
    ------
    DataError
        Unknown name, gensim is not installed, or the download failed.
    """
    if name not in DOWNLOADS:
        raise DataError(f"{name!r} is not one of {', '.join(DOWNLOADS)}; for GloVe 840B use read_glove_text")
    try:
        import gensim.downloader
        from gensim.models import KeyedVectors
    except ImportError:
        raise DataError("full-size vectors need gensim: pip install 'trustnlp[embeddings]'") from None
    try:
        path = gensim.downloader.load(name, return_path=True)
    except Exception as error:  # the downloader raises urllib's, OS and bare Exceptions
        raise DataError(
            f"gensim could not download {name} ({type(error).__name__}: {error}); it needs the network once"
        ) from error
    return KeyedVectors.load_word2vec_format(path, binary=DOWNLOADS[name], limit=limit)


def read_glove_text(path: str | Path, words: Collection[str] | None = None) -> WordVectors:
    """Read vectors from a file in GloVe's text format, or from the zip archive it is published in.

    A line is a word and its components. The 840B file has a few words with spaces in them, on which gensim's parser
    stops; here the components are counted from the right, so they are read.

    Parameters
    ----------
    path
        `glove.840B.300d.zip`, `glove.840B.300d.txt` or a like file.
    words
        Keep only these (case counts). None keeps all, which takes 5 GB of memory for 840B.

    Raises
    ------
    DataError
        No such file, no vectors in it, a header (which GloVe's format has not), a line of another length, a word that
        ends in a number of its own, or none of `words` is there.
    """
    path = Path(path)
    wanted = None if words is None else set(words)
    found: dict[str, np.ndarray] = {}
    dim = 0
    with _glove_lines(path) as lines:
        for number, line in enumerate(lines, start=1):
            # The first line sets the dimension: its word, a punctuation mark, has no space.
            dim = dim or line.count(" ")
            if dim == 1:
                raise DataError(f"{path.name}: line 1 is a header or no vector, and GloVe's format has no header")
            word, *components = line.rstrip("\n").rsplit(" ", dim)
            if " " in word and _is_number(word.rpartition(" ")[2]):  # not quoted: it may be a number that is private
                raise DataError(f"{path.name}, line {number}: has more than {dim} numbers")
            if wanted is not None and word not in wanted:
                continue
            try:
                vector = np.array(components, dtype=np.float32)
            except ValueError:
                vector = np.empty(0, dtype=np.float32)
            if dim == 0 or len(vector) != dim:
                raise DataError(f"{path.name}, line {number}: expected a word and {dim or 'some'} numbers")
            found.setdefault(word, vector)  # the few words listed twice keep their first, more frequent, entry
            if wanted is not None and len(found) == len(wanted):
                break
    if not found:
        raise DataError(f"{path.name} has none of the wanted words" if wanted else f"{path.name} has no vectors")
    return WordVectors(list(found), np.stack(list(found.values())), path.stem)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


@contextmanager
def _glove_lines(path: Path) -> Iterator[Iterator[str]]:
    # newline="\n": some words of the 840B file hold other characters that Unicode counts as line ends.
    try:
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                texts = [name for name in archive.namelist() if name.endswith(".txt")]
                if len(texts) != 1:
                    raise DataError(f"{path.name}: expected one .txt file in the archive, found {len(texts)}")
                with archive.open(texts[0]) as raw:
                    yield io.TextIOWrapper(raw, encoding="utf-8-sig", newline="\n")
        else:
            with path.open(encoding="utf-8-sig", newline="\n") as stream:
                yield stream
    except DataError:
        raise
    except (zipfile.BadZipFile, zlib.error, EOFError) as error:
        raise DataError(f"{path.name} is a damaged zip archive ({error}); download it again") from None
    except NotImplementedError as error:
        raise DataError(
            f"{path.name}: its archive cannot be unpacked here ({error}); give the .txt file in it"
        ) from None
    except RuntimeError as error:
        if "encrypted" not in str(error):
            raise
        raise DataError(f"{path.name}: its archive asks for a password; unpack it and give the .txt file") from None
    except FileNotFoundError:
        raise DataError(f"no file {path}; download it from its authors (see the head of this module)") from None
    except UnicodeDecodeError:
        raise DataError(f"{path.name} is not UTF-8 text: not a file in GloVe's text format") from None
