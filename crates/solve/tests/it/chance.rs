//! Games with chance: figures of the literature, and agreement with plain recursion.

use outplay_core::{Chance, Game, Index, Payoff, Rolls, Tier, Turn};
use outplay_games::Spec;
use outplay_games::einstein::Einstein;
use outplay_games::pig::{Pig, PigIndex};
use outplay_runtime::NoMonitor;
use outplay_solve::{
    ExpectedPayoffs, ExploredGame, Settle, SolveError, chance, chance_rolls, plain_chance, verify_rolls,
};

fn pig(text: &str) -> Pig {
    Pig::from_spec(Spec::parse(text).unwrap()).unwrap()
}

fn start_value<G: Chance>(game: &G) -> (f64, ExpectedPayoffs) {
    let start = game.start().unwrap();
    let explored = ExploredGame::new(game, &start, 20_000_000, &NoMonitor).unwrap();
    let expected = chance(game, &explored, Settle::default(), &NoMonitor).unwrap();
    let (tier, number) = explored.rank(&start);
    (expected.value(tier, number), expected)
}

/// Payoffs are 1 and −1, so the expected payoff gives the probability of a win.
fn check(text: &str, win: f64, within: f64) {
    let game = pig(text);
    let index = PigIndex::new(&game);
    let rolls = chance_rolls(&game, &index, Settle::default(), &NoMonitor).unwrap();
    let mean = rolls.expand(&game, &index, &game.start().unwrap());
    for (mean, expected) in [start_value(&game), (mean, rolls)] {
        assert!(((1.0 + mean) / 2.0 - win).abs() < within, "{text}: {}", (1.0 + mean) / 2.0);
        assert!(expected.change() <= 1e-13 && expected.rounds() > 0, "{text}: loops take rounds");
    }
}

#[test]
fn pig_is_as_known() {
    check("pig:10", 0.709_424_322_598, 1e-10);
    check("pig:30", 0.567_914_744_493, 1e-10);
    check("pig:40", 0.544_694_393_482, 1e-10);
    check("pig:50", 0.546_150_844_167, 1e-10);
}

#[test]
#[ignore = "seconds"]
fn pig_to_a_hundred() {
    let game = pig("pig:100");
    let index = PigIndex::new(&game);
    let expected = chance_rolls(&game, &index, Settle::default(), &NoMonitor).unwrap();
    let at = |text: &str| {
        expected.expand(&game, &index, &outplay_core::Notation::read_position(&game, text).unwrap())
    };
    assert!(((1.0 + at("0-0 A 0")) / 2.0 - 0.530_592_725_274).abs() < 1e-10);
    // From 0-0 the best is to hold at 21: rolling is better at 20, holding at 21.
    assert!(at("0-0 A 20 roll") > at("20-0 B 0"));
    assert!(at("0-0 A 21 roll") < at("21-0 B 0"));
}

/// Every reachable position has the same value with the arithmetic index of positions before a roll and with an
/// explored index of all positions.
#[test]
fn arithmetic_index_equals_explored_index() {
    for text in ["piglet:1", "piglet:5", "piglet:10", "pig:1", "pig:10", "pig:20"] {
        let game = pig(text);
        let explored = ExploredGame::new(&game, &game.start().unwrap(), 20_000_000, &NoMonitor).unwrap();
        let all = chance(&game, &explored, Settle::default(), &NoMonitor).unwrap();
        let index = PigIndex::new(&game);
        let few = chance_rolls(&game, &index, Settle::default(), &NoMonitor).unwrap();
        let mut rolls = 0;
        for pos in explored.positions() {
            let (tier, number) = explored.rank(pos);
            let (all, found) = (all.value(tier, number), few.expand(&game, &index, pos));
            assert!((all - found).abs() < 1e-12, "{text}, {pos:?}: {all} {found}");
            if game.turn(pos) == Turn::Chance || game.outcome(pos).is_some() {
                let (tier, number) = index.rank(pos);
                let eyes = if index.roller(pos) == Turn::Second { -1.0 } else { 1.0 };
                assert!((eyes * few.value(tier, number) - all).abs() < 1e-12, "{text}, {pos:?}: {all}");
                rolls += 1;
            }
        }
        assert!(rolls > 0 && rolls < explored.positions().len());
        let values: Vec<Vec<f64>> = (0..index.tiers()).map(|t| few.values(Tier(t)).to_vec()).collect();
        let means = verify_rolls(&game, &index, &values, 1e-12, &NoMonitor).unwrap();
        assert_eq!((u128::from(means.checked), means.wrong), (index.total(), 0), "{text}");
    }
}

#[test]
fn piglet_is_exact() {
    check("piglet:2", 4.0 / 7.0, 1e-12);
    check("piglet:3", 6.0 / 11.0, 1e-12);
    check("piglet:5", 0.532_987_012_987, 1e-12);
}

