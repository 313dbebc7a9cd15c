//! Reader of a tier file: header, model and index in memory, blocks on disk.
//!
//! Blocks are read by positional reads, not through a memory map: truncating an open file then causes an error
//! instead of a SIGBUS, and one small read costs less than decoding its block.

use crate::TableError;
use crate::codec::block::BlockDecoder;
use crate::codec::length::LONGEST;
use crate::codec::model::{FrequencyTables, Model};
use crate::disk::{open_regular, read_at};
use crate::error::file_name;
use crate::header::{BadHeader, Codec, HEADER, Header, block_checksum};
use crate::identity::Identity;
use crate::manifest::TierEntry;
use outplay_core::Tier;
use outplay_runtime::varint::read_varint;
use outplay_runtime::{Monitor, threads};
use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use xxhash_rust::xxh3::Xxh3;

/// Progress stage in which the files of a table are verified.
pub(crate) const CHECKING: &str = "checking the table";

/// Blocks between two stored offsets.
const STRIDE: usize = 16;
/// Size limit of a decompressed model: every possible distribution.
const LARGEST_MODEL: u32 = 64 << 20;

pub(crate) struct TierFile {
    file: File,
    label: String,
    spec: String,
    tier: Tier,
    header: Header,
    /// `None` for blocks of raw cells.
    model: Option<Model>,
    /// Offset of every sixteenth block.
    offsets: Vec<u64>,
    sizes: Vec<u32>,
    width: usize,
}

/// A block in memory.
#[derive(Default)]
pub(crate) struct Block {
    number: u64,
    slots: u32,
    /// Stored bytes with the checksum; empty if all slots are don't-cares.
    bytes: Vec<u8>,
    runs: BlockDecoder,
    /// The cells of a raw block, as bytes.
    cells: Vec<u8>,
}

impl TierFile {
    /// Opens the file of a tier and verifies everything but the blocks.
    pub(crate) fn open(
        dir: &Path,
        table: &str,
        identity: &Identity,
        tier: Tier,
        known: Option<TierEntry>,
    ) -> Result<TierFile, TableError> {
        let name = file_name(tier);
        let path = dir.join(&name);
        let (label, spec) = (format!("{table}/{name}"), identity.spec.clone());
        let fail = |e: io::Error| match e.kind() {
            io::ErrorKind::NotFound => TableError::NoTier { table: table.into(), spec: spec.clone(), tier },
            _ => TableError::io("read it", &path, &spec, e),
        };
        let damaged = |what: &str| TableError::Damaged {
            file: label.clone(),
            what: what.into(),
            spec: spec.clone(),
            tier: Some(tier),
        };
        let (file, is) = open_regular(&path).map_err(fail)?;
        let truncated =
            |should| TableError::Truncated { file: label.clone(), is, should, spec: spec.clone(), tier };
        if let Some(should) = known.map(|known| known.bytes).filter(|&bytes| bytes != is) {
            return Err(truncated(should));
        }
        if is < HEADER as u64 {
            return Err(truncated(HEADER as u64));
        }
        let mut bytes = [0; HEADER];
        read_at(&file, &mut bytes, 0).map_err(fail)?;
        let header = Header::read(&bytes).map_err(|bad| match bad {
            BadHeader::Version(found) => {
                TableError::Version { file: label.clone(), found: found.into(), spec: spec.clone() }
            }
            BadHeader::Damaged => damaged("the header"),
        })?;
        let slots = identity.slots.get(tier.0 as usize).copied();
        if (header.identity, header.tier, Some(header.slots)) != (identity.number(), tier.0, slots) {
            return Err(TableError::OtherGame {
                table: label.clone(),
                wanted: format!("tier {} of `{}`", tier.0, identity.spec),
                found: "another tier or game".into(),
                spec,
            });
        }
        if known.is_some_and(|known| known.seal != header.seal()) {
            return Err(damaged("the header"));
        }
        match header.file_bytes() {
            Some(should) if should == is => {}
            should => return Err(truncated(should.unwrap_or(u64::MAX))),
        }
        // The parts add up to the file's size, so none of them is larger than the file.
        let read = |place: u64, length: u64| -> Result<Vec<u8>, TableError> {
            let mut bytes = vec![0; length as usize];
            read_at(&file, &mut bytes, place).map_err(fail)?;
            Ok(bytes)
        };
        let model = read(HEADER as u64, header.model_bytes.into())?;
        let index = read(is - header.index_bytes, header.index_bytes)?;
        let mut body = Xxh3::new();
        body.update(&model);
        body.update(&index);
        if body.digest() != header.body_checksum {
            return Err(damaged("the index"));
        }
        let (model, offsets, sizes) = parse(&header, identity, &model, &index).ok_or(damaged("the index"))?;
        let width = identity.cell.bytes();
        Ok(TierFile { file, label, spec, tier, header, model, offsets, sizes, width })
    }

