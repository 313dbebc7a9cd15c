//! `cargo xtask dist --test`: installs and runs every package in a clean Debian root, as on a machine without this
//! checkout.
//!
//! debootstrap creates the root directory from the mirror that this machine's apt uses; after that, the test has no
//! network. It needs root privileges and changes nothing outside target/dist-test.

use super::contents::Contents;
use super::{Dist, checkout, deb, fresh, list, output, write};
use crate::install;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// Packages of the root: `man`, Python, and what a build from source needs beside Rust.
const PACKAGES: &str = "man-db,python3-venv,gcc,libc6-dev,xz-utils";

/// The command that a first reader runs, if the README has none.
const FIRST: &str = "outplay show tictactoe";

/// Maximum time of `outplay --version` through the wheel, in milliseconds.
const SLOWEST_START: u128 = 150;

/// Members of the workspace that are not for a registry.
const NOT_PUBLISHED: [&str; 5] =
    ["outplay-bench", "outplay-browser", "outplay-cluster", "outplay-python", "xtask"];

/// The test of one package in a clean root.
type PackageTest = fn(&Dist, &Root) -> Result<(), String>;

/// Tests the packages in target/dist.
pub(crate) fn test(may_install: bool) -> Result<(), String> {
    if !install::works("sh", &["-c", "test $(id -u) = 0"]) {
        return Err("clean roots need debootstrap and chroot: run `cargo xtask dist --test` as root".into());
    }
    install::ensure(&[install::DEBOOTSTRAP, install::PYTHON], may_install)?;
    let dist = Dist::new()?;
    let place = install::target()?.join("dist-test");
    let base = base(&place)?;
    let tests: [(&str, PackageTest); 5] = [
        ("the Debian package", debian),
        ("the archive", archive),
        ("the wheel", wheel),
        ("the sdist without Rust", sdist),
        ("the source archive without a network", source),
    ];
    for (name, run) in tests {
        let start = Instant::now();
        let root = Root::new(&base, &place.join("root"))?;
        run(&dist, &root).map_err(|error| format!("{name}: {error}"))?;
        crate::took(name, start);
    }
    let start = Instant::now();
    crates(&dist)?;
    crate::took("the library's crates", start);
    fs::remove_dir_all(place.join("root")).map_err(|error| format!("cannot remove the root: {error}"))
}

/// Makes the root that all tests copy.
fn base(place: &Path) -> Result<PathBuf, String> {
    let base = place.join("base");
    // Written last.
    let mark = base.join("etc/outplay-base");
    if fs::read_to_string(&mark).is_ok_and(|text| text == PACKAGES) {
        return Ok(base);
    }
    fresh(&base)?;
    let release =
        fs::read_to_string("/etc/os-release").map_err(|error| format!("/etc/os-release: {error}"))?;
    let suite = release.lines().find_map(|line| line.strip_prefix("VERSION_CODENAME="));
    let suite = suite.ok_or("/etc/os-release names no release of Debian")?;
    let mut make = Command::new("debootstrap");
    make.args(["--variant=minbase", &format!("--include={PACKAGES}"), suite]).arg(&base).arg(mirror()?);
    crate::run_tool("debootstrap", &mut make)?;
    write(&mark, PACKAGES)?;
    Ok(base)
}

/// The mirror of this machine's apt.
fn mirror() -> Result<String, String> {
    let words = ["indextargets", "--format", "$(REPO_URI)", "Created-By: Packages"];
    let listed = output(Command::new("apt-get").args(words))?;
    let first = listed.lines().find(|line| !line.contains("security"));
    first.map(str::to_string).ok_or_else(|| "apt has no mirror; run `apt-get update`".into())
}

/// A copy of the base, in which commands run without a network.
struct Root(PathBuf);

impl Root {
    fn new(base: &Path, place: &Path) -> Result<Root, String> {
        let _ = fs::remove_dir_all(place);
        output(Command::new("cp").args(["-a", "--reflink=auto"]).arg(base).arg(place))?;
        Ok(Root(place.to_path_buf()))
    }

