//! `visibility`: whether a deeper search chooses better moves, depth by depth.
//!
//! Moore's lecture on playing and solving games gives two reasons for deeper search: deeper leaves are nearer to the
//! end, where evaluations are more accurate (visibility), and a maximum over many evaluations filters their errors (the
//! experiment `filtering`). Here the chosen moves are compared with exact values, on positions in which at least one
//! move loses value.

use crate::lesson::{Lesson, lessons};
use crate::plot::{Lines, Series};
use crate::sample::{Sample, percent, percent_point, share_point, share_text};
use crate::{Bench, Findings, Grid};
use outplay_core::{Game, Notation};
use outplay_players::{Judge, Player, PlayerContext};
use outplay_runtime::Deadline;
use outplay_workbench::Trouble;

/// The deepest search.
const DEEPEST: u32 = 8;

/// Upper limit of the random plies before a position.
const PLIES: u32 = 16;
/// Width in stones of a group.
const BUCKET: u32 = 4;

/// Runs with different seeds, pooled.
const RUNS: u32 = 1;

pub(crate) fn run(bench: &Bench<'_>) -> Result<Findings, Trouble> {
    let boards: &[&str] = match (bench.full, bench.games) {
        (true, _) => &["connect4:5x4", "connect4:5x5", "connect4:6x5", "mnk:5x5,k=4"],
        // This number of positions decides nothing.
        (false, Some(0..20)) => &["connect4:5x4"],
        (false, _) => &["connect4:5x4", "connect4:5x5", "connect4:6x5"],
    };
    let wanted = bench.games.unwrap_or(if bench.full { 1000 } else { 200 }).max(1);
    let mut findings = Findings::new(format!(
        "{wanted} different random positions a board and run with at least one move that throws something away, alphabeta with eval=lines at depths 1 to {DEEPEST}, {}",
        bench.seeds_phrase(RUNS)
    ));
    let mut survey = Survey::new();
    let surveyed: Vec<Choices> =
        boards.iter().map(|board| survey.board(bench, board, wanted)).collect::<Result<_, _>>()?;
    let mut grid = Grid::new("share of choices that keep the value, with 95 % bounds", &["depth"]);
    grid.columns.extend(boards.iter().map(|board| (*board).to_string()));
    for depth in 0..DEEPEST as usize {
        let mut row = vec![(depth + 1).to_string()];
        row.extend(surveyed.iter().map(|choices| share_text(choices.right[depth], choices.seen)));
        grid.row(row);
    }
    let (series, sight): (Vec<Series>, Vec<Series>) = boards
        .iter()
        .zip(&surveyed)
        .map(|(board, choices)| (choices.line(board), choices.sight(board, &mut survey.by_stones)))
        .unzip();
    findings.tables.push(grid);
    let Survey { atlas, by_stones, worse, better, pairs } = survey;
    findings.remark(format!(
        "One ply more turned a wrong choice into a right one {better} times and a right one into a wrong one {worse} times, of {pairs} steps: looking deeper {}."
    , if better > worse { "helps on the whole, and not always" } else { "does not help on the whole" }));
    findings.tables.extend([atlas, by_stones].into_iter().filter(|grid| !grid.rows.is_empty()));
    let axes = ["depth, plies", "choices that keep the value, %"];
    findings.plot(Lines::new("Does a deeper search choose better?", axes, series));
    let axes = ["stones on the board", "right above wrong move, %"];
    findings.plot(Lines::new("Does the evaluation see more near the end?", axes, sight));
    Ok(findings)
}

/// Quality of the choices on a board by depth, and of the evaluation alone.
struct Choices {
    /// Choices that keep the value, by depth.
    right: Vec<u64>,
    seen: u64,
    /// Percentages of move pairs that the evaluation orders correctly, by stones.
    ordered: Vec<Sample>,
}

impl Choices {
    /// The fraction of right choices by depth.
    fn line(&self, board: &str) -> Series {
        let points = self.right.iter().zip(1..);
        let points = points.map(|(&good, depth)| share_point(f64::from(depth), good, self.seen));
        Series { name: board.into(), points: points.collect() }
    }

    /// Accuracy of the evaluation by stones; adds its rows.
    fn sight(&self, board: &str, by_stones: &mut Grid) -> Series {
        let mut line = Series::new(board);
        for (bucket, sample) in self.ordered.iter().enumerate().filter(|(_, sample)| sample.len() > 1) {
            let from = bucket as u32 * BUCKET;
            by_stones.row(vec![
                board.into(),
                format!("{from} to {}", from + BUCKET - 1),
                sample.len().to_string(),
                sample.text(percent),
            ]);
            line.points.extend(percent_point(sample, f64::from(from) + f64::from(BUCKET - 1) / 2.0));
        }
        line
    }
}

