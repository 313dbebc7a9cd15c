//! Soak test: clients play, query and solve while the server is killed and restarted. No complete table is lost or
//! changed, answers do not contradict each other, and the only server error is 503.
//!
//! In each run a few lives of the server; ten minutes by `cargo test --release --test it soak -- --ignored --nocapture`.

use crate::serve::{Server, ask};
use crate::shell;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// What visitors play: games of every family, known by theory, book, table, search and not at all.
const PLAYED: [&str; 10] = [
    "tictactoe",
    "connect4",
    "connect4:5x4",
    "mnk:4x4,k=4",
    "mnk:4x4,k=3,misere",
    "mnk:15x15,k=5",
    "nim:3%2B4%2B5",
    "morris:tapatan",
    "pig:20",
    "einstein",
];
const PLAYERS: [&str; 4] = ["random", "greedy", "alphabeta:depth=3", "perfect"];
/// What they have solved, from milliseconds to many seconds, so that kills find some of it half done.
const SOLVED: [&str; 9] = [
    "tictactoe",
    "connect4:5x4",
    "connect4:5x5",
    "mnk:4x4,k=4",
    "nim:5+6+7+8",
    "chess:KPK",
    "morris:six,men=3,flying",
    "pig:40",
    "piglet:30",
];

/// What is remembered over all lives of the server.
#[derive(Default)]
struct Memory {
    /// Answers by status.
    statuses: BTreeMap<u16, u64>,
    /// The value of each position that was ever told.
    values: HashMap<String, Value>,
    solves: BTreeMap<String, u64>,
    /// What should not have been.
    faults: Vec<String>,
}

/// A life of the server, as its visitors see it.
struct Life<'a> {
    addr: SocketAddr,
    /// Told before the server is ended: from then on requests may fail.
    ending: &'a AtomicBool,
    memory: &'a Mutex<Memory>,
}

