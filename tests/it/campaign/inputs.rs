//! Malformed words: specs, positions, moves, players, protocol lines, every flag of every command, and files as arguments.

use super::report::{Failure, Row};
use super::trial::{program, run_until};
use super::{Amount, Job};
use crate::fuzz::targets::{TARGETS, kept};
use crate::fuzz::{TOKENS, mutate};
use rand::RngExt;
use rand::rngs::SmallRng;
use std::cell::RefCell;
use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Once;
use std::time::{Duration, Instant};

/// A reader that takes longer for an input hangs.
const PATIENCE: Duration = Duration::from_secs(20);

thread_local! {
    /// Where this thread panicked last.
    static PLACE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Remembers where a thread of the campaign panics: in a test, something was believed; elsewhere, the program panicked.
fn listen() {
    static LISTENING: Once = Once::new();
    LISTENING.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            let place = info.location().map(|place| format!("{}:{}", place.file(), place.line()));
            PLACE.with(|last| *last.borrow_mut() = place);
            before(info);
        }));
    });
}

/// Mutations for targets of `tests/fuzz`, a job each.
pub(crate) fn in_process(targets: &'static [(&'static str, usize)], done: &'static str) -> Vec<Job> {
    let job = |&(target, tries): &'static (&'static str, usize)| {
        Box::new(move |amount: Amount| vec![mutated(target, done, amount.of(tries), amount)]) as Job
    };
    targets.iter().map(job).collect()
}

fn mutated(target: &str, done: &'static str, tries: usize, amount: Amount) -> Row {
    listen();
    let mut rng = amount.rng(target);
    let mut row = Row::new(target, done);
    let (name, make) = TARGETS.iter().find(|(name, _)| *name == target).expect("a target");
    let (mut seeds, mut read) = make(true);
    seeds.extend(kept(name));
    for number in 0..tries {
        // Seeds come first, as they are.
        let input = seeds.get(number).cloned().unwrap_or_else(|| {
            let [one, two] = [(); 2].map(|()| &seeds[rng.random_range(0..seeds.len())]);
            mutate(&mut rng, one, two)
        });
        let start = Instant::now();
        row.tried(1);
        let how = |what: &str| format!("target {target}, {what}: {}", input.escape_ascii());
        if catch_unwind(AssertUnwindSafe(|| read(&input))).is_err() {
            let place = PLACE.with(|last| last.borrow_mut().take()).unwrap_or_default();
            let failure = match place.contains("tests/") {
                _ if start.elapsed() > PATIENCE => Failure::Hang,
                true => Failure::Wrong,
                false => Failure::Panic,
            };
            row.fail(failure, how(&place));
            // A reader that panicked may be left in any state.
            (_, read) = make(true);
        } else if start.elapsed() > PATIENCE {
            row.fail(Failure::Hang, how(&format!("{:.0?}", start.elapsed())));
        }
        if row.count(Failure::Hang) >= 3 {
            break;
        }
    }
    row
}

const WORDS: [(&str, usize); 8] = [
    ("specs", 4000),
    ("positions", 4000),
    ("moves", 4000),
    ("players", 3000),
    ("ugi", 2500),
    ("gomocup", 2500),
    ("ugi-engines", 200),
    ("gomocup-engines", 200),
];

/// Commands that every flag of theirs is tried on, in a directory with the files that [`given`] makes.
const COMMANDS: [&str; 24] = [
    "games",
    "players connect4:4x4",
    "show tictactoe",
    "solve tictactoe",
    "query tictactoe",
    "why tictactoe",
    "puzzle tictactoe",
    "history tictactoe",
    "verify tictactoe",
    "stats tictactoe",
    "export tictactoe --out e.jsonl",
    "tables",
    "book build connect4:4x4 --plies 2 --out b.book",
    "book info b.book",
    "book check b.book",
    "check p.txt",
    "plan tictactoe",
    "index tictactoe",
    "play tictactoe --plain --first random --second random",
    "match tictactoe greedy random --games 2",
    "import g.psq",
    "label tictactoe --random 5 --out l.csv",
    "engine ugi",
    "tune connect4:4x4 --population 4 --games 1 --generations 1 --depth 1 --sprt-games 0",
];

/// Commands that read a file that is not theirs.
const READING: [&str; 9] = [
    "check FILE",
    "import FILE",
    "label tictactoe FILE --out l.jsonl",
    "match tictactoe greedy random --games 2 --opening-file FILE",
    "match tictactoe greedy random --games 2 --resume --out FILE",
    "show connect4:4x4 --eval lines:weights=FILE",
    "tables --checksums FILE",
    "query connect4:4x4 --book FILE",
    "tune connect4:4x4 --population 4 --games 1 --generations 1 --depth 1 --sprt-games 0 --resume --checkpoint FILE",
];

/// Values that no flag expects.
const VALUES: [&str; 30] = [
    "",
    " ",
    "-1",
    "0",
    "1",
    "2",
    "-0",
    "nan",
    "inf",
    "-inf",
    "1e308",
    "1e-320",
    "0.0000001",
    "255",
    "65536",
    "2147483648",
    "4294967295",
    "4294967296",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "340282366920938463463374607431768211456",
    "1..",
    "..1",
    "9..1",
    "0..18446744073709551615",
    "1,2,3",
    "--help",
    "/dev/null",
    "\u{ff11}\u{ff12}",
];

