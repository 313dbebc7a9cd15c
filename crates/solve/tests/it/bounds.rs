//! Error bounds of expected payoffs: they hold against an independent double-double reference, and the verifier
//! proves them.

use outplay_core::{Chance, Game, Index, Payoff, Rolls, Tier, Turn};
use outplay_games::Spec;
use outplay_games::einstein::Einstein;
use outplay_games::pig::{Pig, PigIndex};
use outplay_runtime::NoMonitor;
use outplay_solve::{
    ExpectedPayoffs, ExploredGame, Settle, chance, chance_rolls, verify_chance, verify_rolls,
};

/// A double-double number: an unevaluated sum of two floats, about 31 decimal digits.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug)]
struct Long(f64, f64);

impl Long {
    fn of(value: f64) -> Long {
        Long(value, 0.0)
    }

    fn plus(self, other: Long) -> Long {
        let sum = self.0 + other.0;
        let part = sum - self.0;
        let lost = (self.0 - (sum - part)) + (other.0 - part) + self.1 + other.1;
        Long(sum + lost, lost - ((sum + lost) - sum))
    }

    fn negated(self) -> Long {
        Long(-self.0, -self.1)
    }

    /// Division by a small integer.
    fn over(self, n: f64) -> Long {
        let high = self.0 / n;
        // Remainder by Dekker's split (1971): `high` in two halves of 26 bits, whose products with `n` are exact.
        let half = (high * 134_217_729.0) - (high * 134_217_729.0 - high);
        let left = ((self.0 - half * n) - (high - half) * n) + self.1;
        Long(high, 0.0).plus(Long::of(left / n))
    }

    fn max(self, other: Long) -> Long {
        if self >= other { self } else { other }
    }
}

/// Pig by arithmetic: expected payoff of the player to move, by own points, the opponent's points and points of the
/// turn.
struct Reference {
    goal: usize,
    faces: &'static [usize],
    /// Values at the beginning of a turn.
    begins: Vec<Vec<Long>>,
}

impl Reference {
    fn new(goal: usize, faces: &'static [usize]) -> Reference {
        let mut found = Reference { goal, faces, begins: vec![vec![Long::of(0.0); goal]; goal] };
        for sum in (0..2 * goal - 1).rev() {
            for mine in sum.saturating_sub(goal - 1)..=sum.min(goal - 1) {
                let other = sum - mine;
                // Two values that depend on each other: a lost turn leads from one to the other.
                loop {
                    let turns = [(mine, other), (other, mine)];
                    let mut change: f64 = 0.0;
                    for (a, b) in turns {
                        let next = found.turn(a, b)[0];
                        change = change.max(next.plus(found.begins[a][b].negated()).0.abs());
                        found.begins[a][b] = next;
                    }
                    if change < 1e-30 {
                        break;
                    }
                }
            }
        }
        found
    }

    /// The value of rolling, by points of the turn.
    fn turn(&self, mine: usize, other: usize) -> Vec<Long> {
        let missing = self.goal - mine;
        let mut rolls = vec![Long::of(0.0); missing];
        for points in (0..missing).rev() {
            let mut sum = self.begins[other][mine].negated();
            for &face in self.faces {
                let next = points + face;
                sum = sum.plus(match rolls.get(next) {
                    None => Long::of(1.0),
                    Some(&roll) => roll.max(self.begins[other][mine + next].negated()),
                });
            }
            rolls[points] = sum.over(self.faces.len() as f64 + 1.0);
        }
        rolls
    }
}

fn pig(text: &str) -> Pig {
    Pig::from_spec(Spec::parse(text).unwrap()).unwrap()
}

/// For every number of the index: the value lies within its radius of the reference.
fn check(text: &str, faces: &'static [usize]) {
    let game = pig(text);
    let index = PigIndex::new(&game);
    let expected = chance_rolls(&game, &index, Settle::default(), &NoMonitor).unwrap();
    let bound = expected.bound().expect("Pig ends with certainty");
    assert!(bound < 1e-12, "{text}: {bound:e}");
    let reference = Reference::new(game.goal().into(), faces);
    let (mut checked, mut worst) = (0, 0.0f64);
    for tier in (0..index.tiers() - 1).map(Tier) {
        for number in 0..index.len(tier) {
            let pos = index.unrank(tier, number).unwrap();
            let (mine, other) = (usize::from(pos.kept(Turn::First)), usize::from(pos.kept(Turn::Second)));
            if pos.at_stake() > 0 && number % 7 != 0 && u128::from(number) > 2_000 {
                continue; // each turn is reckoned anew here
            }
            let exact = reference.turn(mine, other)[usize::from(pos.at_stake())];
            let off = exact.plus(Long::of(-expected.value(tier, number))).0.abs();
            let radius = expected.radius(tier, number).unwrap();
            assert!(off <= radius && radius <= bound, "{text}, {pos:?}: off by {off:e}, told {radius:e}");
            worst = worst.max(off);
            checked += 1;
        }
    }
    assert!(checked >= 1_000);
    println!("{text}: {checked} means, off by at most {worst:.2e}, told {bound:.2e}");
    let values: Vec<Vec<f64>> = (0..index.tiers()).map(|t| expected.values(Tier(t)).to_vec()).collect();
    let means = verify_rolls(&game, &index, &values, 1e-12, &NoMonitor).unwrap();
    assert_eq!((means.wrong, means.bound), (0, Some(bound)), "{text}");
}

const DIE: &[usize] = &[2, 3, 4, 5, 6];
const COIN: &[usize] = &[1];

#[test]
fn bounds_hold_against_twice_the_digits() {
    check("pig:20", DIE);
    check("piglet:30", COIN);
}

#[test]
#[ignore = "seconds"]
fn bounds_hold_for_a_hundred() {
    check("pig:100", DIE);
}

