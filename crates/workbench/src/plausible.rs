//! Plausibility check of a stored value against the rules: the legal moves of its position, and those of them that end
//! the game.
//!
//! A value from a file is exact only if its writer was correct and the file is intact. This check assumes neither, and
//! detects values that contradict the rules. It plays each move once.

use outplay_core::{AnyGame, AnyMove, AnyPosition, Content, Game, Turn, Value};

/// Limit on the successors that are checked; positions with more moves are checked in part.
const LOOKED_AT: usize = 4096;

/// The longest distance that is accepted if the rules give no bound.
const LONGEST: u32 = 1 << 24;

/// Whether a value and its best moves agree with the rules. `loops` is whether the game is cyclic, where that is
/// known.
pub(crate) fn is_plausible(
    game: &AnyGame,
    loops: Option<bool>,
    pos: &AnyPosition,
    value: Value,
    best: &[AnyMove],
) -> bool {
    let turn = game.turn(pos);
    if game.has_dice() || turn == Turn::Chance || game.outcome(pos).is_some() {
        return false;
    }
    let payoff = value.payoff();
    let in_range = payoff.unsigned_abs() <= game.best_payoff().unsigned_abs();
    let repeats = !value.is_repetition() || loops != Some(false);
    let theory = game.theory(pos).is_none_or(|known| known == payoff);
    let distance = value.distance().is_none_or(|plies| is_possible(game, pos, payoff, plies));
    in_range && repeats && theory && distance && agrees_with_moves(game, pos, turn, value, best)
}

/// Whether a win or a loss in `plies` plies is possible.
fn is_possible(game: &AnyGame, pos: &AnyPosition, payoff: i32, plies: u32) -> bool {
    let Some(board) = game.board(pos) else {
        let most = game.most_positions().map_or(LONGEST, |most| most.min(f64::from(LONGEST)) as u32);
        return (1..=most).contains(&plies);
    };
    // Each ply fills a cell, and the last one completes a line: the winner's or, in misère play, the loser's.
    let empty = board.cells.iter().filter(|cell| **cell == Content::Empty).count();
    let mover_is_last = (payoff > 0) != board.misere;
    plies >= 1 && plies as usize <= empty && (plies % 2 == 1) == mover_is_last
}

/// Whether a value agrees with those of the moves that end the game.
fn agrees_with_moves(game: &AnyGame, pos: &AnyPosition, turn: Turn, value: Value, best: &[AnyMove]) -> bool {
    let payoff = value.payoff();
    let (mut moves, mut open, mut top) = (0, false, None);
    for mv in game.list(pos) {
        moves += 1;
        if moves > LOOKED_AT {
            return true;
        }
        match game.outcome(&game.play(pos, mv)).map(|outcome| turn.sees(outcome)) {
            // No move is worth more than the position, and the best ones are worth as much.
            Some(own) if own > payoff || best.contains(&mv) && own != payoff => return false,
            Some(own) => top = top.max(Some(own)),
            None => open = true,
        }
    }
    // The winner takes the shortest win.
    let at_once = payoff > 0 && top == Some(payoff);
    let soonest = value.distance().is_none_or(|plies| (plies == 1) == at_once || payoff < 0);
    // If every move ends the game, the best of them is the value.
    let last = open
        || top == Some(payoff) && !value.is_repetition() && value.distance().is_none_or(|plies| plies == 1);
    soonest && last
}
