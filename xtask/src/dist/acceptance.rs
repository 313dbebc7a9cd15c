//! `cargo xtask dist --test`: installs and runs every package in a clean Debian root, as on a machine without this
//! checkout.

use super::clean_root::{Root, base};
use super::contents::Contents;
use super::{Dist, checkout, deb, fresh, list, output, size, write};
use crate::install;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;

/// Maximum time of `outplay --version` through the wheel, in milliseconds.
const SLOWEST_START: u128 = 150;

/// Members of the workspace that are not for a registry.
const NOT_PUBLISHED: [&str; 5] =
    ["outplay-bench", "outplay-browser", "outplay-cluster", "outplay-python", "xtask"];

/// Maximum size of a crate in bytes: that of crates.io.
const LARGEST_CRATE: u64 = 10_000_000;

/// Cargo's configuration for the vendored crates of the source archive, unpacked to /tmp/source.
const VENDORED: &str = "[source.crates-io]\\nreplace-with = \"vendored\"\\n\
    [source.vendored]\\ndirectory = \"/tmp/source/vendor\"\\n[net]\\noffline = true\\n";

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
        ("the sdist without Rust", sdist_without_rust),
        ("the source archive and the sdist without a network", sources),
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

/// Checks that a text has a part.
fn has(text: &str, part: &str) -> Result<(), String> {
    match text.contains(part) {
        true => Ok(()),
        false => Err(format!("expected `{part}` in:\n{text}")),
    }
}

/// Prints how long users wait.
fn waited(start: Instant, what: &str) {
    eprintln!("xtask: {:.1} s {what}", start.elapsed().as_secs_f64());
}

/// The version line that every package prints.
fn version_line(dist: &Dist) -> String {
    format!("outplay {} ({}", dist.version, &dist.commit[..10])
}

/// Installs, upgrades from an older version, runs the README's commands, and removes; only data is left.
fn debian(dist: &Dist, root: &Root) -> Result<(), String> {
    let before = root.files()?;
    let readme =
        fs::read_to_string(dist.root.join("README.md")).map_err(|error| format!("README.md: {error}"))?;
    let commands = commands(&readme);
    let first = commands.first().ok_or("README.md has no command")?;
    let new = root.bring(&dist.package(".deb")?)?;
    let start = Instant::now();
    let answer = root
        .run(&format!("apt-get install -qq {new} >/tmp/log 2>&1 || {{ cat /tmp/log; exit 1; }}; {first}"))?;
    waited(start, &format!("to install the Debian package and to run `{first}`:\n{answer}"));
    root.run("apt-get purge -qq outplay 2>&1")?;
    root.only_data_since(&before, true)?;

    let old = fresh(&dist.build.join("stage").join("old"))?;
    let contents = Contents::new(dist)?;
    deb::write_package(dist, &contents, "0.0.1", &old)?;
    let old = root.bring(&list(&old)?.pop().ok_or("no older package")?)?;
    root.run(&format!("apt-get install -qq {old} 2>&1; outplay solve tictactoe --quiet"))?;
    root.run(&format!("apt-get install -qq {new} 2>&1"))?;
    has(&root.run("dpkg-query -W outplay")?, &format!("outplay\t{}", dist.version))?;
    has(&root.run("outplay tables")?, "tictactoe")?;
    has(&root.run("outplay --version")?, &version_line(dist))?;
    has(&root.run("man outplay | cat")?, "outplay")?;
    has(&root.run("man outplay-solve | cat")?, "outplay-solve")?;
    has(&root.run("man 7 outplay-exit-codes | cat")?, "exit code")?;
    root.run("bash -c '. /usr/share/bash-completion/completions/outplay; complete -p outplay'")?;
    for path in [
        "applications/outplay.desktop",
        "zsh/vendor-completions/_outplay",
        "fish/vendor_completions.d/outplay.fish",
        "doc/outplay/copyright",
    ] {
        root.run(&format!("test -s /usr/share/{path}"))?;
    }
    // Some write files beside them.
    root.run("mkdir /tmp/work; cp -r /usr/share/doc/outplay/examples /tmp/work")?;
    for command in &commands {
        let start = Instant::now();
        root.run(&format!("cd /tmp/work; {command}"))?;
        waited(start, &format!("for `{command}`"));
    }
    root.run("apt-get purge -qq outplay 2>&1")?;
    root.only_data_since(&before, true)
}

