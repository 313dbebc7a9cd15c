"""Independent table reader and verifier, written from docs/table-format.md: slow, without packages, with its own rules.

    python3 table.py DATA GAME [--positions N] [--seed S]

The program samples N distinct positions, block by block, of the game's table in the directory DATA, or takes all
positions if there are fewer. It derives the value of each position again from the stored values of its successors. It
prints "GAME: N positions, no errors" ("GAME: all N positions, no errors" if the table has no others). If a value is
wrong, it prints the position and exits with 1. It supports the games of games.py. It does not verify checksums; the
Rust reader does.
"""

import argparse
import array
import json
import os
import random
import struct
import sys

from games import open_game
from unzstd import unpack

CELLS = [("b", 1), ("i", 4), ("d", 8), ("h", 2)]


def varint(data, at):
    value, shift = 0, 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


class Distribution:
    """A distribution of symbols over 4096 numbers, by an alias table."""

    def __init__(self, data, at):
        n, at = varint(data, at)
        self.symbols = list(data[at:at + n])
        at += n
        self.frequencies = []
        for _ in range(n):
            frequency, at = varint(data, at)
            self.frequencies.append(frequency)
        self.end = at
        self.numbers = None

    def spread(self):
        size = 1
        while size < len(self.symbols):
            size *= 2
        width = 4096 // size
        left = self.frequencies + [0] * (size - len(self.symbols))
        given, filled = [0] * size, [False] * size
        self.numbers = [None] * 4096

        def give(first, count, symbol):
            for x in range(first, first + count):
                self.numbers[x] = (symbol, given[symbol])
                given[symbol] += 1

        def fill(i):
            while True:
                filled[i] = True
                own = min(left[i], width)
                give(i * width, own, i)
                left[i] -= own
                if own == width:
                    return
                donor = next(j for j in range(size) if left[j] > width)
                give(i * width + own, width - own, donor)
                left[donor] -= width - own
                if left[donor] >= width:
                    return
                i = donor

        for i in range(size):
            if self.small(i) < width and not filled[i]:
                fill(i)
        for i in range(size):
            if not filled[i]:
                fill(i)

    def small(self, i):
        return self.frequencies[i] if i < len(self.frequencies) else 0

    def look(self, x):
        if self.numbers is None:
            self.spread()
        place, k = self.numbers[x]
        return self.symbols[place], self.frequencies[place], k


class Model:
    def __init__(self, data, code):
        count, at = varint(data, 0)
        self.values = []
        for _ in range(count):
            value, at = varint(data, at)
            size = struct.calcsize(code)
            self.values.append(struct.unpack("<" + code, value.to_bytes(size, "little"))[0])
        self.after, self.lengths, self.pairs = [], [], {}
        for _ in range(count + 1):
            self.after.append(Distribution(data, at))
            at = self.after[-1].end
        for _ in range(count):
            self.lengths.append(Distribution(data, at))
            at = self.lengths[-1].end
        pairs, at = varint(data, at)
        for _ in range(pairs):
            distribution = Distribution(data, at + 2)
            self.pairs[data[at], data[at + 1]] = distribution
            at = distribution.end
        if at != len(data):
            raise ValueError("trailing bytes after a model")


class Coded:
    """rANS decoder of a block."""

    def __init__(self, data):
        self.state, self.data, self.at = int.from_bytes(data[:4], "little"), data, 4

    def step(self, frequency, k):
        self.state = frequency * (self.state >> 12) + k
        if self.state < 1 << 16:
            self.state = self.state << 16 | int.from_bytes(self.data[self.at:self.at + 2], "little")
            self.at += 2

    def symbol(self, distribution):
        symbol, frequency, k = distribution.look(self.state & 4095)
        self.step(frequency, k)
        return symbol

    def bits(self, n):
        x = self.state & 4095
        self.step(1 << 12 - n, x & (1 << 12 - n) - 1)
        return x >> 12 - n


def runs(model, data, slots):
    coded, cells = Coded(data), []
    start = len(model.values)
    a, b = start, start
    while len(cells) < slots:
        pair = model.pairs.get((a, b))
        value = 255 if pair is None else coded.symbol(pair)
        if value == 255:
            value = coded.symbol(model.after[b])
        if value == 255:
            value = coded.bits(8)
        length = coded.symbol(model.lengths[value])
        if length == 255:
            high = coded.bits(8)
            length = high << 8 | coded.bits(8)
        elif length > 104:
            octave, j = divmod(length - 105, 8)
            length = (8 + j << octave + 2) + 1 + coded.bits(octave + 2)
        elif length > 32:
            octave, j = divmod(length - 33, 8)
            length = 9 + j << octave + 2
        if length == 0:
            length = slots - len(cells)
        cells += [model.values[value]] * length
        a, b = b, value
    if len(cells) != slots or coded.at != len(data) or coded.state != 1 << 16:
        raise ValueError("a block does not end at the expected position")
    return cells


