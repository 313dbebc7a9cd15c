//! A code that tells a draw by repetition from a tie.

use outplay_core::{Code, Value};

/// Payoffs −1, 0, 1, distances up to 32,000 plies and draws by repetition: two bytes.
///
/// ```text
///    MIN   unknown
/// -32767   loss in 0
///      0   tie
///      1   draw by repetition, which no code lies between and the tie
///  32766   win in 1
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct LoopCode(pub i16);

const TIE: i16 = 0;
const REPETITION: i16 = 1;

impl Code for LoopCode {
    const UNKNOWN: LoopCode = LoopCode(i16::MIN);

    fn pack(value: Value) -> Option<LoopCode> {
        if value.is_repetition() {
            return Some(LoopCode(REPETITION));
        }
        let Some(plies) = value.distance() else { return Some(LoopCode(TIE)) };
        if plies > 32_000 || value.payoff().abs() > 1 {
            return None;
        }
        Some(LoopCode(value.payoff() as i16 * (i16::MAX - plies as i16)))
    }

    fn unpack(self) -> Option<Value> {
        match self.0 {
            i16::MIN => None,
            TIE => Some(Value::TIE),
            REPETITION => Some(Value::REPETITION),
            code => Some(Value::new(code.signum().into(), (i16::MAX - code.abs()) as u32)),
        }
    }

    #[inline]
    fn byte(self) -> Option<u8> {
        None
    }

    #[inline]
    fn before(self, same_player: bool) -> LoopCode {
        if self.0 == TIE || self.0 == REPETITION {
            return self;
        }
        let seen = if same_player { self.0 } else { -self.0 };
        LoopCode(seen - seen.signum())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_behave_like_values() {
        let wins = [0, 1, 2, 126, 254, 31_000];
        let mut values: Vec<Value> = wins.iter().flat_map(|&d| [Value::win(d), Value::loss(d)]).collect();
        values.extend([Value::TIE, Value::REPETITION]);
        for &value in &values {
            let code = LoopCode::pack(value).expect("fits");
            assert_eq!(code.unpack(), Some(value));
            for same in [false, true] {
                assert_eq!(code.before(same).unpack(), Some(value.before(same)));
            }
            for &other in values.iter().filter(|other| other.cmp(&&value).is_ne()) {
                assert_eq!(code.cmp(&LoopCode::pack(other).expect("fits")), value.cmp(&other));
            }
        }
        assert_eq!(LoopCode::pack(Value::win(32_001)), None);
        assert_eq!(LoopCode::pack(Value::new(2, 1)), None);
    }
}
