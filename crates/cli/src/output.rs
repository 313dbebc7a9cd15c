//! Answers as text for people.
//!
//! Colours come through `anstream`, which drops them for pipes and `NO_COLOR`.

use anstyle::{AnsiColor, Color, RgbColor, Style};
use outplay_answer::{
    Answer, BookInfo, CheckReport, Entry, Evaluation, How, IndexCheck, IndexReport, Method, MoveAnswer,
    QueryAnswer, Ranked, Rules, SolveAnswer, Source,
};
use outplay_core::figures::{bytes, duration, grouped};
use outplay_core::{Content, Counters, LineBoard, Notation, Picture, Tone, Turn, Verdict};
use outplay_explain::{History, Puzzle, Why};
use std::borrow::Cow;
use std::io::{self, Write};

/// Cells whose worth is printed.
const MOST_CELLS: usize = 60;
/// Characters of a position that are printed.
const READ: usize = 400;

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

fn verdict(answer: &Answer) -> Style {
    match answer.verdict() {
        Some(Verdict::Win) => WIN,
        Some(Verdict::Draw) => DRAW,
        Some(Verdict::Loss) => LOSS,
        None => Style::new(),
    }
}

/// How the players of a game are spoken of.
pub(crate) struct Words {
    first: &'static str,
    second: &'static str,
    /// A win is a mate, and its distance counts the winner's moves.
    mates: bool,
}

impl Words {
    /// The words that suit a game.
    pub(crate) fn of(entry: &Entry) -> Words {
        match entry.game().mates() {
            true => Words { first: "White", second: "Black", mates: true },
            false => Words { first: "the first player", second: "the second player", mates: false },
        }
    }

    fn name(&self, turn: Turn) -> &'static str {
        if turn == Turn::Second { self.second } else { self.first }
    }

    /// Who is to move, in a word.
    fn to_move(&self, turn: Turn) -> &'static str {
        match turn {
            Turn::First if self.mates => "White",
            Turn::Second if self.mates => "Black",
            turn => turn.word(),
        }
    }
}

/// A position as far as a reader would read it; vast boards have lines of many thousand characters.
fn shortened(position: &str) -> Cow<'_, str> {
    match position.char_indices().nth(READ) {
        Some((end, _)) => format!("{}… (--json prints all of it)", &position[..end]).into(),
        None => position.into(),
    }
}

/// Text in lines of at most so many characters.
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

/// A probability, or a mean payoff.
fn expectation(answer: &Answer) -> Option<String> {
    let (expected, mean) = (answer.expected()?, answer.mean()?);
    Some(if answer.is_probability() { format!("{:.8} %", 100.0 * expected) } else { format!("{mean:+.10}") })
}

