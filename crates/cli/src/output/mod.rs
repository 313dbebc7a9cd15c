//! Text output of the answers about a position: `query`, `why`, `puzzle`, `history`, `move` and evaluations.
//!
//! Styles have 24-bit colours. `anstream` drops them in pipes and if `NO_COLOR` is set, and `in_16_colours` replaces
//! them where the terminal does not announce 24-bit colours.

mod reports;
mod solved;

pub(crate) use reports::{book, check, claimed, index, index_check, ranked, rules};
pub(crate) use solved::solve;

use crate::moving::MoveReport;
use anstyle::{AnsiColor, Color, RgbColor, Style};
use outplay_core::figures::grouped;
use outplay_core::{Notation, Picture, Tone, Turn, Verdict};
use outplay_teach::Evaluation;
use outplay_teach::{Explanation, History, JudgedMoves, Puzzle};
use outplay_workbench::{Answer, GameHandle, MoveAnswer, QueryAnswer, Source};
use std::borrow::Cow;
use std::io::{self, Write};

/// Most cells whose values are printed.
const MOST_CELLS: usize = 60;
/// Most characters of a position that are printed.
const READ: usize = 400;

/// The Okabe–Ito palette, which colour-blind readers can distinguish.
pub(crate) const WIN: Style = rgb(0x00, 0x9e, 0x73);
pub(crate) const DRAW: Style = rgb(0xe6, 0x9f, 0x00);
pub(crate) const LOSS: Style = rgb(0xd5, 0x5e, 0x00);
pub(crate) const BOLD: Style = Style::new().bold();
pub(crate) const FAINT: Style = Style::new().dimmed();

const fn rgb(r: u8, g: u8, b: u8) -> Style {
    Style::new().fg_color(Some(Color::Rgb(RgbColor(r, g, b)))).bold()
}

/// Replaces the palette by the nearest of the 16 colours.
pub(crate) fn in_16_colours(text: &str) -> String {
    let nearest = [(WIN, AnsiColor::Green), (DRAW, AnsiColor::Yellow), (LOSS, AnsiColor::Red)];
    nearest.iter().fold(text.to_string(), |text, (style, color)| {
        let rich = style.get_fg_color().map(|color| color.render_fg().to_string()).unwrap_or_default();
        text.replace(&rich, &color.render_fg().to_string())
    })
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

fn verdict(answer: &Answer) -> Style {
    match answer.verdict() {
        Some(Verdict::Win) => WIN,
        Some(Verdict::Draw) => DRAW,
        Some(Verdict::Loss) => LOSS,
        None => Style::new(),
    }
}

/// Names of the players, and whether a win is a mate.
pub(crate) struct PlayerNames {
    first: &'static str,
    second: &'static str,
    /// A win is a mate, and its distance counts the winner's moves.
    mates: bool,
}

impl PlayerNames {
    /// Returns the names that suit a game.
    pub(crate) fn of(entry: &GameHandle) -> PlayerNames {
        match entry.game().mates() {
            true => PlayerNames { first: "White", second: "Black", mates: true },
            false => PlayerNames { first: "the first player", second: "the second player", mates: false },
        }
    }

    fn name(&self, turn: Turn) -> &'static str {
        if turn == Turn::Second { self.second } else { self.first }
    }

    /// The side to move, as a word.
    fn to_move(&self, turn: Turn) -> &'static str {
        match turn {
            Turn::First if self.mates => "White",
            Turn::Second if self.mates => "Black",
            turn => turn.word(),
        }
    }
}

/// Formats a large count in words: `28.6 million`.
pub(crate) fn large(count: f64) -> String {
    match count {
        n if n < 1e6 => grouped(n as u128),
        n if n < 1e9 => format!("{:.1} million", n / 1e6),
        n if n < 1e12 => format!("{:.1} billion", n / 1e9),
        n if n < 1e15 => format!("{:.1} trillion", n / 1e12),
        n => format!("{n:.2e}"),
    }
}

