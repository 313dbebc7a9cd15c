//! Runs of equal values, block by block, stored as a struct of arrays.

/// Runs of a block, as a struct of arrays: value, first and last defined slot of each run. A run may contain
/// don't-cares.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Runs<'a, V> {
    pub(crate) values: &'a [V],
    pub(crate) firsts: &'a [u16],
    pub(crate) lasts: &'a [u16],
}

impl<V> Runs<'_, V> {
    /// Number of runs.
    pub(crate) fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether all slots are don't-cares.
    pub(crate) fn is_empty(&self) -> bool {
        self.values.is_empty()
    }
}

/// Runs of consecutive blocks.
pub(crate) struct Blocks<V> {
    values: Vec<V>,
    firsts: Vec<u16>,
    lasts: Vec<u16>,
    /// By completed block: the end of its runs.
    ends: Vec<usize>,
}

impl<V> Default for Blocks<V> {
    fn default() -> Blocks<V> {
        Blocks { values: Vec::new(), firsts: Vec::new(), lasts: Vec::new(), ends: Vec::new() }
    }
}

impl<V: Copy + PartialEq> Blocks<V> {
    /// Removes all runs.
    pub(crate) fn clear(&mut self) {
        self.values.clear();
        self.firsts.clear();
        self.lasts.clear();
        self.ends.clear();
    }

    /// Makes `block` the current block, which must not precede the current one; all blocks before it are completed.
    pub(crate) fn advance_to(&mut self, block: usize) {
        self.ends.resize(self.ends.len().max(block), self.values.len());
    }

    /// Appends runs to the current block, merging the first with the block's last run if the values are equal. Slots
    /// are relative to `base`.
    #[inline(always)]
    pub(crate) fn push(
        &mut self,
        base: u16,
        mut values: impl ExactSizeIterator<Item = V>,
        mut firsts: &[u8],
        mut lasts: &[u8],
    ) {
        let begin = self.ends.last().copied().unwrap_or(0);
        if let (Some(&before), &[first, ..], &[last, ..]) = (self.values[begin..].last(), firsts, lasts) {
            let Some(value) = values.next() else { return };
            let place = self.values.len() - 1;
            if before != value {
                self.values.push(value);
                self.firsts.push(base + u16::from(first));
                self.lasts.push(base + u16::from(last));
            } else {
                self.lasts[place] = base + u16::from(last);
            }
            (firsts, lasts) = (&firsts[1..], &lasts[1..]);
        }
        self.values.extend(values);
        self.firsts.extend(firsts.iter().map(|&first| base + u16::from(first)));
        self.lasts.extend(lasts.iter().map(|&last| base + u16::from(last)));
    }

    /// Number of completed blocks.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns the runs of a completed block.
    pub(crate) fn block(&self, block: usize) -> Runs<'_, V> {
        let begin = block.checked_sub(1).map_or(0, |before| self.ends[before]);
        let runs = begin..self.ends[block];
        Runs {
            values: &self.values[runs.clone()],
            firsts: &self.firsts[runs.clone()],
            lasts: &self.lasts[runs],
        }
    }

    /// Iterates over the runs of the completed blocks.
    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = Runs<'_, V>> {
        (0..self.ends.len()).map(|block| self.block(block))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_end_with_their_block() {
        let mut blocks = Blocks::default();
        let put = |blocks: &mut Blocks<u8>, base, values: &[u8], slots: &[u8]| {
            blocks.push(base, values.iter().copied(), slots, slots);
        };
        blocks.advance_to(1);
        put(&mut blocks, 0, &[3], &[1]);
        put(&mut blocks, 0, &[3, 4], &[2, 5]);
        blocks.advance_to(1);
        put(&mut blocks, 256, &[4], &[7]);
        blocks.advance_to(2);
        put(&mut blocks, 0, &[4], &[0]);
        blocks.advance_to(4);
        let of = |values, firsts, lasts| Runs { values, firsts, lasts };
        let found: Vec<Runs<'_, u8>> = blocks.iter().collect();
        let expected =
            [of(&[], &[], &[]), of(&[3, 4], &[1, 5], &[2, 263]), of(&[4], &[0], &[0]), of(&[], &[], &[])];
        assert_eq!(found, expected);
        assert_eq!(blocks.len(), 4);
        blocks.clear();
        assert_eq!(blocks.len(), 0);
    }
}
