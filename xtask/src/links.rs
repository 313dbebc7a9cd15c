//! Check of the links in the documents: files and anchors exist, and the site contains every page.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};
use std::{fs, iter};

/// Documents outside docs/ whose links are checked.
const DOCUMENTS: [&str; 7] = [
    "README.md",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "python/README.md",
    "tests/fixtures/README.md",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a parent").to_path_buf()
}

/// Files below a folder with this ending, by their path from the root.
fn below(folder: &str, ending: &str) -> Vec<PathBuf> {
    let (root, mut found) = (root(), Vec::new());
    let mut folders = vec![root.join(folder)];
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
            if path.is_dir() {
                // Packages of node have documents of their own.
                folders.extend((!path.ends_with("node_modules")).then_some(path));
            } else if path.extension().is_some_and(|found| found == ending) {
                found.push(path.strip_prefix(&root).expect("below the root").to_path_buf());
            }
        }
    }
    found.sort();
    found
}

/// All documents by their path from the root.
fn documents() -> BTreeMap<PathBuf, String> {
    let paths = below("docs", "md").into_iter().chain(DOCUMENTS.map(PathBuf::from));
    paths.map(|path| (path.clone(), read(&path))).collect()
}

fn read(path: &Path) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The lines outside fenced code, numbered from 1.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut fenced = false;
    text.lines().enumerate().filter_map(move |(at, line)| {
        let fence = line.trim_start().starts_with("```");
        fenced ^= fence;
        (!fence && !fenced).then_some((at + 1, line))
    })
}

/// A line without its code spans.
fn without_code(line: &str) -> String {
    line.split('`').step_by(2).collect::<Vec<_>>().join("")
}

/// The targets of a line's links and pictures: `[text](target)`, `src="target"`, `href="target"`.
fn targets(line: &str) -> Vec<String> {
    let line = without_code(line);
    let mut found = Vec::new();
    for (begin, end) in [("](", [')', ' ']), ("src=\"", ['"'; 2]), ("href=\"", ['"'; 2])] {
        for rest in line.split(begin).skip(1) {
            found.extend(rest.split(end).next().map(str::to_string));
        }
    }
    found
}

/// A heading's anchor by GitHub's rule: lower case, no punctuation, hyphens for blanks.
fn anchor(heading: &str) -> String {
    let mut plain = String::new();
    // Of a link, the text counts.
    for (at, part) in heading.split("](").enumerate() {
        plain.push_str(if at == 0 { part } else { part.split_once(')').map_or("", |(_, rest)| rest) });
    }
    let kept = plain.trim().chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// The anchors of a document; a heading that occurs again gets a number.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (_, line) in prose(text) {
        let Some((_, heading)) =
            line.split_once("# ").filter(|(level, _)| level.trim_matches('#').is_empty())
        else {
            continue;
        };
        let name = anchor(heading);
        let numbered = (1..).map(|number| format!("{name}-{number}"));
        let free = iter::once(name.clone()).chain(numbered).find(|name| !found.contains(name));
        found.extend(free);
    }
    found
}

/// A path without `.` and `..`; none if it leaves the tree.
fn normal(path: &Path) -> Option<PathBuf> {
    let mut parts = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                if !parts.pop() {
                    return None;
                }
            }
            part => parts.push(part),
        }
    }
    Some(parts)
}

/// What is wrong with a link of a document, if anything.
fn fault(documents: &BTreeMap<PathBuf, String>, from: &Path, target: &str) -> Option<&'static str> {
    if target.contains("://") || target.starts_with("mailto:") {
        return None;
    }
    let (path, wanted) = target.split_once('#').unwrap_or((target, ""));
    let path = match path {
        "" => from.to_path_buf(),
        path => match normal(&from.parent().unwrap_or(Path::new("")).join(path)) {
            Some(path) => path,
            None => return Some("leaves the tree"),
        },
    };
    if !documents.contains_key(&path) && !root().join(&path).exists() {
        return Some("no such file");
    }
    if from.starts_with("docs") && !path.starts_with("docs") {
        return Some("the site has only what is below docs/; name the file in code font");
    }
    let known = || documents.get(&path).is_some_and(|text| anchors(text).contains(wanted));
    (!wanted.is_empty() && !known()).then_some("no such anchor")
}

