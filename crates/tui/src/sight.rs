//! Formatting of values: symbol, distance, colour.

use outplay_core::figures::grouped;
use outplay_core::{Turn, Verdict};
use outplay_workbench::{Answer, ChoiceAnswer, MoveAnswer, QueryAnswer};

/// The first player's probability to win, in games with chance that pay at most 1; elsewhere the expectation is a mean.
fn chance(answer: &Answer) -> Option<f64> {
    answer.expected().filter(|_| answer.is_probability())
}

/// Summarises a player's search; `None` if it did not search.
pub(crate) fn effort(choice: &ChoiceAnswer) -> Option<String> {
    if choice.counters.nodes <= 1 {
        return None;
    }
    let mut words = vec![format!("{} positions", grouped(choice.counters.nodes))];
    words.extend((choice.depth > 0).then(|| format!("{} plies deep", choice.depth)));
    words.extend(
        choice.counters.words().into_iter().map(|(count, word)| format!("{} {word}", grouped(count))),
    );
    Some(words.join(", "))
}

/// Formats a value in at most four characters: a symbol and the plies to the end.
pub(crate) fn mark(answer: &Answer) -> String {
    let plies = answer.distance().map(|plies| plies.to_string()).unwrap_or_default();
    match answer.verdict() {
        Some(Verdict::Win) => format!("✓{plies}"),
        Some(Verdict::Draw) => "=".into(),
        Some(Verdict::Loss) => format!("✗{plies}"),
        None => match (chance(answer), answer.mean()) {
            (Some(chance), _) => format!("{:.0}%", 100.0 * chance),
            (None, Some(mean)) => format!("{mean:+.2}"),
            (None, None) => "?".into(),
        },
    }
}

/// Formats a value in words.
pub(crate) fn words(answer: &Answer) -> String {
    let plies = match answer.distance() {
        Some(1) => " in 1 ply".to_string(),
        Some(plies) => format!(" in {plies} plies"),
        None => String::new(),
    };
    match answer.verdict() {
        Some(Verdict::Win) => format!("win{plies}"),
        Some(Verdict::Draw) if answer.is_repetition() => "draw by repetition".into(),
        Some(Verdict::Draw) => "draw".into(),
        Some(Verdict::Loss) => format!("loss{plies}"),
        None => match (chance(answer), answer.mean()) {
            (Some(chance), _) => format!("{:.1} % for First", 100.0 * chance),
            (None, Some(mean)) => format!("{mean:+.3} for First in the mean"),
            (None, None) => "unknown".into(),
        },
    }
}

/// Sorts moves from best to worst, stable among equals.
pub(crate) fn ranked(answer: &QueryAnswer) -> Vec<&MoveAnswer> {
    let mut moves: Vec<&MoveAnswer> = answer.moves.iter().collect();
    let first = answer.to_move != Turn::Second;
    let key = |mv: &MoveAnswer| {
        let plies = mv.answer.distance().map_or(0, i64::from);
        let best = i64::from(!answer.best.contains(&mv.mv));
        let mean = mv.answer.mean().unwrap_or(0.0) * if first { -1e6 } else { 1e6 };
        let worth = match mv.answer.verdict() {
            Some(Verdict::Win) => (0, plies),
            Some(Verdict::Draw) => (1, 0),
            None => (2, mean as i64),
            Some(Verdict::Loss) => (3, -plies),
        };
        (best, worth)
    };
    moves.sort_by_key(|mv| key(mv));
    moves
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_are_distinguished_from_means() {
        let pig = Answer::Mean { mean: 0.2, most: 1 };
        assert_eq!((mark(&pig), words(&pig)), ("60%".into(), "60.0 % for First".into()));
        // The mean payoff of a backgammon game is not a probability, even between 0 and 1.
        let backgammon = Answer::Mean { mean: 0.25, most: 3 };
        assert_eq!(
            (mark(&backgammon), words(&backgammon)),
            ("+0.25".into(), "+0.250 for First in the mean".into())
        );
    }
}
