//! Command-line splitting by the quoting rules of a POSIX shell, without expansion.

/// Splits a command line into words. Whitespace separates words, single and double quotes group, and a backslash
/// escapes the next character (within double quotes only `"`, `\`, `$` and a backquote).
///
/// # Errors
///
/// An unclosed quote, a trailing backslash, or no words, as a sentence for the user.
///
/// # Examples
///
/// ```
/// let words = outplay_protocol::split(r#"python3 'my engine.py' --name "a \"b\"" c\ d"#).unwrap();
/// assert_eq!(words, ["python3", "my engine.py", "--name", "a \"b\"", "c d"]);
/// ```
pub fn split(line: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    let mut rest = line.chars().peekable();
    while let Some(c) = rest.next() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (Some('"'), '\\') if rest.peek().is_some_and(|next| ['"', '\\', '$', '`'].contains(next)) => {
                word.get_or_insert_default().extend(rest.next());
            }
            (None, '\\') => match rest.next() {
                Some(next) => word.get_or_insert_default().push(next),
                None => return Err("the command ends with a backslash".into()),
            },
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    if let Some(open) = quote {
        return Err(format!("the quote {open} in the command is not closed"));
    }
    words.extend(word);
    if words.is_empty() {
        return Err("the command is missing; write it after the colon, as in `ugi:python3 engine.py`".into());
    }
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_of_a_shell() {
        let check = |line: &str, words: &[&str]| assert_eq!(split(line).unwrap(), words, "{line}");
        check("a  b\tc", &["a", "b", "c"]);
        check("'' \"\" a''b", &["", "", "ab"]);
        check(r#"'a\b' "a\b" a\\b"#, &["a\\b", "a\\b", "a\\b"]);
        check("$HOME `x` *;|&", &["$HOME", "`x`", "*;|&"]);
        for (line, words) in [("a 'b", "is not closed"), ("a\\", "backslash"), ("  ", "is missing")] {
            assert!(split(line).unwrap_err().contains(words), "{line}");
        }
    }
}
