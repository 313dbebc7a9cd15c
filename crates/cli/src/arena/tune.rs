//! `outplay tune`: tunes the weights of the linear evaluation with a genetic algorithm or CMA-ES (Hansen and Ostermeier
//! 2001), or fits them to exact values.

use super::grid::write_grid;
use super::matches::{elo_words, five};
use crate::args::SearchArgs;
use crate::commands::{Failure, Run, write_file};
use clap::{Args, ValueEnum};
use outplay_arena::scrutiny::PreservedMoves;
use outplay_arena::stats::Sprt;
use outplay_arena::text::Grid;
use outplay_arena::tune::fit::FitOptions;
use outplay_arena::tune::labels::{Sampling, Spread};
use outplay_arena::tune::{
    FitAccuracy, TuneReport, TuneRequest, TuningMethod as TuneMethod, TuningObjective, page as tune_page,
};
use outplay_core::figures::duration;
use outplay_players::{FeatureSet, Weights};
use outplay_workbench::{GameHandle, Trouble};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Objective of the tuning.
#[derive(Clone, Copy, ValueEnum)]
enum Objective {
    /// Games between candidates
    Games,
    /// Exact values of positions
    Labels,
}

/// Optimiser over games.
#[derive(Clone, Copy, ValueEnum)]
enum Optimiser {
    /// Genetic algorithm of the Connect-4 report (docs/documents.md)
    Ga,
    /// Genetic algorithm with paired openings, a re-evaluated elite and crossover
    Sound,
    /// CMA-ES (covariance matrix adaptation)
    Cmaes,
}

/// Sampling of plies.
#[derive(Clone, Copy, ValueEnum)]
enum PlySampling {
    /// Uniform over plies
    Even,
    /// Proportional to random play, in which late plies are rare
    Natural,
}

/// Feature set.
#[derive(Clone, Copy, ValueEnum)]
enum FeatureChoice {
    /// Centre, fours, threes, twos, the opponent's threes
    Paper,
    /// Threats by row, forks, zugzwang and more
    Extended,
}

/// Tune the weights of the linear evaluation; they are accepted only if they beat the incumbent.
#[derive(Args)]
pub(crate) struct TuneArgs {
    /// Game spec, such as connect4
    game: String,
    /// Player to tune; only `lines` has weights
    #[arg(long, default_value = "lines")]
    player: String,
    /// Objective of the tuning
    #[arg(long, value_enum, default_value_t = Objective::Games)]
    by: Objective,
    /// Optimiser, with --by games
    #[arg(long, value_enum, default_value_t = Optimiser::Ga)]
    method: Optimiser,
    /// Feature set (default: paper for games, extended for labels)
    #[arg(long, value_enum)]
    features: Option<FeatureChoice>,
    /// Search depth of candidates in games, in plies
    #[arg(long, default_value_t = 7, value_parser = clap::value_parser!(u32).range(1..=40))]
    depth: u32,
    /// Candidates per generation
    #[arg(long, default_value_t = 32, value_name = "N")]
    population: usize,
    /// Pairs of games per candidate and generation: against random members of the population (ga), or against the
    /// incumbent, one pair per opening (sound, cmaes)
    #[arg(long, default_value_t = 5, value_name = "N")]
    games: usize,
    /// Fraction of a generation that survives
    #[arg(long, default_value_t = 0.5, value_name = "SHARE", value_parser = parse_share)]
    survive: f64,
    /// Number of generations
    #[arg(long, default_value_t = 5, value_name = "N")]
    generations: u32,
    /// Length of random openings in plies (default: 0 with ga, 4 otherwise)
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u32).range(0..=30))]
    openings: Option<u32>,
    /// Upper bound of the initial weights of ga, which are integers from 1
    #[arg(long, default_value_t = 30, value_name = "WEIGHT")]
    largest: u32,
    /// Number of training positions, with --by labels
    #[arg(long, default_value_t = 16_000, value_name = "N")]
    positions: usize,
    /// Number of held-out test positions, with --by labels
    #[arg(long, default_value_t = 4_000, value_name = "N")]
    held_out: usize,
    /// First and last ply of sampled positions (default: the middle of a game, 8,34 on 7x6)
    #[arg(long, value_name = "FROM,TO", value_parser = parse_plies)]
    plies: Option<(u32, u32)>,
    /// Distribution of the sampled plies
    #[arg(long, value_enum, default_value_t = PlySampling::Even)]
    spread: PlySampling,
    /// Number of optimisation steps of the fit
    #[arg(long, default_value_t = 600, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    steps: u32,
    /// Random seed
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Evaluation to beat
    #[arg(long, default_value = "lines:weights=paper", value_name = "EVALUATION")]
    incumbent: String,
    /// SPRT bounds that the result must pass
    #[arg(long, default_value = "0,20", value_name = "ELO0,ELO1", allow_hyphen_values = true, value_parser = super::matches::parse_sprt)]
    sprt: Sprt,
    /// Maximum number of games of the SPRT; 0 skips it
    #[arg(long, default_value_t = 4000, value_name = "N")]
    sprt_games: u64,
    /// Write a checkpoint to this file after every generation
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,
    /// Resume from the checkpoint
    #[arg(long, requires = "checkpoint")]
    resume: bool,
    /// File that caches the labels (default: in the data directory)
    #[arg(long, value_name = "FILE")]
    labels: Option<PathBuf>,
    /// Write the weights to this file if they are accepted
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Write the weights even if they are not accepted
    #[arg(long, requires = "out")]
    force: bool,
    /// Write an HTML report with plots to this file
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    #[command(flatten)]
    effort: SearchArgs,
}

