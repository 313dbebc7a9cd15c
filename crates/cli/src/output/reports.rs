//! Text output of reports about a whole game: its index, its written-out rules, its properties and its opening book.

use super::{BOLD, DRAW, FAINT, LOSS, WIN};
use outplay_core::figures::{bytes, grouped};
use outplay_core::{Content, LineBoard, Turn};
use outplay_teach::WrittenOut;
use outplay_workbench::{BookInfo, CheckReport, IndexCheck, IndexReport, NumberedPosition};
use std::io::{self, Write};

/// Writes the size of an index, tier by tier.
pub(crate) fn index(out: &mut impl Write, report: &IndexReport) -> io::Result<()> {
    let kind = if report.index == "tight" { "tight index (computed)" } else { "explored index" };
    writeln!(out, "{BOLD}{}{BOLD:#}: {kind}", report.game)?;
    let sizes: Vec<String> = report.tiers.iter().map(|tier| grouped(tier.size)).collect();
    let total = report.size.map(grouped);
    let wide = sizes.iter().chain(&total).map(String::len).max().unwrap_or(4).max(4);
    let share = |reached: u64, size: u128| if size == 0 { 0.0 } else { 100.0 * reached as f64 / size as f64 };
    if report.reachable.is_some() {
        writeln!(
            out,
            "{FAINT}tier  {:>wide$}  {:>wide$}  share{FAINT:#}",
            "size",
            "reachable",
            wide = wide.max(9)
        )?;
    } else {
        writeln!(out, "{FAINT}tier  {:>wide$}{FAINT:#}", "size", wide = wide.max(9))?;
    }
    let wide = wide.max(9);
    for (tier, size) in report.tiers.iter().zip(&sizes) {
        match tier.reachable {
            Some(n) => writeln!(
                out,
                "{:<4}  {size:>wide$}  {:>wide$}  {:.1} %",
                tier.tier,
                grouped(n),
                share(n, tier.size)
            )?,
            None => writeln!(out, "{:<4}  {size:>wide$}", tier.tier)?,
        }
    }
    match (total, report.reachable) {
        (None, _) => writeln!(out, "the size exceeds 128 bits: more than 3.4e38 positions"),
        (Some(total), Some(n)) => {
            let all = report.size.unwrap_or(0);
            writeln!(out, "{BOLD}all   {total:>wide$}  {:>wide$}  {:.1} %{BOLD:#}", grouped(n), share(n, all))
        }
        (Some(total), None) => writeln!(out, "{BOLD}all   {total:>wide$}{BOLD:#}"),
    }
}

/// Writes a position and its rank.
pub(crate) fn ranked(out: &mut impl Write, ranked: &NumberedPosition) -> io::Result<()> {
    let place = format!("number {} of tier {}", grouped(ranked.place), ranked.tier);
    writeln!(out, "{BOLD}{}{BOLD:#} {FAINT}({place}){FAINT:#}", ranked.number)?;
    match &ranked.position {
        Some(position) => writeln!(out, "{position}")?,
        None => writeln!(out, "{DRAW}hole{DRAW:#}: no position has this number")?,
    }
    ranked.unreached.iter().try_for_each(|why| writeln!(out, "{FAINT}{why}{FAINT:#}"))
}

/// Writes whether an index obeys the laws that dynamic programming requires.
pub(crate) fn index_check(out: &mut impl Write, check: &IndexCheck) -> io::Result<()> {
    let which = if check.all { "all" } else { "random sample" };
    writeln!(
        out,
        "{BOLD}{}{BOLD:#}: {} of {} numbers checked ({which}), {} moves",
        check.game,
        grouped(check.checked),
        grouped(check.size),
        grouped(check.moves)
    )?;
    let mut line = |what: &str, count: u64, ok: &str, trouble: &str| {
        let (style, word) = if count == 0 { (WIN, "yes") } else { (LOSS, "no") };
        let more = if count == 0 { ok.into() } else { format!("{} {trouble}", grouped(count)) };
        writeln!(out, "  {what:<15} {style}{word:<3}{style:#} {FAINT}{more}{FAINT:#}")
    };
    line("injective", check.twice, "rank(unrank(n)) = n for every number", "positions have another number")?;
    line("no holes", check.holes, "every number has a position", "numbers have no position")?;
    line("children later", check.back, "one sweep from the last number solves it", "moves lead back")?;
    line("index laws", check.broken, "the solvers can use the index", "numbers break a law")?;
    if let Some((position, mv)) = &check.example {
        writeln!(out, "  {FAINT}example: {mv} at {position}{FAINT:#}")?;
    }
    if let Some(law) = &check.law {
        writeln!(out, "  {FAINT}broken law: {law}{FAINT:#}")?;
    }
    Ok(())
}

