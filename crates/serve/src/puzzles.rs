//! Precomputed puzzle sets and the puzzle of the day.
//!
//! ```text
//!  puzzles/sets.jsonl   one puzzle per line, as printed by `outplay puzzle GAME --json` (`cargo xtask puzzles`)
//!  number               index of a puzzle among those of its game, from 0
//! ```

use crate::api_request::ApiRequest;
use crate::place::spelled;
use crate::refusal::Refusal;
use crate::reply::{self, Reply, at_once};
use axum::http::StatusCode;
use serde_json::{Value, json};
use std::sync::OnceLock;
use std::time::SystemTime;

/// The embedded puzzle sets.
const SETS: &str = include_str!("../puzzles/sets.jsonl");

/// Returns all puzzles in file order. Lines that do not parse are skipped; a test asserts that there are none.
fn all() -> &'static [Value] {
    static ALL: OnceLock<Vec<Value>> = OnceLock::new();
    ALL.get_or_init(|| SETS.lines().filter_map(|line| serde_json::from_slice(line.as_bytes()).ok()).collect())
}

/// The puzzles of a game.
fn of(game: &str) -> impl Iterator<Item = &'static Value> + use<'_> {
    all().iter().filter(move |puzzle| puzzle["game"] == game)
}

/// Adds a puzzle's index and the size of its set.
fn numbered(puzzle: &Value, number: usize, of: usize) -> Value {
    let mut answer = puzzle.clone();
    answer["number"] = json!(number);
    answer["of"] = json!(of);
    answer
}

/// `GET /api/v1/puzzles`: lists the sets.
pub(crate) fn sets(_: &ApiRequest) -> Result<Reply, Refusal> {
    let mut games: Vec<&str> = Vec::new();
    for puzzle in all() {
        let game = puzzle["game"].as_str().unwrap_or_default();
        if !games.contains(&game) {
            games.push(game);
        }
    }
    let entry = |(number, puzzle): (usize, &Value)| {
        let moves = puzzle["steps"].as_array().map_or(1, Vec::len);
        json!({ "number": number, "level": puzzle["difficulty"]["level"], "themes": puzzle["themes"], "moves": moves })
    };
    let set = |game: &str| json!({ "game": game, "puzzles": of(game).enumerate().map(entry).collect::<Vec<Value>>() });
    at_once(reply::json(&json!({ "sets": games.into_iter().map(set).collect::<Vec<Value>>() })))
}

/// `GET /api/v1/puzzle/set`
pub(crate) fn one(asked: &ApiRequest) -> Result<Reply, Refusal> {
    let (game, number) = (spelled(asked.needed("game")?), asked.text("number")?.unwrap_or_default());
    let count = of(&game).count();
    let missing = |error: String| {
        Err(Refusal::new(
            StatusCode::NOT_FOUND,
            error,
            "/api/v1/puzzles lists the sets; /api/v1/puzzle searches for a puzzle of any game",
        ))
    };
    let shown: String = game.chars().take(80).collect();
    if count == 0 {
        return missing(format!("there is no set of puzzles of `{shown}`"));
    }
    let number = if number.is_empty() { Ok(0) } else { number.parse::<usize>() };
    match number.ok().and_then(|number| Some((number, of(&game).nth(number)?))) {
        Some((number, puzzle)) => at_once(reply::json(&numbered(puzzle, number, count))),
        None => missing(format!("the puzzles of {shown} are numbered from 0 to {}", count - 1)),
    }
}

/// `GET /api/v1/puzzle/daily`: the puzzle of a `date` such as `2026-11-17`; today (UTC) by default.
pub(crate) fn daily(asked: &ApiRequest) -> Result<Reply, Refusal> {
    let today =
        SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs() / 86_400);
    let day = match asked.text("date")?.unwrap_or_default().trim() {
        "" => Some(today),
        date => day_of(date),
    };
    let Some(day) = day else {
        return Err(Refusal::bad(
            "the date is not valid",
            "write a date such as 2026-11-17, or leave it out for today's puzzle",
        ));
    };
    let Some(puzzle) = of_day(day) else {
        return Err(Refusal::new(
            StatusCode::NOT_FOUND,
            "this server was built without sets of puzzles",
            "/api/v1/puzzle searches for a puzzle instead",
        ));
    };
    let game = puzzle["game"].as_str().unwrap_or_default();
    let number = of(game).position(|other| other == puzzle).unwrap_or(0);
    let mut answer = numbered(puzzle, number, of(game).count());
    answer["date"] = json!(date_of(day));
    at_once(reply::json(&answer))
}