fn parse_share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share: &f64| *share > 0.0 && *share < 1.0);
    share.ok_or_else(|| "expected a fraction between 0 and 1, such as 0.5".to_string())
}

fn parse_plies(text: &str) -> Result<(u32, u32), String> {
    let pair =
        text.split_once(',').and_then(|(from, to)| from.trim().parse().ok().zip(to.trim().parse().ok()));
    let fits = |(from, to): &(u32, u32)| from <= to && *to <= 10_000;
    pair.filter(fits).ok_or_else(|| "expected the first and the last ply, such as `8,34`".to_string())
}

/// Runs the tuner, and writes the weights and the report if requested.
pub(crate) fn tune(run: &mut Run<'_, impl Write>, args: &TuneArgs) -> Result<u8, Failure> {
    let entry = run.open(&args.game)?;
    if args.player != "lines" {
        let why = format!("`{}` has no weights to tune; use `--player lines`", args.player);
        return Err(Trouble::unable(why).into());
    }
    let request = request(args, &entry, &run.data());
    let session = run.query_session(&args.effort);
    let report = outplay_arena::tune::tune(&session, &entry, &request, run.progress)?;
    if let Some(file) = &args.report {
        write_file(file, &tune_page(&report))?;
    }
    let keep = args.force || report.accepted != Some(false);
    if let Some(file) = args.out.as_ref().filter(|_| keep) {
        // The weights were fitted to this feature set.
        let weights = Weights::new(request.features, report.weights.clone())
            .map_err(|error| Trouble::unable(error.to_string()))?;
        write_file(file, &weights.to_file(&report.game))?;
    }
    run.print(&report, |out, report| {
        write_report(out, report)?;
        match &args.out {
            Some(file) if keep => writeln!(out, "weights written to {}", file.display())?,
            Some(_) => writeln!(
                out,
                "no weights were written, because they were not accepted; add --force to write them anyway"
            )?,
            None => {}
        }
        args.report.iter().try_for_each(|file| writeln!(out, "report written to {}", file.display()))
    })?;
    Ok(u8::from(report.accepted == Some(false)))
}

/// Builds the request from the options.
fn request(args: &TuneArgs, entry: &GameHandle, data: &Path) -> TuneRequest {
    let method = match args.method {
        Optimiser::Ga => TuneMethod::Ga,
        Optimiser::Sound => TuneMethod::Sound,
        Optimiser::Cmaes => TuneMethod::Cmaes,
    };
    let spread = match args.spread {
        PlySampling::Even => Spread::Even,
        PlySampling::Natural => Spread::Natural,
    };
    let open = entry.open_cells().unwrap_or(0);
    let (from, to) = args.plies.unwrap_or_else(|| Sampling::middle(open as u32));
    let by = match args.by {
        Objective::Games => TuningObjective::Games(method),
        Objective::Labels => TuningObjective::Labels {
            positions: args.positions,
            held_out: args.held_out,
            sampling: Sampling { from, to, spread, seed: args.seed },
            fit: FitOptions { steps: args.steps, ..FitOptions::default() },
        },
    };
    let features = match (args.features, args.by) {
        (Some(FeatureChoice::Paper), _) | (None, Objective::Games) => FeatureSet::Paper,
        (Some(FeatureChoice::Extended), _) | (None, Objective::Labels) => FeatureSet::Extended,
    };
    let name = entry.spec().replace([':', ',', '=', '+', '/'], "-");
    let kept = format!("{name}-{from}-{to}-{}-{}.txt", spread.word(), args.seed);
    let kept = data.join("labels").join(kept);
    let mut request = TuneRequest::default();
    request.by = by;
    request.features = features;
    request.depth = args.depth;
    request.population = args.population;
    request.games = args.games;
    request.survive = args.survive;
    request.generations = args.generations;
    request.openings = args.openings.unwrap_or(if method == TuneMethod::Ga { 0 } else { 4 });
    request.largest = args.largest;
    request.seed = args.seed;
    request.threads = rayon::current_num_threads();
    request.incumbent = args.incumbent.clone();
    request.sprt = (args.sprt_games > 0).then_some(args.sprt);
    request.sprt_games = args.sprt_games;
    request.checkpoint = args.checkpoint.clone();
    request.resume = args.resume;
    request.own_labels = args.labels.is_none();
    request.labels = Some(args.labels.clone().unwrap_or(kept));
    request
}

