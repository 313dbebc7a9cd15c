//! What a theorem or one look tells.
//!
//! ```text
//!  a win with the next move · nim-sums · nobody can make a line any more · pairs that stop both players
//! ```

use super::board::provable;
use crate::Trouble;
use crate::answers::Source;
use crate::ladder::{Ask, Cost, Known, Rung, Worth, between};
use outplay_core::{AnyMove, Content, Game, LineBoard, Turn, Value};

/// Positions with more moves than this are not looked at move by move.
const MOVES: usize = 400;

/// Cells of the largest board whose lines are listed.
const CELLS: usize = 4096;

/// Pairs that are tried before no pairing is told, and cells of the largest board on which that takes a moment: the
/// proof search tries longer.
const PAIRS: u32 = 500;
const PAIRED: usize = 64;

/// Positions times moves that are remembered one by one rather than judged by a theorem that knows no distance.
const REMEMBERED: f64 = 2e7;

/// Theorems, and a look at the next move.
pub(super) struct Theorem;

impl Rung for Theorem {
    fn cost(&self, ask: &Ask<'_>) -> Cost {
        if ask.entry.game().has_dice() { Cost::Never } else { Cost::Free }
    }

    fn value(&self, ask: &Ask<'_>) -> Result<Option<Known>, Trouble> {
        let game = ask.entry.game();
        if let Some(payoff) = game.theory(ask.pos) {
            // A small game is remembered, which tells how soon as well. How much there is to remember goes by the game,
            // so that its positions are all told in the same way.
            let moves = game.start().map_or(0, |start| game.list(&start).count());
            let work = game.most_positions().map(|positions| positions * moves as f64);
            if ask.verdict || work.is_none_or(|work| work > REMEMBERED) {
                return Ok(Some(Known::new(Worth::Exact(Value::untimed(payoff)), Source::Theory)));
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
                let worth = Worth::Exact(Value::new(most, 1));
                return Ok(Some(Known { best, ..Known::new(worth, Source::Rules) }));
            }
        }
        let Some(board) = board else { return Ok(None) };
        let (mut low, mut high) = (-1, 1);
        for player in [Turn::First, Turn::Second] {
            if !can_end(ask, &board, player) {
                // Whoever can make no line wins nothing by lines, and loses nothing by them where lines lose.
                let gains = (player == board.turn) != board.misere;
                if gains { high = 0 } else { low = 0 }
            }
        }
        let worth = between(low, high);
        Ok((worth != Worth::Between(-1, 1)).then(|| Known::new(worth, Source::Theory)))
    }
}

/// Whether a player could ever make a line, as far as lines and pairs tell.
fn can_end(ask: &Ask<'_>, board: &LineBoard, player: Turn) -> bool {
    let theirs = if player == Turn::First { Content::Second } else { Content::First };
    let free = |line: &Vec<usize>| line.iter().all(|&cell| board.cells[cell] != theirs);
    if !board.lines().iter().any(free) {
        return false;
    }
    // Pairs stop whoever wants lines; where lines lose, nobody does.
    let paired = board.cells.len() <= PAIRED && provable(ask.entry, ask.pos).is_some();
    !paired || outplay_proof::pairing(board, player, PAIRS).is_none()
}
