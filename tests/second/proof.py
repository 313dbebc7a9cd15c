"""Independent proof checker, written from docs/proof-format.md: slow, without packages, no code shared with outplay.

    python3 proof.py FILE …        prints "FILE: holds (VERDICT)" or "FILE: fails: REASON", one line each
    python3 proof.py -             reads many proofs from standard input, separated by lines "====",
                                   and prints "win", "draw", "loss" or "no" for each

The exit code is 1 if one of the files fails.
"""

import re
import sys
from fractions import Fraction


class No(Exception):
    """The proof is invalid."""


def number(word):
    if not re.fullmatch(r"[0-9]{1,9}", word):
        raise No(f"`{word}` is not a number")
    return int(word)


class Proof:
    def __init__(self, text):
        self.lines = [[word for word in re.split("[ \t\r\f]", line) if word] for line in text.split("\n")]
        self.at = 0
        if self.next() != ["outplay-proof", "1"]:
            raise No("it does not begin with `outplay-proof 1`")
        self.board(self.next())
        claim = self.next()
        if len(claim) != 2 or claim[0] != "claim" or claim[1] not in ("win", "draw", "loss"):
            raise No("the line `claim` is missing or invalid")
        self.claim = claim[1]
        self.grounds = []
        while True:
            words = self.next()
            if len(words) == 2 and words[0] == "steps":
                count = number(words[1])
                break
            good = len(words) == 4 and words[0] in ("x", "o") and words[1] in ("wins", "holds") and words[2] == "by"
            if not good or len(self.grounds) == 2:
                raise No("a ground is invalid")
            ground = None if words[3] == "stealing" else number(words[3])
            self.grounds.append((words[0], words[1] == "wins", ground))
        self.steps = []
        while len(self.steps) < count:
            words = self.next()
            if not words or words[0] != str(len(self.steps)):
                raise No(f"step {len(self.steps)} was expected")
            self.steps.append(self.step(words[1:]))
        if self.next() != ["end"]:
            raise No("the line `end` is missing")
        if any(step is not None and step >= count for _, _, step in self.grounds):
            raise No("a ground refers to a missing step")

    def next(self):
        if self.at >= len(self.lines):
            raise No("the text ends too early")
        self.at += 1
        return self.lines[self.at - 1]

    # The board: cells are (column, row), row 0 at the bottom.

    def board(self, words):
        if len(words) != 6 or words[0] != "board" or words[2] != "k" or words[4] != "turn":
            raise No("the line `board` is missing or invalid")
        rows = words[1].split("/")[::-1]
        self.width, self.height = len(rows[0]), len(rows)
        if self.width == 0 or any(len(row) != self.width for row in rows) or self.width * self.height > 384:
            raise No("the board is invalid")
        self.k, self.turn = number(words[3]), words[5]
        if self.k == 0 or self.turn not in ("x", "o"):
            raise No("the board is invalid")
        self.cells = {(c, r): stone for r, row in enumerate(rows) for c, stone in enumerate(row)}
        if any(stone not in ".#xo" for stone in self.cells.values()):
            raise No("the board is invalid")

    def cell(self, word):
        match = re.fullmatch(r"([a-z]{1,4})([1-9][0-9]{0,6})", word.lower())
        if not match or not word.isascii():
            raise No(f"`{word}` is not a cell")
        column = 0
        for letter in match[1]:
            column = 26 * column + ord(letter) - ord("a") + 1
        cell = (column - 1, int(match[2]) - 1)
        if cell not in self.cells:
            raise No(f"`{word}` is outside the board")
        return cell

    def cell_list(self, word):
        return [self.cell(part) for part in word.split(",")]

    def link(self, word):
        step, _, symmetry = word.partition("~")
        step, symmetry = number(step), number(symmetry) if "~" in word else 0
        if step >= len(self.steps) or symmetry > 7 or (symmetry & 4 and self.width != self.height):
            raise No(f"`{word}` is not a link to an earlier step")
        return step, symmetry

    def arm(self, word):
        cells, arrow, link = word.partition(">")
        if not arrow:
            raise No(f"`{word}` has no `>` and no link")
        return self.cell_list(cells), self.link(link)

    def pair(self, word):
        one, dash, two = word.partition("-")
        if not dash:
            raise No(f"`{word}` is not a pair")
        return self.cell(one), self.cell(two)

    def step(self, words):
        if not words:
            raise No("a step is empty")
        kind, rest = words[0], words[1:]
        if kind == "fours":
            return kind, [self.cell(word) for word in rest]
        if kind in ("plays", "takes"):
            arms = [self.arm(word) for word in rest]
            if len(arms) != 1 or len(arms[0][0]) != 1:
                raise No(f"`{kind}` needs exactly one cell")
            return kind, arms[0][0][0], arms[0][1]
        if kind == "completes":
            if len(rest) != 1:
                raise No("`completes` needs exactly one cell")
            return kind, self.cell(rest[0])
        if kind == "pairs":
            return kind, [self.pair(word) for word in rest]
        if kind == "sum":
            if len(rest) > 1:
                raise No("`sum` takes at most one list")
            return kind, self.cell_list(rest[0]) if rest else []
        if kind == "replies":
            arms = [self.arm(word) for word in rest if not word.startswith("else>")]
            others = [self.link(word[5:]) for word in rest if word.startswith("else>")]
            if len(others) > 1:
                raise No("`else` occurs twice")
            return kind, arms, others[0] if others else None
        if kind in ("answers", "blocks"):
            arms = [self.arm(word) for word in rest if not word.startswith("+")]
            also = [cell for word in rest if word.startswith("+") for cell in self.cell_list(word[1:])]
            return kind, arms, also
        if kind == "split":
            if "|" not in rest:
                raise No("`split` needs a `|`")
            bar = rest.index("|")
            return kind, [self.pair(word) for word in rest[:bar]], [self.arm(word) for word in rest[bar + 1 :]]
        raise No(f"`{kind}` is not a kind of step")

    # The claim.

    def lines_of(self, player):
        found = []
        for column, row in self.cells:
            for right, up in ((1, 0), (0, 1), (1, 1), (1, -1)):
                # The end of the line is checked before its cells are listed, because k may be huge.
                if (column + (self.k - 1) * right, row + (self.k - 1) * up) not in self.cells:
                    continue
                line = [(column + i * right, row + i * up) for i in range(self.k)]
                if all(self.cells[cell] in (".", player) for cell in line):
                    found.append(frozenset(cell for cell in line if self.cells[cell] == "."))
        return tidy(found)

    def check(self):
        mover, other = self.turn, "o" if self.turn == "x" else "x"
        won = {player: frozenset() in self.lines_of(player) for player in "xo"}
        if won[mover] and won[other]:
            raise No("both players have a line")
        if won[mover] or won[other]:
            if self.claim != ("win" if won[mover] else "loss"):
                raise No("the game is over with another result")
            return self.claim
        if self.claim == "draw":
            if len(self.grounds) != 2 or {ground[0] for ground in self.grounds} != {"x", "o"}:
                raise No("a draw needs a ground for each player")
            for player, wins, step in self.grounds:
                if wins:
                    raise No("a ground of a draw claims a win")
                if step is None:
                    if player != mover or any(stone != "." for stone in self.cells.values()):
                        raise No("strategy stealing needs an empty board and the player to move")
                else:
                    self.follow(step, "o" if player == "x" else "x", False)
            return self.claim
        winner = mover if self.claim == "win" else other
        if len(self.grounds) != 1 or self.grounds[0][:2] != (winner, True) or self.grounds[0][2] is None:
            raise No("a win or loss needs exactly one ground, a step of the winner")
        self.follow(self.grounds[0][2], winner, True)
        return self.claim

    # The steps. A position is a pair of frozensets of lines: the attacker's and the defender's.

    def follow(self, step, attacker, wins):
        self.wins, self.right = wins, set()
        defender = "o" if attacker == "x" else "x"
        todo = [(step, (self.lines_of(attacker), self.lines_of(defender)), attacker == self.turn, 0)]
        # A step counts as valid while it is verified: if it is not, the whole proof fails anyway.
        while todo:
            step, pos, attacks, depth = todo.pop()
            if (step, pos, attacks) in self.right:
                continue
            if depth > 4 * len(self.cells) + 64:
                raise No("the steps are nested too deeply")
            self.right.add((step, pos, attacks))
            for (next_step, symmetry), after, side in self.apply(step, pos, attacks):
                todo.append((next_step, self.renamed(after, symmetry), side, depth + 1))

    def renamed(self, pos, symmetry):
        def image(cell):
            column, row = cell
            if symmetry & 4:
                column, row = row, column
            if symmetry & 1:
                column = self.width - 1 - column
            if symmetry & 2:
                row = self.height - 1 - row
            return column, row

        if symmetry == 0:
            return pos
        return tuple(frozenset(frozenset(map(image, line)) for line in side) for side in pos)

    def apply(self, number, pos, attacks):
        """Return the links that remain to be verified; raise `No` if the step is invalid."""
        step = self.steps[number]
        kind = step[0]
        of_attacker = kind in ("fours", "plays", "replies")
        if of_attacker != self.wins:
            raise No(f"step {number} is a step of the other side")
        side = {"fours": True, "plays": True, "replies": False, "pairs": True, "answers": True, "blocks": True,
                "takes": False, "completes": False}.get(kind, attacks)
        if side != attacks:
            raise No(f"step {number} needs the other player to move")

        def no(why):
            raise No(f"step {number}: {why}")

        if kind == "fours":
            for cell in step[1]:
                if cell not in live(pos):
                    no("a cell is not live")
                if cell in completes(pos[0]):
                    return []
                pos = attack(pos, cell)
                if completes(pos[1]):
                    no("the defender completes a line")
                threats = completes(pos[0])
                if len(threats) > 1:
                    return []
                if not threats:
                    no("a move makes no threat")
                pos = defend(pos, min(threats))
            no("the sequence ends before the win")
        if kind in ("plays", "takes"):
            _, cell, link = step
            if cell not in live(pos):
                no("its cell is not live")
            after = attack(pos, cell) if kind == "plays" else defend(pos, cell)
            done = frozenset() in after[0 if kind == "plays" else 1]
            return [] if done else [(link, after, kind == "takes")]
        if kind == "completes":
            if step[1] not in completes(pos[1]):
                no("the cell completes no line")
            return []
        if kind == "replies":
            _, arms, other = step
            if completes(pos[1]):
                no("the defender completes a line")
            found = []
            for reply in list(live(pos)) + [None]:
                after = pos if reply is None else defend(pos, reply)
                named = next((link for cells, link in arms if reply is not None and reply in cells), None)
                if named is not None:
                    found.append((named, after, True))
                elif completes(after[0]):
                    continue
                elif other is None:
                    no("a reply is missing")
                else:
                    found.append((other, after, True))
            return found
        if kind == "pairs":
            pairs = disjoint(step[1], no)
            if not all(any(pair <= line for pair in pairs) for line in pos[0]):
                no("a line has no pair")
            return []
        if kind == "sum":
            zone = within(pos, set(step[1]), no)
            total = sum((Fraction(1, 2 ** len(line)) for line in zone[0]), Fraction(0))
            if total >= (Fraction(1, 2) if attacks else 1):
                no("the sum is too large")
            return []
        if kind in ("answers", "blocks"):
            _, arms, also = step
            if kind == "blocks":
                pos = (pos[0], frozenset())
            zone = within(pos, set(also) | {cell for cells, _ in arms for cell in cells}, no)
            found = []
            for cell in live(zone):
                after = attack(zone, cell)
                if frozenset() in after[0]:
                    no("the attacker completes a line")
                named = next((link for cells, link in arms if cell in cells), None)
                if named is not None:
                    found.append((named, after, False))
                elif not completes(after[1]):
                    no("a move is missing")
            return found
        # split
        _, pairs, parts = step
        if not attacks and len(parts) > 1:
            no("the defender moves in one part only")
        pairs = disjoint(pairs, no)
        taken = set().union(*pairs)
        for cells, _ in parts:
            if taken & set(cells):
                no("parts overlap")
            taken |= set(cells)
        zone = within(pos, taken, no)
        share = [[] for _ in parts]
        for line in zone[0]:
            if any(pair <= line for pair in pairs):
                continue
            part = next((i for i, (cells, _) in enumerate(parts) if line & set(cells)), None)
            if part is None:
                no("a line is in no part")
            share[part].append(line & frozenset(parts[part][0]))
        return [(link, (tidy(lines), frozenset()), attacks) for lines, (_, link) in zip(share, parts)]