    /// Returns the manifest entry of this file.
    pub(crate) fn written(&self) -> TierEntry {
        // `open` compared this with the file's size.
        TierEntry { bytes: self.header.file_bytes().unwrap_or(0), seal: self.header.seal() }
    }

    pub(crate) fn slots(&self) -> u64 {
        self.header.slots
    }

    /// Returns the block of a slot, and the slot's index within the block.
    #[inline]
    pub(crate) fn block_of(&self, slot: u64) -> (u64, u32) {
        let size = u64::from(self.header.block_slots);
        (slot / size, (slot % size) as u32)
    }

    pub(crate) fn blocks(&self) -> u64 {
        self.sizes.len() as u64
    }

    /// Returns the range of a block's slots.
    pub(crate) fn range(&self, block: u64) -> Range<u64> {
        let size = u64::from(self.header.block_slots);
        block * size..((block + 1) * size).min(self.header.slots)
    }

    /// Reads a block and verifies its checksum; its runs are decoded on demand.
    pub(crate) fn read(&self, number: u64, block: &mut Block) -> Result<(), TableError> {
        let place = number as usize;
        let size = self.sizes[place] as usize;
        let range = self.range(number);
        block.number = number;
        block.slots = (range.end - range.start) as u32;
        block.bytes.resize(size, 0);
        if size == 0 {
            return Ok(());
        }
        let from = place / STRIDE * STRIDE;
        let before: u64 = self.sizes[from..place].iter().map(|&size| u64::from(size)).sum();
        read_at(&self.file, &mut block.bytes, self.offsets[place / STRIDE] + before)
            .map_err(|e| self.unreadable(e))?;
        self.verify(block).ok_or_else(|| self.damaged(number))
    }

    fn verify(&self, block: &mut Block) -> Option<()> {
        let (checksum, bytes) = block.bytes.split_first_chunk::<4>()?;
        if block_checksum(self.header.identity, self.header.tier, block.number, bytes) != *checksum {
            return None;
        }
        if self.model.is_some() {
            return block.runs.begin(bytes);
        }
        block.cells.resize(block.slots as usize * self.width, 0);
        let unpacked = zstd::bulk::decompress_to_buffer(bytes, &mut block.cells).ok()?;
        (unpacked == block.cells.len()).then_some(())
    }

    fn damaged(&self, number: u64) -> TableError {
        TableError::Damaged {
            file: self.label.clone(),
            what: format!("block {number}"),
            spec: self.spec.clone(),
            tier: Some(self.tier),
        }
    }

    fn stopped(&self) -> TableError {
        let table = self.label.split('/').next().unwrap_or_default().into();
        TableError::Stopped { table, tier: self.tier, spec: self.spec.clone() }
    }

