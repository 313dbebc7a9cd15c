//! Values of positions that have no rank (such as those with an en passant right), from the stored values of their
//! successors.

use outplay_core::{Game, Index, Tier, Value};

/// The value of a position: the stored one if it has a number, otherwise the best of its moves. `None` if a value is
/// missing, or if a successor has no number either.
///
/// A draw of a position without a number is a tie if every drawing move leads to a tie, and a draw by repetition
/// otherwise.
///
/// # Errors
///
/// Those of `stored`.
pub fn looked_up<G: Game, I: Index<G>, E>(
    game: &G,
    index: &I,
    pos: &G::Position,
    stored: &impl Fn(Tier, u64) -> Result<Option<Value>, E>,
) -> Result<Option<Value>, E> {
    if let Some((tier, number)) = index.find(pos) {
        return stored(tier, number);
    }
    let turn = game.turn(pos);
    if let Some(payoff) = game.outcome(pos) {
        return Ok(Some(Value::new(turn.sees(payoff), 0)));
    }
    let mut moves = Vec::new();
    game.moves(pos, &mut moves);
    let mut best: Option<Value> = None;
    for &mv in &moves {
        let next = game.play(pos, mv);
        let Some((tier, number)) = index.find(&next) else { return Ok(None) };
        let Some(value) = stored(tier, number)? else { return Ok(None) };
        let value = value.before(game.turn(&next) == turn);
        let better = best.is_none_or(|best| best < value || best == Value::TIE && value.is_repetition());
        best = if better { Some(value) } else { best };
    }
    Ok(best)
}
