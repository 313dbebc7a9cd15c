//! Checks of the invariants of ARCHITECTURE.md against the source tree.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The rows of the map, from the vocabulary to development. A crate depends only on rows above its own, or on crates
/// before it in its row.
const ROWS: &[(&str, &[&str])] = &[
    ("vocabulary", &["runtime", "files", "core", "index", "games"]),
    ("kernels", &["solve", "bitplane", "search", "connect", "patterns", "proof", "check"]),
    ("storage", &["table", "dataset"]),
    ("play", &["players", "protocol"]),
    ("workbench", &["workbench", "catalog"]),
    ("knowledge", &["teach", "arena", "experiments"]),
    // `cluster` and `python` come after `cli`: the first runs it on all ranks, the wheel of the second has it as program.
    ("interfaces", &["tui", "serve", "cli", "cluster", "python"]),
    ("development", &["bench"]),
];

/// Crates that kernels may use.
const BELOW_KERNELS: &[&str] = &["runtime", "core", "index"];

/// Sources that open files, each with its reason.
const OPENS_FILES: &[&str] = &[
    "arena/src/record.rs",      // creates the record of a match
    "arena/src/tune/labels.rs", // creates the folder of labels
    "bench/",                   // a development tool
    "bitplane/src/arena.rs",    // reads /proc/meminfo
    "cli/src/serving.rs",       // reads the access token
    "cli/src/usage.rs",         // reads /proc
    "connect/src/author.rs",    // opening books
    "connect/src/book.rs",      // opening books
    "dataset/",                 // exported rows
    "files/",                   // small files
    "protocol/src/child.rs",    // pipes of engines
    "protocol/src/reader.rs",   // pipes of engines
    "serve/src/quota.rs",       // moves tables of guests
    "serve/src/page.rs",        // debug builds read the page from its folder
    "serve/src/settings.rs",    // reads /proc/self/limits
    "table/",                   // values on disk
    "workbench/src/export/",    // exported rows
    "workbench/src/rates.rs",   // measures the disk
    "workbench/src/results.rs", // lists kept results
];

/// Modules with `unsafe` code: kernels only; each block has a `SAFETY` comment.
const UNSAFE: &[&str] = &[
    "bitplane/",
    "connect/src/search.rs",
    "connect/src/table.rs",
    "index/src/bits.rs",
    "table/src/cell.rs",
    "table/src/codec/find.rs",
    "table/src/codec/fit.rs",
    "table/src/codec/lanes.rs",
];

/// Sources that print; all others return their output.
const PRINTS: &[&str] = &["cli/", "cluster/", "serve/src/net/headers.rs"];

/// Sources that start programs.
const STARTS_PROGRAMS: &[&str] = &["protocol/src/child.rs"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The manifest of every crate by its short name.
fn manifests() -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(root().join("crates")).expect("crates").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if let Ok(text) = fs::read_to_string(entry.path().join("Cargo.toml")) {
            found.insert(name, text);
        }
    }
    for name in ["bench", "python"] {
        let manifest = root().join(name).join("Cargo.toml");
        found.insert(name.into(), fs::read_to_string(manifest).expect("a manifest"));
    }
    found
}

/// The crates of this workspace that a manifest depends on, without dev-dependencies.
fn dependencies(manifest: &str) -> Vec<&str> {
    let mut section = "";
    let mut found = Vec::new();
    for line in manifest.lines() {
        if line.starts_with('[') {
            section = line.trim();
        }
        let ours = line.strip_prefix("outplay-").and_then(|rest| rest.split(['.', ' ', '=']).next());
        if let (true, Some(name)) = (section.ends_with("dependencies]") && !section.contains("dev-"), ours) {
            found.push(name);
        }
    }
    found
}

/// The place of a crate: its row and its position in the row.
fn place(name: &str) -> (usize, usize) {
    let found = ROWS
        .iter()
        .enumerate()
        .find_map(|(row, (_, names))| names.iter().position(|known| *known == name).map(|at| (row, at)));
    found.unwrap_or_else(|| panic!("`{name}` has no row in ARCHITECTURE.md and xtask/src/architecture.rs"))
}

/// Every source file under `crates/*/src`, by its path below `crates/`, without tests and comments.
fn sources() -> Vec<(String, String)> {
    let mut files = Vec::new();
    let mut folders: Vec<PathBuf> = fs::read_dir(root().join("crates"))
        .expect("crates")
        .flatten()
        .map(|entry| entry.path().join("src"))
        .collect();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                files.push(path);
            }
        }
    }
    let only_tests = test_modules(&files);
    files.retain(|path| !only_tests.contains(path));
    let below = root().join("crates");
    let read = |path: &PathBuf| {
        let text = fs::read_to_string(path).expect("a source file");
        (path.strip_prefix(&below).expect("below crates").to_string_lossy().into_owned(), code(&text))
    };
    files.iter().map(read).collect()
}

