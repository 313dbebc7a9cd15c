//! The built-in game families.

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
        .with_rules("Two players, x and o, take turns to put a stone on a free cell of a board of three by three. Who first has three in a row, upright, across or on a diagonal, wins; a full board without a row is a tie."),
        Family::new("mnk", "k in a row on a board of any size", mnk).parameters(
            &format!("COLUMNSxROWS, {board} (k is 3 unless given)"),
            "mnk:5x4,k=4,obstacles=c2+d3",
        )
        .with_rules("Two players take turns to put a stone on a free cell. Who first has k or more in a row, upright, across or on a diagonal, wins; a full board without one is a tie. Obstacles are cells on which nothing is ever put and through which no row runs. With gravity stones fall to the lowest free cell of their column; in misère play who completes a row loses."),
        Family::new("connect4", "four in a row, stones fall (7x6 unless given)", mnk)
            .parameters("COLUMNSxROWS, obstacles=…, x=…, o=…, turn=…, misere", "connect4:6x5")
        .with_rules("Two players take turns to drop a stone into a column; it falls to the lowest free cell. Who first has four in a row, upright, across or on a diagonal, wins; a full board is a tie. A move is the number of its column."),
        Family::new("connect", "k in a row, stones fall", mnk).parameters(
            "COLUMNSxROWS, k=… (4 unless given), obstacles=…, x=…, o=…, turn=…, misere",
            "connect:9x7,k=5",
        )
        .with_rules("Two players take turns to drop a stone into a column; it falls to the lowest free cell. Who first has k in a row, upright, across or on a diagonal, wins; a full board is a tie. A move is the number of its column."),
        Family::new("nim", "take matches from a pile; who takes the last one loses", |spec| {
            Ok(GameBuilder::new(Nim::from_spec(spec)?).acyclic().build())
        })
        .parameters("PILES joined by +, normal (who takes the last match wins); the move 3-2 takes 2 matches from a pile of 3, a position is written `1+2 A`", "nim:3+4+5")
        .with_rules("Two players take turns to take matches from piles: any number, at least one, all from the same pile. Who takes the last match loses; in the normal form who takes it wins."),
        Family::new("chess", "chess endings: mate with few men", |spec| {
            Ok(GameBuilder::new(Chess::from_spec(spec)?).cyclic_index(ChessIndex::new).build())
        })
        .parameters("MEN such as KQKR (up to five men, kings included), or all3, all4 for all endings of so many men and fewer; a position is a FEN, a move e2e4, a7a8q or Nxd5; no castling, no 50-move rule", "chess:KQKR --position '8/8/3k4/8/8/2r5/8/K6Q w'")
        .inferred(|fen| Ok(format!("chess:{}", ending_of(fen)?)))
        .with_rules("Chess with few men on the board, by the rules of chess but for castling and the 50-move rule: who mates wins, stalemate and bare kings are draws. An ending has no start; give a position as a FEN, from which the ending is known as well: outplay show chess --position FEN."),
        Family::new("morris", "three, six, nine men's morris: place men, then move them; a line wins or takes a man", |spec| {
            let game = Morris::from_spec(spec)?;
            Ok(match game.has_endings() {
                true => GameBuilder::new(game).cyclic_index(EndingIndex::new).build(),
                false => GameBuilder::new(game).cyclic_index(MorrisIndex::to_solve).build(),
            })
        })
        .parameters("three, tapatan, six or nine; lines=6|8 (three), men=3…6, flying (six), men=3+3…9+9 (endings of nine), flying=off (nine); a move is b2, a1-a4 or a1-a4xd1, a position its rows from the top, x or o to move and the number of men placed", "morris:three,lines=6")
        .with_rules("First each player in turn puts a man on a free point, then each moves a man along a line to a free neighbour. In three men's morris and tapatan who has three men in a line wins; in six and nine men's morris who makes a line takes a man of the opponent's, not out of a line unless all are in lines, and who is left with two men, or cannot move, loses. In nine men's morris a player with three men moves to any free point, unless flying=off. Play can go round in circles: what nobody can end is a draw."),
        Family::new("pig", "roll a die for points as often as you dare; a 1 loses those of the turn", |spec| {
            Ok(GameBuilder::new(Pig::from_spec(spec)?).rolls_index(PigIndex::new).build())
        })
        .parameters("GOAL (100 unless given); moves are roll, hold and the number rolled, a position is `12-30 A 7`", "pig:100")
        .with_rules("A player rolls a die as often as they dare: every number but 1 is added to the points of the turn, a 1 loses them and ends the turn. Who holds keeps the points of the turn. Who first has the goal wins."),
        Family::new("piglet", "Pig with a coin: heads adds a point, tails loses those of the turn", |spec| {
            Ok(GameBuilder::new(Pig::from_spec(spec)?).rolls_index(PigIndex::new).build())
        })
        .parameters("GOAL (10 unless given); moves are roll, hold, heads and tails", "piglet:3")
        .with_rules("A player tosses a coin as often as they dare: heads adds a point to those of the turn, tails loses them and ends the turn. Who holds keeps them. Who first has the goal wins."),
        Family::new("einstein", "EinStein würfelt nicht!: cubes race, the die says which one", |spec| {
            Ok(GameBuilder::new(Einstein::from_spec(spec)?).chance().build())
        })
        .parameters("3x3, 4x4 or 5x5 (unless given); a position is `12./3.c/.ba A 2`, the 2 having been rolled, a move 2-b2", "einstein:3x3")
        .with_rules("Each player has cubes with numbers in a corner of the board. A die says which cube moves, or its nearest neighbours if it is gone: one step straight or diagonally towards the opposite corner, taking whatever stands there. Who reaches that corner or takes all the opponent's cubes wins."),
        Family::new("hypergammon", "backgammon with three checkers, gammons and backgammons counted", |spec| {
            Ok(GameBuilder::new(Hypergammon::from_spec(spec)?).rolls_index(|_| HyperIndex::new()).build())
        })
        .parameters("none; a position is `24+23+22 bar+6+off A 3-1`, each side's checkers counted from its own home, a move 24/21+23/22*22", "hypergammon")
        .with_rules("Backgammon with three checkers a side, which start on the 24, 23 and 22 points. Two dice are rolled and played as far as possible, doubles four times; a single checker that is hit begins again from the bar. Who bears off all checkers first wins 1, 2 (gammon: the opponent has borne off none) or 3 (backgammon: and has one on the bar or in the winner's home)."),
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
