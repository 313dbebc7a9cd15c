//! Compression and probe speed of tables, on real values of a board game with or without gravity.
//!
//! `cargo run --release -p outplay-table --example density -- connect4:5x5 [DATA]`
//!
//! Solves the game by `sweep`, marks the don't-cares (unreachable and finished positions, those with a win in
//! one, all but the first of each set of symmetric ones), writes the table with win/draw/loss and with distances,
//! and prints bytes per legal position and random probes per second of CPU time.

use outplay_core::{Code, Game, Index, Tier, Turn};
use outplay_games::mnk::{Board, Mnk, MnkIndex, Rules};
use outplay_runtime::NoMonitor;
use outplay_solve::{Reach, SweepValues, reach, sweep};
use outplay_table::{CellKind, Identity, Table, TierWriter, Values, Writer};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use rayon::prelude::*;
use std::error::Error;
use std::path::Path;
use std::time::Instant;

/// Number of timed probes.
const PROBES: usize = 400_000;
/// Distinct slots of warm probes, few enough to stay decoded.
const WARM: usize = 100;

struct Solved {
    game: Mnk<u64>,
    index: MnkIndex<u64>,
    reach: Reach,
    swept: SweepValues<i8>,
}

impl Solved {
    fn new(spec: &str) -> Result<Solved, Box<dyn Error>> {
        let game = Mnk::<u64>::new(Rules::parse(spec)?).ok_or("the board is too large")?;
        let index = MnkIndex::new(&game).ok_or("the board is too large")?;
        let start = game.start().ok_or("the game has no start")?;
        let reach = reach(&game, &index, &start, &NoMonitor)?;
        let swept = sweep(&game, &index, Some(&reach), &NoMonitor)?;
        Ok(Solved { game, index, reach, swept })
    }

    /// Whether the table must hold the position: the rules alone do not decide it, and it is the first of its
    /// symmetric set.
    fn counts(&self, tier: Tier, slot: u64, pos: &Board<u64>) -> bool {
        if !self.reach.has(tier, slot) || self.game.outcome(pos).is_some() {
            return false;
        }
        let mut moves = Vec::new();
        self.game.moves(pos, &mut moves);
        let turn: Turn = self.game.turn(pos);
        let wins = |&mv: &_| self.game.outcome(&self.game.play(pos, mv)).is_some_and(|p| turn.sees(p) > 0);
        if moves.iter().any(wins) {
            return false;
        }
        let mut images = Vec::new();
        self.game.symmetric(pos, &mut images);
        images.iter().all(|image| self.index.rank(image).1 >= slot)
    }

    /// The codes that a table stores, don't-cares marked.
    fn codes(&self, tier: Tier) -> Vec<i8> {
        let all = self.swept.codes(tier);
        let mut codes = vec![<i8 as Code>::UNKNOWN; all.len()];
        codes.par_chunks_mut(1 << 15).enumerate().for_each(|(i, codes)| {
            let from = (i as u64) << 15;
            self.index.walk(tier, from..from + codes.len() as u64, &mut |slot, pos| {
                if self.counts(tier, slot, pos) {
                    codes[(slot - from) as usize] = all[slot as usize];
                }
            });
        });
        codes
    }
}

/// CPU time of this thread, or wall time where that is unavailable.
fn cpu_seconds(start: Instant) -> f64 {
    std::fs::read_to_string("/proc/thread-self/schedstat")
        .ok()
        .and_then(|text| text.split(' ').next()?.parse::<f64>().ok())
        .map_or(start.elapsed().as_secs_f64(), |nanos| nanos / 1e9)
}

/// A table code of a distance code.
fn stored(values: Values, code: i8) -> i8 {
    if values == Values::Wdl && code != <i8 as Code>::UNKNOWN { code.signum() } else { code }
}

