//! Distinction between ties and draws by repetition: an attractor computation over the drawn positions.
//!
//! A player *can force an end* of a drawn position if that player can make the game end, against every defence, with a
//! payoff of 0 or more. As rules, for the player to move and for the opponent:
//!
//! ```text
//! drawn position                                                                       who can force an end
//! finished, payoff 0                                                                   both
//! some move leads to a draw of which the player who makes it can force an end          the player to move
//! every move loses, or leads to a draw of which the opponent can force an end          the opponent
//! ```
//!
//! The result is the least fixed point of these rules, so no cycle supports itself. A drawn position is a *tie* if one
//! of the players can force an end, and a *draw by repetition* otherwise.
//!
//! The two sets are computed backwards, like wins and losses. If the opponent can force an end of a draw, then so can
//! the player who moves to it from a predecessor. If the player to move can force an end of a draw, then one move fewer
//! of each predecessor avoids it; when its counter of such moves reaches zero, the predecessor is in the set of the
//! opponent.

use super::back::{Back, SAME_PLAYER};
use super::bits::Bits;
use super::code::Draws;
use super::detours::Stopovers;
use super::words::{WordState, Words};
use crate::SolveError;
use crate::blocks::for_blocks;
use crate::error::check_stop;
use outplay_core::{Game, Value};
use outplay_runtime::{Monitor, Pace, threads};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// The draws of a tier of which the player to move, or the opponent, can force an end.
#[derive(Debug, Default)]
pub(super) struct Ends {
    pub(super) mover: Bits,
    pub(super) opponent: Bits,
}

impl Ends {
    /// Decodes the sets from the codes of a tier; codes of holes are ignored.
    pub(super) fn of<C: Draws>(codes: &[C], monitor: &dyn Monitor) -> Result<Ends, SolveError> {
        let len = codes.len() as u64;
        let tie = |code: &C| code.unpack() == Some(Value::TIE);
        let ties = AtomicBool::new(false);
        for_blocks(len, monitor, |piece| {
            if codes[piece.start as usize..piece.end as usize].iter().any(tie) {
                ties.store(true, Relaxed);
            }
        })?;
        if !ties.into_inner() {
            return Ok(Ends::default());
        }
        let ends = Ends { mover: Bits::new(len, monitor)?, opponent: Bits::new(len, monitor)? };
        for_blocks(len, monitor, |piece| {
            for n in piece {
                let code = codes[n as usize];
                if tie(&code) {
                    let (mover, opponent) = code.ends();
                    if mover {
                        ends.mover.insert(n);
                    }
                    if opponent {
                        ends.opponent.insert(n);
                    }
                }
            }
        })?;
        Ok(ends)
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

/// A newly found draw and the player who can force an end of it.
#[derive(Clone, Copy)]
struct ForcedEnd {
    number: u32,
    mover: bool,
}

/// Computes the sets backwards from finished ties and from exits to ties. Consumes the counts in `words`.
pub(super) fn find<G: Game, B: Back<G>>(
    back: &B,
    stopovers: &Stopovers,
    words: &Words,
    ties: &[u32],
    leads_to_end: &[u32],
    monitor: &dyn Monitor,
) -> Result<Ends, SolveError> {
    let ends = Ends { mover: Bits::new(words.len(), monitor)?, opponent: Bits::new(words.len(), monitor)? };
    let is_draw = |n: u64| matches!(words.at(n), WordState::Open | WordState::Tie);
    let mut fresh: Vec<ForcedEnd> = Vec::new();
    let mut start = |n: u64, mover: bool| {
        let set = if mover { &ends.mover } else { &ends.opponent };
        if is_draw(n) && set.insert(n) {
            fresh.push(ForcedEnd { number: n as u32, mover });
        }
    };
    let mut stopped = Pace::pieces(monitor, 0..ties.len() as u64, &mut |piece| {
        for &n in &ties[piece.start as usize..piece.end as usize] {
            start(n.into(), true);
            start(n.into(), false);
        }
    });
    stopped |= Pace::pieces(monitor, 0..leads_to_end.len() as u64, &mut |piece| {
        leads_to_end[piece.start as usize..piece.end as usize].iter().for_each(|&n| start(n.into(), true));
    });
    stopped |= Pace::pieces(monitor, 0..words.len(), &mut |piece| {
        piece.filter(|&n| words.opponent_ends(n)).for_each(|n| start(n, false));
    });
    check_stop(stopped)?;
    let stopped = AtomicBool::new(false);
    while !fresh.is_empty() {
        let part: &(dyn Fn(&[ForcedEnd]) -> Vec<ForcedEnd> + Sync) = &|chunk| {
            let (mut next, mut before) = (Vec::new(), Vec::new());
            let mut pace = Pace::new(monitor);
            for &ForcedEnd { number, mover } in chunk {
                if stopped.load(Relaxed) || pace.step() {
                    stopped.store(true, Relaxed);
                    break;
                }
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
                    if words.at(from) != WordState::Open {
                        continue;
                    }
                    let found = match mover == same {
                        true => ends.mover.insert(from),
                        false => words.count_end(from) && ends.opponent.insert(from),
                    };
                    if found {
                        next.push(ForcedEnd { number: from as u32, mover: mover == same });
                    }
                }
            }
            next
        };
        let chunks: Vec<&[ForcedEnd]> = fresh.chunks(2048).collect();
        fresh = threads::map(chunks.len(), &|i| part(chunks[i])).concat();
        check_stop(stopped.load(Relaxed))?;
    }
    Ok(ends)
}
