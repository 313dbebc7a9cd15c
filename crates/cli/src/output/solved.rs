//! Text output of `solve`: the value, position counts, the solver's work, and where the result is stored.

use super::{BOLD, DRAW, FAINT, LOSS, PlayerNames, WIN, sentence, verdict};
use outplay_core::figures::{bytes, duration, grouped};
use outplay_core::{Counters, Turn};
use outplay_workbench::{Answer, Method, PartialTable, SolveAnswer, SolveOrigin};
use std::io::{self, Write};

/// Writes the value, the position counts, the solver's work and where the result is stored.
pub(crate) fn solve(
    out: &mut impl Write,
    words: &PlayerNames,
    answer: &SolveAnswer,
    elsewhere: bool,
    seconds: f64,
    peak: u64,
) -> io::Result<()> {
    value(out, words, answer, elsewhere)?;
    positions(out, answer)?;
    longest(out, answer)?;
    by_turn(out, answer)?;
    convergence(out, answer)?;
    search(out, answer)?;
    for note in &answer.notes {
        writeln!(out, "  {FAINT}{note}{FAINT:#}")?;
    }
    let time = if (0.01..1.0).contains(&seconds) { format!("{seconds:.2} s") } else { duration(seconds) };
    let work = work(answer);
    writeln!(out, "  {FAINT}{work} {time}, peak memory {}{FAINT:#}", bytes(peak))?;
    writeln!(out, "  {FAINT}{}{FAINT:#}", stored(answer))
}

/// The value and the best moves of the position.
fn value(out: &mut impl Write, words: &PlayerNames, answer: &SolveAnswer, elsewhere: bool) -> io::Result<()> {
    let style = verdict(&answer.answer);
    let side = answer.to_move.unwrap_or(Turn::First);
    // A game without a start is solved or not; a position has a value.
    let result = match (&answer.position, &answer.answer) {
        (None, Answer::Unknown { .. }) => "not solved".to_string(),
        (_, value) => sentence(words, value, side),
    };
    writeln!(out, "{BOLD}{}{BOLD:#}: {style}{result}{style:#}", answer.game)?;
    if let (true, Some(position)) = (elsewhere, &answer.position) {
        writeln!(out, "  position  {position}")?;
    }
    if !answer.best.is_empty() {
        writeln!(out, "  best      {}", answer.best.join(" "))?;
    }
    Ok(())
}

/// Legal positions by value.
fn positions(out: &mut impl Write, answer: &SolveAnswer) -> io::Result<()> {
    if let Some(counts) = &answer.positions {
        let n = |count: u64| grouped(count);
        let view = if answer.merged { "the player to move" } else { "the first player" };
        writeln!(out, "  positions {} legal, {} of them finished", n(counts.legal), n(counts.finished))?;
        writeln!(
            out,
            "            {WIN}{} won{WIN:#}, {DRAW}{} drawn{DRAW:#}, {LOSS}{} lost{LOSS:#} for {view}",
            n(counts.splits.win),
            n(counts.splits.draw),
            n(counts.splits.loss)
        )?;
    }
    Ok(())
}

/// The longest wins and losses.
fn longest(out: &mut impl Write, answer: &SolveAnswer) -> io::Result<()> {
    if let Some(longest) = &answer.longest {
        let sides = [("first", longest.first), ("second", longest.second), ("mover", longest.mover)];
        for (name, side) in sides.iter().filter_map(|(name, side)| side.map(|side| (name, side))) {
            let plies = |n: Option<u32>| n.map_or("none".to_string(), |n| format!("{n} plies"));
            writeln!(
                out,
                "  longest   {name:<6} to move: win {}, loss {}",
                plies(side.win),
                plies(side.loss)
            )?;
        }
    }
    Ok(())
}

/// Positions by whose turn it is, for games without a start.
fn by_turn(out: &mut impl Write, answer: &SolveAnswer) -> io::Result<()> {
    if let Some(turns) = answer.by_turn.as_ref().filter(|_| answer.position.is_none()) {
        for (name, side) in [("first", turns.first), ("second", turns.second), ("mover", turns.mover)] {
            if let Some(side) = side {
                let n = |count: u64| grouped(count);
                let (win, draw, loss) = (n(side.win), n(side.draw), n(side.loss));
                writeln!(out, "  by turn   {name:<6} to move: {win} won, {draw} drawn, {loss} lost")?;
            }
        }
    }
    Ok(())
}

