//! `connect4-ga`: the genetic algorithm of the Connect-4 report (Garner), its bot against random, greedy and perfect
//! play, and a check of the report's conclusions.

use crate::duel::elo_bounds;
use crate::{Bench, Findings, Grid, connect4_weights, ordering};
use outplay_arena::record::GameRecord;
use outplay_arena::standings::PlayerRow;
use outplay_arena::tune::{self, TuneReport, TuneRequest, searcher};
use outplay_core::figures::duration;
use outplay_core::{AnyGame, Game, Notation};
use outplay_players::PlayerContext;
use outplay_workbench::Trouble;
use std::time::Instant;

/// The report's table: generation, centre, fours, threes, twos, block, score out of ten.
const THEIRS: [[u32; 7]; 5] = [
    [1, 3, 100, 1, 10, 29, 9],
    [2, 3, 100, 1, 10, 29, 9],
    [3, 3, 100, 1, 8, 29, 9],
    [4, 9, 100, 8, 9, 29, 9],
    [5, 3, 100, 1, 8, 29, 10],
];

const PAPER: &str = "lines:weights=paper";
const DEPTH: u32 = 7;
/// Time limit of the genetic algorithm, in seconds.
const MOST_SECONDS: f64 = 60.0;
/// Games against random and greedy.
const GAMES: u32 = 200;
/// Games against perfect play, which takes seconds per move in the opening.
const PERFECT_GAMES: u64 = 20;
/// Random opening plies of games against perfect play.
const PERFECT_OPENING: u32 = 8;

pub(crate) fn run(bench: &Bench<'_>) -> Result<Findings, Trouble> {
    let kit = bench.kit("connect4")?;
    let threads = bench.session.threads;
    let mut findings = Findings::new(format!(
        "population 32, 5 opponents each met twice with colours swapped (so that the score is out of 10), half survive, \
         one weight changed by ±1, ±2 or ±5, 5 generations, depth {DEPTH}, seed {} for the algorithm and {} for \
         the matches, then {}, {} threads",
        bench.seed + 1,
        bench.seed,
        bench.seeds_phrase(8),
        threads
    ));
    let mut paper = TuneRequest::default();
    (paper.depth, paper.seed, paper.threads) = (DEPTH, bench.seed + 1, threads);
    paper.incumbent = PAPER.into();
    let tuned = tune::run(&kit, &paper, bench.watch)?;
    findings.tables.push(generations(&tuned));
    findings.remark(format!(
        "The genetic algorithm took {} on {} threads; theirs about 8 h on 16.",
        duration(tuned.seconds),
        threads
    ));
    duel_all(bench, &kit, &tuned, &mut findings)?;
    findings.claim(
        tuned.seconds < MOST_SECONDS,
        format!(
            "The genetic algorithm should take less than {}; this machine may be slow or busy.",
            duration(MOST_SECONDS)
        ),
    );
    findings.remark("The report takes the number of positions to be half a million. 7x6 has 4,531,985,219,092; half a million is the size of the database with which Allis's program played (1988), and 1.6·10^13 is no count of games but an early bound on positions.");
    connect4_weights::seeds(bench, &kit, DEPTH, &mut findings)?;
    connect4_weights::ablation(bench, &kit, DEPTH, &mut findings)?;
    ordering::run(bench, DEPTH, &mut findings)?;
    if bench.full {
        twenty_generations(bench, &kit, &tuned, paper, &mut findings)?;
    }
    Ok(findings)
}

/// The bot and the report's bot against random, greedy and perfect play.
fn duel_all(
    bench: &Bench<'_>,
    kit: &PlayerContext,
    tuned: &TuneReport,
    findings: &mut Findings,
) -> Result<(), Trouble> {
    let (bot, paper_bot) = (searcher(DEPTH, &tuned.evaluation), searcher(DEPTH, PAPER));
    let mut duels = Duels::new(bench, kit, format!("the bot ({}) against others", tuned.evaluation));
    let games = u64::from(bench.games.unwrap_or(GAMES));
    for (number, opponent) in ["random", "greedy"].into_iter().enumerate() {
        let row = duels.play(number as u64, [&bot, opponent], games, 0, "100 % won")?;
        findings.claim(
            row.tally.losses == 0 && row.tally.wins * 100 >= games * 99,
            format!("The bot should win 99 of 100 games against {opponent} and lose none, and did not."),
        );
    }
    let perfect_games = PERFECT_GAMES.min(games.max(2));
    duels.play(2, [&bot, &paper_bot], games, PERFECT_OPENING / 2, "its own bot")?;
    duels.play(3, [&bot, "perfect"], perfect_games, PERFECT_OPENING, "usually lost")?;
    let theirs = "loses or draws, usually loses";
    let row = duels.play(4, [&paper_bot, "perfect"], perfect_games, 0, theirs)?;
    findings.remark(format!(
        "The report's bot against perfect play from the empty board, {} games, half of them as first player: {} won, {} drawn, {} lost ({}/{}/{} as first player, who wins by force, and {}/{}/{} as second).",
        row.games,
        row.tally.wins,
        row.tally.draws,
        row.tally.losses,
        row.as_first.wins,
        row.as_first.draws,
        row.as_first.losses,
        row.as_second.wins,
        row.as_second.draws,
        row.as_second.losses,
    ));
    findings.claim(
        row.as_second.wins + row.as_second.draws == 0,
        "As second player the bot took something from perfect play, which never happens.",
    );
    let Duels { grid, missed: MissedWins { chances, missed }, .. } = duels;
    findings.tables.push(grid);
    findings.remark(format!(
        "In all these games the bot could win at once {chances} times and did so {} times (theirs sometimes passed it up).",
        chances - missed
    ));
    findings.claim(missed == 0, "The bot passed up a win, which it never should.");
    Ok(())
}

