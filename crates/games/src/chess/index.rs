//! Index of chess endings up to symmetry: king pair times groups of equal men (pieces or pawns).
//!
//! ```text
//! rank = mixed-radix number with the digits: side to move, king pair, rank of each group of equal men
//!
//! group     1 man: 64 squares (48 for a pawn)    2 men: 2016 pairs (1128)    3 men: 41664 triples (17296)
//! ```
//!
//! The symmetry that maps the two kings to a listed king pair is applied to all men. With both kings on the diagonal,
//! one reflection is left; of the two images, the one with the smaller rank is used, and the other rank is a hole.
//! Ranks with two men on one square, or with the side that just moved in check, are holes, too. A group of equal men is
//! ranked by the combinatorial number system.
//!
//! Invariant: a move without a capture or promotion leads to the same tier, any other move to a later one.

use super::geometry::{ANTIDIAGONAL, DIAGONAL, GEOMETRY, Squares};
use super::kings::{EIGHT, Kings, NO_PAIR, TRANSPOSE, TWO, transformed};
use super::material::{BLACK, KING, MOST_MEN, Material, PAWN};
use super::rules::{Chess, PROMOTIONS};
use super::sets::ChessSets;
use super::setup::{NONE, Setup};
use outplay_core::{Detour, Index, Link, Predecessors, Sets, Tier};
use std::ops::Range;

/// Images of every square under every symmetry.
pub(super) static IMAGES: [[u8; 64]; 8] = {
    let mut images = [[0; 64]; 8];
    let mut i = 0;
    while i < 8 * 64 {
        images[i / 64][i % 64] = transformed((i % 64) as u8, (i / 64) as u8);
        i += 1;
    }
    images
};

/// A group of equal men, one digit of the mixed-radix number.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct EqualMen {
    pub(super) first: usize,
    pub(super) count: usize,
    /// The lowest square that these men can occupy.
    pub(super) lowest: u8,
    size: u64,
    pub(super) stride: u64,
}

impl EqualMen {
    /// The rank of the group's squares, which may be in any order.
    #[inline]
    fn digit(&self, squares: &[u8; MOST_MEN]) -> u64 {
        let at = |i: usize| u64::from(squares[self.first + i] - self.lowest);
        match self.count {
            1 => at(0),
            2 => {
                let (a, b) = (at(0).min(at(1)), at(0).max(at(1)));
                b * b.wrapping_sub(1) / 2 + a
            }
            _ => {
                let mut sorted = [at(0), at(1), at(2)];
                sorted.sort_unstable();
                let [a, b, c] = sorted;
                c * c.wrapping_sub(1) * c.wrapping_sub(2) / 6 + b * b.wrapping_sub(1) / 2 + a
            }
        }
    }

    /// Unranks the group's squares, lowest first.
    fn place(&self, mut digit: u64, squares: &mut [u8; MOST_MEN]) {
        for i in (0..self.count).rev() {
            // The largest n with C(n, i + 1) at most the digit.
            let choose = |n: u64| match i {
                0 => n,
                1 => n * n.wrapping_sub(1) / 2,
                _ => n * n.wrapping_sub(1) * n.wrapping_sub(2) / 6,
            };
            let mut n = i as u64;
            if i == 0 {
                n = digit;
            } else {
                while choose(n + 1) <= digit {
                    n += 1;
                }
            }
            digit -= choose(n);
            squares[self.first + i] = n as u8 + self.lowest;
        }
    }

    /// Advances the squares to the next rank.
    #[inline]
    fn advance(&self, squares: &mut [u8; MOST_MEN]) {
        for i in 0..self.count {
            let place = self.first + i;
            squares[place] += 1;
            if i + 1 == self.count || squares[place] < squares[place + 1] {
                return;
            }
            squares[place] = i as u8 + self.lowest;
        }
    }
}

