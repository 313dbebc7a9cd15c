//! `league`: a tournament of four players (`helpful`, `polynomial`, `lines` and a search) over board sizes and time
//! limits.
//!
//! The first three evaluate one ply and take negligible time; the fourth searches within a time limit. On each board
//! and for each time limit there is a round robin, with both colours from the same openings. A map shows the winner of
//! each, unless the runner-up is within the confidence interval.

use crate::duel::elo_text;
use crate::plot::{Colour, Map, Plot};
use crate::{Bench, Findings, Grid};
use outplay_arena::stats::Pairs;
use outplay_players::PlayerContext;
use outplay_workbench::Trouble;

/// The players that do not search.
const GUESSERS: [&str; 3] = ["helpful", "polynomial", "lines"];
const SEARCH: &str = "search";
/// All players.
const NAMES: [&str; 4] = [GUESSERS[0], GUESSERS[1], GUESSERS[2], SEARCH];
const EVEN: &str = "not told apart";

const BOARDS: [&str; 9] = [
    "tictactoe",
    "mnk:4x4,k=4",
    "mnk:5x5,k=4",
    "mnk:6x6,k=4",
    "mnk:7x7,k=5",
    "mnk:11x11,k=5",
    "mnk:15x15,k=5",
    "connect4:5x4",
    "connect4",
];

/// The match between two players, in points of the first.
struct MatchScore {
    players: [usize; 2],
    pairs: Pairs,
}

/// The leader of a tournament.
struct Leader {
    name: &'static str,
    /// Points per hundred games.
    points: f64,
    certain: bool,
}

/// The leader among some players, its points per game, and whether the lead is significant.
fn first_of(meetings: &[&MatchScore], players: usize) -> (usize, f64, bool) {
    let mut points = vec![(0.0, 0.0); players];
    for meeting in meetings {
        let games = 2.0 * meeting.pairs.count() as f64;
        let score = meeting.pairs.score();
        for (player, score) in meeting.players.into_iter().zip([score, 1.0 - score]) {
            points[player].0 += score * games;
            points[player].1 += games;
        }
    }
    let share = |player: usize| points[player].0 / f64::max(points[player].1, 1.0);
    let mut order: Vec<usize> = (0..players).collect();
    order.sort_by(|&a, &b| share(b).total_cmp(&share(a)));
    let (first, second) = (order[0], order[1]);
    let certain = meetings.iter().any(|meeting| match meeting.players {
        players if players == [first, second] => meeting.pairs.strength().low.is_some_and(|low| low > 0.0),
        players if players == [second, first] => meeting.pairs.strength().high.is_some_and(|high| high < 0.0),
        _ => false,
    });
    (first, share(first), certain)
}

fn meet(bench: &Bench<'_>, kit: &PlayerContext, players: [&str; 2], games: u64) -> Result<Pairs, Trouble> {
    let mut sum = Pairs::default();
    for seed in bench.seeds(1) {
        let (report, _) = bench.contest(kit, players, games, None, seed)?;
        let pairs = report.standings.players[0].pairs;
        sum.0.iter_mut().zip(pairs.0).for_each(|(sum, count)| *sum += count);
    }
    Ok(sum)
}

/// Plays the games of a board and adds their rows; returns the leader for each time limit, and without the search.
fn leaders(
    bench: &Bench<'_>,
    board: &str,
    times: &[&str],
    games: u64,
    scores: &mut Grid,
) -> Result<Vec<Leader>, Trouble> {
    let kit = bench.kit(board)?;
    bench.watch.stage(board, 0);
    let mut meeting = |players: [usize; 2], specs: [&str; 2]| -> Result<MatchScore, Trouble> {
        let pairs = meet(bench, &kit, specs, games)?;
        scores.row(vec![
            board.into(),
            format!("{} - {}", specs[0], specs[1]),
            format!("{:.0}", 100.0 * pairs.score()),
            elo_text(&pairs.strength()),
        ]);
        Ok(MatchScore { players, pairs })
    };
    let leader = |meetings: &[&MatchScore], players: usize| {
        let (first, share, certain) = first_of(meetings, players);
        Leader { name: NAMES[first], points: 100.0 * share, certain }
    };
    let mut guessers = Vec::new();
    for (a, b) in [(0, 1), (0, 2), (1, 2)] {
        guessers.push(meeting([a, b], [GUESSERS[a], GUESSERS[b]])?);
    }
    let mut leaders = Vec::new();
    for time in times {
        let search = format!("alphabeta:time={time},eval=lines");
        let mut searches = Vec::new();
        for (player, guesser) in GUESSERS.into_iter().enumerate() {
            searches.push(meeting([3, player], [&search, guesser])?);
        }
        leaders.push(leader(&guessers.iter().chain(&searches).collect::<Vec<_>>(), NAMES.len()));
    }
    leaders.push(leader(&guessers.iter().collect::<Vec<_>>(), GUESSERS.len()));
    Ok(leaders)
}