fn measure(
    solved: &Solved,
    spec: &str,
    values: Values,
    all: &[Vec<i8>],
    legal: u64,
    data: &Path,
) -> Result<(), Box<dyn Error>> {
    let slots = all.iter().map(|codes| codes.len() as u64).collect();
    let identity = Identity { spec: spec.into(), version: 1, values, cell: CellKind::I8, slots };
    let start = Instant::now();
    let writer = Writer::open(data, identity)?;
    for (tier, codes) in (0..).map(Tier).zip(all) {
        let codes: Vec<i8> = codes.par_iter().map(|&code| stored(values, code)).collect();
        let file: TierWriter<'_, i8> = writer.tier(tier)?;
        file.put_all(&codes)?;
        file.finish()?;
    }
    writer.finish(serde_json::json!({ "legal": legal }))?;
    let table = Table::open(data, spec, values)?;
    println!(
        "{values}: {} bytes, {:.4} per legal position, written in {:.1} s",
        table.bytes(),
        table.bytes() as f64 / legal as f64,
        start.elapsed().as_secs_f64()
    );
    if std::env::var_os("TIERS").is_some() {
        for tier in 0..all.len() as u32 {
            let path = data.join(table.name()).join(format!("tier-{tier:02}.opt"));
            println!("  tier {tier}: {} bytes", std::fs::metadata(path)?.len());
        }
    }
    // Every defined slot reads as it was written.
    let start = Instant::now();
    for (tier, codes) in (0..).map(Tier).zip(all) {
        let found: Vec<i8> = table.read_tier(tier)?;
        let wrong = found
            .par_iter()
            .zip(codes)
            .filter(|&(&found, &code)| code != <i8 as Code>::UNKNOWN && found != stored(values, code))
            .count();
        assert_eq!(wrong, 0, "tier {}", tier.0);
    }
    println!("{values}: read back whole in {:.2} s", start.elapsed().as_secs_f64());
    // Random legal positions, drawn as a random slot until it is reachable.
    let mut rng = SmallRng::seed_from_u64(1);
    let total = solved.index.total() as u64;
    let mut draw = || loop {
        let mut slot = rng.random_range(0..total);
        let mut tier = Tier(0);
        while slot >= solved.index.len(tier) {
            slot -= solved.index.len(tier);
            tier.0 += 1;
        }
        if solved.reach.has(tier, slot) {
            return (tier, slot);
        }
    };
    let cold: Vec<(Tier, u64)> = (0..PROBES).map(|_| draw()).collect();
    // Defined slots only: each of these probes decodes a block.
    let counted: Vec<(Tier, u64)> = std::iter::repeat_with(draw)
        .filter(|&(tier, slot)| all[tier.0 as usize][slot as usize] != <i8 as Code>::UNKNOWN)
        .take(PROBES)
        .collect();
    let warm: Vec<(Tier, u64)> = (0..PROBES).map(|i| counted[i % WARM]).collect();
    for (name, slots) in [("cold, legal", &cold), ("cold, stored", &counted), ("warm", &warm)] {
        let start = Instant::now();
        let before = cpu_seconds(start);
        let mut sum = 0i64;
        for &(tier, slot) in slots {
            sum += i64::from(table.code::<i8>(tier, slot)?.unwrap_or(0));
        }
        let seconds = cpu_seconds(start) - before;
        println!(
            "{values}: {name}: {:.0} probes per CPU second, {:.0} per second (sum {sum})",
            PROBES as f64 / seconds,
            PROBES as f64 / start.elapsed().as_secs_f64()
        );
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let spec = arguments.next().unwrap_or("connect4:5x5".into());
    let scratch = tempfile::tempdir()?;
    let data = arguments.next().map_or(scratch.path().to_path_buf(), Into::into);
    let start = Instant::now();
    let solved = Solved::new(&spec)?;
    let tiers = solved.index.tiers();
    let legal: u64 = (0..tiers).map(|tier| solved.reach.count(Tier(tier))).sum();
    let all: Vec<Vec<i8>> = (0..tiers).map(|tier| solved.codes(Tier(tier))).collect();
    let counted: usize =
        all.iter().map(|codes| codes.iter().filter(|&&code| code.unpack().is_some()).count()).sum();
    println!(
        "{spec}: {legal} legal positions, {counted} of them stored, {} slots, solved in {:.1} s",
        solved.index.total(),
        start.elapsed().as_secs_f64()
    );
    for values in [Values::Wdl, Values::Distance] {
        measure(&solved, &spec, values, &all, legal, &data)?;
    }
    Ok(())
}
