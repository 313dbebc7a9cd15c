//! Check of type names: participles, function words, and names that several types share.

/// Function words, past tenses and participles that do not end in `ed` or `en`.
const IRREGULAR: [&str; 42] = [
    "About", "Begun", "Both", "Built", "By", "Done", "Few", "Found", "Gone", "Heard", "Held", "Here", "How",
    "Kept", "Known", "Left", "Lent", "Likely", "Made", "Many", "Met", "Once", "Own", "Said", "Seen", "Sent",
    "Shown", "Soon", "Spent", "Swept", "Thought", "Together", "Told", "Took", "What", "When", "Where",
    "Which", "Who", "Whose", "Why", "Won",
];
/// Words that end in `ed`, `en` or `ing` and are nouns or adjectives of the field.
const NOUNS: [&str; 15] = [
    "Absorbing",
    "Ending",
    "Heading",
    "Mapping",
    "Men",
    "Numbering",
    "Opening",
    "Ordering",
    "Rating",
    "Sampling",
    "Screen",
    "Seed",
    "Setting",
    "Speed",
    "Timing",
];
/// Names that several crates or games define with one meaning: `Game`'s associated types, a crate's error, and what every
/// search has of its own, because kernels do not know each other.
const SHARED: [&str; 7] = [
    "BoardGeometry",
    "Error",
    "Move",
    "Position",
    "SearchContext",
    "TranspositionEntry",
    "TranspositionTable",
];

/// Whether a type is named by a single participle or function word.
pub(super) fn is_participle(name: &str) -> bool {
    let single = name.chars().skip(1).all(char::is_lowercase);
    let ends = ["ed", "en", "ing"].iter().any(|end| name.ends_with(end));
    single && (IRREGULAR.contains(&name) || (ends && !NOUNS.contains(&name)))
}

/// Whether a name may be defined any number of times.
pub(super) fn is_shared(name: &str) -> bool {
    SHARED.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn participles_and_function_words() {
        for name in ["Asked", "Held", "Few", "Whose", "Written", "Looking"] {
            assert!(is_participle(name), "{name}");
        }
        for name in ["Opening", "Seed", "CachedResult", "Screen", "Board", "SolvedGame", "NoMonitor"] {
            assert!(!is_participle(name), "{name}");
        }
    }
}
