#!/usr/bin/env python3
"""Nine Men's Morris, implemented independently of outplay: three rings of eight places, men as frozensets.

    python3 tests/second/morris.py perft            counts of move sequences, as in tests/second/morris-perft.txt
    python3 tests/second/morris.py three            all positions of three men against three, solved
    python3 tests/second/morris.py three off        the same without flying

A place is 8 * ring + i, where i runs around the ring from a corner. Odd i are midpoints, which are adjacent to the
same i of the neighbouring rings. Rules:

- A mill captures one man, and none from a mill unless all are in mills. Two mills at once capture one man.
- A player loses who has fewer than three men once all men are placed, or who cannot move.
- A player with three men may fly.
"""

import random
import sys
from itertools import combinations

PLACES = range(24)
MILLS = [frozenset(8 * ring + (side + k) % 8 for k in range(3)) for ring in range(3) for side in (0, 2, 4, 6)]
MILLS += [frozenset(8 * ring + i for ring in range(3)) for i in (1, 3, 5, 7)]
MILLS_AT = [[mill for mill in MILLS if place in mill] for place in PLACES]


def touching(place):
    ring, i = divmod(place, 8)
    near = {8 * ring + (i + 1) % 8, 8 * ring + (i - 1) % 8}
    if i % 2 == 1:
        near |= {8 * other + i for other in (ring - 1, ring + 1) if 0 <= other < 3}
    return frozenset(near)


TOUCHING = [touching(place) for place in PLACES]


def in_mill(men, place):
    return any(mill <= men for mill in MILLS_AT[place])


def takeable(men):
    loose = [man for man in men if not in_mill(men, man)]
    return loose or list(men)


def successors(mover, other, placed, flying=True):
    """Return one (mover, other, placed) per move, from the view of the next player."""
    free = [place for place in PLACES if place not in mover and place not in other]
    if placed < 18:
        steps = [(mover, to) for to in free]
        placed += 1
    elif len(mover) < 3 or len(other) < 3:
        return []
    else:
        flies = flying and len(mover) == 3
        steps = [(mover - {man}, to) for man in mover for to in free if flies or to in TOUCHING[man]]
    found = []
    for rest, to in steps:
        after = rest | {to}
        if in_mill(after, to) and other:
            found += [(other - {taken}, after, placed) for taken in takeable(other)]
        else:
            found.append((other, after, placed))
    return found


def perft(position, depth):
    """Count move sequences of each length up to `depth`; transpositions are merged."""
    level, counts = {position: 1}, []
    for ply in range(depth):
        after, total = {}, 0
        for here, ways in level.items():
            for there in successors(*here):
                total += ways
                if ply + 1 < depth:
                    after[there] = after.get(there, 0) + ways
        counts.append(total)
        level = after
    return counts


# outplay's notation: the rows of a 7x7 board from the top, then the side to move and the number of men placed.
ROUND = [(-1, -1), (0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0)]
CELLS = [(3 + (3 - ring) * x, 3 + (3 - ring) * y) for ring in range(3) for x, y in ROUND]


def written(mover, other, placed, second):
    marks = {place: ("o" if second else "x") for place in mover}
    marks |= {place: ("x" if second else "o") for place in other}
    rows = []
    for row in range(6, -1, -1):
        points = sorted((column, place) for place, (column, r) in enumerate(CELLS) if r == row)
        rows.append("".join(marks.get(place, ".") for _, place in points))
    return f"{'/'.join(rows)} {'o' if second else 'x'} {placed}"


