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
use crate::SolveError;
use crate::blocks::for_blocks;
use outplay_core::{Game, Pace, Value, Watch, threads};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// The draws of a tier that the player to move, or the opponent, can force an end of.
#[derive(Debug, Default)]
pub(super) struct Ends {
    pub(super) mover: Bits,
    pub(super) opponent: Bits,
}

impl Ends {
    /// What the codes of a tier say; those of holes do not matter.
    pub(super) fn of<C: Draws>(codes: &[C], watch: &dyn Watch) -> Result<Ends, SolveError> {
        let len = codes.len() as u64;
        let tie = |code: &C| code.unpack() == Some(Value::TIE);
        let ties = AtomicBool::new(false);
        for_blocks(len, watch, |piece| {
            if codes[piece.start as usize..piece.end as usize].iter().any(tie) {
                ties.store(true, Relaxed);
            }
        })?;
        if !ties.into_inner() {
            return Ok(Ends::default());
        }
        let ends = Ends { mover: Bits::new(len, watch)?, opponent: Bits::new(len, watch)? };
        for_blocks(len, watch, |piece| {
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
    watch: &dyn Watch,
) -> Result<Ends, SolveError> {
    let ends = Ends { mover: Bits::new(words.len(), watch)?, opponent: Bits::new(words.len(), watch)? };
    let is_draw = |n: u64| matches!(words.at(n), Seen::Open | Seen::Tie);
    let mut fresh: Vec<Fresh> = Vec::new();
    let mut start = |n: u64, mover: bool| {
        let set = if mover { &ends.mover } else { &ends.opponent };
        if is_draw(n) && set.insert(n) {
            fresh.push(Fresh { number: n as u32, mover });
        }
    };
    let mut stopped = Pace::pieces(watch, 0..ties.len() as u64, &mut |piece| {
        for &n in &ties[piece.start as usize..piece.end as usize] {
            start(n.into(), true);
            start(n.into(), false);
        }
    });
    stopped |= Pace::pieces(watch, 0..leads_to_end.len() as u64, &mut |piece| {
        leads_to_end[piece.start as usize..piece.end as usize].iter().for_each(|&n| start(n.into(), true));
    });
    stopped |= Pace::pieces(watch, 0..words.len(), &mut |piece| {
        piece.filter(|&n| words.opponent_ends(n)).for_each(|n| start(n, false));
    });
    if stopped {
        return Err(SolveError::Stopped);
    }
    let stopped = AtomicBool::new(false);
    while !fresh.is_empty() {
        let part: &(dyn Fn(&[Fresh]) -> Vec<Fresh> + Sync) = &|chunk| {
            let (mut next, mut before) = (Vec::new(), Vec::new());
            let mut pace = Pace::new(watch);
            for &Fresh { number, mover } in chunk {
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
        let chunks: Vec<&[Fresh]> = fresh.chunks(2048).collect();
        fresh = threads::map(chunks.len(), &|i| part(chunks[i])).concat();
        if stopped.load(Relaxed) {
            return Err(SolveError::Stopped);
        }
    }
    Ok(ends)
}
