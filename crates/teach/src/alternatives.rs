//! Comparison of the moves of a position, in words. Examples:
//!
//! ```text
//!  only move · every move loses, b2 takes longest · 3 of 9 moves win, b2 soonest, the others draw
//!  roll wins 57.1 %, hold 55.3 %
//! ```

use outplay_players::MoveValue;

/// Limit on the moves with means that are listed one by one.
const NAMED: usize = 3;

/// The wording of values.
#[derive(Clone, Copy)]
pub(crate) struct ValueWords {
    /// The game pays at most 1, so that a mean is a winning probability.
    pub(crate) simple: bool,
    /// The names of the players.
    pub(crate) names: [&'static str; 2],
}

impl ValueWords {
    fn mean(self, mean: f64) -> String {
        if self.simple { format!("{:.1} %", 50.0 * (1.0 + mean)) } else { format!("{mean:+.3}") }
    }
}

/// Compares the moves of a player; named moves are best first.
pub(crate) fn compared(moves: &[(String, MoveValue)], eyes: ValueWords) -> Option<String> {
    let best = moves.iter().map(|(_, merit)| *merit).max_by(|a, b| a.compare(*b))?;
    if let [(only, _)] = moves {
        return Some(format!("{only} is the only move"));
    }
    if matches!(best, MoveValue::Mean(_)) {
        return Some(means(moves, eyes));
    }
    let all = moves.len();
    let keeping = moves.iter().filter(|(_, merit)| merit.preserves(best)).count();
    let equal: Vec<&String> = moves.iter().filter(|(_, m)| m.equals(best)).map(|(mv, _)| mv).collect();
    let losing = moves.iter().filter(|(_, merit)| merit.payoff() < 0.0).count();
    let (one, many, pace) = match best.payoff() {
        payoff if payoff > 0.0 => ("wins", "win", "soonest"),
        payoff if payoff < 0.0 => ("loses", "lose", "last"),
        _ => ("holds the draw", "hold the draw", ""),
    };
    let paced = match (equal.as_slice(), pace) {
        ([mv], "soonest" | "last") if keeping > 1 => format!(", {mv} {pace}"),
        _ => String::new(),
    };
    // Among the inferior moves, some may still draw.
    let others = match (all - keeping - losing.min(all - keeping), losing) {
        _ if keeping == all => String::new(),
        (0, 1) => ", the other one loses".into(),
        (0, _) => ", all others lose".into(),
        (1, 0) => ", the other one draws".into(),
        (_, 0) => ", all others draw".into(),
        // Columns are numbers too, so the sentence names the unit of the count.
        (draw, lose) => {
            let (draws, loses) =
                (if draw == 1 { "draws" } else { "draw" }, if lose == 1 { "loses" } else { "lose" });
            format!(", of the others {draw} {draws} and {lose} {loses}")
        }
    };
    Some(match keeping {
        1 => format!("{} is the only move that {one}{others}", equal.first()?),
        keeping if keeping == all && best.payoff() == 0.0 => "every move holds the draw".into(),
        keeping if keeping == all => format!("every move {one}{paced}"),
        keeping => format!("{keeping} of {all} moves {many}{paced}{others}"),
    })
}

fn means(moves: &[(String, MoveValue)], eyes: ValueWords) -> String {
    let mut sorted: Vec<&(String, MoveValue)> = moves.iter().collect();
    sorted.sort_by(|(_, a), (_, b)| b.compare(*a));
    let verb = if eyes.simple { "wins" } else { "gets" };
    let word = |(i, (mv, merit)): (usize, &&(String, MoveValue))| {
        let mean = eyes.mean(merit.payoff());
        if i == 0 { format!("{mv} {verb} {mean}") } else { format!("{mv} {mean}") }
    };
    let named: Vec<String> = sorted.iter().take(NAMED).enumerate().map(word).collect();
    let rest = moves.len().saturating_sub(NAMED);
    let rest = if rest > 0 { format!(", {rest} other moves less") } else { String::new() };
    named.join(", ") + &rest
}

/// Describes the chance outcomes; values are the first player's.
pub(crate) fn rolls(
    moves: &[(String, MoveValue)],
    odds: &[(String, f64)],
    eyes: ValueWords,
) -> Option<String> {
    let best = moves.iter().max_by(|(_, a), (_, b)| a.compare(*b))?;
    let worst = moves.iter().min_by(|(_, a), (_, b)| a.compare(*b))?;
    if best.1.equals(worst.1) {
        return Some("every roll leaves the chances the same".into());
    }
    let text = |(mv, merit): &(String, MoveValue)| {
        let odds = odds.iter().find(|(known, _)| known == mv).map_or(0.0, |(_, odds)| *odds);
        format!("{mv} (once in {:.0}) with {}", 1.0 / odds.max(1e-9), eyes.mean(merit.payoff()))
    };
    let name = eyes.names[0];
    Some(format!("the best roll for {name} is {}, the worst {}", text(best), text(worst)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use outplay_core::Value;

    const EYES: ValueWords = ValueWords { simple: true, names: ["First", "Second"] };

    /// `+3` wins in 3 plies, `0` draws, `-4` loses in 4.
    fn words(moves: &[(&str, i32)]) -> String {
        let value = |n: i32| MoveValue::Value(Value::new(n.signum(), n.unsigned_abs()));
        let moves: Vec<(String, MoveValue)> = moves.iter().map(|&(mv, n)| (mv.into(), value(n))).collect();
        compared(&moves, EYES).unwrap()
    }

    #[test]
    fn moves_are_compared() {
        assert_eq!(words(&[("a", 3)]), "a is the only move");
        assert_eq!(words(&[("a", 3), ("b", -2)]), "a is the only move that wins, the other one loses");
        assert_eq!(words(&[("a", 3), ("b", 0), ("c", 0)]), "a is the only move that wins, all others draw");
        assert_eq!(
            words(&[("a", 0), ("b", 5), ("c", -2)]),
            "b is the only move that wins, of the others 1 draws and 1 loses"
        );
        assert_eq!(
            words(&[("a", 3), ("b", 5), ("c", -2)]),
            "2 of 3 moves win, a soonest, the other one loses"
        );
        assert_eq!(words(&[("a", 3), ("b", 5)]), "every move wins, a soonest");
        assert_eq!(words(&[("a", -2), ("b", -6)]), "every move loses, b last");
        assert_eq!(words(&[("a", -6), ("b", -6)]), "every move loses");
        assert_eq!(words(&[("a", 0), ("b", 0)]), "every move holds the draw");
        assert_eq!(
            words(&[("a", 0), ("b", -2), ("c", -4)]),
            "a is the only move that holds the draw, all others lose"
        );
    }

    #[test]
    fn means_are_worded_as_probabilities() {
        let mean = |mv: &str, mean| (mv.to_string(), MoveValue::Mean(mean));
        let moves = [mean("hold", 0.1), mean("roll", 0.2)];
        assert_eq!(compared(&moves, EYES).unwrap(), "roll wins 60.0 %, hold 55.0 %");
        let odds = [("hold".to_string(), 0.5), ("roll".to_string(), 0.5)];
        assert_eq!(
            rolls(&moves, &odds, EYES).unwrap(),
            "the best roll for First is roll (once in 2) with 60.0 %, the worst hold (once in 2) with 55.0 %"
        );
    }
}
