//! Solver benchmark: colourings per second of wall and CPU time, and peak memory.
//!
//! ```text
//! cargo run --release -p outplay-bitplane --example speed -- 5x5,4,gravity wdl|distance
//!     [counts] [export] [avx2|portable] [flat] [threads=N] [runs=N]
//! ```

use outplay_bitplane::{BitplaneOptions, Level, Sink, Slots, plan, solve};
use outplay_core::LineBoard;
use outplay_runtime::NoMonitor;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// Sink that counts the slots.
#[derive(Default)]
struct Bin(AtomicU64, AtomicU64);

impl Sink for Bin {
    fn wants(&self, _tier: usize) -> bool {
        true
    }
    fn put(&self, slots: Slots<'_>) -> Result<(), String> {
        let known = slots.codes.iter().filter(|&&code| code != i8::MIN).count();
        self.0.fetch_add(slots.codes.len() as u64, Ordering::Relaxed);
        self.1.fetch_add(known as u64, Ordering::Relaxed);
        Ok(())
    }
    fn end(&self, _tier: usize) -> Result<(), String> {
        Ok(())
    }
}

/// User and system seconds of this process so far.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after = stat.rsplit(')').next().unwrap_or_default();
    let ticks = after.split_whitespace().skip(11).take(2).filter_map(|t| t.parse::<f64>().ok());
    ticks.sum::<f64>() / 100.0
}

/// Peak resident memory of this process in bytes.
fn peak_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("0");
    line.split_whitespace().next().and_then(|kb| kb.parse::<u64>().ok()).unwrap_or(0) * 1024
}

fn board(text: &str) -> Option<LineBoard> {
    let mut parts = text.split(',');
    let (width, height) = parts.next()?.split_once('x')?;
    let mut board = LineBoard::empty(width.parse().ok()?, height.parse().ok()?, parts.next()?.parse().ok()?);
    for flag in parts {
        match flag {
            "gravity" => board.gravity = true,
            "misere" => board.misere = true,
            _ => return None,
        }
    }
    Some(board)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let usage = "usage: speed WxH,k[,gravity][,misere] wdl|distance [counts] [export] [avx2|portable] [flat] [threads=N] [runs=N] [memory=GB]";
    let board = words.first().and_then(|word| board(word)).ok_or(usage)?;
    let mut options =
        if words.iter().any(|w| w == "wdl") { BitplaneOptions::wdl() } else { BitplaneOptions::distance() };
    let (mut export, mut runs) = (false, 5);
    for word in words.iter().skip(1) {
        match word.split_once('=').unwrap_or((word, "")) {
            ("wdl" | "distance", _) => {}
            ("counts", _) => options.counts = true,
            ("export", _) => export = true,
            ("flat", _) => options.mirror = false,
            ("avx2", _) => options.level = Some(Level::Avx2),
            ("portable", _) => options.level = Some(Level::Portable),
            ("threads", n) => options.threads = n.parse()?,
            ("runs", n) => runs = n.parse()?,
            ("memory", n) => options.memory = Some((n.parse::<f64>()? * 1e9) as u64),
            _ => return Err(usage.into()),
        }
    }
    let plan = plan(&board, &options, export)?;
    println!("plan: {plan}");
    if runs == 0 {
        return Ok(());
    }
    let mut times = Vec::new();
    for run in 0..runs {
        let bin = Bin::default();
        let (wall, cpu) = (Instant::now(), cpu_seconds());
        let sink: Option<&dyn Sink> = if export { Some(&bin) } else { None };
        let solution = solve(&board, &options, &NoMonitor, sink)?;
        let (wall, cpu) = (wall.elapsed().as_secs_f64(), cpu_seconds() - cpu);
        times.push((wall, cpu));
        if run == 0 {
            println!("value: {} {:?}, best {:?}", solution.verdict, solution.value, solution.best);
            if let Some(counts) = solution.counts {
                let total = counts.total();
                println!(
                    "legal {} finished {} win {} draw {} loss {}",
                    total.legal, total.finished, total.win, total.draw, total.loss
                );
                println!("win in {:?}\nloss in {:?}", total.win_in, total.loss_in);
            }
            if export {
                println!("slots {} of which {} matter", bin.0.into_inner(), bin.1.into_inner());
            }
        }
    }
    times.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (wall, _) = times[times.len() / 2];
    times.sort_by(|a, b| a.1.total_cmp(&b.1));
    let (_, cpu) = times[times.len() / 2];
    println!(
        "wall {wall:.3} s ({:.2e} colourings/s), cpu {cpu:.2} s ({:.2e} colourings/s), peak {:.1} MB, median of {runs}",
        plan.colourings / wall,
        plan.colourings / cpu,
        peak_bytes() as f64 / 1e6
    );
    Ok(())
}
