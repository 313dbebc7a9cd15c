//! Value codes for games with cycles; the code of a draw also says which players can force it to end as a tie.
//!
//! ```text
//!    MIN   unknown
//! -32767   loss in 0                       (the wide code has the payoff in its upper half)
//!     -1   tie that only the opponent of the player to move can force
//!      0   tie that both players can force
//!      1   draw by repetition: neither player can force a tie
//!      2   tie that only the player to move can force
//!  32766   win in 1
//! ```
//!
//! To solve an earlier tier, the solver needs to know which players can force the tie. The stored codes contain this,
//! so they suffice to resume a run.

use outplay_core::{Code, Value};

/// A value code that also encodes which players can force a draw to end as a tie.
pub trait Draws: Code {
    /// The code of a draw of which the player to move, and the opponent, can or cannot force an end.
    fn draw(mover: bool, opponent: bool) -> Self;

    /// For a draw: whether the player to move, and whether the opponent, can force its end.
    fn ends(self) -> (bool, bool);
}

/// The codes of the four kinds of draw; no other value is close to these.
fn draw(mover: bool, opponent: bool) -> i8 {
    match (mover, opponent) {
        (false, true) => -1,
        (true, true) => 0,
        (false, false) => 1,
        (true, false) => 2,
    }
}

fn ends(code: i32) -> (bool, bool) {
    (matches!(code, 0 | 2), matches!(code, 0 | -1))
}

fn draw_value(code: i32) -> Option<Value> {
    match code {
        1 => Some(Value::REPETITION),
        -1..=2 => Some(Value::TIE),
        _ => None,
    }
}

/// The code of a draw one ply earlier.
fn draw_before(code: i32, same_player: bool) -> i32 {
    match code {
        -1 if !same_player => 2,
        2 if !same_player => -1,
        code => code,
    }
}

/// Payoffs −1, 0, 1, distances up to 32,000 plies and the four kinds of draw: two bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct LoopCode(pub i16);

impl Code for LoopCode {
    const UNKNOWN: LoopCode = LoopCode(i16::MIN);

    fn pack(value: Value) -> Option<LoopCode> {
        let Some(plies) = value.distance() else {
            let ends = !value.is_repetition();
            return (value.payoff() == 0).then(|| LoopCode::draw(ends, ends));
        };
        if plies > 32_000 || value.payoff().abs() > 1 {
            return None;
        }
        Some(LoopCode(value.payoff() as i16 * (i16::MAX - plies as i16)))
    }

    fn unpack(self) -> Option<Value> {
        match self.0 {
            i16::MIN => None,
            code => draw_value(code.into())
                .or_else(|| Some(Value::new(code.signum().into(), (i16::MAX - code.abs()) as u32))),
        }
    }

    #[inline]
    fn before(self, same_player: bool) -> LoopCode {
        if (-1..=2).contains(&self.0) {
            return LoopCode(draw_before(self.0.into(), same_player) as i16);
        }
        let seen = if same_player { self.0 } else { -self.0 };
        LoopCode(seen - seen.signum())
    }
}

impl Draws for LoopCode {
    fn draw(mover: bool, opponent: bool) -> LoopCode {
        LoopCode(draw(mover, opponent).into())
    }

    fn ends(self) -> (bool, bool) {
        ends(self.0.into())
    }
}

/// Payoffs up to ±16,000, distances up to 65,000 plies and the four kinds of draw: four bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct WideLoopCode(pub i32);

impl Code for WideLoopCode {
    const UNKNOWN: WideLoopCode = WideLoopCode(i32::MIN);

    fn pack(value: Value) -> Option<WideLoopCode> {
        match (value.payoff(), value.distance()) {
            (0, _) => {
                let ends = !value.is_repetition();
                Some(WideLoopCode::draw(ends, ends))
            }
            (_, None) => None,
            _ => i32::pack(value).map(WideLoopCode),
        }
    }

    fn unpack(self) -> Option<Value> {
        draw_value(self.0).or_else(|| self.0.unpack())
    }

    #[inline]
    fn before(self, same_player: bool) -> WideLoopCode {
        if (-1..=2).contains(&self.0) {
            return WideLoopCode(draw_before(self.0, same_player));
        }
        WideLoopCode(self.0.before(same_player))
    }
}

impl Draws for WideLoopCode {
    fn draw(mover: bool, opponent: bool) -> WideLoopCode {
        WideLoopCode(draw(mover, opponent).into())
    }

    fn ends(self) -> (bool, bool) {
        ends(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<C: Draws>(values: &[Value]) {
        for &value in values {
            let code = C::pack(value).expect("fits");
            assert_eq!(code.unpack(), Some(value));
            for same in [false, true] {
                assert_eq!(code.before(same).unpack(), Some(value.before(same)));
            }
            for &other in values.iter().filter(|other| other.cmp(&&value).is_ne()) {
                assert_eq!(code.cmp(&C::pack(other).expect("fits")), value.cmp(&other));
            }
        }
        for (mover, opponent) in [(false, false), (false, true), (true, false), (true, true)] {
            let code = C::draw(mover, opponent);
            assert_eq!(code.ends(), (mover, opponent));
            assert_eq!(code.before(false).ends(), (opponent, mover));
            assert_eq!(code.before(true), code);
            let value = if mover || opponent { Value::TIE } else { Value::REPETITION };
            assert_eq!(code.unpack(), Some(value));
        }
        assert_eq!(C::UNKNOWN.unpack(), None);
        assert_eq!(C::pack(Value::untimed(1)), None);
    }

    #[test]
    fn codes_behave_like_values() {
        let wins = [0, 1, 2, 126, 254, 31_000];
        let mut values: Vec<Value> = wins.iter().flat_map(|&d| [Value::win(d), Value::loss(d)]).collect();
        values.extend([Value::TIE, Value::REPETITION]);
        check::<LoopCode>(&values);
        values.extend([Value::new(7, 60_000), Value::new(-3, 2)]);
        check::<WideLoopCode>(&values);
        assert_eq!(LoopCode::pack(Value::win(32_001)), None);
        assert_eq!(LoopCode::pack(Value::new(2, 1)), None);
    }
}