/// Truncates a long position; large boards have lines of thousands of characters.
fn shortened(position: &str) -> Cow<'_, str> {
    match position.char_indices().nth(READ) {
        Some((end, _)) => format!("{}… (--json prints the whole position)", &position[..end]).into(),
        None => position.into(),
    }
}

/// Wraps text at `width` characters.
pub(crate) fn wrapped(text: &str, width: usize) -> String {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_string()),
        }
    }
    lines.join("\n")
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

/// Formats a probability or a mean payoff.
fn expectation(answer: &Answer) -> Option<String> {
    let (expected, mean) = (answer.expected()?, answer.mean()?);
    Some(if answer.is_probability() { format!("{:.8} %", 100.0 * expected) } else { format!("{mean:+.10}") })
}

/// Formats a value: `win in 5`, `draw`, `unknown`.
fn phrase(answer: &Answer) -> String {
    if let Some(text) = expectation(answer) {
        return text;
    }
    let Some(verdict) = answer.verdict() else {
        return match answer.bounds() {
            Some([-1, 0]) => "at most a draw".into(),
            Some([0, 1]) => "at least a draw".into(),
            _ => "unknown".into(),
        };
    };
    let mut text = verdict.to_string();
    if answer.is_repetition() {
        text += " by repetition";
    }
    if let Some(payoff) = answer.payoff() {
        text += &format!(" of {}", payoff.abs());
    }
    match (verdict, answer.distance()) {
        (Verdict::Draw, _) | (_, None) => text,
        (_, Some(plies)) => text + &format!(" in {plies}"),
    }
}

/// Formats the result as one sentence: the winner and the distance.
fn sentence(words: &PlayerNames, answer: &Answer, to_move: Turn) -> String {
    let (mover, other) = (words.name(to_move), words.name(to_move.other()));
    if let Some(text) = expectation(answer) {
        return match answer.is_probability() {
            true => format!("the first player wins with a probability of {text}"),
            false => format!("the expected payoff of the first player is {text}"),
        };
    }
    let wins = |who: &str, plies: Option<u32>| match plies {
        Some(plies) if words.mates => format!("{who} mates in {} ({plies} plies)", plies.div_ceil(2)),
        Some(1) => format!("{who} wins in 1 ply"),
        Some(plies) => format!("{who} wins in {plies} plies"),
        None => format!("{who} wins"),
    };
    let over = answer.distance() == Some(0);
    match answer.verdict() {
        Some(Verdict::Win) if over => format!("the game is over: {mover} has won"),
        Some(Verdict::Loss) if over => format!("the game is over: {other} has won"),
        Some(Verdict::Draw) if over => "the game is over: a tie".to_string(),
        Some(Verdict::Win) => wins(mover, answer.distance()),
        Some(Verdict::Loss) => wins(other, answer.distance()),
        Some(Verdict::Draw) if answer.is_repetition() => {
            "a draw by repetition: neither player can force an end".to_string()
        }
        Some(Verdict::Draw) => "a draw".to_string(),
        None => match answer {
            Answer::None => "solved".to_string(),
            Answer::Unknown { low: -1, high: 0 } => format!("unknown so far: at most a draw for {mover}"),
            Answer::Unknown { low: 0, high: 1 } => format!("unknown so far: at least a draw for {mover}"),
            _ => "unknown so far".to_string(),
        },
    }
}

