//! `cargo xtask metrics`: counts of the source tree, with limits.
//!
//! ```text
//!  sources  crates/*/src, src, python/src      counted by item (syn) and by line of code
//!  tests    every other .rs file but xtask's, and `#[cfg(test)]` modules of sources
//!  page     crates/serve/page/*.js              counted by line
//!  words    crates/*/src, bench/src, python, page and documents    all text, comments included
//! ```
//!
//! A count above its limit is an error, also in `cargo xtask test`.

mod names;
mod rust;
mod text;

use rust::Source;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// One count, its limit (none: not yet limited) and what it is.
struct Limit {
    name: &'static str,
    most: Option<usize>,
    about: &'static str,
}

const fn limit(name: &'static str, most: Option<usize>, about: &'static str) -> Limit {
    Limit { name, most, about }
}

/// Every count, in the order in which they are printed.
const LIMITS: [Limit; 21] = [
    limit("crates", Some(25), "directories under crates/ with a Cargo.toml"),
    limit("types", None, "structs, enums and traits in sources"),
    limit("duplicate types", None, "type names that more than one crate defines"),
    limit("largest type", Some(25), "inherent methods of the type that has the most in one crate"),
    limit("long functions", Some(15), "functions of sources with more than 100 lines"),
    limit("long files", None, "Rust files of sources with more than 600 lines"),
    limit("long test files", None, "Rust files of tests with more than 600 lines"),
    limit("code lines", None, "lines of sources without comments and blank lines"),
    limit("test lines", None, "the same of tests"),
    limit("page files", None, "JavaScript files of the page"),
    limit("page lines", None, "their lines"),
    limit("wide page lines", Some(0), "those of them with more than 110 columns"),
    limit("participles", Some(0), "types named by a participle or a function word"),
    limit(
        "ambiguous types",
        Some(0),
        "type names with more than two definitions, but for those that names.rs lists",
    ),
    limit("somebody", Some(40), "words: somebody, nobody, whoever, everybody, anybody"),
    limit("told", Some(60), "words in Rust: tell, tells, told"),
    limit("so many", Some(20), "words in Rust: so many, so long"),
    limit("phrases", Some(0), "round in circles, thousand million, gone on with"),
    limit(
        "wide prose",
        Some(0),
        "lines of prose and comments with more than 120 columns; tables and links excepted",
    ),
    limit("What", Some(40), "doc comments that begin with `What`"),
    limit("unparsed files", Some(0), "Rust files that cannot be parsed"),
];

/// Lines of a function beyond which it is listed.
const FUNCTION_LINES: usize = 100;
/// Lines of a file beyond which it is listed.
const FILE_LINES: usize = 600;
/// Columns of a line of the page beyond which it is counted.
const COLUMNS: usize = 110;
/// Types that are listed as the largest.
const LARGEST: usize = 5;

/// A count with what it consists of, as far as that is worth listing.
struct Measured {
    value: usize,
    list: Vec<String>,
}

impl From<usize> for Measured {
    fn from(value: usize) -> Measured {
        Measured { value, list: Vec::new() }
    }
}

/// Prints the counts of the tree in which xtask was built. An error names the counts above their limits.
pub(crate) fn run(json: bool) -> Result<(), String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().ok_or("xtask has no parent directory")?;
    let measured = measure(root)?;
    println!("{}", if json { as_json(&measured) } else { as_table(&measured) });
    match &exceeded(&LIMITS, &measured)[..] {
        [] => Ok(()),
        above => Err(format!("above the limits in xtask/src/metrics.rs: {}", above.join(", "))),
    }
}

/// Counts above their limits, each with both numbers.
fn exceeded(limits: &[Limit], measured: &BTreeMap<&'static str, Measured>) -> Vec<String> {
    let above = |limit: &Limit| {
        let (value, most) = (measured[limit.name].value, limit.most?);
        (value > most).then(|| format!("{} is {value}, at most {most} are allowed", limit.name))
    };
    limits.iter().filter_map(above).collect()
}