#[test]
fn einstein_takes_one_pass_and_equals_plain_recursion() {
    let game = Einstein::from_spec(Spec::parse("einstein:3x3").unwrap()).unwrap();
    let start = game.start().unwrap();
    let explored = ExploredGame::new(&game, &start, 20_000_000, &NoMonitor).unwrap();
    assert!(!explored.has_loops());
    let expected = chance(&game, &explored, Settle::default(), &NoMonitor).unwrap();
    assert_eq!((expected.rounds(), expected.change()), (0, 0.0));
    let (mut checked, mut plies) = (0, 0);
    outplay_core::laws::random_play(&game, 200, 7, |pos| {
        plies = if *pos == start { 0 } else { plies + 1 };
        if plies < 8 {
            // Plain recursion from earlier positions takes minutes.
            return;
        }
        let (tier, number) = explored.rank(pos);
        let plain = plain_chance(&game, pos);
        assert!((expected.value(tier, number) - plain).abs() < 1e-12, "{pos:?}");
        checked += 1;
    });
    assert!(checked > 300);
}

/// A coin that is tossed again on tails: a geometric series.
#[derive(Clone)]
struct Coin {
    heads: f64,
    tails: f64,
    ends: bool,
}

impl Game for Coin {
    type Position = bool;
    type Move = bool;
    fn start(&self) -> Option<bool> {
        Some(false)
    }
    fn turn(&self, _pos: &bool) -> Turn {
        Turn::Chance
    }
    fn moves(&self, pos: &bool, out: &mut Vec<bool>) {
        if !pos {
            out.extend([false, self.ends]);
        }
    }
    fn play(&self, _pos: &bool, mv: bool) -> bool {
        mv
    }
    fn outcome(&self, pos: &bool) -> Option<Payoff> {
        pos.then_some(1)
    }
}

impl Chance for Coin {
    fn outcomes(&self, _pos: &bool, out: &mut Vec<(bool, f64)>) {
        out.extend([(self.ends, self.heads), (false, self.tails)]);
    }
}

fn toss(heads: f64, tails: f64, ends: bool, settle: Settle) -> Result<f64, SolveError> {
    let game = Coin { heads, tails, ends };
    let explored = ExploredGame::new(&game, &false, 10, &NoMonitor)?;
    let (tier, number) = explored.rank(&false);
    Ok(chance(&game, &explored, settle, &NoMonitor)?.value(tier, number))
}

#[test]
fn invalid_probabilities_are_refused() {
    assert!((toss(0.5, 0.5, true, Settle::default()).unwrap() - 1.0).abs() < 1e-12);
    let error = toss(0.5, 0.6, true, Settle::default()).unwrap_err();
    assert!(error.to_string().contains("sum to 1.1"), "{error}");
    assert!(matches!(toss(1.5, -0.5, true, Settle::default()), Err(SolveError::Probabilities(..))));
    let error = toss(0.5, 0.5, false, Settle::default()).unwrap_err();
    assert!(matches!(error, SolveError::Endless(_)), "{error}");
    let few = Settle { tolerance: 1e-13, most_rounds: 3 };
    let error = toss(0.5, 0.5, true, few).unwrap_err();
    assert!(matches!(error, SolveError::Unsettled(3, _)), "{error}");
}

/// An explored index that numbers only the positions before a roll.
struct BeforeRolls<G: Game> {
    game: G,
    explored: ExploredGame<G>,
}

impl<G: Chance> Index<G> for BeforeRolls<G> {
    fn tiers(&self) -> u32 {
        self.explored.tiers()
    }
    fn child_tiers(&self, tier: Tier) -> Vec<Tier> {
        self.explored.child_tiers(tier)
    }
    fn loops(&self, tier: Tier) -> bool {
        self.explored.loops(tier)
    }
    fn len(&self, tier: Tier) -> u64 {
        self.explored.len(tier)
    }
    fn rank(&self, pos: &G::Position) -> (Tier, u64) {
        self.explored.rank(pos)
    }
    fn unrank(&self, tier: Tier, number: u64) -> Option<G::Position> {
        let pos = self.explored.unrank(tier, number)?;
        let rolls = self.game.turn(&pos) == Turn::Chance || self.game.outcome(&pos).is_some();
        rolls.then_some(pos)
    }
}

impl<G: Chance> Rolls<G> for BeforeRolls<G> {
    fn roller(&self, _pos: &G::Position) -> Turn {
        Turn::First
    }
}

fn rolls_agree<G: Chance>(game: G) {
    let start = game.start().unwrap();
    let explored = ExploredGame::new(&game, &start, 20_000_000, &NoMonitor).unwrap();
    let all = chance(&game, &explored, Settle::default(), &NoMonitor).unwrap();
    let index = BeforeRolls { game: game.clone(), explored };
    let few = chance_rolls(&game, &index, Settle::default(), &NoMonitor).unwrap();
    let mut checked = 0;
    for pos in index.explored.positions() {
        let (tier, number) = index.rank(pos);
        let (all, few) = (all.value(tier, number), few.expand(&game, &index, pos));
        assert!((all - few).abs() < 1e-11, "{pos:?}: {all} {few}");
        checked += 1;
    }
    assert!(checked > 50);
}

#[test]
fn storing_only_rolls_equals_storing_all() {
    rolls_agree(pig("piglet:6"));
    rolls_agree(pig("pig:20"));
    rolls_agree(Einstein::from_spec(Spec::parse("einstein:3x3").unwrap()).unwrap());
}