    /// Puts a package into the root, as /tmp/NAME.
    fn bring(&self, file: &Path) -> Result<String, String> {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        fs::copy(file, self.0.join("tmp").join(&name))
            .map_err(|error| format!("cannot copy {}: {error}", file.display()))?;
        Ok(format!("/tmp/{name}"))
    }

    /// Runs a script in the root and returns its output; `outside` runs before, outside the root.
    fn run_after(&self, outside: &str, script: &str) -> Result<String, String> {
        let enter = format!(
            "mount -t proc proc \"$0/proc\"; {outside} exec chroot \"$0\" /usr/bin/env -i HOME=/root TERM=dumb LANG=C.UTF-8 \
             PATH=/usr/local/bin:/usr/bin:/usr/sbin:/bin:/sbin /bin/sh -euc \"$1\" 2>&1"
        );
        let mut unshare = Command::new("unshare");
        unshare.args(["--mount", "--net", "--pid", "--fork", "--kill-child", "sh", "-euc", &enter]);
        unshare.arg(&self.0).arg(script);
        let done = unshare.output().map_err(|error| format!("cannot run unshare: {error}"))?;
        let text = String::from_utf8_lossy(&done.stdout).into_owned();
        match done.status.success() {
            true => Ok(text),
            false => Err(format!(
                "`{script}` failed in a clean root:\n{text}{}",
                String::from_utf8_lossy(&done.stderr)
            )),
        }
    }

    fn run(&self, script: &str) -> Result<String, String> {
        self.run_after("", script)
    }

    /// All files, but for caches and logs of the system.
    fn files(&self) -> Result<BTreeSet<String>, String> {
        let script = "find / -xdev \\( -path /proc -o -path /tmp -o -path /var/cache -o -path /var/log -o -path \
                      /var/lib/dpkg \\) -prune -o ! -type d -print";
        Ok(self.run(script)?.lines().map(str::to_string).collect())
    }
}

/// Checks that a text has a part.
fn has(text: &str, part: &str) -> Result<(), String> {
    match text.contains(part) {
        true => Ok(()),
        false => Err(format!("expected `{part}` in:\n{text}")),
    }
}

/// Installs, upgrades from an older version, runs, and removes; only data is left.
fn debian(dist: &Dist, root: &Root) -> Result<(), String> {
    let before = root.files()?;
    let old = fresh(&dist.build.join("stage").join("old"))?;
    let contents = Contents::new(dist)?;
    deb::write_package(dist, &contents, "0.0.1", &old)?;
    let old = list(&old)?.pop().ok_or("no older package")?;
    let (old, new) = (root.bring(&old)?, root.bring(&dist.package(".deb")?)?);
    root.run(&format!("dpkg -i {old}; outplay solve tictactoe --quiet"))?;
    let start = Instant::now();
    let readme =
        fs::read_to_string(dist.root.join("README.md")).map_err(|error| format!("README.md: {error}"))?;
    let first = first_command(&readme).unwrap_or_else(|| FIRST.into());
    let answer = root.run(&format!("dpkg -i {new} >/dev/null; {first}"))?;
    eprintln!("xtask: {:.1} s to install and to run `{first}`:\n{answer}", start.elapsed().as_secs_f64());
    has(&root.run("outplay --version")?, &format!("outplay {} ({}", dist.version, &dist.commit[..10]))?;
    has(&root.run("dpkg-query -W outplay; outplay tables")?, "tictactoe")?;
    has(&root.run("man outplay | cat")?, "outplay")?;
    for path in [
        "applications/outplay.desktop",
        "bash-completion/completions/outplay",
        "zsh/vendor-completions/_outplay",
        "fish/vendor_completions.d/outplay.fish",
        "doc/outplay/copyright",
    ] {
        root.run(&format!("test -s /usr/share/{path}"))?;
    }
    root.run("dpkg --purge outplay")?;
    let left: Vec<String> = root.files()?.difference(&before).cloned().collect();
    match left.iter().all(|path| path.starts_with("/root/.local/share/outplay/")) && !left.is_empty() {
        true => Ok(()),
        false => Err(format!("after `dpkg --purge`, {left:?} are left; only data should be")),
    }
}