impl Life<'_> {
    fn over(&self) -> bool {
        self.ending.load(Ordering::SeqCst)
    }

    /// The answer if it is one.
    fn ask(&self, method: &str, path: &str, body: Option<&Value>) -> Option<Value> {
        let body = body.map(Value::to_string);
        let answer = ask(self.addr, "host: localhost", method, path, body.as_deref());
        let ended = self.over();
        let mut memory = self.memory.lock().unwrap();
        let (status, _, text) = match answer {
            Ok(answer) => answer,
            Err(_) if ended => return None,
            Err(error) => {
                memory.faults.push(format!("{method} {path}: {error}"));
                return None;
            }
        };
        *memory.statuses.entry(status).or_default() += 1;
        if status >= 500 && status != 503 {
            memory.faults.push(format!("{method} {path}: {status}: {text}"));
        }
        let parsed: Result<Value, _> = serde_json::from_str(&text);
        match parsed {
            Ok(value) => (200..300).contains(&status).then_some(value),
            Err(_) if ended => None,
            Err(error) => {
                memory.faults.push(format!("{method} {path}: {status}: {error}: {text}"));
                None
            }
        }
    }

    fn get(&self, path: &str) -> Option<Value> {
        self.ask("GET", path, None)
    }

    /// A game against the computer, with questions on the way.
    fn play(&self, rng: &mut SmallRng) {
        let game = PLAYED[rng.random_range(0..PLAYED.len())];
        let mut moves: Vec<String> = Vec::new();
        for _ in 0..rng.random_range(1..30) {
            let told = moves.join(",").replace('+', "%2B").replace(' ', "%20");
            let at = format!("game={game}&moves={told}");
            let Some(view) = self.get(&format!("/api/v1/view?{at}")) else { return };
            if self.over() || !view["outcome"].is_null() {
                return;
            }
            self.explore(&at, rng);
            let player = PLAYERS[rng.random_range(0..PLAYERS.len())];
            let request = json!({ "game": game.replace("%2B", "+"), "moves": moves.join(","), "player": player,
                "seed": rng.random::<u32>() });
            let Some(chosen) = self.ask("POST", "/api/v1/move", Some(&request)) else { continue };
            moves.extend(chosen["move"].as_str().map(str::to_string));
        }
    }

    /// What a visitor may ask about a position.
    fn explore(&self, at: &str, rng: &mut SmallRng) {
        match rng.random_range(0..6) {
            0 | 1 => {
                let Some(answer) = self.get(&format!("/api/v1/position?{at}")) else { return };
                if answer["value"].is_null() || answer["value"] == "unknown" {
                    return;
                }
                let told = json!([answer["value"], answer["distance"]]);
                let mut memory = self.memory.lock().unwrap();
                let before = memory.values.entry(at.to_string()).or_insert_with(|| told.clone()).clone();
                // Some sources know values without distances.
                let same = |place: usize| {
                    before[place].is_null() || told[place].is_null() || before[place] == told[place]
                };
                if !(same(0) && same(1)) {
                    memory.faults.push(format!("{at}: {told}, and before {before}"));
                }
            }
            2 => drop(self.get(&format!("/api/v1/history?{at}"))),
            3 => drop(self.get(&format!("/api/v1/why?{at}"))),
            4 => self.leave(&format!("/api/v1/position/stream?{at}"), rng),
            _ => {}
        }
    }

    /// Begins to listen and leaves.
    fn leave(&self, path: &str, rng: &mut SmallRng) {
        let Ok(mut stream) = TcpStream::connect(self.addr) else { return };
        let _ = write!(stream, "GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n");
        let _ = stream.set_read_timeout(Some(Duration::from_millis(rng.random_range(1..300))));
        let _ = stream.read(&mut [0; 512]);
    }

    fn puzzle(&self, rng: &mut SmallRng) {
        let game = ["tictactoe", "mnk:4x4,k=3", "connect4", "morris:tapatan"][rng.random_range(0..4)];
        match rng.random_range(0..3) {
            0 => drop(self.get(&format!("/api/v1/puzzle?game={game}&seed={}", rng.random_range(0..50)))),
            1 => drop(self.get(&format!("/api/v1/puzzle/set?game={game}&number={}", rng.random_range(1..9)))),
            _ => {
                let day = rng.random_range(1..29);
                drop(self.get(&format!("/api/v1/puzzle/daily?date=2026-11-{day:02}")));
            }
        }
    }

    /// Has a game solved, and waits for it, forbids it or forgets it.
    fn solve(&self, rng: &mut SmallRng) {
        let game = SOLVED[rng.random_range(0..SOLVED.len())];
        let Some(job) = self.ask("POST", "/api/v1/solve", Some(&json!({ "game": game }))) else { return };
        let path = format!("/api/v1/solve/{}", job["id"]);
        let patience = rng.random_range(1..400);
        for look in 0.. {
            let Some(job) = self.get(&path) else { return };
            let state = job["state"].as_str().unwrap_or_default();
            if !["running", "stopping"].contains(&state) {
                let mut memory = self.memory.lock().unwrap();
                *memory.solves.entry(state.to_string()).or_default() += 1;
                // Nothing here is beyond a limit.
                if state == "failed" {
                    memory.faults.push(format!("{game}: {job}"));
                }
                return;
            }
            if self.over() {
                return;
            }
            if look == patience && rng.random_bool(0.5) {
                drop(self.ask("DELETE", &path, None));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn visit(&self, number: usize, rng: &mut SmallRng) {
        while !self.over() {
            match number {
                0 => self.solve(rng),
                1 => self.puzzle(rng),
                _ => self.play(rng),
            }
        }
    }
}

/// The sums of all files of every table that is whole, by its name.
fn whole(data: &Path) -> BTreeMap<String, Vec<String>> {
    let tables = shell::json(data, &["tables"]);
    let names = tables["tables"].as_array().unwrap().iter().filter(|table| table["complete"] == true);
    let mut found: BTreeMap<String, Vec<String>> =
        names.map(|table| (table["name"].as_str().unwrap().to_string(), Vec::new())).collect();
    let sums = shell::outplay(data, &["tables", "--checksums"]);
    for line in shell::text(&sums.stdout).lines() {
        let file = line.split_whitespace().last().unwrap_or_default();
        let Some((table, file)) = file.split_once('/') else { continue };
        // Who made a table is no part of it.
        if let (Some(lines), true) = (found.get_mut(table), file != "visitor") {
            lines.push(line.to_string());
        }
    }
    found
}

/// Lives of the server until `done` says that it is enough.
fn soak(seed: u64, longest: Duration, mut done: impl FnMut(u64) -> bool) {
    let data = Arc::new(tempfile::tempdir().unwrap());
    let memory = Mutex::new(Memory::default());
    let mut rng = SmallRng::seed_from_u64(seed);
    // What each table was when it was first whole, and which are there.
    let (mut first, mut there): (BTreeMap<String, Vec<String>>, Vec<String>) = Default::default();
    let (mut lives, mut kills, mut removed, mut again) = (0u64, 0u64, 0u64, 0u64);
    while !done(lives) {
        let more: &[&str] = match rng.random_range(0..3) {
            0 => &["--time", "2", "--quota", "10G"],
            _ => &["--time", "2"],
        };
        let mut server = Server::start_in(&data, more);
        let ending = AtomicBool::new(false);
        let life = Life { addr: server.addr, ending: &ending, memory: &memory };
        std::thread::scope(|scope| {
            for number in 0..5 {
                let (life, mut rng) = (&life, SmallRng::seed_from_u64(rng.random()));
                scope.spawn(move || life.visit(number, &mut rng));
            }
            std::thread::sleep(longest.mul_f64(rng.random_range(0.05..1.0)));
            ending.store(true, Ordering::SeqCst);
            if rng.random_bool(0.6) {
                kills += 1;
                server.end("-KILL");
            } else {
                assert_eq!(server.end("-TERM").code(), Some(0));
            }
        });
        lives += 1;
        assert!(memory.lock().unwrap().faults.is_empty(), "{:#?}", memory.lock().unwrap().faults);
        let now = whole(data.path());
        for table in &there {
            assert!(now.contains_key(table), "{table} is lost after life {lives}");
        }
        for (table, sums) in &now {
            assert!(sums.len() > 1, "{table}: {sums:?}");
            let before = first.entry(table.clone()).or_insert_with(|| sums.clone());
            assert_eq!(before, sums, "{table} has become another one after life {lives}");
        }
        again += now.keys().filter(|table| !there.contains(table)).count() as u64;
        there = now.into_keys().collect();
        // So that there is always something left to solve.
        if there.len() > 5 {
            let name = there.swap_remove(rng.random_range(0..there.len()));
            let output = shell::outplay(data.path(), &["tables", "--remove", &name]);
            assert!(output.status.success(), "{name}: {}", shell::text(&output.stderr));
            removed += 1;
        }
    }
    let memory = memory.into_inner().unwrap();
    eprintln!(
        "{lives} lives, {kills} of them killed; answers by status: {:?}; {} positions with a value; solves: {:?}; \
         tables made: {again}, of them different: {}, removed: {removed}",
        memory.statuses,
        memory.values.len(),
        memory.solves,
        first.len()
    );
    assert!(memory.statuses.get(&200).is_some_and(|&answers| answers > 0));
}

#[test]
fn lives_of_a_server() {
    soak(1, Duration::from_millis(2_000), |lives| lives == 3);
}

/// `OUTPLAY_SECONDS` for another time than ten minutes, `OUTPLAY_SEED` for other visitors.
#[test]
#[ignore = "ten minutes"]
fn a_long_soak() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let (seconds, began) = (number("OUTPLAY_SECONDS").unwrap_or(600), Instant::now());
    soak(number("OUTPLAY_SEED").unwrap_or(1), Duration::from_secs(12), |_| {
        began.elapsed() > Duration::from_secs(seconds)
    });
}
