"""Decoder of zstd frames (RFC 8878) without dictionaries: small, slow, no packages."""


class Bad(Exception):
    """The bytes are not a valid frame."""


class Forward:
    """Forward bit reader, starting with the lowest bit of the first byte."""

    def __init__(self, data):
        self.value, self.at, self.size = int.from_bytes(data, "little"), 0, 8 * len(data)

    def take(self, n):
        bits = self.value >> self.at & (1 << n) - 1
        self.at += n
        return bits


class Backward:
    """Backward bit reader, starting below the highest set bit; bits before the beginning are zero."""

    def __init__(self, data):
        self.value = int.from_bytes(data, "little")
        if not data or data[-1] == 0:
            raise Bad("a bit stream has no end mark")
        self.at = self.value.bit_length() - 1

    def take(self, n):
        self.at -= n
        if self.at >= 0:
            return self.value >> self.at & (1 << n) - 1
        return (self.value << -self.at) & (1 << n) - 1


def fse_table(counts, log):
    """Return (symbol, bits, base) for each state."""
    size = 1 << log
    symbols, high = [None] * size, size
    for symbol, count in enumerate(counts):
        if count == -1:
            high -= 1
            symbols[high] = symbol
    place = 0
    for symbol, count in enumerate(counts):
        for _ in range(max(count, 0)):
            symbols[place] = symbol
            while True:
                place = (place + (size >> 1) + (size >> 3) + 3) & size - 1
                if place < high:
                    break
    following = [1 if count == -1 else count for count in counts]
    table = []
    for symbol in symbols:
        state = following[symbol]
        following[symbol] += 1
        bits = log - (state.bit_length() - 1)
        table.append((symbol, bits, (state << bits) - size))
    return table


def fse_counts(data, most_log):
    """Parse the description of an FSE table; return its counts, its accuracy log and its size in bytes."""
    bits = Forward(data)
    log = bits.take(4) + 5
    if log > most_log:
        raise Bad("the accuracy log of a table is too large")
    left, counts = (1 << log) + 1, []
    while left > 1:
        width = left.bit_length()
        most = (1 << width) - 1 - left
        value = bits.take(width - 1)
        if value >= most:
            value |= bits.take(1) << width - 1
            if value >= 1 << width - 1:
                value -= most
        count = value - 1
        counts.append(count)
        left -= abs(count)
        if count == 0:
            while True:
                more = bits.take(2)
                counts += [0] * more
                if more < 3:
                    break
    return counts, log, (bits.at + 7) // 8


