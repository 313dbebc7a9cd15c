//! Spelling suggestions ("did you mean …?") by Damerau–Levenshtein distance.

/// The known word nearest to `word`, if the edit distance is at most 3 and at most half of the letters.
pub fn nearest<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let word: String = word.chars().take(40).collect();
    let far = (word.chars().count() / 2).min(3);
    let near = known.map(|known| (strsim::damerau_levenshtein(&word, known), known));
    near.filter(|(edits, _)| *edits <= far).min().map(|(_, known)| known)
}
