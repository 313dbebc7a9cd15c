//! Hypergammon's equity against the literature.

use outplay_core::{Chance, Game, Index, Notation, Rolls, Tier, Turn};
use outplay_games::hypergammon::{HyperIndex, Hypergammon};
use outplay_runtime::NoMonitor;
use outplay_solve::{ExpectedPayoffs, Settle, chance_rolls, verify_rolls};
use rayon::prelude::*;

#[test]
#[ignore = "many minutes"]
fn the_player_who_wins_the_opening_roll_gains() {
    let (game, index) = (Hypergammon, HyperIndex::new());
    let expected: ExpectedPayoffs = chance_rolls(&game, &index, Settle::default(), &NoMonitor).unwrap();
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
    // Every roll wins here; 36 probabilities of 1/36 sum to one up to rounding.
    let won = expected.expand(&game, &index, &far);
    assert!((won - 1.0).abs() <= bound, "{won}");
    assert!(expected.values(Tier(1)).iter().filter(|value| !value.is_nan()).all(|value| value.abs() <= 3.0));
    contains_another_iteration(&index, &expected);
}

/// Every interval contains the value of an independent iteration, which shares only the rules and the numbers.
fn contains_another_iteration<I: Rolls<Hypergammon>>(index: &I, expected: &ExpectedPayoffs) {
    let iteration = Iteration::new(index);
    let means = iteration.run();
    let (mut positions, mut furthest, mut closest) = (0u64, 0.0f64, f64::INFINITY);
    for tier in (0..index.tiers()).map(Tier) {
        let first = iteration.first[tier.0 as usize] as usize;
        for (number, &value) in expected.values(tier).iter().enumerate().filter(|(_, value)| !value.is_nan())
        {
            let radius = expected.radius(tier, number as u64).expect("a radius");
            let off = (means[first + number] - value).abs();
            assert!(off <= radius, "tier {}, number {number}: {off:e} off, and {radius:e} told", tier.0);
            (positions, furthest) = (positions + 1, furthest.max(off));
            closest = closest.min(radius - off);
        }
    }
    println!(
        "{positions} positions: at most {furthest:e} off, each at least {closest:e} within its interval"
    );
    assert!(positions > 0);
}

/// Independent value iteration: all tiers at once, initial values from the lead in the race, each sweep from the last
/// number to the first, and nothing skipped.
struct Iteration<'a, I> {
    index: &'a I,
    /// The first number of each tier in a global numbering, and at the end the total.
    first: Vec<u32>,
}

/// Target of the best play of each roll, for a block of numbers: a number or, beyond all of them, the payoff plus 3.
/// [`OTHER`] marks a change of sign.
struct Leads {
    ends: Vec<u32>,
    leads: Vec<u32>,
    weights: Vec<f32>,
}

/// Initial estimate from the mover's lead in points: a win for a lead of 20.
fn lead(pos: &Race) -> f64 {
    let text = Hypergammon.write_position(pos);
    let points = |side: &str| -> f64 {
        let places = side.split('+').map(|place| match place {
            "bar" => 25.0,
            "off" => 0.0,
            number => number.parse().expect("a place"),
        });
        places.sum()
    };
    let mut sides = text.split(' ').take(2).map(points);
    let (mine, other) = (sides.next().expect("a side"), sides.next().expect("a side"));
    ((other - mine) / 20.0).clamp(-1.0, 1.0)
}

const OTHER: u32 = 1 << 31;
/// Numbers per block.
const STRETCH: u32 = 4096;

impl<'a, I: Rolls<Hypergammon>> Iteration<'a, I> {
    fn new(index: &'a I) -> Self {
        let mut first = vec![0];
        for tier in (0..index.tiers()).map(Tier) {
            first.push(first[tier.0 as usize] + index.len(tier) as u32);
        }
        Iteration { index, first }
    }

    fn run(&self) -> Vec<f64> {
        let count = *self.first.last().expect("a tier");
        let mut means: Vec<f64> = (0..count)
            .into_par_iter()
            .map(|flat| self.unrank(flat).map_or(f64::NAN, |pos| lead(&pos)))
            .collect();
        means.extend((-3..=3).map(f64::from));
        let (mut rounds, mut calm) = (0, false);
        loop {
            let stretches: Vec<u32> = (0..count).step_by(STRETCH as usize).collect();
            let leads: Vec<Leads> = stretches.into_par_iter().map(|from| self.leads(from, &means)).collect();
            let mut first_change = None;
            loop {
                let change = Self::round(&leads, &mut means);
                rounds += 1;
                let began = *first_change.get_or_insert(change);
                if change <= 1e-15 || (change <= 1e-14 && rounds % 50 == 0) || change < began * 1e-3 {
                    break;
                }
            }
            let began = first_change.unwrap_or_default();
            println!("round {rounds}: the best plays changed means by {began:e}");
            // Twice, so that the last values come from best plays under nearly the same values.
            if began <= 1e-14 && std::mem::replace(&mut calm, true) {
                return means;
            }
        }
    }

    fn unrank(&self, flat: u32) -> Option<Race> {
        let tier = self.first.iter().rposition(|&first| first <= flat)?;
        self.index.unrank(Tier(tier as u32), u64::from(flat - self.first[tier]))
    }

