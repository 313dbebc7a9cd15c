//! Tests of the Python package: builds the wheel in a virtual environment below the target directory, then runs pytest
//! (with the notebooks) and mypy.

use crate::Count;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Maximum size of the wheel in bytes.
const LARGEST: u64 = 15_000_000;

/// Builds the wheel and runs its tests.
pub(crate) fn test(count: &mut Count) -> Result<(), String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().ok_or("xtask has no parent directory")?;
    let package = root.join("python");
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let target =
        std::path::absolute(target).map_err(|error| format!("cannot find the target directory: {error}"))?;
    let home = target.join("python");
    let tools = home.join("venv").join("bin");
    make_environment(&home)?;
    let pip = |words: &[&str]| {
        crate::run_tool(
            "pip",
            Command::new(tools.join("python")).args(["-m", "pip", "install", "-q"]).args(words),
        )
    };
    // Other dependencies are listed in the package itself.
    pip(&["maturin", "--disable-pip-version-check"])?;
    let wheels = home.join("wheels");
    // Otherwise the wheel of an earlier build could be tested.
    let _ = std::fs::remove_dir_all(&wheels);
    // The dev profile: kernels are optimised in it, and all crates but one are already compiled for the other tests.
    let mut build = Command::new(tools.join("maturin"));
    build.args(["build", "--profile", "dev", "--out"]).arg(&wheels).current_dir(&package);
    crate::run_tool(
        "the wheel",
        build.env("CARGO_TARGET_DIR", &target).env("PYO3_PYTHON", tools.join("python")),
    )?;
    let wheel = std::fs::read_dir(&wheels).ok().and_then(|mut files| files.next()?.ok());
    let wheel = wheel.ok_or("maturin left no wheel")?.path();
    let bytes = wheel.metadata().map_or(0, |about| about.len());
    if bytes > LARGEST {
        return Err(format!("the wheel has {bytes} bytes; the limit is {LARGEST}"));
    }
    let tested = format!("{}[test]", wheel.display());
    pip(&[&tested, "--disable-pip-version-check"])?;
    // The version does not change between builds, so pip needs `--force-reinstall`.
    pip(&["--force-reinstall", "--no-deps", &wheel.display().to_string()])?;
    // Runs outside the source directory, which has no compiled module.
    let mut pytest = Command::new(tools.join("pytest"));
    pytest
        .arg(package.join("tests"))
        .arg("-c")
        .arg(package.join("pyproject.toml"))
        .args(["-p", "no:cacheprovider"]);
    crate::run_tests("pytest", pytest.current_dir(&home), count, Count::add_pytest)?;
    crate::run_tool(
        "mypy",
        Command::new(tools.join("mypy")).args(["--cache-dir"]).arg(home.join("mypy")).current_dir(&package),
    )
}

/// Creates the virtual environment if it does not exist.
fn make_environment(home: &Path) -> Result<(), String> {
    let python = home.join("venv").join("bin").join("python");
    let works = |command: &mut Command| {
        command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
    };
    if works(Command::new(&python).args(["-m", "pip", "--version"])) {
        return Ok(());
    }
    std::fs::create_dir_all(home).map_err(|error| format!("cannot create {}: {error}", home.display()))?;
    let make = || works(Command::new("python3").args(["-m", "venv", "--clear"]).arg(home.join("venv")));
    let install = ["apt-get", "install", "-y", "--no-install-recommends", "python3", "python3-venv"];
    if make() || (crate::asked(&install) && make()) {
        return Ok(());
    }
    Err("Python 3.10 or later with the venv module is missing; install it and try again".into())
}
