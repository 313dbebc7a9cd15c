//! The built-in game families: the name, parameters, rules text and constructor of each.

use crate::Family;
use outplay_core::InputError;
use outplay_games::Spec;
use outplay_games::chess::{Chess, ChessIndex, ending_of};
use outplay_games::einstein::Einstein;
use outplay_games::hypergammon::{HyperIndex, Hypergammon};
use outplay_games::mnk::{LargeMnk, Mnk, MnkIndex, Rules, tier_sizes};
use outplay_games::morris::{EndingIndex, Morris, MorrisIndex};
use outplay_games::nim::Nim;
use outplay_games::pig::{Pig, PigIndex};
use outplay_workbench::{GameBuilder, GameHandle, TierSizes};

pub(crate) fn standard() -> Vec<Family> {
    let board = "k=…, obstacles=a1+b2, x=…, o=…, turn=x|o, gravity, misere";
    vec![
        Family::new("tictactoe", "three in a row on 3x3", mnk)
            .parameters("obstacles=…, x=…, o=…, turn=…, gravity, misere", "tictactoe")
        .with_rules("Two players, x and o, take turns to place a stone on a free cell of a 3x3 board. The first player with three in a row, vertically, horizontally or diagonally, wins; a full board without a row is a tie."),
        Family::new("mnk", "k in a row on a board of any size", mnk).parameters(
            &format!("COLUMNSxROWS, {board} (default k=3)"),
            "mnk:5x4,k=4,obstacles=c2+d3",
        )
        .with_rules("Two players take turns to place a stone on a free cell. The first player with k or more in a row, vertically, horizontally or diagonally, wins; a full board without such a row is a tie. No stone is placed on an obstacle, and no row runs through it. With gravity, stones fall to the lowest free cell of their column. In misère play, the player who completes a row loses."),
        Family::new("connect4", "four in a row, stones fall (default 7x6)", mnk)
            .parameters("COLUMNSxROWS, obstacles=…, x=…, o=…, turn=…, misere", "connect4:6x5")
        .with_rules("Two players take turns to drop a stone into a column; it falls to the lowest free cell. The first player with four in a row, vertically, horizontally or diagonally, wins; a full board is a tie. A move is the number of its column."),
        Family::new("connect", "k in a row, stones fall", mnk).parameters(
            "COLUMNSxROWS, k=… (default 4), obstacles=…, x=…, o=…, turn=…, misere",
            "connect:9x7,k=5",
        )
        .with_rules("Two players take turns to drop a stone into a column; it falls to the lowest free cell. The first player with k in a row, vertically, horizontally or diagonally, wins; a full board is a tie. A move is the number of its column."),
        Family::new("nim", "take matches from a pile; taking the last one loses", |spec| {
            Ok(GameBuilder::new(Nim::from_spec(spec)?).acyclic().build())
        })
        .parameters("PILES joined by +, normal (taking the last match wins); the move 3-2 takes 2 matches from a pile of 3, a position is `1+2 A`", "nim:3+4+5")
        .with_rules("Two players take turns to take matches from piles: any number, at least one, all from the same pile. The player who takes the last match loses; with `normal`, that player wins."),
        Family::new("chess", "chess endings with up to five men", |spec| {
            Ok(GameBuilder::new(Chess::from_spec(spec)?).cyclic_index(ChessIndex::new).build())
        })
        .parameters("MEN such as KQKR (up to five men, kings included), or all3, all4 for all endings of up to three or four men; a position is a FEN, a move is e2e4, a7a8q or Nxd5; no castling, no 50-move rule", "chess:KQKR --position '8/8/3k4/8/8/2r5/8/K6Q w'")
        .inferred(|fen| Ok(format!("chess:{}", ending_of(fen)?)))
        .with_rules("Chess with few men on the board, by the rules of chess without castling and the 50-move rule: checkmate wins, stalemate and bare kings are draws. An ending has no start position; give one as a FEN, which also determines the ending: outplay show chess --position FEN."),
        Family::new("morris", "three, six and nine men's morris: place men, then move them; a line wins or captures a man", |spec| {
            let game = Morris::from_spec(spec)?;
            Ok(match game.has_endings() {
                true => GameBuilder::new(game).cyclic_index(EndingIndex::new).build(),
                false => GameBuilder::new(game).cyclic_index(MorrisIndex::to_solve).build(),
            })
        })
        .parameters("three, tapatan, six or nine; lines=6|8 (three), men=3…6, flying (six), men=3+3…9+9 (endings of nine), flying=off (nine); a move is b2, a1-a4 or a1-a4xd1, a position is its rows from the top, x or o to move and the number of men placed", "morris:three,lines=6")
        .with_rules("The players take turns: first each places a man on a free point; when all men are placed, each moves a man along a line to a free neighbouring point. In three men's morris and tapatan, a player with three men in a line wins. In six and nine men's morris, a player who completes a line captures one of the opponent's men, but not from a line unless all are in lines; a player who is left with two men or cannot move loses. In nine men's morris, a player with three men moves to any free point, unless flying=off. The game has cycles: a position in which neither player can force an end is a draw."),
        Family::new("pig", "roll a die for points, or hold to keep them; a 1 loses the points of the turn", |spec| {
            Ok(GameBuilder::new(Pig::from_spec(spec)?).rolls_index(PigIndex::new).build())
        })
        .parameters("GOAL (default 100); moves are roll, hold and the number rolled, a position is `12-30 A 7`", "pig:100")
        .with_rules("The player to move rolls a die as often as they like: every number but 1 is added to the points of the turn, a 1 loses them and ends the turn. A player who holds keeps the points of the turn and ends it. The first player to reach the goal wins."),
        Family::new("piglet", "Pig with a coin: heads adds a point, tails loses the points of the turn", |spec| {
            Ok(GameBuilder::new(Pig::from_spec(spec)?).rolls_index(PigIndex::new).build())
        })
        .parameters("GOAL (default 10); moves are roll, hold, heads and tails", "piglet:3")
        .with_rules("The player to move tosses a coin as often as they like: heads adds a point to those of the turn, tails loses them and ends the turn. A player who holds keeps the points of the turn and ends it. The first player to reach the goal wins."),
        Family::new("einstein", "EinStein würfelt nicht!: numbered cubes race, a die selects the cube to move", |spec| {
            Ok(GameBuilder::new(Einstein::from_spec(spec)?).chance().build())
        })
        .parameters("3x3, 4x4 or 5x5 (default); a position is `12./3.c/.ba A 2` after a roll of 2, a move is 2-b2", "einstein:3x3")
        .with_rules("Each player has numbered cubes in a corner of the board. A die selects the cube to move; if that cube is gone, a cube with the next lower or next higher number moves. A cube moves one step straight or diagonally towards the opposite corner and captures any cube there. The first player to reach that corner or to capture all of the opponent's cubes wins."),
        Family::new("hypergammon", "backgammon with three checkers a side; gammons and backgammons count", |spec| {
            Ok(GameBuilder::new(Hypergammon::from_spec(spec)?).rolls_index(|_| HyperIndex::new()).build())
        })
        .parameters("none; a position is `24+23+22 bar+6+off A 3-1`, each side's checkers counted from its own home, a move is 24/21+23/22*22", "hypergammon")
        .with_rules("Backgammon with three checkers a side, which start on the 24, 23 and 22 points. Two dice are rolled and played as far as possible, doubles four times; a single checker that is hit re-enters from the bar. The first player to bear off all checkers wins 1, 2 (gammon: the opponent has borne off none) or 3 (backgammon: the opponent also has a checker on the bar or in the winner's home)."),
    ]
}

/// Builds an m,n,k game on the smallest board representation that holds it: 64 bits, 128 bits or a byte per cell.
fn mnk(spec: Spec) -> Result<GameHandle, InputError> {
    let rules = Rules::from_spec(spec)?;
    let sizes = tier_sizes(&rules).map_or(TierSizes::Beyond, TierSizes::Known);
    if let Some(game) = Mnk::<u64>::new(rules.clone()) {
        return Ok(GameBuilder::new(game).lines().index(MnkIndex::new).tier_sizes(sizes).build());
    }
    if let Some(game) = Mnk::<u128>::new(rules.clone()) {
        return Ok(GameBuilder::new(game).lines().index(MnkIndex::new).tier_sizes(sizes).build());
    }
    Ok(GameBuilder::new(LargeMnk::new(rules)).lines().acyclic().tier_sizes(sizes).build())
}
