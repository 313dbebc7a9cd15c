//! Builder of the Debian package.

use super::contents::{Contents, Place, Shell};
use super::{Dist, fresh, output, write};
use std::path::Path;
use std::process::Command;

/// Starts the page's server in a terminal, which prints its address and ends it on Ctrl-C.
const DESKTOP: &str = "[Desktop Entry]\nType=Application\nName=outplay\n\
    Comment=Solve and play two-player games in the browser\nExec=outplay serve\nTerminal=true\n\
    Categories=Game;BoardGame;\n";

/// Writes the package of a version to a directory.
pub(super) fn write_package(
    dist: &Dist,
    contents: &Contents,
    version: &str,
    out: &Path,
) -> Result<(), String> {
    let stage = fresh(&dist.build.join("stage").join("deb"))?;
    let documents = "usr/share/doc/outplay";
    contents.write(&stage, |place| match place {
        Place::Program => "usr/bin/outplay".into(),
        Place::Manual(page) => format!("usr/share/man/{page}"),
        Place::Completion(Shell::Bash) => "usr/share/bash-completion/completions/outplay".into(),
        Place::Completion(shell @ Shell::Fish) => {
            format!("usr/share/fish/vendor_completions.d/{}", shell.file())
        }
        Place::Completion(shell @ Shell::Zsh) => format!("usr/share/zsh/vendor-completions/{}", shell.file()),
        Place::Document("CHANGELOG.md") => format!("{documents}/changelog"),
        Place::Document(name) => format!("{documents}/{name}"),
    })?;
    write(&stage.join("usr/share/applications/outplay.desktop"), DESKTOP)?;
    write(&stage.join(documents).join("copyright"), copyright(dist)?)?;
    // Debian's policy has manual pages and the changelog compressed, without a time.
    let compress = "find usr/share/man usr/share/doc/outplay/changelog -type f -exec gzip -9n {} +";
    output(Command::new("sh").args(["-c", compress]).current_dir(&stage))?;
    let size = output(Command::new("du").args(["-sk", "usr"]).current_dir(&stage))?;
    let size = size.split_whitespace().next().unwrap_or("0");
    write(&stage.join("DEBIAN/control"), control(contents, version, size)?)?;
    let file = out.join(format!("outplay_{version}_{}.deb", architecture()?));
    let mut dpkg = Command::new("dpkg-deb");
    dpkg.args(["--root-owner-group", "-Zxz", "--build"]).arg(&stage).arg(&file);
    crate::run_tool("dpkg-deb", dpkg.env("SOURCE_DATE_EPOCH", &dist.epoch))
}

fn control(contents: &Contents, version: &str, size: &str) -> Result<String, String> {
    Ok(format!(
        "Package: outplay\nVersion: {version}\nArchitecture: {}\nMaintainer: {}\nInstalled-Size: {size}\n\
         Depends: libc6 (>= {}), libgcc-s1\nSection: games\nPriority: optional\n\
         Description: workbench for two-player zero-sum games\n \
         Finds exact values of two-player games of perfect information (Connect Four,\n \
         m,n,k boards, chess endings, morris, games with dice, rules of your own), keeps\n \
         them in tables, proves them, and plays by them in the terminal and in the\n \
         browser.\n",
        architecture()?,
        env!("CARGO_PKG_AUTHORS"),
        contents.glibc
    ))
}

/// The machine-readable copyright file: this project's licences, and where the others are.
fn copyright(dist: &Dist) -> Result<String, String> {
    let read = |name: &str| {
        let path = dist.root.join(name);
        std::fs::read_to_string(&path).map_err(|error| format!("cannot read {}: {error}", path.display()))
    };
    let mit = read("LICENSE-MIT")?;
    let notice = mit.lines().find(|line| line.starts_with("Copyright")).unwrap_or_default();
    let indented = |text: &str| -> String {
        let lines = text
            .lines()
            .map(|line| if line.trim().is_empty() { " .\n".into() } else { format!(" {line}\n") });
        lines.collect()
    };
    Ok(format!(
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: outplay\n\
         Comment: Libraries linked into the program have the licences in {}.\n\nFiles: *\nCopyright: {}\n\
         License: Expat or Apache-2.0\n\nLicense: Expat\n{}\nLicense: Apache-2.0\n{}",
        super::packages::NOTICES,
        notice.trim_start_matches("Copyright (c) "),
        indented(&mit),
        indented(&read("LICENSE-APACHE")?)
    ))
}

/// Debian's name of this machine's architecture.
fn architecture() -> Result<&'static str, String> {
    match std::env::consts::ARCH {
        "x86_64" => Ok("amd64"),
        "aarch64" => Ok("arm64"),
        other => Err(format!("no Debian architecture is known for {other}")),
    }
}