pub(crate) fn query(
    out: &mut impl Write,
    words: &PlayerNames,
    answer: &QueryAnswer,
    best_only: bool,
) -> io::Result<()> {
    let style = verdict(&answer.answer);
    writeln!(out, "{BOLD}{}{BOLD:#}  {}", answer.game, shortened(&answer.position))?;
    writeln!(
        out,
        "{style}{}{style:#} {FAINT}({} to move; {}){FAINT:#}",
        sentence(words, &answer.answer, answer.to_move),
        words.to_move(answer.to_move),
        source(answer.source)
    )?;
    if best_only {
        best(out, answer)?;
        return notes(out, answer);
    }
    // Moves of unknown value are listed together at the end.
    let (open, known): (Vec<&MoveAnswer>, Vec<&MoveAnswer>) =
        answer.moves.iter().partition(|mv| matches!(mv.answer, Answer::Unknown { .. }));
    let widest = known.iter().map(|mv| mv.mv.chars().count()).max().unwrap_or(0);
    for mv in known {
        let style = verdict(&mv.answer);
        let mark = if answer.best.contains(&mv.mv) { "*" } else { " " };
        let likely = mv.probability.map(|p| format!("  probability {:.2} %", 100.0 * p));
        let likely = likely.unwrap_or_default();
        let score = mv.score.map(|score| format!("  score {score:+}")).unwrap_or_default();
        let san = mv.san.as_ref().map(|san| format!("  {san}")).unwrap_or_default();
        writeln!(
            out,
            " {mark} {:<widest$}  {style}{:<12}{style:#}{FAINT}{san}{score}{likely}{FAINT:#}",
            mv.mv,
            phrase(&mv.answer)
        )?;
    }
    let (mut guessed, open): (Vec<&MoveAnswer>, Vec<&MoveAnswer>) =
        open.into_iter().partition(|mv| mv.opinion.is_some());
    guessed.sort_by(|a, b| b.opinion.unwrap_or(0.0).total_cmp(&a.opinion.unwrap_or(0.0)));
    for mv in guessed {
        writeln!(out, "   {}  {}", mv.mv, opinion(mv.opinion.unwrap_or(0.0)))?;
    }
    let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
    for mv in open {
        let phrase = phrase(&mv.answer);
        match groups.iter_mut().find(|(known, _)| *known == phrase) {
            Some((_, moves)) => moves.push(&mv.mv),
            None => groups.push((phrase, vec![&mv.mv])),
        }
    }
    for (phrase, moves) in groups {
        writeln!(out, "   {FAINT}{phrase} ({}):{FAINT:#} {}", moves.len(), moves.join(" "))?;
    }
    if let Some(hits) = answer.probe_hits {
        writeln!(out, "{FAINT}{} table hits during the search{FAINT:#}", grouped(hits))?;
    }
    if let Some(bound) = answer.bound {
        writeln!(out, "{FAINT}every mean is within {bound:.1e} of the exact value{FAINT:#}")?;
    }
    if !answer.line.is_empty() {
        let cut = if answer.line_complete { "" } else { " …" };
        writeln!(out, "best line: {}{cut}", answer.line.join(" "))?;
    }
    notes(out, answer)
}

/// A heuristic's number, marked as one.
fn opinion(payoff: f64) -> String {
    // Rounded to zero, a number has no sign.
    let rounded = (payoff * 100.0).round() / 100.0 + 0.0;
    format!("≈ {rounded:+.2}")
}

/// Writes a move with its value, or with the opinion of the player who chose it.
pub(crate) fn chosen_move(out: &mut impl Write, report: &MoveReport) -> io::Result<()> {
    let mv = report.san.as_ref().unwrap_or(&report.mv);
    let player = report.player.as_deref().unwrap_or_default();
    let player = match &report.level {
        Some(level) => format!("level {} {}, {player}", level.number, level.name),
        None => player.to_string(),
    };
    let depth = report.depth.map(|depth| format!(", depth {depth}")).unwrap_or_default();
    if !report.answer.is_known() {
        let opinion = report.opinion.map(|payoff| format!("  {}", opinion(payoff))).unwrap_or_default();
        let not_a_value = if opinion.is_empty() { "" } else { "; an opinion, not a value" };
        return writeln!(out, "{BOLD}{mv}{BOLD:#}{opinion}  {FAINT}({player}{depth}{not_a_value}){FAINT:#}");
    }
    let style = verdict(&report.answer);
    let by = if player.is_empty() { String::new() } else { format!("{player}{depth}; ") };
    writeln!(
        out,
        "{BOLD}{mv}{BOLD:#}  {style}{}{style:#}  {FAINT}({by}{}){FAINT:#}",
        phrase(&report.answer),
        report.source
    )
}

