//! Scripts and styles as a browser needs them: without indentation, comments and spaces that separate nothing.
//!
//! ```text
//!   // Adds one.
//!   const add = (n) => n + 1;   ──▶  const add=(n)=>n + 1;
//! ```
//!
//! What people read stays in the folder; what is sent is a fifth smaller. Lines stay lines, so that no statement ends where
//! it did not, and a browser's complaint still shows where.
//!
//! Invariant: no text and no regular expression of a script runs over several lines, so each line can be read alone.

/// The content of a file to send.
pub(crate) fn lean(name: &str, content: &str) -> String {
    let script = name.ends_with(".js");
    if !script && !name.ends_with(".css") {
        return content.to_string();
    }
    let mut sent = String::with_capacity(content.len());
    let mut inside = false;
    for line in content.lines() {
        let mut line = line.trim();
        if inside || line.starts_with("/*") {
            match line.split_once("*/") {
                Some((_, rest)) => (inside, line) = (false, rest.trim_start()),
                None => {
                    inside = true;
                    continue;
                }
            }
        }
        let before = sent.len();
        if script {
            squeeze(line, &mut sent);
        } else {
            sent.push_str(line);
        }
        if sent.len() > before {
            sent.push('\n');
        }
    }
    if !script {
        // Selectors and sums keep their spaces.
        for (wide, narrow) in
            [(": ", ":"), ("; ", ";"), (", ", ","), (" {", "{"), ("{ ", "{"), (" }", "}"), (";}", "}")]
        {
            sent = sent.replace(wide, narrow);
        }
    }
    sent
}

/// Beside these a space separates nothing. Plus, minus and slash are not among them: two of a kind are another sign.
const SIGNS: &str = ",;:{}()[]=<>?&|!*%";

/// What a character of a script belongs to.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    /// Code; within a template as many braces are open.
    Code(u32),
    /// A text in these quotes.
    Text(char),
    /// A regular expression, and whether within a class of characters.
    Pattern(bool),
}

/// Adds a line of a script without what it can do without.
fn squeeze(line: &str, sent: &mut String) {
    let begin = sent.len();
    let mut parts = vec![Part::Code(0)];
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        let top = parts.len() - 1;
        match parts[top] {
            Part::Text(_) | Part::Pattern(_) if letter == '\\' => {
                sent.push(letter);
                sent.extend(letters.next());
                continue;
            }
            Part::Text('`') if letter == '$' && letters.peek() == Some(&'{') => {
                sent.push(letter);
                sent.extend(letters.next());
                parts.push(Part::Code(0));
                continue;
            }
            Part::Text(quote) if letter == quote => drop(parts.pop()),
            Part::Text(_) => {}
            Part::Pattern(class) => match (letter, class) {
                ('[', _) => parts[top] = Part::Pattern(true),
                (']', _) => parts[top] = Part::Pattern(false),
                ('/', false) => drop(parts.pop()),
                _ => {}
            },
            Part::Code(open) => match letter {
                '"' | '\'' | '`' => parts.push(Part::Text(letter)),
                '{' => parts[top] = Part::Code(open + 1),
                '}' if open == 0 && top > 0 => drop(parts.pop()),
                '}' => parts[top] = Part::Code(open.saturating_sub(1)),
                '/' if letters.peek() == Some(&'/') => break,
                '/' if begins_pattern(&sent[begin..]) => parts.push(Part::Pattern(false)),
                ' ' => {
                    let idle = |sign: char| sign == ' ' || SIGNS.contains(sign);
                    let last = sent[begin..].chars().next_back();
                    if last.is_none_or(idle) || letters.peek().is_none_or(|&next| idle(next)) {
                        continue;
                    }
                }
                _ => {}
            },
        }
        sent.push(letter);
    }
    sent.truncate(begin + sent[begin..].trim_end().len());
}

/// Whether a slash after this code begins a regular expression; else it divides.
fn begins_pattern(code: &str) -> bool {
    let code = code.trim_end();
    match code.chars().next_back() {
        None => true,
        Some(sign) => "(,=:[!&|?{;>".contains(sign) || code.ends_with("return"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn script(written: &str) -> String {
        lean("a.js", written)
    }

    #[test]
    fn code_stays_and_comments_go() {
        let written = "// Head.\n\n/** Adds\n * one. */\nexport const add = (n) => {\n  // Inside.\n  return n + 1; // behind\n};\n";
        assert_eq!(script(written), "export const add=(n)=>{\nreturn n + 1;\n};\n");
        assert_eq!(
            lean("a.css", "/* Colours. */\na { b: c; }\n\n/* Two\n   lines. */ d { e: f; }\n"),
            "a{b:c}\nd{e:f}\n"
        );
        let sum = ".a :is(b, c) { width: calc(1px + 2px); }";
        assert_eq!(lean("a.css", sum), ".a :is(b,c){width:calc(1px + 2px)}\n");
        assert_eq!(lean("a.html", "  <p>\n"), "  <p>\n");
    }

    #[test]
    fn texts_and_patterns_stay_as_they_are() {
        for kept in [
            r#"say("a , b // c")"#,
            r#"say('it { is }  "so"')"#,
            r"say(`a , ${b} , c`)",
            r"say(`x ${f(`y , ${z}`)} , w`)",
            r#"say("\" , ")"#,
            r"say(/ , [/ ] \/ /)",
            "a / b / c",
            "a + +b",
            "typeof a in b",
        ] {
            assert_eq!(script(kept), format!("{kept}\n"));
        }
        assert_eq!(script("say(`${a , b} , ${ { c: 1 } }`)"), "say(`${a,b} , ${{c:1}}`)\n");
        assert_eq!(script("x = (a) / b , c / 2 ;"), "x=(a)/ b,c / 2;\n");
        assert_eq!(script("if (x) return / , /.test(y) ;"), "if(x)return / , /.test(y);\n");
    }

    /// Every script of the page keeps its texts on one line, so that each line can be squeezed alone, and loses nothing
    /// but spaces and comments: what is sent, squeezed again, stays as it is.
    #[test]
    fn scripts_of_the_page_can_be_squeezed() {
        let folder = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/page")).unwrap();
        let paths = folder.map(|entry| entry.unwrap().path());
        for path in paths.filter(|path| path.extension().is_some_and(|ending| ending == "js")) {
            let written = std::fs::read_to_string(&path).unwrap();
            let sent = script(&written);
            assert_eq!(script(&sent), sent, "{path:?}");
            for line in sent.lines() {
                let ticks = line.matches('`').count();
                assert!(ticks.is_multiple_of(2), "a text runs over lines in {path:?}: {line}");
            }
            // Nothing comes that was not there, in the order in which it was there.
            let mut signs = written.chars();
            assert!(sent.chars().all(|sign| signs.any(|from| from == sign)), "{path:?}");
        }
    }
}
