//! Formatting of values and moves for players: symbols, words, and distances in moves of the winner.

use crate::play_session::{PlaySession, PlayedMove};
use crate::review::move_number;
use outplay_core::figures::grouped;
use outplay_core::{Notation, Turn, Verdict};
use outplay_workbench::{Answer, ChoiceAnswer, MoveAnswer, QueryAnswer};

/// The first player's probability to win, in games with chance that pay at most 1; elsewhere the expectation is a mean.
fn chance(answer: &Answer) -> Option<f64> {
    answer.expected().filter(|_| answer.is_probability())
}

/// Reports a move in one line: the player, the move and the player's opinion, in payoffs for itself.
pub(crate) fn report(session: &PlaySession, choice: &ChoiceAnswer) -> String {
    let Some(made) = session.moves().last() else { return String::new() };
    if made.dice {
        return format!("the dice show {}", made.shown);
    }
    let (side, seat) = &session.names()[usize::from(made.by == Turn::Second)];
    format!("{side} ({seat}) plays {}{}", made.shown, opinion(choice))
}

/// Formats a player's opinion of its position.
pub(crate) fn opinion(choice: &ChoiceAnswer) -> String {
    // Adding zero turns a negative zero into zero.
    let payoff = choice.opinion.map(|hundredths| hundredths.round() / 100.0 + 0.0);
    payoff.map(|payoff| format!(" (≈ {payoff:+.2})")).unwrap_or_default()
}

/// The statistics of a player's search, a line each.
pub(crate) fn details(choice: &ChoiceAnswer) -> Vec<String> {
    let mut lines = vec![format!("{}: {:.2} s", choice.player, choice.seconds)];
    lines.extend((choice.depth > 0).then(|| format!("depth {}", choice.depth)));
    lines
        .extend((choice.counters.nodes > 0).then(|| format!("{} positions", grouped(choice.counters.nodes))));
    lines.extend(
        choice.counters.words().into_iter().map(|(count, word)| format!("{} {word}", grouped(count))),
    );
    lines
}

/// The moves of a game for players, with their numbers if wanted. With dice, each turn is a line with a number, and
/// rolls are in parentheses.
pub(crate) fn move_list(session: &PlaySession, numbers: bool) -> Vec<String> {
    let moves = session.moves();
    let (names, chess) = (session.names(), session.entry().game().mates());
    let word = |(at, made): (usize, &PlayedMove)| {
        let number = move_number(session, at);
        match (made.by, at) {
            _ if !numbers => made.shown.clone(),
            (Turn::Second, 0) if chess => format!("{number}... {}", made.shown),
            (Turn::First, _) if chess => format!("{number}. {}", made.shown),
            (_, at) if !chess && at % 2 == 0 => format!("{number}. {}", made.shown),
            _ => made.shown.clone(),
        }
    };
    if !moves.iter().any(|made| made.dice) {
        return vec![moves.iter().enumerate().map(word).collect::<Vec<_>>().join(" ")];
    }
    let word = |made: &PlayedMove| if made.dice { format!("({})", made.shown) } else { made.shown.clone() };
    let line = |(at, turn): (usize, &[PlayedMove])| {
        let name = names[usize::from(turn[0].by == Turn::Second)].0;
        let words: Vec<String> = turn.iter().map(word).collect();
        format!("{:>2}. {name:<6} {}", at + 1, words.join(" "))
    };
    moves.chunk_by(|a, b| a.by == b.by).enumerate().map(line).collect()
}

/// The move of an answer as players read it.
pub(crate) fn shown(mv: &MoveAnswer) -> &str {
    mv.san.as_deref().unwrap_or(&mv.mv)
}

/// The best move of an answer, as players read it.
pub(crate) fn best(answer: &QueryAnswer) -> Option<&MoveAnswer> {
    let best = answer.best.first()?;
    answer.moves.iter().find(|mv| mv.mv == *best)
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
