//! Header of a tier file: 80 bytes. The numbers are the byte offsets of the fields.
//!
//! ```text
//!  0 magic                       8 format version             12 number of the tier
//! 16 identity (hash of the game) 24 number of slots           32 slots of a block
//! 36 bytes of a slot             37 codec                     38 two zero bytes
//! 40 bytes of the model          44 its bytes when unpacked   48 bytes of the blocks
//! 56 bytes of the block index    64 checksum of model, index  72 checksum of the bytes above
//! ```
//!
//! The model, the blocks and the index follow, and nothing else. All numbers are little-endian.

use xxhash_rust::xxh3::xxh3_64;

pub(crate) const MAGIC: [u8; 8] = *b"OUTPLAYT";
pub(crate) const HEADER: usize = 80;

/// Codec of the blocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Codec {
    /// Runs, coded by rANS; see [`crate::codec`].
    Runs,
    /// Raw cells, compressed by zstd.
    Zstd,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Header {
    pub(crate) tier: u32,
    pub(crate) identity: u64,
    pub(crate) slots: u64,
    pub(crate) block_slots: u32,
    pub(crate) cell: u8,
    pub(crate) codec: Codec,
    pub(crate) model_bytes: u32,
    pub(crate) model_unpacked: u32,
    pub(crate) data_bytes: u64,
    pub(crate) index_bytes: u64,
    pub(crate) body_checksum: u64,
}

/// Reason why bytes are not a valid header.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BadHeader {
    Version(u32),
    Damaged,
}

impl Header {
    /// Serialises the header; the last eight bytes are the file's seal.
    pub(crate) fn write(&self) -> [u8; HEADER] {
        let mut bytes = Vec::with_capacity(HEADER);
        bytes.extend(MAGIC);
        bytes.extend(crate::VERSION.to_le_bytes());
        bytes.extend(self.tier.to_le_bytes());
        bytes.extend(self.identity.to_le_bytes());
        bytes.extend(self.slots.to_le_bytes());
        bytes.extend(self.block_slots.to_le_bytes());
        bytes.extend([self.cell, if self.codec == Codec::Runs { 0 } else { 1 }, 0, 0]);
        bytes.extend(self.model_bytes.to_le_bytes());
        bytes.extend(self.model_unpacked.to_le_bytes());
        bytes.extend(self.data_bytes.to_le_bytes());
        bytes.extend(self.index_bytes.to_le_bytes());
        bytes.extend(self.body_checksum.to_le_bytes());
        bytes.extend(xxh3_64(&bytes).to_le_bytes());
        let mut header = [0; HEADER];
        header.copy_from_slice(&bytes);
        header
    }

    /// Parses a header.
    pub(crate) fn read(bytes: &[u8; HEADER]) -> Result<Header, BadHeader> {
        let u32_at = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        let u64_at = |at: usize| u64::from(u32_at(at)) | u64::from(u32_at(at + 4)) << 32;
        if bytes[..8] != MAGIC {
            return Err(BadHeader::Damaged);
        }
        let sealed = xxh3_64(&bytes[..HEADER - 8]) == u64_at(HEADER - 8);
        // Another version may lay out the rest differently, so only its number is used. A header that
        // becomes valid with this version's number is damaged, not of another version.
        if u32_at(8) != crate::VERSION {
            let mut repaired = *bytes;
            repaired[8..12].copy_from_slice(&crate::VERSION.to_le_bytes());
            let only_the_number = xxh3_64(&repaired[..HEADER - 8]) == u64_at(HEADER - 8);
            return Err(if only_the_number { BadHeader::Damaged } else { BadHeader::Version(u32_at(8)) });
        }
        let codec = match (bytes[37], bytes[38], bytes[39]) {
            (0, 0, 0) => Codec::Runs,
            (1, 0, 0) => Codec::Zstd,
            _ => return Err(BadHeader::Damaged),
        };
        if !sealed {
            return Err(BadHeader::Damaged);
        }
        Ok(Header {
            tier: u32_at(12),
            identity: u64_at(16),
            slots: u64_at(24),
            block_slots: u32_at(32),
            cell: bytes[36],
            codec,
            model_bytes: u32_at(40),
            model_unpacked: u32_at(44),
            data_bytes: u64_at(48),
            index_bytes: u64_at(56),
            body_checksum: u64_at(64),
        })
    }

    /// Checksum of the header, by which the manifest identifies the file.
    pub(crate) fn seal(&self) -> u64 {
        xxh3_64(&self.write()[..HEADER - 8])
    }

    /// Size of the file; `None` if it overflows 64 bits.
    pub(crate) fn file_bytes(&self) -> Option<u64> {
        (HEADER as u64)
            .checked_add(self.model_bytes.into())?
            .checked_add(self.data_bytes)?
            .checked_add(self.index_bytes)
    }
}

/// Checksum of a block, seeded with table, tier and block number, so that a misplaced block fails it.
pub(crate) fn block_checksum(identity: u64, tier: u32, block: u64, bytes: &[u8]) -> [u8; 4] {
    let seed = identity ^ u64::from(tier).rotate_left(40) ^ block;
    (xxhash_rust::xxh3::xxh3_64_with_seed(bytes, seed) as u32).to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_round_trip_and_damage_is_detected() {
        let header = Header {
            tier: 7,
            identity: 0x0123_4567_89ab_cdef,
            slots: 1 << 40,
            block_slots: 1024,
            cell: 1,
            codec: Codec::Zstd,
            model_bytes: 5,
            model_unpacked: 6,
            data_bytes: 1 << 33,
            index_bytes: 77,
            body_checksum: 99,
        };
        let bytes = header.write();
        assert_eq!(Header::read(&bytes), Ok(header.clone()));
        assert_eq!(header.seal().to_le_bytes(), bytes[72..]);
        for place in 0..HEADER {
            for flip in 1..=255 {
                let mut bad = bytes;
                bad[place] ^= flip;
                assert_eq!(Header::read(&bad), Err(BadHeader::Damaged), "{place}");
            }
        }
        let mut other = bytes;
        other[8] = 2;
        let seal = xxh3_64(&other[..72]).to_le_bytes();
        other[72..].copy_from_slice(&seal);
        assert_eq!(Header::read(&other), Err(BadHeader::Version(2)));
    }
}
