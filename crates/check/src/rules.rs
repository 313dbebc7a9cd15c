//! Randomised soundness test of the verifier: each kind of proof step against plain minimax on random small positions.
//!
//! The continuations of a random step are decided by minimax instead of by further steps. If all of them have the
//! required value and the verifier accepts the step, then the position must have the claimed value.
//!
//! `OUTPLAY_TRIALS=5000000 cargo test --release -p outplay-check rules` runs more trials than the normal test.

use crate::parse::{Arm, ClaimGround, ParsedProof, ProofStep, StepLink};
use crate::position::{Position, complete, singles};
use crate::set::CellSet;
use crate::verify::{CheckLimits, Verifier};
use outplay_core::{LineBoard, Turn, Verdict};
use outplay_runtime::NoMonitor;
use rand::rngs::SmallRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use std::collections::HashMap;

type MinimaxMemo = HashMap<(Position<1>, bool), bool>;

/// Whether the attacker completes a line before the defender does, whatever the defender plays. The defender
/// may pass: a board has cells without lines, and an extra stone never hurts.
fn attacker_wins(pos: &Position<1>, attacks: bool, known: &mut MinimaxMemo) -> bool {
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

/// Number of cells of the board: 3x3, so that every symmetry exists.
const CELLS: usize = 9;

fn cells(rng: &mut SmallRng, most: usize) -> Vec<u16> {
    let mut all: Vec<u16> = (0..CELLS as u16).collect();
    let count = rng.random_range(1..=most.min(CELLS));
    (0..count).map(|_| all.swap_remove(rng.random_range(0..all.len()))).collect()
}

fn lines(rng: &mut SmallRng, most: usize) -> Vec<CellSet<1>> {
    (0..rng.random_range(0..=most)).map(|_| CellSet::of(&cells(rng, 4))).collect()
}

fn link(rng: &mut SmallRng) -> StepLink {
    StepLink { step: 0, symmetry: if rng.random_bool(0.5) { 0 } else { rng.random_range(0..8) } }
}

fn arms(rng: &mut SmallRng, most: usize, width: usize) -> Vec<Arm> {
    (0..rng.random_range(0..=most)).map(|_| (cells(rng, width), link(rng))).collect()
}

fn pairs(rng: &mut SmallRng) -> Vec<[u16; 2]> {
    (0..rng.random_range(0..4)).map(|_| [rng.random_range(0..9), rng.random_range(0..9)]).collect()
}

/// Creates a step of any kind, half of the time of a plausible form.
fn step(rng: &mut SmallRng, pos: &Position<1>) -> ProofStep {
    let live = pos.live().members();
    let some = |rng: &mut SmallRng| live.choose(rng).map_or(0, |&cell| cell as u16);
    match rng.random_range(0..9) {
        0 => ProofStep::Fours((0..rng.random_range(1..4)).map(|_| some(rng)).collect()),
        1 => ProofStep::Plays(some(rng), link(rng)),
        2 => {
            let other = rng.random_bool(0.7).then(|| link(rng));
            ProofStep::Replies { arms: arms(rng, 4, 2), other }
        }
        3 => ProofStep::Pairs(pairs(rng)),
        4 => ProofStep::Sum(cells(rng, 9)),
        5 => {
            let arms = live.iter().filter(|_| rng.random_bool(0.9)).map(|&cell| vec![cell as u16]);
            let arms: Vec<Vec<u16>> = arms.collect();
            let arms = arms.into_iter().map(|cells| (cells, link(rng))).collect();
            ProofStep::Answers { blocking: rng.random_bool(0.5), arms, also: cells(rng, 3) }
        }
        6 => ProofStep::Takes(some(rng), link(rng)),
        7 => ProofStep::Completes(some(rng)),
        _ => {
            // Overlapping pairs and parts are rejected at once, so most are made of distinct cells.
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
            ProofStep::Split { pairs, parts }
        }
    }
}

fn name(step: &ProofStep) -> usize {
    match step {
        ProofStep::Fours(_) => 0,
        ProofStep::Plays(..) => 1,
        ProofStep::Replies { .. } => 2,
        ProofStep::Pairs(_) => 3,
        ProofStep::Sum(_) => 4,
        ProofStep::Answers { .. } => 5,
        ProofStep::Takes(..) => 6,
        ProofStep::Completes(_) => 7,
        ProofStep::Split { .. } => 8,
    }
}

#[test]
fn every_rule_is_sound() {
    let trials: u64 =
        std::env::var("OUTPLAY_TRIALS").ok().and_then(|text| text.parse().ok()).unwrap_or(100_000);
    let mut rng = SmallRng::seed_from_u64(5);
    let mut known = MinimaxMemo::new();
    let (mut accepted, mut refused) = ([0u64; 9], [0u64; 9]);
    for _ in 0..trials {
        let pos = Position::<1>::new(lines(&mut rng, 5), lines(&mut rng, 3));
        if complete(&pos.attacker) || complete(&pos.defender) {
            continue;
        }
        let written = step(&mut rng, &pos);
        let attacks = rng.random_bool(0.5);
        let wins = matches!(written, ProofStep::Fours(_) | ProofStep::Plays(..) | ProofStep::Replies { .. });
        let kind = name(&written);
        let proof = ParsedProof {
            board: LineBoard::empty(3, 3, 3),
            claim: Verdict::Win,
            grounds: vec![(Turn::First, true, ClaimGround::Step(0))],
            steps: vec![written.clone()],
        };
        let limits = CheckLimits::default();
        let mut verifier = Verifier::new(&proof, &limits, wins, 0, &NoMonitor);
        let as_needed = verifier.begin(0, pos.clone(), attacks, 0).is_ok_and(|mut frame| {
            loop {
                match verifier.next_continuation(&mut frame) {
                    Err(_) => break false,
                    Ok(None) => break true,
                    Ok(Some((link, after, side, _))) => {
                        let after = verifier.renamed(link, after);
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
    // The test is meaningful only if each rule was accepted and rejected often.
    let least = trials / 2_000;
    assert!(accepted.iter().chain(&refused).all(|&count| count >= least), "{accepted:?} {refused:?}");
}
