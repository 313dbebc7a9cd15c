//! The games that outplay comes with.

use crate::Family;
use outplay_answer::Entry;
use outplay_core::{InputError, Native};
use outplay_games::Spec;
use outplay_games::chess::{Chess, ChessIndex, ending_of};
use outplay_games::einstein::Einstein;
use outplay_games::hypergammon::{HyperIndex, Hypergammon};
use outplay_games::mnk::{LargeMnk, Mnk, MnkIndex, Rules, tier_sizes};
use outplay_games::morris::{Morris, MorrisIndex};
use outplay_games::nim::Nim;
use outplay_games::pig::Pig;

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
            Ok(Entry::acyclic(Native::new(Nim::from_spec(spec)?), None))
        })
        .parameters("PILES joined by +, normal (who takes the last match wins); the move 3-2 takes 2 matches from a pile of 3, a position is written `1+2 A`", "nim:3+4+5"),
        Family::new("chess", "chess endings: mate with few men", |spec| {
            Ok(Entry::cyclic(Chess::from_spec(spec)?, ChessIndex::new))
        })
        .parameters("MEN such as KQKR (up to five men, kings included), or all3, all4 for all endings of so many men and fewer; a position is a FEN, a move e2e4, a7a8q or Nxd5; no castling, no 50-move rule", "chess:KQKR --position '8/8/3k4/8/8/2r5/8/K6Q w'")
        .inferred(|fen| Ok(format!("chess:{}", ending_of(fen)?))),
        Family::new("morris", "three, six men's morris: place men, then move them; a line wins or takes a man", |spec| {
            Ok(Entry::cyclic(Morris::from_spec(spec)?, MorrisIndex::to_solve))
        })
        .parameters("three, tapatan or six; lines=6|8 (three), men=3…6, flying (six); a move is b2, a1-a4 or a1-a4xd1, a position its rows from the top, x or o to move and the number of men placed", "morris:three,lines=6"),
        Family::new("pig", "roll a die for points as often as you dare; a 1 loses those of the turn", |spec| {
            Ok(Entry::dice(Pig::from_spec(spec)?))
        })
        .parameters("GOAL (100 unless given); moves are roll, hold and the number rolled, a position is `12-30 A 7`", "pig:100"),
        Family::new("piglet", "Pig with a coin: heads adds a point, tails loses those of the turn", |spec| {
            Ok(Entry::dice(Pig::from_spec(spec)?))
        })
        .parameters("GOAL (10 unless given); moves are roll, hold, heads and tails", "piglet:3"),
        Family::new("einstein", "EinStein würfelt nicht!: cubes race, the die says which one", |spec| {
            Ok(Entry::dice(Einstein::from_spec(spec)?))
        })
        .parameters("3x3, 4x4 or 5x5 (unless given); a position is `12./3.c/.ba A 2`, the 2 having been rolled, a move 2-b2", "einstein:3x3"),
        Family::new("hypergammon", "backgammon with three checkers, gammons and backgammons counted", |spec| {
            Ok(Entry::rolls(Hypergammon::from_spec(spec)?, |_| HyperIndex::new()))
        })
        .parameters("none; a position is `24+23+22 bar+6+off A 3-1`, each side's checkers counted from its own home, a move 24/21+23/22*22", "hypergammon"),
    ]
}

/// The smallest form of board that holds the game.
fn mnk(spec: Spec) -> Result<Entry, InputError> {
    let rules = Rules::from_spec(spec)?;
    let sizes = Some(tier_sizes(&rules));
    if let Some(game) = Mnk::<u64>::new(rules.clone()) {
        return Ok(Entry::indexed(Native::new(game).lines(), MnkIndex::new, sizes));
    }
    if let Some(game) = Mnk::<u128>::new(rules.clone()) {
        return Ok(Entry::indexed(Native::new(game).lines(), MnkIndex::new, sizes));
    }
    Ok(Entry::acyclic(Native::new(LargeMnk::new(rules)).lines(), sizes))
}
