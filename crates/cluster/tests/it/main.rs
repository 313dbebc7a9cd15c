//! `mpirun outplay-mpi`: tables are byte-identical to those of one process, for any number of ranks, also after kills.

#[path = "../../examples/hare.rs"]
#[allow(dead_code)]
mod hare;

use outplay_runtime::NoMonitor;
use outplay_workbench::SolveRequest;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

fn program(name: &str) -> PathBuf {
    if name == "outplay-mpi" {
        return PathBuf::from(env!("CARGO_BIN_EXE_outplay-mpi"));
    }
    let tests = std::env::current_exe().expect("runs");
    tests.ancestors().nth(2).expect("target/debug").join("examples").join(name)
}

/// Runs a program on the given number of ranks, oversubscribing the cores if necessary.
fn mpirun(ranks: usize, program: &Path, words: &[&str]) -> Command {
    let mut command = Command::new("mpirun");
    command.args(["--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", &ranks.to_string()]);
    command.arg(program).args(words).args(["--quiet", "--threads", "1", "--memory", "500M"]);
    command
}

fn solve(ranks: usize, name: &str, game: &str, data: &Path) -> serde_json::Value {
    let data = data.display().to_string();
    let words = ["solve", game, "--json", "--data", &data];
    let output = mpirun(ranks, &program(name), &words).output().expect("mpirun is installed");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{game} on {ranks} ranks: {text}{errors}");
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{game} on {ranks} ranks: {error}: {text}"))
}

/// Lists all files below a directory except locks. A solver may be writing there.
fn names(dir: &Path) -> Vec<PathBuf> {
    let (mut found, mut todo) = (Vec::new(), vec![dir.to_path_buf()]);
    while let Some(next) = todo.pop() {
        for entry in std::fs::read_dir(&next).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                todo.push(path);
            } else if path.file_name().is_some_and(|name| name != "lock") {
                found.push(path.strip_prefix(dir).expect("below").to_path_buf());
            }
        }
    }
    found
}

/// The bytes of these files.
fn files(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let read = |name: PathBuf| {
        let bytes = std::fs::read(dir.join(&name)).expect("reads");
        (name, bytes)
    };
    names(dir).into_iter().map(read).collect()
}

/// Solves with one process; returns its answer and writes its table.
fn alone(game: &str, data: &Path) -> outplay_workbench::SolveAnswer {
    let entry = hare::catalog().open(game).expect("a game");
    let mut request = SolveRequest::default();
    request.store = true;
    outplay_workbench::solve(&outplay_workbench::Session::at(data), &entry, &request, &NoMonitor)
        .expect("solves")
}

fn same(game: &str, ranks: &[usize]) {
    let one = tempfile::tempdir().expect("a directory");
    let expected = serde_json::to_value(alone(game, one.path())).expect("serialises");
    let expected_files = files(one.path());
    assert!(!expected_files.is_empty());
    for &ranks in ranks {
        let dir = tempfile::tempdir().expect("a directory");
        let name = if game == "hare" { "hare-mpi" } else { "outplay-mpi" };
        let found = solve(ranks, name, game, dir.path());
        for part in ["value", "distance", "best", "positions", "by_turn", "longest", "expected"] {
            assert_eq!(found[part], expected[part], "{part} of {game} on {ranks} ranks");
        }
        let found = files(dir.path());
        assert!(found.keys().eq(expected_files.keys()), "{game} on {ranks} ranks: {:?}", found.keys());
        assert!(found == expected_files, "{game} on {ranks} ranks");
    }
}

#[test]
fn boards_are_the_same() {
    same("connect4:4x4", &[1, 2, 3, 4]);
    same("mnk:3x3,k=3,obstacles=b2", &[3]);
    same("mnk:4x3,k=3,misere", &[2]);
}

#[test]
fn explored_games_are_the_same() {
    same("nim:3+4+5", &[1, 2, 4]);
}

#[test]
fn cyclic_games_are_the_same() {
    same("morris:three", &[2]);
    same("chess:KQK", &[3]);
}

#[test]
fn means_are_the_same() {
    same("pig:20", &[2]);
    same("einstein:3x3", &[3]);
}

#[test]
fn custom_games_are_the_same() {
    same("hare", &[1, 3]);
}

/// `cargo xtask cluster --slow`: some minutes.
#[test]
#[ignore = "takes minutes"]
fn large_tables_are_the_same() {
    for game in [
        "connect4:5x5",
        "mnk:4x4,k=4,obstacles=b2",
        "mnk:5x4,k=3,misere",
        "chess:KQKR",
        "morris:three",
        "pig:50",
        "hare",
    ] {
        same(game, &[1, 2, 3, 4]);
    }
}

#[test]
fn errors_are_printed_once() {
    let output = mpirun(2, &program("outplay-mpi"), &["solve", "connect4:0x4"]).output().expect("mpirun");
    assert!(!output.status.success());
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(errors.matches("error").count() - errors.matches("error code").count(), 1, "{errors}");
}

/// The child processes of a process.
fn children(of: u32) -> Vec<u32> {
    let text = std::fs::read_to_string(format!("/proc/{of}/task/{of}/children")).unwrap_or_default();
    text.split_whitespace().filter_map(|word| word.parse().ok()).collect()
}

