//! `cargo xtask dist`: packages for distribution.
//!
//! ```text
//!  target/dist/outplay-V-ARCH-linux-glibcN.tar.gz   program, manual pages, completions, licences; N is the oldest glibc
//!  target/dist/outplay_V_ARCH.deb                   the same for Debian and its derivatives, with a desktop entry
//!  target/dist/outplay-V-….whl                      Python module and program
//!  target/dist/outplay-V.tar.gz                     Python sdist
//!  target/dist/outplay-V-source.tar.xz              the commit with all crates it needs: builds without a network
//!  target/dist/outplay-V.cdx.json                   software bill of materials (CycloneDX 1.5)
//!  target/dist/THIRD-PARTY-LICENCES.txt             licences of everything linked into program and module
//!  target/dist/SHA256SUMS
//!  target/dist-build/                               cargo's target directory for all this
//! ```
//!
//! The program is linked with glibc, not statically with musl: the solvers allocate from all threads, which glibc's
//! allocator is made for, and the Python module needs glibc anyway.

mod acceptance;
mod clean_root;
mod contents;
mod deb;
mod packages;

pub(crate) use acceptance::test;

use crate::install::{self, root, target};
use contents::Contents;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// Maximum size of the wheel in bytes.
const LARGEST_WHEEL: u64 = 15_000_000;

/// Maximum time in seconds, from nothing.
const LONGEST: u64 = 15 * 60;

/// Where everything is, and which commit is packed.
pub(crate) struct Dist {
    root: PathBuf,
    /// The packages.
    out: PathBuf,
    /// Cargo's target directory.
    build: PathBuf,
    version: String,
    commit: String,
    /// The commit's time in seconds since 1970, for reproducible archives.
    epoch: String,
}

impl Dist {
    pub(crate) fn new() -> Result<Dist, String> {
        let (root, target) = (root()?, target()?);
        let git = |words: &[&str]| output(Command::new("git").args(words).current_dir(&root));
        let commit =
            git(&["rev-parse", "HEAD"]).map_err(|error| format!("packages name their commit: {error}"))?;
        Ok(Dist {
            out: target.join("dist"),
            build: target.join("dist-build"),
            version: env!("CARGO_PKG_VERSION").into(),
            commit: commit.trim().into(),
            epoch: git(&["show", "-s", "--format=%ct", "HEAD"])?.trim().into(),
            root,
        })
    }

    /// The number of the commit's files that have been changed since.
    fn changed_files(&self) -> Result<usize, String> {
        let words = ["status", "--porcelain", "--untracked-files=no"];
        Ok(output(Command::new("git").args(words).current_dir(&self.root))?.lines().count())
    }

    /// The optimised program.
    fn program(&self) -> PathBuf {
        self.build.join("dist").join("outplay")
    }

    /// The file of `out` whose name ends so; the source archives' names differ in more than that.
    fn package(&self, ending: &str) -> Result<PathBuf, String> {
        let files = list(&self.out)?;
        let mut found = files.into_iter().filter(|path| path.to_string_lossy().ends_with(ending));
        found.next().ok_or_else(|| format!("{} has no *{ending}; run `cargo xtask dist`", self.out.display()))
    }
}