/// Rounds of value iteration, levels and sweeps.
fn convergence(out: &mut impl Write, answer: &SolveAnswer) -> io::Result<()> {
    if let Some(settled) = answer.settled.filter(|settled| settled.rounds > 0) {
        let (change, tolerance) = (settled.change, settled.tolerance);
        writeln!(
            out,
            "  converged after {} iterations, residual {change:.1e} (tolerance {tolerance:.0e})",
            grouped(settled.rounds)
        )?;
    }
    if let Some(bound) = answer.settled.and_then(|settled| settled.bound) {
        writeln!(out, "  bound     every mean is within {bound:.1e} of the exact value")?;
    }
    if let Some(levels) = &answer.levels {
        let sizes: Vec<String> = levels.iter().map(|&size| grouped(size as u64)).collect();
        writeln!(out, "  levels    {}", sizes.join(" "))?;
    }
    if let Some(sweeps) = &answer.sweeps {
        let changed: Vec<String> = sweeps.iter().map(|&count| grouped(count)).collect();
        writeln!(out, "  sweeps    {}; values changed by each sweep: {}", sweeps.len(), changed.join(" "))?;
        writeln!(out, "            {FAINT}the last sweep changed nothing: fixed point{FAINT:#}")?;
    }
    Ok(())
}

/// Counters of a search, and processor time by phase.
fn search(out: &mut impl Write, answer: &SolveAnswer) -> io::Result<()> {
    if let Some(counters) = &answer.counters {
        count_lines(out, counters, answer.depth)?;
    }
    if let Some(hits) = answer.probe_hits {
        writeln!(out, "  search    {} table hits", grouped(hits))?;
    }
    if let Some(phases) = &answer.phases {
        let (solve, write) = (phases.solve_cpu_seconds, phases.write_cpu_seconds);
        writeln!(
            out,
            "  {FAINT}CPU time: {} for solving, {} for compressing and writing{FAINT:#}",
            duration(solve),
            duration(write)
        )?;
    }
    Ok(())
}

/// Writes search counters, a few to a line.
fn count_lines(out: &mut impl Write, counters: &Counters, depth: Option<u32>) -> io::Result<()> {
    let mut words: Vec<String> = depth.map(|plies| format!("{plies} plies deep")).into_iter().collect();
    words.extend(counters.words().into_iter().map(|(count, word)| format!("{} {word}", grouped(count))));
    for (i, line) in words.chunks(4).enumerate() {
        writeln!(out, "  {:<9} {}", if i == 0 { "search" } else { "" }, line.join(", "))?;
    }
    Ok(())
}

/// The source of the answer, or the amount of work that it took.
fn work(answer: &SolveAnswer) -> String {
    let unknown = matches!(answer.answer, Answer::Unknown { .. });
    match (answer.method, &answer.positions) {
        (SolveOrigin::Table, _) => "answered from the table in".to_string(),
        (SolveOrigin::Book, _) => "answered from the opening book in".to_string(),
        (SolveOrigin::Kept, _) => "answered from a cached result in".to_string(),
        (SolveOrigin::Theory, _) => "answered by theory in".to_string(),
        (SolveOrigin::By(Method::Dense), Some(positions)) => {
            format!("{} positions by bit-planes in", grouped(positions.legal))
        }
        (SolveOrigin::By(Method::Dense), None) if !unknown => "all positions by bit-planes in".to_string(),
        // A solve that timed out does not report its work.
        (SolveOrigin::By(_), _) if unknown && answer.nodes == 0 => "stopped after".to_string(),
        (SolveOrigin::By(method), _) => format!("{} positions by {method} in", grouped(answer.nodes)),
    }
}

/// Where the table or the proof is.
fn stored(answer: &SolveAnswer) -> String {
    if let Some(table) = &answer.table {
        let word = if table.found { "found in" } else { "stored in" };
        return format!("{word} {}/{} ({})", table.data, table.name, bytes(table.bytes));
    }
    match (&answer.proof, &answer.partial) {
        (Some(file), _) => format!("proof written to {file}; check it with `outplay check {file}`"),
        (None, Some(partial)) => {
            let PartialTable { data, tiers_written, tiers, .. } = partial;
            format!(
                "unfinished table in {data} ({}, {tiers_written} of {tiers} tiers); the same command resumes it",
                bytes(partial.bytes)
            )
        }
        (None, None) => "no table was stored".to_string(),
    }
}
