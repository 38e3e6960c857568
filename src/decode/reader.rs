use super::ValueError;

/// A cursor over borrowed bytes; every read is checked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    pub(super) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// The next `count` bytes.
    #[inline]
    pub(super) fn take(&mut self, count: usize) -> Result<&'a [u8], ValueError> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or(ValueError::Truncated)?;
        self.rest = rest;
        Ok(taken)
    }

    #[inline]
    pub(super) fn u8(&mut self) -> Result<u8, ValueError> {
        let (&first, rest) = self.rest.split_first().ok_or(ValueError::Truncated)?;
        self.rest = rest;
        Ok(first)
    }

    #[inline]
    pub(super) fn u16(&mut self) -> Result<u16, ValueError> {
        let (taken, rest) = self.rest.split_first_chunk().ok_or(ValueError::Truncated)?;
        self.rest = rest;
        Ok(u16::from_le_bytes(*taken))
    }

    #[inline]
    pub(super) fn u32(&mut self) -> Result<u32, ValueError> {
        let (taken, rest) = self.rest.split_first_chunk().ok_or(ValueError::Truncated)?;
        self.rest = rest;
        Ok(u32::from_le_bytes(*taken))
    }

    /// A little-endian length of `width` bytes (1 to 4), then that many bytes.
    #[inline]
    pub(super) fn prefixed(&mut self, width: u8) -> Result<&'a [u8], ValueError> {
        let length = match width {
            1 => u32::from(self.u8()?),
            2 => u32::from(self.u16()?),
            4 => self.u32()?,
            _ => {
                let low = u32::from(self.u16()?);
                low | u32::from(self.u8()?) << 16
            }
        };
        self.take(usize::try_from(length).map_err(|_| ValueError::Truncated)?)
    }

    /// MySQL's length-encoded integer.
    pub(super) fn packed_integer(&mut self) -> Result<u64, ValueError> {
        match self.u8()? {
            first @ 0..=0xFA => Ok(u64::from(first)),
            0xFC => Ok(little_endian(self.take(2)?)),
            0xFD => Ok(little_endian(self.take(3)?)),
            0xFE => Ok(little_endian(self.take(8)?)),
            0xFB | 0xFF => Err(ValueError::Malformed("length-encoded integer")),
        }
    }

    /// A length-encoded integer that counts something in memory.
    pub(super) fn packed_size(&mut self) -> Result<usize, ValueError> {
        usize::try_from(self.packed_integer()?).map_err(|_| ValueError::Malformed("length"))
    }

    /// A length-encoded integer, then that many bytes.
    pub(super) fn packed_bytes(&mut self) -> Result<&'a [u8], ValueError> {
        let length = self.packed_size()?;
        self.take(length)
    }
}

/// Up to eight bytes, least significant first.
#[inline]
pub(super) fn little_endian(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte))
}

/// Up to eight bytes, most significant first.
#[inline]
pub(super) fn big_endian(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |value, &byte| value << 8 | u64::from(byte))
}

/// Whether a bit is set, least significant bit of the first byte first; bits past the end are clear.
#[inline]
pub(super) fn bit(bytes: &[u8], index: usize) -> bool {
    bytes.get(index / 8).is_some_and(|byte| byte >> (index % 8) & 1 == 1)
}

/// The bytes that a bitmap of `count` bits takes.
pub(super) fn bitmap_length(count: usize) -> usize {
    count.div_ceil(8)
}
