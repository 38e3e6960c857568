use std::collections::BTreeMap;
use std::fmt;

mod intervals;
mod text;
mod wire;

#[cfg(test)]
mod tests;

/// A GTID's tag: up to 32 letters, digits and underscores, lower case; empty for an untagged GTID.
/// Source: MySQL 9.7 manual, "GTID Format and Storage".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tag {
    bytes: [u8; 32],
    len: u8,
}

impl Tag {
    /// The tag as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        let bytes = self.bytes.get(..usize::from(self.len)).unwrap_or_default();
        std::str::from_utf8(bytes).unwrap_or_default()
    }

    /// Whether this stands for an untagged GTID.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

impl std::str::FromStr for Tag {
    type Err = GtidError;

    fn from_str(text: &str) -> Result<Self, GtidError> {
        let malformed = || GtidError(text.to_owned());
        let mut tag =
            Self { len: u8::try_from(text.len()).map_err(|_| malformed())?, ..Self::default() };
        let first_is_digit = text.starts_with(|first: char| first.is_ascii_digit());
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        let target = tag.bytes.get_mut(..text.len()).ok_or_else(malformed)?;
        if first_is_digit || !text.bytes().all(allowed) {
            return Err(malformed());
        }
        target.copy_from_slice(text.as_bytes());
        target.make_ascii_lowercase();
        Ok(tag)
    }
}

/// What numbers transactions: a server's UUID and, where one is given, a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GtidSource {
    /// The server's UUID, big-endian.
    pub uuid: [u8; 16],
    /// The tag, empty for none.
    pub tag: Tag,
}

impl GtidSource {
    /// The UUID as MySQL writes it.
    #[must_use]
    pub fn uuid_text(&self) -> String {
        uuid::Uuid::from_bytes(self.uuid).to_string()
    }
}

/// One transaction's identifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Gtid {
    /// Who numbered it.
    pub source: GtidSource,
    /// Its number, from 1.
    pub number: u64,
}

/// Numbers from `start` to `end`, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GtidInterval {
    /// The first number.
    pub start: u64,
    /// The last number.
    pub end: u64,
}

/// A set of transactions: disjoint, ascending, non-adjacent intervals by source.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct GtidSet {
    intervals: BTreeMap<GtidSource, Vec<GtidInterval>>,
}

/// Why a text or bytes are not a GTID or a set.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("malformed GTID set near {0:?}")]
pub struct GtidError(pub String);

impl GtidSet {
    /// Adds numbers `interval.start..=interval.end` of `source`. An interval that ends before it starts is
    /// empty, as it is for the server.
    pub fn insert(&mut self, source: GtidSource, interval: GtidInterval) {
        if interval.start <= interval.end {
            intervals::insert(self.intervals.entry(source).or_default(), interval);
        }
    }

    /// Adds one transaction.
    pub fn insert_gtid(&mut self, gtid: Gtid) {
        self.insert(gtid.source, GtidInterval { start: gtid.number, end: gtid.number });
    }

    /// Whether the transaction is in the set.
    #[must_use]
    pub fn contains(&self, gtid: &Gtid) -> bool {
        let all = self.intervals.get(&gtid.source).map_or(&[][..], Vec::as_slice);
        let after = all.partition_point(|interval| interval.start <= gtid.number);
        all.get(..after).and_then(<[_]>::last).is_some_and(|interval| gtid.number <= interval.end)
    }

    /// Whether every transaction of this set is in `other`.
    #[must_use]
    pub fn is_subset_of(&self, other: &Self) -> bool {
        self.intervals.iter().all(|(source, mine)| {
            let theirs = other.intervals.get(source).map_or(&[][..], Vec::as_slice);
            intervals::is_subset(mine, theirs)
        })
    }

    /// Adds every transaction of `other`.
    pub fn union(&mut self, other: &Self) {
        for (source, interval) in other.iter() {
            self.insert(source, interval);
        }
    }

    /// Removes every transaction of `other`.
    pub fn subtract(&mut self, other: &Self) {
        for (source, theirs) in &other.intervals {
            if let Some(mine) = self.intervals.get_mut(source) {
                *mine = intervals::subtract(mine, theirs);
            }
        }
        self.intervals.retain(|_, mine| !mine.is_empty());
    }

    /// The transactions that are in both sets.
    #[must_use]
    pub fn intersect(&self, other: &Self) -> Self {
        let mut outside = self.clone();
        outside.subtract(other);
        let mut both = self.clone();
        both.subtract(&outside);
        both
    }

    /// Keeps the sources that `keep` admits, as for `gtid.source.includes` and `gtid.source.excludes`.
    pub fn retain(&mut self, mut keep: impl FnMut(&GtidSource) -> bool) {
        self.intervals.retain(|source, _| keep(source));
    }

    /// Whether there is no transaction in the set.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.intervals.is_empty()
    }

    /// Whether the set holds any transaction of `source`.
    #[must_use]
    pub fn knows(&self, source: &GtidSource) -> bool {
        self.intervals.contains_key(source)
    }

    /// Every interval, by source and number.
    pub fn iter(&self) -> impl Iterator<Item = (GtidSource, GtidInterval)> {
        self.intervals
            .iter()
            .flat_map(|(source, all)| all.iter().map(|interval| (*source, *interval)))
    }

    /// How many transactions the set holds.
    #[must_use]
    pub fn count(&self) -> u64 {
        let sizes = self.iter().map(|(_, interval)| interval.end - interval.start + 1);
        sizes.fold(0, u64::saturating_add)
    }
}

impl fmt::Debug for GtidSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GtidSet({self})")
    }
}

impl fmt::Display for Gtid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let separator = if self.source.tag.is_empty() { "" } else { ":" };
        let (uuid, tag) = (self.source.uuid_text(), self.source.tag.as_str());
        write!(f, "{uuid}{separator}{tag}:{}", self.number)
    }
}