/// Builds all packages.
pub(crate) fn build(may_install: bool) -> Result<(), String> {
    install::ensure(&[install::PYTHON], may_install)?;
    let began = Instant::now();
    let dist = Dist::new()?;
    let changed = dist.changed_files()?;
    if changed > 0 {
        eprintln!(
            "xtask: {changed} files differ from the commit that the packages name; only the source archive is without \
             these changes: commit them before a release"
        );
    }
    fs::create_dir_all(&dist.out)
        .map_err(|error| format!("cannot create {}: {error}", dist.out.display()))?;
    for old in list(&dist.out)?.iter().filter(|path| path.is_file()) {
        fs::remove_file(old).map_err(|error| format!("cannot remove {}: {error}", old.display()))?;
    }
    let step = |name: &str, run: &dyn Fn() -> Result<(), String>| {
        let start = Instant::now();
        run()?;
        crate::took(name, start);
        Ok::<(), String>(())
    };
    step("the program", &|| {
        let words = ["build", "--locked", "--profile", "dist", "--bin", "outplay", "--target-dir"];
        let mut cargo = Command::new(env!("CARGO"));
        crate::run_tool("cargo", cargo.args(words).arg(&dist.build).current_dir(&dist.root))
    })?;
    step("licences and the bill of materials", &|| packages::write_both(&dist))?;
    let contents = Contents::new(&dist)?;
    step("the archive", &|| archive(&dist, &contents))?;
    step("the Debian package", &|| deb::write_package(&dist, &contents, &dist.version, &dist.out))?;
    step("the wheel and the sdist", &|| wheel(&dist))?;
    step("the source archive", &|| source(&dist))?;
    finish(&dist, began)
}

/// Writes the tar archive of the program.
fn archive(dist: &Dist, contents: &Contents) -> Result<(), String> {
    let name = format!("outplay-{}-{}-linux-glibc{}", dist.version, std::env::consts::ARCH, contents.glibc);
    let stage = fresh(&dist.build.join("stage").join("tar"))?;
    let folder = stage.join(&name);
    contents.write(&folder, |path| match path {
        contents::Place::Program => "outplay".into(),
        contents::Place::Manual(page) => format!("man/{page}"),
        contents::Place::Completion(shell) => format!("completions/{}", shell.file()),
        contents::Place::Document(document) => document.into(),
    })?;
    tar(dist, &stage, &name, &dist.out.join(format!("{name}.tar.gz")))
}

/// Packs a directory so that equal contents make equal archives. The ending of the archive chooses the compression.
fn tar(dist: &Dist, folder: &Path, name: &str, archive: &Path) -> Result<(), String> {
    let mut tar = Command::new("tar");
    tar.args(["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--format=gnu", "--auto-compress"]);
    tar.arg(format!("--mtime=@{}", dist.epoch)).arg("--create").arg("--file").arg(archive);
    crate::run_tool("tar", tar.arg("--directory").arg(folder).arg(name).env("XZ_OPT", "-T0"))
}

/// Builds the wheel, which carries the module and the program, and the sdist.
fn wheel(dist: &Dist) -> Result<(), String> {
    crate::python::make_environment()?;
    let tools = crate::python::environment().join("bin");
    let pip = ["-m", "pip", "install", "-q", "--disable-pip-version-check", "maturin>=1.9,<2"];
    crate::run_tool("pip", Command::new(tools.join("python")).args(pip))?;
    let package = dist.root.join("python");
    let notices = package.join(packages::NOTICES);
    fs::copy(dist.out.join(packages::NOTICES), &notices)
        .map_err(|error| format!("cannot write {}: {error}", notices.display()))?;
    let maturin = |words: &[&str]| {
        let mut maturin = Command::new(tools.join("maturin"));
        maturin.args(words).arg("--out").arg(&dist.out).current_dir(&package);
        maturin.env("CARGO_TARGET_DIR", &dist.build).env("PYO3_PYTHON", tools.join("python"));
        crate::run_tool("maturin", maturin.env("SOURCE_DATE_EPOCH", &dist.epoch))
    };
    let done = maturin(&["build", "--profile", "dist", "--locked"]).and_then(|()| maturin(&["sdist"]));
    let _ = fs::remove_file(&notices);
    done?;
    let wheel = dist.package(".whl")?;
    let bytes = size(&wheel);
    if bytes > LARGEST_WHEEL {
        return Err(format!("{} has {bytes} bytes; the limit is {LARGEST_WHEEL}", wheel.display()));
    }
    Ok(())
}

