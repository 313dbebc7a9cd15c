//! Move generation for a roll of two dice in backgammon; plays with the same result are listed once.

/// Three checkers, the furthest first.
pub(super) type Side = [u8; 3];

pub(super) const BAR: u8 = 25;
pub(super) const OFF: u8 = 0;

/// Both sides after some steps, packed into six bytes so that a comparison is one instruction.
type PackedSides = u64;

#[inline]
fn pack([a, b, c]: Side, [d, e, f]: Side) -> PackedSides {
    u64::from_le_bytes([a, b, c, d, e, f, 0, 0])
}

#[inline]
fn unpack(sides: PackedSides) -> (Side, Side) {
    let [a, b, c, d, e, f, _, _] = sides.to_le_bytes();
    ([a, b, c], [d, e, f])
}

/// A small set on the stack.
struct SmallSet<const N: usize> {
    members: [PackedSides; N],
    len: usize,
}

/// Results of one step: there are three checkers.
type StepResults = SmallSet<4>;
/// Results of a whole roll; a test checks that the capacity suffices.
type RollResults = SmallSet<40>;

impl<const N: usize> SmallSet<N> {
    #[inline]
    fn new() -> SmallSet<N> {
        SmallSet { members: [0; N], len: 0 }
    }

    #[inline]
    fn push(&mut self, sides: PackedSides) {
        if !self.all().contains(&sides) {
            self.members[self.len] = sides;
            self.len += 1;
        }
    }

    #[inline]
    fn all(&self) -> &[PackedSides] {
        &self.members[..self.len]
    }
}

/// Sorts three places in descending order.
#[inline]
fn sorted([a, b, c]: Side) -> Side {
    let (a, b) = (a.max(b), a.min(b));
    let (b, c) = (b.max(c), b.min(c));
    [a.max(b), a.min(b), c]
}

/// The effect of a die on the checker with an index, if the rules allow it; checkers are sorted, the furthest first.
#[inline]
fn step(mine: Side, other: Side, i: usize, die: u8) -> Option<(Side, Side, u8)> {
    let from = mine[i];
    // The furthest checker is first, so a checker on the bar blocks the others.
    if from == OFF || (mine[0] == BAR && from != BAR) || (i > 0 && mine[i - 1] == from) {
        return None;
    }
    let mut mine_after = mine;
    let mut other_after = other;
    if from > die {
        let to = from - die;
        let theirs = 25 - to;
        match other.map(|place| u8::from(place == theirs)).iter().sum::<u8>() {
            0 => {}
            // A blot is hit.
            1 => other_after = sorted(other.map(|place| if place == theirs { BAR } else { place })),
            _ => return None,
        }
        mine_after[i] = to;
    } else {
        // Bearing off: all checkers are home, and a larger die than needed moves the furthest checker only.
        if mine[0] > 6 || (from < die && from != mine[0]) {
            return None;
        }
        mine_after[i] = OFF;
    }
    Some((sorted(mine_after), other_after, mine_after[i]))
}

/// Appends the results of one die.
#[inline]
fn steps<const N: usize>(sides: PackedSides, die: u8, out: &mut SmallSet<N>) {
    let (mine, other) = unpack(sides);
    for i in 0..3 {
        if let Some((mine, other, _)) = step(mine, other, i, die) {
            out.push(pack(mine, other));
        }
    }
}

/// A sequence of single steps: from and to of each, in order.
pub(super) type StepSequence = Vec<(u8, u8)>;

/// Every sequence of steps of a roll, with its result. Sequences that could continue or use too few dice are
/// included; the caller, which has the legal plays, filters them.
pub(super) fn step_sequences(
    mine: Side,
    other: Side,
    (large, small): (u8, u8),
) -> Vec<(StepSequence, Side, Side)> {
    let mut sequences = Vec::new();
    if large == small {
        follow(mine, other, &[large; 4], &mut Vec::new(), &mut sequences);
    } else {
        follow(mine, other, &[large, small], &mut Vec::new(), &mut sequences);
        follow(mine, other, &[small, large], &mut Vec::new(), &mut sequences);
    }
    sequences
}

fn follow(
    mine: Side,
    other: Side,
    dice: &[u8],
    sequence: &mut StepSequence,
    sequences: &mut Vec<(StepSequence, Side, Side)>,
) {
    sequences.push((sequence.clone(), mine, other));
    let Some((&die, rest)) = dice.split_first() else { return };
    for i in 0..3 {
        if let Some((mine_after, other_after, to)) = step(mine, other, i, die) {
            sequence.push((mine[i], to));
            follow(mine_after, other_after, rest, sequence, sequences);
            sequence.pop();
        }
    }
}

/// Calls `show` with every result of a roll, or with the position itself if no checker can move.
pub(super) fn plays(mine: Side, other: Side, (large, small): (u8, u8), mut show: impl FnMut(Side, Side)) {
    let start = pack(mine, other);
    let mut results = RollResults::new();
    if large == small {
        results.push(start);
        for _ in 0..4 {
            let mut next = RollResults::new();
            results.all().iter().for_each(|&sides| steps(sides, large, &mut next));
            if next.len == 0 {
                break;
            }
            results = next;
        }
    } else {
        let (mut by_large, mut by_small) = (StepResults::new(), StepResults::new());
        steps(start, large, &mut by_large);
        steps(start, small, &mut by_small);
        by_large.all().iter().for_each(|&sides| steps(sides, small, &mut results));
        by_small.all().iter().for_each(|&sides| steps(sides, large, &mut results));
        if results.len == 0 {
            let one = if by_large.len > 0 { by_large } else { by_small };
            one.all().iter().for_each(|&sides| results.push(sides));
        }
        if results.len == 0 {
            results.push(start);
        }
    }
    for &sides in results.all() {
        let (mine, other) = unpack(sides);
        show(mine, other);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The maximal number of results of any roll, which must not exceed the capacity of the set.
    #[test]
    fn no_roll_has_more_results_than_fit() {
        let mut most = 0;
        for code in 0..26u32.pow(3) {
            let mine = sorted([(code % 26) as u8, (code / 26 % 26) as u8, (code / 676) as u8]);
            for other in [[25, 24, 23], [3, 2, 1], [12, 7, 2], [5, 5, 0]] {
                if mine.iter().any(|&place| (1..=24).contains(&place) && other.contains(&(25 - place))) {
                    continue;
                }
                for die in 1..=6 {
                    let mut count = 0;
                    plays(mine, other, (die, die), |_, _| count += 1);
                    most = most.max(count);
                }
            }
        }
        assert!((15..40).contains(&most), "{most}");
    }
}
