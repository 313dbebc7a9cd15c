//! The evaluation `race` for games with dice: pip counts for hypergammon and EinStein, hold-at-threshold play for Pig.
//!
//! Hypergammon and EinStein are evaluated by the lead, in units of a mean turn, relative to the remaining distance: the
//! longer the race, the less a lead is worth. Pig is evaluated by the winning probability if both players hold as soon
//! as another roll would lose more points than it gains on average. Scores are expected payoffs in hundredths.

use crate::Judge;
use outplay_core::{AnyGame, AnyPosition, Native, Turn};
use outplay_games::einstein::{Cubes, Einstein};
use outplay_games::hypergammon::{Hypergammon, Race};
use outplay_games::pig::Pig;
use std::sync::Arc;

/// An estimate of the expected payoff of a race.
trait RaceEstimate: Send + Sync {
    /// The estimated expected payoff of a position for the first player, from −1 to 1.
    fn expected_payoff(&self, pos: &AnyPosition) -> f64;
}

/// The evaluation `race`.
struct RaceJudge(Box<dyn RaceEstimate>);

impl Judge for RaceJudge {
    fn spec(&self) -> String {
        "race".into()
    }

    fn score(&self, pos: &AnyPosition, me: Turn) -> i32 {
        let score = (99.0 * self.0.expected_payoff(pos)).round() as i32;
        if me == Turn::Second { -score } else { score }
    }
}

/// The expected payoff of a lead with `left` turns to go. The standard deviation of a turn is about its mean, so that
/// of the rest of the race grows with the square root of its length.
fn lead_payoff(lead: f64, left: f64) -> f64 {
    (lead / (left + 0.5).sqrt()).tanh()
}

/// The evaluation of a game that is a race; `None` for others.
pub(crate) fn judge(game: &AnyGame) -> Option<Arc<dyn Judge>> {
    let track: Box<dyn RaceEstimate> = if let Some(game) = game.get::<Hypergammon>() {
        Box::new(Native::new(*game))
    } else if let Some(game) = game.get::<Einstein>() {
        Box::new(Native::new(*game))
    } else {
        Box::new(HoldAtThreshold::new(*game.get::<Pig>()?))
    };
    Some(Arc::new(RaceJudge(track)))
}

fn sign(turn: Turn) -> f64 {
    if turn == Turn::Second { -1.0 } else { 1.0 }
}

/// Mean pips of a roll of two dice, doubles counted twice.
const ROLL: f64 = 49.0 / 6.0;

/// The approximate probability that a blot is hit by a checker `distance` points behind it.
fn hit(distance: u8) -> f64 {
    match distance {
        0 => 0.0,
        1..=6 => (10.0 + f64::from(distance)) / 36.0,
        7..=12 => 3.0 / 36.0,
        _ => 0.0,
    }
}

/// The pip count of a player, plus the expected loss of pips by hits on its blots.
fn pips(race: &Race, turn: Turn) -> f64 {
    let (own, other) = (race.checkers(turn), race.checkers(turn.other()));
    let mut pips: f64 = own.iter().map(|&place| f64::from(place)).sum();
    for &place in own.iter().filter(|place| (1..25).contains(*place)) {
        if own.iter().filter(|&&beside| beside == place).count() == 1 {
            let behind = other.iter().filter(|&&theirs| theirs > 0 && 25 - theirs < place);
            let missed: f64 = behind.map(|&theirs| 1.0 - hit(place - (25 - theirs))).product();
            pips += (1.0 - missed) * f64::from(25 - place);
        }
    }
    pips
}

impl RaceEstimate for Native<Hypergammon> {
    fn expected_payoff(&self, pos: &AnyPosition) -> f64 {
        let race = self.pos(pos);
        let [first, second] = [Turn::First, Turn::Second].map(|turn| pips(race, turn) / ROLL);
        // The player on roll is half a roll ahead.
        lead_payoff(second - first + 0.5 * sign(race.owner()), first.min(second))
    }
}

/// Steps to the corner of the best movable cube, averaged over the faces of the die.
fn steps(game: &Einstein, cubes: &Cubes, turn: Turn) -> f64 {
    let left = game.steps_left(cubes, turn);
    let here = |cube: &usize| left[*cube].is_some();
    let faces = 0..left.len();
    let best = |face: usize| {
        let exact = Some(face).filter(here);
        let nearest = [(0..face).rev().find(here), (face + 1..left.len()).find(here)];
        let movable = exact.into_iter().chain(nearest.into_iter().flatten().filter(|_| exact.is_none()));
        movable.filter_map(|cube| left[cube]).min().map_or(0.0, f64::from)
    };
    let mean = faces.clone().map(best).sum::<f64>() / faces.len().max(1) as f64;
    // The foremost cube moves whenever it can, so it counts as much as the mean.
    let nearest = left.iter().flatten().min().map_or(0.0, |&steps| f64::from(steps));
    (mean + nearest) / 2.0
}

impl RaceEstimate for Native<Einstein> {
    fn expected_payoff(&self, pos: &AnyPosition) -> f64 {
        let cubes = self.pos(pos);
        let [first, second] = [Turn::First, Turn::Second].map(|turn| steps(&self.game, cubes, turn));
        lead_payoff(second - first + 0.5 * sign(cubes.owner()), first.min(second))
    }
}