pub(crate) fn run(bench: &Bench<'_>) -> Result<Findings, Trouble> {
    let few = bench.games.is_some_and(|games| games < 10);
    let boards = &BOARDS[..if few { 2 } else { BOARDS.len() }];
    let times: &[&str] = match (few, bench.full) {
        (true, _) => &["1ms"],
        (_, false) => &["1ms", "10ms"],
        (_, true) => &["1ms", "10ms", "100ms"],
    };
    let games = u64::from(bench.games.unwrap_or(if bench.full { 100 } else { 40 }).max(2));
    let mut findings = Findings::new(format!(
        "helpful, polynomial and lines in one ply, alphabeta with eval=lines for {} a move; {games} games of each two, {}, random openings, both colours; first is who has most points, if the bounds of its games against the second leave no doubt",
        times.join(" or "),
        bench.seeds_phrase(1)
    ));
    let mut grid = Grid::new("who comes first, with its points of a hundred games", &["board"]);
    grid.columns.extend(times.iter().map(|time| format!("search has {time}")));
    grid.columns.push("first without search".into());
    let mut scores = Grid::new(
        "points of the first player named, % (95 % bounds in Elo)",
        &["board", "players", "points", "Elo"],
    );
    let (mut cells, mut notes) = (Vec::new(), Vec::new());
    for board in boards {
        let mut row = vec![(*board).to_string()];
        let (mut words, mut written) = (Vec::new(), Vec::new());
        for leader in leaders(bench, board, times, games, &mut scores)? {
            let doubt = if leader.certain { "" } else { " (not told apart from the second)" };
            row.push(format!("{}, {:.0}{doubt}", leader.name, leader.points));
            words.push(if leader.certain { leader.name } else { EVEN }.to_string());
            written.push(format!("{} {:.0}", leader.name, leader.points));
        }
        grid.row(row);
        cells.push(words);
        notes.push(written);
    }
    let wins =
        |name: &str| cells.iter().flat_map(|row| &row[..times.len()]).filter(|word| *word == name).count();
    findings.remark(format!(
        "Of {} places, search comes first in {}, helpful in {}, lines in {}, polynomial in {}; in the others the first two are not told apart.",
        cells.len() * times.len(),
        wins(SEARCH),
        wins("helpful"),
        wins("lines"),
        wins("polynomial")
    ));
    findings.tables = vec![grid, scores];
    let mut columns: Vec<String> = times.iter().map(|time| (*time).to_string()).collect();
    columns.push("without it".into());
    let mut legend: Vec<(String, Colour)> = NAMES
        .iter()
        .enumerate()
        .map(|(number, name)| ((*name).to_string(), Colour::Series(number)))
        .collect();
    legend.push((EVEN.into(), Colour::Series(5)));
    findings.plots.push(Plot::Map(Map {
        title: "Who wins where, and with how many points of a hundred".into(),
        columns,
        rows: boards.iter().map(|board| (*board).to_string()).collect(),
        x: "time of a move of the search".into(),
        y: "board".into(),
        cells,
        notes,
        legend,
    }));
    Ok(findings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lead_is_significant_or_not() {
        let meeting = |players, counts| MatchScore { players, pairs: Pairs(counts) };
        let all = [
            meeting([0, 1], [0, 0, 0, 0, 40]),
            meeting([0, 2], [0, 0, 0, 0, 40]),
            meeting([1, 2], [0, 0, 40, 0, 0]),
        ];
        let (first, share, certain) = first_of(&all.each_ref(), 3);
        assert_eq!((first, share, certain), (0, 1.0, true));
        let all = [
            meeting([1, 0], [0, 0, 2, 0, 0]),
            meeting([2, 0], [2, 0, 0, 0, 0]),
            meeting([1, 2], [0, 0, 0, 0, 2]),
        ];
        let (_, share, certain) = first_of(&all.each_ref(), 3);
        assert_eq!((share, certain), (0.75, false));
    }
}