/// Modules that are compiled for tests only: `#[cfg(test)]` before `mod name;`.
fn test_modules(files: &[PathBuf]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for path in files {
        let text = fs::read_to_string(path).expect("a source file");
        let folder = path.parent().expect("a folder");
        for pair in text.lines().collect::<Vec<_>>().windows(2) {
            let name = pair[1].trim().strip_prefix("mod ").and_then(|rest| rest.strip_suffix(';'));
            if let (true, Some(name)) = (pair[0].trim() == "#[cfg(test)]", name) {
                found.push(folder.join(format!("{name}.rs")));
            }
        }
    }
    found
}

/// A source without its tests, which come last, and without comments.
fn code(text: &str) -> String {
    let end = text.find("#[cfg(test)]\nmod tests {").unwrap_or(text.len());
    let lines = text[..end].lines().map(|line| line.split("//").next().unwrap_or_default());
    lines.collect::<Vec<_>>().join("\n")
}

/// Sources outside `allowed` that contain one of these words.
fn offenders(words: &[&str], allowed: &[&str]) -> Vec<String> {
    let bad = |(path, text): &(String, String)| {
        words.iter().any(|word| text.contains(word)) && !allowed.iter().any(|start| path.starts_with(start))
    };
    sources().iter().filter(|source| bad(source)).map(|(path, _)| path.clone()).collect()
}

#[test]
fn crates_depend_only_on_rows_above() {
    for (name, manifest) in &manifests() {
        for dependency in dependencies(manifest) {
            assert!(place(dependency) < place(name), "`{name}` depends on `{dependency}`");
        }
    }
}

#[test]
fn there_are_at_most_25_crates() {
    let crates = fs::read_dir(root().join("crates")).expect("crates").count();
    assert!(crates <= 25, "{crates} crates");
}

#[test]
fn kernels_do_not_know_each_other() {
    let manifests = manifests();
    let (_, kernels) = ROWS.iter().find(|(row, _)| *row == "kernels").expect("kernels");
    for name in *kernels {
        for dependency in dependencies(&manifests[*name]) {
            assert!(BELOW_KERNELS.contains(&dependency), "`{name}` depends on `{dependency}`");
        }
    }
}

#[test]
fn storage_knows_no_game_and_no_solver() {
    let manifests = manifests();
    for name in ["table", "dataset"] {
        let known = ["runtime", "files", "core"];
        let foreign = dependencies(&manifests[name]).into_iter().find(|name| !known.contains(name));
        assert_eq!(foreign, None, "{name}");
    }
}

#[test]
fn only_listed_sources_open_files() {
    let words = ["std::fs", "fs::File", "File::open", "File::create", "OpenOptions"];
    assert_eq!(offenders(&words, OPENS_FILES), Vec::<String>::new());
}

#[test]
fn only_kernels_are_unsafe() {
    let words = ["unsafe {", "unsafe fn", "unsafe impl", "allow(unsafe_code", "expect(unsafe_code"];
    assert_eq!(offenders(&words, UNSAFE), Vec::<String>::new());
    let used = |start: &&str| {
        sources().iter().any(|(path, text)| path.starts_with(*start) && text.contains("unsafe_code"))
    };
    let unused: Vec<&&str> = UNSAFE.iter().filter(|start| !used(start)).collect();
    assert!(unused.is_empty(), "listed and without unsafe code: {unused:?}");
}

#[test]
fn nothing_below_the_interfaces_prints() {
    assert_eq!(offenders(&["println!", "print!(", "eprint!(", "dbg!("], PRINTS), Vec::<String>::new());
}

#[test]
fn only_protocol_starts_programs() {
    assert_eq!(offenders(&["Command::new"], STARTS_PROGRAMS), Vec::<String>::new());
}

#[test]
fn the_map_names_every_crate() {
    let map = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    for name in manifests().keys() {
        assert!(map.contains(&format!("`{name}`")), "ARCHITECTURE.md does not name `{name}`");
    }
}

#[test]
fn files_named_by_the_map_exist() {
    let map = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let paths = map.split('`').filter(|word| word.contains('/') && word.contains('.') && !word.contains(' '));
    let missing: Vec<&str> = paths
        .filter(|path| !path.contains(['*', '{', '<', ':']) && !path.starts_with("--"))
        .filter(|path| !root().join(path).exists() && !root().join("crates").join(path).exists())
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}