    /// One Gauss–Seidel sweep over all numbers, the last one first; returns the largest change.
    fn round(leads: &[Leads], means: &mut [f64]) -> f64 {
        let mut change = 0.0f64;
        for (stretch, block) in leads.iter().enumerate().rev() {
            for place in (0..block.ends.len()).rev() {
                let begin = if place == 0 { 0 } else { block.ends[place - 1] as usize };
                let end = block.ends[place] as usize;
                if begin == end {
                    continue;
                }
                let mut sum = 0.0;
                for (&lead, &weight) in block.leads[begin..end].iter().zip(&block.weights[begin..end]) {
                    let worth = means[(lead & !OTHER) as usize];
                    sum += if lead & OTHER == 0 { worth } else { -worth } * f64::from(weight);
                }
                // Weights are numbers of throws out of 30 or 36, so that they are exact.
                let throws: f32 = block.weights[begin..end].iter().sum();
                let mean = sum / f64::from(throws);
                let number = stretch * STRETCH as usize + place;
                change = change.max((mean - means[number]).abs());
                means[number] = mean;
            }
        }
        change
    }

    /// The best plays of a block under the current values.
    fn leads(&self, from: u32, means: &[f64]) -> Leads {
        let mut found = Leads { ends: Vec::new(), leads: Vec::new(), weights: Vec::new() };
        let to = (from + STRETCH).min(means.len() as u32 - 7);
        let (mut rolls, mut moves) = (Vec::new(), Vec::new());
        for flat in from..to {
            if let Some(pos) = self.unrank(flat) {
                self.best(&pos, means, &mut rolls, &mut moves, &mut found);
            }
            found.ends.push(found.leads.len() as u32);
        }
        found
    }

    fn best(
        &self,
        pos: &Race,
        means: &[f64],
        rolls: &mut Vec<(<Hypergammon as Game>::Move, f64)>,
        moves: &mut Vec<<Hypergammon as Game>::Move>,
        found: &mut Leads,
    ) {
        let mine = self.index.roller(pos);
        if Hypergammon.outcome(pos).is_some() {
            // A finished position leads to its payoff, for every throw.
            found.leads.push(self.lead(pos, mine));
            found.weights.push(1.0);
            return;
        }
        rolls.clear();
        Hypergammon.outcomes(pos, rolls);
        let doubles = rolls.len() == 21;
        for &(roll, probability) in rolls.iter() {
            let shown = Hypergammon.play(pos, roll);
            moves.clear();
            Hypergammon.moves(&shown, moves);
            let worth = |lead: u32| {
                let mean = means[(lead & !OTHER) as usize];
                if lead & OTHER == 0 { mean } else { -mean }
            };
            let leads = moves.iter().map(|&mv| self.lead(&Hypergammon.play(&shown, mv), mine));
            let best = leads.max_by(|&one, &two| worth(one).total_cmp(&worth(two))).expect("a play");
            found.leads.push(best);
            found.weights.push(if doubles { (probability * 36.0).round() as f32 } else { 1.0 });
        }
    }

    /// The code of a position from a player's point of view.
    fn lead(&self, pos: &Race, eyes: Turn) -> u32 {
        let count = *self.first.last().expect("a tier");
        if let Some(payoff) = Hypergammon.outcome(pos) {
            let payoff = if eyes == Turn::Second { -payoff } else { payoff };
            return count + (payoff + 3) as u32;
        }
        let (tier, number) = self.index.rank(pos);
        let flat = self.first[tier.0 as usize] + number as u32;
        if self.index.roller(pos) == eyes { flat } else { flat | OTHER }
    }
}

type Race = <Hypergammon as Game>::Position;

/// The tiers from a given one on, as if there were no others.
struct From(HyperIndex, u32);

impl Index<Hypergammon> for From {
    fn tiers(&self) -> u32 {
        self.0.tiers() - self.1
    }
    fn child_tiers(&self, tier: Tier) -> Vec<Tier> {
        self.0.child_tiers(Tier(tier.0 + self.1)).into_iter().map(|later| Tier(later.0 - self.1)).collect()
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

/// With one checker borne off on both sides, or two on one: seconds instead of the minutes of the whole game.
#[test]
#[ignore = "seconds"]
fn endings_have_narrow_intervals() {
    let index = From(HyperIndex::new(), 3);
    let expected = chance_rolls(&Hypergammon, &index, Settle::default(), &NoMonitor).unwrap();
    for tier in (0..index.tiers()).map(Tier) {
        let radii = (0..index.len(tier)).filter_map(|n| expected.radius(tier, n)).fold(0.0, f64::max);
        println!("tier {}: {} numbers, radius {radii:e}", tier.0 + 3, index.len(tier));
    }
    let bound = expected.bound().expect("backgammon ends with certainty");
    assert!(2.0 * bound <= 1e-12, "{bound:e}");
    let values: Vec<Vec<f64>> = (0..index.tiers()).map(|t| expected.values(Tier(t)).to_vec()).collect();
    let means = verify_rolls(&Hypergammon, &index, &values, 1e-13, &NoMonitor).unwrap();
    assert_eq!((means.wrong, means.bound), (0, Some(bound)));
    contains_another_iteration(&index, &expected);
}
