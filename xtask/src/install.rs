//! Check and installation of the tools that the tests need besides Rust and a C compiler.
//!
//! The program prints everything that is missing, with the reason, before it runs the first command. With
//! `--no-install` it installs nothing and returns the list as an error. Commands run quietly; the output of a command
//! that fails is shown.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Something that tests need.
pub(crate) struct Need {
    name: &'static str,
    why: &'static str,
    is_there: fn() -> bool,
    source: Source,
}

/// Where a missing thing comes from.
enum Source {
    /// A component of the Rust toolchain.
    Component(&'static str),
    /// Another Rust toolchain.
    Toolchain(fn() -> Result<String, String>),
    /// Packages of Debian and its derivatives.
    Packages(&'static [&'static str]),
    /// npm packages, into the checkout.
    Npm,
    /// A virtual environment with Python packages, in the target directory.
    PythonEnvironment,
}

/// Names under which distributions install the browser that the page is tested in.
const BROWSERS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

pub(crate) const RUSTFMT: Need = Need {
    name: "rustfmt",
    why: "checks the formatting",
    is_there: || works(env!("CARGO"), &["fmt", "--version"]),
    source: Source::Component("rustfmt"),
};
pub(crate) const CLIPPY: Need = Need {
    name: "clippy",
    why: "checks the code",
    is_there: || works(env!("CARGO"), &["clippy", "--version"]),
    source: Source::Component("clippy"),
};
pub(crate) const OLDEST_RUST: Need = Need {
    name: "the oldest Rust toolchain",
    why: "`rust-version` promises that it builds this tree",
    is_there: || {
        crate::msrv::version().is_ok_and(|version| works("rustup", &["run", &version, "cargo", "-V"]))
    },
    source: Source::Toolchain(crate::msrv::version),
};
pub(crate) const BROWSER: Need = Need {
    name: "Chromium",
    why: "the page is tested in it; another browser of its kind can be named in OUTPLAY_CHROMIUM",
    is_there: || {
        std::env::var_os("OUTPLAY_CHROMIUM").is_some()
            || BROWSERS.iter().any(|name| works(name, &["--version"]))
    },
    source: Source::Packages(&["chromium"]),
};
pub(crate) const MPI: Need = Need {
    name: "Open MPI and libclang",
    why: "outplay-mpi, the program for clusters, is built with them",
    is_there: || {
        let clang = "ldconfig -p | grep -q libclang || ls /usr/lib/llvm-*/lib/libclang*.so*";
        works("mpicc", &["--version"])
            && works("mpirun", &["--version"])
            && (std::env::var_os("LIBCLANG_PATH").is_some() || works("sh", &["-c", clang]))
    },
    source: Source::Packages(&["libopenmpi-dev", "openmpi-bin", "libclang-dev"]),
};
pub(crate) const NODE: Need = Need {
    name: "node 18.19 or later and npm",
    why: "check the page's scripts",
    is_there: || ["node", "npm"].iter().all(|program| works(program, &["--version"])),
    source: Source::Packages(&["nodejs", "npm"]),
};
pub(crate) const NPM_PACKAGES: Need = Need {
    name: "prettier, eslint and the TypeScript compiler",
    why: "check the page's scripts",
    is_there: crate::page::has_packages,
    source: Source::Npm,
};
pub(crate) const PYTHON: Need = Need {
    name: "Python 3.10 or later with venv",
    why: "tests the Python package",
    is_there: || {
        works("python3", &["-c", "import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 10))"])
    },
    source: Source::Packages(&["python3", "python3-venv"]),
};
pub(crate) const PYTHON_PACKAGES: Need = Need {
    name: "maturin, pytest, mypy and the libraries that the Python package works with",
    why: "build and test the Python package",
    is_there: crate::python::has_environment,
    source: Source::PythonEnvironment,
};
pub(crate) const DEBOOTSTRAP: Need = Need {
    name: "debootstrap",
    why: "makes the clean Debian root in which packages are tested",
    is_there: || Path::new("/usr/sbin/debootstrap").exists(),
    source: Source::Packages(&["debootstrap"]),
};

impl Need {
    /// The command that installs it, for people.
    fn command(&self) -> Result<String, String> {
        Ok(match &self.source {
            Source::Component(name) => format!("rustup component add {name}"),
            Source::Toolchain(version) => format!("rustup toolchain install {}", version()?),
            Source::Packages(names) => apt(names).join(" "),
            Source::Npm => "npm ci, in crates/serve/page-tools".into(),
            Source::PythonEnvironment => {
                format!("pip install, into {}", crate::python::environment().display())
            }
        })
    }

