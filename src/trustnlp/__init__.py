"""Methods and machinery behind the executable book "Trustworthy NLP, Reproduced"."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trustnlp.privacy.anonymisation import anonymise as anonymise

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """Load what stands at the top of the package when it is asked for: nobody waits for numpy to read a version."""
    if name == "anonymise":
        from trustnlp.privacy.anonymisation import anonymise

        return anonymise
    raise AttributeError(f"module 'trustnlp' has no attribute '{name}'")
