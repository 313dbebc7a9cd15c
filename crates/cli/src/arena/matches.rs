//! `outplay match`: plays matches and round-robin tournaments, with confidence intervals, Elo and SPRT (Wald 1945).

use super::grid::write_grid;
use crate::args::{At, SearchArgs};
use crate::commands::{Failure, INTERRUPTED, KNOWN, NO, Run, UNKNOWN, write_file};
use crate::terminal::harmless;
use clap::Args;
use outplay_arena::matches::{MatchReport, MatchRequest, compete_games};
use outplay_arena::page::page;
use outplay_arena::ratings::CrossTable;
use outplay_arena::referee::House;
use outplay_arena::standings::{MoveAccuracy, PlayerRow, Standings, Tally};
use outplay_arena::stats::{Decision, Pairs, Sprt, Strength};
use outplay_arena::text::Grid;
use outplay_core::figures::{bytes, duration, grouped};
use outplay_files::Links;
use outplay_workbench::Trouble;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Play a match or a round-robin tournament between players.
#[derive(Args)]
pub(crate) struct MatchArgs {
    /// Game spec, such as connect4
    game: String,
    /// Two or more player specs, such as `random` or `alphabeta:depth=5,eval=lines`; three or more play a round robin
    #[arg(required = true)]
    players: Vec<String>,
    /// Games per pairing; each opening is played twice with colours swapped (with an odd number, the last one once)
    #[arg(long, default_value_t = 100, value_name = "N")]
    games: u64,
    /// Length of random openings in plies (default: as many as give enough different openings)
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u32).range(0..=60))]
    openings: Option<u32>,
    /// File of openings, one line of moves each; reused from the first when exhausted
    #[arg(long, value_name = "FILE", conflicts_with = "openings")]
    opening_file: Option<PathBuf>,
    /// Random seed of openings, dice and players
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Number of concurrent games (default: one per thread)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    concurrency: Option<u16>,
    /// Stop by a sequential probability ratio test (SPRT) of ELO1 against ELO0 for the first player
    #[arg(long, value_name = "ELO0,ELO1", allow_hyphen_values = true, value_parser = parse_sprt)]
    sprt: Option<Sprt>,
    /// Type I error of the SPRT: probability of accepting ELO1 although ELO0 holds
    #[arg(long, value_name = "SHARE", default_value_t = 0.05, requires = "sprt", value_parser = parse_error)]
    alpha: f64,
    /// Type II error of the SPRT: probability of accepting ELO0 although ELO1 holds
    #[arg(long, value_name = "SHARE", default_value_t = 0.05, requires = "sprt", value_parser = parse_error)]
    beta: f64,
    /// Compare every move with the exact values (always on if `perfect` or `swindler` plays)
    #[arg(long)]
    judge: bool,
    /// Time limit of a move; a player that exceeds it loses the game
    #[arg(long, value_name = "SECONDS", value_parser = crate::args::parse_seconds)]
    move_time: Option<f64>,
    /// Maximum length of a game; a longer game is a draw
    #[arg(long, value_name = "PLIES", default_value_t = House::default().plies, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    plies: u32,
    /// Write the games to this file, one per line
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Write an HTML report to this file: score over time, game lengths, errors by ply
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Resume the match in the file of --out
    #[arg(long, requires = "out")]
    resume: bool,
    #[command(flatten)]
    at: At,
    #[command(flatten)]
    effort: SearchArgs,
}

pub(super) fn parse_sprt(text: &str) -> Result<Sprt, String> {
    let bad = || "expected two Elo differences, smaller first, such as `0,10`".to_string();
    let (low, high) = text.split_once(',').ok_or_else(bad)?;
    let number = |text: &str| text.trim().parse::<f64>().ok().filter(|elo| elo.abs() <= 1000.0);
    let (elo0, elo1) = number(low).zip(number(high)).ok_or_else(bad)?;
    if elo0 >= elo1 {
        return Err(bad());
    }
    Ok(Sprt::new(elo0, elo1))
}

/// Parses an error probability of the SPRT.
fn parse_error(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share: &f64| (1e-6..0.5).contains(share));
    share.ok_or_else(|| "expected a probability from 0.000001 to 0.5, such as 0.05".to_string())
}