/// The counts by name; each limit has one.
fn measure(root: &Path) -> Result<BTreeMap<&'static str, Measured>, String> {
    let mut rust = Vec::new();
    for part in ["bench", "crates", "src", "python", "tests", "examples", "fuzz"] {
        rust.extend(files(&root.join(part), "rs")?);
    }
    let (mut sources, mut tests, mut unparsed) = (Vec::new(), Vec::new(), Vec::new());
    for path in rust {
        let name = path.strip_prefix(root).unwrap_or(&path).display().to_string();
        let text = std::fs::read_to_string(&path).map_err(|error| format!("{name}: {error}"))?;
        let Ok(source) = Source::parse(&name, &text) else {
            unparsed.push(name);
            continue;
        };
        if crate_of(&name).is_some() { sources.push(source) } else { tests.push(source) }
    }
    // A whole file can be a module of tests.
    let inner: BTreeSet<String> = sources.iter().flat_map(|source| source.test_modules.clone()).collect();
    let (more, sources): (Vec<Source>, Vec<Source>) = sources
        .into_iter()
        .partition(|source| inner.contains(source.name.trim_end_matches(".rs").trim_end_matches("/mod")));
    tests.extend(more);

    let mut measured = BTreeMap::from([
        ("crates", Measured::from(crates(root)?)),
        ("largest type", largest_types(&sources)),
        ("duplicate types", duplicate_types(&sources)),
        ("long functions", long_functions(&sources)),
        ("long files", long_files(&sources)),
        ("long test files", long_files(&tests)),
        ("unparsed files", Measured { value: unparsed.len(), list: unparsed }),
    ]);
    let sum = |sources: &[Source], of: fn(&Source) -> usize| sources.iter().map(of).sum::<usize>();
    let inner = sum(&sources, |source| source.test_lines);
    measured.insert("types", sum(&sources, |source| source.types.len()).into());
    measured.insert("code lines", sum(&sources, |source| source.code_lines).into());
    measured
        .insert("test lines", (inner + sum(&tests, |source| source.code_lines + source.test_lines)).into());
    measured.extend(page(root)?);
    measured.extend(type_names(&sources));
    measured.extend(words(root)?);
    Ok(measured)
}

/// The crate whose source a file is; none for tests and examples.
fn crate_of(name: &str) -> Option<&str> {
    let mut parts = name.split('/');
    match (parts.next()?, parts.next()?, parts.next()) {
        ("crates", name, Some("src")) => Some(name),
        ("src", ..) => Some("outplay"),
        ("bench", "src", _) => Some("bench"),
        ("python", "src", _) => Some("python"),
        _ => None,
    }
}

