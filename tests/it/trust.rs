//! Hostile files and limits: devices and links in place of files, rewritten records, exceeded limits. See docs/trust.md.

use crate::shell;

use serde_json::Value;
use shell::{command, json, outplay, text};
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Runs a command that must end by itself.
fn ends(data: &Path, words: &[&str]) -> Output {
    // Files take whatever is said, while a pipe that nobody reads would make the program wait.
    let [out, err] = [(); 2].map(|()| tempfile::NamedTempFile::new().unwrap());
    let mut child = command(data, words)
        .stdout(out.reopen().unwrap())
        .stderr(err.reopen().unwrap())
        .spawn()
        .expect("the program");
    let patience = Instant::now() + Duration::from_secs(60);
    while child.try_wait().unwrap().is_none() {
        if Instant::now() > patience {
            child.kill().unwrap();
            panic!("{words:?} does not end");
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    let status = child.wait().unwrap();
    Output { status, stdout: fs::read(out.path()).unwrap(), stderr: fs::read(err.path()).unwrap() }
}

fn solved(games: &[&str]) -> tempfile::TempDir {
    let data = tempfile::tempdir().unwrap();
    for game in games {
        let output = outplay(data.path(), &["solve", game]);
        assert!(output.status.success(), "{game}: {}", text(&output.stderr));
    }
    data
}

/// A pipe never begins and a device never ends; neither is read.
#[test]
#[cfg(unix)]
fn only_regular_files_are_read() {
    let pipe = |path: &Path| assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
    let zero = |path: &Path| std::os::unix::fs::symlink("/dev/zero", path).unwrap();
    for file in ["manifest.json", "tier-04.opt"] {
        for put in [&pipe as &dyn Fn(&Path), &zero] {
            let data = solved(&["tictactoe"]);
            let file = data.path().join("tictactoe").join(file);
            fs::remove_file(&file).unwrap();
            put(&file);
            let output = ends(data.path(), &["verify", "tictactoe"]);
            let said = text(&output.stderr);
            assert_eq!(output.status.code(), Some(1), "{said}");
            assert!(said.contains("not a regular file"), "{said}");
            assert!(ends(data.path(), &["tables"]).status.success());
            ends(data.path(), &["query", "tictactoe"]);
            ends(data.path(), &["solve", "tictactoe"]);
        }
    }
}

#[test]
#[cfg(unix)]
fn removing_a_table_follows_no_link() {
    let (elsewhere, data) = (solved(&["tictactoe"]), tempfile::tempdir().unwrap());
    let target = elsewhere.path().join("tictactoe");
    let before = fs::read_dir(&target).unwrap().count();
    let link = data.path().join("tictactoe");
    std::os::unix::fs::symlink(&target, &link).unwrap();
    assert!(outplay(data.path(), &["tables", "--remove", "tictactoe"]).status.success());
    assert!(link.symlink_metadata().is_err(), "the link is gone");
    assert_eq!(fs::read_dir(&target).unwrap().count(), before, "what it led to is not");
    // A lock that is a link would cut off what it leads to.
    let victim = elsewhere.path().join("letter");
    fs::write(&victim, "dear all").unwrap();
    fs::remove_file(target.join("lock")).unwrap();
    std::os::unix::fs::symlink(&victim, target.join("lock")).unwrap();
    let output = outplay(elsewhere.path(), &["tables", "--remove", "tictactoe"]);
    assert!(text(&output.stderr).contains("not a regular file"), "{}", text(&output.stderr));
    assert_eq!(fs::read_to_string(&victim).unwrap(), "dear all");
}

/// Nothing is written for a table that is there: its lock cannot even be made here.
#[test]
fn a_complete_table_needs_no_disk_that_can_be_written() {
    let games = ["tictactoe", "nim:2+2", "mnk:3x2,k=3,misere"];
    let data = solved(&games);
    for table in fs::read_dir(data.path()).unwrap() {
        let lock = table.unwrap().path().join("lock");
        fs::remove_file(&lock).unwrap();
        fs::create_dir(&lock).unwrap();
    }
    for game in games {
        for method in ["auto", "sweep"] {
            let answer = json(data.path(), &["solve", game, "--method", method]);
            assert_eq!(answer["table"]["found"], true, "{answer}");
        }
    }
}

#[test]
fn an_interrupted_table_of_means_ends_as_if_it_never_was() {
    let data = solved(&["pig:10"]);
    let dir = data.path().join("pig-10.expected");
    let files = || -> Vec<(String, Vec<u8>)> {
        let mut files: Vec<_> = fs::read_dir(&dir)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| !path.ends_with("lock"))
            .map(|path| (path.file_name().unwrap().to_string_lossy().to_string(), fs::read(path).unwrap()))
            .collect();
        files.sort();
        files
    };
    let whole = files();
    let tiers: Vec<&String> =
        whole.iter().map(|(name, _)| name).filter(|name| name.starts_with("tier")).collect();
    assert!(tiers.len() > 3, "{tiers:?}");
    // Solving goes from the last tier to the first, so a kill leaves the last ones.
    for lost in [1, tiers.len() / 2, tiers.len()] {
        tiers[..lost].iter().for_each(|name| fs::remove_file(dir.join(name)).unwrap());
        assert!(outplay(data.path(), &["solve", "pig:10"]).status.success());
        assert!(files() == whole, "after {lost} tiers were lost");
    }
    fs::remove_file(dir.join("manifest.json")).unwrap();
    assert!(outplay(data.path(), &["solve", "pig:10"]).status.success());
    assert!(files() == whole, "after the manifest was lost");
}

#[test]
fn a_record_is_played_again_before_it_is_believed() {
    let data = tempfile::tempdir().unwrap();
    let file = data.path().join("games.jsonl");
    let words = ["match", "tictactoe", "greedy", "random", "--games", "6", "--out", file.to_str().unwrap()];
    assert!(outplay(data.path(), &words).status.success());
    let resume = || outplay(data.path(), &[&words[..], &["--resume"]].concat());
    assert!(resume().status.success(), "{}", text(&resume().stderr));
    let honest = fs::read_to_string(&file).unwrap();
    let lines: Vec<&str> = honest.lines().collect();
    let mut refused = 0;
    for number in 1..lines.len() {
        let game: Value = serde_json::from_str(lines[number]).unwrap();
        let mut changes = vec![("payoff", (game["payoff"].as_i64().unwrap() + 2).rem_euclid(3) - 1)];
        changes.push(("opening_moves", 0));
        for (key, value) in changes {
            let mut forged = game.clone();
            forged[key] = value.into();
            if forged == game {
                continue;
            }
            let mut all: Vec<String> = lines.iter().map(|line| line.to_string()).collect();
            all[number] = forged.to_string();
            fs::write(&file, all.join("\n") + "\n").unwrap();
            let said = text(&resume().stderr);
            assert!(said.contains("is inconsistent") && said.contains("remove its line"), "{said}");
            refused += 1;
        }
    }
    assert!(refused >= 8, "{refused}");
    fs::write(&file, &honest).unwrap();
    assert!(resume().status.success());
}

#[test]
fn what_files_say_does_not_reach_the_terminal_raw() {
    let data = tempfile::tempdir().unwrap();
    let weights = data.path().join("w.json");
    fs::write(
        &weights,
        r#"{"player":"lines\u001b]0;evil\u0007","game":"connect4","features":"paper","weights":{}}"#,
    )
    .unwrap();
    let player = format!("lines:weights={}", weights.display());
    let output =
        command(data.path(), &["play", "connect4", "--plain", "--first", &player, "--second", "random"])
            .env("CLICOLOR_FORCE", "1")
            .output()
            .unwrap();
    let said = [output.stdout, output.stderr].concat();
    assert!(text(&said).contains("evil"), "{}", text(&said));
    assert!(!said.contains(&7) && !text(&said).contains("\u{1b}]"), "{}", text(&said));
}

#[test]
fn players_alone_come_to_an_end() {
    let data = tempfile::tempdir().unwrap();
    let start = "8/8/8/3k4/8/8/8/KQ6 w - - 0 1";
    for seed in ["1", "2"] {
        let words = ["play", "chess:KQK", "--position", start, "--first", "random", "--second", "random"];
        let output = ends(data.path(), &[&words[..], &["--plain", "--seed", seed]].concat());
        let said = text(&output.stdout);
        assert!(said.trim_end().lines().last().unwrap().starts_with("The game is over"), "{said}");
    }
}

/// The shell gets the text back that the page shows, whatever is in it.
#[test]
#[cfg(unix)]
fn a_shared_command_is_what_it_says() {
    if Command::new("node").arg("--version").stdout(Stdio::null()).status().is_err() {
        eprintln!("left out: there is no node");
        return;
    }
    let data = tempfile::tempdir().unwrap();
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/crates/serve/page");
    for file in fs::read_dir(page).unwrap().map(|file| file.unwrap().path()) {
        fs::copy(&file, data.path().join(file.file_name().unwrap())).unwrap();
    }
    fs::write(data.path().join("package.json"), r#"{ "type": "module" }"#).unwrap();
    let position = "x'; echo evil; '$(echo evil)`echo evil`\\";
    let script = data.path().join("share.mjs");
    let asked = serde_json::json!({ "game": "tictactoe", "position": position });
    let code = format!("import {{ command }} from './link.js';\nconsole.log(command({asked}, []));");
    fs::write(&script, code).unwrap();
    let told = Command::new("node").arg(&script).output().unwrap();
    let shared = text(&told.stdout);
    assert!(shared.contains("--position"), "{shared} {}", text(&told.stderr));
    let shell = format!("outplay() {{ printf '%s\\n' \"$4\"; }}; {shared}");
    let heard = Command::new("sh").args(["-c", &shell]).output().unwrap();
    assert_eq!(text(&heard.stdout), format!("{position}\n"), "{shared}");
}

#[test]
fn published_sums_find_what_was_changed() {
    let data = solved(&["tictactoe"]);
    let sums = text(&outplay(data.path(), &["tables", "--checksums"]).stdout);
    assert_eq!(sums.lines().count(), 11, "{sums}");
    let file = data.path().join("SUMS");
    fs::write(&file, &sums).unwrap();
    let compare = || outplay(data.path(), &["tables", "--checksums", file.to_str().unwrap()]);
    let said = compare();
    assert_eq!(said.status.code(), Some(0), "{}", text(&said.stdout));
    // Other programs read them, too.
    if let Ok(check) = Command::new("sha256sum").args(["--check", "SUMS"]).current_dir(data.path()).output() {
        assert!(check.status.success(), "{}", text(&check.stderr));
    }
    let tier = data.path().join("tictactoe/tier-05.opt");
    let mut bytes = fs::read(&tier).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&tier, bytes).unwrap();
    let said = compare();
    assert_eq!(said.status.code(), Some(1));
    assert!(text(&said.stdout).contains("tictactoe/tier-05.opt: different"), "{}", text(&said.stdout));
}

#[test]
fn a_check_has_limits_and_a_subject() {
    let data = tempfile::tempdir().unwrap();
    let file = data.path().join("proof.txt");
    let file = file.to_str().unwrap();
    let words = ["solve", "mnk:4x3,k=3", "--method", "proof", "--proof", file];
    assert!(outplay(data.path(), &words).status.success());
    let code = |words: &[&str]| outplay(data.path(), &[&["check", file], words].concat()).status.code();
    assert_eq!(code(&[]), Some(0));
    assert_eq!(code(&["mnk:4x3,k=3"]), Some(0));
    assert_eq!(code(&["mnk:4x3,k=4"]), Some(1));
    assert_eq!(code(&["mnk:3x4,k=3"]), Some(1));
    assert_eq!(code(&["connect:4x3,k=3"]), Some(1), "a proof says nothing about stones that fall");
    assert_eq!(code(&["mnk:4x3,k=3", "--moves", "b2"]), Some(1));
    assert_eq!(code(&["nim:2+2"]), Some(2));
    // A billionth of a second is over at the first look at the clock.
    assert_eq!(code(&["--time", "0.000000001"]), Some(3));
    let long = data.path().join("long.proof");
    fs::File::create(&long).unwrap().set_len(1 << 40).unwrap();
    let long = outplay(data.path(), &["check", long.to_str().unwrap(), "--memory", "16M"]);
    assert!(text(&long.stderr).contains("raise --memory"), "{}", text(&long.stderr));
}

/// Whatever file a user names to be read: a device or a pipe is refused, a link to a file is not.
#[test]
#[cfg(unix)]
fn named_inputs_are_regular_files() {
    let data = tempfile::tempdir().unwrap();
    let pipe = data.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let out = data.path().join("out.jsonl");
    let out = out.to_str().unwrap();
    for bad in ["/dev/zero", pipe.to_str().unwrap()] {
        let weights = format!("alphabeta:depth=1,eval=lines:weights={bad}");
        let commands: [&[&str]; 8] = [
            &["import", bad],
            &["match", "connect4:5x4", &weights, "random", "--games", "2"],
            &["tune", "connect4:4x4", "--by", "labels", "--labels", bad],
            &["tune", "connect4:4x4", "--checkpoint", bad, "--resume"],
            &["match", "tictactoe", "random", "random", "--opening-file", bad],
            &["match", "tictactoe", "random", "random", "--out", bad, "--resume"],
            &["label", "tictactoe", bad, "--out", out],
            &["check", bad],
        ];
        for words in commands {
            let output = ends(data.path(), words);
            let said = text(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{words:?}: {said}");
            assert!(said.contains("not a regular file"), "{words:?}: {said}");
        }
    }
    let [file, link] = ["openings", "link"].map(|name| data.path().join(name));
    fs::write(&file, "a1 b2\n").unwrap();
    std::os::unix::fs::symlink(&file, &link).unwrap();
    let words = ["match", "tictactoe", "random", "random", "--games", "2", "--opening-file"];
    let output = ends(data.path(), &[&words[..], &[link.to_str().unwrap()]].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
}

/// A disk that is full leaves the old file as it was, and nothing beside it.
#[test]
#[cfg(target_os = "linux")]
fn outputs_are_whole_or_untouched() {
    let data = solved(&["tictactoe"]);
    let folder = tempfile::tempdir().unwrap();
    let commands: [&[&str]; 4] = [
        &["stats", "tictactoe", "--svg"],
        &["solve", "mnk:4x3,k=3", "--method", "proof", "--no-save", "--proof"],
        &["match", "tictactoe", "random", "greedy", "--games", "2", "--report"],
        &["show", "tictactoe", "--tree", "--depth", "2", "--svg"],
    ];
    for words in commands {
        let file = folder.path().join("out");
        let name = file.to_str().unwrap();
        fs::write(&file, "old").unwrap();
        let program = [&[env!("CARGO_BIN_EXE_outplay")], words, &[name, "--quiet"]].concat();
        // No file may grow beyond no bytes: writing fails as it does on a full disk.
        let output = Command::new("sh")
            .args(["-c", "trap '' XFSZ; ulimit -f 0; exec \"$@\" > /dev/null", "sh"])
            .args(&program)
            .env("OUTPLAY_DATA", data.path())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        assert!(!output.status.success(), "{words:?}: {}", text(&output.stderr));
        assert_eq!(fs::read_to_string(&file).unwrap(), "old", "{words:?}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "{words:?}");
        let output = ends(data.path(), &[words, &[name]].concat());
        assert!(output.status.success(), "{words:?}: {}", text(&output.stderr));
        assert!(fs::read(&file).unwrap().len() > 100, "{words:?}");
    }
}

/// Kept results that were renamed to another game are not believed, and `--time` holds while another process has the
/// file.
#[test]
fn kept_results_answer_only_for_their_own_game() {
    let data = tempfile::tempdir().unwrap();
    let folder = data.path().join("notes");
    fs::create_dir(&folder).unwrap();
    let identity = |game: &str| outplay::files::Identity {
        kind: "kept results".into(),
        format: 2,
        game: game.into(),
        rules: 1,
        program: outplay::workbench::program_version(),
        about: String::new(),
    };
    let lie = r#"{"position":"...../...../...../...../.....","payoff":0,"distance":null,"best":[]}"#;
    let file = folder.join("mnk-5x5,k=3.notes");
    fs::write(&file, outplay::files::encode(&identity("mnk:5x5,k=4"), [lie])).unwrap();
    let answer = json(data.path(), &["query", "mnk:5x5,k=3"]);
    assert_eq!(answer["value"], "win");
    assert!(folder.join("mnk-5x5,k=3.notes.stale").exists(), "it was set aside");
    // A file of any length is listed within the memory.
    fs::File::create(folder.join("mnk-9x9,k=3.notes")).unwrap().set_len(1 << 40).unwrap();
    let listed = json(data.path(), &["tables", "--memory", "100M"]);
    let long = |kept: &&Value| kept["name"] == "mnk-9x9,k=3";
    assert_eq!(listed["kept"].as_array().unwrap().iter().find(long).unwrap()["positions"], 0, "{listed}");
}

/// Waits until a program has something of its own to do about an interrupt.
#[cfg(target_os = "linux")]
fn listens(pid: u32) {
    let patience = Instant::now() + Duration::from_secs(60);
    loop {
        let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap().trim();
        // SIGINT is the second signal.
        if u64::from_str_radix(caught, 16).unwrap() & 2 != 0 {
            return;
        }
        assert!(Instant::now() < patience, "it never listens: {status}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// What would go on for minutes or hours is interrupted, and says so.
#[cfg(target_os = "linux")]
fn interrupted(data: &Path, words: &[&str]) {
    let child = command(data, words).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    listens(child.id());
    // Some are in the middle of their work by then; that none is at its end is all that is needed.
    std::thread::sleep(Duration::from_millis(300));
    let status = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(status.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{words:?}: {}", text(&output.stderr));
}

/// A proof of 5 kB whose check would take hours: an interrupt and a limit end it, whatever was followed by then.
/// `outplay-bench limits` measures how soon.
#[test]
#[cfg(target_os = "linux")]
fn a_check_without_an_end_is_interrupted() {
    let data = tempfile::tempdir().unwrap();
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/corpus/proof-slow.txt");
    let limited = ends(data.path(), &["check", file, "--time", "0.2"]);
    assert_eq!(limited.status.code(), Some(3), "{}", text(&limited.stderr));
    interrupted(data.path(), &["check", file]);
}

/// An interrupted search is no answer: it once exited with 0, and on the largest boards only after minutes.
#[test]
#[cfg(target_os = "linux")]
fn a_search_that_is_interrupted_says_so() {
    let data = tempfile::tempdir().unwrap();
    for words in [
        ["query", "mnk:19x20,k=5", "--time", "600"].as_slice(),
        &["show", "connect4:9x9", "--time", "600"],
        &["solve", "connect4:9x9", "--time", "600"],
        &["why", "connect4:9x9", "--time", "600"],
    ] {
        interrupted(data.path(), words);
    }
}

/// What a limit of the system leaves is what the program takes itself to have.
#[test]
#[cfg(target_os = "linux")]
fn limits_of_the_system_are_limits() {
    let program = env!("CARGO_BIN_EXE_outplay");
    let solve = |limit: &str| {
        let line =
            format!("ulimit -v {limit}; exec {program} solve connect4:5x5 --no-save --quiet --memory 8G");
        Command::new("sh").args(["-c", &line]).output().unwrap()
    };
    let output = solve("600000");
    let said = text(&output.stderr);
    assert_ne!(output.status.code(), None, "it was not killed: {said}");
    assert!(output.status.success() || said.contains("memory"), "{said}");
}

/// Exploring keeps to the memory that was allowed.
#[test]
#[cfg(target_os = "linux")]
fn exploring_keeps_to_its_memory() {
    let peak = |words: &[&str]| -> u64 {
        let mut child = command(tempfile::tempdir().unwrap().path(), words)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let file = format!("/proc/{}/status", child.id());
        let mut peak = 0;
        while child.try_wait().unwrap().is_none() {
            let status = fs::read_to_string(&file).unwrap_or_default();
            let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
            let now = line.and_then(|line| line.trim().trim_end_matches("kB").trim().parse::<u64>().ok());
            peak = peak.max(now.unwrap_or(0) * 1024);
            std::thread::sleep(Duration::from_millis(2));
        }
        peak
    };
    for words in [
        ["index", "einstein", "--memory", "60M"].as_slice(),
        &["solve", "mnk:11x6,x=a1", "--method", "sweep-until-stable", "--no-save", "--memory", "60M"],
        &["games", "--check", "connect4", "--memory", "60M"],
    ] {
        let peak = peak(words);
        // The program itself takes some of it.
        assert!(peak < 60_000_000 + 50_000_000, "{words:?}: {peak}");
    }
}

#[test]
fn there_are_no_more_threads_than_cores() {
    let data = tempfile::tempdir().unwrap();
    let cores = std::thread::available_parallelism().unwrap().get() as u64;
    let answer = json(data.path(), &["solve", "tictactoe", "--threads", "1000"]);
    assert!(answer["threads"].as_u64().unwrap() <= cores, "{answer}");
}

/// Reading a proof polls the clock and keeps to the memory, however large one of its steps is. What a limit ends is
/// neither right nor wrong.
#[test]
fn a_check_keeps_its_limits_while_it_reads() {
    let data = tempfile::tempdir().unwrap();
    let file = data.path().join("large.txt");
    let head = "outplay-proof 1\nboard ... k 3 turn x\nclaim draw\nx holds by stealing\no holds by 0\n";
    fs::write(&file, format!("{head}steps 1\n0 sum {}a1\nend\n", "a1,".repeat(20_000_000))).unwrap();
    let began = Instant::now();
    let words = ["check", file.to_str().unwrap(), "--time", "0.05", "--memory", "2G"];
    let limited = ends(data.path(), &words);
    assert_eq!(limited.status.code(), Some(3), "{}", text(&limited.stderr));
    assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());
    let steps: String = (0..70_000).map(|step| format!("{step} pairs\n")).collect();
    fs::write(&file, format!("{head}steps 70000\n{steps}end\n")).unwrap();
    let limited = ends(data.path(), &["check", file.to_str().unwrap(), "--memory", "16M"]);
    assert_eq!(limited.status.code(), Some(3), "{}", text(&limited.stdout));
    assert!(text(&limited.stdout).contains("needs more than"), "{}", text(&limited.stdout));
}