#[test]
fn reference_reproduces_known_fractions() {
    for (goal, win) in [(2, (4.0, 7.0)), (3, (6.0, 11.0))] {
        let start = Reference::new(goal, COIN).begins[0][0];
        // The expected payoff is twice the probability of a win less one.
        let exact = Long::of(2.0 * win.0 - win.1).over(win.1);
        assert!(start.plus(exact.negated()).0.abs() < 1e-30, "{goal}");
    }
}

fn all_values<G: Chance>(index: &impl Index<G>, expected: &ExpectedPayoffs) -> Vec<Vec<f64>> {
    (0..index.tiers()).map(|t| expected.values(Tier(t)).to_vec()).collect()
}

/// A small error invalidates the proven bound; a larger one is reported as wrong.
#[test]
fn what_is_off_is_noticed() {
    let game = pig("piglet:12");
    let index = PigIndex::new(&game);
    let expected = chance_rolls(&game, &index, Settle::default(), &NoMonitor).unwrap();
    let bound = expected.bound().unwrap();
    for t in [0, 3, 11, 20] {
        for (off, alone) in [(3e-13, false), (-4e-12, true), (1e-9, true), (f64::NAN, true)] {
            let mut values = all_values(&index, &expected);
            let number = values[t].len() / 2;
            values[t][number] += off;
            let means = verify_rolls(&game, &index, &values, 1e-12, &NoMonitor).unwrap();
            assert_eq!(means.wrong > 0, alone, "{t}: {off:e}");
            assert!(means.bound.is_none_or(|shown| shown > 1.5 * bound), "{t}: {off:e} {:?}", means.bound);
        }
    }
}

/// Games in which every position has a number: cyclic and acyclic ones.
#[test]
fn explored_games_have_bounds() {
    let game = pig("pig:20");
    let start = game.start().unwrap();
    let explored = ExploredGame::new(&game, &start, 20_000_000, &NoMonitor).unwrap();
    let expected = chance(&game, &explored, Settle::default(), &NoMonitor).unwrap();
    let bound = expected.bound().unwrap();
    assert!(bound < 1e-12, "{bound:e}");
    let reference = Reference::new(20, DIE);
    let index = PigIndex::new(&game);
    for pos in explored.positions().iter().filter(|pos| game.turn(pos) == Turn::Chance) {
        let (tier, number) = explored.rank(pos);
        let (me, you) = if index.roller(pos) == Turn::First {
            (Turn::First, Turn::Second)
        } else {
            (Turn::Second, Turn::First)
        };
        let exact = reference.turn(pos.kept(me).into(), pos.kept(you).into())[usize::from(pos.at_stake())];
        let exact = if me == Turn::First { exact } else { exact.negated() };
        let off = exact.plus(Long::of(-expected.value(tier, number))).0.abs();
        assert!(off <= expected.radius(tier, number).unwrap(), "{pos:?}: {off:e}");
    }
    let mut values = all_values(&explored, &expected);
    let means = verify_chance(&game, &explored, &values, 1e-12, &NoMonitor).unwrap();
    assert_eq!((means.wrong, means.bound), (0, Some(bound)));
    let last = values.iter().position(|tier| tier.len() > 9).unwrap();
    values[last][7] += 1e-13;
    let means = verify_chance(&game, &explored, &values, 1e-12, &NoMonitor).unwrap();
    assert!(means.wrong == 0 && means.bound.is_none_or(|shown| shown > bound), "{means:?}");

    let game = Einstein::from_spec(Spec::parse("einstein:3x3").unwrap()).unwrap();
    let explored = ExploredGame::new(&game, &game.start().unwrap(), 20_000_000, &NoMonitor).unwrap();
    let expected = chance(&game, &explored, Settle::default(), &NoMonitor).unwrap();
    let bound = expected.bound().unwrap();
    assert!(bound > 0.0 && bound < 1e-13, "{bound:e}");
    let values = all_values(&explored, &expected);
    let means = verify_chance(&game, &explored, &values, 1e-12, &NoMonitor).unwrap();
    assert_eq!((means.wrong, means.bound), (0, Some(bound)));
}

/// Two players who may pass the turn back and forth for ever, or toss a coin for the game.
#[derive(Clone)]
struct Wait;

impl Game for Wait {
    type Position = u8;
    type Move = u8;
    fn start(&self) -> Option<u8> {
        Some(0)
    }
    fn turn(&self, pos: &u8) -> Turn {
        [Turn::First, Turn::Second, Turn::Chance, Turn::First, Turn::First][usize::from(*pos)]
    }
    fn moves(&self, pos: &u8, out: &mut Vec<u8>) {
        match pos {
            0 => out.extend([1, 2]),
            1 => out.extend([0, 2]),
            2 => out.extend([3, 4]),
            _ => {}
        }
    }
    fn play(&self, _pos: &u8, mv: u8) -> u8 {
        mv
    }
    fn outcome(&self, pos: &u8) -> Option<Payoff> {
        [None, None, None, Some(1), Some(-1)][usize::from(*pos)]
    }
}

impl Chance for Wait {
    fn outcomes(&self, _pos: &u8, out: &mut Vec<(u8, f64)>) {
        out.extend([(3, 0.5), (4, 0.5)]);
    }
}

#[test]
fn no_bound_where_play_may_never_end() {
    let explored = ExploredGame::new(&Wait, &0, 10, &NoMonitor).unwrap();
    let expected = chance(&Wait, &explored, Settle::default(), &NoMonitor).unwrap();
    assert_eq!(expected.bound(), None);
    let values = all_values(&explored, &expected);
    assert_eq!(verify_chance(&Wait, &explored, &values, 1e-12, &NoMonitor).unwrap().bound, None);
}
