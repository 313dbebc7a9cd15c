"""Independent rules and indexes of the games for table.py; the indexes follow docs/table-format.md.

A value is (payoff, distance) for the player to move. In games with cycles the value of a draw is (0, (whether the
mover can force the end, whether the opponent can)). `position` returns the position of a slot, or None for a slot whose
value is never read. `wrong` returns a message if the value of a slot is wrong, else None.
"""

from math import comb


def rank_set(places):
    """Return the rank of a set among the sets of its size (combinatorial number system)."""
    return sum(comb(place, i + 1) for i, place in enumerate(sorted(places)))


def unrank_set(number, size):
    places = []
    for k in range(size, 0, -1):
        place = k - 1
        while comb(place + 1, k) <= number:
            place += 1
        number -= comb(place, k)
        places.append(place)
    return places[::-1]


def before(value, same=False):
    """Return the value of a move for the player who makes it, from the value of the position after it."""
    payoff, distance = value
    if not same:
        payoff = -payoff
    return payoff, distance if payoff == 0 else distance + 1


def better(value):
    """Return a sort key: larger is better, with quick wins and late losses preferred."""
    payoff, distance = value
    return (payoff, 0 if payoff == 0 else -distance if payoff > 0 else distance)


def timed(cell, bits):
    """Decode a cell of `bits` bits to a value with its distance, for acyclic games."""
    if cell == 0:
        return 0, None
    top = (1 << bits - 1) - 1
    if bits == 32:
        payoff, rest = divmod(abs(cell), 65536)
        return (payoff if cell > 0 else -payoff), 65535 - rest
    return (1 if cell > 0 else -1), top - abs(cell)


class Sweeping:
    """Acyclic games: finished positions and wins in one are not stored, and each orbit is stored once."""

    values = None

    def value(self, pos, table):
        outcome = self.outcome(pos)
        if outcome is not None:
            return outcome, 0
        if any(self.outcome(next_pos) == -self.most for next_pos in self.after(pos)):
            return self.most, 1
        tier, slot = min(self.number(image) for image in self.images(pos))
        own = table(self.spec)
        cell = own.cell(tier, slot)
        if cell is None:
            return None
        if own.manifest["values"] == "wdl":
            return (cell > 0) - (cell < 0), None
        return timed(cell, {"i8": 8, "i32": 32}[own.manifest["cell"]])

    def wrong(self, pos, tier, slot, table):
        if self.number(pos) != (tier, slot):
            return f"{pos} has number {self.number(pos)}, not {(tier, slot)}"
        value = self.value(pos, table)
        if self.outcome(pos) is not None:
            return None
        nexts = [self.value(next_pos, table) for next_pos in self.after(pos)]
        if value is None or None in nexts:
            return f"{pos} or one of its moves has no value"
        if table(self.spec).manifest["values"] == "wdl":
            derived = max(-payoff for payoff, _ in nexts)
            return None if value[0] == derived else f"{pos}: {value} is stored, but its moves give {derived}"
        derived = max((before(value) for value in nexts), key=better)
        # Tables do not store the distance of a tie.
        same = value[0] == derived[0] and (value[0] == 0 or value[1] == derived[1])
        return None if same else f"{pos}: {value} is stored, but its moves give {derived}"


