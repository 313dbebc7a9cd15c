"""Comparisons of positions and moves of rules in Python, used by the law checks in `src/laws.rs`."""

from __future__ import annotations

import copy
import sys
from collections.abc import Iterator
from typing import Any

#: Immutable types.
FIXED = (str, bytes, int, float, complex, bool, type(None))
#: Largest number of objects that are copied or counted for one position; it bounds the cost of a check.
MOST_OBJECTS = 10_000


def is_fixed(value: Any) -> bool:
    """Return whether a value is immutable: a number, text, or a tuple or frozenset of such values."""
    return type(value) in FIXED or (type(value) in (tuple, frozenset) and all(map(is_fixed, value)))


def same(one: Any, other: Any) -> bool:
    """Return whether two values compare equal. Arrays are compared as a whole; incomparable values differ."""
    try:
        equal = one == other
        return bool(equal.all()) if hasattr(equal, "all") else bool(equal)
    except Exception:
        return False


def has_own_equality(value: Any) -> bool:
    equality: Any = type(value).__eq__
    return equality is not object.__eq__


def attributes(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield the attributes of an object from its `__dict__` and its slots."""
    yield from getattr(value, "__dict__", {}).items()
    for kind in type(value).__mro__:
        slots = kind.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if name not in ("__dict__", "__weakref__") and hasattr(value, name):
                yield name, getattr(value, name)


class Memo(dict[int, Any]):
    """The memo of one `deepcopy`; it aborts the copy of a very large position."""

    def __setitem__(self, key: int, value: Any) -> None:
        if len(self) >= MOST_OBJECTS:
            raise OverflowError("too many objects")
        super().__setitem__(key, value)


class Snapshot:
    """A position before its moves are played.

    A position whose class defines `__eq__` is compared with a copy of itself. Other positions equal only themselves,
    so their attributes are compared instead. Since an attribute may hold a cache, a difference counts only if `play`
    returned the object that it was given.
    """

    def __init__(self, position: Any) -> None:
        self.whole: Any = None
        self.parts: dict[str, Any] = {}
        try:
            if has_own_equality(position):
                copied = copy.deepcopy(position, Memo())
                # A copy that does not equal the original is useless for comparison.
                self.whole = copied if same(copied, position) else None
            else:
                copies = {name: (value, copy.deepcopy(value, Memo())) for name, value in attributes(position)}
                self.parts = {name: copied for name, (value, copied) in copies.items() if same(copied, value)}
        except Exception:
            # Not every object can be copied; the results of the rules for it are still compared.
            pass

    def differs(self, position: Any, returned: bool) -> bool:
        """Return whether the position changed; `returned` is whether `play` returned the object that it was given."""
        if self.whole is not None:
            return not same(self.whole, position)
        if not returned:
            return False
        now = dict(attributes(position))
        return any(name not in now or not same(copied, now[name]) for name, copied in self.parts.items())


def snapshot(position: Any) -> Snapshot | None:
    """Return a snapshot to compare a position with after its moves were played; None if it is immutable."""
    return None if is_fixed(position) else Snapshot(position)


def matching(one: list[Any], other: list[Any]) -> list[int] | None:
    """Return the index of each move of `one` in `other`; None if the lists hold different moves.

    The order does not matter. Moves whose class does not define `__eq__` cannot be compared, so they are matched by
    index.
    """
    if len(one) != len(other):
        return None
    if all(map(same, one, other)):
        return list(range(len(one)))
    if any(" at 0x" in repr(move) for move in one):
        return list(range(len(one)))
    places: list[int] = []
    free = list(range(len(other)))
    for move in one:
        place = next((place for place in free if same(move, other[place])), None)
        if place is None:
            return None
        free.remove(place)
        places.append(place)
    return places


def size_of(value: Any) -> int:
    """Return the size of a value in bytes with everything that it references, as far as Python reports it."""
    seen: set[int] = set()
    todo, total = [value], 0
    while todo and len(seen) < MOST_OBJECTS:
        here = todo.pop()
        if id(here) in seen or isinstance(here, type) or callable(here):
            continue
        seen.add(id(here))
        total += sys.getsizeof(here, 64)
        if isinstance(here, dict):
            todo += [*here.keys(), *here.values()]
        elif isinstance(here, (tuple, list, set, frozenset)):
            todo += here
        elif type(here) not in FIXED:
            todo += [part for _, part in attributes(here)]
    return total
