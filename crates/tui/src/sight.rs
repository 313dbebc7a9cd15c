//! Formatting of values: symbol, words and distance in moves of the winner.

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
    words.extend((choice.depth > 0).then(|| format!("depth {}", choice.depth)));
    words.extend(
        choice.counters.words().into_iter().map(|(count, word)| format!("{} {word}", grouped(count))),
    );
    Some(words.join(", "))
}

/// The distance in moves of the winner, as in "mate in 3"; the players alternate.
fn moves_left(answer: &Answer) -> Option<u32> {
    answer.distance().map(|plies| plies.div_ceil(2))
}

/// Formats a value in at most four characters: a symbol and the moves to the end.
pub(crate) fn mark(answer: &Answer) -> String {
    let moves = moves_left(answer).map(|moves| moves.to_string()).unwrap_or_default();
    match answer.verdict() {
        Some(Verdict::Win) => format!("✓{moves}"),
        Some(Verdict::Draw) => "=".into(),
        Some(Verdict::Loss) => format!("✗{moves}"),
        None => match (chance(answer), answer.mean()) {
            (Some(chance), _) => format!("{:.0}%", 100.0 * chance),
            (None, Some(mean)) => format!("{mean:+.2}"),
            (None, None) => "?".into(),
        },
    }
}

/// Formats a value in words.
pub(crate) fn words(answer: &Answer) -> String {
    let moves = match moves_left(answer) {
        Some(1) => " in 1 move".to_string(),
        Some(moves) => format!(" in {moves} moves"),
        None => String::new(),
    };
    match answer.verdict() {
        Some(Verdict::Win) => format!("win{moves}"),
        Some(Verdict::Draw) if answer.is_repetition() => "draw by repetition".into(),
        Some(Verdict::Draw) => "draw".into(),
        Some(Verdict::Loss) => format!("loss{moves}"),
        None => match (chance(answer), answer.mean()) {
            (Some(chance), _) => format!("{:.1} % for First", 100.0 * chance),
            (None, Some(mean)) => format!("expected payoff {mean:+.3} for First"),
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
            ("+0.25".into(), "expected payoff +0.250 for First".into())
        );
    }
}
