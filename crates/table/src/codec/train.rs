//! From counts to frequencies: the encoder's half of the model.

use super::fit::Costs;
use super::length::{self, ESCAPE, REST};
use super::model::{Model, Numbers, Parts, Share};
use super::rans::{PRECISION, Step, TOTAL};
use super::runs::Runs;
use rustc_hash::FxHashMap;

/// How often each value follows two others and each length symbol a value.
///
/// Counts add up in any order, so that threads may count apart.
pub(crate) struct Counts {
    values: usize,
    after: After,
    lengths: Vec<[u64; 256]>,
}

/// How often values followed two others: by place where there are few, else by looking them up.
enum After {
    Few(Vec<u64>),
    Many(FxHashMap<Three, u64>),
}

/// A value and the two before it, the earliest first.
type Three = (u8, u8, u8);

/// Numbers by place that are worth their memory: those of up to 39 values.
const FEW: usize = 1 << 16;

/// Counts of values in a context, by symbol.
type Seen = Vec<(u8, u64)>;

impl Counts {
    pub(crate) fn new(values: usize) -> Counts {
        let places = (values + 1) * (values + 1) * values;
        let after =
            if places <= FEW { After::Few(vec![0; places]) } else { After::Many(FxHashMap::default()) };
        Counts { values, after, lengths: vec![[0; 256]; values] }
    }

    #[inline]
    fn count(&mut self, (a, b, c): Three, times: u64) {
        match &mut self.after {
            After::Few(counts) => {
                let before = usize::from(a) * (self.values + 1) + usize::from(b);
                counts[before * self.values + usize::from(c)] += times;
            }
            After::Many(counts) => *counts.entry((a, b, c)).or_default() += times,
        }
    }

    /// All that was counted, in order.
    fn counted(&self) -> Vec<(Three, u64)> {
        let mut counted: Vec<(Three, u64)> = match &self.after {
            After::Few(counts) => {
                let three = |place: usize| {
                    let before = place / self.values;
                    let (a, b) = (before / (self.values + 1), before % (self.values + 1));
                    (a as u8, b as u8, (place % self.values) as u8)
                };
                let all = counts.iter().enumerate().map(|(place, &count)| (three(place), count));
                all.filter(|&(_, count)| count > 0).collect()
            }
            After::Many(counts) => counts.iter().map(|(&three, &count)| (three, count)).collect(),
        };
        counted.sort_unstable();
        counted
    }

    /// Counts a block whose runs have these lengths; `costs` says how a length is said.
    pub(crate) fn add(&mut self, runs: Runs<'_, u8>, lengths: &[u16], costs: &Costs) {
        let nothing = self.values as u8;
        let mut before = (nothing, nothing);
        for (i, &value) in runs.values.iter().enumerate() {
            self.count((before.0, before.1, value), 1);
            before = (before.1, value);
            let symbol = lengths.get(i).map_or(REST, |&length| costs.symbol(value, length));
            self.lengths[usize::from(value)][usize::from(symbol)] += 1;
        }
    }

    /// Adds the counts of another thread.
    pub(crate) fn merge(mut self, other: Counts) -> Counts {
        match (&mut self.after, &other.after) {
            (After::Few(mine), After::Few(theirs)) => {
                mine.iter_mut().zip(theirs).for_each(|(mine, theirs)| *mine += theirs);
            }
            _ => other.counted().into_iter().for_each(|(three, count)| self.count(three, count)),
        }
        for (mine, theirs) in self.lengths.iter_mut().zip(other.lengths) {
            mine.iter_mut().zip(theirs).for_each(|(mine, theirs)| *mine += theirs);
        }
        self
    }

    /// The counts as bytes, for other processes.
    pub(crate) fn write(&self) -> Vec<u8> {
        let counted = self.counted();
        let mut numbers = vec![counted.len() as u64];
        for ((a, b, c), count) in counted {
            numbers.extend([u64::from(a) << 16 | u64::from(b) << 8 | u64::from(c), count]);
        }
        numbers.extend(self.lengths.iter().flatten());
        outplay_core::crew::pack(&numbers)
    }

    /// The counts that [`Counts::write`] wrote.
    pub(crate) fn read(values: usize, bytes: &[u8]) -> Counts {
        let mut counts = Counts::new(values);
        let mut numbers = outplay_core::crew::unpack(bytes);
        for _ in 0..numbers.next().unwrap_or(0) {
            let (key, count) = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
            counts.count(((key >> 16) as u8, (key >> 8) as u8, key as u8), count);
        }
        counts.lengths.iter_mut().flatten().zip(numbers).for_each(|(count, number)| *count = number);
        counts
    }