/// Writes the best moves, truncated.
fn best(out: &mut impl Write, answer: &QueryAnswer) -> io::Result<()> {
    const READ: usize = 24;
    match answer.best.len() {
        0 => Ok(()),
        all if all > READ => {
            writeln!(out, "best: {} … ({all} moves are equally good)", answer.best[..READ].join(" "))
        }
        _ => writeln!(out, "best: {}", answer.best.join(" ")),
    }
}

/// Writes the notes on limits that prevented an answer.
fn notes(out: &mut impl Write, answer: &QueryAnswer) -> io::Result<()> {
    answer.notes.iter().try_for_each(|note| writeln!(out, "{FAINT}{note}{FAINT:#}"))
}

fn source(source: Source) -> &'static str {
    match source {
        Source::Rules => "by the rules",
        Source::Theory => "by theory",
        Source::Table => "from the table",
        Source::Book => "from the book",
        Source::Kept => "cached result",
        Source::Search => "by search",
    }
}

/// Writes the legend below the picture of a position.
pub(crate) fn legend(out: &mut impl Write, words: &PlayerNames, answer: &QueryAnswer) -> io::Result<()> {
    let style = verdict(&answer.answer);
    writeln!(
        out,
        "\n{style}{}{style:#} {FAINT}({} to move){FAINT:#}",
        sentence(words, &answer.answer, answer.to_move),
        words.to_move(answer.to_move)
    )?;
    best(out, answer)?;
    if answer.moves.iter().any(|mv| mv.answer.verdict().is_some()) {
        writeln!(out, "{FAINT}+n wins in n plies, = draws, -n loses in n{FAINT:#}")?;
    }
    notes(out, answer)
}

/// The answer of `why`.
pub(crate) fn why(out: &mut impl Write, why: &Explanation) -> io::Result<()> {
    let style = verdict(&why.answer);
    // One reason per line; the first one is the verdict.
    for (i, reason) in why.sentence.trim_end_matches('.').split("; ").enumerate() {
        match i {
            0 => writeln!(out, "\n{style}{reason}{style:#}")?,
            _ => writeln!(out, "  {reason}")?,
        }
    }
    if !why.line.is_empty() {
        let moves: Vec<String> =
            why.line.iter().map(|mv| format!("{}{}", mv.mv, if mv.forced { "!" } else { "" })).collect();
        writeln!(out, "best line: {}", moves.join(" "))?;
        if why.line.iter().any(|mv| mv.forced) {
            writeln!(out, "{FAINT}! the only move that keeps the value{FAINT:#}")?;
        }
    }
    Ok(())
}

/// Writes a puzzle, with its solution on request.
pub(crate) fn puzzle(out: &mut impl Write, puzzle: &Puzzle, solution: bool, seed: u64) -> io::Result<()> {
    writeln!(out, "\n{BOLD}{}{BOLD:#}", puzzle.task)?;
    writeln!(
        out,
        "{FAINT}{}  {} ({} moves to choose from){FAINT:#}",
        puzzle.game, puzzle.position, puzzle.choices
    )?;
    match solution {
        true => writeln!(out, "{WIN}{}{WIN:#}, then {}", puzzle.solution, puzzle.line[1..].join(" ")),
        false => writeln!(
            out,
            "{FAINT}`outplay puzzle {} --seed {seed} --solution` prints the solution, `--seed {}` another puzzle{FAINT:#}",
            puzzle.game,
            seed.wrapping_add(1)
        ),
    }
}