/// Four times the generations with twice the opponents, as the report suggests.
fn twenty_generations(
    bench: &Bench<'_>,
    kit: &PlayerContext,
    tuned: &TuneReport,
    mut request: TuneRequest,
    findings: &mut Findings,
) -> Result<(), Trouble> {
    (request.games, request.generations) = (10, 20);
    let better = tune::run(kit, &request, bench.watch)?;
    findings.tables.push(generations(&better));
    findings.remark(format!(
        "Twenty generations and ten opponents each, as the report suggests, took {}.",
        duration(better.seconds)
    ));
    let mut duels = Duels::new(bench, kit, "the bot of twenty generations");
    let bot = searcher(DEPTH, &better.evaluation);
    for (number, opponent) in [tuned.evaluation.as_str(), PAPER].into_iter().enumerate() {
        duels.play(4 + number as u64, [&bot, &searcher(DEPTH, opponent)], 400, 4, "")?;
    }
    findings.tables.push(duels.grid);
    Ok(())
}

fn generations(tuned: &TuneReport) -> Grid {
    let mut grid = Grid::new(
        "the best bot of each generation: centre fours threes twos block",
        &["generation", "their weights", "score", "our weights", "score", "mean", "games"],
    );
    for one in &tuned.generations {
        let theirs = THEIRS.iter().find(|row| row[0] == one.generation);
        let words = |weights: &[u32]| weights.iter().map(u32::to_string).collect::<Vec<_>>().join(" ");
        grid.row(vec![
            one.generation.to_string(),
            theirs.map_or(String::new(), |row| words(&row[1..6])),
            theirs.map_or(String::new(), |row| format!("{} of 10", row[6])),
            one.best.iter().map(|weight| weight.to_string()).collect::<Vec<_>>().join(" "),
            format!("{} of {}", one.points, one.out_of),
            format!("{:.2}", one.mean),
            one.games.to_string(),
        ]);
    }
    grid
}

/// Wins in one, and those that were missed.
#[derive(Default)]
struct MissedWins {
    chances: u64,
    missed: u64,
}

impl MissedWins {
    /// Counts over the moves of player 0.
    fn count(&mut self, game: &AnyGame, record: &GameRecord) -> Result<(), Trouble> {
        let Some(mut pos) = game.start() else { return Ok(()) };
        let mut moves = Vec::new();
        let seat = usize::from(record.second == 0);
        for (ply, word) in record.moves.split(' ').enumerate() {
            let mv = game.read_move(&pos, word)?;
            if ply >= record.opening_moves && ply % 2 == seat {
                moves.clear();
                game.moves(&pos, &mut moves);
                let wins = |mv| game.outcome(&game.play(&pos, mv)).is_some_and(|payoff| payoff != 0);
                if moves.iter().any(|&mv| wins(mv)) {
                    self.chances += 1;
                    self.missed += u64::from(!wins(mv));
                }
            }
            pos = game.play(&pos, mv);
        }
        Ok(())
    }
}

/// Matches of a bot, one table row each.
struct Duels<'a> {
    bench: &'a Bench<'a>,
    kit: &'a PlayerContext,
    grid: Grid,
    missed: MissedWins,
}

impl<'a> Duels<'a> {
    fn new(bench: &'a Bench<'a>, kit: &'a PlayerContext, title: impl Into<String>) -> Duels<'a> {
        let columns = [
            "opponent",
            "games",
            "openings",
            "theirs",
            "won",
            "drawn",
            "lost",
            "Elo, 95 %",
            "distinct games",
            "seed",
        ];
        Duels { bench, kit, grid: Grid::new(title, &columns), missed: MissedWins::default() }
    }

    /// Plays a match from openings of `plies` plies and adds its row.
    fn play(
        &mut self,
        number: u64,
        [bot, opponent]: [&str; 2],
        games: u64,
        openings: u32,
        theirs: &str,
    ) -> Result<PlayerRow, Trouble> {
        let seed = self.bench.seed + number;
        let began = Instant::now();
        let (report, records) = self.bench.contest(self.kit, [bot, opponent], games, Some(openings), seed)?;
        for record in &records {
            self.missed.count(&self.kit.game, record)?;
        }
        let row = report.standings.players[0].clone();
        let whose =
            if bot.contains("weights=paper") && opponent == "perfect" { " (the report's bot)" } else { "" };
        self.grid.row(vec![
            format!("{opponent}{whose}"),
            format!("{} in {}", row.games, duration(began.elapsed().as_secs_f64())),
            format!("{openings} plies"),
            theirs.to_string(),
            row.tally.wins.to_string(),
            row.tally.draws.to_string(),
            row.tally.losses.to_string(),
            elo_bounds(&row.strength),
            report.standings.distinct_games.to_string(),
            seed.to_string(),
        ]);
        Ok(row)
    }
}
