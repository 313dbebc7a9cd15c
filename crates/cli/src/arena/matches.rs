//! `outplay match`: players against each other, with honest statistics.

use super::grid::write_grid;
use crate::args::{At, Effort};
use crate::commands::{Failure, Run};
use clap::Args;
use outplay_arena::matches::{MatchReport, MatchRequest, compete};
use outplay_arena::referee::House;
use outplay_arena::standings::{Judged, PlayerRow, Tally};
use outplay_arena::stats::{Decision, Pairs, Sprt, Strength};
use outplay_core::figures::bytes;
use outplay_experiments::Grid;
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

/// Let players play against each other.
#[derive(Args)]
pub(crate) struct MatchArgs {
    /// The game, such as connect4
    game: String,
    /// Two players or more, such as `random` or `alphabeta:depth=5,eval=lines`; more than two meet all others
    #[arg(required = true)]
    players: Vec<String>,
    /// Games of each two players; every opening is played twice, colours swapped
    #[arg(long, default_value_t = 100, value_name = "N")]
    games: u64,
    /// Random plies before the players take over (default: as many as give enough different openings)
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u32).range(0..=60))]
    openings: Option<u32>,
    /// What openings, dice and players' chance decisions follow from
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Games at the same time (default: one per thread)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    concurrency: Option<u16>,
    /// Stop as soon as it is clear whether the first player is ELO1 stronger rather than ELO0
    #[arg(long, value_name = "ELO0,ELO1", allow_hyphen_values = true, value_parser = parse_sprt)]
    sprt: Option<Sprt>,
    /// Hold every move against exact values (always done if `perfect` plays)
    #[arg(long)]
    judge: bool,
    /// A player who thinks longer about a move loses the game
    #[arg(long, value_name = "SECONDS", value_parser = crate::args::parse_seconds)]
    move_time: Option<f64>,
    /// A game that lasts longer is a draw
    #[arg(long, value_name = "PLIES", default_value_t = House::default().plies, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    plies: u32,
    /// Write every game into this file, a line each
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Go on with the match in that file
    #[arg(long, requires = "out")]
    resume: bool,
    #[command(flatten)]
    at: At,
    #[command(flatten)]
    effort: Effort,
}

pub(super) fn parse_sprt(text: &str) -> Result<Sprt, String> {
    let bad = || "write two numbers of Elo points, the smaller first, such as `0,10`".to_string();
    let (low, high) = text.split_once(',').ok_or_else(bad)?;
    let number = |text: &str| text.trim().parse::<f64>().ok().filter(|elo| elo.abs() <= 1000.0);
    let (elo0, elo1) = number(low).zip(number(high)).ok_or_else(bad)?;
    if elo0 >= elo1 {
        return Err(bad());
    }
    Ok(Sprt::new(elo0, elo1))
}

impl<W: Write> Run<'_, W> {
    pub(crate) fn compete(&mut self, args: &MatchArgs) -> Result<u8, Failure> {
        let entry = self.open_at(&args.game, &args.at)?;
        let perfect = |spec: &String| spec == "perfect" || spec.starts_with("swindler");
        let mut request = MatchRequest::default();
        request.players = args.players.clone();
        request.games = args.games;
        request.openings = args.openings;
        request.seed = args.seed;
        request.concurrency = args.concurrency.map_or_else(rayon::current_num_threads, usize::from);
        request.sprt = args.sprt;
        request.house = House { plies: args.plies, time: args.move_time.map(Duration::from_secs_f64) };
        request.judged = args.judge || args.players.iter().any(perfect);
        request.out = args.out.clone();
        request.resume = args.resume;
        let options = self.query_options(&args.effort);
        let report = compete(&entry, &args.at.place(), &request, &options, self.progress)?;
        self.print(&report, |out, report| write_report(out, report))?;
        Ok(if report.stopped { 130 } else { 0 })
    }
}

/// `+12` or `-3`; one digit after the point where it matters.
fn signed(elo: f64) -> String {
    if elo.abs() < 9.95 { format!("{elo:+.1}") } else { format!("{elo:+.0}") }
}

/// Elo points with their interval, as far as there is one.
pub(super) fn elo(strength: &Strength) -> String {
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
        ", {} of them different; openings of {} plies, seed {}, {:.1} s",
        standings.distinct_games, report.openings, report.seed, report.seconds
    )?;
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
            elo(&row.strength),
            percent(row.superiority),
            five(&row.pairs),
        ]);
    }
    write_grid(out, &grid)?;
    let mut cost = Grid::new("", &["per move", "time", "slowest", "positions", "memory held"]);
    for row in rows {
        cost.row(vec![
            row.player.clone(),
            format!("{:.3} ms", row.ms_per_move),
            format!("{:.3} ms", row.slowest_ms),
            format!("{:.0}", row.nodes_per_move),
            bytes(row.bytes),
        ]);
    }
    writeln!(out)?;
    write_grid(out, &cost)?;
    if rows.len() > 2 {
        let mut grid = Grid::new("", &["pairing", "W/D/L", "score", "Elo, 95 %", "superior"]);
        for row in &standings.pairings {
            grid.row(vec![
                format!("{} : {}", row.player, row.opponent),
                wdl(&row.tally),
                percent(row.score),
                elo(&row.strength),
                percent(row.superiority),
            ]);
        }
        writeln!(out)?;
        write_grid(out, &grid)?;
    }
    if rows.iter().any(|row| row.judged.is_some()) {
        writeln!(out)?;
        write_grid(out, &judged(rows))?;
    }
    if let Some(row) = &report.sprt {
        let verdict = match row.decision {
            Decision::Accepted => format!("accepted: {} Elo rather than {}", row.sprt.elo1, row.sprt.elo0),
            Decision::Rejected => format!("rejected: {} Elo rather than {}", row.sprt.elo0, row.sprt.elo1),
            Decision::Open => "not decided".into(),
        };
        let early = if standings.games < report.planned && row.decision != Decision::Open {
            format!(" after {} of {} games", standings.games, report.planned)
        } else {
            String::new()
        };
        writeln!(
            out,
            "\nSPRT {verdict}{early} (ratio {:.2}, bounds {:.2} and {:.2})",
            row.ratio, row.low, row.high
        )?;
    }
    for fault in &report.faults {
        writeln!(out, "{fault}")?;
    }
    if let Some(file) = &report.out {
        writeln!(out, "games written to {file}")?;
    }
    if report.stopped {
        let cure =
            if report.out.is_some() { "; --resume goes on" } else { "; with --out it could be gone on with" };
        writeln!(out, "stopped before the end{cure}")?;
    }
    Ok(())
}

/// What exact values say about the moves.
fn judged(rows: &[PlayerRow]) -> Grid {
    let columns = [
        "against exact values",
        "moves kept",
        "where it mattered",
        "quiet ones",
        "games with an error",
        "first at ply",
    ];
    let mut grid = Grid::new("", &columns);
    let share =
        |share: Option<f64>, of: u64| share.map_or("-".into(), |share| format!("{} of {of}", percent(share)));
    for row in rows {
        let Some(Judged { moves, kept, choices, kept_choices, quiet, kept_quiet, .. }) = row.judged else {
            continue;
        };
        let Some(Judged { games_with_error, first_error, .. }) = row.judged else { continue };
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
