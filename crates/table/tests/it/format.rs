//! An independent reader, written from docs/table-format.md alone: the files match the document.

use crate::common;

use common::{agrees, codes, identity, write};
use std::path::Path;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

const SLOTS: [u64; 4] = [3, 1000, 70_000, 300_000];

fn number(bytes: &[u8], at: usize, length: usize) -> u64 {
    bytes[at..at + length].iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

fn varint(bytes: &mut &[u8]) -> u64 {
    let length = 1 + bytes.iter().position(|byte| byte & 0x80 == 0).expect("ends");
    let number = bytes[..length].iter().rev().fold(0, |number, byte| number << 7 | u64::from(byte & 0x7f));
    *bytes = &bytes[length..];
    number
}

fn byte(bytes: &mut &[u8]) -> usize {
    let first = bytes[0];
    *bytes = &bytes[1..];
    first.into()
}

/// By scale position: the symbol, its frequency and the index within the symbol's range.
type Numbers = Vec<(usize, u32, u32)>;

fn distribution(bytes: &mut &[u8]) -> Numbers {
    let count = varint(bytes) as usize;
    let symbols: Vec<usize> = (0..count).map(|_| byte(bytes)).collect();
    let freqs: Vec<u32> = (0..count).map(|_| varint(bytes) as u32).collect();
    assert_eq!(freqs.iter().sum::<u32>(), 4096);
    let n = count.next_power_of_two();
    let w = 4096 / n;
    let mut left: Vec<usize> = freqs.iter().map(|&freq| freq as usize).collect();
    left.resize(n, 0);
    let small: Vec<bool> = left.iter().map(|&left| left < w).collect();
    let mut given = vec![0; n];
    let mut numbers = vec![(0, 0, 0); 4096];
    let mut filled = vec![false; n];
    let order = (0..n).filter(|&i| small[i]).chain((0..n).filter(|&i| !small[i]));
    for i in order {
        let mut next = Some(i).filter(|&i| !filled[i]);
        while let Some(i) = next {
            filled[i] = true;
            next = None;
            let own = left[i].min(w);
            let mut parts = vec![(i, i * w..i * w + own)];
            if own < w {
                let donor = left.iter().position(|&left| left > w).expect("somebody has more");
                parts.push((donor, i * w + own..(i + 1) * w));
            }
            for (to, range) in parts {
                left[to] -= range.len();
                for x in range {
                    numbers[x] = (symbols[to], freqs[to], given[to]);
                    given[to] += 1;
                }
                if to != i && left[to] < w {
                    next = Some(to);
                }
            }
        }
    }
    numbers
}

struct Coded<'a> {
    state: u64,
    words: &'a [u8],
}

impl Coded<'_> {
    fn step(&mut self, freq: u64, k: u64) {
        self.state = freq * (self.state / 4096) + k;
        if self.state < 1 << 16 {
            self.state = self.state << 16 | number(self.words, 0, 2);
            self.words = &self.words[2..];
        }
    }

    fn symbol(&mut self, numbers: &Numbers) -> usize {
        let (symbol, freq, k) = numbers[(self.state % 4096) as usize];
        self.step(freq.into(), k.into());
        symbol
    }

    fn plain(&mut self, bits: u32) -> usize {
        let x = self.state % 4096;
        let freq = 1 << (12 - bits);
        self.step(freq, x % freq);
        (x / freq) as usize
    }
}

struct Model {
    values: Vec<u8>,
    after_one: Vec<Numbers>,
    lengths: Vec<Numbers>,
    after_two: Vec<(usize, usize, Numbers)>,
}

fn model(mut bytes: &[u8]) -> Model {
    let bytes = &mut bytes;
    let values: Vec<u8> =
        (0..varint(bytes)).collect::<Vec<_>>().iter().map(|_| varint(bytes) as u8).collect();
    assert!(values.is_sorted());
    let after_one = (0..=values.len()).map(|_| distribution(bytes)).collect();
    let lengths = (0..values.len()).map(|_| distribution(bytes)).collect();
    let count = varint(bytes);
    let after_two = (0..count).map(|_| (byte(bytes), byte(bytes), distribution(bytes))).collect();
    assert!(bytes.is_empty());
    Model { values, after_one, lengths, after_two }
}

