//! Integer codes of values, so that solvers compare and negate them in one instruction.
//!
//! ```text
//!  code   value of the player to move (one-byte code)
//!   MIN   unknown: not solved yet, or not needed
//!  -127   loss in 0  (the game is over and the player to move has lost)
//!  -125   loss in 2
//!     0   tie
//!   126   win in 1
//! ```
//!
//! A larger code is a better value for the player to move. The value of a move is the code of the position after it,
//! negated and moved one step towards zero (the negamax step).

use crate::Value;
use std::fmt::Debug;
use std::hash::Hash;

/// An integer code of a [`Value`]; codes are ordered like the values.
pub trait Code: Copy + Ord + Hash + Debug + Default + Send + Sync + 'static {
    /// No value: unsolved or not needed.
    const UNKNOWN: Self;

    /// Packs a value; `None` if its payoff or distance does not fit.
    ///
    /// A win or loss without a distance ([`Value::untimed`]) fits only a code without distances, [`WdlCode`].
    fn pack(value: Value) -> Option<Self>;

    /// The value of the code; `None` for [`Code::UNKNOWN`].
    fn unpack(self) -> Option<Value>;

    /// The code's bits if they fit in one byte, for a histogram in an array; the fallback uses a hash map.
    #[inline]
    fn byte(self) -> Option<u8> {
        None
    }

    /// The code of a move that leads to a position with this code, as in [`Value::before`].
    fn before(self, same_player: bool) -> Self;
}

/// Payoffs −1, 0, 1 and distances up to 126: one byte.
impl Code for i8 {
    const UNKNOWN: i8 = i8::MIN;

    fn pack(value: Value) -> Option<i8> {
        if value == Value::TIE {
            return Some(0);
        }
        let plies = value.distance()?;
        if plies > 126 || value.payoff().abs() > 1 {
            return None;
        }
        Some(value.payoff() as i8 * (127 - plies as i8))
    }

    fn unpack(self) -> Option<Value> {
        match self {
            i8::MIN => None,
            0 => Some(Value::TIE),
            code => Some(Value::new(code.signum().into(), (127 - code.abs()) as u32)),
        }
    }

    #[inline]
    fn byte(self) -> Option<u8> {
        Some(self as u8)
    }

    #[inline]
    fn before(self, same_player: bool) -> i8 {
        let seen = if same_player { self } else { -self };
        seen - seen.signum()
    }
}

/// Payoffs up to ±16,000 and distances up to 65,000: four bytes.
impl Code for i32 {
    const UNKNOWN: i32 = i32::MIN;

    fn pack(value: Value) -> Option<i32> {
        if value == Value::TIE {
            return Some(0);
        }
        let plies = value.distance()?;
        if plies > 0xffff || value.payoff().abs() > 0x4000 {
            return None;
        }
        Some(value.payoff().signum() * ((value.payoff().abs() << 16) + (0xffff - plies as i32)))
    }

    fn unpack(self) -> Option<Value> {
        match self {
            i32::MIN => None,
            0 => Some(Value::TIE),
            code => {
                let size = code.abs();
                Some(Value::new(code.signum() * (size >> 16), (0xffff - (size & 0xffff)) as u32))
            }
        }
    }

    #[inline]
    fn before(self, same_player: bool) -> i32 {
        let seen = if same_player { self } else { -self };
        seen - seen.signum()
    }
}

/// Win, draw or loss without a distance: 1, 0 and −1 in a byte.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct WdlCode(pub i8);

impl Code for WdlCode {
    const UNKNOWN: WdlCode = WdlCode(i8::MIN);

    fn pack(value: Value) -> Option<WdlCode> {
        (value.payoff().abs() <= 1 && !value.is_repetition()).then_some(WdlCode(value.payoff() as i8))
    }

    fn unpack(self) -> Option<Value> {
        (self != WdlCode::UNKNOWN).then_some(Value::untimed(self.0.into()))
    }

    #[inline]
    fn before(self, same_player: bool) -> WdlCode {
        if same_player || self == WdlCode::UNKNOWN { self } else { WdlCode(-self.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<C: Code>(values: &[Value]) {
        for &value in values {
            let code = C::pack(value).expect("fits");
            assert_eq!(code.unpack(), Some(value));
            for same in [false, true] {
                assert_eq!(code.before(same).unpack(), Some(value.before(same)), "{value} {same}");
            }
            for &other in values {
                assert_eq!(code.cmp(&C::pack(other).expect("fits")), value.cmp(&other));
            }
        }
        assert_eq!(C::UNKNOWN.unpack(), None);
    }

    #[test]
    fn codes_behave_like_values() {
        let small: Vec<Value> =
            (0..125).flat_map(|d| [Value::win(d), Value::loss(d)]).chain([Value::TIE]).collect();
        check::<i8>(&small);
        check::<i32>(&small);
        let large: Vec<Value> =
            [1, 7, 16_384].iter().flat_map(|&p| [Value::new(p, 9), Value::new(-p, 60_000)]).collect();
        check::<i32>(&large);
    }

    #[test]
    fn verdicts_flip_and_keep_no_distance() {
        check::<WdlCode>(&[Value::untimed(1), Value::TIE, Value::untimed(-1)]);
        assert_eq!(WdlCode::pack(Value::win(7)), Some(WdlCode(1)));
    }

    #[test]
    fn values_out_of_range_are_rejected() {
        assert_eq!(i8::pack(Value::win(127)), None);
        assert_eq!(i8::pack(Value::new(2, 1)), None);
        assert_eq!(i8::pack(Value::REPETITION), None);
        assert_eq!(i32::pack(Value::win(70_000)), None);
        assert_eq!(i32::pack(Value::REPETITION), None);
    }

    #[test]
    fn a_win_without_a_distance_is_no_tie() {
        for payoff in [-1, 1] {
            assert_eq!(i8::pack(Value::untimed(payoff)), None);
            assert_eq!(i32::pack(Value::untimed(payoff)), None);
            assert_eq!(WdlCode::pack(Value::untimed(payoff)), Some(WdlCode(payoff as i8)));
        }
        assert_eq!(i8::pack(Value::untimed(0)), Some(0));
    }
}