class Board(Sweeping):
    """k in a row; a position is the cells of the first and of the second player."""

    most = 1

    def __init__(self, spec):
        self.spec = spec
        # `tictactoe` is short for `mnk:3x3,k=3` and may have options.
        name, _, rest = spec.replace("tictactoe", "mnk:3x3").partition(":")
        words = rest.split(",")
        self.k, self.gravity, self.misere, blocked = 3, False, False, set()
        self.width, self.height = (int(side) for side in words[0].split("x"))
        if name in ("connect", "connect4"):
            self.k, self.gravity = 4, True
        for word in words[1:]:
            key, _, value = word.partition("=")
            if key == "k":
                self.k = int(value)
            elif key == "gravity":
                self.gravity = True
            elif key == "misere":
                self.misere = True
            elif key == "obstacles":
                blocked = {(ord(cell[0]) - ord("a"), int(cell[1:]) - 1) for cell in value.split("+")}
            else:
                raise SystemExit(f"{spec}: the option `{key}` is not supported")
        cells = [(c, r) for c in range(self.width) for r in range(self.height)]
        # With gravity, cells below an obstacle are never played.
        under = {(c, r) for c, r in cells if self.gravity and any((c, above) in blocked for above in range(r, self.height))}
        self.cells = [cell for cell in cells if cell not in blocked | under]
        self.place = {cell: i for i, cell in enumerate(self.cells)}
        self.caps = [sum(c == column for c, _ in self.cells) for column in range(self.width)]
        # The cells of each column from the bottom up.
        self.columns = [[cell for cell in self.cells if cell[0] == column] for column in range(self.width)]
        self.lines = []
        for c, r in self.cells:
            for dc, dr in ((1, 0), (0, 1), (1, 1), (1, -1)):
                line = [(c + i * dc, r + i * dr) for i in range(self.k)]
                if all(cell in self.place for cell in line):
                    self.lines.append(frozenset(line))
        self.through = {cell: [line for line in self.lines if cell in line] for cell in self.cells}
        self.maps = self.symmetries(blocked)
        self.legal = {}

    def symmetries(self, blocked):
        w, h = self.width - 1, self.height - 1
        maps = [lambda c, r: (c, r), lambda c, r: (w - c, r)]
        if not self.gravity:
            maps += [lambda c, r: (c, h - r), lambda c, r: (w - c, h - r)]
            if w == h:
                maps += [lambda c, r: (r, c), lambda c, r: (h - r, w - c), lambda c, r: (r, w - c), lambda c, r: (h - r, c)]
        kept = [image for image in maps if {image(c, r) for c, r in blocked} == blocked]
        return [{cell: image(*cell) for cell in self.cells} for image in kept]

    def shapes(self, n, column=0):
        """Count the shapes of n stones in the columns from `column` on."""
        if column == self.width:
            return int(n == 0)
        return sum(self.shapes(n - h, column + 1) for h in range(min(n, self.caps[column]) + 1))

    def sizes(self):
        cells = len(self.cells)
        self.ways = [[self.shapes(n, column) for n in range(cells + 1)] for column in range(self.width + 1)]
        shapes = self.ways[0] if self.gravity else [comb(cells, n) for n in range(cells + 1)]
        return [shapes[n] * comb(n, (n + 1) // 2) for n in range(cells + 1)]

    def number(self, pos):
        first, second = pos
        filled = sorted(self.place[cell] for cell in first | second)
        n = len(filled)
        if self.gravity:
            shape, left = 0, n
            for column in range(self.width):
                height = sum(self.cells[i][0] == column for i in filled)
                shape += sum(self.ways[column + 1][left - h] for h in range(height))
                left -= height
        else:
            shape = rank_set(filled)
        colouring = rank_set([i for i, place in enumerate(filled) if self.cells[place] in first])
        return n, shape * comb(n, (n + 1) // 2) + colouring

    def position(self, n, slot):
        shape, colouring = divmod(slot, comb(n, (n + 1) // 2))
        if self.gravity:
            filled, left = [], n
            for column in range(self.width):
                height = 0
                while height < min(left, self.caps[column]) and shape >= self.ways[column + 1][left - height]:
                    shape -= self.ways[column + 1][left - height]
                    height += 1
                filled += [self.place[cell] for cell in self.columns[column][:height]]
                left -= height
        else:
            filled = unrank_set(shape, n)
        mine = unrank_set(colouring, (n + 1) // 2)
        first = frozenset(self.cells[filled[i]] for i in mine)
        pos = first, frozenset(self.cells[place] for place in filled) - first
        return pos if self.reached(pos) else None

    def has_line(self, stones):
        return any(line <= stones for line in self.lines)

    def reached(self, pos):
        """Return whether the position is reachable: without some last stone it is reachable and has no line."""
        if pos not in self.legal:
            first, second = pos
            last = second if len(first) == len(second) else first
            self.legal[pos] = not last or any(
                not self.has_line(last - {cell}) and not self.has_line(second if last is first else first)
                and self.reached((first - {cell}, second) if last is first else (first, second - {cell}))
                for cell in last
                if not self.gravity or (cell[0], cell[1] + 1) not in first | second
            )
        return self.legal[pos]

    def images(self, pos):
        return [tuple(frozenset(image[cell] for cell in stones) for stones in pos) for image in self.maps]

    def outcome(self, pos):
        first, second = pos
        last = second if len(first) == len(second) else first
        if self.has_line(last):
            return 1 if self.misere else -1
        return 0 if len(first) + len(second) == len(self.cells) else None

    def after(self, pos):
        first, second = pos
        taken = first | second
        if self.gravity:
            open_cells = [next(cell for cell in column if cell not in taken) for column in self.columns if any(cell not in taken for cell in column)]
        else:
            open_cells = [cell for cell in self.cells if cell not in taken]
        for cell in open_cells:
            yield (first | {cell}, second) if len(first) == len(second) else (first, second | {cell})


class Nim(Sweeping):
    """A position is the sorted piles and whether the second player is to move; the index comes from exploration."""

    most = 1

    def __init__(self, spec):
        self.spec = spec
        piles, _, normal = spec.partition(":")[2].partition(",")
        self.normal = normal == "normal"
        start = tuple(sorted(int(pile) for pile in piles.split("+"))), False
        found, self.tier = [start], {start: 0}
        for pos in found:
            for next_pos in self.after(pos):
                if next_pos not in self.tier:
                    self.tier[next_pos] = 0
                    found.append(next_pos)
        # The tier is the longest path from the start; the number of matches only decreases.
        for pos in sorted(found, key=lambda pos: -sum(pos[0])):
            for next_pos in self.after(pos):
                self.tier[next_pos] = max(self.tier[next_pos], self.tier[pos] + 1)
        self.tiers = [[] for _ in range(max(self.tier.values()) + 1)]
        self.numbers = {}
        for pos in found:
            tier = self.tiers[self.tier[pos]]
            self.numbers[pos] = self.tier[pos], len(tier)
            tier.append(pos)

    def sizes(self):
        return [len(tier) for tier in self.tiers]

    def number(self, pos):
        return self.numbers[pos]

    def position(self, tier, slot):
        return self.tiers[tier][slot]

    def images(self, pos):
        return [pos]

    def outcome(self, pos):
        # With `normal`, the player who took the last match has won.
        if any(pos[0]):
            return None
        return -1 if self.normal else 1

    def after(self, pos):
        piles, second = pos
        for pile in sorted(set(piles) - {0}):
            place = piles.index(pile)
            for taken in range(1, pile + 1):
                yield tuple(sorted(piles[:place] + (pile - taken,) + piles[place + 1:])), not second


class Looping:
    """Games with cycles: every position is stored, and draws record which players can force the end."""

    values = None

    def stored(self, pos, table):
        """Return (payoff, distance) or (0, (the mover, the opponent can force the end))."""
        spec, tier, slot = self.home(pos)
        own = table(spec)
        cell = own.cell(tier, slot)
        if own.manifest["values"] == "wdl":
            if cell in (1, -1):
                return cell, None
            return 0, {0: (True, True), 2: (False, False), 3: (True, False), 4: (False, True)}[cell]
        draws = {0: (True, True), 1: (False, False), 2: (True, False), -1: (False, True)}
        if cell in draws:
            return 0, draws[cell]
        if own.manifest["cell"] == "i32":
            return timed(cell, 32)
        return (1 if cell > 0 else -1), 32767 - abs(cell)

    def value(self, pos, table):
        return self.stored(pos, table) if self.numbered(pos) else self.derived(pos, table)

    def derived(self, pos, table):
        outcome = self.outcome(pos)
        if outcome is not None:
            return (outcome, 0) if outcome else (0, (True, True))
        values = [self.value(next_pos, table) for next_pos in self.after(pos)]
        payoff = max(-payoff for payoff, _ in values)
        if payoff:
            if values[0][1] is None or any(how is None for paid, how in values if paid):
                return payoff, None
            plies = [distance for paid, distance in values if -paid == payoff]
            return payoff, (min(plies) if payoff > 0 else max(plies)) + 1
        # Only the moves that keep the draw matter; the others lose.
        draws = [how for paid, how in values if paid == 0]
        return 0, (any(other for _, other in draws), all(mover for mover, _ in draws))

    def wrong(self, pos, tier, slot, table):
        if self.home(pos)[1:] != (tier, slot):
            return f"{pos} has number {self.home(pos)}, not {(tier, slot)}"
        stored, derived = self.stored(pos, table), self.derived(pos, table)
        if stored[0] and (stored[1] is None or derived[1] is None):
            return None if stored[0] == derived[0] else f"{pos}: {stored} is stored, but its moves give {derived}"
        return None if stored == derived else f"{pos}: {stored} is stored, but its moves give {derived}"


class Morris(Looping):
    """A position is the mover's men, the opponent's men and the number of men placed."""

    def __init__(self, spec):
        self.spec = spec
        words = spec.partition(":")[2].split(",")
        self.six, self.flying, self.men = words[0] == "six", "flying" in words, 3
        lines = "a1b1c1 a2b2c2 a3b3c3 a1a2a3 b1b2b3 c1c2c3"
        if self.six:
            self.men = next((int(word[4:]) for word in words if word.startswith("men=")), 6)
            points = "a1 c1 e1 b2 c2 d2 a3 b3 d3 e3 b4 c4 d4 a5 c5 e5".split()
            lines = "a1c1e1 e1e3e5 e5c5a5 a5a3a1 b2c2d2 d2d3d4 d4c4b4 b4b3b2"
            joined = "a3b3 c1c2 c4c5 d3e3 " + " ".join(f"{line[:4]} {line[2:]}" for line in lines.split())
        else:
            points = [f"{column}{row}" for row in "123" for column in "abc"]
            joined = "a1b1 b1c1 a2b2 b2c2 a3b3 b3c3 a1a2 a2a3 b1b2 b2b3 c1c2 c2c3"
            if words[0] == "tapatan":
                joined += " a1b2 c1b2 a3b2 c3b2"
            if "lines=6" not in words:
                lines += " a1b2c3 c1b2a3"
        self.points = len(points)
        place = {point: i for i, point in enumerate(points)}
        self.lines = [frozenset(place[line[i:i + 2]] for i in (0, 2, 4)) for line in lines.split()]
        self.near = [set() for _ in points]
        for pair in joined.split():
            a, b = place[pair[:2]], place[pair[2:]]
            self.near[a].add(b)
            self.near[b].add(a)
        self.groups = []
        if not self.six:
            self.groups = [(placed, placed // 2, (placed + 1) // 2) for placed in range(2 * self.men)]
        fewest = 0 if self.six else self.men
        for total in range(2 * self.men, 2 * fewest - 1, -1):
            for less in range(fewest, total // 2 + 1):
                if total - less <= self.men:
                    self.groups.append((2 * self.men, total - less, less))

    def half(self, a, b):
        return comb(self.points, a) * comb(self.points - a, b)

    def sizes(self):
        return [self.half(a, b) * (2 if placed == 2 * self.men and a != b else 1) for placed, a, b in self.groups]

    def numbered(self, pos):
        return True

    def home(self, pos):
        mover, opponent, placed = pos
        a, b = len(mover), len(opponent)
        swapped = placed == 2 * self.men and a < b
        group = (placed, b, a) if swapped else (placed, a, b)
        free = [point for point in range(self.points) if point not in mover]
        number = rank_set(mover) * comb(self.points - a, b) + rank_set(free.index(point) for point in opponent)
        return self.spec, self.groups.index(group), number + (self.half(a, b) if swapped else 0)

    def position(self, tier, slot):
        placed, a, b = self.groups[tier]
        if slot >= self.half(a, b):
            slot -= self.half(a, b)
            a, b = b, a
        mover, opponent = divmod(slot, comb(self.points - a, b))
        mover = frozenset(unrank_set(mover, a))
        free = [point for point in range(self.points) if point not in mover]
        opponent = frozenset(free[i] for i in unrank_set(opponent, b))
        if not self.six and any(line <= mover for line in self.lines):
            return None
        return mover, opponent, placed

    def outcome(self, pos):
        mover, opponent, placed = pos
        if not self.six and any(line <= opponent for line in self.lines):
            return -1
        if self.six and placed == 2 * self.men:
            few = len(mover) < 3, len(opponent) < 3
            if any(few):
                return few[1] - few[0]
        return None if any(True for _ in self.after(pos)) else -1

    def after(self, pos):
        mover, opponent, placed = pos
        empty = set(range(self.points)) - mover - opponent
        steps = []
        if placed < 2 * self.men:
            steps = [(mover | {to}, to) for to in empty]
        else:
            for man in mover:
                goals = empty if self.flying and len(mover) == 3 else self.near[man] & empty
                steps += [(mover - {man} | {to}, to) for to in goals]
        for men, to in steps:
            count = min(placed + 1, 2 * self.men)
            if self.six and opponent and any(to in line and line <= men for line in self.lines):
                mills = set().union(*(line for line in self.lines if line <= opponent))
                for taken in (opponent - mills) or opponent:
                    yield opponent - {taken}, men, count
            else:
                yield opponent, men, count


KINDS = "KQRBNP"
STEPS = {"K": [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)],
         "N": [(1, 2), (2, 1), (-1, 2), (-2, 1), (1, -2), (2, -1), (-1, -2), (-2, -1)],
         "R": [(1, 0), (0, 1), (-1, 0), (0, -1)], "B": [(1, 1), (-1, 1), (1, -1), (-1, -1)]}
STEPS["Q"] = STEPS["R"] + STEPS["B"]


class Chess(Looping):
    """A position is the sorted men as (square, kind, black), whether Black is to move, and the en passant square."""

    def __init__(self, spec):
        self.spec = spec
        self.layouts = {}

    @staticmethod
    def image(square, which):
        if which & 1:
            square ^= 7
        if which & 2:
            square ^= 56
        return square >> 3 | (square & 7) << 3 if which & 4 else square

    def layout(self, name):
        """Return the pairs of kings, and the groups of equal men with their counts and lowest squares."""
        if name not in self.layouts:
            white, black = name[1:].split("K")
            pawns = "P" in name
            pairs = []
            for w in range(64):
                for b in range(64):
                    column, row = w & 7, w >> 3
                    listed = column < 4 and (pawns or row < column or (row == column and b >> 3 <= b & 7))
                    if listed and max(abs((w & 7) - (b & 7)), abs((w >> 3) - (b >> 3))) > 1:
                        pairs.append((w, b))
            groups = []
            for side, men in enumerate((white, black)):
                for kind in KINDS[1:]:
                    if kind in men:
                        groups.append((kind, bool(side), men.count(kind), 8 if kind == "P" else 0))
            sizes = [comb(48 if kind == "P" else 64, count) for kind, _, count, _ in groups]
            self.layouts[name] = pairs, {pair: i for i, pair in enumerate(pairs)}, groups, sizes, pawns
        return self.layouts[name]

    @staticmethod
    def total(sizes):
        product = 1
        for size in sizes:
            product *= size
        return product

    def sizes(self):
        pairs, _, _, sizes, _ = self.layout(self.spec.partition(":")[2])
        return [2 * len(pairs) * self.total(sizes)]

    def name(self, men):
        """Return the name of the ending, and whether White is the weaker side."""
        sides = [sorted((kind for _, kind, side in men if side == black and kind != "K"), key=KINDS.index) for black in (False, True)]
        strength = [(-len(side), [KINDS.index(kind) for kind in side]) for side in sides]
        swap = strength[1] < strength[0]
        if swap:
            sides.reverse()
        return "K" + "".join(sides[0]) + "K" + "".join(sides[1]), swap

    def numbered(self, pos):
        return pos[2] is None

    def digits(self, men, groups, sizes, which):
        number = 0
        for (kind, black, _, lowest), size in zip(groups, sizes):
            number = number * size + rank_set(self.image(square, which) - lowest for square, k, b in men if (k, b) == (kind, black))
        return number

    def home(self, pos):
        men, black, _ = pos
        name, swap = self.name(men)
        if swap:
            men, black = [(square ^ 56, kind, not side) for square, kind, side in men], not black
        pairs, places, groups, sizes, pawns = self.layout(name)
        kings = tuple(next(square for square, kind, b in men if (kind, b) == ("K", side)) for side in (False, True))
        which, pair = next((which, pair) for which in range(2 if pawns else 8) for pair in [tuple(self.image(king, which) for king in kings)] if pair in places)
        number = self.digits(men, groups, sizes, which)
        if not pawns and all(king >> 3 == king & 7 for king in pair):
            # The reflection in the diagonal leaves both kings in place; the smaller number is used.
            moved = [(self.image(square, which), kind, side) for square, kind, side in men]
            number = min(number, self.digits(moved, groups, sizes, 4))
        total = self.total(sizes)
        return "chess:" + name, 0, ((len(pairs) if black else 0) + places[pair]) * total + number

    def position(self, tier, slot):
        pairs, _, groups, sizes, _ = self.layout(self.spec.partition(":")[2])
        pair, number = divmod(slot, self.total(sizes))
        black, pair = divmod(pair, len(pairs))
        men = [(square, "K", bool(side)) for side, square in enumerate(pairs[pair])]
        digits = []
        for size in reversed(sizes):
            number, digit = divmod(number, size)
            digits.append(digit)
        for (kind, side, count, lowest), digit in zip(groups, reversed(digits)):
            men += [(square + lowest, kind, side) for square in unrank_set(digit, count)]
        if len({square for square, _, _ in men}) < len(men):
            return None
        pos = tuple(sorted(men)), bool(black), None
        if self.attacked(men, not black) or self.home(pos)[2] != slot:
            return None
        return pos

    @staticmethod
    def reach(man, taken):
        """Yield the squares that a man attacks."""
        square, kind, black = man
        column, row = square & 7, square >> 3
        steps = STEPS.get(kind) or [(1, -1 if black else 1), (-1, -1 if black else 1)]
        for dc, dr in steps:
            c, r = column + dc, row + dr
            while 0 <= c < 8 and 0 <= r < 8:
                yield r * 8 + c
                if kind in "KNP" or r * 8 + c in taken:
                    break
                c, r = c + dc, r + dr

    def attacked(self, men, black):
        """Return whether the king of a side is in check."""
        taken = {square for square, _, _ in men}
        king = next(square for square, kind, side in men if kind == "K" and side == black)
        return any(king in self.reach(man, taken) for man in men if man[2] != black)

    def after(self, pos):
        men, black, passed = pos
        taken = {square: side for square, _, side in men}
        for man in men:
            square, kind, side = man
            if side != black:
                continue
            goals = [to for to in self.reach(man, taken) if taken.get(to) != black]
            if kind == "P":
                goals = [to for to in goals if to in taken or to == passed]
                ahead = square + (-8 if black else 8)
                if ahead not in taken:
                    goals.append(ahead)
                    twice = ahead + (-8 if black else 8)
                    if square >> 3 == (6 if black else 1) and twice not in taken:
                        goals.append(twice)
            for to in goals:
                gone = to
                if kind == "P" and to == passed:
                    gone = to + (8 if black else -8)
                rest = [other for other in men if other[0] not in (square, gone)]
                promoted = kind == "P" and to >> 3 in (0, 7)
                for new in "QRBN" if promoted else kind:
                    placed = rest + [(to, new, black)]
                    if self.attacked(placed, black):
                        continue
                    next_pos = tuple(sorted(placed)), not black, None
                    if kind == "P" and abs(to - square) == 16:
                        right = next_pos[:2] + ((square + to) // 2,)
                        # The en passant square is set only if a pawn can capture there.
                        if len(list(self.after(right))) > len(list(self.after(next_pos))):
                            next_pos = right
                    yield next_pos

    def outcome(self, pos):
        if next(self.after(pos), None) is not None:
            return None
        return -1 if self.attacked(pos[0], pos[1]) else 0


class Pig:
    """A position before a roll: banked points of the player to roll and of the opponent, and points of this turn."""

    values = "expected"

    def __init__(self, spec):
        self.spec = spec
        self.goal = int(spec.partition(":")[2])
        self.faces = [0, 1] if spec.startswith("piglet") else [0, 2, 3, 4, 5, 6]

    def row(self, total, mine):
        return sum(self.goal - kept for kept in range(max(0, total - self.goal + 1), mine))

    def sizes(self):
        return [self.row(total, min(total, self.goal - 1) + 1) for total in range(2 * self.goal - 1)] + [1]

    def number(self, mine, other, turn):
        return mine + other, self.row(mine + other, mine) + self.goal - mine - turn - 1

    def position(self, tier, slot):
        if tier == 2 * self.goal - 1:
            return "finished"
        mine = max(0, tier - self.goal + 1)
        while slot >= self.goal - mine:
            slot -= self.goal - mine
            mine += 1
        return mine, tier - mine, self.goal - mine - slot - 1

    def wrong(self, pos, tier, slot, table):
        own = table(self.spec)
        stored = own.cell(tier, slot)
        if pos == "finished":
            return None if stored == 1.0 else f"{pos}: {stored}"
        mine, other, turn = pos
        if self.number(*pos) != (tier, slot):
            return f"{pos} has number {self.number(*pos)}, not {(tier, slot)}"
        total = 0.0
        for face in self.faces:
            if face == 0:
                total -= own.cell(*self.number(other, mine, 0))
            elif mine + turn + face >= self.goal:
                total += 1
            else:
                roll = own.cell(*self.number(mine, other, turn + face))
                hold = -own.cell(*self.number(other, mine + turn + face, 0))
                total += max(roll, hold)
        derived = total / len(self.faces)
        # If every mean is within the bound of the exact one, it is within twice the bound of the mean derived from its
        # moves. Without a bound, the last iteration changed no mean by more than the tolerance.
        settled = own.manifest["summary"]["settled"]
        far = 2 * settled["bound"] if "bound" in settled else settled["tolerance"]
        if abs(derived - stored) <= far + 1e-15:
            return None
        return f"{pos}: {stored!r} is stored, but its moves give {derived!r}"


def open_game(spec):
    name = spec.partition(":")[0].partition(",")[0]
    kinds = {"tictactoe": Board, "mnk": Board, "connect": Board, "connect4": Board, "nim": Nim, "morris": Morris, "chess": Chess, "pig": Pig, "piglet": Pig}
    if name not in kinds:
        raise SystemExit(f"{spec}: this game is not supported")
    return kinds[name](spec)
