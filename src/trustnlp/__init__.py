"""Methods and machinery behind the executable book "Trustworthy NLP, Reproduced"."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trustnlp.privacy.text.anonymisation.documents import anonymise as anonymise

from trustnlp import moved as moved  # with it, an import of a module by its address in 0.1 is answered

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """Load what stands at the top of the package when it is asked for: nobody waits for numpy to read a version."""
    if name == "anonymise":
        from trustnlp.privacy.text.anonymisation.documents import anonymise

        return anonymise
    raise AttributeError(f"module 'trustnlp' has no attribute '{name}'")
