//! The binary form of COM_BINLOG_DUMP_GTID and PREVIOUS_GTIDS events.
//!
//! A count of entries in eight bytes, whose highest byte is 0 for entries without tags and 1 for entries
//! with them (the count is then eight bits up, above the same 1); an entry is the UUID, with tags the tag's length and
//! bytes, the count of intervals and each interval's first number and the number after its last.

use super::{GtidError, GtidInterval, GtidSet, GtidSource, Tag};

/// The highest byte of the count where entries carry tags.
const TAGGED: u8 = 1;

impl GtidSet {
    /// The binary form, with tags only where there is one: servers before 8.3 know none.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let tagged = self.intervals.keys().any(|source| !source.tag.is_empty());
        let count = u64::try_from(self.intervals.len()).unwrap_or(u64::MAX);
        let (format, plain) = (u64::from(TAGGED), count);
        let header = if tagged { format << 56 | count << 8 | format } else { plain };
        let mut bytes = header.to_le_bytes().to_vec();
        for (source, all) in &self.intervals {
            bytes.extend_from_slice(&source.uuid);
            if tagged {
                // A length below 128 in the server's variable-length form: no trailing ones, then the value.
                bytes.push(source.tag.len << 1);
                bytes.extend_from_slice(source.tag.as_str().as_bytes());
            }
            let count = u64::try_from(all.len()).unwrap_or(u64::MAX);
            bytes.extend_from_slice(&count.to_le_bytes());
            for interval in all {
                bytes.extend_from_slice(&interval.start.to_le_bytes());
                bytes.extend_from_slice(&interval.end.saturating_add(1).to_le_bytes());
            }
        }
        bytes
    }

    /// Reads the binary form.
    ///
    /// # Errors
    /// When the bytes end early, go on after the end or hold an impossible interval.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, GtidError> {
        let mut rest = bytes;
        let set = read_set(&mut rest).filter(|_| rest.is_empty());
        set.ok_or_else(|| {
            GtidError(format!("byte {} of {}", bytes.len() - rest.len(), bytes.len()))
        })
    }
}

fn read_set(rest: &mut &[u8]) -> Option<GtidSet> {
    let header = take_u64(rest)?;
    let [format, ..] = header.to_be_bytes();
    let tagged = format == TAGGED;
    let count = match format {
        0 => header,
        TAGGED => (header << 8) >> 16,
        _ => return None,
    };
    let mut set = GtidSet::default();
    for _ in 0..count {
        let uuid = *take(rest, 16)?.first_chunk()?;
        let tag = if tagged { take_tag(rest)? } else { Tag::default() };
        for _ in 0..take_u64(rest)? {
            let (start, after) = (take_u64(rest)?, take_u64(rest)?);
            if start == 0 || after <= start {
                return None;
            }
            set.insert(GtidSource { uuid, tag }, GtidInterval { start, end: after - 1 });
        }
    }
    Some(set)
}

fn take_tag(rest: &mut &[u8]) -> Option<Tag> {
    let &[length] = take(rest, 1)?.first_chunk()?;
    if length & 1 != 0 {
        return None;
    }
    std::str::from_utf8(take(rest, usize::from(length >> 1))?).ok()?.parse().ok()
}

fn take_u64(rest: &mut &[u8]) -> Option<u64> {
    Some(u64::from_le_bytes(*take(rest, 8)?.first_chunk()?))
}

fn take<'a>(rest: &mut &'a [u8], count: usize) -> Option<&'a [u8]> {
    let (taken, left) = rest.split_at_checked(count)?;
    *rest = left;
    Some(taken)
}
