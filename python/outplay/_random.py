"""Random seeds: given, drawn from a generator, or fresh."""

from __future__ import annotations

import secrets
from typing import Any

from .errors import InputError

#: Bits of a seed.
BITS = 63


def drawn(seed: Any = None, rng: Any = None) -> int:
    """Return a seed: the given one, one drawn from a generator, or a fresh one.

    A generator is a `random.Random`, a `numpy.random.Generator` or a `numpy.random.RandomState`.
    """
    if seed is not None and rng is not None:
        raise InputError("both `seed` and `rng` are given", "pass one of them")
    if seed is not None:
        return seed  # type: ignore[no-any-return]
    if rng is None:
        return secrets.randbits(BITS)
    if hasattr(rng, "getrandbits"):
        return int(rng.getrandbits(BITS))
    if hasattr(rng, "integers"):
        return int(rng.integers(2**BITS))
    if hasattr(rng, "randint"):
        return int(rng.randint(2**31))
    raise InputError(f"{rng!r} is not a random generator", "pass a `random.Random` or a `numpy.random.Generator`")