/// Exit code of a test's verdict.
fn verdict_code(decision: Decision) -> u8 {
    match decision {
        Decision::Accepted => KNOWN,
        Decision::Rejected => NO,
        Decision::Open => UNKNOWN,
    }
}

pub(crate) fn compete(run: &mut Run<'_, impl Write>, args: &MatchArgs) -> Result<u8, Failure> {
    let entry = run.open_at(&args.game, &args.at)?;
    let perfect = |spec: &String| spec == "perfect" || spec.starts_with("swindler");
    let mut request = MatchRequest::default();
    request.players = args.players.clone();
    request.games = args.games;
    request.openings = args.openings;
    if let Some(file) = &args.opening_file {
        request.opening_lines = Some(run.read_file(file)?.lines().map(str::to_string).collect());
    }
    request.seed = args.seed;
    request.concurrency = args.concurrency.map_or_else(rayon::current_num_threads, usize::from);
    request.sprt = args.sprt.map(|sprt| Sprt { alpha: args.alpha, beta: args.beta, ..sprt });
    request.house = House { plies: args.plies, time: args.move_time.map(Duration::from_secs_f64) };
    request.judged = args.judge || args.players.iter().any(perfect);
    request.out = args.out.clone();
    request.resume = args.resume;
    // Games in memory take several times the bytes of their lines.
    request.record_bytes = run.memory() / 4;
    let session = run.query_session(&args.effort);
    for player in &args.players {
        outplay_workbench::start_player(&session, &entry, player)?;
    }
    let (report, games) = compete_games(&session, &entry, &args.at.place(), &request, run.progress)?;
    if let Some(file) = &args.report {
        write_file(file, &page(&report, &games))?;
    }
    run.print(&report, |out, report| {
        write_report(out, report)?;
        args.report.iter().try_for_each(|file| writeln!(out, "report written to {}", file.display()))
    })?;
    Ok(match (&report.sprt, report.stopped) {
        (Some(row), _) if row.decision != Decision::Open => verdict_code(row.decision),
        // A test that used up its games has no verdict; an interrupted match has no result.
        (Some(_), _) if report.standings.games == report.planned => verdict_code(Decision::Open),
        (_, true) => INTERRUPTED,
        (_, false) => KNOWN,
    })
}

/// Imports Gomocup games: writes a record and prints its standings.
pub(crate) fn import(
    run: &mut Run<'_, impl Write>,
    files: &[PathBuf],
    out: Option<&Path>,
) -> Result<u8, Failure> {
    let mut texts = Vec::with_capacity(files.len());
    let mut left = run.memory() / 16;
    for file in files {
        // Old tournament managers wrote names in national encodings.
        let bytes = outplay_files::read(file, Links::Follow, left).map_err(Trouble::from)?;
        left -= bytes.len() as u64;
        texts.push((file.clone(), String::from_utf8_lossy(&bytes).into_owned()));
    }
    let catalog = run.catalog;
    let open = |spec: &str| Ok(catalog.open(spec)?.game().clone());
    let (header, games) = outplay_arena::psq::import(&texts, &open, out)?;
    let standings = Standings::new(&header.players, &games);
    let answer = serde_json::json!({
        "game": header.game, "games": games.len(), "standings": standings, "out": out.map(|out| out.display().to_string()),
    });
    run.print(&answer, |to, _| {
        let bold = anstyle::Style::new().bold();
        writeln!(to, "{bold}{}{bold:#}: {} games imported", header.game, games.len())?;
        write_standings(to, &standings)?;
        out.iter().try_for_each(|out| writeln!(to, "games written to {}", out.display()))
    })
}

/// Formats Elo points as `+12` or `-3`, with one decimal where it matters.
fn signed(elo: f64) -> String {
    if elo.abs() < 9.95 { format!("{elo:+.1}") } else { format!("{elo:+.0}") }
}

/// Formats Elo points with their confidence interval, if there is one.
pub(super) fn elo_words(strength: &Strength) -> String {
    match (strength.low, strength.high) {
        (Some(low), Some(high)) => {
            format!(
                "{} ± {:.0} ({} to {})",
                signed(strength.elo),
                (high - low) / 2.0,
                signed(low),
                signed(high)
            )
        }
        (Some(low), None) => format!("at least {}", signed(low)),
        (None, Some(high)) => format!("at most {}", signed(high)),
        (None, None) => "unknown".into(),
    }
}

