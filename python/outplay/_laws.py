"""Comparisons of what rules in Python say, for the checks of their laws (`src/laws.rs`)."""

from __future__ import annotations

import copy
import sys
from collections.abc import Iterator
from typing import Any

#: Types whose values cannot change.
FIXED = (str, bytes, int, float, complex, bool, type(None))
#: Objects that are copied or counted of one position at most, so that a check has a bounded cost.
MOST_OBJECTS = 10_000


def is_fixed(value: Any) -> bool:
    """Whether a value cannot change: numbers, text, and tuples and frozen sets of them."""
    return type(value) in FIXED or (type(value) in (tuple, frozenset) and all(map(is_fixed, value)))


def same(one: Any, other: Any) -> bool:
    """Whether two values compare equal; arrays are compared as a whole, and what cannot be compared is different."""
    try:
        equal = one == other
        return bool(equal.all()) if hasattr(equal, "all") else bool(equal)
    except Exception:
        return False


def has_own_equality(value: Any) -> bool:
    equality: Any = type(value).__eq__
    return equality is not object.__eq__


def attributes(value: Any) -> Iterator[tuple[str, Any]]:
    """The attributes that are stored in an object, in its dictionary and in its slots."""
    yield from getattr(value, "__dict__", {}).items()
    for kind in type(value).__mro__:
        slots = kind.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if name not in ("__dict__", "__weakref__") and hasattr(value, name):
                yield name, getattr(value, name)


class Memo(dict[int, Any]):
    """The memory of one `deepcopy`, which ends copies of very large positions."""

    def __setitem__(self, key: int, value: Any) -> None:
        if len(self) >= MOST_OBJECTS:
            raise OverflowError("too many objects")
        super().__setitem__(key, value)


class Snapshot:
    """A position before its moves are played.

    A position with an `__eq__` of its own is compared with a copy of itself. Other positions only equal themselves, so that
    their attributes are compared, and only a `play` that returns the very object is refused: an attribute may hold a cache.
    """

    def __init__(self, position: Any) -> None:
        self.whole: Any = None
        self.parts: dict[str, Any] = {}
        try:
            if has_own_equality(position):
                copied = copy.deepcopy(position, Memo())
                # A copy that does not equal the original tells nothing.
                self.whole = copied if same(copied, position) else None
            else:
                copies = {name: (value, copy.deepcopy(value, Memo())) for name, value in attributes(position)}
                self.parts = {name: copied for name, (value, copied) in copies.items() if same(copied, value)}
        except Exception:
            # Not every object can be copied; what its rules say of it is compared nevertheless.
            pass

    def differs(self, position: Any, returned: bool) -> bool:
        """Whether the position changed; `returned` says whether `play` returned the very object that it was given."""
        if self.whole is not None:
            return not same(self.whole, position)
        if not returned:
            return False
        now = dict(attributes(position))
        return any(name not in now or not same(copied, now[name]) for name, copied in self.parts.items())


def snapshot(position: Any) -> Snapshot | None:
    """What to compare a position with after its moves were played; None if it cannot change."""
    return None if is_fixed(position) else Snapshot(position)


def matching(one: list[Any], other: list[Any]) -> list[int] | None:
    """For each move of the one list its place in the other; None if the lists hold different moves.

    The order does not matter. Moves without an equality of their own cannot be compared, and are matched by their place.
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
    """Bytes of a value with everything it holds, as far as Python knows them."""
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