/// Returns the puzzle of a day: a permutation of all puzzles, so none repeats before all have appeared.
fn of_day(day: u64) -> Option<&'static Value> {
    let count = all().len() as u64;
    // A step coprime to the count visits every index once; about 5/13 of the count moves between games.
    let step = (count * 5 / 13..).find(|step| *step > 0 && coprime(*step, count))?;
    all().get(((day % count.max(1)) * step % count.max(1)) as usize)
}

fn coprime(a: u64, b: u64) -> bool {
    let (mut a, mut b) = (a, b);
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a == 1
}

/// Days since 1970-01-01 of a date such as `2026-11-17`.
fn day_of(date: &str) -> Option<u64> {
    let parts: Vec<u64> = date.split('-').map(|part| part.parse().ok()).collect::<Option<_>>()?;
    let [year, month, day] = parts[..] else { return None };
    if !(1970..=9999).contains(&year)
        || !(1..=12).contains(&month)
        || !(1..=days_in(year, month)).contains(&day)
    {
        return None;
    }
    let years: u64 = (1970..year).map(|year| if leap(year) { 366 } else { 365 }).sum();
    let months: u64 = (1..month).map(|month| days_in(year, month)).sum();
    Some(years + months + day - 1)
}

/// The date of a day number.
fn date_of(day: u64) -> String {
    let (mut year, mut left) = (1970, day);
    while left >= if leap(year) { 366 } else { 365 } {
        left -= if leap(year) { 366 } else { 365 };
        year += 1;
    }
    let mut month = 1;
    while left >= days_in(year, month) {
        left -= days_in(year, month);
        month += 1;
    }
    format!("{year:04}-{month:02}-{:02}", left + 1)
}

fn leap(year: u64) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

