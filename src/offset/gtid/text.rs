//! The text of a set as the server reads and writes it, such as `uuid:1-37:tag:1,uuid:5`.
//! Source: MySQL 9.7 manual, "GTID Sets".

use std::fmt;
use std::str::FromStr;

use super::{Gtid, GtidError, GtidInterval, GtidSet, GtidSource, Tag};

/// The largest number that the server accepts, 2^63 - 2.
const NUMBER_MAX: u64 = i64::MAX as u64 - 1;

impl fmt::Display for GtidSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut written: Option<GtidSource> = None;
        for (source, all) in &self.intervals {
            let same_uuid = written.is_some_and(|previous| previous.uuid == source.uuid);
            if !same_uuid {
                let separator = if written.is_some() { "," } else { "" };
                f.write_str(separator)?;
                let uuid = uuid::Uuid::from_bytes(source.uuid).hyphenated();
                f.write_str(uuid.encode_lower(&mut uuid::Uuid::encode_buffer()))?;
            }
            if !source.tag.is_empty() {
                write!(f, ":{}", source.tag.as_str())?;
            }
            for GtidInterval { start, end } in all {
                write!(f, ":{start}")?;
                if end != start {
                    write!(f, "-{end}")?;
                }
            }
            written = Some(*source);
        }
        Ok(())
    }
}

impl FromStr for GtidSet {
    type Err = GtidError;

    fn from_str(text: &str) -> Result<Self, GtidError> {
        let mut set = Self::default();
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            read_uuid_set(part, &mut set)?;
        }
        Ok(set)
    }
}

impl FromStr for Gtid {
    type Err = GtidError;

    fn from_str(text: &str) -> Result<Self, GtidError> {
        let set: GtidSet = text.parse()?;
        let mut all = set.iter();
        match (all.next(), all.next()) {
            (Some((source, GtidInterval { start, end })), None) if start == end => {
                Ok(Self { source, number: start })
            }
            _ => Err(GtidError(text.to_owned())),
        }
    }
}

fn read_uuid_set(part: &str, set: &mut GtidSet) -> Result<(), GtidError> {
    let malformed = || GtidError(part.to_owned());
    let mut items = part.split(':').map(str::trim);
    let uuid = items.next().and_then(|uuid| uuid::Uuid::try_parse(uuid).ok());
    let uuid = uuid.ok_or_else(malformed)?.into_bytes();
    let mut source = GtidSource { uuid, tag: Tag::default() };
    let mut tag_is_open = false;
    for item in items {
        if item.starts_with(|first: char| first.is_ascii_digit()) {
            set.insert(source, read_interval(item).ok_or_else(malformed)?);
            tag_is_open = false;
        } else if tag_is_open || item.is_empty() {
            return Err(malformed());
        } else {
            source.tag = item.parse().map_err(|_| malformed())?;
            tag_is_open = true;
        }
    }
    if tag_is_open { Err(malformed()) } else { Ok(()) }
}

fn read_interval(item: &str) -> Option<GtidInterval> {
    let number = |text: &str| {
        let digits = text.trim();
        let number = digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok());
        number.flatten().filter(|number| (1..=NUMBER_MAX).contains(number))
    };
    let (start, end) = item.split_once('-').unwrap_or((item, item));
    Some(GtidInterval { start: number(start)?, end: number(end)? })
}
