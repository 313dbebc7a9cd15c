//! `cargo xtask fuzz`: random mutation fuzzing and coverage-guided fuzzing of every input format.
//!
//! ```text
//!  fuzz [--seconds N]                     tests/it/fuzz.rs, N seconds per target, with a new seed each time
//!  fuzz --campaign [--scale X]            tests/it/campaign: kills, damage, failing disks, malformed inputs, forged proofs
//!                                         and HTTP requests, with the program itself; prints the table of docs/trust.md
//!  fuzz --guided [--seconds N] [NAME…]    fuzz/ under libFuzzer, N seconds per target; the corpus is stored in
//!                                         target/fuzz/corpus, failing inputs in target/fuzz/failed
//!  fuzz --keep                            writes a minimised corpus (merged by coverage) to tests/corpus/guided
//! ```
//!
//! Guided fuzzing needs a C++ compiler for libFuzzer. Any Rust toolchain works: the instrumentation is an LLVM pass.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Compiler flags of the instrumentation: edge counters and traced comparisons.
const INSTRUMENT: &str = "--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
     -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
     -Cllvm-args=-sanitizer-coverage-trace-compares";
/// Maximum bytes of each target's file in tests/corpus/guided.
const KEPT: usize = 12_000;
/// Maximum bytes of an input in the minimised corpus.
const LONGEST: usize = 2_000;

/// Runs random mutation fuzzing in an optimised build, for the given seconds per target.
pub(crate) fn blind(seconds: &str) -> Result<(), String> {
    let seed = std::time::UNIX_EPOCH.elapsed().map_or(1, |since| since.as_secs());
    eprintln!("xtask: fuzzing for {seconds} s per target, OUTPLAY_FUZZ_SEED={seed}");
    let words = ["test", "--release", "--package", "outplay", "--test", "it", "--", "fuzz::", "--nocapture"];
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(words).env("OUTPLAY_FUZZ_SECONDS", seconds).env("OUTPLAY_FUZZ_SEED", seed.to_string());
    succeeds(&mut cargo, "fuzzing found a failure; see the output above")
}

/// Runs the whole campaign with the number of trials scaled by `scale`; scale 1 takes about 20 minutes on two cores.
pub(crate) fn campaign(scale: &str) -> Result<(), String> {
    let words = ["test", "--release", "--package", "outplay", "--test", "it", "--"];
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(words).args(["--exact", "campaign::campaign", "--ignored", "--nocapture"]);
    cargo.env("OUTPLAY_CAMPAIGN_SCALE", scale);
    succeeds(
        &mut cargo,
        "the campaign found failures; the output above lists each with the steps to reproduce it",
    )
}

/// Runs the named targets, or all, under libFuzzer, one after the other.
pub(crate) fn guided(seconds: u64, names: &[&str]) -> Result<(), String> {
    let fuzzer = Fuzzer::build()?;
    let targets = fuzzer.targets()?;
    if let Some(stranger) = names.iter().find(|name| !targets.iter().any(|target| target == *name)) {
        return Err(format!("unknown target `{stranger}`; the targets are {}", targets.join(", ")));
    }
    let mut failed = Vec::new();
    for target in targets.iter().filter(|target| names.is_empty() || names.contains(&target.as_str())) {
        eprintln!("xtask: {target} for {seconds} s");
        let corpus = made(fuzzer.folder.join("corpus").join(target))?;
        let artifacts = made(fuzzer.folder.join("failed"))?.join(format!("{target}-"));
        let mut run = fuzzer.run(target);
        run.env("OUTPLAY_FUZZ_SEEDS", &corpus).arg(&corpus);
        run.arg(format!("-max_total_time={seconds}")).args(["-rss_limit_mb=2048", "-timeout=30"]);
        run.arg(format!("-artifact_prefix={}", artifacts.display())).arg("-print_final_stats=1");
        if succeeds(&mut run, "").is_err() {
            failed.push(target.as_str());
        }
    }
    match failed.is_empty() {
        true => Ok(()),
        false => Err(format!(
            "these targets failed: {}; the inputs are in {}; add an input to tests/corpus/guided once it is fixed",
            failed.join(", "),
            fuzzer.folder.join("failed").display()
        )),
    }
}

