//! Each kind of step against plain minimax: whatever a step goes on with is answered by minimax instead of by further
//! steps; if all of that is as the step needs it and the step is accepted, then the position must be as the step says.
//!
//! `OUTPLAY_TRIALS=5000000 cargo test --release -p outplay-check rules` asks more often than a test has time for.

use crate::parse::{Arm, Ground, Link, Script, Step};
use crate::position::{Position, complete, singles};
use crate::set::Set;
use crate::verify::{Limits, Walk};
use outplay_core::{LineBoard, Quiet, Turn, Verdict};
use rand::rngs::SmallRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use std::collections::HashMap;

type Known = HashMap<(Position<1>, bool), bool>;

/// Whether the attacker completes a line before the defender does, whatever the defender plays. The defender may pass: a
/// board has cells without lines, and an extra stone never hurts.
fn attacker_wins(pos: &Position<1>, attacks: bool, known: &mut Known) -> bool {
    if let Some(&wins) = known.get(&(pos.clone(), attacks)) {
        return wins;
    }
    let cells = pos.live().members();
    let wins = if attacks {
        let wins = |cell: &usize| {
            let after = pos.attack(*cell);
            complete(&after.attacker) || attacker_wins(&after, false, known)
        };
        let mut wins = wins;
        cells.iter().any(&mut wins)
    } else if !singles(&pos.defender).is_empty() {
        false
    } else {
        let mut loses = |cell: &usize| attacker_wins(&pos.defend(*cell), true, known);
        cells.iter().all(&mut loses) && attacker_wins(pos, true, known)
    };
    known.insert((pos.clone(), attacks), wins);
    wins
}

/// Cells of the board on which all this happens: 3x3, so that every symmetry exists.
const CELLS: usize = 9;

fn cells(rng: &mut SmallRng, most: usize) -> Vec<u16> {
    let mut all: Vec<u16> = (0..CELLS as u16).collect();
    let count = rng.random_range(1..=most.min(CELLS));
    (0..count).map(|_| all.swap_remove(rng.random_range(0..all.len()))).collect()
}

fn lines(rng: &mut SmallRng, most: usize) -> Vec<Set<1>> {
    (0..rng.random_range(0..=most)).map(|_| Set::of(&cells(rng, 4))).collect()
}

fn link(rng: &mut SmallRng) -> Link {
    Link { step: 0, symmetry: if rng.random_bool(0.5) { 0 } else { rng.random_range(0..8) } }
}

fn arms(rng: &mut SmallRng, most: usize, width: usize) -> Vec<Arm> {
    (0..rng.random_range(0..=most)).map(|_| (cells(rng, width), link(rng))).collect()
}

fn pairs(rng: &mut SmallRng) -> Vec<[u16; 2]> {
    (0..rng.random_range(0..4)).map(|_| [rng.random_range(0..9), rng.random_range(0..9)]).collect()
}

/// A step of any kind, half of the time of a form that has a chance to be right.
fn step(rng: &mut SmallRng, pos: &Position<1>) -> Step {
    let live = pos.live().members();
    let some = |rng: &mut SmallRng| live.choose(rng).map_or(0, |&cell| cell as u16);
    match rng.random_range(0..9) {
        0 => Step::Fours((0..rng.random_range(1..4)).map(|_| some(rng)).collect()),
        1 => Step::Plays(some(rng), link(rng)),
        2 => {
            let other = rng.random_bool(0.7).then(|| link(rng));
            Step::Replies { arms: arms(rng, 4, 2), other }
        }
        3 => Step::Pairs(pairs(rng)),
        4 => Step::Sum(cells(rng, 9)),
        5 => {
            let arms = live.iter().filter(|_| rng.random_bool(0.9)).map(|&cell| vec![cell as u16]);
            let arms: Vec<Vec<u16>> = arms.collect();
            let arms = arms.into_iter().map(|cells| (cells, link(rng))).collect();
            Step::Answers { blocking: rng.random_bool(0.5), arms, also: cells(rng, 3) }
        }
        6 => Step::Takes(some(rng), link(rng)),
        7 => Step::Completes(some(rng)),
        _ => {
            // Pairs and parts that overlap are refused at once, so most are made of different cells.
            let mut free = cells(rng, 9);
            let pairs: Vec<[u16; 2]> =
                (0..rng.random_range(0..3)).filter_map(|_| Some([free.pop()?, free.pop()?])).collect();
            let mut parts = Vec::new();
            while let Some(cell) = free.pop() {
                let more = free.pop().filter(|_| rng.random_bool(0.7));
                parts.push(([Some(cell), more].into_iter().flatten().collect(), link(rng)));
                if rng.random_bool(0.4) {
                    break;
                }
            }
            // A part that takes a cell from a pair would have to answer one move twice.
            if let Some(&[cell, _]) = pairs.first().filter(|_| rng.random_bool(0.5)) {
                parts.push(([vec![cell], cells(rng, 2)].concat(), link(rng)));
            }
            Step::Split { pairs, parts }
        }
    }
}

fn name(step: &Step) -> usize {
    match step {
        Step::Fours(_) => 0,
        Step::Plays(..) => 1,
        Step::Replies { .. } => 2,
        Step::Pairs(_) => 3,
        Step::Sum(_) => 4,
        Step::Answers { .. } => 5,
        Step::Takes(..) => 6,
        Step::Completes(_) => 7,
        Step::Split { .. } => 8,
    }
}

#[test]
fn every_rule_is_sound() {
    let trials: u64 =
        std::env::var("OUTPLAY_TRIALS").ok().and_then(|text| text.parse().ok()).unwrap_or(100_000);
    let mut rng = SmallRng::seed_from_u64(5);
    let mut known = Known::new();
    let (mut accepted, mut refused) = ([0u64; 9], [0u64; 9]);
    for _ in 0..trials {
        let pos = Position::<1>::new(lines(&mut rng, 5), lines(&mut rng, 3));
        if complete(&pos.attacker) || complete(&pos.defender) {
            continue;
        }
        let written = step(&mut rng, &pos);
        let attacks = rng.random_bool(0.5);
        let wins = matches!(written, Step::Fours(_) | Step::Plays(..) | Step::Replies { .. });
        let kind = name(&written);
        let script = Script {
            board: LineBoard::empty(3, 3, 3),
            claim: Verdict::Win,
            grounds: vec![(Turn::First, true, Ground::Step(0))],
            steps: vec![written.clone()],
        };
        let limits = Limits::default();
        let mut walk = Walk::new(&script, &limits, wins, 0, &Quiet);
        let as_needed = walk.begin(0, pos.clone(), attacks, 0).is_ok_and(|mut frame| {
            loop {
                match walk.onward(&mut frame) {
                    Err(_) => break false,
                    Ok(None) => break true,
                    Ok(Some((link, after, side, _))) => {
                        let after = walk.renamed(link, after);
                        if attacker_wins(&after, side, &mut known) != wins {
                            break false;
                        }
                    }
                }
            }
        });
        if as_needed {
            accepted[kind] += 1;
            let truth = attacker_wins(&pos, attacks, &mut known);
            assert_eq!(truth, wins, "{written:?} with attacker to move: {attacks}\n{pos:?}");
        } else {
            refused[kind] += 1;
        }
        if known.len() > 2_000_000 {
            known.clear();
        }
    }
    // The test is worth something only if each rule was accepted and refused often.
    let least = trials / 2_000;
    assert!(accepted.iter().chain(&refused).all(|&count| count >= least), "{accepted:?} {refused:?}");
}
