//! A cursor over bytes from outside: every step may find too few of them.

use super::event::EventError;

/// What is left to read of an event's body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reader<'a>(pub(super) &'a [u8]);

impl<'a> Reader<'a> {
    pub(super) fn take(&mut self, count: usize) -> Result<&'a [u8], EventError> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(EventError::TooShort)?;
        self.0 = rest;
        Ok(taken)
    }

    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], EventError> {
        let (taken, rest) = self.0.split_first_chunk().ok_or(EventError::TooShort)?;
        self.0 = rest;
        Ok(*taken)
    }

    pub(super) fn u8(&mut self) -> Result<u8, EventError> {
        self.array().map(|[byte]| byte)
    }

    pub(super) fn u16(&mut self) -> Result<u16, EventError> {
        self.array().map(u16::from_le_bytes)
    }

    pub(super) fn u32(&mut self) -> Result<u32, EventError> {
        self.array().map(u32::from_le_bytes)
    }

    pub(super) fn u64(&mut self) -> Result<u64, EventError> {
        self.array().map(u64::from_le_bytes)
    }

    pub(super) fn u56(&mut self) -> Result<u64, EventError> {
        let [a, b, c, d, e, f, g] = self.array()?;
        Ok(u64::from_le_bytes([a, b, c, d, e, f, g, 0]))
    }

    /// A length-encoded integer of the client protocol (`net_store_length`).
    pub(super) fn length_encoded(&mut self) -> Result<u64, EventError> {
        match self.u8()? {
            0xfc => self.u16().map(u64::from),
            0xfd => self.array().map(|[a, b, c]| u64::from(u32::from_le_bytes([a, b, c, 0]))),
            0xfe => self.u64(),
            0xfb | 0xff => Err(EventError::Malformed("a length")),
            small => Ok(u64::from(small)),
        }
    }

    /// An unsigned integer of the serialization library: as many ones from the lowest bit of the first
    /// byte as bytes follow it, a zero, then the value. Source: MySQL 9.7 developer documentation,
    /// "Library: Serialization".
    pub(super) fn variable_length(&mut self) -> Result<u64, EventError> {
        let first = self.u8()?;
        let more = first.trailing_ones();
        if more == 8 {
            return self.u64();
        }
        let mut value = u64::from(first) >> (more + 1);
        for index in 0..more {
            value |= u64::from(self.u8()?) << (7 - more + index * 8);
        }
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variable_length_integers() {
        for (bytes, value) in [
            (&[0b1111_1110][..], 127),
            (&[0b0000_0001, 0b0000_0010], 128),
            (&[0b0000_0011, 0, 0b10], 1 << 14),
            (&[0xff, 1, 0, 0, 0, 0, 0, 0, 0x80], 1 << 63 | 1),
            (&[0b0111_1111, 0, 0, 0, 0, 0, 0, 1], 1 << 48),
        ] {
            assert_eq!(Reader(bytes).variable_length(), Ok(value), "{bytes:?}");
        }
        assert_eq!(Reader(&[0b0011, 0]).variable_length(), Err(EventError::TooShort));
    }
}
