//! A clean Debian root: a system in which a package is installed for the first time.
//!
//! debootstrap creates the root directory from the mirror that this machine's apt uses; after that, the test has no
//! network. It needs root privileges and changes nothing outside target/dist-test.

use super::{fresh, output, write};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Packages of the root: `man`, Python, and what a build from source needs beside Rust.
const PACKAGES: &str = "man-db,python3-venv,gcc,libc6-dev,xz-utils";

/// Makes the root that all tests copy.
pub(super) fn base(place: &Path) -> Result<PathBuf, String> {
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
pub(super) struct Root(PathBuf);

impl Root {
    pub(super) fn new(base: &Path, place: &Path) -> Result<Root, String> {
        let _ = fs::remove_dir_all(place);
        output(Command::new("cp").args(["-a", "--reflink=auto"]).arg(base).arg(place))?;
        Ok(Root(place.to_path_buf()))
    }

    /// Puts a package into the root, as /tmp/NAME.
    pub(super) fn bring(&self, file: &Path) -> Result<String, String> {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        fs::copy(file, self.0.join("tmp").join(&name))
            .map_err(|error| format!("cannot copy {}: {error}", file.display()))?;
        Ok(format!("/tmp/{name}"))
    }

    /// Runs a script in the root and returns its output; `outside` runs before, outside the root.
    pub(super) fn run_after(&self, outside: &str, script: &str) -> Result<String, String> {
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

    pub(super) fn run(&self, script: &str) -> Result<String, String> {
        self.run_after("", script)
    }

    /// All files, but for temporary ones and for caches, logs and databases of the system.
    pub(super) fn files(&self) -> Result<BTreeSet<String>, String> {
        let script = "find / -xdev \\( -path /proc -o -path /tmp -o -path /var/cache -o -path /var/log -o -path \
                      /var/lib/dpkg -o -path /var/lib/apt \\) -prune -o ! -type d -print";
        Ok(self.run(script)?.lines().map(str::to_string).collect())
    }

    /// Checks that every file that was not there before is data, and with `data` that there is some.
    pub(super) fn only_data_since(&self, before: &BTreeSet<String>, data: bool) -> Result<(), String> {
        let now = self.files()?;
        let left: Vec<&String> = now.difference(before).filter(|path| !path.ends_with(".pyc")).collect();
        let is_data = |path: &&&String| path.starts_with("/root/.local/share/outplay/");
        match left.iter().all(|path| is_data(&path)) && (!left.is_empty() || !data) {
            true => Ok(()),
            false => Err(format!("{left:?} are left after the removal; only data should be")),
        }
    }
}