    fn unreadable(&self, error: io::Error) -> TableError {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => TableError::Truncated {
                file: self.label.clone(),
                is: self.file.metadata().map_or(0, |data| data.len()),
                should: self.header.file_bytes().unwrap_or(0),
                spec: self.spec.clone(),
                tier: self.tier,
            },
            _ => TableError::io("read it", Path::new(&self.label), &self.spec, error),
        }
    }

    /// Returns the cell at a slot of a block that was read, as a bit pattern; `None` if the whole block is
    /// don't-cares.
    #[inline]
    pub(crate) fn cell(&self, block: &mut Block, slot: u32) -> Result<Option<u64>, TableError> {
        if block.bytes.is_empty() {
            return Ok(None);
        }
        Ok(Some(match &self.model {
            Some(model) => {
                let reached = block.runs.reach(model, &block.bytes[4..], block.slots, slot);
                reached.ok_or_else(|| self.damaged(block.number))?;
                model.cell(block.runs.at(slot))
            }
            None => {
                let mut cell = [0; 8];
                let place = slot as usize * self.width;
                cell[..self.width].copy_from_slice(&block.cells[place..place + self.width]);
                u64::from_le_bytes(cell)
            }
        }))
    }

    /// Visits the runs of a block that was read: number of slots and bit pattern.
    pub(crate) fn each_run(
        &self,
        block: &mut Block,
        visit: &mut dyn FnMut(usize, Option<u64>),
    ) -> Result<(), TableError> {
        match &self.model {
            _ if block.bytes.is_empty() => visit(block.slots as usize, None),
            Some(model) => {
                self.cell(block, block.slots - 1)?;
                let mut start = 0;
                for (&end, &symbol) in block.runs.ends.iter().zip(&block.runs.symbols) {
                    visit((end - start) as usize, Some(model.cell(symbol)));
                    start = end;
                }
            }
            None => {
                for slot in 0..block.slots {
                    visit(1, self.cell(block, slot)?);
                }
            }
        }
        Ok(())
    }

    /// Reads, verifies and decodes every block, and reports progress in slots.
    pub(crate) fn check(&self, monitor: &dyn Monitor) -> Result<(), TableError> {
        self.each_block(&|_, block| {
            if monitor.stopped() {
                return Err(self.stopped());
            }
            monitor.advance(block.slots.into());
            self.cell(block, block.slots - 1).map(|_| ())
        })
    }

    /// Reads every block and passes it to `show`, on all threads.
    pub(crate) fn each_block(
        &self,
        show: &(dyn Fn(u64, &mut Block) -> Result<(), TableError> + Sync),
    ) -> Result<(), TableError> {
        let spare: Mutex<Vec<Block>> = Mutex::default();
        let spare = || spare.lock().unwrap_or_else(PoisonError::into_inner);
        threads::try_each(self.blocks() as usize, &|number| {
            let taken = spare().pop();
            let mut block = taken.unwrap_or_default();
            self.read(number as u64, &mut block)?;
            show(number as u64, &mut block)?;
            spare().push(block);
            Ok(())
        })
    }
}