/// The mixed-radix number layout of one ending.
pub(super) struct EndingLayout {
    material: Material,
    counted: bool,
    /// The men, kings first, without squares.
    pub(super) codes: [u8; MOST_MEN],
    pub(super) men: usize,
    pub(super) pawns: bool,
    /// Both sides have pawns, so that en passant captures are possible.
    pub(super) passing: bool,
    pub(super) kings: &'static Kings,
    pub(super) groups: Vec<EqualMen>,
    /// The group of each man other than the kings.
    group_of: [usize; MOST_MEN],
    /// If no two men are equal: the factor of each man's square in the number, and the excess of the sum, which pawns
    /// cause because their squares begin at 8.
    pub(super) strides: Option<([u64; MOST_MEN], u64)>,
    pub(super) pair_stride: u64,
    half: u64,
}

impl EndingLayout {
    fn new(material: &Material, counted: bool) -> EndingLayout {
        let mut codes = [u8::MAX; MOST_MEN];
        codes[0] = KING;
        codes[1] = KING | BLACK;
        material.codes().enumerate().for_each(|(i, code)| codes[i + 2] = code);
        let men = material.men();
        let mut groups: Vec<EqualMen> = Vec::new();
        let mut group_of = [0; MOST_MEN];
        for man in 2..men {
            match groups.last_mut() {
                Some(group) if codes[group.first] == codes[man] => group.count += 1,
                _ => {
                    let lowest = if codes[man] & 7 == PAWN { 8 } else { 0 };
                    groups.push(EqualMen { first: man, count: 1, lowest, size: 0, stride: 0 });
                }
            }
            group_of[man] = groups.len() - 1;
        }
        let mut stride = 1;
        for group in groups.iter_mut().rev() {
            let squares = if group.lowest == 8 { 48u64 } else { 64 };
            group.size = match group.count {
                1 => squares,
                2 => squares * (squares - 1) / 2,
                _ => squares * (squares - 1) * (squares - 2) / 6,
            };
            group.stride = stride;
            stride *= group.size;
        }
        let single = groups.iter().all(|group| group.count == 1);
        let strides = single.then(|| {
            let mut strides = [0; MOST_MEN];
            groups.iter().for_each(|group| strides[group.first] = group.stride);
            (strides, groups.iter().map(|group| u64::from(group.lowest) * group.stride).sum())
        });
        let pawns = material.pawns() > 0;
        let kings: &'static Kings = if pawns { &TWO } else { &EIGHT };
        let half = stride * kings.squares.len() as u64;
        EndingLayout {
            material: material.clone(),
            counted,
            codes,
            men,
            pawns,
            passing: [PAWN, PAWN | BLACK].iter().all(|pawn| codes[2..men].contains(pawn)),
            kings,
            groups,
            group_of,
            strides,
            pair_stride: stride,
            half,
        }
    }

    /// The number of the men on these squares; the kings must not be adjacent.
    #[inline]
    pub(super) fn number(&self, squares: &[u8; MOST_MEN], black_to_move: bool) -> u64 {
        let pair = self.kings.pair(squares[0], squares[1]);
        let base = u64::from(pair.number) * self.pair_stride + if black_to_move { self.half } else { 0 };
        let digits = self.digits(squares, pair.image);
        if !pair.diagonal {
            return base + digits;
        }
        let images = &IMAGES[pair.image as usize];
        let mut moved = *squares;
        moved[..self.men].iter_mut().for_each(|square| *square = images[*square as usize]);
        base + digits.min(self.digits(&moved, TRANSPOSE))
    }

    #[inline]
    pub(super) fn digits(&self, squares: &[u8; MOST_MEN], image: u8) -> u64 {
        let images = &IMAGES[image as usize];
        if let Some((strides, excess)) = &self.strides {
            let mut digits = 0;
            for man in 2..self.men {
                digits += u64::from(images[(squares[man] & 63) as usize]) * strides[man];
            }
            return digits - excess;
        }
        let mut moved = [0; MOST_MEN];
        for man in 2..self.men {
            moved[man] = images[squares[man] as usize];
        }
        self.groups.iter().map(|group| group.digit(&moved) * group.stride).sum()
    }

    /// The men of a number, whether or not the position is legal.
    fn setup(&self, number: u64) -> Setup {
        let black_to_move = number >= self.half;
        let number = if black_to_move { number - self.half } else { number };
        let (pair, mut rest) = (number / self.pair_stride, number % self.pair_stride);
        let (white, black) = self.kings.squares[pair as usize];
        let mut squares = [u8::MAX; MOST_MEN];
        (squares[0], squares[1]) = (white, black);
        for group in &self.groups {
            group.place(rest / group.stride, &mut squares);
            rest %= group.stride;
        }
        Setup { codes: self.codes, squares, men: self.men as u8, black_to_move, passed: NONE }
    }