    /// The model that codes what was counted.
    pub(crate) fn parts(&self, alphabet: Vec<u64>) -> Parts {
        let mut after_one: Vec<[u64; 256]> = vec![[0; 256]; self.values + 1];
        let keys = self.counted();
        for &((_, later, value), count) in &keys {
            after_one[usize::from(later)][usize::from(value)] += count;
        }
        let after_one: Vec<Vec<Share>> = after_one.iter().map(|counts| shares(&listed(counts))).collect();
        let mut after_two = Vec::new();
        for group in keys.chunk_by(|((a, b, _), _), ((c, d, _), _)| (a, b) == (c, d)) {
            let (earlier, later, _) = group[0].0;
            let seen: Seen = group.iter().map(|&((_, _, value), count)| (value, count)).collect();
            let own = shares(&seen);
            let shared = &after_one[usize::from(later)];
            // A share takes about two bytes on disk: knowing both values must save more than that.
            let price = (16 + 16 * own.len() as u64) << 8;
            if cost(&seen, &own, Some(shared)) + price < cost(&seen, shared, None) {
                after_two.push((earlier, later, own));
            }
        }
        let lengths = self.lengths.iter().map(|counts| shares(&listed(counts))).collect();
        Parts { alphabet, after_one, lengths, after_two }
    }
}

fn listed(counts: &[u64; 256]) -> Seen {
    (0..=255).zip(counts.iter().copied()).filter(|&(_, count)| count > 0).collect()
}

/// Shares in proportion to counts, the large ones first; what was seen once is left to the escape.
fn shares(seen: &Seen) -> Vec<Share> {
    let mut listed: Seen = Vec::with_capacity(seen.len() + 1);
    let mut escaped = 1;
    for &(symbol, count) in seen {
        if count < 2 || symbol == ESCAPE {
            escaped += count;
        } else {
            listed.push((symbol, count));
        }
    }
    listed.push((ESCAPE, escaped));
    listed.sort_by_key(|&(symbol, count)| (std::cmp::Reverse(count), symbol));
    let total: u64 = listed.iter().map(|&(_, count)| count).sum();
    let scale = u128::from(TOTAL - listed.len() as u32);
    let mut shares: Vec<Share> = listed
        .iter()
        .map(|&(symbol, count)| Share {
            symbol,
            freq: 1 + (u128::from(count) * scale / u128::from(total)) as u32,
        })
        .collect();
    // Rounding down leaves a little, which goes where it matters least.
    let sum: u32 = shares.iter().map(|share| share.freq).sum();
    shares[0].freq += TOTAL - sum;
    shares
}

/// What it costs to code what was seen with some shares, escapes going on to `next`.
fn cost(seen: &Seen, shares: &[Share], next: Option<&Vec<Share>>) -> u64 {
    let own = symbol_costs(shares);
    let others = next.map(|shares| symbol_costs(shares));
    let of = |symbol: u8| -> u64 {
        let cost = own[usize::from(symbol)];
        if cost < u16::MAX {
            return cost.into();
        }
        let onwards = match &others {
            Some(others) if others[usize::from(symbol)] < u16::MAX => others[usize::from(symbol)].into(),
            Some(others) => u64::from(others[usize::from(ESCAPE)]) + (8 << 8),
            None => 8 << 8,
        };
        u64::from(own[usize::from(ESCAPE)]) + onwards
    };
    seen.iter().map(|&(symbol, count)| count * of(symbol)).sum()
}

/// What each symbol costs in 1/256 bit; the maximum where it has no share.
fn symbol_costs(shares: &[Share]) -> [u16; 256] {
    let mut costs = [u16::MAX; 256];
    for share in shares {
        costs[usize::from(share.symbol)] = ((PRECISION << 8) - log2(share.freq)) as u16;
    }
    costs
}

/// The logarithm of a number below 2¹³ to base 2, times 256, by squaring: the same on every machine.
fn log2(number: u32) -> u32 {
    let whole = number.ilog2();
    let mut fraction = u64::from(number) << (31 - whole);
    let mut bits = whole;
    for _ in 0..8 {
        fraction = (fraction * fraction) >> 31;
        bits <<= 1;
        if fraction >= 1 << 32 {
            fraction >>= 1;
            bits |= 1;
        }
    }
    bits
}