/// Writes a game record with the value of each position.
pub(crate) fn history(out: &mut impl Write, words: &PlayerNames, history: &History) -> io::Result<()> {
    writeln!(out, "{BOLD}{}{BOLD:#}", history.game)?;
    let widest = history.plies.iter().filter_map(|step| step.mv.as_ref()).map(|mv| mv.chars().count()).max();
    let widest = widest.unwrap_or(0).max(5);
    for step in &history.plies {
        let style = verdict(&step.answer);
        let mv = step.mv.as_deref().unwrap_or("start");
        let result = sentence(words, &step.answer, step.to_move);
        write!(out, "{:>3}  {mv:<widest$}  {style}{result}{style:#}", step.ply)?;
        if let Some(mistake) = &step.mistake {
            write!(
                out,
                "  {LOSS}mistake by {}{LOSS:#}: a {} became a {}",
                words.name(mistake.by),
                mistake.from,
                mistake.to
            )?;
        }
        writeln!(out)?;
    }
    let judged = &history.review.accuracy;
    let sides = [(Turn::First, judged.first), (Turn::Second, judged.second)];
    let sides = sides.into_iter().filter_map(|(side, judged)| Some((side, judged.filter(|j| j.moves > 0)?)));
    let sides: Vec<String> =
        sides.map(|(side, judged)| format!("{} {}", words.to_move(side), accuracy(judged))).collect();
    if !sides.is_empty() {
        writeln!(out, "accuracy: {}", sides.join(", "))?;
    }
    Ok(())
}

/// The share of a player's judged moves that kept the value, and the number of moves that were not judged.
fn accuracy(judged: JudgedMoves) -> String {
    let unjudged =
        if judged.unjudged > 0 { format!(" ({} not judged)", judged.unjudged) } else { String::new() };
    match judged.accuracy {
        Some(share) => format!("{:.0} % of {}{unjudged}", 100.0 * share, judged.judged),
        None => format!("unknown{unjudged}"),
    }
}

/// Writes the terms of an evaluation and the value of each cell.
pub(crate) fn evaluation(out: &mut impl Write, evaluation: &Evaluation) -> io::Result<()> {
    writeln!(
        out,
        "{BOLD}{}{BOLD:#}: {:+} for the {} player (to move) {FAINT}({:+.0} on the scale from -100 to 100){FAINT:#}",
        evaluation.eval,
        evaluation.score,
        evaluation.to_move.word(),
        evaluation.opinion
    )?;
    // Terms with amount 0 are omitted.
    for part in evaluation.parts.iter().filter(|part| part.amount != 0.0) {
        writeln!(
            out,
            "  {:<34} {:>5} × {:>9.2} = {:>+10.2}",
            part.name, part.count, part.weight, part.amount
        )?;
    }
    if evaluation.parts.iter().any(|part| part.amount != 0.0) && evaluation.scale != 1.0 {
        writeln!(out, "  {FAINT}score = sum × {}{FAINT:#}", evaluation.scale)?;
    }
    if !evaluation.cells.is_empty() {
        writeln!(out, "{FAINT}cell   total  own windows: | - / \\   opponent's: | - / \\{FAINT:#}")?;
    }
    for cell in evaluation.cells.iter().take(MOST_CELLS) {
        let parts = |parts: [i32; 4]| parts.map(|part| part.to_string()).join(" ");
        let urgent = match (cell.wins, cell.blocks) {
            (true, _) => "  wins",
            (_, true) => "  blocks",
            _ => "",
        };
        let style = if evaluation.best.contains(&cell.mv) { WIN } else { Style::new() };
        let (own, other) = (parts(cell.own), parts(cell.other));
        writeln!(out, "{style}{:<5} {:>6}{style:#}  {own:<22} {other}{urgent}", cell.mv, cell.total)?;
    }
    if let Some(more) = evaluation.cells.len().checked_sub(MOST_CELLS + 1) {
        writeln!(out, "{FAINT}and {} more; --json lists all{FAINT:#}", more + 1)?;
    }
    if !evaluation.best.is_empty() {
        writeln!(out, "chooses {}", evaluation.best.join(" "))?;
    }
    Ok(())
}
