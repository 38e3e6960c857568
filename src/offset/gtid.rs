use std::collections::BTreeMap;
use std::fmt;

/// A GTID's tag: up to 32 letters, digits and underscores, lower case; empty for an untagged GTID.
/// Source: MySQL 9.7 manual, "GTID Format and Storage".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tag {
    bytes: [u8; 32],
    len: u8,
}

/// What numbers transactions: a server's UUID and, where one is given, a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GtidSource {
    /// The server's UUID, big-endian.
    pub uuid: [u8; 16],
    /// The tag, empty for none.
    pub tag: Tag,
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
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GtidSet {
    intervals: BTreeMap<GtidSource, Vec<GtidInterval>>,
}

/// Why a text or bytes are not a GTID or a set.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("malformed GTID set near {0:?}")]
pub struct GtidError(pub String);

impl GtidSet {
    /// Adds numbers `interval.start..=interval.end` of `source`.
    pub fn insert(&mut self, source: GtidSource, interval: GtidInterval) {
        let _ = (source, interval);
        todo!()
    }

    /// Adds all of `other`.
    pub fn union_with(&mut self, other: &Self) {
        let _ = other;
        todo!()
    }
}

impl fmt::Display for GtidSet {
    fn fmt(&self, _f: &mut fmt::Formatter<'_>) -> fmt::Result {
        todo!()
    }
}

impl std::str::FromStr for GtidSet {
    type Err = GtidError;

    fn from_str(_text: &str) -> Result<Self, GtidError> {
        todo!()
    }
}