#[test]
fn links_lead_to_files_and_anchors() {
    let documents = documents();
    let mut broken = Vec::new();
    for (name, text) in &documents {
        for (line, content) in prose(text) {
            for target in targets(content) {
                if let Some(fault) = fault(&documents, name, &target) {
                    broken.push(format!("{}:{line}: {target}: {fault}", name.display()));
                }
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn the_site_has_every_page_once() {
    let summary = read(Path::new("docs/SUMMARY.md"));
    let listed: Vec<PathBuf> =
        summary.lines().flat_map(targets).map(|page| Path::new("docs").join(page)).collect();
    let pages: Vec<PathBuf> =
        below("docs", "md").into_iter().filter(|page| !page.ends_with("SUMMARY.md")).collect();
    let mut sorted = listed.clone();
    sorted.sort();
    assert_eq!(sorted, pages, "docs/SUMMARY.md lists the pages of docs/, each once");
    for page in listed {
        let text = read(&page);
        assert!(text.starts_with("# ") && text.lines().count() > 5, "{} has no content", page.display());
    }
}

/// Messages and comments name pages, too.
#[test]
fn pages_named_by_the_sources_exist() {
    let mut missing = Vec::new();
    let sources = ["crates", "src", "tests", "python", "xtask", "examples", "bench"];
    let sources = sources.into_iter().flat_map(|folder| below(folder, "rs"));
    for path in sources.chain(documents().into_keys()) {
        let text = read(&path);
        for rest in text.split("docs/").skip(1) {
            let name: String =
                rest.chars().take_while(|c| c.is_ascii_alphanumeric() || "-./".contains(*c)).collect();
            let Some((page, _)) = name.split_once(".md") else { continue };
            if !root().join(format!("docs/{page}.md")).exists() {
                missing.push(format!("{}: docs/{page}.md", path.display()));
            }
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn readme_is_short_and_shows_a_picture_first() {
    let readme = read(Path::new("README.md"));
    let words = readme.split_whitespace().count();
    assert!(words <= 900, "README.md has {words} words; the limit is 900");
    let screen: String = readme.lines().take(20).collect();
    assert!(targets(&screen).iter().any(|target| target.ends_with(".png")), "no picture on the first screen");
    assert!(screen.contains("docs/screens"));
    let begin: String = readme.lines().take(45).collect::<Vec<_>>().join("\n");
    for command in
        ["cargo run --release -- solve connect4:5x4", "cargo xtask test", "cargo xtask test --quick"]
    {
        assert!(begin.contains(command), "`{command}` is not on the first screens");
    }
    let manifest = read(Path::new("Cargo.toml"));
    let oldest = manifest.split("rust-version = \"").nth(1).and_then(|rest| rest.split('"').next());
    let oldest = oldest.expect("a rust-version");
    assert!(
        begin.contains(&format!("({oldest} or later)")),
        "README.md names another toolchain than {oldest}"
    );
}

#[test]
fn broken_links_are_found() {
    let page = "# A `b` – c!\n## See [x](y.md)\n## See x\n```\n# no heading\n```\n";
    let found: Vec<_> = anchors(page).into_iter().collect();
    assert_eq!(found, ["a-b--c", "see-x", "see-x-1"]);
    let text = "[a](b.md#c) `[no](link)` ![p](q.png \"title\") <img src=\"r.png\">";
    assert_eq!(targets(text), ["b.md#c", "q.png", "r.png"]);
    let documents = BTreeMap::from([("docs/start.md".into(), page.to_string())]);
    let check = |target| fault(&documents, Path::new("docs/start.md"), target);
    assert_eq!(check("#see-x-1"), None);
    assert_eq!(check("start.md#a-b--c"), None);
    assert_eq!(check("#no-heading"), Some("no such anchor"));
    assert_eq!(check("absent.md"), Some("no such file"));
    assert_eq!(check("../../outside.md"), Some("leaves the tree"));
    assert!(check("../README.md").is_some_and(|fault| fault.contains("below docs/")));
}