/// Writes the conditions of game theory that a game meets.
pub(crate) fn check(out: &mut impl Write, report: &CheckReport) -> io::Result<()> {
    match (report.complete, report.positions.0) {
        (_, 0) => {
            writeln!(out, "{BOLD}{}{BOLD:#}: known from the rules, without exploring the game", report.game)?
        }
        (complete, positions) => {
            let seen = if complete { "all" } else { "the first" };
            writeln!(out, "{BOLD}{}{BOLD:#}: {seen} {} positions explored", report.game, grouped(positions))?;
        }
    }
    let mut line = |name: &str, holds: Option<bool>, why: &str| {
        let (style, word) = match holds {
            Some(true) => (WIN, "yes"),
            Some(false) => (LOSS, "no"),
            None => (DRAW, "not known: the game has more positions than were explored"),
        };
        writeln!(out, "  {name:<20} {style}{word}{style:#}{FAINT}{why}{FAINT:#}")
    };
    line("two players", report.two_players, "")?;
    line(
        "zero sum",
        Some(report.zero_sum),
        "  (the second player's payoff is the negative of the first player's)",
    )?;
    line("finite", report.finite, "")?;
    line("deterministic", report.deterministic, "")?;
    line("perfect information", Some(report.perfect_information), "  (both players see the whole position)")?;
    line(
        "acyclic",
        report.acyclic,
        if report.acyclic == Some(false) { "  (play can return to an earlier position)" } else { "" },
    )
}

/// Writes the contents of a book.
pub(crate) fn book(out: &mut impl Write, info: &BookInfo) -> io::Result<()> {
    let BookInfo { width, height, k, plies, bytes: size } = info;
    writeln!(
        out,
        "{BOLD}{width}x{height}, {k} in a row{BOLD:#}: all positions with up to {plies} stones, {}",
        bytes(*size)
    )
}

/// Writes the whole game: positions, successors, terminal values.
pub(crate) fn rules(out: &mut impl Write, rules: &WrittenOut) -> io::Result<()> {
    writeln!(out, "{BOLD}S{BOLD:#} = {{")?;
    for chunk in rules.positions.chunks(6) {
        writeln!(out, "  {}", chunk.join("  "))?;
    }
    writeln!(out, "}}")?;
    writeln!(out, "{BOLD}I{BOLD:#} = {}", rules.start)?;
    for (pos, next) in &rules.successors {
        let odds = rules.probabilities.iter().find(|(known, _)| known == pos).map(|(_, odds)| odds);
        let listed = match odds {
            None => next.join(", "),
            Some(odds) => {
                let rolled = |(next, odds): &(String, f64)| format!("{next} with {odds:.4}");
                odds.iter().map(rolled).collect::<Vec<_>>().join(", ")
            }
        };
        writeln!(out, "{BOLD}Succs{BOLD:#} {pos} = {{ {listed} }}")?;
    }
    let terminals: Vec<&str> = rules.terminals.iter().map(|(pos, _)| pos.as_str()).collect();
    writeln!(out, "{BOLD}T{BOLD:#} = {{ {} }}", terminals.join(", "))?;
    for (pos, payoff) in &rules.terminals {
        writeln!(out, "{BOLD}V{BOLD:#} {pos} = {payoff:+}")?;
    }
    Ok(())
}

/// Returns the game and the position that a proof is about.
pub(crate) fn claimed(board: &LineBoard) -> (String, String) {
    let letter = |content: Content| match content {
        Content::Empty => '.',
        Content::Blocked => '#',
        Content::First => 'x',
        Content::Second => 'o',
    };
    let row =
        |row: usize| (0..board.width).map(|column| letter(board.cells[board.cell(column, row)])).collect();
    let rows: Vec<String> = (0..board.height).rev().map(row).collect();
    let turn = if board.turn == Turn::First { "x" } else { "o" };
    (format!("mnk:{}x{},k={}", board.width, board.height, board.k), format!("{} {turn}", rows.join("/")))
}