fn days_in(year: u64, month: u64) -> u64 {
    match month {
        2 if leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use outplay_catalog::Catalog;
    use outplay_core::{Game, Notation};
    use outplay_players::{ExactOracle, MoveValue};
    use outplay_runtime::NoMonitor;
    use outplay_workbench::{Oracle, Session};
    use std::collections::HashSet;

    /// Games whose puzzles every test run checks; the others take minutes.
    const QUICK: [&str; 8] = [
        "tictactoe",
        "connect4:5x4",
        "mnk:4x4,k=3",
        "nim:",
        "morris:",
        "chess:KRK",
        "chess:KPK",
        "einstein:3x3",
    ];

    /// Checks that each solver move is the only optimal move of its position.
    fn check(wanted: impl Fn(&str) -> bool) -> usize {
        let catalog = Catalog::standard();
        let mut checked = 0;
        let mut last: Option<(String, Oracle, outplay_workbench::GameHandle)> = None;
        for puzzle in all() {
            let spec = puzzle["game"].as_str().unwrap();
            // VCF puzzles have no exact values; the VCF search has tests of its own.
            if !wanted(spec) || puzzle["kind"] == "fours" {
                continue;
            }
            if last.as_ref().is_none_or(|(known, ..)| known != spec) {
                let entry = catalog.open(spec).unwrap();
                last = Some((spec.into(), Oracle::new(Session::default(), entry.clone()), entry));
            }
            let (_, truth, entry) = last.as_ref().unwrap();
            let game = entry.game();
            let mut pos = game.read_position(puzzle["position"].as_str().unwrap()).unwrap();
            let kind = puzzle["kind"].as_str().unwrap();
            let steps = puzzle["steps"].as_array().unwrap();
            assert_eq!(steps[0]["move"], puzzle["solution"], "{puzzle}");
            for (i, step) in steps.iter().enumerate() {
                let merits = truth.moves(&pos, &NoMonitor).unwrap().unwrap();
                let mv = game.read_move(&pos, step["move"].as_str().unwrap()).unwrap();
                let best = merits.iter().find(|(known, _)| *known == mv).unwrap().1;
                let rival = |other: MoveValue| match (kind, best) {
                    (_, MoveValue::Mean(mean)) => other.payoff() > mean - 0.02,
                    ("only", MoveValue::Value(value)) if i == 0 || value.distance() != Some(1) => {
                        other.preserves(best)
                    }
                    _ => other.compare(best).is_ge(),
                };
                let rivals = merits.iter().filter(|(known, merit)| *known != mv && rival(*merit)).count();
                assert_eq!(rivals, 0, "move {i} of {puzzle}");
                pos = game.play(&pos, mv);
                match step["reply"].as_str() {
                    Some(reply) => pos = game.play(&pos, game.read_move(&pos, reply).unwrap()),
                    None => assert_eq!(i + 1, steps.len(), "{puzzle}"),
                }
            }
            checked += 1;
        }
        checked
    }

    #[test]
    fn vcf_puzzles_have_one_first_move() {
        let catalog = Catalog::standard();
        let mut checked = 0;
        for puzzle in all().iter().filter(|puzzle| puzzle["kind"] == "fours") {
            let entry = catalog.open(puzzle["game"].as_str().unwrap()).unwrap();
            let game = entry.game();
            let themes = puzzle["themes"].as_array().unwrap();
            let fours = themes
                .iter()
                .find_map(|theme| theme.as_str()?.strip_prefix("fours in ")?.parse::<usize>().ok());
            let mut pos = game.read_position(puzzle["position"].as_str().unwrap()).unwrap();
            for (made, step) in puzzle["steps"].as_array().unwrap().iter().enumerate() {
                let wins =
                    outplay_teach::wins_by_fours(&entry, &pos, fours.unwrap() - made, &NoMonitor).unwrap();
                assert_eq!(json!(wins), json!([step["move"]]), "move {made} of {puzzle}");
                for word in [&step["move"], &step["reply"]].into_iter().filter_map(Value::as_str) {
                    pos = game.play(&pos, game.read_move(&pos, word).unwrap());
                }
            }
            checked += 1;
        }
        assert!(checked >= 6, "{checked}");
    }

    #[test]
    fn quick_sets_are_right() {
        assert!(check(|game| QUICK.iter().any(|quick| game.starts_with(quick))) >= 40);
    }

    #[test]
    #[ignore = "solves chess endings, pig and Connect-4 for minutes"]
    fn all_sets_are_right() {
        assert_eq!(check(|_| true), all().iter().filter(|puzzle| puzzle["kind"] != "fours").count());
    }

    #[test]
    fn every_line_is_a_puzzle_once() {
        assert_eq!(all().len(), SETS.lines().count());
        let places: HashSet<String> =
            all().iter().map(|p| format!("{} {}", p["game"], p["position"])).collect();
        assert_eq!(places.len(), all().len());
        assert!(all().iter().all(|p| (1..=5).contains(&p["difficulty"]["level"].as_u64().unwrap())));
        for theme in ["fork", "zugzwang", "only move", "mate in 3", "chance", "four-three"] {
            assert!(
                all().iter().any(|p| p["themes"].as_array().unwrap().iter().any(|t| t == theme)),
                "{theme}"
            );
        }
        let long = all().iter().filter(|p| p["steps"].as_array().unwrap().len() > 1).count();
        assert!(2 * long > all().len(), "most puzzles are lines, not moves: {long}");
    }

    #[test]
    fn days_are_counted() {
        assert_eq!(day_of("1970-01-01"), Some(0));
        assert_eq!(day_of("2000-03-01"), Some(11_017));
        assert_eq!(day_of("2026-11-17"), Some(20_774));
        for date in
            ["2026-02-29", "2026-13-01", "2026-00-10", "1969-12-31", "yesterday", "2026-11", "99999-01-01"]
        {
            assert_eq!(day_of(date), None, "{date}");
        }
        for day in [0, 58, 59, 60, 365, 11_016, 11_017, 20_774, 20_775] {
            assert_eq!(day_of(&date_of(day)), Some(day));
        }
    }

    #[test]
    fn every_puzzle_has_its_day() {
        let count = all().len() as u64;
        let met: HashSet<String> =
            (20_000..20_000 + count).map(|day| of_day(day).unwrap().to_string()).collect();
        assert_eq!(met.len() as u64, count);
        let games: HashSet<String> =
            (20_000..20_007).map(|day| of_day(day).unwrap()["game"].to_string()).collect();
        assert!(games.len() >= 4, "a week has puzzles of several games: {games:?}");
    }
}