/// Pig between two players who hold at a threshold: when the points of the turn reach the sum of the faces of the die
/// (from there another roll loses more than it wins on average) or the goal.
struct HoldAtThreshold {
    native: Native<Pig>,
    /// The winning probability of the player on roll, by its points and the opponent's.
    wins: Vec<f32>,
}

impl HoldAtThreshold {
    fn new(pig: Pig) -> HoldAtThreshold {
        let goal = usize::from(pig.goal());
        let mut table = HoldAtThreshold { native: Native::new(pig), wins: vec![0.0; goal * goal] };
        for sum in (0..2 * goal - 1).rev() {
            for own in sum.saturating_sub(goal - 1)..=(sum / 2) {
                let other = sum - own;
                // A turn without points leads from either position to the other: a cycle of two linear equations.
                let (gained, lost) = table.turn(own, other, 0);
                let (gained_by_other, lost_by_other) = table.turn(other, own, 0);
                let (a, b) = (gained + lost, gained_by_other + lost_by_other);
                let win = (a - lost * b) / (1.0 - lost * lost_by_other);
                table.wins[own * goal + other] = win as f32;
                table.wins[other * goal + own] = (b - lost_by_other * win) as f32;
            }
        }
        table
    }

    /// For a turn with `so_far` points: the probability to keep points and win, and the probability to lose them.
    fn turn(&self, own: usize, other: usize, so_far: usize) -> (f64, f64) {
        let pig = &self.native.game;
        let goal = usize::from(pig.goal());
        let faces = pig.faces();
        let enough = faces.iter().map(|&face| usize::from(face)).sum::<usize>().min(goal - own);
        let kept = |points: usize| match own + points >= goal {
            true => 1.0,
            false => 1.0 - f64::from(self.wins[other * goal + own + points]),
        };
        if so_far >= enough {
            return (kept(so_far), 0.0);
        }
        let mut reached = vec![0.0; enough + 7];
        reached[so_far] = 1.0;
        let (mut gained, mut lost) = (0.0, 0.0);
        for points in so_far..reached.len() {
            if points >= enough {
                gained += reached[points] * kept(points);
                continue;
            }
            let each = reached[points] / faces.len() as f64;
            for &face in faces {
                match usize::from(face) {
                    0 => lost += each,
                    add => reached[points + add] += each,
                }
            }
        }
        (gained, lost)
    }
}

impl RaceEstimate for HoldAtThreshold {
    fn expected_payoff(&self, pos: &AnyPosition) -> f64 {
        let points = self.native.pos(pos);
        let (goal, owner) = (usize::from(self.native.game.goal()), points.owner());
        let [own, other] = [owner, owner.other()].map(|turn| usize::from(points.kept(turn)));
        if own >= goal || other >= goal {
            return if own >= goal { sign(owner) } else { -sign(owner) };
        }
        let (gained, lost) = self.turn(own, other, points.at_stake().into());
        let win = gained + lost * (1.0 - f64::from(self.wins[other * goal + own]));
        sign(owner) * (2.0 * win - 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PlayerContext;
    use outplay_core::Notation;
    use outplay_games::Spec;

    fn check(kit: &PlayerContext, better: &str, worse: &str) {
        let judge = kit.judge("race").unwrap();
        let score = |text: &str| judge.score(&kit.game.read_position(text).unwrap(), Turn::First);
        assert!(score(better) > score(worse), "{better}: {}, {worse}: {}", score(better), score(worse));
    }

    #[test]
    fn leader_of_a_race_scores_higher() {
        let race = PlayerContext::with_dice(Hypergammon);
        check(&race, "6+5+off 12+11+10 A", "12+11+10 6+5+off A");
        check(&race, "6+5+4 6+5+4 A", "6+5+4 6+5+4 B");
        // A blot within reach of an opposing checker costs its expected loss of pips.
        check(&race, "10+10+2 24+12+12 A", "11+9+2 24+12+12 A");
        let cubes =
            PlayerContext::with_dice(Einstein::from_spec(Spec::parse("einstein:3x3").unwrap()).unwrap());
        check(&cubes, "2../31./cba A", "12./3../cba A");
        let pig = PlayerContext::with_dice(Pig::from_spec(Spec::parse("pig:100").unwrap()).unwrap());
        check(&pig, "50-40 A 0", "40-50 A 0");
        check(&pig, "50-40 A 12", "50-40 A 3");
    }

    #[test]
    fn pig_holds_at_twenty() {
        let pig = PlayerContext::with_dice(Pig::from_spec(Spec::parse("pig:100").unwrap()).unwrap());
        let mut player = pig.player("alphabeta:depth=2,eval=race").unwrap();
        let mut choose = |text: &str| {
            player.begin(0);
            let pos = pig.game.read_position(text).unwrap();
            let choice = player.choose(&pos, &outplay_runtime::NoMonitor).unwrap();
            pig.game.write_move(&pos, choice.mv)
        };
        assert_eq!([choose("0-0 A 8"), choose("0-0 A 26")], ["roll".to_string(), "hold".to_string()]);
        assert_eq!(choose("80-50 A 3"), "roll");
        // Holding is useless against an opponent who is about to win.
        assert_eq!(choose("70-98 A 24"), "roll");
    }
}