/// Everything that encoding a block needs.
pub(crate) struct Coding {
    pub(crate) model: Model,
    pub(crate) numbers: Numbers,
    /// By value and length.
    pub(crate) costs: Costs,
    pub(crate) quick: Quick,
}

/// What most runs put, ready to be looked up: a step that is empty takes more than one.
pub(crate) struct Quick {
    values: usize,
    slots: usize,
    /// By the two values before and the value, where they are few.
    after: Vec<Step>,
    /// By value and length.
    lengths: Vec<Step>,
}

impl Quick {
    fn new(model: &Model, numbers: &Numbers, costs: &Costs, slots: u32) -> Quick {
        let values = model.values();
        let mut quick = Quick { values, slots: slots as usize, after: Vec::new(), lengths: Vec::new() };
        let step = |distribution, symbol| numbers.step(distribution, symbol).unwrap_or(Step::NONE);
        if (values + 1) * (values + 1) * values <= FEW {
            for (earlier, later) in (0..=values as u8).flat_map(|a| (0..=values as u8).map(move |b| (a, b))) {
                let distribution = model.value_after(earlier, later);
                quick.after.extend((0..values as u8).map(|value| step(distribution, value)));
            }
        }
        for value in 0..values as u8 {
            let distribution = model.length_of(value);
            quick.lengths.extend((1..=slots as u16).map(|length| {
                let symbol = costs.symbol(value, length);
                let alone = u32::from(symbol) < length::RANGES;
                if alone { step(distribution, symbol) } else { Step::NONE }
            }));
        }
        quick
    }

    /// What puts a value after two others.
    #[inline(always)]
    pub(crate) fn value(&self, earlier: u8, later: u8, value: u8) -> Option<Step> {
        let before = usize::from(earlier) * (self.values + 1) + usize::from(later);
        let step = self.after.get(before * self.values + usize::from(value))?;
        Some(*step).filter(|step| step.freq > 0)
    }

    /// What puts the length of a run that is not the last one.
    #[inline(always)]
    pub(crate) fn length(&self, value: u8, length: u16) -> Option<Step> {
        let step = self.lengths.get(usize::from(value) * self.slots + usize::from(length) - 1)?;
        Some(*step).filter(|step| step.freq > 0)
    }
}

impl Coding {
    /// Makes the tables for blocks of that many slots.
    pub(crate) fn new(parts: &Parts, slots: u32) -> Option<Coding> {
        let model = Model::new(parts)?;
        let numbers = model.numbers();
        let costs = Costs::new(slots, &length_costs(parts));
        let quick = Quick::new(&model, &numbers, &costs, slots);
        Some(Coding { model, numbers, costs, quick })
    }
}

/// By value: what each length symbol costs in a model.
pub(crate) fn length_costs(parts: &Parts) -> Vec<[u16; 256]> {
    parts.lengths.iter().map(|shares| symbol_costs(shares)).collect()
}

/// What lengths cost before anything is known: short and round ones less than others.
pub(crate) fn first_costs(values: usize) -> Vec<[u16; 256]> {
    let mut costs = [u16::MAX; 256];
    for symbol in 0..=255 {
        let cost = match length::length(symbol) {
            None => continue,
            Some(length::Length::Rest) => 4,
            Some(length::Length::Exact(length)) => 2 + (length + 1).ilog2() + length.ilog2() / 2,
            Some(length::Length::Range(least, _)) => 2 + 2 * least.ilog2(),
            Some(length::Length::Escape) => 20,
        };
        costs[usize::from(symbol)] = (cost << 8) as u16;
    }
    vec![costs; values]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_are_right() {
        for n in 1..=TOTAL {
            let exact = f64::from(n).log2() * 256.0;
            assert!((f64::from(log2(n)) - exact).abs() < 1.01, "{n}");
        }
    }

    #[test]
    fn shares_add_up() {
        for seen in [vec![], vec![(3, 1)], vec![(0, 1 << 40), (1, 5)], (0..255).map(|s| (s, 9)).collect()] {
            let shares = shares(&seen);
            assert_eq!(shares.iter().map(|share| share.freq).sum::<u32>(), TOTAL);
            assert!(shares.iter().all(|share| share.freq > 0));
            assert!(shares.iter().any(|share| share.symbol == ESCAPE));
        }
    }
}