    fn is_diagonal(&self, setup: &Setup) -> bool {
        self.kings.pair(setup.squares[0], setup.squares[1]).diagonal
    }

    /// Whether the number of a setup is in use, that is, no hole.
    #[inline]
    fn holds(&self, number: u64, setup: &Setup) -> bool {
        setup.is_legal()
            && (!self.is_diagonal(setup) || self.number(&setup.squares, setup.black_to_move) == number)
    }

    /// Whether two moves of `mover`'s men, forwards or backwards, can lead to symmetric positions.
    ///
    /// Such a symmetry fixes the other king, so that king is on a long diagonal. The mover's king moves at most one
    /// step, so it is close to its own image.
    #[inline]
    fn may_coincide(&self, setup: &Setup, black: bool) -> bool {
        if self.pawns {
            return false;
        }
        let (king, other) = (setup.king(black), setup.king(!black));
        let (column, row) = ((king & 7) as i8, (king >> 3) as i8);
        DIAGONAL >> other & 1 == 1 && (column - row).abs() <= 2
            || ANTIDIAGONAL >> other & 1 == 1 && (column + row - 7).abs() <= 2
    }

    /// The number after one man other than the kings moves and the turn passes, provided that the kings alone
    /// determine the symmetry.
    #[inline]
    fn moved(&self, number: u64, setup: &Setup, man: usize, to: u8) -> u64 {
        let group = &self.groups[self.group_of[man]];
        let flipped = if setup.black_to_move { number - self.half } else { number + self.half };
        if group.count == 1 {
            let (old, new) = (u64::from(setup.squares[man]), u64::from(to));
            return (flipped + new * group.stride) - old * group.stride;
        }
        let mut squares = setup.squares;
        let old = group.digit(&squares);
        squares[man] = to;
        flipped + group.digit(&squares) * group.stride - old * group.stride
    }
}

/// Index of all positions of a chess ending and of the endings that it leads to.
pub struct ChessIndex {
    layouts: Vec<EndingLayout>,
    /// Material key, tier, and whether the colours have to be swapped; sorted by key.
    keys: Vec<(u64, u32, bool)>,
}

impl ChessIndex {
    /// Builds the index of a game's endings and all endings that play leads to.
    pub fn new(game: &Chess) -> ChessIndex {
        let layouts: Vec<EndingLayout> = game
            .tiers
            .iter()
            .map(|material| EndingLayout::new(material, game.own.contains(material)))
            .collect();
        let mut keys = Vec::new();
        for (tier, layout) in layouts.iter().enumerate() {
            let [named, swapped] = layout.material.keys();
            keys.push((named, tier as u32, false));
            if swapped != named {
                keys.push((swapped, tier as u32, true));
            }
        }
        keys.sort_unstable();
        ChessIndex { layouts, keys }
    }

    /// The ending of a tier.
    pub fn material(&self, tier: Tier) -> &Material {
        &self.layouts[tier.0 as usize].material
    }

    /// The tier of an ending.
    pub fn tier_of(&self, material: &Material) -> Option<Tier> {
        self.layouts.iter().position(|layout| layout.material == *material).map(|tier| Tier(tier as u32))
    }

    /// The tier of a material key, and whether the colours have to be swapped.
    #[inline]
    pub(super) fn tier_with(&self, key: u64) -> (Tier, bool) {
        let place = self.keys.binary_search_by_key(&key, |&(key, _, _)| key);
        // The tiers are closed under captures and promotions.
        let (_, tier, swap) = self.keys[place.expect("the index has the men of every position of its game")];
        (Tier(tier), swap)
    }

    /// The number of a position in its tier.
    #[inline]
    fn number(&self, pos: &Setup, tier: Tier, swap: bool) -> u64 {
        let layout = self.layout(tier);
        match swap {
            false => layout.number(&pos.squares, pos.black_to_move),
            true => {
                let pos = swapped(pos);
                layout.number(&pos.squares, pos.black_to_move)
            }
        }
    }

