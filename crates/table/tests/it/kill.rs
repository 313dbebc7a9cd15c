//! Kill tests: a writer killed at any moment leaves a table that the next one completes to the same bytes.
//!
//! The test runs itself as the child: with `OUTPLAY_KILL_TEST` set, the same binary writes the table that the
//! variable names and does nothing else.

use crate::common;

use common::{check, files, identity, write};
use outplay_table::{TableError, Writer};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const SLOTS: [u64; 6] = [1, 5000, 200_000, 400_000, 70_000, 300];
const VARIABLE: &str = "OUTPLAY_KILL_TEST";
const LOCK: &str = "OUTPLAY_LOCK_TEST";

/// Not a test of its own: the child process.
#[test]
fn child() {
    if let Some(data) = std::env::var_os(VARIABLE) {
        write(Path::new(&data), &SLOTS).expect("writes");
    }
    if let Some(data) = std::env::var_os(LOCK) {
        let _writer = Writer::open(Path::new(&data), identity(&SLOTS)).expect("opens");
        println!("locked");
        std::thread::sleep(Duration::from_secs(60));
    }
}

fn spawn(variable: &str, data: &Path) -> Child {
    Command::new(std::env::current_exe().expect("has a path"))
        .args(["kill::child", "--exact", "--nocapture"])
        .env(variable, data)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("starts")
}

/// Kills writers until one of them finishes; returns the number of kills.
fn kill_until_done(data: &Path, rng: &mut SmallRng, longest: Duration) -> usize {
    let mut killed = 0;
    // Increasing delays ensure termination.
    for round in 1.. {
        let mut child = spawn(VARIABLE, data);
        std::thread::sleep(longest.mul_f64(rng.random_range(0.0..1.0) * (1.0 + f64::from(round) / 20.0)));
        if let Some(status) = child.try_wait().expect("waits") {
            assert!(status.success(), "the writer failed after {killed} kills");
            break;
        }
        child.kill().expect("kills");
        child.wait().expect("waits");
        killed += 1;
    }
    killed
}

fn check_kills(times: usize) {
    let reference = tempfile::tempdir().expect("a directory");
    let start = Instant::now();
    assert!(spawn(VARIABLE, reference.path()).wait().expect("waits").success());
    let whole = start.elapsed();
    let name = identity(&SLOTS).name();
    let expected = files(reference.path(), &name);
    assert_eq!(expected.len(), SLOTS.len() + 1);
    let mut rng = SmallRng::seed_from_u64(5);
    let mut killed = 0;
    while killed < times {
        let dir = tempfile::tempdir().expect("a directory");
        killed += kill_until_done(dir.path(), &mut rng, whole / 2);
        assert_eq!(files(dir.path(), &name), expected, "after {killed} kills");
        check(dir.path(), &SLOTS);
    }
}

#[test]
#[cfg(unix)]
fn killed_writers_leave_tables_that_are_completed_to_the_same_bytes() {
    check_kills(12);
}

#[test]
#[ignore = "takes a minute"]
#[cfg(unix)]
fn many_killed_writers() {
    check_kills(400);
}

#[test]
fn second_writer_gets_the_process_id_of_the_first() {
    let dir = tempfile::tempdir().expect("a directory");
    let mut child = spawn(LOCK, dir.path());
    // The test harness prints on the same line before the test does.
    let output = BufReader::new(child.stdout.take().expect("is piped"));
    let said = output.lines().map_while(Result::ok).any(|line| line.contains("locked"));
    assert!(said, "the child did not get the lock");
    let error = Writer::open(dir.path(), identity(&SLOTS)).map(|_| ()).expect_err("is locked");
    assert_eq!(error.to_string(), format!("made-up,k=3: process {} is writing this table", child.id()));
    child.kill().expect("kills");
    child.wait().expect("waits");
    // The lock is released with the process.
    let writer = Writer::open(dir.path(), identity(&SLOTS)).expect("opens");
    let error = Writer::open(dir.path(), identity(&SLOTS)).map(|_| ()).expect_err("is locked");
    assert!(matches!(error, TableError::Locked { .. }), "{error}");
    assert!(error.to_string().contains("this process"), "{error}");
    drop(writer);
    Writer::open(dir.path(), identity(&SLOTS)).expect("opens");
}