/// Waits for a job that has failed; returns whether it ended in time.
fn ends(job: &mut Child, within: Duration) -> bool {
    let until = Instant::now() + within;
    while Instant::now() < until {
        if job.try_wait().expect("is known").is_some() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    false
}

/// Kills a rank as soon as a file whose name contains `sign` exists, then resumes with another number of ranks.
fn killed(game: &str, sign: &str) {
    let one = tempfile::tempdir().expect("a directory");
    alone(game, one.path());
    let dir = tempfile::tempdir().expect("a directory");
    let data = dir.path().display().to_string();
    let mut job = mpirun(3, &program("outplay-mpi"), &["solve", game, "--data", &data]);
    let mut job = job.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("mpirun");
    let seen = || names(dir.path()).iter().any(|name| name.display().to_string().contains(sign));
    while job.try_wait().expect("is known").is_none() && !seen() {
        std::thread::sleep(Duration::from_millis(2));
    }
    // Children of mpirun itself: the ranks on this machine.
    if let Some(rank) = children(job.id()).get(1) {
        let _ = Command::new("kill").args(["-9", &rank.to_string()]).status();
        assert!(ends(&mut job, Duration::from_secs(30)), "nothing hangs");
    }
    solve(2, "outplay-mpi", game, dir.path());
    assert!(files(dir.path()) == files(one.path()), "{game}, killed at {sign}");
}

#[test]
fn job_with_a_killed_rank_ends_and_resumes() {
    killed("connect4:5x4", "reach-05");
    killed("connect4:5x4", "tier-15");
    killed("morris:three", "tier-");
}

/// Counts the messages that rank 0 of three sends in each phase of a solve, which leaves these files.
fn phases(game: &str, data: &Path) -> Vec<(String, u64)> {
    let dir = tempfile::tempdir().expect("a directory");
    let phases_file = dir.path().join("phases");
    let mut job = mpirun(3, &program("mortal"), &["solve", game, "--data", &data.display().to_string()]);
    let output = job.env("PHASES", &phases_file).output().expect("mpirun is installed");
    assert!(output.status.success(), "{game}: {}", String::from_utf8_lossy(&output.stderr));
    let text = std::fs::read_to_string(phases_file).expect("phases were recorded");
    let phase = |line: &str| {
        let (name, count) = line.split_once(": ")?;
        Some((name.to_string(), count.parse().ok()?))
    };
    text.lines().filter_map(phase).collect()
}

/// Kills one of three ranks in each expected phase (early, midway and late), resumes with three ranks and compares.
fn killed_in(game: &str, expected: &[&str]) {
    let (one, signs) = (tempfile::tempdir().expect("a directory"), tempfile::tempdir().expect("a directory"));
    let phases = phases(game, one.path());
    let names: BTreeSet<&str> = phases.iter().map(|phase| phase.0.as_str()).collect();
    assert_eq!(names, expected.iter().copied().collect(), "{game}");
    let whole = files(one.path());
    for (i, (phase, messages)) in phases.iter().enumerate() {
        let mut at = vec![1, messages.div_ceil(2), *messages];
        at.dedup();
        for message in at {
            // Any rank may die, including rank 0, which has the files.
            let rank = i % 3;
            let dir = tempfile::tempdir().expect("a directory");
            let data = dir.path().display().to_string();
            let mut job = mpirun(3, &program("mortal"), &["solve", game, "--data", &data]);
            let fallen = signs.path().join("fallen");
            job.env("FALL", format!("{rank},{phase},{message}")).env("FALLEN", &fallen);
            let mut job = job.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("mpirun");
            let place = format!("{game}, rank {rank} killed at message {message} of {phase}");
            while job.try_wait().expect("is known").is_none() && !fallen.exists() {
                std::thread::sleep(Duration::from_millis(2));
            }
            assert!(ends(&mut job, Duration::from_secs(30)), "{place}: it hangs");
            let _ = std::fs::remove_file(&fallen);
            // A rank may send fewer messages than rank 0; then none was killed.
            if rank == 0 || message == 1 {
                assert!(!job.wait().expect("ended").success(), "{place}: the job succeeded");
            }
            solve(3, "mortal", game, dir.path());
            assert!(files(dir.path()) == whole, "{place}");
        }
    }
}

/// `cargo xtask cluster --slow`: a board, a game with chance, a cyclic game with an index, and explored games without
/// and with cycles.
#[test]
#[ignore = "takes minutes"]
fn a_rank_killed_in_any_phase_loses_nothing() {
    // Smaller boards are solved by one rank.
    killed_in("connect4:5x5", &["beginning", "forth", "back", "coding", "writing"]);
    killed_in("pig:20", &["beginning", "means", "coding", "writing"]);
    killed_in("morris:three", &["beginning", "looking", "spreading", "ending", "coding", "writing"]);
    let explored = ["beginning", "exploring", "finding tiers", "numbering", "looking"];
    killed_in("heaps:20", &[&explored[..], &["finding images", "coding", "writing"]].concat());
    killed_in("hare", &[&explored[..], &["spreading", "ending", "coding", "writing"]].concat());
}
