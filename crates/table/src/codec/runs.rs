//! Slots as runs of equal values, with what is free about their ends.

/// Equal values in a row, don't-cares between them included: the value, the first slot that counts and the last one. Of a
/// block, each in a list of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Runs<'a, V> {
    pub(crate) values: &'a [V],
    pub(crate) firsts: &'a [u16],
    pub(crate) lasts: &'a [u16],
}

impl<V> Runs<'_, V> {
    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether all slots are don't-cares.
    pub(crate) fn is_empty(&self) -> bool {
        self.values.is_empty()
    }
}

/// The runs of blocks, one block after the other.
pub(crate) struct Blocks<V> {
    values: Vec<V>,
    firsts: Vec<u16>,
    lasts: Vec<u16>,
    /// Where the runs of each block end that is done with.
    ends: Vec<usize>,
}

impl<V> Default for Blocks<V> {
    fn default() -> Blocks<V> {
        Blocks { values: Vec::new(), firsts: Vec::new(), lasts: Vec::new(), ends: Vec::new() }
    }
}

impl<V: Copy + PartialEq> Blocks<V> {
    /// Forgets all runs.
    pub(crate) fn clear(&mut self) {
        self.values.clear();
        self.firsts.clear();
        self.lasts.clear();
        self.ends.clear();
    }

    /// Goes on with a block, which does not lie before the one that was gone on with last; all before it are done with.
    pub(crate) fn go_on(&mut self, block: usize) {
        self.ends.resize(self.ends.len().max(block), self.values.len());
    }

    /// Appends runs to the block, the first of them to the last one there if the value is the same. Their slots are counted
    /// from `base` on.
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

    /// How many blocks are done with.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The runs of a block that is done with.
    pub(crate) fn block(&self, block: usize) -> Runs<'_, V> {
        let begin = block.checked_sub(1).map_or(0, |before| self.ends[before]);
        let runs = begin..self.ends[block];
        Runs {
            values: &self.values[runs.clone()],
            firsts: &self.firsts[runs.clone()],
            lasts: &self.lasts[runs],
        }
    }

    /// The runs of each block that is done with.
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
        blocks.go_on(1);
        put(&mut blocks, 0, &[3], &[1]);
        put(&mut blocks, 0, &[3, 4], &[2, 5]);
        blocks.go_on(1);
        put(&mut blocks, 256, &[4], &[7]);
        blocks.go_on(2);
        put(&mut blocks, 0, &[4], &[0]);
        blocks.go_on(4);
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
