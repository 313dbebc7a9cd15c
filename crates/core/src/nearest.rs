//! What somebody may have meant who mistyped a word.

/// The known word that is most like another, if any is: at most three letters or half of them differ.
pub fn nearest<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let word: String = word.chars().take(40).collect();
    let far = (word.chars().count() / 2).min(3);
    let near = known.map(|known| (strsim::damerau_levenshtein(&word, known), known));
    near.filter(|(edits, _)| *edits <= far).min().map(|(_, known)| known)
}
