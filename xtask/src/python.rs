//! Tests of the Python package: builds the wheel in a virtual environment below the target directory, then runs pytest
//! (with the notebooks) and mypy.

use crate::count::Count;
use crate::install::{root, run_quietly, target, works};
use std::path::PathBuf;
use std::process::Command;

/// The virtual environment.
pub(crate) fn environment() -> PathBuf {
    target().unwrap_or_default().join("python").join("venv")
}

/// Whether the virtual environment has what the tests run.
pub(crate) fn has_environment() -> bool {
    ["python", "maturin", "pytest", "mypy"].iter().all(|tool| environment().join("bin").join(tool).exists())
}

/// Builds the wheel and runs its tests.
pub(crate) fn test(count: &mut Count) -> Result<(), String> {
    let package = root()?.join("python");
    let target = target()?;
    let home = target.join("python");
    let tools = environment().join("bin");
    make_environment()?;
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
pub(crate) fn make_environment() -> Result<(), String> {
    let home = environment();
    let python = home.join("bin").join("python").display().to_string();
    if works(&python, &["-m", "pip", "--version"]) {
        return Ok(());
    }
    run_quietly("python3", &["-m", "venv", "--clear", &home.display().to_string()])
}