fn write_report(out: &mut impl Write, report: &TuneReport) -> io::Result<()> {
    let bold = anstyle::Style::new().bold();
    writeln!(
        out,
        "{bold}{}{bold:#}: weights tuned by {} ({}), {} features, seed {}, {}",
        report.game,
        report.by,
        report.method,
        report.features,
        report.seed,
        duration(report.seconds)
    )?;
    if !report.generations.is_empty() {
        let few = report.names.len() <= 8;
        let mut columns = vec!["generation"];
        columns.extend(report.names.iter().filter(|_| few));
        columns.extend(["points", "out of", "mean score", "games"]);
        let mut grid = Grid::new("", &columns);
        for one in &report.generations {
            let mut row = vec![one.generation.to_string()];
            row.extend(one.best.iter().filter(|_| few).map(|weight| weight.to_string()));
            row.extend([
                one.points.to_string(),
                one.out_of.to_string(),
                format!("{:.3}", one.mean),
                one.games.to_string(),
            ]);
            grid.row(row);
        }
        write_grid(out, &grid)?;
    }
    if let Some(measured) = &report.measured {
        write_grid(out, &accuracy(measured))?;
    }
    writeln!(out, "evaluation  {}", report.evaluation)?;
    if let Some((trial, row)) =
        report.trial.as_ref().and_then(|trial| trial.standings.players.first().map(|row| (trial, row)))
    {
        writeln!(
            out,
            "against {}: {} games ({} different), {} won, {} drawn, {} lost, Elo {}, pairs {}",
            report.incumbent,
            row.games,
            trial.standings.distinct_games,
            row.tally.wins,
            row.tally.draws,
            row.tally.losses,
            elo_words(&row.strength),
            five(&row.pairs)
        )?;
        if let Some(sprt) = &trial.sprt {
            let (ratio, low, high) = (sprt.ratio, sprt.low, sprt.high);
            writeln!(
                out,
                "SPRT of {} against {} Elo: {} (LLR {ratio:.2}, bounds {low:.2} and {high:.2})",
                sprt.sprt.elo1,
                sprt.sprt.elo0,
                sprt.decision.word()
            )?;
        }
    }
    match report.accepted {
        Some(true) => writeln!(out, "{bold}accepted{bold:#}: stronger than the incumbent"),
        Some(false) => {
            writeln!(out, "{bold}not accepted{bold:#}: the SPRT does not show that it beats the incumbent")
        }
        None => Ok(()),
    }
}

/// Share of moves that keep the value, by the tuned weights and by the incumbent, on labelled positions.
fn accuracy(measured: &FitAccuracy) -> Grid {
    let mut grid = Grid::new(
        "accuracy: moves at depth 1 that keep the value",
        &["", "all positions", "quiet positions", "number", "quiet"],
    );
    let share =
        |kept: &PreservedMoves| kept.share().map_or("-".into(), |share| format!("{:.1} %", 100.0 * share));
    let rows = [
        ("tuned, training set", &measured.fitted),
        ("tuned, held out", &measured.held_out),
        ("incumbent, held out", &measured.incumbent),
    ];
    for (name, accuracy) in rows {
        grid.row(vec![
            name.into(),
            share(&accuracy.all),
            share(&accuracy.quiet),
            accuracy.all.moves.to_string(),
            accuracy.quiet.moves.to_string(),
        ]);
    }
    grid
}