/// Files below a folder whose names end so, in order; builds and hidden folders are left out.
fn files(folder: &Path, ending: &str) -> Result<Vec<PathBuf>, String> {
    let trouble = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(trouble)? {
        let path = entry.map_err(trouble)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_string();
        if path.is_dir() && name != "target" && name != "node_modules" && !name.starts_with('.') {
            found.extend(files(&path, ending)?);
        } else if path.extension().is_some_and(|extension| extension == ending) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

fn crates(root: &Path) -> Result<usize, String> {
    let folder = std::fs::read_dir(root.join("crates")).map_err(|error| format!("crates: {error}"))?;
    Ok(folder.flatten().filter(|entry| entry.path().join("Cargo.toml").is_file()).count())
}

/// Methods of each type and crate, the most first.
fn largest_types(sources: &[Source]) -> Measured {
    let mut methods: BTreeMap<(String, &str), usize> = BTreeMap::new();
    for source in sources {
        let of = crate_of(&source.name).unwrap_or_default();
        for (name, count) in &source.methods {
            *methods.entry((format!("{of}::{name}"), of)).or_default() += count;
        }
    }
    let mut methods: Vec<(usize, String)> =
        methods.into_iter().map(|((name, _), count)| (count, name)).collect();
    methods.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    let list = methods.iter().take(LARGEST).map(|(count, name)| format!("{count} {name}")).collect();
    Measured { value: methods.first().map_or(0, |(count, _)| *count), list }
}

/// Names of types that several crates define, with the crates; those of most crates first.
fn duplicate_types(sources: &[Source]) -> Measured {
    let mut homes: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for source in sources {
        for name in &source.types {
            homes.entry(name).or_default().insert(crate_of(&source.name).unwrap_or_default());
        }
    }
    let mut homes: Vec<_> = homes.into_iter().filter(|(_, crates)| crates.len() > 1).collect();
    homes.sort_by_key(|(_, crates)| usize::MAX - crates.len());
    let entry = |(name, crates): &(&str, BTreeSet<&str>)| {
        format!("{name}: {}", crates.iter().copied().collect::<Vec<_>>().join(" "))
    };
    Measured { value: homes.len(), list: homes.iter().map(entry).collect() }
}

/// Functions with too many lines, the longest first.
fn long_functions(sources: &[Source]) -> Measured {
    let all = sources.iter().flat_map(|source| source.functions.iter().map(move |found| (source, found)));
    let mut long: Vec<_> = all.filter(|(_, found)| found.lines > FUNCTION_LINES).collect();
    long.sort_by_key(|(_, found)| usize::MAX - found.lines);
    let list = long
        .iter()
        .map(|(source, found)| format!("{} {} ({}:{})", found.lines, found.name, source.name, found.line));
    Measured { value: long.len(), list: list.collect() }
}

/// Files with too many lines, the longest first.
fn long_files(sources: &[Source]) -> Measured {
    let mut long: Vec<&Source> = sources.iter().filter(|source| source.lines > FILE_LINES).collect();
    long.sort_by_key(|source| usize::MAX - source.lines);
    let list = long.iter().map(|source| format!("{} {}", source.lines, source.name)).collect();
    Measured { value: long.len(), list }
}

/// The page's JavaScript.
fn page(root: &Path) -> Result<[(&'static str, Measured); 3], String> {
    let files = files(&root.join("crates/serve/page"), "js")?;
    let mut all = String::new();
    for path in &files {
        all += &std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    let wide = all.lines().filter(|line| line.chars().count() > COLUMNS).count();
    Ok([
        ("page files", files.len().into()),
        ("page lines", all.lines().count().into()),
        ("wide page lines", wide.into()),
    ])
}

/// Types by name that are defined too often or named badly.
fn type_names(sources: &[Source]) -> [(&'static str, Measured); 2] {
    let mut homes: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for source in sources {
        for name in &source.types {
            homes.entry(name).or_default().push(&source.name);
        }
    }
    let list = |wanted: &dyn Fn(&str, usize) -> bool| {
        let found = homes.iter().filter(|(name, files)| wanted(name, files.len()));
        let list: Vec<_> = found.map(|(name, files)| format!("{name}: {}", files.join(" "))).collect();
        Measured { value: list.len(), list }
    };
    [
        ("participles", list(&|name, _| names::is_participle(name))),
        ("ambiguous types", list(&|name, count| count > 2 && !names::is_shared(name))),
    ]
}

/// Phrases that a reader of this field does not know.
const PHRASES: [&str; 3] = ["round in circles", "thousand million", "gone on with"];

/// Words, phrases and wide lines of sources and documents.
fn words(root: &Path) -> Result<[(&'static str, Measured); 6], String> {
    let mut texts = Vec::new();
    for (folder, ending) in [
        ("crates", "rs"),
        ("crates/serve/page", "js"),
        ("bench", "rs"),
        ("python", "py"),
        ("python", "rs"),
        ("docs", "md"),
    ] {
        texts.extend(files(&root.join(folder), ending)?);
    }
    let documents = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "python/README.md"];
    texts.extend(documents.map(|name| root.join(name)));
    let mut counts = [0; 4];
    let (mut phrases, mut wide) = (Vec::new(), Vec::new());
    for path in texts {
        let name = path.strip_prefix(root).unwrap_or(&path).display().to_string();
        let text = std::fs::read_to_string(&path).map_err(|error| format!("{name}: {error}"))?;
        // Old names stand beside new ones there.
        if name == "docs/renames.md" {
            continue;
        }
        let lines = match path.extension().and_then(|ending| ending.to_str()) {
            Some("md") => text::wide_prose(&text),
            Some("py") => text::wide_comments(&text, &["#"]),
            _ => text::wide_comments(&text, &["//", "*", "/*"]),
        };
        wide.extend(lines.iter().map(|line| format!("{name}:{line}")));
        if name.ends_with(".rs") && crate_of(&name).is_none() {
            continue;
        }
        counts[0] += text::words(&text, &["somebody", "nobody", "whoever", "everybody", "anybody"]);
        phrases.extend((0..text::words(&text, &PHRASES)).map(|_| name.clone()));
        if name.ends_with(".rs") {
            counts[1] += text::words(&text, &["tell", "told", "tells"]);
            counts[2] += text::words(&text, &["so many", "so long"]);
            counts[3] += text::docs_beginning_with(&text, "What");
        }
    }
    let [somebody, told, many, what] = counts.map(Measured::from);
    let listed = |list: Vec<String>| Measured { value: list.len(), list };
    Ok([
        ("somebody", somebody),
        ("told", told),
        ("so many", many),
        ("What", what),
        ("phrases", listed(phrases)),
        ("wide prose", listed(wide)),
    ])
}

/// Entries of a list that the table shows; `--json` has all of them.
const LISTED: usize = 40;

fn as_table(measured: &BTreeMap<&'static str, Measured>) -> String {
    let width = LIMITS.iter().map(|limit| limit.name.len()).max().unwrap_or(0);
    let mut lines = vec![format!("{:width$}  {:>7}  {:>7}  what", "count", "value", "limit")];
    for limit in &LIMITS {
        let Measured { value, list } = &measured[limit.name];
        let most = limit.most.map_or("-".to_string(), |most| most.to_string());
        let above = if limit.most.is_some_and(|most| *value > most) { "  ABOVE THE LIMIT" } else { "" };
        lines.push(format!("{:width$}  {value:>7}  {most:>7}  {}{above}", limit.name, limit.about));
        let entries = if limit.name == "duplicate types" { LARGEST } else { LISTED };
        lines.extend(list.iter().take(entries).map(|entry| format!("{:width$}    {entry}", "")));
        if list.len() > entries {
            lines.push(format!("{:width$}    and {} more", "", list.len() - entries));
        }
    }
    lines.join("\n")
}

fn as_json(measured: &BTreeMap<&'static str, Measured>) -> String {
    let metrics = LIMITS.iter().map(|limit| {
        let Measured { value, list } = &measured[limit.name];
        json!({ "name": limit.name, "value": value, "limit": limit.most, "about": limit.about, "list": list })
    });
    json!({ "metrics": metrics.collect::<Vec<_>>() }).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(name: &str, text: &str) -> Source {
        Source::parse(name, text).unwrap()
    }

    #[test]
    fn methods_are_summed_over_files_of_one_crate() {
        let sources = [
            source("crates/a/src/lib.rs", "struct T; impl T { fn one() {} }"),
            source("crates/a/src/more.rs", "impl T { fn two() {} fn three() {} }"),
            source("crates/b/src/lib.rs", "struct T; impl T { fn four() {} }"),
        ];
        let measured = largest_types(&sources);
        assert_eq!((measured.value, measured.list[0].as_str()), (3, "3 a::T"));
        let twice = duplicate_types(&sources);
        assert_eq!((twice.value, twice.list[0].as_str()), (1, "T: a b"));
    }

    #[test]
    fn long_functions_and_files_are_named() {
        let body = "    let x = 1;\n".repeat(120);
        let text = format!("fn short() {{}}\nfn long() {{\n{body}}}\n{}", "// a line\n".repeat(500));
        let sources = [source("src/lib.rs", &text)];
        let functions = long_functions(&sources);
        assert_eq!(functions.list, ["122 long (src/lib.rs:2)"]);
        assert_eq!(long_files(&sources).list, ["623 src/lib.rs"]);
    }

    #[test]
    fn sources_are_not_tests() {
        assert_eq!(crate_of("crates/core/src/game/mod.rs"), Some("core"));
        assert_eq!(crate_of("src/main.rs"), Some("outplay"));
        assert_eq!(crate_of("python/src/lib.rs"), Some("python"));
        assert_eq!(crate_of("crates/core/tests/it/laws.rs"), None);
        assert_eq!(crate_of("tests/it/main.rs"), None);
    }

    #[test]
    fn only_counts_above_their_limits_fail() {
        let limits = [limit("a", Some(3), ""), limit("b", Some(2), ""), limit("c", None, "")];
        let measured = BTreeMap::from(["a", "b", "c"].map(|name| (name, Measured::from(3))));
        assert_eq!(exceeded(&limits, &measured), ["b is 3, at most 2 are allowed"]);
    }

    /// The tree itself: every limit has a count, and nothing is left unparsed.
    #[test]
    fn the_tree_is_measured_whole() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let measured = measure(root).unwrap();
        assert!(LIMITS.iter().all(|limit| measured.contains_key(limit.name)));
        assert_eq!(measured.len(), LIMITS.len());
        assert_eq!(measured["unparsed files"].list, Vec::<String>::new());
    }
}