    fn install(&self) -> Result<(), String> {
        match &self.source {
            Source::Component(name) => run_quietly("rustup", &["component", "add", name]),
            Source::Toolchain(version) => {
                run_quietly("rustup", &["toolchain", "install", &version()?, "--profile", "minimal"])
            }
            Source::Packages(names) => install_packages(names),
            // Both show their own progress when the tests begin.
            Source::Npm | Source::PythonEnvironment => Ok(()),
        }
    }
}

/// Prints what is missing and why, then installs it; without permission the list is an error.
pub(crate) fn ensure(needs: &[Need], allowed: bool) -> Result<(), String> {
    let missing: Vec<&Need> = needs.iter().filter(|need| !(need.is_there)()).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let mut list = String::new();
    for need in &missing {
        list += &format!("\n  {}: {}\n      {}", need.name, need.why, need.command()?);
    }
    if !allowed {
        return Err(format!("this is missing, and --no-install forbids installing it:{list}"));
    }
    eprintln!("xtask: this is missing and will be installed (--no-install forbids it):{list}");
    for need in missing {
        need.install().map_err(|error| format!("{} cannot be installed here: {error}", need.name))?;
    }
    Ok(())
}

/// Whether a command succeeds. Its output is not shown.
pub(crate) fn works(program: &str, words: &[&str]) -> bool {
    let mut command = Command::new(program);
    command.args(words).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

fn apt(names: &[&'static str]) -> Vec<&'static str> {
    [&["apt-get", "install", "-y", "--no-install-recommends"][..], names].concat()
}

/// Installs Debian packages as root. Package lists may be missing or old: a second attempt follows `apt-get update`.
fn install_packages(names: &[&'static str]) -> Result<(), String> {
    let words = apt(names);
    let as_root = |words: &[&str]| match works("sh", &["-c", "test $(id -u) = 0"]) {
        true => run_quietly(words[0], &words[1..]),
        false => run_quietly("sudo", &[&["-n"], words].concat()),
    };
    as_root(&words).or_else(|_| {
        // An unreachable list is no reason to give up while another one has the package.
        let updated = as_root(&["apt-get", "update"]);
        as_root(&words).map_err(|error| match updated {
            Ok(()) => error,
            Err(before) => format!("{before}\n{error}"),
        })
    })
}

/// Runs a command without showing its output, which is the error if it fails.
pub(crate) fn run_quietly(program: &str, words: &[&str]) -> Result<(), String> {
    let line = [&[program], words].concat().join(" ");
    let output = Command::new(program).args(words).stdin(Stdio::null()).output();
    let output = output.map_err(|error| format!("cannot run `{line}`: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let text = [&output.stdout[..], &output.stderr[..]].concat();
    Err(format!("`{line}` failed:\n{}", String::from_utf8_lossy(&text).trim_end()))
}

/// The root of the checkout.
pub(crate) fn root() -> Result<PathBuf, String> {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .map(Path::to_path_buf)
        .ok_or_else(|| "xtask has no parent".into())
}

/// The target directory of cargo, as an absolute path.
pub(crate) fn target() -> Result<PathBuf, String> {
    let target = match std::env::var_os("CARGO_TARGET_DIR") {
        Some(target) => PathBuf::from(target),
        None => root()?.join("target"),
    };
    std::path::absolute(target).map_err(|error| format!("cannot find the target directory: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ABSENT: Need = Need {
        name: "a tool",
        why: "draws the pictures",
        is_there: || false,
        source: Source::Packages(&["a-tool"]),
    };

    #[test]
    fn without_permission_the_list_is_the_error() {
        let error = ensure(&[RUSTFMT_THERE, ABSENT], false).expect_err("a tool is missing");
        for part in ["--no-install", "a tool: draws the pictures", "apt-get install", "a-tool"] {
            assert!(error.contains(part), "{part}: {error}");
        }
        assert!(!error.contains("rustfmt"), "{error}");
        assert_eq!(ensure(&[RUSTFMT_THERE], false), Ok(()));
    }

    const RUSTFMT_THERE: Need = Need { is_there: || true, ..RUSTFMT };

    #[test]
    fn the_output_of_a_failed_installation_is_shown() {
        let error = run_quietly("sh", &["-c", "echo no such package; exit 100"]).expect_err("exit 100");
        assert!(error.contains("no such package") && error.contains("exit 100"), "{error}");
        assert_eq!(run_quietly("true", &[]), Ok(()));
    }
}
