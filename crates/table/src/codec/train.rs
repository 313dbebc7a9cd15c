//! Training of a tier's context model: symbol counts to normalised frequencies, and the encoder's tables.

use super::fit::LengthCosts;
use super::length::{self, ESCAPE, REST};
use super::model::{AliasInverse, FrequencyTables, Model, SymbolFrequency};
use super::rans::{EncodeStep, PRECISION, TOTAL};
use super::runs::Runs;
use rustc_hash::FxHashMap;

/// Counts of order-2 contexts and of length symbols by value.
///
/// Merging is commutative, so threads and ranks count independently.
pub(crate) struct TrainingCounts {
    values: usize,
    after: TrigramCounts,
    lengths: Vec<[u64; 256]>,
}

/// Counts of trigrams: a dense array for small alphabets, else a hash map.
enum TrigramCounts {
    Dense(Vec<u64>),
    Sparse(FxHashMap<Trigram, u64>),
}

/// A value and the two values before it, the earliest first.
type Trigram = (u8, u8, u8);

/// Largest dense array of counts: enough for 39 values.
const DENSE_LIMIT: usize = 1 << 16;

/// Symbols with their counts in one context.
type SymbolCounts = Vec<(u8, u64)>;

impl TrainingCounts {
    pub(crate) fn new(values: usize) -> TrainingCounts {
        let places = (values + 1) * (values + 1) * values;
        let after = if places <= DENSE_LIMIT {
            TrigramCounts::Dense(vec![0; places])
        } else {
            TrigramCounts::Sparse(FxHashMap::default())
        };
        TrainingCounts { values, after, lengths: vec![[0; 256]; values] }
    }

    #[inline]
    fn count(&mut self, (a, b, c): Trigram, times: u64) {
        match &mut self.after {
            TrigramCounts::Dense(counts) => {
                let before = usize::from(a) * (self.values + 1) + usize::from(b);
                counts[before * self.values + usize::from(c)] += times;
            }
            TrigramCounts::Sparse(counts) => *counts.entry((a, b, c)).or_default() += times,
        }
    }

    /// Returns all counted trigrams in order.
    fn counted(&self) -> Vec<(Trigram, u64)> {
        let mut counted: Vec<(Trigram, u64)> = match &self.after {
            TrigramCounts::Dense(counts) => {
                let trigram = |place: usize| {
                    let before = place / self.values;
                    let (a, b) = (before / (self.values + 1), before % (self.values + 1));
                    (a as u8, b as u8, (place % self.values) as u8)
                };
                let all = counts.iter().enumerate().map(|(place, &count)| (trigram(place), count));
                all.filter(|&(_, count)| count > 0).collect()
            }
            TrigramCounts::Sparse(counts) => {
                counts.iter().map(|(&trigram, &count)| (trigram, count)).collect()
            }
        };
        counted.sort_unstable();
        counted
    }

