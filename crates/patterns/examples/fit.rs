//! Fits the evaluation weights to won attacks: `cargo run --release -p outplay-patterns --example fit --
//! GAMES`.
//!
//! The engine plays itself from random openings on three boards. A game ends where one side has a proven win;
//! every quiet position before it is labelled with the winner, later ones weighing more. A logistic regression
//! on the shape counts of both players gives the weights.

use outplay_core::{Content, LineBoard};
use outplay_patterns::{NAMES, PatternEngine, PatternLimits, Settings, Weights, census};
use outplay_runtime::NoMonitor;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

const FEATURES: usize = 2 * NAMES.len() + 1;

struct Sample {
    features: [f64; FEATURES],
    label: f64,
    weight: f64,
}

/// A board of one of three kinds with a few stones on it.
fn opening(kind: usize, rng: &mut SmallRng) -> LineBoard {
    let (size, obstacles) = [(15, 0), (9, 6), (7, 0)][kind];
    let mut board = LineBoard::empty(size, size, 5);
    for _ in 0..obstacles {
        let cell = rng.random_range(0..size * size);
        board.cells[cell] = Content::Blocked;
    }
    for _ in 0..rng.random_range(2..6) {
        let mut at = || (size / 2 + rng.random_range(0..5)).saturating_sub(2).min(size - 1);
        let (column, row) = (at(), at());
        let cell = board.cell(column, row);
        if board.cells[cell] == Content::Empty {
            board = board.after(cell);
        }
    }
    board
}

fn features(board: &LineBoard) -> [f64; FEATURES] {
    let mut features = [1.0; FEATURES];
    for (side, counts) in census(board).iter().enumerate() {
        for (at, &count) in counts.iter().enumerate() {
            features[side * NAMES.len() + at] = f64::from(count);
        }
    }
    features
}

fn main() {
    let games: usize = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(300);
    let mut rng = SmallRng::seed_from_u64(1);
    let mut samples: Vec<Sample> = Vec::new();
    for game in 0..games {
        let mut board = opening([0, 0, 1, 2][game % 4], &mut rng);
        let mut engine = PatternEngine::new(&board, Settings::default()).expect("a board that fits");
        let mut seen: Vec<(LineBoard, Content)> = Vec::new();
        let winner = loop {
            let limits = PatternLimits { nodes: Some(4000), ..PatternLimits::default() };
            let Some(found) = engine.think(&board, &limits, &NoMonitor) else { break None };
            if found.wins_in.is_some() {
                break Some(board.mover());
            }
            if found.loses_in.is_none() {
                seen.push((board.clone(), board.mover()));
            }
            board = board.after(found.cell);
        };
        let count = seen.len();
        for (at, (board, mover)) in seen.into_iter().enumerate() {
            let label = winner.map_or(0.5, |winner| if winner == mover { 1.0 } else { 0.0 });
            let weight = 0.9f64.powi((count - at) as i32).max(0.02);
            samples.push(Sample { features: features(&board), label, weight });
        }
    }
    eprintln!("{} positions of {games} games", samples.len());
    let held = samples.split_off(samples.len() * 4 / 5);
    let mut weights = [0.0; FEATURES];
    let mut moments = [1e-3; FEATURES];
    let decide = |weights: &[f64; FEATURES], sample: &Sample| {
        let sum: f64 = weights.iter().zip(&sample.features).map(|(weight, feature)| weight * feature).sum();
        1.0 / (1.0 + (-sum).exp())
    };
    let loss = |weights: &[f64; FEATURES], samples: &[Sample]| {
        let total: f64 = samples.iter().map(|sample| sample.weight).sum();
        let each = |sample: &Sample| {
            let p = decide(weights, sample).clamp(1e-9, 1.0 - 1e-9);
            -sample.weight * (sample.label * p.ln() + (1.0 - sample.label) * (1.0 - p).ln())
        };
        samples.iter().map(each).sum::<f64>() / total
    };
    for round in 0..3000 {
        let mut gradient = [0.0; FEATURES];
        for sample in &samples {
            let error = (decide(&weights, sample) - sample.label) * sample.weight;
            gradient.iter_mut().zip(&sample.features).for_each(|(sum, feature)| *sum += error * feature);
        }
        for at in 0..FEATURES {
            gradient[at] = gradient[at] / samples.len() as f64 + 1e-4 * weights[at];
            moments[at] = 0.99 * moments[at] + 0.01 * gradient[at] * gradient[at];
            weights[at] -= 0.01 / (1.0 + round as f64 / 300.0) * gradient[at] / (moments[at].sqrt() + 1e-6);
        }
    }
    let plain = Weights::PLAIN;
    let scaled = |scale: f64| {
        let mut flat = [0.0; FEATURES];
        for at in 0..NAMES.len() {
            flat[at] = f64::from(plain.mover[at]) * scale;
            flat[NAMES.len() + at] = -f64::from(plain.waiter[at]) * scale;
        }
        flat[FEATURES - 1] = f64::from(plain.tempo) * scale;
        flat
    };
    let best_plain = (1..60).map(|i| loss(&scaled(f64::from(i) * 5e-4), &held)).fold(f64::INFINITY, f64::min);
    eprintln!("loss on held positions: plain {best_plain:.4}, fitted {:.4}", loss(&weights, &held));
    let whole = |weight: f64| (weight * 200.0).round() as i32;
    println!("mover: {:?}", weights[..NAMES.len()].iter().map(|&weight| whole(weight)).collect::<Vec<_>>());
    let waiter = weights[NAMES.len()..2 * NAMES.len()].iter().map(|&weight| -whole(weight));
    println!("waiter: {:?}", waiter.collect::<Vec<_>>());
    println!("tempo: {}", whole(weights[FEATURES - 1]));
}
