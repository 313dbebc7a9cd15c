"""The build backend: maturin, after a check that Rust is there.

Without this check maturin downloads a Rust toolchain, silently and for minutes.
"""

from __future__ import annotations

import shutil
import sys
from typing import Any

from maturin import (
    build_editable,
    build_sdist,
    build_wheel,
    get_requires_for_build_sdist,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)
from maturin import get_requires_for_build_editable as _for_editable
from maturin import get_requires_for_build_wheel as _for_wheel

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]


def _need_rust() -> None:
    if shutil.which("cargo") is None:
        sys.exit("error: outplay is built with Rust, and cargo is not on the PATH; install Rust, or install a wheel instead")


def get_requires_for_build_wheel(config_settings: Any = None) -> list[str]:
    """Returns maturin's requirements, or ends the build without Rust."""
    _need_rust()
    return list(_for_wheel(config_settings))


def get_requires_for_build_editable(config_settings: Any = None) -> list[str]:
    """Returns maturin's requirements, or ends the build without Rust."""
    _need_rust()
    return list(_for_editable(config_settings))