    pub(super) fn layout(&self, tier: Tier) -> &EndingLayout {
        &self.layouts[tier.0 as usize]
    }
}

/// The position with colours swapped and the board flipped vertically.
fn swapped(setup: &Setup) -> Setup {
    let mut men = [(0, 0); MOST_MEN];
    for (man, place) in men.iter_mut().enumerate().take(setup.men as usize) {
        // The kings swap so that white's is first.
        let from = if man < 2 { 1 - man } else { man };
        *place = (setup.codes[from] ^ BLACK, setup.squares[from] ^ 56);
    }
    Setup::new(&men[..setup.men as usize], !setup.black_to_move)
}

impl Index<Chess> for ChessIndex {
    fn trusted(&self) -> bool {
        true
    }

    fn tiers(&self) -> u32 {
        self.layouts.len() as u32
    }

    fn tier_name(&self, tier: Tier) -> String {
        self.material(tier).to_string()
    }

    fn child_tiers(&self, tier: Tier) -> Vec<Tier> {
        let mut after: Vec<Tier> =
            self.material(tier).next().iter().filter_map(|next| self.tier_of(next)).collect();
        after.sort_unstable();
        after
    }

    fn loops(&self, _tier: Tier) -> bool {
        true
    }

    fn len(&self, tier: Tier) -> u64 {
        2 * self.layout(tier).half
    }

    fn rank(&self, pos: &Setup) -> (Tier, u64) {
        debug_assert!(pos.passed == NONE, "a position with a capture en passant has no number");
        let (tier, swap) = self.tier_with(Material::key(pos.codes[2..pos.men as usize].iter().copied()));
        (tier, self.number(pos, tier, swap))
    }

    fn unrank(&self, tier: Tier, number: u64) -> Option<Setup> {
        let layout = self.layout(tier);
        let setup = layout.setup(number);
        layout.holds(number, &setup).then_some(setup)
    }

    fn orbit(&self, tier: Tier, number: u64) -> u32 {
        let layout = self.layout(tier);
        if layout.pawns {
            return 2;
        }
        let (white, black) = layout.kings.squares[(number % layout.half / layout.pair_stride) as usize];
        if !layout.kings.pair(white, black).diagonal {
            return 8;
        }
        let setup = layout.setup(number);
        // The image under the remaining reflection is the position itself if equal men swap squares.
        let digits = number % layout.pair_stride;
        if layout.digits(&setup.squares, TRANSPOSE) == digits { 4 } else { 8 }
    }

    fn counted(&self, tier: Tier) -> bool {
        self.layout(tier).counted
    }

    /// Version 2 adds en passant captures.
    fn version(&self) -> u32 {
        2
    }

    fn holds(&self, pos: &Setup) -> bool {
        if pos.passed != NONE {
            return false;
        }
        let key = Material::key(pos.codes[2..pos.men as usize].iter().copied());
        self.keys.binary_search_by_key(&key, |&(key, _, _)| key).is_ok()
    }

    fn find(&self, pos: &Setup) -> Option<(Tier, u64)> {
        let key = Material::key(pos.codes[2..pos.men as usize].iter().copied());
        let place = self.keys.binary_search_by_key(&key, |&(key, _, _)| key).ok();
        let (_, tier, swap) = self.keys[place.filter(|_| pos.passed == NONE)?];
        Some((Tier(tier), self.number(pos, Tier(tier), swap)))
    }

    fn owner(&self, tier: Tier) -> Option<String> {
        Some(format!("chess:{}", self.material(tier)))
    }

    fn detours(&self, _game: &Chess, tier: Tier, pos: &Setup, out: &mut Vec<Detour>) {
        if self.layout(tier).passing {
            super::passing::detours(self, pos, out);
        }
    }

    fn walk(&self, tier: Tier, range: Range<u64>, visit: &mut impl FnMut(u64, &Setup)) {
        let layout = self.layout(tier);
        let last = layout.groups.last().copied().unwrap_or(EqualMen { size: 1, ..EqualMen::default() });
        let mut setup = layout.setup(range.start.min(2 * layout.half - 1));
        for number in range.clone() {
            if number > range.start {
                match number % last.size {
                    0 => setup = layout.setup(number),
                    _ => last.advance(&mut setup.squares),
                }
            }
            if layout.holds(number, &setup) {
                visit(number, &setup);
            }
        }
    }
}

