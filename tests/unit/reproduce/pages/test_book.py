"""The process that renders the book ends with the one that started it."""

import os
import subprocess
import sys

from trustnlp.reproduce.pages.book import WATCHED


def test_the_renderer_ends_when_nobody_holds_its_pipe():
    watched, held = os.pipe()
    child = subprocess.Popen([sys.executable, "-c", f"{WATCHED}import time; time.sleep(60)"], stdin=watched)
    os.close(watched)
    assert child.poll() is None
    os.close(held)
    assert child.wait(timeout=20) == 1
