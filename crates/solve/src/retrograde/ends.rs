//! Which draws are ties: positions of value 0 from which somebody can make the game end.
//!
//! A player *can force an end* of a drawn position if, whatever the other does, the game ends and pays this
//! player 0 or more. Written as rules, for the player to move and for the opponent:
//!
//! ```text
//! finished, payoff 0                 both
//! some move leads to a draw that its maker can force an end of          the player to move
//! every move loses, or leads to a draw that the opponent can force …    the opponent
//! ```
//!
//! and nothing else: the least sets that obey the rules, so no cycle vouches for itself. A drawn position is
//! a *tie* if one of the players can force an end, and a *draw by repetition* if nobody can.
//!
//! The sets grow backwards like wins and losses do: a draw that its opponent can end makes each move to it an
//! end for the player who makes it, and a draw that its mover can end is one more such move to be counted.

use super::back::{Back, SAME_PLAYER};
use super::bits::Bits;
use super::code::Draws;
use super::detours::Stopovers;
use super::words::{Seen, Words};
use outplay_core::{Game, Value};
use rayon::prelude::*;

/// The draws of a tier that the player to move, or the opponent, can force an end of.
#[derive(Debug, Default)]
pub(super) struct Ends {
    pub(super) mover: Bits,
    pub(super) opponent: Bits,
}

impl Ends {
    /// What the codes of a tier say; those of holes do not matter.
    pub(super) fn of<C: Draws>(codes: &[C]) -> Ends {
        let mut ends = Ends::default();
        let decided = |code: &C| code.unpack().is_none_or(|value| value != Value::TIE);
        if codes.par_iter().all(decided) {
            return ends;
        }
        ends = Ends { mover: Bits::new(codes.len() as u64), opponent: Bits::new(codes.len() as u64) };
        codes.par_iter().enumerate().with_min_len(1 << 14).for_each(|(n, code)| {
            if code.unpack() == Some(Value::TIE) {
                let (mover, opponent) = code.ends();
                if mover {
                    ends.mover.insert(n as u64);
                }
                if opponent {
                    ends.opponent.insert(n as u64);
                }
            }
        });
        ends
    }

    /// Whether the player to move, and whether the opponent, can force an end.
    #[inline]
    pub(super) fn both(&self, number: u64) -> (bool, bool) {
        (self.mover.has(number), self.opponent.has(number))
    }

    /// Whether one of the players can force an end.
    #[inline]
    pub(super) fn any(&self, number: u64) -> bool {
        self.mover.has(number) || self.opponent.has(number)
    }

    /// Whether the player who moves to a draw, and whether that player's opponent, can force an end of it.
    pub(super) fn seen_before(&self, number: u64, same_player: bool) -> (bool, bool) {
        let (mover, opponent) = (self.mover.has(number), self.opponent.has(number));
        if same_player { (mover, opponent) } else { (opponent, mover) }
    }
}

/// A draw and the player who can force an end of it, as was just found out.
#[derive(Clone, Copy)]
struct Fresh {
    number: u32,
    mover: bool,
}

/// Finds the sets from finished ties and from moves to ties of later tiers, backwards. Uses up the counts.
pub(super) fn find<G: Game, B: Back<G>>(
    back: &B,
    stopovers: &Stopovers,
    words: &Words,
    ties: &[u32],
    leads_to_end: &[u32],
) -> Ends {
    let ends = Ends { mover: Bits::new(words.len()), opponent: Bits::new(words.len()) };
    let is_draw = |n: u64| matches!(words.at(n), Seen::Open | Seen::Tie);
    let mut fresh: Vec<Fresh> = Vec::new();
    let mut start = |n: u64, mover: bool| {
        let set = if mover { &ends.mover } else { &ends.opponent };
        if is_draw(n) && set.insert(n) {
            fresh.push(Fresh { number: n as u32, mover });
        }
    };
    for &n in ties {
        start(n.into(), true);
        start(n.into(), false);
    }
    leads_to_end.iter().for_each(|&n| start(n.into(), true));
    (0..words.len()).filter(|&n| words.opponent_ends(n)).for_each(|n| start(n, false));
    while !fresh.is_empty() {
        let part: &(dyn Fn(&[Fresh]) -> Vec<Fresh> + Sync) = &|chunk| {
            let (mut next, mut before) = (Vec::new(), Vec::new());
            for &Fresh { number, mover } in chunk {
                before.clear();
                match stopovers.at(number.into()) {
                    Some(stopover) => before.push(stopover.mark()),
                    None => {
                        back.before(number.into(), &mut before);
                        before.extend(stopovers.like(number.into()).map(|n| n | SAME_PLAYER));
                    }
                }
                for &mark in &before {
                    let (from, same) = (mark & !SAME_PLAYER, mark & SAME_PLAYER != 0);
                    if words.at(from) != Seen::Open {
                        continue;
                    }
                    let found = match mover == same {
                        true => ends.mover.insert(from),
                        false => words.count_end(from) && ends.opponent.insert(from),
                    };
                    if found {
                        next.push(Fresh { number: from as u32, mover: mover == same });
                    }
                }
            }
            next
        };
        fresh = fresh.par_chunks(2048).map(part).flatten().collect();
    }
    ends
}