impl Predecessors<Chess> for ChessIndex {
    fn predecessors(&self, tier: Tier, number: u64, out: &mut Vec<u64>) {
        let layout = self.layout(tier);
        let setup = layout.setup(number);
        let black = !setup.black_to_move;
        let from = out.len();
        let sides = setup.sides();
        let empty = !(sides[0] | sides[1]);
        let slow = layout.is_diagonal(&setup);
        for man in 0..setup.men as usize {
            if setup.is_black(man) != black {
                continue;
            }
            let square = setup.squares[man];
            let origins = match setup.kind(man) {
                KING => GEOMETRY.reach[0][square as usize] & !GEOMETRY.reach[0][setup.king(!black) as usize],
                PAWN => pawn_origins(square, black, empty),
                _ => setup.sees(man, MOST_MEN),
            } & empty;
            let origins = if layout.passing { origins & !setup.detoured(man) } else { origins };
            for origin in Squares(origins) {
                if man >= 2 && !slow {
                    out.push(layout.moved(number, &setup, man, origin));
                    continue;
                }
                let mut squares = setup.squares;
                squares[man] = origin;
                out.push(layout.number(&squares, black));
            }
        }
        if layout.may_coincide(&setup, black) {
            out[from..].sort_unstable();
            let mut kept = from;
            for i in from..out.len() {
                if i == from || out[i] != out[kept - 1] {
                    out[kept] = out[i];
                    kept += 1;
                }
            }
            out.truncate(kept);
        }
    }

    fn successors_in_tier(&self, _game: &Chess, tier: Tier, pos: &Setup, exits: &mut Vec<Link>) -> u32 {
        let layout = self.layout(tier);
        let targets = pos.targets();
        let sides = pos.sides();
        let opponent = sides[usize::from(!pos.black_to_move)];
        let may_coincide = layout.may_coincide(pos, pos.black_to_move);
        let (mut count, mut numbers) = (0, Vec::new());
        for man in 0..pos.men as usize {
            let last_row = if pos.kind(man) == PAWN { 0xff00_0000_0000_00ff } else { 0u64 };
            let leaving = targets[man] & (opponent | last_row);
            let mut staying = targets[man] & !leaving;
            if layout.passing {
                staying &= !pos.passing(man, staying);
            }
            if may_coincide {
                for to in Squares(staying) {
                    let mut squares = pos.squares;
                    squares[man] = to;
                    numbers.push(layout.number(&squares, !pos.black_to_move));
                }
            } else {
                count += staying.count_ones();
            }
            for to in Squares(leaving) {
                let promotions: &[u8] = if last_row >> to & 1 == 1 { &PROMOTIONS } else { &[] };
                let mut push = |kind| {
                    let (tier, number) = self.rank(&pos.after(pos.squares[man], to, kind));
                    exits.push(Link { tier, number, same_player: false });
                };
                if promotions.is_empty() {
                    push(None);
                }
                promotions.iter().for_each(|&kind| push(Some(kind)));
            }
        }
        numbers.sort_unstable();
        numbers.dedup();
        count + numbers.len() as u32
    }

    fn sets(&self, tier: Tier) -> Option<Box<dyn Sets + '_>> {
        Some(Box::new(ChessSets::new(self, self.layout(tier))?))
    }
}

/// Squares that a pawn can have come from without a capture.
#[inline]
fn pawn_origins(square: u8, black: bool, empty: u64) -> u64 {
    let pawn = 1u64 << square;
    let (one, two, near_home, far_row) =
        if black { (pawn << 8, pawn << 16, 6, 4) } else { (pawn >> 8, pawn >> 16, 1, 3) };
    let row = square / 8;
    // A pawn on its own second rank, or beyond the board, has no origin.
    let mut origins = if row == near_home { 0 } else { one & empty };
    if row == far_row && origins != 0 {
        origins |= two & empty;
    }
    origins
}

/// Whether two kings may occupy these squares.
pub(super) fn kings_apart(white: u8, black: u8) -> bool {
    TWO.pair(white, black).number != NO_PAIR
}
