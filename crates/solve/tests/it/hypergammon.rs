//! Hypergammon's equity, as the literature has it.

use outplay_core::{Game, Index, Notation, Quiet, Rolls, Tier, Turn};
use outplay_games::hypergammon::{HyperIndex, Hypergammon};
use outplay_solve::{Expected, Settle, chance_rolls, verify_rolls};

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
    // The interval of every position is narrow.
    let bound = expected.bound().expect("backgammon ends with certainty");
    println!("no mean is further than {bound:e} from the exact one");
    assert!(2.0 * bound <= 1e-12, "{bound:e}");
    let far = game.read_position("1+off+off 1+off+off A").unwrap();
    assert_eq!(expected.expand(&game, &index, &far), 1.0);
    assert!(expected.values(Tier(1)).iter().filter(|value| !value.is_nan()).all(|value| value.abs() <= 3.0));
}

type Race = <Hypergammon as Game>::Position;

/// The tiers from one on, as if there were no others.
struct From(HyperIndex, u32);

impl Index<Hypergammon> for From {
    fn tiers(&self) -> u32 {
        self.0.tiers() - self.1
    }
    fn after(&self, tier: Tier) -> Vec<Tier> {
        self.0.after(Tier(tier.0 + self.1)).into_iter().map(|later| Tier(later.0 - self.1)).collect()
    }
    fn loops(&self, tier: Tier) -> bool {
        self.0.loops(Tier(tier.0 + self.1))
    }
    fn len(&self, tier: Tier) -> u64 {
        self.0.len(Tier(tier.0 + self.1))
    }
    fn rank(&self, pos: &Race) -> (Tier, u64) {
        let (tier, number) = self.0.rank(pos);
        (Tier(tier.0 - self.1), number)
    }
    fn unrank(&self, tier: Tier, number: u64) -> Option<Race> {
        self.0.unrank(Tier(tier.0 + self.1), number)
    }
    fn merged(&self) -> bool {
        true
    }
}

impl Rolls<Hypergammon> for From {
    fn roller(&self, pos: &Race) -> Turn {
        self.0.roller(pos)
    }
}

/// With a checker borne off on both sides, or two on one: what takes minutes for the whole game takes seconds.
#[test]
#[ignore = "seconds"]
fn endings_have_narrow_intervals() {
    let index = From(HyperIndex::new(), 3);
    let expected = chance_rolls(&Hypergammon, &index, Settle::default(), &Quiet).unwrap();
    for tier in (0..index.tiers()).map(Tier) {
        let radii = (0..index.len(tier)).filter_map(|n| expected.radius(tier, n)).fold(0.0, f64::max);
        println!("tier {}: {} numbers, radius {radii:e}", tier.0 + 3, index.len(tier));
    }
    let bound = expected.bound().expect("backgammon ends with certainty");
    assert!(2.0 * bound <= 1e-12, "{bound:e}");
    let values: Vec<Vec<f64>> = (0..index.tiers()).map(|t| expected.values(Tier(t)).to_vec()).collect();
    let means = verify_rolls(&Hypergammon, &index, &values, 1e-13, &Quiet).unwrap();
    assert_eq!((means.wrong, means.bound), (0, Some(bound)));
}
