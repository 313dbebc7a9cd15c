//! Counts of words in text.

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
}
