//! Scripts and styles as a browser needs them: without indentation and without comments that have lines of their own.
//!
//! What people read stays in the folder; what is sent is a seventh smaller. Lines stay lines, so that a browser's
//! complaint still shows the statement.
//!
//! Invariant: no script has a text that runs over several lines, whose indentation would be a part of it.

/// The content of a file to send.
pub(crate) fn lean(name: &str, content: &str) -> String {
    if !name.ends_with(".js") && !name.ends_with(".css") {
        return content.to_string();
    }
    let mut sent = String::with_capacity(content.len());
    let mut inside = false;
    for line in content.lines() {
        let mut line = line.trim();
        if !inside && line.starts_with("//") {
            continue;
        }
        if inside || line.starts_with("/*") {
            match line.split_once("*/") {
                Some((_, rest)) => (inside, line) = (false, rest.trim_start()),
                None => {
                    inside = true;
                    continue;
                }
            }
        }
        if !line.is_empty() {
            sent.push_str(line);
            sent.push('\n');
        }
    }
    if name.ends_with(".css") {
        // Spaces that separate nothing: selectors and sums keep theirs.
        for (wide, narrow) in
            [(": ", ":"), ("; ", ";"), (", ", ","), (" {", "{"), ("{ ", "{"), (" }", "}"), (";}", "}")]
        {
            sent = sent.replace(wide, narrow);
        }
    }
    sent
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_stays_and_comments_go() {
        let written = "// Head.\n\n/** Adds\n * one. */\nexport const add = (n) => {\n  // Inside.\n  return n + 1; // behind\n};\n";
        assert_eq!(lean("a.js", written), "export const add = (n) => {\nreturn n + 1; // behind\n};\n");
        assert_eq!(
            lean("a.css", "/* Colours. */\na { b: c; }\n\n/* Two\n   lines. */ d { e: f; }\n"),
            "a{b:c}\nd{e:f}\n"
        );
        let sum = ".a :is(b, c) { width: calc(1px + 2px); }";
        assert_eq!(lean("a.css", sum), ".a :is(b,c){width:calc(1px + 2px)}\n");
        assert_eq!(lean("a.html", "  <p>\n"), "  <p>\n");
    }

    #[test]
    fn no_text_runs_over_lines() {
        let folder = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/page")).unwrap();
        for entry in
            folder.map(Result::unwrap).filter(|entry| entry.path().extension().is_some_and(|e| e == "js"))
        {
            let content = std::fs::read_to_string(entry.path()).unwrap();
            for (number, line) in content.lines().enumerate() {
                let comment = line.trim_start().starts_with(['/', '*']);
                let ticks = line.matches('`').count();
                assert!(comment || ticks.is_multiple_of(2), "{:?} {}: {line}", entry.file_name(), number + 1);
            }
        }
    }
}
