//! Answers as text for people.
//!
//! Colours come through `anstream`, which drops them for pipes and `NO_COLOR`.

use anstyle::{AnsiColor, Color, RgbColor, Style};
use outplay_catalog::{Answer, BookInfo, CheckReport, IndexReport, QueryAnswer, Rules, SolveAnswer};
use outplay_core::figures::{bytes, duration, grouped};
use outplay_core::{Content, LineBoard, Picture, Tone, Turn};
use std::io::{self, Write};

/// Okabe–Ito: told apart by colour-blind readers too.
pub(crate) const WIN: Style = rgb(0x00, 0x9e, 0x73);
pub(crate) const DRAW: Style = rgb(0xe6, 0x9f, 0x00);
pub(crate) const LOSS: Style = rgb(0xd5, 0x5e, 0x00);
pub(crate) const BOLD: Style = Style::new().bold();
pub(crate) const FAINT: Style = Style::new().dimmed();

const fn rgb(r: u8, g: u8, b: u8) -> Style {
    Style::new().fg_color(Some(Color::Rgb(RgbColor(r, g, b)))).bold()
}

fn ansi(color: AnsiColor) -> Style {
    Style::new().fg_color(Some(Color::Ansi(color))).bold()
}

fn tone(tone: Tone) -> Style {
    match tone {
        Tone::Plain => Style::new(),
        Tone::Faint => FAINT,
        Tone::First => ansi(AnsiColor::Blue),
        Tone::Second => ansi(AnsiColor::Magenta),
        Tone::Win => WIN,
        Tone::Draw => DRAW,
        Tone::Loss => LOSS,
    }
}

fn verdict(word: &str) -> Style {
    match word {
        "win" => WIN,
        "draw" => DRAW,
        "loss" => LOSS,
        _ => Style::new(),
    }
}

