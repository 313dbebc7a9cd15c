//! Hypergammon's equity, as the literature has it.

use outplay_core::{Game, Index, Notation, Quiet, Tier};
use outplay_games::hypergammon::{HyperIndex, Hypergammon};
use outplay_solve::{Expected, Settle, chance_rolls};

#[test]
#[ignore = "many minutes"]
fn the_player_who_wins_the_opening_roll_gains() {
    let (game, index) = (Hypergammon, HyperIndex::new());
    let expected: Expected = chance_rolls(&game, &index, Settle::default(), &Quiet).unwrap();
    let start = game.start().unwrap();
    let (tier, number) = index.rank(&start);
    let equity = expected.value(tier, number);
    println!("{equity:.16} after {} rounds, last change {:e}", expected.rounds(), expected.change());
    assert!((equity - 0.083_679_544_470_863_1).abs() < 1e-9, "{equity}");
    assert!(expected.change() <= 1e-13);
    let far = game.read_position("1+off+off 1+off+off A").unwrap();
    assert_eq!(expected.expand(&game, &index, &far), 1.0);
    assert!(expected.values(Tier(1)).iter().filter(|value| !value.is_nan()).all(|value| value.abs() <= 3.0));
}
