//! `league`: helpful, polynomial, lines and search over boards and time: who wins where.
//!
//! Three players guess in one ply and take no time to speak of; the fourth looks ahead for as long as it may. On each
//! board and for each time all meet all, both colours from the same openings, and the map shows who comes first, if
//! the second does not stand within the bounds.

use crate::plot::{Colour, Map, Plot};
use crate::{Bench, Findings, Grid};
use outplay_answer::Trouble;
use outplay_arena::matches::{self, MatchRequest};
use outplay_arena::stats::Pairs;
use outplay_core::Game;
use outplay_players::Kit;

/// Who guesses.
const GUESSERS: [&str; 3] = ["helpful", "polynomial", "lines"];
const SEARCH: &str = "search";
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

/// What two players did against each other, the first one's points.
struct Meeting {
    players: [usize; 2],
    pairs: Pairs,
}

/// Who comes first among some players, its points a game, and whether that is certain.
fn first_of(meetings: &[&Meeting], players: usize) -> (usize, f64, bool) {
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

fn meet(bench: &Bench<'_>, kit: &Kit, players: [&str; 2], games: u64) -> Result<Pairs, Trouble> {
    let start = kit.game.start().ok_or_else(Trouble::stopped)?;
    let mut sum = Pairs::default();
    for seed in bench.seeds(1) {
        let mut request = MatchRequest::default();
        request.players = players.map(String::from).to_vec();
        (request.games, request.seed, request.concurrency) = (games, seed, bench.options.threads);
        let report = matches::run(kit, &start, None, &request, bench.watch)?;
        bench.go_on()?;
        let pairs = report.standings.players[0].pairs;
        sum.0.iter_mut().zip(pairs.0).for_each(|(sum, count)| *sum += count);
    }
    Ok(sum)
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
        bench.told_seeds(1)
    ));
    let mut grid = Grid::new("who comes first, with its points of a hundred games", &["board"]);
    grid.columns.extend(times.iter().map(|time| format!("search has {time}")));
    grid.columns.push("first without search".into());
    let mut scores = Grid::new(
        "points of the first player named, % (95 % bounds in Elo)",
        &["board", "players", "points", "Elo"],
    );
    let (mut cells, mut notes) = (Vec::new(), Vec::new());
    let names = [GUESSERS[0], GUESSERS[1], GUESSERS[2], SEARCH];
    for board in boards {
        let kit = bench.kit(board)?;
        bench.watch.stage(board, 0);
        let mut meetings = Vec::new();
        let mut add = |players: [usize; 2], specs: [&str; 2]| -> Result<Meeting, Trouble> {
            let pairs = meet(bench, &kit, specs, games)?;
            let strength = pairs.strength();
            let end = |end: Option<f64>| end.map_or("…".to_string(), |elo| format!("{elo:+.0}"));
            scores.row(vec![
                (*board).into(),
                format!("{} - {}", specs[0], specs[1]),
                format!("{:.0}", 100.0 * pairs.score()),
                format!("{:+.0} ({} to {})", strength.elo, end(strength.low), end(strength.high)),
            ]);
            Ok(Meeting { players, pairs })
        };
        for (a, b) in [(0, 1), (0, 2), (1, 2)] {
            meetings.push(add([a, b], [GUESSERS[a], GUESSERS[b]])?);
        }
        let (mut row, mut words, mut written) = (vec![(*board).to_string()], Vec::new(), Vec::new());
        let word = |first: usize, certain: bool| if certain { names[first] } else { EVEN };
        for time in times {
            let search = format!("alphabeta:time={time},eval=lines");
            let mut here = Vec::new();
            for (player, guesser) in GUESSERS.into_iter().enumerate() {
                here.push(add([3, player], [&search, guesser])?);
            }
            let all: Vec<&Meeting> = meetings.iter().chain(&here).collect();
            let (first, share, certain) = first_of(&all, names.len());
            row.push(format!(
                "{}, {:.0}{}",
                names[first],
                100.0 * share,
                if certain { "" } else { " (not told apart from the second)" }
            ));
            words.push(word(first, certain).to_string());
            written.push(format!("{} {:.0}", names[first], 100.0 * share));
        }
        let alone: Vec<&Meeting> = meetings.iter().collect();
        let (first, share, certain) = first_of(&alone, GUESSERS.len());
        row.push(format!(
            "{}, {:.0}{}",
            names[first],
            100.0 * share,
            if certain { "" } else { " (not told apart from the second)" }
        ));
        words.push(word(first, certain).to_string());
        written.push(format!("{} {:.0}", names[first], 100.0 * share));
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
    let mut legend: Vec<(String, Colour)> = names
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
    fn the_first_is_certain_or_not() {
        let meeting = |players, counts| Meeting { players, pairs: Pairs(counts) };
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
