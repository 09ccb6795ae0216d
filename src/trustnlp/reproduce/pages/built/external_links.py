"""Ask each address outside the book once whether it is still there."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from http.client import HTTPException
from itertools import chain
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.parse import urldefrag, urlsplit
from urllib.request import Request, urlopen

from trustnlp.reproduce.pages.built.page_checks import read_pages

GONE = (404, 410)
HOSTS_AT_ONCE = 8
PAUSE = 0.3  # seconds between two questions to the same host
HEADERS = {"User-Agent": "Mozilla/5.0 (compatible; trustnlp links)", "Accept": "*/*"}


@dataclass(frozen=True)
class Answer:
    """The answer of an address: an HTTP status, or None and why there was no answer."""

    address: str
    status: int | None
    why: str
    pages: tuple[str, ...]


def external_addresses(html: Path) -> dict[str, tuple[str, ...]]:
    """Addresses that the built book in `html` links to on other hosts, without fragments, with their pages.

    Raises
    ------
    FileNotFoundError
        If there is no built book in `html`.
    """
    pages_of = defaultdict(set)
    for name, page in read_pages(html).items():
        for link in page.links:
            if urlsplit(link).scheme in ("http", "https"):
                pages_of[urldefrag(link).url].add(name)
    return {address: tuple(sorted(pages_of[address])) for address in sorted(pages_of)}


def ask_all(addresses: Mapping[str, tuple[str, ...]], timeout: float) -> Iterator[Answer]:
    """Ask every address once: a host one question at a time, several hosts at once."""
    by_host = defaultdict(list)
    for address in addresses:
        by_host[urlsplit(address).netloc].append(address)
    with ThreadPoolExecutor(HOSTS_AT_ONCE) as pool:
        for address, status, why in chain.from_iterable(pool.map(partial(_ask_host, timeout), by_host.values())):
            yield Answer(address, status, why, addresses[address])


def _ask_host(timeout: float, addresses: Sequence[str]) -> list[tuple[str, int | None, str]]:
    answers: list[tuple[str, int | None, str]] = []
    for address in addresses:
        time.sleep(PAUSE if answers else 0)
        status, why = _ask(address, "HEAD", timeout)
        if status is not None and status >= 400:  # some hosts answer HEAD with an error
            status, why = _ask(address, "GET", timeout)
        answers.append((address, status, why))
    return answers


def _ask(address: str, method: str, timeout: float) -> tuple[int | None, str]:
    try:
        with urlopen(Request(address, headers=HEADERS, method=method), timeout=timeout) as reply:
            return reply.status, ""
    except HTTPError as error:
        error.close()
        return error.code, str(error.reason)
    except URLError as error:
        return None, str(error.reason)
    except (OSError, HTTPException, ValueError) as error:  # a broken reply, a time-out, an address that is none
        return None, str(error) or type(error).__name__