/// Effect of one more ply, on all boards.
struct Survey {
    atlas: Grid,
    by_stones: Grid,
    worse: u64,
    better: u64,
    pairs: u64,
}

impl Survey {
    fn new() -> Survey {
        let atlas = Grid::new(
            "deeper is worse: positions in which a depth keeps the value and the next one throws it away",
            &["board", "depth", "then", "position", "right", "wrong"],
        );
        let by_stones = Grid::new(
            "how often the evaluation alone puts a right move above a wrong one, by stones on the board (95 % bounds)",
            &["board", "stones", "positions", "in the right order"],
        );
        Survey { atlas, by_stones, worse: 0, better: 0, pairs: 0 }
    }

    /// Searches positions of a board to every depth.
    fn board(&mut self, bench: &Bench<'_>, board: &str, wanted: u32) -> Result<Choices, Trouble> {
        let kit = bench.kit(board)?;
        let judge = kit.judge("lines")?;
        let mut players: Vec<Box<dyn Player>> = (1..=DEEPEST)
            .map(|depth| kit.player(&format!("alphabeta:depth={depth},eval=lines")))
            .collect::<Result<_, _>>()?;
        let ordered = vec![Sample::default(); PLIES.div_ceil(BUCKET) as usize];
        let mut choices = Choices { right: vec![0; DEEPEST as usize], seen: 0, ordered };
        let quiet = Deadline::new(None, bench.watch).silent();
        for seed in bench.seeds(RUNS) {
            bench.watch.stage(board, u64::from(wanted));
            for lesson in lessons(bench, &kit, seed, wanted, 0..PLIES)? {
                bench.check_cancelled()?;
                choices.seen += 1;
                bench.watch.advance(1);
                let stones = kit.game.board(&lesson.pos).map_or(0, |board| board.stones());
                if let Some(share) = order(&kit, &*judge, &lesson) {
                    choices.ordered[stones / BUCKET as usize].add(100.0 * share);
                }
                let mut chosen = Vec::new();
                for (place, player) in players.iter_mut().enumerate() {
                    player.begin(seed);
                    let mv = player.choose(&lesson.pos, &quiet)?.finished()?.mv;
                    chosen.push((lesson.keeps(mv), kit.game.write_move(&lesson.pos, mv)));
                    choices.right[place] += u64::from(chosen[place].0);
                }
                self.compare(board, &kit.game.write_position(&lesson.pos), &chosen);
            }
        }
        Ok(choices)
    }

    /// Compares the choices of consecutive depths: whether they keep the value, and their names.
    fn compare(&mut self, board: &str, position: &str, chosen: &[(bool, String)]) {
        for (depth, step) in (1..).zip(chosen.windows(2)) {
            let [(before, right), (after, wrong)] = step else { continue };
            self.pairs += 1;
            self.better += u64::from(!before && *after);
            if *before && !after {
                self.worse += 1;
                if self.atlas.rows.len() < 20 {
                    let (depth, then) = (depth.to_string(), (depth + 1).to_string());
                    let (right, wrong) = (right.clone(), wrong.clone());
                    self.atlas.row(vec![board.into(), depth, then, position.into(), right, wrong]);
                }
            }
        }
    }
}

/// The fraction of (right, wrong) move pairs that the evaluation orders correctly; ties count half. Moves that end
/// the game are left out, because the rules decide them; `None` if no pair is left.
fn order(kit: &PlayerContext, judge: &dyn Judge, lesson: &Lesson) -> Option<f64> {
    let me = kit.game.turn(&lesson.pos);
    let scores: Vec<(bool, i32)> = lesson
        .moves
        .iter()
        .map(|(mv, payoff)| (*payoff == lesson.best, kit.game.play(&lesson.pos, *mv)))
        .filter(|(_, next)| kit.game.outcome(next).is_none())
        .map(|(right, next)| (right, judge.score(&next, me)))
        .collect();
    let (mut sum, mut pairs) = (0.0, 0.0);
    for (_, good) in scores.iter().filter(|(right, _)| *right) {
        for (_, bad) in scores.iter().filter(|(right, _)| !*right) {
            pairs += 1.0;
            sum += if good > bad {
                1.0
            } else if good == bad {
                0.5
            } else {
                0.0
            };
        }
    }
    (pairs > 0.0).then(|| sum / pairs)
}