/// Parses model and index, which have passed their checksum but may still be hostile.
fn parse(
    header: &Header,
    identity: &Identity,
    model: &[u8],
    index: &[u8],
) -> Option<(Option<Model>, Vec<u64>, Vec<u32>)> {
    let block = header.block_slots;
    if header.cell != identity.cell.number() || !block.is_power_of_two() || block > LONGEST {
        return None;
    }
    if header.model_unpacked > LARGEST_MODEL {
        return None;
    }
    let unpacked = zstd::bulk::decompress(model, header.model_unpacked as usize).ok()?;
    let model = match header.codec {
        Codec::Runs => Some(Model::new(&FrequencyTables::read(&unpacked)?)?),
        Codec::Zstd => None,
    };
    // Every block has at least one byte in the index, which bounds the allocation.
    let blocks = header.slots.div_ceil(block.into());
    if blocks > index.len() as u64 {
        return None;
    }
    let mut sizes = Vec::with_capacity(blocks as usize);
    let mut offsets = Vec::with_capacity(blocks as usize / STRIDE + 1);
    let start = HEADER as u64 + u64::from(header.model_bytes);
    let end = start + header.data_bytes;
    let (mut rest, mut offset) = (index, start);
    for block in 0..blocks as usize {
        if block % STRIDE == 0 {
            offsets.push(offset);
        }
        let size = u32::try_from(read_varint(&mut rest)?).ok()?;
        offset += u64::from(size);
        if offset > end {
            return None;
        }
        sizes.push(size);
    }
    (offset == end && rest.is_empty()).then_some((model, offsets, sizes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cell::CellKind;
    use crate::identity::Values;
    use outplay_runtime::NoMonitor;
    use outplay_runtime::varint::write_varint;
    use xxhash_rust::xxh3::xxh3_64;

    /// Opens a file with correct checksums but arbitrary contents of header and index.
    fn open(slots: u64, change: impl Fn(&mut Header), model: &[u8], index: &[u8]) -> Result<(), TableError> {
        let dir = tempfile::tempdir().expect("a directory");
        let identity = Identity {
            spec: "g".into(),
            version: 1,
            values: Values::Wdl,
            cell: CellKind::I8,
            slots: vec![slots],
        };
        let mut header = Header {
            tier: 0,
            identity: identity.number(),
            slots,
            block_slots: 4096,
            cell: 0,
            codec: Codec::Zstd,
            model_bytes: model.len() as u32,
            model_unpacked: 0,
            data_bytes: 0,
            index_bytes: index.len() as u64,
            body_checksum: xxh3_64(&[model, index].concat()),
        };
        change(&mut header);
        let bytes = [&header.write()[..], model, index].concat();
        std::fs::write(dir.path().join("tier-00.opt"), bytes).expect("writes");
        TierFile::open(dir.path(), "t", &identity, Tier(0), None).and_then(|file| file.check(&NoMonitor))
    }

    #[test]
    fn hostile_files_are_refused_without_allocating_what_they_claim() {
        let empty = zstd::bulk::compress(&[], 1).expect("compresses");
        open(4096, |_| (), &empty, &[0]).expect("a block of don't-cares is fine");
        let refused = |slots, change: &dyn Fn(&mut Header), model: &[u8], index: &[u8]| {
            let error = open(slots, change, model, index).expect_err("hostile");
            assert!(error.tier() == Some(Tier(0)), "{error:?}");
        };
        refused(u64::MAX, &|_| (), &empty, &[0]);
        refused(1 << 50, &|_| (), &empty, &[0; 100]);
        refused(4096, &|h| h.index_bytes = u64::MAX, &empty, &[0]);
        refused(4096, &|h| h.data_bytes = u64::MAX - 200, &empty, &[0]);
        refused(4096, &|h| h.data_bytes = 1 << 40, &empty, &[0]);
        refused(4096, &|h| h.model_bytes = u32::MAX, &empty, &[0]);
        refused(4096, &|h| h.model_unpacked = u32::MAX, &empty, &[0]);
        refused(4096, &|h| h.block_slots = 0, &empty, &[0]);
        refused(4096, &|h| h.block_slots = 3, &empty, &[0]);
        refused(4096, &|h| h.block_slots = 1 << 31, &empty, &[0]);
        refused(4096, &|h| h.cell = 2, &empty, &[0]);
        refused(4096, &|h| h.codec = Codec::Runs, &empty, &[0]);
        refused(4096, &|_| (), &[1, 2, 3], &[0]);
        refused(4096, &|_| (), &empty, &[0, 0]);
        refused(4096, &|_| (), &empty, &[]);
        let mut huge = Vec::new();
        write_varint(&mut huge, u64::MAX);
        refused(4096, &|_| (), &empty, &huge);
        huge.clear();
        write_varint(&mut huge, u64::from(u32::MAX));
        refused(4096, &|_| (), &empty, &huge);
        // A model that claims to be a gigabyte of zeros.
        let bomb = zstd::bulk::compress(&vec![0; 100 << 20], 1).expect("compresses");
        refused(4096, &|h| h.model_unpacked = 60 << 20, &bomb, &[0]);
    }
}
