"""Tests are kept from the network, by name, and from nothing else."""

from __future__ import annotations

import contextlib
import socket
import urllib.request
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

# An address kept free for documentation: where the guard failed, nobody would be asked.
BEYOND = "192.0.2.1"


def connect_ex() -> None:
    with socket.socket() as there:
        there.settimeout(0.01)
        there.connect_ex((BEYOND, 80))


def send_to() -> None:
    with socket.socket(type=socket.SOCK_DGRAM) as there:
        there.sendto(b"?", 0, (BEYOND, 53))


def fetch() -> None:
    urllib.request.build_opener(urllib.request.ProxyHandler({})).open("http://example.org/")


@pytest.mark.parametrize(
    ("attempt", "what"),
    [
        (lambda: socket.create_connection((BEYOND, 80), timeout=0.01), rf"connected to {BEYOND}, port 80"),
        (connect_ex, rf"connected to {BEYOND}, port 80"),
        (send_to, rf"connected to {BEYOND}, port 53"),
        (fetch, "asked for the address of 'example.org'"),
    ],
)
def test_a_connection_beyond_this_machine_fails_the_test_by_name(attempt: Callable[[], object], what: str) -> None:
    with pytest.raises(pytest.fail.Exception, match=f"test_a_connection_beyond.* {what}.*mark the test `network`"):
        attempt()


def test_code_that_forgives_every_exception_does_not_hide_the_attempt() -> None:
    with pytest.raises(pytest.fail.Exception), contextlib.suppress(Exception):
        socket.create_connection((BEYOND, 80), timeout=0.01)


@pytest.mark.network
def test_a_marked_test_may_connect() -> None:
    connect_ex()


def test_this_machine_can_be_reached(tmp_path: Path) -> None:
    for family, address in ((socket.AF_INET, ("localhost", 0)), (socket.AF_UNIX, str(tmp_path / "s"))):
        with socket.socket(family) as server, socket.socket(family) as client:
            server.bind(address)
            server.listen()
            client.connect(server.getsockname())


def test_a_thread_is_kept_from_the_network_too() -> None:
    with ThreadPoolExecutor(1) as pool:
        failure = pool.submit(connect_ex).exception()
    assert isinstance(failure, pytest.fail.Exception) and BEYOND in str(failure)