def print_perft():
    start = (frozenset(), frozenset(), 0)
    print(written(*start, False), *perft(start, 6), sep="\t")
    chance = random.Random(9)
    wanted = {"middle": 25, "flying": 25}
    while any(wanted.values()):
        position, second = start, False
        for _ in range(chance.randrange(19, 120)):
            # Half of the time a capture is preferred, so that games end.
            ahead = successors(*position)
            if not ahead:
                break
            taking = [there for there in ahead if len(there[0]) < len(position[1])]
            position = chance.choice(taking if taking and chance.random() < 0.5 else ahead)
            second = not second
        mover, other, placed = position
        if placed < 18 or not successors(*position):
            continue
        kind = "flying" if len(mover) == 3 or len(other) == 3 else "middle"
        if wanted[kind]:
            wanted[kind] -= 1
            print(written(*position, second), *perft(position, 3), sep="\t")


def solve_three(flying):
    """Solve three men against three with bit sets: rows are sets of the mover's men, bits sets of the opponent's."""
    sets = list(combinations(PLACES, 3))
    number = {s: i for i, s in enumerate(sets)}
    with_man = [sum(1 << i for i, s in enumerate(sets) if place in s) for place in PLACES]
    everything = (1 << len(sets)) - 1
    legal = [everything & ~(with_man[a] | with_man[b] | with_man[c]) for a, b, c in sets]
    quiet, closing = [], []
    for s in sets:
        after = set()
        for man in s:
            for to in PLACES:
                if to not in s and (flying or to in TOUCHING[man]):
                    after.add(number[tuple(sorted((set(s) - {man}) | {to}))])
        mill = {i for i in after if frozenset(sets[i]) in MILLS}
        quiet.append(sorted(after - mill))
        closing.append(sorted(mill))

    def joined(rows, places):
        all_of_them = 0
        for place in places:
            all_of_them |= rows[place]
        return all_of_them

    def passed(rows):
        """Transpose: index the same positions by the opponent's men."""
        turned = [0] * len(sets)
        for i, row in enumerate(rows):
            while row:
                low = row & -row
                turned[low.bit_length() - 1] |= 1 << i
                row ^= low
        return turned

    def size(rows):
        return sum(row.bit_count() for row in rows)

    # A move leads from row a, bit b to row b, bit a'; transposed, that is row a', bit b. A mill leaves the opponent
    # with two men. The place that a man leaves was not the opponent's, so only a' must be disjoint from b.
    fresh = [legal[a] & joined(legal, closing[a]) for a in range(len(sets))]
    # A player who cannot move has lost.
    lost = [legal[a] & ~joined(legal, quiet[a] + closing[a]) for a in range(len(sets))]
    won_in, lost_in = {}, {0: size(lost)}
    lost_after = passed(lost)
    not_won = list(legal)
    not_won_after = list(legal)
    open_here = [legal[a] & ~lost[a] for a in range(len(sets))]
    plies = 1
    while True:
        won = [open_here[a] & joined(lost_after, quiet[a]) for a in range(len(sets))]
        if plies == 1:
            won = [won[a] | open_here[a] & fresh[a] for a in range(len(sets))]
        won_in[plies] = size(won)
        open_here = [here & ~now for here, now in zip(open_here, won)]
        not_won = [here & ~now for here, now in zip(not_won, won)]
        not_won_after = [here & ~now for here, now in zip(not_won_after, passed(won))]
        lost = [open_here[a] & ~joined(not_won_after, quiet[a]) for a in range(len(sets))]
        lost_in[plies + 1] = size(lost)
        open_here = [here & ~now for here, now in zip(open_here, lost)]
        lost_after = passed(lost)
        if not lost_in[plies + 1] and not won_in[plies]:
            break
        plies += 2
    total, wins, losses = size(legal), sum(won_in.values()), sum(lost_in.values())
    print("positions", total, "win", wins, "draw", total - wins - losses, "loss", losses)
    print("won in", *(f"{plies}:{count}" for plies, count in sorted(won_in.items()) if count))
    print("lost in", *(f"{plies}:{count}" for plies, count in sorted(lost_in.items()) if count))


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["perft"]:
            print_perft()
        case ["three"]:
            solve_three(True)
        case ["three", "off"]:
            solve_three(False)
        case _:
            sys.exit(__doc__)