/// Minimises the corpus: the smallest inputs that keep its coverage.
pub(crate) fn keep() -> Result<(), String> {
    let fuzzer = Fuzzer::build()?;
    for target in fuzzer.targets()? {
        let corpus = fuzzer.folder.join("corpus").join(&target);
        if !corpus.is_dir() {
            continue;
        }
        let small = fuzzer.folder.join("small").join(&target);
        let _ = fs::remove_dir_all(&small);
        let small = made(small)?;
        let mut merge = fuzzer.run(&target);
        merge.args(["-merge=1", "-rss_limit_mb=2048", "-timeout=30"]).arg(&small).arg(&corpus);
        merge.stderr(Stdio::null());
        succeeds(&mut merge, &format!("libFuzzer cannot merge the corpus of {target}"))?;
        pack(&target, &small)?;
    }
    Ok(())
}

/// Appends inputs as lines, short ones first. Existing lines stay, because they may be regression inputs.
fn pack(target: &str, from: &Path) -> Result<(), String> {
    let said = |error: std::io::Error| format!("cannot write the corpus of {target}: {error}");
    let mut inputs = Vec::new();
    for entry in fs::read_dir(from).map_err(said)? {
        inputs.push(fs::read(entry.map_err(said)?.path()).map_err(said)?);
    }
    inputs.retain(|input| !input.is_empty() && input.len() <= LONGEST);
    inputs.sort_by_key(|input| (input.len(), input.clone()));
    let folder = made(PathBuf::from("tests/corpus/guided"))?;
    let path = folder.join(format!("{target}.txt"));
    let mut text = fs::read_to_string(&path).unwrap_or_default();
    for input in inputs {
        let line = input.escape_ascii().to_string();
        if text.len() + line.len() < KEPT && !text.lines().any(|known| known == line) {
            text += &line;
            text.push('\n');
        }
    }
    fs::write(&path, text).map_err(said)
}

/// The instrumented program.
struct Fuzzer {
    program: PathBuf,
    folder: PathBuf,
}

impl Fuzzer {
    fn build() -> Result<Fuzzer, String> {
        let works = |program: &str| {
            let mut command = Command::new(program);
            command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
            command.status().is_ok_and(|status| status.success())
        };
        if std::env::var_os("CXX").is_none() && !["c++", "g++", "clang++"].into_iter().any(works) {
            return Err(
                "libFuzzer needs a C++ compiler, and none was found; install g++ or clang++ and try again"
                    .into(),
            );
        }
        let host = host()?;
        let folder = std::env::current_dir().map_err(|error| error.to_string())?.join("target/fuzz");
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["build", "--release", "--locked", "--manifest-path", "fuzz/Cargo.toml"]);
        // Naming the host as the target keeps the flags away from build scripts and macros.
        cargo.args(["--target", &host]).arg("--target-dir").arg(&folder).env("RUSTFLAGS", INSTRUMENT);
        succeeds(&mut cargo, "the fuzz targets do not build; see the output above")?;
        let program = folder.join(host).join("release/outplay-fuzz");
        Ok(Fuzzer { program, folder })
    }

    fn targets(&self) -> Result<Vec<String>, String> {
        let output = Command::new(&self.program).output();
        let output = output.map_err(|error| format!("cannot run {}: {error}", self.program.display()))?;
        Ok(String::from_utf8_lossy(&output.stdout).lines().map(str::to_string).collect())
    }

    fn run(&self, target: &str) -> Command {
        let mut command = Command::new(&self.program);
        command.env("OUTPLAY_FUZZ_TARGET", target);
        command
    }
}

/// The host target triple.
fn host() -> Result<String, String> {
    let output =
        Command::new("rustc").arg("-vV").output().map_err(|error| format!("cannot run rustc: {error}"))?;
    let said = String::from_utf8_lossy(&output.stdout);
    let host = said.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_string).ok_or_else(|| "`rustc -vV` does not print the host target".into())
}

fn made(folder: PathBuf) -> Result<PathBuf, String> {
    fs::create_dir_all(&folder).map_err(|error| format!("cannot create {}: {error}", folder.display()))?;
    Ok(folder)
}

fn succeeds(command: &mut Command, otherwise: &str) -> Result<(), String> {
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err(otherwise.into()),
        Err(error) => Err(format!("cannot run {}: {error}", command.get_program().display())),
    }
}