/// The first command line of the program in a README.
fn first_command(readme: &str) -> Option<String> {
    let line = readme.lines().find_map(|line| line.strip_prefix("$ outplay "))?;
    Some(format!("outplay {}", line.split(" #").next().unwrap_or(line).trim_end()))
}

/// Unpacks the archive and runs the program.
fn archive(dist: &Dist, root: &Root) -> Result<(), String> {
    let file = list(&dist.out)?.into_iter().find(|path| path.to_string_lossy().contains("-linux-glibc"));
    let file = root.bring(&file.ok_or("no archive; run `cargo xtask dist`")?)?;
    let answer =
        root.run(&format!("cd /tmp; tar -xzf {file}; cd outplay-*/; ls; ./outplay query tictactoe --json"))?;
    has(&answer, "THIRD-PARTY-LICENCES.txt")?;
    has(&answer, "\"draw\"")
}

/// Installs the wheel in a new virtual environment: module, program, signals, pipes, and removes it.
fn wheel(dist: &Dist, root: &Root) -> Result<(), String> {
    let wheels = wheelhouse(dist, &["numpy>=1.24"])?;
    for file in list(&wheels)? {
        root.bring(&file)?;
    }
    let file = root.bring(&dist.package(".whl")?)?;
    root.run("python3 -m venv /opt/venv")?;
    let before = root.files()?;
    root.run(&format!("/opt/venv/bin/pip install -q --no-index --find-links /tmp {file}"))?;
    has(&root.run("/opt/venv/bin/outplay --version")?, &format!("outplay {} (", dist.version))?;
    let module = "/opt/venv/bin/python -c \"import outplay; print(outplay.game('tictactoe').start.value)\"";
    has(&root.run(module)?, "draw")?;
    let mut times = Vec::new();
    for _ in 0..7 {
        // The time inside the root; entering it takes longer than the program.
        let script =
            "a=$(date +%s%N); /opt/venv/bin/outplay --version >/dev/null; b=$(date +%s%N); echo $((b - a))";
        times.push(root.run(script)?.trim().parse::<u128>().unwrap_or(u128::MAX) / 1_000_000);
    }
    let best = times.iter().min().copied().unwrap_or(u128::MAX);
    eprintln!("xtask: `outplay --version` through the wheel takes {best} ms");
    if best > SLOWEST_START {
        return Err(format!("`outplay --version` takes {best} ms; the limit is {SLOWEST_START}"));
    }
    has(
        &root.run(
            "/opt/venv/bin/outplay games | head -n 1; /opt/venv/bin/outplay show nowhere || echo code $?",
        )?,
        "code 2",
    )?;
    root.run("/opt/venv/bin/pip uninstall -q -y outplay numpy; rm -rf /opt/venv/lib/python3*/site-packages/__pycache__")?;
    let left: Vec<String> =
        root.files()?.difference(&before).filter(|path| !path.ends_with(".pyc")).cloned().collect();
    match left.iter().all(|path| path.starts_with("/root/.local/share/outplay/")) {
        true => Ok(()),
        false => Err(format!("after `pip uninstall`, {left:?} are left; only data should be")),
    }
}

/// Downloads Python packages for the root's interpreter, which is this machine's or an older one.
fn wheelhouse(dist: &Dist, names: &[&str]) -> Result<PathBuf, String> {
    crate::python::make_environment()?;
    let wheels = dist.build.join("wheelhouse");
    let python = output(Command::new("chroot").arg(install::target()?.join("dist-test/base")).args([
        "python3",
        "-c",
        "import sys; print('%d.%d' % sys.version_info[:2])",
    ]))?;
    let mut pip = Command::new(crate::python::environment().join("bin/python"));
    pip.args(["-m", "pip", "download", "-q", "--disable-pip-version-check", "--only-binary", ":all:"]);
    pip.args(["--python-version", python.trim(), "--dest"]).arg(&wheels).args(names);
    crate::run_tool("pip", &mut pip)?;
    Ok(wheels)
}

