use super::metadata::Metadata;
use super::reader::{Reader, bit, bitmap_length, little_endian};
use super::wire::Wire;
use super::{DecodeError, ValueError};

/// A `TABLE_MAP` event: how the rows of the statement that follows are laid out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableMap<'a> {
    /// The number by which row events name this map.
    pub table_id: u64,
    /// The database.
    pub database: &'a str,
    /// The table.
    pub table: &'a str,
    pub(super) wires: Vec<Wire>,
    pub(super) nullable: Vec<bool>,
    pub(super) metadata: Metadata<'a>,
}

/// The table's number and name, and nothing else: enough to pass over a foreign table.
///
/// # Errors
/// When the event ends too early or a name is not UTF-8.
pub fn table_map_names(body: &[u8]) -> Result<(u64, &str, &str), DecodeError> {
    let mut reader = Reader::new(body);
    let (table_id, database, table) = names(&mut reader).map_err(in_names)?;
    Ok((table_id, database, table))
}

impl<'a> TableMap<'a> {
    /// Reads the event's body: what stands between the header and the checksum.
    ///
    /// # Errors
    /// When the body is cut off or contradicts itself, or has a column of an unknown type.
    pub fn parse(body: &'a [u8]) -> Result<Self, DecodeError> {
        let mut reader = Reader::new(body);
        let (table_id, database, table) = names(&mut reader).map_err(in_names)?;
        let cut = |_| DecodeError::Truncated { what: "table map" };
        let count = reader.packed_size().map_err(cut)?;
        let codes = reader.take(count).map_err(cut)?;
        let mut column_metadata = Reader::new(reader.packed_bytes().map_err(cut)?);
        let wires: Vec<Wire> = codes
            .iter()
            .map(|&code| Wire::read(code, &mut column_metadata))
            .collect::<Result<_, _>>()?;
        let nulls = reader.take(bitmap_length(count)).map_err(cut)?;
        let nullable = (0..count).map(|index| bit(nulls, index)).collect();
        let metadata = Metadata::read(reader.rest(), &wires)?;
        Ok(Self { table_id, database, table, wires, nullable, metadata })
    }

    /// Whether the map carries names and all else (`binlog_row_metadata=FULL`), so that no other layout is
    /// needed to read its rows.
    #[must_use]
    pub fn has_full_metadata(&self) -> bool {
        self.metadata.full
    }

    /// How many columns the table has.
    #[must_use]
    pub fn column_count(&self) -> usize {
        self.wires.len()
    }

    /// The columns' names, where the map has them.
    pub fn column_names(&self) -> impl Iterator<Item = &'a str> {
        self.metadata.columns.iter().filter_map(|column| column.name)
    }
}

fn names<'a>(reader: &mut Reader<'a>) -> Result<(u64, &'a str, &'a str), ValueError> {
    let table_id = little_endian(reader.take(6)?);
    // Two bytes of flags.
    reader.take(2)?;
    let database = name(reader)?;
    let table = name(reader)?;
    Ok((table_id, database, table))
}

/// A length, a name and a zero byte.
fn name<'a>(reader: &mut Reader<'a>) -> Result<&'a str, ValueError> {
    let bytes = reader.packed_bytes()?;
    reader.u8()?;
    std::str::from_utf8(bytes).map_err(|_| ValueError::Malformed("name in a table map"))
}

fn in_names(error: ValueError) -> DecodeError {
    match error {
        ValueError::Malformed(what) => DecodeError::Malformed { what },
        ValueError::Truncated | ValueError::OutOfRange(_) | ValueError::InvalidDate => {
            DecodeError::Truncated { what: "names of a table map" }
        }
    }
}
