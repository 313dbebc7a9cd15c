//! Moves to positions without a slot (detours), in the bit-parallel solver.
//!
//! As in [`crate::retrograde::detours`], each leads to a *stopover*: a position with the moves of a base position
//! (`like`), which has a slot, and additional moves to later tiers (exits).
//!
//! ```text
//!  value of the stopover                              effect on the position with the move to it
//!  won, as soon as the base position or an exit is    this stopover no longer prevents a loss
//!  lost, when both are                                won one ply later
//!  otherwise a draw                                   not lost
//! ```
//!
//! A position is *held* while one of the stopovers that it leads to is not known to be won, so that it is not resolved
//! as lost.

use super::row::RowState;
use super::{Frontier, ROWS_PER_TASK, SetSolver};
use outplay_core::{Code, SetDetour};
use outplay_runtime::threads;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Resolution of a stopover.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum StopoverState {
    /// Unresolved; after the last level, a draw.
    Open,
    Won,
    Lost,
}

/// A position without a slot.
pub(super) struct Stopover {
    /// Slot, in this row, of the position with the move to it.
    slot: u32,
    /// Row and slot of the base position.
    like: (usize, u32),
    /// Payoff and distance of its best exit.
    payoff: i32,
    plies: u32,
    /// If it is a draw: whether the player to move can end it, as far as is known.
    mover_ends: bool,
    /// One of its exits leads to a draw that the other player cannot end.
    stuck: bool,
    /// The other player can end it, and the position with the move to it was updated.
    opponent_ends: bool,
    state: StopoverState,
}

/// Callback for an exit: its row and slot, its code, and which players can force an end.
type Exit<'e, C> = dyn FnMut(&mut RowState<'_, C>, u32, C, (bool, bool)) + 'e;

/// The word and the bit of a slot.
fn place(slot: u32) -> (usize, u64) {
    (slot as usize / 64, 1 << (slot % 64))
}

impl Stopover {
    /// The level at which an exit wins.
    pub(super) fn due(&self) -> Option<u32> {
        (self.state == StopoverState::Open && self.payoff > 0).then_some(self.plies)
    }

    /// Whether it keeps the position with the move to it from being lost or, among draws, from being ended.
    fn holds(&self, among_draws: bool) -> bool {
        match among_draws {
            false => self.state != StopoverState::Won,
            true => self.state == StopoverState::Open && !self.mover_ends,
        }
    }
}

impl<C: Code> RowState<'_, C> {
    /// Recomputes which positions are held by their stopovers.
    fn hold(&mut self, among_draws: bool) {
        self.held.clear();
        for stopover in self.stopovers.iter().filter(|stopover| stopover.holds(among_draws)) {
            let (word, bit) = place(stopover.slot);
            self.held.add(self.width, word, bit);
        }
    }

    /// Releases a position from a stopover. Unless another stopover holds it, it is evaluated again.
    fn release(&mut self, slot: u32, among_draws: bool) {
        if self.stopovers.iter().any(|other| other.slot == slot && other.holds(among_draws)) {
            return;
        }
        let (word, bit) = place(slot);
        self.held.remove(word, bit);
        self.again |= 1 << (word >> self.shift);
    }
}