/// Packs the commit with the sources of all crates, for builds without a network.
fn source(dist: &Dist) -> Result<(), String> {
    let stage = fresh(&dist.build.join("stage").join("source"))?;
    let name = format!("outplay-{}-source", dist.version);
    let folder = checkout(dist, &stage, &name)?;
    let mut vendor = Command::new(env!("CARGO"));
    vendor.args(["vendor", "--locked", "--quiet", "--versioned-dirs", "vendor"]).current_dir(&folder);
    // Its output is the configuration that points cargo to the sources.
    let vendored = output(&mut vendor)?;
    let config = folder.join(".cargo").join("config.toml");
    let before = fs::read_to_string(&config).unwrap_or_default();
    write(&config, format!("{before}\n{vendored}"))?;
    // Read by the build script of the command line, as in an archive of `cargo package`.
    let commit = format!("{{\"git\":{{\"sha1\":\"{}\"}}}}\n", dist.commit);
    write(&folder.join("crates/cli/.cargo_vcs_info.json"), &commit)?;
    tar(dist, &stage, &name, &dist.out.join(format!("{name}.tar.xz")))?;
    fs::remove_dir_all(&stage).map_err(|error| format!("cannot remove {}: {error}", stage.display()))
}

/// Writes the files of the commit to a new directory below `stage`.
fn checkout(dist: &Dist, stage: &Path, name: &str) -> Result<PathBuf, String> {
    let plain = stage.join("commit.tar");
    let mut git = Command::new("git");
    git.args(["archive", "--format=tar", &format!("--prefix={name}/"), "HEAD", "--output"]).arg(&plain);
    crate::run_tool("git", git.current_dir(&dist.root))?;
    crate::run_tool("tar", Command::new("tar").arg("-xf").arg(&plain).arg("-C").arg(stage))?;
    Ok(stage.join(name))
}

/// Writes the checksums, and prints sizes and the time.
fn finish(dist: &Dist, began: Instant) -> Result<(), String> {
    let files = list(&dist.out)?;
    let names: Vec<String> = files
        .iter()
        .filter(|path| path.is_file())
        .filter_map(|path| path.file_name()?.to_str().map(str::to_string))
        .collect();
    let sums = output(Command::new("sha256sum").args(&names).current_dir(&dist.out))?;
    write(&dist.out.join("SHA256SUMS"), &sums)?;
    println!("{} at {}, in {}:", dist.version, &dist.commit[..10], dist.out.display());
    for name in &names {
        println!("{:>10.1} MB  {name}", size(&dist.out.join(name)) as f64 / 1e6);
    }
    let seconds = began.elapsed().as_secs();
    println!("{:>10}     in minutes and seconds", format!("{}:{:02}", seconds / 60, seconds % 60));
    match seconds <= LONGEST {
        true => Ok(()),
        false => Err(format!("this took {} minutes; the limit is {}", seconds / 60, LONGEST / 60)),
    }
}

/// An empty directory.
fn fresh(folder: &Path) -> Result<PathBuf, String> {
    let _ = fs::remove_dir_all(folder);
    fs::create_dir_all(folder).map_err(|error| format!("cannot create {}: {error}", folder.display()))?;
    Ok(folder.to_path_buf())
}

/// Writes a file and the directories above it.
fn write(path: &Path, text: impl AsRef<[u8]>) -> Result<(), String> {
    let parent = path.parent().map_or(Ok(()), fs::create_dir_all);
    parent
        .and_then(|()| fs::write(path, text))
        .map_err(|error| format!("cannot write {}: {error}", path.display()))
}

/// The entries of a directory in order.
fn list(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries =
        fs::read_dir(folder).map_err(|error| format!("cannot list {}: {error}", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort_unstable();
    Ok(paths)
}

/// The size of a file in bytes.
fn size(path: &Path) -> u64 {
    path.metadata().map_or(0, |about| about.len())
}

/// What a command prints; an error with its other output if it fails.
fn output(command: &mut Command) -> Result<String, String> {
    let done =
        command.stdin(Stdio::null()).output().map_err(|error| format!("cannot run {command:?}: {error}"))?;
    match done.status.success() {
        true => Ok(String::from_utf8_lossy(&done.stdout).into_owned()),
        false => Err(format!("{command:?} failed: {}", String::from_utf8_lossy(&done.stderr).trim_end())),
    }
}
