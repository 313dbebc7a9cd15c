//! All plays of a roll, each result once.

/// Three checkers, the furthest first.
pub(super) type Side = [u8; 3];

pub(super) const BAR: u8 = 25;
pub(super) const OFF: u8 = 0;

/// Both sides after some steps: six places, a byte each, so that comparing two is one instruction.
type Stand = u64;

#[inline]
fn pack([a, b, c]: Side, [d, e, f]: Side) -> Stand {
    u64::from_le_bytes([a, b, c, d, e, f, 0, 0])
}

#[inline]
fn unpack(stand: Stand) -> (Side, Side) {
    let [a, b, c, d, e, f, _, _] = stand.to_le_bytes();
    ([a, b, c], [d, e, f])
}

/// A short list without repetitions, on the stack.
struct Few<const N: usize> {
    stands: [Stand; N],
    len: usize,
}

/// Results of one step: there are three checkers.
type Three = Few<4>;
/// Results of a whole roll; a test sees to it that this is enough.
type Many = Few<40>;

impl<const N: usize> Few<N> {
    #[inline]
    fn new() -> Few<N> {
        Few { stands: [0; N], len: 0 }
    }

    #[inline]
    fn push(&mut self, stand: Stand) {
        if !self.all().contains(&stand) {
            self.stands[self.len] = stand;
            self.len += 1;
        }
    }

    #[inline]
    fn all(&self) -> &[Stand] {
        &self.stands[..self.len]
    }
}

/// Sorts three places, the largest first.
#[inline]
fn sorted([a, b, c]: Side) -> Side {
    let (a, b) = (a.max(b), a.min(b));
    let (b, c) = (b.max(c), b.min(c));
    [a.max(b), a.min(b), c]
}

/// What a die does with the checker in a place of the list, if the rules allow it; the furthest checker stands first.
#[inline]
fn step(mine: Side, other: Side, i: usize, die: u8) -> Option<(Side, Side, u8)> {
    let from = mine[i];
    // The furthest checker comes first, so a checker on the bar hides the others.
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
            // A lone checker is hit.
            1 => other_after = sorted(other.map(|place| if place == theirs { BAR } else { place })),
            _ => return None,
        }
        mine_after[i] = to;
    } else {
        // Bearing off: everything is home, and a larger die than needed moves the furthest checker only.
        if mine[0] > 6 || (from < die && from != mine[0]) {
            return None;
        }
        mine_after[i] = OFF;
    }
    Some((sorted(mine_after), other_after, mine_after[i]))
}

/// Appends what one die can do.
#[inline]
fn steps<const N: usize>(stand: Stand, die: u8, out: &mut Few<N>) {
    let (mine, other) = unpack(stand);
    for i in 0..3 {
        if let Some((mine, other, _)) = step(mine, other, i, die) {
            out.push(pack(mine, other));
        }
    }
}

/// A way to play a roll: from and to of each step, in order.
pub(super) type Way = Vec<(u8, u8)>;

/// Every way to play a roll step by step, with where it ends; ways that could go on or use too few dice are left to
/// the caller, who knows the plays.
pub(super) fn ways(mine: Side, other: Side, (large, small): (u8, u8)) -> Vec<(Way, Side, Side)> {
    let mut ways = Vec::new();
    if large == small {
        follow(mine, other, &[large; 4], &mut Vec::new(), &mut ways);
    } else {
        follow(mine, other, &[large, small], &mut Vec::new(), &mut ways);
        follow(mine, other, &[small, large], &mut Vec::new(), &mut ways);
    }
    ways
}

fn follow(mine: Side, other: Side, dice: &[u8], way: &mut Way, ways: &mut Vec<(Way, Side, Side)>) {
    ways.push((way.clone(), mine, other));
    let Some((&die, rest)) = dice.split_first() else { return };
    for i in 0..3 {
        if let Some((mine_after, other_after, to)) = step(mine, other, i, die) {
            way.push((mine[i], to));
            follow(mine_after, other_after, rest, way, ways);
            way.pop();
        }
    }
}

/// Shows every result of a roll, or the position itself if nothing can move.
pub(super) fn plays(mine: Side, other: Side, (large, small): (u8, u8), mut show: impl FnMut(Side, Side)) {
    let start = pack(mine, other);
    let mut results = Many::new();
    if large == small {
        results.push(start);
        for _ in 0..4 {
            let mut next = Many::new();
            results.all().iter().for_each(|&stand| steps(stand, large, &mut next));
            if next.len == 0 {
                break;
            }
            results = next;
        }
    } else {
        let (mut by_large, mut by_small) = (Three::new(), Three::new());
        steps(start, large, &mut by_large);
        steps(start, small, &mut by_small);
        by_large.all().iter().for_each(|&stand| steps(stand, small, &mut results));
        by_small.all().iter().for_each(|&stand| steps(stand, large, &mut results));
        if results.len == 0 {
            let one = if by_large.len > 0 { by_large } else { by_small };
            one.all().iter().for_each(|&stand| results.push(stand));
        }
        if results.len == 0 {
            results.push(start);
        }
    }
    for &stand in results.all() {
        let (mine, other) = unpack(stand);
        show(mine, other);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The most results any roll has, so that the short list is long enough.
    #[test]
    fn results_are_few() {
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
