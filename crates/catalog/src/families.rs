//! The games that outplay comes with.

use crate::handle::GameHandle;
use crate::{Entry, Family};
use outplay_core::InputError;
use outplay_games::Spec;
use outplay_games::mnk::{LargeMnk, Mnk, MnkIndex, Rules, tier_sizes};
use outplay_games::nim::Nim;

pub(crate) fn standard() -> Vec<Family> {
    let board = "k=…, obstacles=a1+b2, x=…, o=…, turn=x|o, gravity, misere";
    vec![
        Family::new("tictactoe", "three in a row on 3x3", mnk)
            .parameters("obstacles=…, x=…, o=…, turn=…, gravity, misere", "tictactoe"),
        Family::new("mnk", "k in a row on a board of any size", mnk).parameters(
            &format!("COLUMNSxROWS, {board} (k is 3 unless given)"),
            "mnk:5x4,k=4,obstacles=c2+d3",
        ),
        Family::new("connect4", "four in a row, stones fall (7x6 unless given)", mnk)
            .parameters("COLUMNSxROWS, obstacles=…, x=…, o=…, turn=…, misere", "connect4:6x5"),
        Family::new("connect", "k in a row, stones fall", mnk).parameters(
            "COLUMNSxROWS, k=… (4 unless given), obstacles=…, x=…, o=…, turn=…, misere",
            "connect:9x7,k=5",
        ),
        Family::new("nim", "take matches from a pile; who takes the last one loses", |spec| {
            Ok(Box::new(Entry::new(Nim::from_spec(spec)?)))
        })
        .parameters("PILES joined by +, normal (who takes the last match wins); the move 3-2 takes 2 matches from a pile of 3, a position is written `1+2 A`", "nim:3+4+5"),
    ]
}

/// The smallest form of board that holds the game.
fn mnk(spec: Spec) -> Result<Box<dyn GameHandle>, InputError> {
    let rules = Rules::from_spec(spec)?;
    let sizes = tier_sizes(&rules);
    if let Some(game) = Mnk::<u64>::new(rules.clone()) {
        return Ok(Box::new(Entry::new(game).lines().sizes(sizes).indexed(MnkIndex::new)));
    }
    if let Some(game) = Mnk::<u128>::new(rules.clone()) {
        return Ok(Box::new(Entry::new(game).lines().sizes(sizes).indexed(MnkIndex::new)));
    }
    Ok(Box::new(Entry::new(LargeMnk::new(rules)).lines().sizes(sizes)))
}