class Tier:
    def __init__(self, path, tier, slots):
        with open(path, "rb") as file:
            self.data = file.read()
        head = struct.unpack("<8sIIQQIBBHIIQQQQ", self.data[:80])
        if head[0] != b"OUTPLAYT" or head[1] != 1 or head[2] != tier or head[4] != slots:
            raise ValueError(f"{path}: the header contradicts the manifest")
        self.slots, self.per_block = head[4], head[5]
        (self.code, self.size), self.codec = CELLS[head[6]], head[7]
        model, blocks, index = head[9], head[11], head[12]
        if 80 + model + blocks + index != len(self.data):
            raise ValueError(f"{path}: the file size contradicts the header")
        self.model = Model(unpack(self.data[80:80 + model]), self.code) if self.codec == 0 else None
        at, place = 80 + model + blocks, 80 + model
        self.blocks = []
        while at < len(self.data):
            size, at = varint(self.data, at)
            self.blocks.append((place, size))
            place += size
        self.cells = {}

    def block(self, number):
        if number not in self.cells:
            place, size = self.blocks[number]
            slots = min(self.per_block, self.slots - number * self.per_block)
            data = self.data[place + 4:place + size]
            if size == 0:
                cells = [None] * slots
            elif self.codec == 0:
                cells = runs(self.model, data, slots)
            else:
                cells = struct.unpack(f"<{slots}{self.code}", unpack(data))
            # An array is smaller than a list, which takes up to 36 bytes per number.
            self.cells[number] = cells if size == 0 else array.array(self.code, cells)
        return self.cells[number]

    def cell(self, slot):
        return self.block(slot // self.per_block)[slot % self.per_block]


class Table:
    """A table on disk; tiers are read on first use."""

    def __init__(self, data, spec, values):
        name = spec.replace(":", "-") + {"distance": "", "wdl": ".wdl", "expected": ".expected"}[values]
        self.path = os.path.join(data, name)
        with open(os.path.join(self.path, "manifest.json"), encoding="utf-8") as file:
            self.manifest = json.load(file)
        if (self.manifest["format"], self.manifest["game"], self.manifest["values"]) != (1, spec, values):
            raise ValueError(f"{self.path} is a table of another game or of other values")
        self.slots = self.manifest["slots"]
        if self.manifest["summary"] is None or len(self.manifest["tiers"]) != len(self.slots):
            raise ValueError(f"{self.path} is incomplete")
        self.tiers = {}

    def tier(self, tier):
        if tier not in self.tiers:
            path = os.path.join(self.path, f"tier-{tier:02}.opt")
            self.tiers[tier] = Tier(path, tier, self.slots[tier])
        return self.tiers[tier]

    def cell(self, tier, slot):
        return self.tier(tier).cell(slot)


def sample(table, wanted, rng):
    """Yield distinct slots: a few of each block, blocks chosen with a probability proportional to their size.

    If the table has at most four times as many slots as wanted, all of them are yielded in random order.
    """
    total = sum(table.slots)
    if total <= 4 * wanted:
        slots = [(tier, slot) for tier, size in enumerate(table.slots) for slot in range(size)]
        rng.shuffle(slots)
        yield from slots
        return
    seen = set()
    for _ in range(50 * wanted):
        at, tier = rng.randrange(total), 0
        while at >= table.slots[tier]:
            at -= table.slots[tier]
            tier += 1
        per_block = table.tier(tier).per_block
        first = at // per_block * per_block
        for _ in range(8):
            slot = rng.randrange(first, min(first + per_block, table.slots[tier]))
            if (tier, slot) not in seen:
                seen.add((tier, slot))
                yield tier, slot


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("data")
    parser.add_argument("game")
    parser.add_argument("--values", default=None, choices=["distance", "wdl"])
    parser.add_argument("--positions", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    game = open_game(options.game)
    values = game.values or options.values or "distance"
    tables = {}

    def table(spec):
        if spec not in tables:
            tables[spec] = Table(options.data, spec, values)
        return tables[spec]

    own = table(options.game)
    if own.slots != game.sizes():
        raise SystemExit(f"{options.game}: the table has {own.slots} slots per tier, expected {game.sizes()}")
    checked = 0
    for tier, slot in sample(own, options.positions, random.Random(options.seed)):
        pos = game.position(tier, slot)
        if pos is None:
            continue
        wrong = game.wrong(pos, tier, slot, table)
        if wrong:
            print(f"{options.game}: wrong: {wrong}")
            return 1
        checked += 1
        if checked == options.positions:
            break
    few = checked < options.positions
    if few and sum(own.slots) > 4 * options.positions:
        raise SystemExit(f"{options.game}: only {checked} positions were found")
    print(f"{options.game}: {'all ' if few else ''}{checked} positions, no errors")
    return 0


if __name__ == "__main__":
    sys.exit(main())