fn wdl(tally: &Tally) -> String {
    format!("{}/{}/{}", tally.wins, tally.draws, tally.losses)
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

pub(super) fn five(pairs: &Pairs) -> String {
    pairs.0.map(|count| count.to_string()).join(" ")
}

fn write_report(out: &mut impl Write, report: &MatchReport) -> io::Result<()> {
    let standings = &report.standings;
    let bold = anstyle::Style::new().bold();
    write!(out, "{bold}{}{bold:#}: {} games", report.game, standings.games)?;
    if standings.games < report.planned {
        write!(out, " of {}", report.planned)?;
    }
    writeln!(
        out,
        ", {} different; openings of {} plies, seed {}, {}",
        standings.distinct_games,
        report.openings,
        report.seed,
        duration(report.seconds)
    )?;
    write_standings(out, standings)?;
    write_verdict(out, report)
}

/// Longest spec that is printed in tables; longer ones are listed once, with a number.
const LONG: usize = 32;

/// Replaces long specs by a number and the player's name, and writes the list.
fn shortened(out: &mut impl Write, standings: &Standings) -> io::Result<Standings> {
    let mut short = standings.clone();
    if standings.players.iter().all(|row| row.player.chars().count() <= LONG) {
        return Ok(short);
    }
    let mut names = Vec::new();
    for (number, row) in standings.players.iter().enumerate() {
        let first = row.player.split([':', '@']).next().unwrap_or_default();
        writeln!(out, "  {}  {}", number + 1, harmless(&row.player))?;
        names.push((row.player.clone(), format!("{} {first}", number + 1)));
    }
    let rename = |name: &mut String| {
        if let Some((_, short)) = names.iter().find(|(long, _)| long == name) {
            name.clone_from(short);
        }
    };
    short.players.iter_mut().for_each(|row| rename(&mut row.player));
    short.ratings.iter_mut().for_each(|row| rename(&mut row.player));
    for row in &mut short.pairings {
        rename(&mut row.player);
        rename(&mut row.opponent);
    }
    Ok(short)
}

/// Writes the standings: each player against all, and the cross table.
fn write_standings(out: &mut impl Write, standings: &Standings) -> io::Result<()> {
    let standings = &shortened(out, standings)?;
    let mut grid = Grid::new(
        "",
        &[
            "player",
            "games",
            "W/D/L",
            "first",
            "second",
            "score",
            "Elo, 95 %",
            "superior",
            "pairs 0 ½ 1 1½ 2",
        ],
    );
    let rows: &[PlayerRow] = &standings.players;
    for row in rows {
        grid.row(vec![
            row.player.clone(),
            row.games.to_string(),
            wdl(&row.tally),
            wdl(&row.as_first),
            wdl(&row.as_second),
            percent(row.score),
            elo_words(&row.strength),
            percent(row.superiority),
            five(&row.pairs),
        ]);
    }
    write_grid(out, &grid)?;
    // Imported games have no times.
    let time = |ms: f64| if ms > 0.0 { duration(ms / 1e3) } else { "-".into() };
    let mut cost = Grid::new("", &["per move", "time", "slowest", "nodes", "depth", "memory"]);
    for row in rows {
        cost.row(vec![
            row.player.clone(),
            time(row.ms_per_move),
            time(row.slowest_ms),
            format!("{:.0}", row.nodes_per_move),
            format!("{:.1}", row.depth_per_move),
            bytes(row.bytes),
        ]);
    }
    writeln!(out)?;
    write_grid(out, &cost)?;
    if rows.iter().any(|row| !row.counters.is_bare()) {
        writeln!(out)?;
        write_grid(out, &searches(rows))?;
    }
    if rows.len() > 2 {
        let mut grid = Grid::new("", &["pairing", "W/D/L", "score", "Elo, 95 %", "superior"]);
        for row in &standings.pairings {
            grid.row(vec![
                format!("{} : {}", row.player, row.opponent),
                wdl(&row.tally),
                percent(row.score),
                elo_words(&row.strength),
                percent(row.superiority),
            ]);
        }
        writeln!(out)?;
        write_grid(out, &grid)?;
        if let Some(table) = &standings.cross_table {
            writeln!(out)?;
            write_grid(out, &cross(standings, table))?;
        }
    }
    if rows.iter().any(|row| row.judged.is_some()) {
        writeln!(out)?;
        write_grid(out, &judged(rows))?;
    }
    Ok(())
}

/// Search statistics of the players over all their moves; empty columns are omitted.
fn searches(rows: &[PlayerRow]) -> Grid {
    let mut columns = vec!["all moves"];
    for row in rows {
        for (_, word) in row.counters.words() {
            if !columns.contains(&word) {
                columns.push(word);
            }
        }
    }
    let mut grid = Grid::new("", &columns);
    for row in rows {
        let counted = row.counters.words();
        let count =
            |word: &&str| counted.iter().find(|(_, known)| known == word).map_or(0, |(count, _)| *count);
        let cells = columns[1..].iter().map(|word| grouped(count(word)));
        grid.row([row.player.clone()].into_iter().chain(cells).collect());
    }
    grid
}

/// Cross table: points of each player against each other, sorted by rating.
fn cross(standings: &Standings, table: &CrossTable) -> Grid {
    let mut order: Vec<usize> = (0..standings.ratings.len()).collect();
    order.sort_by(|&a, &b| standings.ratings[b].elo.total_cmp(&standings.ratings[a].elo));
    let numbers: Vec<String> = (1..=order.len()).map(|place| place.to_string()).collect();
    let mut columns = vec!["ranking", "Elo, 95 %", "points"];
    columns.extend(numbers.iter().map(String::as_str));
    let mut grid = Grid::new("", &columns);
    for (place, &a) in order.iter().enumerate() {
        let rating = &standings.ratings[a];
        let elo = Strength { elo: rating.elo, low: Some(rating.low), high: Some(rating.high) };
        let points: f64 = table.points[a].iter().sum();
        let mut row = vec![format!("{}. {}", place + 1, rating.player), elo_words(&elo), points.to_string()];
        row.extend(order.iter().map(|&b| match table.games[a][b] {
            0 => "·".to_string(),
            games => format!("{}/{games}", table.points[a][b]),
        }));
        grid.row(row);
    }
    grid
}

/// Writes the test's verdict, the errors, and where the games are.
fn write_verdict(out: &mut impl Write, report: &MatchReport) -> io::Result<()> {
    let standings = &report.standings;
    if let Some(row) = &report.sprt {
        let verdict = match row.decision {
            Decision::Accepted => {
                format!("accepted: {} Elo is more likely than {}", row.sprt.elo1, row.sprt.elo0)
            }
            Decision::Rejected => {
                format!("rejected: {} Elo is more likely than {}", row.sprt.elo0, row.sprt.elo1)
            }
            Decision::Open => "undecided".into(),
        };
        let early = if standings.games < report.planned && row.decision != Decision::Open {
            format!(" after {} of {} games", standings.games, report.planned)
        } else {
            String::new()
        };
        writeln!(
            out,
            "\nSPRT {verdict}{early} (LLR {:.2}, bounds {:.2} and {:.2})",
            row.ratio, row.low, row.high
        )?;
    }
    for fault in &report.faults {
        writeln!(out, "{}", harmless(fault))?;
    }
    if let Some(file) = &report.out {
        writeln!(out, "games written to {file}")?;
    }
    if report.stopped {
        let cure = if report.out.is_some() {
            "; add --resume to continue"
        } else {
            "; use --out to make it resumable"
        };
        writeln!(out, "interrupted{cure}")?;
    }
    Ok(())
}

/// Move accuracy by exact values.
fn judged(rows: &[PlayerRow]) -> Grid {
    let columns = [
        "accuracy",
        "all moves",
        "critical moves",
        "quiet moves",
        "games with an error",
        "first error at ply",
    ];
    let mut grid = Grid::new("", &columns);
    let share =
        |share: Option<f64>, of: u64| share.map_or("-".into(), |share| format!("{} of {of}", percent(share)));
    for row in rows {
        let Some(MoveAccuracy { moves, kept, choices, kept_choices, quiet, kept_quiet, .. }) = row.judged
        else {
            continue;
        };
        let Some(MoveAccuracy { games_with_error, first_error, .. }) = row.judged else { continue };
        grid.row(vec![
            row.player.clone(),
            share(kept, moves),
            share(kept_choices, choices),
            share(kept_quiet, quiet),
            format!("{games_with_error} of {}", row.games),
            first_error.map_or("-".into(), |ply| format!("{ply:.1}")),
        ]);
    }
    grid
}