    /// Counts a block whose runs have these lengths; `costs` selects the symbol of each length.
    pub(crate) fn add(&mut self, runs: Runs<'_, u8>, lengths: &[u16], costs: &LengthCosts) {
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
    pub(crate) fn merge(mut self, other: TrainingCounts) -> TrainingCounts {
        match (&mut self.after, &other.after) {
            (TrigramCounts::Dense(mine), TrigramCounts::Dense(theirs)) => {
                mine.iter_mut().zip(theirs).for_each(|(mine, theirs)| *mine += theirs);
            }
            _ => other.counted().into_iter().for_each(|(trigram, count)| self.count(trigram, count)),
        }
        for (mine, theirs) in self.lengths.iter_mut().zip(other.lengths) {
            mine.iter_mut().zip(theirs).for_each(|(mine, theirs)| *mine += theirs);
        }
        self
    }

    /// Serialises the counts for other ranks.
    pub(crate) fn write(&self) -> Vec<u8> {
        let counted = self.counted();
        let mut numbers = vec![counted.len() as u64];
        for ((a, b, c), count) in counted {
            numbers.extend([u64::from(a) << 16 | u64::from(b) << 8 | u64::from(c), count]);
        }
        numbers.extend(self.lengths.iter().flatten());
        outplay_runtime::communicator::pack(&numbers)
    }

    /// Parses the output of [`TrainingCounts::write`].
    pub(crate) fn read(values: usize, bytes: &[u8]) -> TrainingCounts {
        let mut counts = TrainingCounts::new(values);
        let mut numbers = outplay_runtime::communicator::unpack(bytes);
        for _ in 0..numbers.next().unwrap_or(0) {
            let (key, count) = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
            counts.count(((key >> 16) as u8, (key >> 8) as u8, key as u8), count);
        }
        counts.lengths.iter_mut().flatten().zip(numbers).for_each(|(count, number)| *count = number);
        counts
    }

    /// Computes the frequencies from the counts.
    pub(crate) fn parts(&self, alphabet: Vec<u64>) -> FrequencyTables {
        let mut after_one: Vec<[u64; 256]> = vec![[0; 256]; self.values + 1];
        let keys = self.counted();
        for &((_, later, value), count) in &keys {
            after_one[usize::from(later)][usize::from(value)] += count;
        }
        let after_one: Vec<Vec<SymbolFrequency>> =
            after_one.iter().map(|counts| shares(&listed(counts))).collect();
        let mut after_two = Vec::new();
        for group in keys.chunk_by(|((a, b, _), _), ((c, d, _), _)| (a, b) == (c, d)) {
            let (earlier, later, _) = group[0].0;
            let seen: SymbolCounts = group.iter().map(|&((_, _, value), count)| (value, count)).collect();
            let own = shares(&seen);
            let shared = &after_one[usize::from(later)];
            // A frequency takes about two bytes on disk: an order-2 context must save more than it costs.
            let price = (16 + 16 * own.len() as u64) << 8;
            if cost(&seen, &own, Some(shared)) + price < cost(&seen, shared, None) {
                after_two.push((earlier, later, own));
            }
        }
        let lengths = self.lengths.iter().map(|counts| shares(&listed(counts))).collect();
        FrequencyTables { alphabet, after_one, lengths, after_two }
    }
}

fn listed(counts: &[u64; 256]) -> SymbolCounts {
    (0..=255).zip(counts.iter().copied()).filter(|&(_, count)| count > 0).collect()
}

/// Frequencies in proportion to counts, in descending order; symbols counted once are left to the escape.
fn shares(seen: &SymbolCounts) -> Vec<SymbolFrequency> {
    let mut listed: SymbolCounts = Vec::with_capacity(seen.len() + 1);
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
    let mut shares: Vec<SymbolFrequency> = listed
        .iter()
        .map(|&(symbol, count)| SymbolFrequency {
            symbol,
            freq: 1 + (u128::from(count) * scale / u128::from(total)) as u32,
        })
        .collect();
    // The remainder of rounding down goes to the largest frequency, where it matters least.
    let sum: u32 = shares.iter().map(|share| share.freq).sum();
    shares[0].freq += TOTAL - sum;
    shares
}

/// Cost of coding these counts with some frequencies, in 1/256 bit; escaped symbols fall back to `next`.
fn cost(seen: &SymbolCounts, shares: &[SymbolFrequency], next: Option<&Vec<SymbolFrequency>>) -> u64 {
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

/// Cost of each symbol in 1/256 bit; the maximum for an absent symbol.
fn symbol_costs(shares: &[SymbolFrequency]) -> [u16; 256] {
    let mut costs = [u16::MAX; 256];
    for share in shares {
        costs[usize::from(share.symbol)] = ((PRECISION << 8) - log2(share.freq)) as u16;
    }
    costs
}

/// Binary logarithm of a number below 2¹³, times 256, by repeated squaring: integer arithmetic, hence reproducible.
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

/// Tables that encode a block.
pub(crate) struct EncoderTables {
    pub(crate) model: Model,
    pub(crate) inverse: AliasInverse,
    /// Costs by value and length.
    pub(crate) costs: LengthCosts,
    pub(crate) cache: StepCache,
}

/// Lookup table of single-step symbols; an empty step marks a symbol that takes several steps.
pub(crate) struct StepCache {
    values: usize,
    slots: usize,
    /// By the two values before and the value; empty for large alphabets.
    after: Vec<EncodeStep>,
    /// By value and length.
    lengths: Vec<EncodeStep>,
}

impl StepCache {
    fn new(model: &Model, inverse: &AliasInverse, costs: &LengthCosts, slots: u32) -> StepCache {
        let values = model.values();
        let mut cache = StepCache { values, slots: slots as usize, after: Vec::new(), lengths: Vec::new() };
        let step = |distribution, symbol| inverse.step(distribution, symbol).unwrap_or(EncodeStep::NONE);
        if (values + 1) * (values + 1) * values <= DENSE_LIMIT {
            for (earlier, later) in (0..=values as u8).flat_map(|a| (0..=values as u8).map(move |b| (a, b))) {
                let distribution = model.value_after(earlier, later);
                cache.after.extend((0..values as u8).map(|value| step(distribution, value)));
            }
        }
        for value in 0..values as u8 {
            let distribution = model.length_of(value);
            cache.lengths.extend((1..=slots as u16).map(|length| {
                let symbol = costs.symbol(value, length);
                let alone = u32::from(symbol) < length::RANGES;
                if alone { step(distribution, symbol) } else { EncodeStep::NONE }
            }));
        }
        cache
    }

    /// Returns the step of a value after two values.
    #[inline(always)]
    pub(crate) fn value(&self, earlier: u8, later: u8, value: u8) -> Option<EncodeStep> {
        let before = usize::from(earlier) * (self.values + 1) + usize::from(later);
        let step = self.after.get(before * self.values + usize::from(value))?;
        Some(*step).filter(|step| step.freq > 0)
    }

    /// Returns the step of a length, for a run that is not the last one.
    #[inline(always)]
    pub(crate) fn length(&self, value: u8, length: u16) -> Option<EncodeStep> {
        let step = self.lengths.get(usize::from(value) * self.slots + usize::from(length) - 1)?;
        Some(*step).filter(|step| step.freq > 0)
    }
}

impl EncoderTables {
    /// Builds the tables for blocks with `slots` slots.
    pub(crate) fn new(parts: &FrequencyTables, slots: u32) -> Option<EncoderTables> {
        let model = Model::new(parts)?;
        let inverse = model.inverse();
        let costs = LengthCosts::new(slots, &length_costs(parts));
        let cache = StepCache::new(&model, &inverse, &costs, slots);
        Some(EncoderTables { model, inverse, costs, cache })
    }
}

/// Cost of each length symbol in a model, by value.
pub(crate) fn length_costs(parts: &FrequencyTables) -> Vec<[u16; 256]> {
    parts.lengths.iter().map(|shares| symbol_costs(shares)).collect()
}

/// Prior costs of lengths for the first training round: short and round lengths are cheaper.
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
