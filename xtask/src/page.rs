//! Checks of the page's scripts: prettier, eslint, the TypeScript compiler and unit tests under node.
//!
//! The tools are npm packages, pinned by crates/serve/page-tools/package-lock.json and installed beside it. Building the
//! program needs none of them.

use crate::Count;
use std::path::Path;
use std::process::Command;

/// Checks that run before the tests, with their npm scripts.
const CHECKS: [(&str, &str); 3] = [("prettier", "format:check"), ("eslint", "lint"), ("tsc", "types")];

/// Installs missing tools, checks the scripts and runs their tests.
pub(crate) fn test(count: &mut Count) -> Result<(), String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().ok_or("xtask has no parent directory")?;
    let tools = root.join("crates/serve/page-tools");
    install_node()?;
    install_packages(&tools)?;
    for (name, script) in CHECKS {
        let mut npm = Command::new("npm");
        crate::run_tool(name, npm.args(["run", "--silent", script]).current_dir(&tools))?;
    }
    let mut node = Command::new("node");
    node.args(["--test", "--test-reporter=spec"]).args(tests(&tools)?).current_dir(&tools);
    crate::run_tests("node", &mut node, count, Count::add_node)
}

/// Installs node and npm if they are missing (Debian-based systems only).
fn install_node() -> Result<(), String> {
    let works = || ["node", "npm"].iter().all(|program| crate::silently((program, &["--version"])));
    if works() {
        return Ok(());
    }
    eprintln!("xtask: installing node and npm, which check the page's scripts");
    let install = ["apt-get", "install", "-y", "--no-install-recommends", "nodejs", "npm"];
    let installed =
        crate::asked(&install) || (crate::asked(&["apt-get", "update"]) && crate::asked(&install));
    if installed && works() {
        return Ok(());
    }
    Err("node or npm is missing and `apt-get install nodejs npm` does not work here; install node 18.19 or later with \
         npm, and try again"
        .into())
}

/// Installs the packages of the lock file, unless they are installed already.
fn install_packages(tools: &Path) -> Result<(), String> {
    let wanted = tools.join("package-lock.json");
    // A copy of the lock file marks a complete installation.
    let installed = tools.join("node_modules/.installed-lock.json");
    let read = |path: &Path| std::fs::read(path).ok();
    if read(&wanted).is_some_and(|lock| read(&installed) == Some(lock)) {
        return Ok(());
    }
    crate::run_tool("npm", Command::new("npm").arg("ci").current_dir(tools))?;
    std::fs::copy(&wanted, &installed)
        .map(drop)
        .map_err(|error| format!("cannot write {}: {error}", installed.display()))
}

/// Lists the test files; versions of node differ in how they discover them.
fn tests(tools: &Path) -> Result<Vec<String>, String> {
    let folder = std::fs::read_dir(tools.join("test"))
        .map_err(|error| format!("cannot list the tests of the page: {error}"))?;
    let names = folder.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut files: Vec<String> =
        names.filter(|name| name.ends_with(".test.js")).map(|name| format!("test/{name}")).collect();
    files.sort_unstable();
    Ok(files)
}
