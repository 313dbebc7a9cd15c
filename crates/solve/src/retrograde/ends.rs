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

use super::back::{Back, SAME_PLAYER};
use super::bits::Bits;
use super::tier::TierSolver;
use super::words::{Seen, Words};
use outplay_core::{Code, Game, Index, Link};

/// The draws of a tier that the player to move, or the opponent, can force an end of.
#[derive(Debug, Default)]
pub(super) struct Ends {
    mover: Bits,
    opponent: Bits,
}

impl Ends {
    /// Whether one of the players can force an end.
    #[inline]
    pub(super) fn any(&self, number: u64) -> bool {
        self.mover.has(number) || self.opponent.has(number)
    }
}

/// Finds the sets from finished ties and from moves to ties of later tiers, backwards.
pub(super) fn find<G: Game, I: Index<G>, B: Back<G>, C: Code>(
    solver: &TierSolver<'_, G, I, B, C>,
    words: &Words,
    ties: &[u32],
    leads_to_end: &[u32],
) -> Ends {
    if ties.is_empty() && leads_to_end.is_empty() {
        return Ends::default();
    }
    let ends = Ends { mover: Bits::new(words.len()), opponent: Bits::new(words.len()) };
    let mut open: Vec<u64> = leads_to_end.iter().map(|&n| n.into()).collect();
    let (mut before, mut links) = (Vec::new(), Vec::new());
    for &n in ties {
        ends.mover.insert(n.into());
        ends.opponent.insert(n.into());
        solver.back.before(n.into(), &mut before);
    }
    open.extend(before.iter().map(|mark| mark & !SAME_PLAYER));
    while let Some(n) = open.pop() {
        if words.at(n) != Seen::Open || (ends.mover.has(n) && ends.opponent.has(n)) {
            continue;
        }
        let Some(pos) = solver.index.unrank(solver.tier, n) else { continue };
        links.clear();
        solver.index.links(solver.game, &pos, &mut links);
        let by_mover = links.iter().any(|link| look(solver, words, &ends, link).mover_ends);
        let by_opponent = links.iter().all(|link| look(solver, words, &ends, link).opponent_ends);
        let fresh_mover = by_mover && ends.mover.insert(n);
        let fresh_opponent = by_opponent && ends.opponent.insert(n);
        if fresh_mover || fresh_opponent {
            before.clear();
            solver.back.before(n, &mut before);
            open.extend(before.iter().map(|mark| mark & !SAME_PLAYER));
        }
    }
    ends
}

/// A move, as the two players of the position before it see it.
struct Look {
    mover_ends: bool,
    opponent_ends: bool,
}

fn look<G: Game, I: Index<G>, B: Back<G>, C: Code>(
    solver: &TierSolver<'_, G, I, B, C>,
    words: &Words,
    ends: &Ends,
    link: &Link,
) -> Look {
    let n = link.number;
    let (drawn, ends) = if link.tier == solver.tier {
        (matches!(words.at(n), Seen::Open | Seen::Tie), ends)
    } else {
        let shelf = &solver.solved[link.tier.0 as usize];
        (shelf.value(n).is_some_and(|value| value.payoff() == 0), &shelf.ends)
    };
    if !drawn {
        // From a drawn position, a move to a decided one can only lose.
        return Look { mover_ends: false, opponent_ends: true };
    }
    let (mut mover_ends, mut opponent_ends) = (ends.opponent.has(n), ends.mover.has(n));
    if link.same_player {
        std::mem::swap(&mut mover_ends, &mut opponent_ends);
    }
    Look { mover_ends, opponent_ends }
}
