//! Checks of the page's scripts: prettier, eslint, the TypeScript compiler and unit tests under node.
//!
//! The tools are npm packages, pinned by crates/serve/page-tools/package-lock.json and installed beside it. Building the
//! program needs none of them.

use crate::count::Count;
use crate::install::root;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Checks that run before the tests, with their npm scripts.
const CHECKS: [(&str, &str); 3] = [("prettier", "format:check"), ("eslint", "lint"), ("tsc", "types")];

/// Installs missing packages, checks the scripts and runs their tests.
pub(crate) fn test(count: &mut Count) -> Result<(), String> {
    let tools = tools()?;
    install_packages(&tools)?;
    for (name, script) in CHECKS {
        let mut npm = Command::new("npm");
        crate::run_tool(name, npm.args(["run", "--silent", script]).current_dir(&tools))?;
    }
    let mut node = Command::new("node");
    node.args(["--test", "--test-reporter=spec"]).args(test_files(&tools)?).current_dir(&tools);
    crate::run_tests("node", &mut node, count, Count::add_node)
}

/// The directory of the npm packages.
fn tools() -> Result<PathBuf, String> {
    Ok(root()?.join("crates/serve/page-tools"))
}

/// The copy of the lock file that marks a complete installation.
fn installed_lock(tools: &Path) -> PathBuf {
    tools.join("node_modules/.installed-lock.json")
}

/// Whether the packages of the lock file are installed.
pub(crate) fn has_packages() -> bool {
    let read = |path: PathBuf| std::fs::read(path).ok();
    tools().is_ok_and(|tools| {
        read(tools.join("package-lock.json")).is_some_and(|lock| read(installed_lock(&tools)) == Some(lock))
    })
}

/// Installs the packages of the lock file, unless they are installed already.
fn install_packages(tools: &Path) -> Result<(), String> {
    if has_packages() {
        return Ok(());
    }
    crate::run_tool("npm", Command::new("npm").arg("ci").current_dir(tools))?;
    let mark = installed_lock(tools);
    std::fs::copy(tools.join("package-lock.json"), &mark)
        .map(drop)
        .map_err(|error| format!("cannot write {}: {error}", mark.display()))
}

/// Lists the test files; versions of node differ in how they discover them.
fn test_files(tools: &Path) -> Result<Vec<String>, String> {
    let folder = std::fs::read_dir(tools.join("test"))
        .map_err(|error| format!("cannot list the tests of the page: {error}"))?;
    let names = folder.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut files: Vec<String> =
        names.filter(|name| name.ends_with(".test.js")).map(|name| format!("test/{name}")).collect();
    files.sort_unstable();
    Ok(files)
}