/// `win in 5`, `draw`, `unknown`.
fn phrase(answer: &Answer) -> String {
    if let Some(text) = expectation(answer) {
        return text;
    }
    let Some(verdict) = answer.verdict() else {
        return match answer.bounds() {
            Some([-1, 0]) => "no win".into(),
            Some([0, 1]) => "no loss".into(),
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

/// One sentence about who wins and when.
fn sentence(words: &Words, answer: &Answer, to_move: Turn) -> String {
    let (mover, other) = (words.name(to_move), words.name(to_move.other()));
    if let Some(text) = expectation(answer) {
        return match answer.is_probability() {
            true => format!("the first player wins with a probability of {text}"),
            false => format!("the first player gets {text} in the mean"),
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
        Some(Verdict::Draw) if answer.is_repetition() => "a draw: nobody can force an end".to_string(),
        Some(Verdict::Draw) => "a draw".to_string(),
        None => match answer {
            Answer::None => "solved".to_string(),
            Answer::Unknown { low: -1, high: 0 } => format!("unknown so far, but {mover} does not win"),
            Answer::Unknown { low: 0, high: 1 } => format!("unknown so far, but {mover} does not lose"),
            _ => "unknown so far".to_string(),
        },
    }
}

pub(crate) fn solve(
    out: &mut impl Write,
    words: &Words,
    answer: &SolveAnswer,
    elsewhere: bool,
    seconds: f64,
    peak: u64,
) -> io::Result<()> {
    let style = verdict(&answer.answer);
    let side = answer.to_move.unwrap_or(Turn::First);
    writeln!(
        out,
        "{BOLD}{}{BOLD:#}: {style}{}{style:#}",
        answer.game,
        sentence(words, &answer.answer, side)
    )?;
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
    if let Some(bound) = answer.settled.and_then(|settled| settled.bound) {
        writeln!(out, "  bound     no mean is further than {bound:.1e} from the exact one")?;
    }
    if let Some(levels) = &answer.levels {
        let sizes: Vec<String> = levels.iter().map(|&size| grouped(size as u64)).collect();
        writeln!(out, "  levels    {}", sizes.join(" "))?;
    }
    if let Some(sweeps) = &answer.sweeps {
        let changed: Vec<String> = sweeps.iter().map(|&count| grouped(count)).collect();
        let last = "the last sweep found nothing to change";
        writeln!(out, "  rounds    {}: values changed by each: {}", sweeps.len(), changed.join(" "))?;
        writeln!(out, "            {FAINT}{last}{FAINT:#}")?;
    }
    if let Some(counters) = &answer.counters {
        searched(out, counters, answer.depth)?;
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
    for note in &answer.notes {
        writeln!(out, "  {FAINT}{note}{FAINT:#}")?;
    }
    let work = match (answer.method, answer.colourings) {
        (How::Table, _) => "answered by the table".to_string(),
        (How::Book, _) => "answered by the book of openings".to_string(),
        (How::Kept, _) => "answered by what was found before".to_string(),
        (How::Theory, _) => "answered by theory".to_string(),
        (How::By(Method::Dense), Some(colourings)) => format!("{colourings:.2e} colourings by dense"),
        (How::By(method), _) => format!("{} positions by {method}", grouped(answer.nodes)),
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

/// What a search did, a few counts to a line.
fn searched(out: &mut impl Write, counters: &Counters, depth: Option<u32>) -> io::Result<()> {
    let mut words: Vec<String> = depth.map(|plies| format!("{plies} plies deep")).into_iter().collect();
    words.extend(counters.words().into_iter().map(|(count, word)| format!("{} {word}", grouped(count))));
    for (i, line) in words.chunks(4).enumerate() {
        writeln!(out, "  {:<9} {}", if i == 0 { "search" } else { "" }, line.join(", "))?;
    }
    Ok(())
}

pub(crate) fn query(
    out: &mut impl Write,
    words: &Words,
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
    // Moves of which nothing is known stand together at the end.
    let (open, told): (Vec<&MoveAnswer>, Vec<&MoveAnswer>) =
        answer.moves.iter().partition(|mv| matches!(mv.answer, Answer::Unknown { .. }));
    let widest = told.iter().map(|mv| mv.mv.chars().count()).max().unwrap_or(0);
    for mv in told {
        let style = verdict(&mv.answer);
        let mark = if answer.best.contains(&mv.mv) { "*" } else { " " };
        let likely = mv.probability.map(|p| format!("  rolled with {:.2} %", 100.0 * p));
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
        writeln!(out, "{FAINT}the table answered {} positions of the search{FAINT:#}", grouped(hits))?;
    }
    if let Some(bound) = answer.bound {
        writeln!(out, "{FAINT}no mean is further than {bound:.1e} from the exact one{FAINT:#}")?;
    }
    if !answer.line.is_empty() {
        writeln!(out, "best line: {}", answer.line.join(" "))?;
    }
    notes(out, answer)
}

/// The best moves, as many as anybody reads.
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

/// What a limit prevented.
fn notes(out: &mut impl Write, answer: &QueryAnswer) -> io::Result<()> {
    answer.notes.iter().try_for_each(|note| writeln!(out, "{FAINT}{note}{FAINT:#}"))
}

fn source(source: Source) -> &'static str {
    match source {
        Source::Rules => "by the rules",
        Source::Theory => "by theory",
        Source::Table => "from the table",
        Source::Book => "from the book",
        Source::Kept => "found before",
        Source::Search => "by search",
    }
}

/// What stands under the picture of a position.
pub(crate) fn legend(out: &mut impl Write, words: &Words, answer: &QueryAnswer) -> io::Result<()> {
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
pub(crate) fn why(out: &mut impl Write, why: &Why) -> io::Result<()> {
    let style = verdict(&why.answer);
    // Each reason on a line of its own; the first one is the verdict.
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
            writeln!(out, "{FAINT}! every other move gives something away{FAINT:#}")?;
        }
    }
    Ok(())
}

/// A puzzle, with its solution on request.
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
            "{FAINT}`outplay puzzle {} --seed {seed} --solution` tells the answer, --seed {} sets another{FAINT:#}",
            puzzle.game,
            seed.wrapping_add(1)
        ),
    }
}

/// A game that was played, position by position.
pub(crate) fn history(out: &mut impl Write, words: &Words, history: &History) -> io::Result<()> {
    writeln!(out, "{BOLD}{}{BOLD:#}", history.game)?;
    let widest = history.plies.iter().filter_map(|step| step.mv.as_ref()).map(|mv| mv.chars().count()).max();
    let widest = widest.unwrap_or(0).max(5);
    for step in &history.plies {
        let style = verdict(&step.answer);
        let mv = step.mv.as_deref().unwrap_or("start");
        let told = sentence(words, &step.answer, step.to_move);
        write!(out, "{:>3}  {mv:<widest$}  {style}{told}{style:#}", step.ply)?;
        if let Some(mistake) = &step.mistake {
            write!(
                out,
                "  {LOSS}mistake of {}{LOSS:#}: a {} became a {}",
                words.name(mistake.by),
                mistake.from,
                mistake.to
            )?;
        }
        writeln!(out)?;
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
    match (report.complete, report.positions) {
        (_, 0) => writeln!(out, "{BOLD}{}{BOLD:#}: by its rules, without exploring it", report.game)?,
        (complete, positions) => {
            let seen = if complete { "all" } else { "the first" };
            writeln!(out, "{BOLD}{}{BOLD:#}: {seen} {} positions explored", report.game, grouped(positions))?;
        }
    }
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

/// What an evaluation counts, and what each cell is worth.
pub(crate) fn evaluation(out: &mut impl Write, evaluation: &Evaluation) -> io::Result<()> {
    writeln!(
        out,
        "{BOLD}{}{BOLD:#}: {:+} for the {} player, who is to move {FAINT}({:+.0} on the scale from -100 to 100){FAINT:#}",
        evaluation.eval,
        evaluation.score,
        evaluation.to_move.word(),
        evaluation.opinion
    )?;
    // What is not there adds nothing.
    for part in evaluation.parts.iter().filter(|part| part.amount != 0.0) {
        writeln!(
            out,
            "  {:<34} {:>5} × {:>9.2} = {:>+10.2}",
            part.name, part.count, part.weight, part.amount
        )?;
    }
    if evaluation.parts.iter().any(|part| part.amount != 0.0) && evaluation.scale != 1.0 {
        writeln!(out, "  {FAINT}their sum times {} is the score{FAINT:#}", evaluation.scale)?;
    }
    if !evaluation.cells.is_empty() {
        writeln!(out, "{FAINT}cell   total  own windows: | - / \\   the other's: | - / \\{FAINT:#}")?;
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

/// A position and its number.
pub(crate) fn ranked(out: &mut impl Write, ranked: &Ranked) -> io::Result<()> {
    let place = format!("number {} of tier {}", grouped(ranked.place), ranked.tier);
    writeln!(out, "{BOLD}{}{BOLD:#} {FAINT}({place}){FAINT:#}", ranked.number)?;
    match &ranked.position {
        Some(position) => writeln!(out, "{position}")?,
        None => writeln!(out, "{DRAW}a hole{DRAW:#}: no position has this number")?,
    }
    ranked.unreached.iter().try_for_each(|why| writeln!(out, "{FAINT}{why}{FAINT:#}"))
}

/// Whether an index is what dynamic programming asks for.
pub(crate) fn index_check(out: &mut impl Write, check: &IndexCheck) -> io::Result<()> {
    let which = if check.all { "all" } else { "at random" };
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
    line("one to one", check.twice, "each position comes back to its number", "positions do not")?;
    line("no holes", check.holes, "each number is a position", "numbers are no position")?;
    line("children later", check.back, "so one sweep from the last number solves it", "moves lead back")?;
    if let Some((position, mv)) = &check.example {
        writeln!(out, "  {FAINT}such as {mv} at {position}{FAINT:#}")?;
    }
    Ok(())
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
