//! Check that deny.toml allows the licence of every dependency.
//!
//! `cargo deny check` checks more (advisories, sources), but installing it takes longer than all tests, so it is run by
//! hand.

use std::process::Command;

/// Checks the licences of all dependencies of the workspace.
pub(crate) fn check() -> Result<(), String> {
    let rules = std::fs::read_to_string("deny.toml").map_err(|error| format!("deny.toml: {error}"))?;
    let allowed = allowed(&rules);
    let words = ["tree", "--workspace", "--edges", "normal,build", "--prefix", "none", "--format", "{p}|{l}"];
    let output = Command::new(env!("CARGO")).args(words).output();
    let output = output.map_err(|error| format!("cannot run cargo: {error}"))?;
    let tree = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() || allowed.is_empty() {
        return Err(format!("cargo {} failed: {}", words.join(" "), String::from_utf8_lossy(&output.stderr)));
    }
    // A repeated package is marked `(*)` and printed without its licence.
    let lines = tree.lines().filter(|line| !line.ends_with("(*)")).filter_map(|line| line.split_once('|'));
    match lines.into_iter().find(|(_, licence)| !is_allowed(licence, &allowed)) {
        Some((package, licence)) => {
            Err(format!("{package} has the licence `{licence}`, which deny.toml does not allow"))
        }
        None => Ok(()),
    }
}

/// The licences that a `deny.toml` allows.
fn allowed(rules: &str) -> Vec<&str> {
    let list = rules.split_once("\nallow = [").and_then(|(_, rest)| rest.split_once(']'));
    list.map_or(Vec::new(), |(list, _)| list.split('"').skip(1).step_by(2).collect())
}

/// Whether a licence expression such as `(MIT OR Apache-2.0) AND Unicode-3.0` can be satisfied.
fn is_allowed(expression: &str, allowed: &[&str]) -> bool {
    let expression = expression.trim();
    let any = |mut parts: Vec<&str>| parts.drain(..).any(|part| is_allowed(part, allowed));
    let parts = split(expression, " OR ");
    if parts.len() > 1 {
        return any(parts);
    }
    let parts = split(expression, " AND ");
    if parts.len() > 1 {
        return parts.into_iter().all(|part| is_allowed(part, allowed));
    }
    if let Some(inner) = expression.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        return is_allowed(inner, allowed);
    }
    // Old packages separate alternatives with a slash.
    match expression.contains('/') {
        true => any(expression.split('/').collect()),
        false => allowed.contains(&expression),
    }
}

/// Splits at a word outside of parentheses.
fn split<'a>(expression: &'a str, word: &str) -> Vec<&'a str> {
    let (mut parts, mut begin, mut depth) = (Vec::new(), 0, 0);
    for (at, letter) in expression.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            ' ' if depth == 0 && at >= begin && expression[at..].starts_with(word) => {
                parts.push(&expression[begin..at]);
                begin = at + word.len();
            }
            _ => {}
        }
    }
    parts.push(&expression[begin..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_understood() {
        let rules = "[licenses]\nallow = [\n    \"MIT\",\n    \"Apache-2.0 WITH LLVM-exception\",\n]\n";
        let allowed = allowed(rules);
        assert_eq!(allowed, ["MIT", "Apache-2.0 WITH LLVM-exception"]);
        for good in ["MIT", "MIT OR GPL-3.0", "GPL-3.0/MIT", "(GPL-3.0 OR MIT) AND MIT", " MIT "] {
            assert!(is_allowed(good, &allowed), "{good}");
        }
        for bad in ["", "GPL-3.0", "MIT AND GPL-3.0", "GPL-3.0 OR (MIT AND GPL-2.0)", "Apache-2.0", "MIT-0"] {
            assert!(!is_allowed(bad, &allowed), "{bad}");
        }
        assert!(is_allowed("Zlib OR Apache-2.0 WITH LLVM-exception OR Apache-2.0", &allowed));
    }
}
