//! Value source `theory` (see `ladder`): values by theorem or one-ply lookahead.
//!
//! ```text
//!  a win with the next move · nim-sums · boards without open lines · pairing strategies for both players
//! ```

use super::board::provable;
use crate::{Cost, ProvenValue, Question, Source, SourceResult, Trouble, ValueSource, between};
use outplay_core::{AnyMove, Content, Game, LineBoard, Turn, Value};

/// Limit on the moves of a one-ply lookahead.
const MOVES: usize = 400;

/// Cells of the largest board whose lines are listed.
const CELLS: usize = 4096;

/// Limits of the pairing search: pairs that are tried, and cells of the largest board. The proof search tries longer.
const PAIRS: u32 = 500;
const PAIRED: usize = 64;

/// Size (positions times moves) up to which memoisation is preferred to a theorem, which gives no distance.
const REMEMBERED: f64 = 2e7;

/// Theorems, and a one-ply lookahead.
pub(crate) struct TheorySource;

impl ValueSource for TheorySource {
    fn cost(&self, ask: &Question<'_>) -> Cost {
        Cost::free_if(!ask.handle.game().has_dice())
    }

    fn value(&self, ask: &Question<'_>) -> Result<Option<SourceResult>, Trouble> {
        let game = ask.handle.game();
        if let Some(payoff) = game.theory(ask.pos) {
            // A small game is memoised, which gives distances as well. Its size is that of the whole game, so that
            // all of its positions are valued in the same way.
            let moves = game.start().map_or(0, |start| game.list(&start).count());
            let work = game.most_positions().map(|positions| positions * moves as f64);
            if ask.verdict || work.is_none_or(|work| work > REMEMBERED) {
                return Ok(Some(SourceResult::new(
                    ProvenValue::Exact(Value::untimed(payoff)),
                    Source::Theory,
                )));
            }
            return Ok(None);
        }
        let board = game.board(ask.pos).filter(|board| board.cells.len() <= CELLS);
        let moves: Vec<AnyMove> = game.list(ask.pos).collect();
        if moves.len() <= MOVES {
            let (turn, most) = (game.turn(ask.pos), game.best_payoff());
            let wins =
                |mv: &AnyMove| game.outcome(&game.play(ask.pos, *mv)).map(|p| turn.sees(p)) == Some(most);
            let best: Vec<AnyMove> = moves.into_iter().filter(wins).collect();
            if !best.is_empty() {
                let proven = ProvenValue::Exact(Value::new(most, 1));
                return Ok(Some(SourceResult { best, ..SourceResult::new(proven, Source::Rules) }));
            }
        }
        let Some(board) = board else { return Ok(None) };
        let (mut low, mut high) = (-1, 1);
        for player in [Turn::First, Turn::Second] {
            if !can_end(ask, &board, player) {
                // A player who can complete no line cannot win by lines, nor lose by them in misère play.
                let gains = (player == board.turn) != board.misere;
                if gains { high = 0 } else { low = 0 }
            }
        }
        let proven = between(low, high);
        Ok((proven != ProvenValue::Between(-1, 1)).then(|| SourceResult::new(proven, Source::Theory)))
    }
}

/// Whether a player could ever complete a line, as far as open lines and pairings show.
fn can_end(ask: &Question<'_>, board: &LineBoard, player: Turn) -> bool {
    let theirs = if player == Turn::First { Content::Second } else { Content::First };
    let free = |line: &Vec<usize>| line.iter().all(|&cell| board.cells[cell] != theirs);
    if !board.lines().iter().any(free) {
        return false;
    }
    // Pairings stop a player who wants lines; in misère play neither player does.
    let paired = board.cells.len() <= PAIRED && provable(ask.handle, ask.pos).is_some();
    !paired || outplay_proof::pairing(board, player, PAIRS).is_none()
}
