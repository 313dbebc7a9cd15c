//! Playouts are legal, unbiased and reproducible.

use crate::common;

use common::Graph;
use outplay_core::{Game, Turn};
use outplay_games::mnk::{Mnk, Rules};
use outplay_runtime::{Monitor, NoMonitor};
use outplay_search::{PlayoutOptions, Playouts, SearchError, playouts};

fn board(spec: &str) -> Mnk<u64> {
    Mnk::new(Rules::parse(spec).unwrap()).unwrap()
}

/// Exact result probabilities of random play, by traversing the whole tree.
fn chances(game: &Mnk<u64>, pos: &<Mnk<u64> as Game>::Position) -> [f64; 3] {
    if let Some(payoff) = game.outcome(pos) {
        return [1, 0, -1].map(|end| f64::from(u8::from(payoff == end)));
    }
    let mut moves = Vec::new();
    game.moves(pos, &mut moves);
    let mut sum = [0.0; 3];
    for &mv in &moves {
        let after = chances(game, &game.play(pos, mv));
        for (sum, chance) in sum.iter_mut().zip(after) {
            *sum += chance / moves.len() as f64;
        }
    }
    sum
}

#[test]
fn results_match_their_probabilities() {
    for spec in ["tictactoe", "connect:3x3,k=3", "mnk:3x3,k=3,misere"] {
        let game = board(spec);
        let start = game.start().unwrap();
        let expected = chances(&game, &start);
        let games = 200_000;
        let played = playouts(&game, &start, PlayoutOptions::games(games), &NoMonitor).unwrap();
        assert_eq!((played.games(), played.unfinished), (games, 0));
        assert_eq!(played.payoff, played.won as i64 - played.lost as i64);
        for (count, chance) in [played.won, played.tied, played.lost].into_iter().zip(expected) {
            // Five standard deviations.
            let slack = 5.0 * (chance * (1.0 - chance) / games as f64).sqrt();
            assert!((count as f64 / games as f64 - chance).abs() <= slack, "{spec}: {played:?} {expected:?}");
        }
    }
}

#[test]
fn equal_seeds_give_equal_games() {
    let game = board("connect4");
    let start = game.start().unwrap();
    let play = |seed| {
        playouts(&game, &start, PlayoutOptions { seed, ..PlayoutOptions::games(1000) }, &NoMonitor).unwrap()
    };
    assert_eq!(play(7), play(7));
    assert_ne!(play(7), play(8));
}

/// Monitor that stops at once.
struct Never;

impl Monitor for Never {
    fn stage(&self, _name: &str, _total: u64) {}
    fn advance(&self, _units: u64) {}
    fn stopped(&self) -> bool {
        true
    }
}

#[test]
fn limits_of_random_games() {
    let game = board("connect4");
    let start = game.start().unwrap();
    let short = PlayoutOptions { plies: 5, ..PlayoutOptions::games(100) };
    let played = playouts(&game, &start, short, &NoMonitor).unwrap();
    assert_eq!(played, Playouts { unfinished: 100, plies: 500, ..Playouts::default() });
    assert_eq!(played.mean(), 0.0);
    assert_eq!(playouts(&game, &start, short, &Never).unwrap(), Playouts::default());
    let dice = Graph { turns: vec![Turn::Chance; 4].into(), ..Graph::new(3, 4, 2, 1, true) };
    assert_eq!(playouts(&dice, &0, short, &NoMonitor), Err(SearchError::Chance));
}
