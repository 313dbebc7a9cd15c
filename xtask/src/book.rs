//! The documentation site: mdBook renders docs/ into target/book.
//!
//! The checks of links and anchors (`links.rs`) need no mdBook.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The version of mdBook that the pages are rendered with.
const VERSION: &str = "0.5.4";

/// Installs mdBook below the target directory if it is missing, and builds the site.
pub(crate) fn build() -> Result<(), String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().ok_or("xtask has no parent directory")?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let target =
        std::path::absolute(target).map_err(|error| format!("cannot find the target directory: {error}"))?;
    let tools = target.join("tools");
    let program = tools.join("bin/mdbook");
    if !program.exists() {
        eprintln!("xtask: mdBook {VERSION} is missing; cargo compiles it into {} (minutes)", tools.display());
        let mut install = Command::new(env!("CARGO"));
        install.args(["install", "mdbook", "--version", VERSION, "--locked", "--no-default-features"]);
        install.args(["--features", "search", "--root"]).arg(&tools);
        crate::run_tool("mdBook", &mut install)?;
    }
    let book = target.join("book");
    crate::run_tool("the site", Command::new(program).arg("build").arg(root).arg("--dest-dir").arg(&book))?;
    eprintln!("xtask: open {}", book.join("index.html").display());
    Ok(())
}