pub(crate) fn picture(out: &mut impl Write, picture: &Picture) -> io::Result<()> {
    for line in &picture.lines {
        for span in line {
            let style = tone(span.tone);
            write!(out, "{style}{}{style:#}", span.text)?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// A probability, or a mean payoff.
fn expectation(answer: &Answer) -> Option<String> {
    let (expected, mean) = (answer.expected?, answer.mean?);
    // Where the two differ, the first is a probability.
    Some(if expected == mean { format!("{mean:+.10}") } else { format!("{:.8} %", 100.0 * expected) })
}

/// `win in 5`, `draw`, `unknown`.
fn phrase(answer: &Answer) -> String {
    if let Some(text) = expectation(answer) {
        return text;
    }
    let mut text = answer.value.to_string();
    if answer.repetition {
        text += " by repetition";
    }
    if let Some(payoff) = answer.payoff {
        text += &format!(" of {}", payoff.abs());
    }
    match (answer.value, answer.distance) {
        ("draw", _) | (_, None) => text,
        (_, Some(plies)) => text + &format!(" in {plies}"),
    }
}

/// One sentence about who wins and when.
fn sentence(answer: &Answer, to_move: &str) -> String {
    let other = if to_move == "first" { "second" } else { "first" };
    let plies = |n: u32| if n == 1 { "1 ply".to_string() } else { format!("{n} plies") };
    if let Some(text) = expectation(answer) {
        let likely = answer.expected != answer.mean;
        return if likely {
            format!("the first player wins with a probability of {text}")
        } else {
            format!("the first player gets {text} in the mean")
        };
    }
    match (answer.value, answer.distance) {
        ("win", Some(0)) => format!("the game is over: the {to_move} player has won"),
        ("loss", Some(0)) => format!("the game is over: the {other} player has won"),
        ("draw", Some(0)) => "the game is over: a tie".to_string(),
        ("win", Some(n)) => format!("the {to_move} player wins in {}", plies(n)),
        ("loss", Some(n)) => format!("the {other} player wins in {}", plies(n)),
        ("win", None) => format!("the {to_move} player wins"),
        ("loss", None) => format!("the {other} player wins"),
        ("draw", _) if answer.repetition => "a draw: nobody can force an end".to_string(),
        ("draw", _) => "a draw".to_string(),
        ("none", _) => "solved".to_string(),
        _ => match answer.bounds {
            Some([-1, 0]) => format!("unknown so far, but the {to_move} player does not win"),
            Some([0, 1]) => format!("unknown so far, but the {to_move} player does not lose"),
            _ => "unknown so far".to_string(),
        },
    }
}

pub(crate) fn solve(
    out: &mut impl Write,
    answer: &SolveAnswer,
    elsewhere: bool,
    seconds: f64,
    peak: u64,
) -> io::Result<()> {
    let style = verdict(answer.answer.value);
    let side = answer.to_move.unwrap_or("first");
    writeln!(out, "{BOLD}{}{BOLD:#}: {style}{}{style:#}", answer.game, sentence(&answer.answer, side))?;
    if let (true, Some(position)) = (elsewhere, &answer.position) {
        writeln!(out, "  position  {position}")?;
    }
    if !answer.best.is_empty() {
        writeln!(out, "  best      {}", answer.best.join(" "))?;
    }
    if let Some(counts) = &answer.positions {
        let n = |count: u64| grouped(count);
        let view = if answer.merged { "the mover" } else { "the first player" };
        writeln!(out, "  positions {} legal, {} of them finished", n(counts.legal), n(counts.finished))?;
        writeln!(
            out,
            "            {WIN}{} won{WIN:#}, {DRAW}{} drawn{DRAW:#}, {LOSS}{} lost{LOSS:#} for {view}",
            n(counts.splits.win),
            n(counts.splits.draw),
            n(counts.splits.loss)
        )?;
    }
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
    if let Some(turns) = answer.by_turn.as_ref().filter(|_| answer.position.is_none()) {
        for (name, side) in [("first", turns.first), ("second", turns.second), ("mover", turns.mover)] {
            if let Some(side) = side {
                let n = |count: u64| grouped(count);
                let (win, draw, loss) = (n(side.win), n(side.draw), n(side.loss));
                writeln!(out, "  by turn   {name:<6} to move: {win} won, {draw} drawn, {loss} lost")?;
            }
        }
    }
    if let Some(settled) = answer.settled.filter(|settled| settled.rounds > 0) {
        let (change, tolerance) = (settled.change, settled.tolerance);
        writeln!(
            out,
            "  settled   after {} rounds, the last of which changed no value by more than {change:.1e} (allowed: {tolerance:.0e})",
            grouped(settled.rounds)
        )?;
    }
    if let Some(hits) = answer.probe_hits {
        writeln!(out, "  search    the table answered {} positions", grouped(hits))?;
    }
    if let Some(phases) = &answer.phases {
        let (solve, write) = (phases.solve_cpu_seconds, phases.write_cpu_seconds);
        writeln!(
            out,
            "  {FAINT}{} CPU for solving, {} for compressing and writing{FAINT:#}",
            duration(solve),
            duration(write)
        )?;
    }
    let work = match (answer.method, answer.colourings) {
        ("table", _) => "answered by the table".to_string(),
        ("dense", Some(colourings)) => format!("{colourings:.2e} colourings by dense"),
        (method, _) => format!("{} positions by {method}", grouped(answer.nodes)),
    };
    writeln!(out, "  {FAINT}{work} in {}, {} of memory{FAINT:#}", duration(seconds), bytes(peak))?;
    let stored = match &answer.table {
        None => match &answer.proof {
            Some(file) => format!("the proof is in {file}; `outplay check {file}` checks it"),
            None => "nothing was stored".to_string(),
        },
        Some(table) => {
            let word = if table.found { "found in" } else { "stored in" };
            format!("{word} {}/{} ({})", table.data, table.name, bytes(table.bytes))
        }
    };
    writeln!(out, "  {FAINT}{stored}{FAINT:#}")
}

pub(crate) fn query(out: &mut impl Write, answer: &QueryAnswer) -> io::Result<()> {
    let style = verdict(answer.answer.value);
    writeln!(out, "{BOLD}{}{BOLD:#}  {}", answer.game, answer.position)?;
    writeln!(
        out,
        "{style}{}{style:#} {FAINT}({} to move; {}){FAINT:#}",
        sentence(&answer.answer, answer.to_move),
        answer.to_move,
        source(answer.source)
    )?;
    let widest = answer.moves.iter().map(|mv| mv.mv.len()).max().unwrap_or(0);
    for mv in &answer.moves {
        let style = verdict(mv.answer.value);
        let mark = if answer.best.contains(&mv.mv) { "*" } else { " " };
        let likely = mv.answer.probability.map(|p| format!("  rolled with {:.2} %", 100.0 * p));
        let likely = likely.unwrap_or_default();
        let score = mv.score.map(|score| format!("  score {score:+}")).unwrap_or_default();
        writeln!(
            out,
            " {mark} {:<widest$}  {style}{:<12}{style:#}{FAINT}{score}{likely}{FAINT:#}",
            mv.mv,
            phrase(&mv.answer)
        )?;
    }
    if let Some(hits) = answer.probe_hits {
        writeln!(out, "{FAINT}the table answered {} positions of the search{FAINT:#}", grouped(hits))?;
    }
    if !answer.line.is_empty() {
        writeln!(out, "best line: {}", answer.line.join(" "))?;
    }
    Ok(())
}

fn source(word: &str) -> &str {
    match word {
        "rules" => "by the rules",
        "table" => "from the table",
        "book" => "from the book",
        _ => "by search",
    }
}

/// What stands under the picture of a position.
pub(crate) fn legend(out: &mut impl Write, answer: &QueryAnswer) -> io::Result<()> {
    let style = verdict(answer.answer.value);
    writeln!(
        out,
        "\n{style}{}{style:#} {FAINT}({} to move){FAINT:#}",
        sentence(&answer.answer, answer.to_move),
        answer.to_move
    )?;
    if !answer.best.is_empty() {
        writeln!(out, "best: {}", answer.best.join(" "))?;
    }
    if answer.moves.iter().any(|mv| matches!(mv.answer.value, "win" | "draw" | "loss")) {
        writeln!(out, "{FAINT}+n wins in n plies, = draws, -n loses in n{FAINT:#}")?;
    }
    Ok(())
}

pub(crate) fn rules(out: &mut impl Write, rules: &Rules) -> io::Result<()> {
    writeln!(out, "{BOLD}S{BOLD:#} = {{")?;
    for chunk in rules.positions.chunks(6) {
        writeln!(out, "  {}", chunk.join("  "))?;
    }
    writeln!(out, "}}")?;
    writeln!(out, "{BOLD}I{BOLD:#} = {}", rules.start)?;
    for (pos, next) in &rules.successors {
        writeln!(out, "{BOLD}Succs{BOLD:#} {pos} = {{ {} }}", next.join(", "))?;
    }
    let terminals: Vec<&str> = rules.terminals.iter().map(|(pos, _)| pos.as_str()).collect();
    writeln!(out, "{BOLD}T{BOLD:#} = {{ {} }}", terminals.join(", "))?;
    for (pos, payoff) in &rules.terminals {
        writeln!(out, "{BOLD}V{BOLD:#} {pos} = {payoff:+}")?;
    }
    Ok(())
}

pub(crate) fn index(out: &mut impl Write, report: &IndexReport) -> io::Result<()> {
    let kind = if report.index == "tight" { "tight index, by arithmetic" } else { "index by exploration" };
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

pub(crate) fn check(out: &mut impl Write, report: &CheckReport) -> io::Result<()> {
    let seen = if report.complete { "all" } else { "the first" };
    writeln!(out, "{BOLD}{}{BOLD:#}: {seen} {} positions explored", report.game, grouped(report.positions))?;
    let mut line = |name: &str, holds: Option<bool>, why: &str| {
        let (style, word) = match holds {
            Some(true) => (WIN, "yes"),
            Some(false) => (LOSS, "no"),
            None => (DRAW, "not known: more positions than were explored"),
        };
        writeln!(out, "  {name:<20} {style}{word}{style:#}{FAINT}{why}{FAINT:#}")
    };
    line("two players", report.two_players, "")?;
    line("zero sum", Some(report.zero_sum), "  (one payoff serves both players)")?;
    line("finite", report.finite, "")?;
    line("deterministic", report.deterministic, "")?;
    line("perfect information", Some(report.perfect_information), "  (both see the position)")?;
    line(
        "acyclic",
        report.acyclic,
        if report.acyclic == Some(false) { "  (play can return to an earlier position)" } else { "" },
    )
}

pub(crate) fn book(out: &mut impl Write, info: &BookInfo) -> io::Result<()> {
    let BookInfo { width, height, k, plies, bytes: size } = info;
    writeln!(
        out,
        "{BOLD}{width}x{height}, {k} in a row{BOLD:#}: all positions of up to {plies} stones, {}",
        bytes(*size)
    )
}

/// The game and the position that a proof is about.
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
