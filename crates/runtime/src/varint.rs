//! Variable-length integers: unsigned LEB128.

/// Appends a number: seven bits per byte, least significant first.
#[inline]
pub fn write_varint(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Reads a number; `None` at the end of the bytes or beyond 64 bits.
#[inline]
pub fn read_varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        let part = u64::from(byte & 0x7f);
        if shift == 63 && part > 1 {
            return None;
        }
        number |= part << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        let mut bytes = Vec::new();
        let numbers = [0, 1, 127, 128, 300, 1 << 20, u64::MAX - 1, u64::MAX];
        numbers.iter().for_each(|&n| write_varint(&mut bytes, n));
        let rest = &mut &bytes[..];
        numbers.iter().for_each(|&n| assert_eq!(read_varint(rest), Some(n)));
        assert_eq!(read_varint(rest), None);
        assert_eq!(read_varint(&mut &[0xff; 11][..]), None);
    }
}
