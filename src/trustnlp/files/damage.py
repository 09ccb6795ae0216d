"""The errors of readers on a damaged file: of a packed one, of arrays and weights, and of a table or text."""

from __future__ import annotations

import csv
import gzip
import lzma
import pickle
import zipfile
import zlib

# gzip and what it unpacks with, on a file that was cut off or overwritten.
PACKED = (EOFError, zlib.error, gzip.BadGzipFile)
# What numpy, torch and zipfile raise on a file that was cut off, overwritten or not written by them.
ARRAYS = (
    AttributeError,
    EOFError,
    LookupError,
    NotImplementedError,
    OSError,
    RuntimeError,
    TypeError,
    ValueError,
    pickle.UnpicklingError,
    zipfile.BadZipFile,
    zlib.error,
)
# What parsers raise on a damaged or foreign file; ValueError includes those of json, pandas and text decoding.
PARSED = (lzma.LZMAError, EOFError, zipfile.BadZipFile, zlib.error, csv.Error, LookupError, TypeError, ValueError)
