//! Chess attack tables: the squares that each piece attacks on an empty board, and the squares between and behind two
//! squares.
//!
//! With few men on the board, a slider's attacks are its lines on the empty board minus the *shadow* of each other
//! man: the squares behind it as seen from the slider. That is a load and an AND per man.

/// Square sets by square, and by pairs of squares.
pub(super) struct Geometry {
    /// Targets on an empty board by kind (king, queen, rook, bishop, knight) and square.
    pub(super) reach: [[u64; 64]; 5],
    /// Squares that a white pawn (0) and a black pawn (1) attack.
    pub(super) pawn_attacks: [[u64; 64]; 2],
    /// Squares behind the second square as seen from the first; empty unless they are in line.
    pub(super) shadow: [[u64; 64]; 64],
    /// Squares strictly between two squares in line.
    pub(super) between: [[u64; 64]; 64],
}

const STEPS: [(i32, i32); 8] = [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1)];
const JUMPS: [(i32, i32); 8] = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];

/// The square a step away, 64 if that is off the board.
const fn step(square: usize, (columns, rows): (i32, i32)) -> usize {
    let (column, row) = (square as i32 % 8 + columns, square as i32 / 8 + rows);
    if column < 0 || column > 7 || row < 0 || row > 7 { 64 } else { (row * 8 + column) as usize }
}

impl Geometry {
    const fn new() -> Geometry {
        let mut g = Geometry {
            reach: [[0; 64]; 5],
            pawn_attacks: [[0; 64]; 2],
            shadow: [[0; 64]; 64],
            between: [[0; 64]; 64],
        };
        let mut from = 0;
        while from < 64 {
            let mut d = 0;
            while d < 8 {
                let near = step(from, STEPS[d]);
                if near < 64 {
                    g.reach[0][from] |= 1 << near;
                }
                let jump = step(from, JUMPS[d]);
                if jump < 64 {
                    g.reach[4][from] |= 1 << jump;
                }
                // Along the line, the squares before `to` are between, and those after it are behind.
                let mut to = near;
                let mut passed = 0u64;
                while to < 64 {
                    g.between[from][to] = passed;
                    passed |= 1 << to;
                    let mut behind = step(to, STEPS[d]);
                    while behind < 64 {
                        g.shadow[from][to] |= 1 << behind;
                        behind = step(behind, STEPS[d]);
                    }
                    to = step(to, STEPS[d]);
                }
                g.reach[if d < 4 { 2 } else { 3 }][from] |= passed;
                g.reach[1][from] |= passed;
                d += 1;
            }
            let mut side = 0;
            while side < 2 {
                let ahead = if side == 0 { 1 } else { -1 };
                let (left, right) = (step(from, (-1, ahead)), step(from, (1, ahead)));
                if left < 64 {
                    g.pawn_attacks[side][from] |= 1 << left;
                }
                if right < 64 {
                    g.pawn_attacks[side][from] |= 1 << right;
                }
                side += 1;
            }
            from += 1;
        }
        g
    }
}

/// The tables, computed at compile time.
pub(super) static GEOMETRY: Geometry = Geometry::new();

/// The squares of a set, lowest first.
pub(super) struct Squares(pub(super) u64);

impl Iterator for Squares {
    type Item = u8;

    #[inline]
    fn next(&mut self) -> Option<u8> {
        if self.0 == 0 {
            return None;
        }
        let square = self.0.trailing_zeros() as u8;
        self.0 &= self.0 - 1;
        Some(square)
    }
}

/// Squares of the long diagonals.
pub(super) const DIAGONAL: u64 = 0x8040_2010_0804_0201;
pub(super) const ANTIDIAGONAL: u64 = 0x0102_0408_1020_4080;
