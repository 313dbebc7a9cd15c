//! Counts of words in text, for `cargo xtask metrics`.

/// How often any of the words occurs as a whole word, in either case. Letters, digits and `_` make a word.
pub(super) fn words(text: &str, words: &[&str]) -> usize {
    let text = text.to_lowercase();
    words.iter().map(|word| occurrences(&text, word)).sum()
}

fn occurrences(text: &str, word: &str) -> usize {
    let inside =
        |letter: Option<char>| letter.is_some_and(|letter| letter.is_alphanumeric() || letter == '_');
    let whole = |at: usize| {
        !inside(text[..at].chars().next_back()) && !inside(text[at + word.len()..].chars().next())
    };
    text.match_indices(word).filter(|(at, _)| whole(*at)).count()
}

/// How many doc comments have this as their first word.
pub(super) fn docs_beginning_with(text: &str, word: &str) -> usize {
    let doc = |line: &str| {
        let line = line.trim_start();
        let rest = line.strip_prefix("///").or_else(|| line.strip_prefix("//!"))?;
        Some(rest.trim_start().to_string())
    };
    let (mut count, mut within) = (0, false);
    for line in text.lines() {
        let doc = doc(line);
        let first = doc.as_ref().and_then(|doc| doc.split(|letter: char| !letter.is_alphanumeric()).next());
        count += usize::from(!within && first == Some(word));
        within = doc.is_some();
    }
    count
}

/// Columns of a line of prose beyond which it is counted.
pub(super) const PROSE_COLUMNS: usize = 120;

/// Numbers of the lines of a Markdown file that are too wide. Tables, code blocks and lines that a link makes wide may be.
pub(super) fn wide_prose(text: &str) -> Vec<usize> {
    let mut code = false;
    let mut wide = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let fence = line.trim_start().starts_with("```");
        code ^= fence;
        let exempt = code
            || fence
            || line.trim_start().starts_with('|')
            || line.contains("](")
            || line.contains("://");
        if !exempt && line.chars().count() > PROSE_COLUMNS {
            wide.push(number + 1);
        }
    }
    wide
}

/// Numbers of the lines that begin with a comment mark and are too wide. Lines with a link or a table row may be.
pub(super) fn wide_comments(text: &str, marks: &[&str]) -> Vec<usize> {
    let is_wide = |line: &str| {
        let rest = line.trim_start();
        marks.iter().any(|mark| rest.starts_with(mark))
            && !rest.contains("](")
            && !rest.contains("://")
            && !rest.contains('|')
            && line.chars().count() > PROSE_COLUMNS
    };
    text.lines().enumerate().filter(|(_, line)| is_wide(line)).map(|(number, _)| number + 1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_whole() {
        assert_eq!(words("Nobody, nobody's; no_body anybody_else", &["nobody", "anybody"]), 2);
        assert_eq!(words("so many, so  many, so long; also long", &["so many", "so long"]), 2);
        assert_eq!(words("told retold told() untold", &["told"]), 2);
    }

    #[test]
    fn only_the_first_line_of_a_doc_comment_counts() {
        let text = "/// What is it?\n/// What else\nstruct A;\n//! What\n\n    /// Whatever\n/// A thing.\n// What\n";
        assert_eq!(docs_beginning_with(text, "What"), 2);
    }

    #[test]
    fn wide_lines_of_prose_are_found() {
        let (wide, narrow) = ("word ".repeat(30), "word ".repeat(20));
        let text = format!("{wide}\n{narrow}\n```text\n{wide}\n```\n| {wide} |\n[a](b) {wide}\n{wide}\n");
        assert_eq!(wide_prose(&text), [1, 8]);
        assert_eq!(wide_comments(&format!("{wide}\n  // {wide}\n/// {narrow}\n"), &["//"]), [2]);
    }
}