fn block(model: &Model, bytes: &[u8], slots: usize) -> Vec<i8> {
    let mut coded = Coded { state: number(bytes, 0, 4), words: &bytes[4..] };
    let mut cells = Vec::new();
    let nothing = model.values.len();
    let (mut a, mut b) = (nothing, nothing);
    while cells.len() < slots {
        let two = model.after_two.iter().find(|(x, y, _)| (*x, *y) == (a, b));
        let mut value = two.map_or(255, |(_, _, numbers)| coded.symbol(numbers));
        if value == 255 {
            value = coded.symbol(&model.after_one[b]);
        }
        if value == 255 {
            value = coded.plain(8);
        }
        (a, b) = (b, value);
        let rest = slots - cells.len();
        let length = match coded.symbol(&model.lengths[value]) {
            0 => rest,
            symbol @ 1..=32 => symbol,
            symbol @ 33..=104 => (9 + (symbol - 33) % 8) << ((symbol - 33) / 8 + 2),
            symbol @ 105..=176 => {
                let o = (symbol - 105) / 8;
                ((8 + (symbol - 105) % 8) << (o + 2)) + 1 + coded.plain(o as u32 + 2)
            }
            255 => match (coded.plain(8) << 8) + coded.plain(8) {
                0 => rest,
                length => length,
            },
            symbol => panic!("no length symbol: {symbol}"),
        };
        cells.resize(cells.len() + length, model.values[value] as i8);
    }
    assert!(cells.len() == slots && coded.words.is_empty() && coded.state == 1 << 16);
    cells
}

fn tier(path: &Path, identity: u64, tier: u64, seal: &str) -> Vec<i8> {
    let bytes = std::fs::read(path).expect("reads");
    let at = |at, length| number(&bytes, at, length);
    assert_eq!(&bytes[..8], b"OUTPLAYT");
    assert_eq!((at(8, 4), at(12, 4), at(16, 8)), (1, tier, identity));
    assert_eq!((at(36, 1), at(37, 1), at(38, 2)), (0, 0, 0));
    assert_eq!(at(72, 8), xxh3_64(&bytes[..72]));
    assert_eq!(format!("{:016x}", at(72, 8)), seal);
    let (slots, block_slots) = (at(24, 8) as usize, at(32, 4) as usize);
    let (model_end, index_start) = (80 + at(40, 4) as usize, bytes.len() - at(56, 8) as usize);
    assert_eq!(model_end as u64 + at(48, 8), index_start as u64);
    let mut index = &bytes[index_start..];
    assert_eq!(at(64, 8), xxh3_64(&[&bytes[80..model_end], index].concat()));
    let unpacked = zstd::bulk::decompress(&bytes[80..model_end], at(44, 4) as usize).expect("unpacks");
    assert_eq!(unpacked.len() as u64, at(44, 4));
    let model = model(&unpacked);
    let (mut cells, mut place, mut block_number) = (Vec::new(), model_end, 0u64);
    while cells.len() < slots {
        let length = block_slots.min(slots - cells.len());
        let size = varint(&mut index) as usize;
        if size == 0 {
            cells.resize(cells.len() + length, i8::MIN);
        } else {
            let coded = &bytes[place + 4..place + size];
            let seed = identity ^ tier.rotate_left(40) ^ block_number;
            assert_eq!(number(&bytes, place, 4), xxh3_64_with_seed(coded, seed) & 0xffff_ffff);
            cells.extend(block(&model, coded, length));
        }
        place += size;
        block_number += 1;
    }
    assert!(index.is_empty() && place == index_start);
    cells
}

#[test]
fn the_document_describes_the_files() {
    let dir = tempfile::tempdir().expect("a directory");
    write(dir.path(), &SLOTS).expect("writes");
    let table = dir.path().join("made-up,k=3");
    assert_eq!(identity(&SLOTS).name(), "made-up,k=3");
    let text = std::fs::read_to_string(table.join("manifest.json")).expect("reads");
    let (head, body) = text.split_at(31);
    assert_eq!(head, format!("{{\"checksum\":\"{:016x}\",", xxh3_64(body.as_bytes())));
    let manifest: serde_json::Value = serde_json::from_str(&text).expect("is JSON");
    assert_eq!(manifest["format"], 1);
    assert_eq!(manifest["game"], common::SPEC);
    assert_eq!(manifest["version"], 1);
    assert_eq!((&manifest["values"], &manifest["cell"]), (&"distance".into(), &"i8".into()));
    assert_eq!(manifest["slots"], serde_json::json!(SLOTS));
    assert_eq!(manifest["summary"], serde_json::json!({"tiers": 4}));
    let slots = SLOTS.map(|slots| slots.to_string()).join(" ");
    let identity = xxh3_64(format!("1\nmade:up,k=3\ndistance\n1\n{slots}").as_bytes());
    for (i, &slots) in SLOTS.iter().enumerate() {
        let path = table.join(format!("tier-{i:02}.opt"));
        let entry = &manifest["tiers"][i.to_string()];
        assert_eq!(entry["bytes"], std::fs::metadata(&path).expect("is there").len());
        let cells = tier(&path, identity, i as u64, entry["seal"].as_str().expect("is text"));
        assert!(agrees(&cells, &codes(slots, i as u64)), "tier {i}");
    }
}
