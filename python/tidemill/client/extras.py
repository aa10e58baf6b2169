"""Libraries that are not needed for most of what the client does."""
from __future__ import annotations

import importlib
from typing import Any

from tidemill.errors import UsageError


def needed(module: str, extra: str) -> Any:
    """Imports a library of one of the extras of this package. Raises UsageError, with what to install."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise UsageError(f"this needs {module}, which cannot be imported: {error}",
                         advice=f"pip install 'tidemill[{extra}]'") from None