/// Installs the sdist without Rust: refused at once, with a sentence.
fn sdist(dist: &Dist, root: &Root) -> Result<(), String> {
    for file in list(&wheelhouse(dist, &["maturin>=1.9,<2"])?)? {
        root.bring(&file)?;
    }
    let file = root.bring(&dist.package(&format!("outplay-{}.tar.gz", dist.version))?)?;
    root.run("python3 -m venv /opt/venv")?;
    let script = format!("/opt/venv/bin/pip install --no-index --find-links /tmp {file} || echo refused");
    let answer = root.run(&script)?;
    has(&answer, "refused")?;
    has(&answer, "cargo is not on the PATH")
}

/// Builds the source archive with this machine's Rust, mounted in the root.
fn source(dist: &Dist, root: &Root) -> Result<(), String> {
    let file = root.bring(&dist.package("-source.tar.xz")?)?;
    let rust = output(Command::new("rustc").args(["--print", "sysroot"]))?;
    let mount = format!("mkdir -p \"$0/opt/rust\"; mount --bind -o ro '{}' \"$0/opt/rust\";", rust.trim());
    let answer = root.run_after(
        &mount,
        &format!(
            "mkdir /tmp/build; cd /tmp/build; tar -xJf {file}; cd outplay-*; PATH=/opt/rust/bin:$PATH
             cargo build --offline --locked --release --quiet --bin outplay; ./target/release/outplay --version"
        ),
    )?;
    has(&answer, &format!("outplay {} ({}", dist.version, &dist.commit[..10]))
}

/// Packs every crate of the library as a registry would get it once `publish = false` is gone (docs/releasing.md). The
/// source archive has shown that they build.
fn crates(dist: &Dist) -> Result<(), String> {
    let folder = checkout(dist, &fresh(&dist.build.join("stage").join("crates"))?, "outplay")?;
    let manifest = folder.join("Cargo.toml");
    let text = fs::read_to_string(&manifest).map_err(|error| format!("{}: {error}", manifest.display()))?;
    write(&manifest, text.replace("\npublish = false\n", "\npublish = true\n"))?;
    let _ = fs::remove_dir_all(dist.build.join("package"));
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args([
        "package",
        "--locked",
        "--allow-dirty",
        "--no-verify",
        "--quiet",
        "--workspace",
        "--target-dir",
    ]);
    cargo.arg(&dist.build);
    for name in NOT_PUBLISHED {
        cargo.args(["--exclude", name]);
    }
    crate::run_tool("cargo package", cargo.current_dir(&folder))?;
    let packed = list(&dist.build.join("package"))?;
    let packed: Vec<&PathBuf> =
        packed.iter().filter(|path| path.extension().is_some_and(|ending| ending == "crate")).collect();
    let largest = packed.iter().map(|path| super::size(path)).max().unwrap_or(0);
    eprintln!("xtask: {} crates; the largest has {:.1} MB", packed.len(), largest as f64 / 1e6);
    match largest {
        0 => Err("cargo package left no crate".into()),
        // The limit of crates.io.
        1..=10_000_000 => Ok(()),
        _ => Err(format!("a crate has {largest} bytes; registries accept 10 MB")),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_first_command_of_a_readme_is_found() {
        let readme =
            "# outplay\n\n```console\n$ cargo install --path .\n$ outplay show connect4   # 0.1 s\n```\n";
        assert_eq!(super::first_command(readme).as_deref(), Some("outplay show connect4"));
        assert_eq!(super::first_command("nothing"), None);
    }
}