impl<C: Code> SetSolver<'_, C> {
    /// Evaluates the detours of a row. A detour without a base position is an exit: `exit` receives its code and, for
    /// a draw, whether the player who makes the move and the other player can end it.
    pub(super) fn evaluate_detours(&self, row: &mut RowState<'_, C>, exit: &mut Exit<'_, C>) {
        for SetDetour { slot, like, instead } in self.sets.detours(row.place) {
            let (mut best, mut mover_ends, mut stuck): (Option<C>, _, _) = (None, false, false);
            for (tier, number) in instead {
                let solved_tier = &self.solved[tier.0 as usize];
                let code = solved_tier.code(number).before(false);
                best = best.max(Some(code));
                if code.unpack().is_some_and(|value| value.payoff() == 0) {
                    let (mover, opponent) = solved_tier.ends.seen_before(number, false);
                    mover_ends |= mover;
                    stuck |= !opponent;
                }
            }
            // A detour has exits of its own, and their targets are solved.
            let Some((best, value)) = best.and_then(|best| Some((best, best.unpack()?))) else { continue };
            let Some((like_row, like_slot)) = like else {
                exit(row, slot, best.before(false), (!stuck, mover_ends));
                continue;
            };
            row.stopovers.push(Stopover {
                slot,
                like: (like_row as usize, like_slot),
                payoff: value.payoff(),
                plies: if self.options.distance { value.distance().unwrap_or(0) } else { 0 },
                mover_ends,
                stuck,
                opponent_ends: false,
                state: StopoverState::Open,
            });
        }
        row.hold(false);
    }

    /// Resolves the stopovers that are won or lost after a level and updates the positions with a move to them.
    /// Returns whether some have to be evaluated again.
    pub(super) fn resolve_stopovers(
        &self,
        rows: &mut [RowState<'_, C>],
        (not_won, lost): (&Frontier, &Frontier),
        plies: u32,
    ) -> bool {
        let width = self.sets.width();
        let settle = |row: &mut RowState<'_, C>| {
            for i in 0..row.stopovers.len() {
                let Stopover { slot, like: (like_row, like_slot), state, .. } = row.stopovers[i];
                if state != StopoverState::Open {
                    continue;
                }
                let (word, bit) = place(like_slot);
                let is_in = |front: &Frontier| front.words[like_row * width + word] & bit != 0;
                let Stopover { payoff, plies: own, .. } = row.stopovers[i];
                if !is_in(not_won) || payoff > 0 && own <= plies {
                    row.stopovers[i].state = StopoverState::Won;
                    row.release(slot, false);
                } else if payoff < 0 && is_in(lost) {
                    row.stopovers[i].state = StopoverState::Lost;
                    row.win_later(slot, own.max(plies) + 1);
                }
            }
            row.again != 0
        };
        let again = AtomicBool::new(false);
        threads::parts(rows, ROWS_PER_TASK, &|_, rows| {
            for row in rows.iter_mut().filter(|row| !row.stopovers.is_empty()) {
                again.fetch_or(settle(row), Relaxed);
            }
        });
        again.into_inner()
    }

    /// Initializes the stopovers that are draws.
    pub(super) fn hold_draws(&self, rows: &mut [RowState<'_, C>]) {
        rows.iter_mut().filter(|row| !row.stopovers.is_empty()).for_each(|row| row.hold(true));
    }

    /// Finds which player can end the stopovers that are draws, from the base positions, and updates the positions
    /// with a move to them.
    pub(super) fn resolve_stopover_ends(&self, rows: &mut [RowState<'_, C>], cannot: &mut Frontier) {
        let width = self.sets.width();
        let mut found = Vec::new();
        for row in rows.iter() {
            for (i, stopover) in row.stopovers.iter().enumerate() {
                if stopover.state != StopoverState::Open {
                    continue;
                }
                let (like, (word, bit)) = (&rows[stopover.like.0], place(stopover.like.1));
                // A stopover of a lost base position is a draw by its exits alone.
                let draw = like.open[word] & bit != 0;
                let mover = draw && cannot.words[like.place * width + word] & bit == 0;
                let opponent = !stopover.stuck && (!draw || like.opponent_ends.word(word) & bit != 0);
                let (mover, opponent) = (mover && !stopover.mover_ends, opponent && !stopover.opponent_ends);
                if mover || opponent {
                    found.push((row.place, i, mover, opponent));
                }
            }
        }
        for (r, i, mover, opponent) in found {
            let row = &mut rows[r];
            let slot = row.stopovers[i].slot;
            if mover {
                row.stopovers[i].mover_ends = true;
                row.release(slot, true);
                cannot.moving = true;
            }
            if opponent {
                row.stopovers[i].opponent_ends = true;
                let (word, bit) = place(slot);
                cannot.words[r * width + word] &= !bit;
                cannot.changed[r] |= 1 << (word >> row.shift);
                cannot.moving = true;
            }
        }
    }
}