/// The command lines of the program in a README, in order: blocks that can be run, with the program installed.
fn commands(readme: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut runs = false;
    for line in readme.lines() {
        if let Some(block) = line.strip_prefix("```") {
            runs = block == "console";
        }
        let Some(command) = line.strip_prefix("$ ").filter(|_| runs) else { continue };
        let command = command.replace("cargo run --release -- ", "outplay ");
        if command.starts_with("outplay ") {
            found.push(command.split(" #").next().unwrap_or(&command).trim_end().to_string());
        }
    }
    found
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
    let start = Instant::now();
    root.run(&format!("/opt/venv/bin/pip install -q --no-index --find-links /tmp {file}"))?;
    let module = "/opt/venv/bin/python -c \"import outplay; print(outplay.game('tictactoe').start.value)\"";
    has(&root.run(module)?, "draw")?;
    waited(start, "to install the wheel with numpy and to answer from Python");
    has(&root.run("/opt/venv/bin/outplay --version")?, &version_line(dist))?;
    has(&root.run("/opt/venv/bin/outplay solve connect4:5x4")?, "a draw")?;
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
    // The same version again, as an upgrade has it.
    root.run(&format!("/opt/venv/bin/pip install -q --no-index --find-links /tmp --force-reinstall {file}"))?;
    has(&root.run("/opt/venv/bin/outplay tables")?, "connect4:5x4")?;
    root.run("/opt/venv/bin/pip uninstall -q -y outplay numpy")?;
    root.only_data_since(&before, true)
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

/// Puts the sdist and what building it needs into the root, and makes a virtual environment.
fn bring_sdist(dist: &Dist, root: &Root) -> Result<String, String> {
    for file in list(&wheelhouse(dist, &["maturin>=1.9,<2", "numpy>=1.24"])?)? {
        root.bring(&file)?;
    }
    root.run("python3 -m venv /opt/venv")?;
    root.bring(&dist.package(&format!("outplay-{}.tar.gz", dist.version))?)
}

/// Installs the sdist without Rust: refused at once, with a sentence.
fn sdist_without_rust(dist: &Dist, root: &Root) -> Result<(), String> {
    let file = bring_sdist(dist, root)?;
    let script = format!("/opt/venv/bin/pip install --no-index --find-links /tmp {file} || echo refused");
    let answer = root.run(&script)?;
    has(&answer, "refused")?;
    has(&answer, "cargo is not on the PATH")
}

/// Builds the source archive and the sdist with this machine's Rust, mounted in the root, and the vendored crates.
fn sources(dist: &Dist, root: &Root) -> Result<(), String> {
    let file = root.bring(&dist.package("-source.tar.xz")?)?;
    let sdist = bring_sdist(dist, root)?;
    let rust = output(Command::new("rustc").args(["--print", "sysroot"]))?;
    let mount = format!("mkdir -p \"$0/opt/rust\"; mount --bind -o ro '{}' \"$0/opt/rust\";", rust.trim());
    let build = |script: &str| root.run_after(&mount, &format!("PATH=/opt/rust/bin:$PATH; {script}"));
    let start = Instant::now();
    let answer = build(&format!(
        "mkdir /tmp/source; cd /tmp/source; tar -xJf {file} --strip-components 1
         cargo install --path . --offline --quiet --root /usr/local; cargo clean --quiet; outplay --version"
    ))?;
    has(&answer, &version_line(dist))?;
    crate::took("`cargo install` from the source archive", start);
    let start = Instant::now();
    let answer = build(&format!(
        "mkdir -p /root/.cargo; printf '{VENDORED}' > /root/.cargo/config.toml
         /opt/venv/bin/pip install -q --no-index --find-links /tmp {sdist}; /opt/venv/bin/outplay --version"
    ))?;
    has(&answer, &format!("outplay {} (", dist.version))?;
    crate::took("`pip install` of the sdist", start);
    Ok(())
}

/// Packs and builds every crate of the library as a registry would get it once `publish = false` is gone
/// (docs/releasing.md).
fn crates(dist: &Dist) -> Result<(), String> {
    let folder = checkout(dist, &fresh(&dist.build.join("stage").join("crates"))?, "outplay")?;
    let manifest = folder.join("Cargo.toml");
    let text = fs::read_to_string(&manifest).map_err(|error| format!("{}: {error}", manifest.display()))?;
    write(&manifest, text.replace("\npublish = false\n", "\npublish = true\n"))?;
    let _ = fs::remove_dir_all(dist.build.join("package"));
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["package", "--locked", "--allow-dirty", "--quiet", "--workspace", "--target-dir"]);
    cargo.arg(&dist.build);
    for name in NOT_PUBLISHED {
        cargo.args(["--exclude", name]);
    }
    crate::run_tool("cargo package", cargo.current_dir(&folder))?;
    let packed = list(&dist.build.join("package"))?;
    let packed: Vec<&PathBuf> =
        packed.iter().filter(|path| path.extension().is_some_and(|ending| ending == "crate")).collect();
    let largest = packed.iter().map(|path| size(path)).max().unwrap_or(0);
    eprintln!("xtask: {} crates; the largest has {:.1} MB", packed.len(), largest as f64 / 1e6);
    match largest {
        0 => Err("cargo package left no crate".into()),
        1..=LARGEST_CRATE => Ok(()),
        _ => Err(format!("a crate has {largest} bytes; registries accept {LARGEST_CRATE}")),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_commands_of_a_readme_are_found() {
        let readme = "# outplay\n\n```console\n$ cargo run --release -- solve connect4\na draw\n```\n\n\
                      ```console shown: long\n$ outplay serve\n```\n\n```console\n$ cargo install --path .\n\
                      $ outplay show connect4   # 0.1 s\n```\n";
        assert_eq!(super::commands(readme), ["outplay solve connect4", "outplay show connect4"]);
        assert!(super::commands("$ outplay show").is_empty());
    }
}