def tidy(lines):
    """Drop lines that contain another line."""
    lines = set(lines)
    return frozenset(line for line in lines if not any(other < line for other in lines))


def live(pos):
    return set().union(*pos[0], *pos[1])


def completes(lines):
    return {cell for line in lines if len(line) == 1 for cell in line}


def attack(pos, cell):
    return tidy(line - {cell} for line in pos[0]), frozenset(line for line in pos[1] if cell not in line)


def defend(pos, cell):
    return frozenset(line for line in pos[0] if cell not in line), tidy(line - {cell} for line in pos[1])


def within(pos, zone, no):
    attacker = [line & zone for line in pos[0]]
    if not all(attacker):
        no("a line of the attacker is outside the zone")
    return tidy(attacker), frozenset(line for line in pos[1] if line <= zone)


def disjoint(pairs, no):
    cells = [cell for pair in pairs for cell in pair]
    if len(cells) != len(set(cells)):
        no("a cell is in two pairs")
    return [frozenset(pair) for pair in pairs]


def verdict(text):
    try:
        return Proof(text).check(), ""
    except No as why:
        return "no", str(why)


def main():
    if sys.argv[1:] == ["-"]:
        for text in sys.stdin.buffer.read().decode("utf-8").split("====\n"):
            if text:
                print(verdict(text)[0])
        return 0
    failed = False
    for name in sys.argv[1:]:
        with open(name, encoding="utf-8", newline="") as file:
            found, why = verdict(file.read())
        failed |= found == "no"
        print(f"{name}: holds ({found})" if found != "no" else f"{name}: fails: {why}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
