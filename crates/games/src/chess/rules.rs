//! Chess rules for endings: legal moves, mate and stalemate.

use super::geometry::Squares;
use super::material::{BISHOP, KNIGHT, Material, PAWN, QUEEN, ROOK};
use super::setup::Setup;
use crate::Spec;
use outplay_core::{Game, InputError, Payoff, Turn};

/// A chess ending, or several, with all endings that captures and promotions lead to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Chess {
    pub(super) own: Vec<Material>,
    pub(super) tiers: Vec<Material>,
}

/// A chess move: from a square to a square, possibly with a promotion.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ChessMove {
    pub(super) from: u8,
    pub(super) to: u8,
    pub(super) promotion: Option<u8>,
}

/// Piece types that a pawn may promote to.
pub(super) const PROMOTIONS: [u8; 4] = [QUEEN, ROOK, BISHOP, KNIGHT];

impl Chess {
    /// Parses `chess:KQKR`, `chess:all3` or `chess:all4`.
    ///
    /// # Errors
    ///
    /// One sentence about the first invalid part.
    pub fn from_spec(spec: Spec) -> Result<Chess, InputError> {
        let own = Material::from_spec(&spec)?;
        spec.finish("no options")?;
        Ok(Chess::new(own))
    }

    /// The game of some endings.
    pub fn new(own: Vec<Material>) -> Chess {
        let tiers = Material::closure(&own);
        Chess { own, tiers }
    }

    /// The endings of the spec, without those that play leads to.
    pub fn endings(&self) -> &[Material] {
        &self.own
    }
}

impl Game for Chess {
    type Position = Setup;
    type Move = ChessMove;

    fn start(&self) -> Option<Setup> {
        None
    }

    fn turn(&self, pos: &Setup) -> Turn {
        if pos.black_to_move { Turn::Second } else { Turn::First }
    }

    fn moves(&self, pos: &Setup, out: &mut Vec<ChessMove>) {
        let targets = pos.targets();
        for (man, &set) in targets.iter().enumerate().take(pos.men as usize) {
            let from = pos.squares[man];
            for to in Squares(set) {
                if pos.kind(man) == PAWN && !(8..56).contains(&to) {
                    out.extend(PROMOTIONS.map(|kind| ChessMove { from, to, promotion: Some(kind) }));
                } else {
                    out.push(ChessMove { from, to, promotion: None });
                }
            }
        }
    }

    fn play(&self, pos: &Setup, mv: ChessMove) -> Setup {
        pos.after(mv.from, mv.to, mv.promotion)
    }

    fn outcome(&self, pos: &Setup) -> Option<Payoff> {
        if pos.targets().iter().any(|&set| set != 0) {
            return None;
        }
        let mated = pos.in_check(pos.black_to_move);
        Some(self.turn(pos).sees(if mated { -1 } else { 0 }))
    }

    fn symmetric(&self, pos: &Setup, out: &mut Vec<Setup>) {
        let pawns = (0..pos.men as usize).any(|man| pos.kind(man) == PAWN);
        let images = if pawns { 2 } else { 8 };
        for image in 0..images {
            let mut men = Vec::new();
            for man in 0..pos.men as usize {
                let square = super::kings::transformed(pos.squares[man], image);
                men.push((pos.codes[man], square));
            }
            let mut next = Setup::new(&men, pos.black_to_move);
            if let Some(passed) = pos.passed() {
                next.passed = super::kings::transformed(passed, image);
            }
            if !out.contains(&next) {
                out.push(next);
            }
        }
    }
}