pub(crate) fn jobs() -> Vec<Job> {
    let mut jobs = in_process(&WORDS, "malformed words, read in this process");
    jobs.push(Box::new(|amount| vec![flags(amount)]));
    jobs.push(Box::new(|amount| vec![arguments(amount)]));
    jobs
}

/// Limits of every command, with the values that the campaign sets.
const LIMITS: [(&str, &str); 2] = [("--memory", "300M"), ("--threads", "2")];

/// Files that commands are given.
fn given(data: &Path) {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    fs::copy(corpus.join("proof-win.txt"), data.join("p.txt")).unwrap();
    fs::copy(corpus.join("game.psq"), data.join("g.psq")).unwrap();
    let made = run_until(program(data, "book build connect4:4x4 --plies 2 --out b.book"), None, PATIENCE);
    assert!(made.ok(), "{}", made.said());
}

/// The flags of a command that take a value: those in its own help, and the limits that all commands have.
fn options(data: &Path, line: &str) -> Vec<String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let depth = if matches!(words[0], "book" | "engine") { 2 } else { 1 };
    let mut help = program(data, &words[..depth].join(" "));
    help.arg("--help");
    let help = run_until(help, None, PATIENCE).stdout;
    let flag = |line: &str| {
        let at = line.find("--")?;
        let (name, rest) = line[at..].split_once([' ', '['])?;
        (line[..at].trim().len() <= 3 && (rest.starts_with('<') || rest.contains("=<")))
            .then(|| name.to_string())
    };
    let own = help.lines().filter_map(flag).filter(|flag| flag != "--data");
    own.chain(LIMITS.map(|(flag, _)| flag.to_string())).collect()
}

/// Every flag of every command with values that nobody means.
fn flags(amount: Amount) -> Row {
    let mut row = Row::new("flags of commands", "malformed and extreme values");
    let mut rng = amount.rng("flags");
    let data = tempfile::tempdir().unwrap();
    given(data.path());
    let lines: Vec<(&str, Vec<String>)> =
        COMMANDS.iter().map(|line| (*line, options(data.path(), line))).collect();
    assert!(
        lines.iter().all(|(line, options)| options.len() >= 4 || line.starts_with("engine")),
        "{lines:?}"
    );
    for number in 0..amount.of(1200) {
        let (line, options) = &lines[number % lines.len()];
        let option = &options[rng.random_range(0..options.len())];
        let value = value(&mut rng);
        let mut command = program(data.path(), line);
        for (limit, usual) in LIMITS.iter().filter(|(limit, _)| limit != option) {
            command.arg(format!("{limit}={usual}"));
        }
        let mut flag = OsString::from(format!("{option}="));
        flag.push(&value);
        command.arg(&flag);
        try_on(command, &mut row, &|| format!("`outplay {line} --memory 300M {}`", flag.display()));
    }
    row
}

/// A value for a flag: a number at the edge of a type, a token, or bytes that are no text.
fn value(rng: &mut SmallRng) -> OsString {
    match rng.random_range(0..4) {
        0 => {
            let token = TOKENS[rng.random_range(0..TOKENS.len())].to_vec();
            OsString::from_vec(token.into_iter().filter(|byte| *byte != 0).collect())
        }
        1 => {
            let [one, two] = [(); 2].map(|()| VALUES[rng.random_range(0..VALUES.len())].as_bytes());
            OsString::from_vec(mutate(rng, one, two).into_iter().filter(|byte| *byte != 0).collect())
        }
        _ => VALUES[rng.random_range(0..VALUES.len())].into(),
    }
}

/// Runs a command that may take long for good reason: it is interrupted after a while, and must end then.
fn try_on(command: std::process::Command, row: &mut Row, how: &dyn Fn() -> String) {
    // A bound on memory keeps the machine alive.
    let mut bounded = std::process::Command::new("sh");
    bounded
        .args(["-c", "ulimit -v 8000000; exec \"$0\" \"$@\""])
        .arg(command.get_program())
        .args(command.get_args());
    bounded.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    bounded.current_dir(command.get_current_dir().unwrap()).stdin(std::process::Stdio::null());
    row.tried(1);
    let ran = run_until(bounded, Some((Duration::from_secs(2), "INT")), PATIENCE);
    ran.judge(row, how);
}

/// Files that are anything, given to commands that read files.
fn arguments(amount: Amount) -> Row {
    let mut row = Row::new("files as arguments", "malformed files, devices and directories");
    let mut rng = amount.rng("arguments");
    let data = tempfile::tempdir().unwrap();
    given(data.path());
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let seeds: Vec<Vec<u8>> =
        ["proof-win.txt", "game.psq", "positions.txt", "moves.txt", "record.jsonl", "weights.json"]
            .iter()
            .map(|name| fs::read(corpus.join(name)).unwrap())
            .chain([fs::read(data.path().join("b.book")).unwrap()])
            .collect();
    for number in 0..amount.of(500) {
        let line = READING[number % READING.len()];
        let [one, two] = [(); 2].map(|()| &seeds[rng.random_range(0..seeds.len())]);
        let input = mutate(&mut rng, one, two);
        fs::write(data.path().join("input"), &input).unwrap();
        let name = match rng.random_range(0..20) {
            0 => "/dev/zero",
            1 => "/dev/null",
            2 => ".",
            3 => "missing",
            _ => "input",
        };
        let line = format!("{} --memory 100M", line.replace("FILE", name));
        try_on(program(data.path(), &line), &mut row, &|| {
            let input = if name == "input" { input.escape_ascii().to_string() } else { name.to_string() };
            format!("`outplay {line}` with input: {input}")
        });
    }
    row
}