def weights_of(data):
    """Parse the description of a Huffman tree; return its weights and its size in bytes."""
    head = data[0]
    if head >= 128:
        count = head - 127
        packed = data[1:1 + (count + 1) // 2]
        return [packed[i // 2] >> (0 if i % 2 else 4) & 15 for i in range(count)], 1 + len(packed)
    counts, log, used = fse_counts(data[1:1 + head], 6)
    table, bits = fse_table(counts, log), Backward(data[1 + used:1 + head])
    states = [bits.take(log), bits.take(log)]
    weights, turn = [], 0
    while True:
        symbol, n, base = table[states[turn]]
        weights.append(symbol)
        if bits.at < n:
            weights.append(table[states[1 - turn]][0])
            return weights, 1 + head
        states[turn] = base + bits.take(n)
        turn = 1 - turn


def huffman(weights):
    """Return (symbol, bits) for each code of maximum length, and that length."""
    total = sum(1 << weight - 1 for weight in weights if weight)
    longest = total.bit_length()
    left = (1 << longest) - total
    if left & left - 1:
        raise Bad("a Huffman tree is incomplete")
    weights = weights + [left.bit_length()]
    table = []
    for weight in range(1, longest + 1):
        for symbol, known in enumerate(weights):
            if known == weight:
                table += [(symbol, longest + 1 - weight)] * (1 << weight - 1)
    return table, longest


def literals_of(stream, tree, count):
    table, longest = tree
    bits, out = Backward(stream), bytearray()
    while len(out) < count:
        bits.at -= longest
        code = bits.value >> bits.at if bits.at >= 0 else bits.value << -bits.at
        symbol, n = table[code & (1 << longest) - 1]
        bits.at += longest - n
        out.append(symbol)
    return bytes(out)


LENGTHS = [(i, 0) for i in range(16)] + [(16, 1), (18, 1), (20, 1), (22, 1), (24, 2), (28, 2), (32, 3), (40, 3), (48, 4), (64, 6)]
LENGTHS += [(1 << i, i) for i in range(7, 17)]
MATCHES = [(i + 3, 0) for i in range(32)] + [(35, 1), (37, 1), (39, 1), (41, 1), (43, 2), (47, 2), (51, 3), (59, 3), (67, 4), (83, 4), (99, 5)]
MATCHES += [((1 << i) + 3, i) for i in range(7, 17)]
DEFAULTS = [
    ([4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1, -1, -1, -1], 6),
    ([1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1], 5),
    ([1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1], 6),
]


class Unpacker:
    def __init__(self):
        self.out, self.tree = bytearray(), None
        self.tables, self.offsets = [None] * 3, [1, 4, 8]

    def literals(self, data):
        """Return the literals of a block and the offset of its sequences."""
        kind, form = data[0] & 3, data[0] >> 2 & 3
        if kind < 2:
            used = [1, 2, 1, 3][form]
            size = int.from_bytes(data[:used], "little") >> (3 if used == 1 else 4)
            if kind == 1:
                return data[used:used + 1] * size, used + 1
            return data[used:used + size], used + size
        used, width = [(3, 10), (3, 10), (4, 14), (5, 18)][form]
        head = int.from_bytes(data[:used], "little")
        size, packed = head >> 4 & (1 << width) - 1, head >> 4 + width & (1 << width) - 1
        body = data[used:used + packed]
        if kind == 2:
            weights, skip = weights_of(body)
            self.tree, body = huffman(weights), body[skip:]
        if form == 0:
            return literals_of(body, self.tree, size), used + packed
        parts, at, part = [], 6, (size + 3) // 4
        for i in range(4):
            end = at + int.from_bytes(body[2 * i:2 * i + 2], "little") if i < 3 else len(body)
            parts.append(literals_of(body[at:end], self.tree, part if i < 3 else size - 3 * part))
            at = end
        return b"".join(parts), used + packed

    def block(self, data):
        literals, at = self.literals(data)
        count, at = data[at], at + 1
        if count >= 128:
            if count < 255:
                count, at = (count - 128 << 8) + data[at], at + 1
            else:
                count, at = data[at] + (data[at + 1] << 8) + 0x7F00, at + 2
        if count == 0:
            self.out += literals
            return
        modes, at = data[at], at + 1
        # Literal lengths, offsets, match lengths.
        for i, most in enumerate([9, 8, 9]):
            mode = modes >> 6 - 2 * i & 3
            if mode == 0:
                counts, log = DEFAULTS[i]
                self.tables[i] = (fse_table(counts, log), log)
            elif mode == 1:
                self.tables[i], at = ([(data[at], 0, 0)], 0), at + 1
            elif mode == 2:
                counts, log, used = fse_counts(data[at:], most)
                self.tables[i], at = (fse_table(counts, log), log), at + used
        bits = Backward(data[at:])
        states = [bits.take(log) for _, log in self.tables]
        used = 0
        for i in range(count):
            codes = [table[state] for (table, _), state in zip(self.tables, states)]
            power = codes[1][0]
            offset = (1 << power) + bits.take(power)
            base, extra = MATCHES[codes[2][0]]
            match = base + bits.take(extra)
            base, extra = LENGTHS[codes[0][0]]
            length = base + bits.take(extra)
            if i + 1 < count:
                for j in (0, 2, 1):
                    states[j] = codes[j][2] + bits.take(codes[j][1])
            if offset > 3:
                offset -= 3
                self.offsets = [offset] + self.offsets[:2]
            else:
                place = offset - 1 + (length == 0)
                known = self.offsets
                offset = known[0] - 1 if place == 3 else known[place]
                self.offsets = [offset] + [known[j] for j in range(3) if j != place][:2]
            self.out += literals[used:used + length]
            used += length
            if not 0 < offset <= len(self.out):
                raise Bad("a match begins before the start of the output")
            for _ in range(match):
                self.out.append(self.out[-offset])
        self.out += literals[used:]


def unpack(data):
    """Return the contents of one frame."""
    if data[:4] != b"\x28\xb5\x2f\xfd":
        raise Bad("wrong magic number")
    flags, at = data[4], 5
    single = flags >> 5 & 1
    at += (1 - single) + [0, 1, 2, 4][flags & 3] + [single, 2, 4, 8][flags >> 6]
    unpacker = Unpacker()
    while True:
        head, at = int.from_bytes(data[at:at + 3], "little"), at + 3
        kind, size = head >> 1 & 3, head >> 3
        if kind == 0:
            unpacker.out += data[at:at + size]
        elif kind == 1:
            unpacker.out += data[at:at + 1] * size
        elif kind == 2:
            unpacker.block(data[at:at + size])
        else:
            raise Bad("reserved block type")
        at += 1 if kind == 1 else size
        if head & 1:
            return bytes(unpacker.out)
