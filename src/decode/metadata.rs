use super::reader::{Reader, bit};
use super::wire::{Wire, WireKind};
use super::{DecodeError, ValueError};

/// What a table map tells about one column beside its type (`binlog_row_metadata`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ColumnMetadata<'a> {
    pub(super) name: Option<&'a str>,
    pub(super) unsigned: Option<bool>,
    /// The collation's id, of character columns, ENUM and SET.
    pub(super) collation: Option<u16>,
    /// The options of an ENUM or SET in its own charset.
    pub(super) words: Option<Vec<&'a [u8]>>,
    /// The geometry type's number.
    pub(super) geometry: Option<u64>,
}

/// The optional part of a table map.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Metadata<'a> {
    /// One for each column.
    pub(super) columns: Vec<ColumnMetadata<'a>>,
    /// The primary key's columns, in key order.
    pub(super) primary_key: Option<Vec<usize>>,
    /// Whether the columns have names: `binlog_row_metadata=FULL`.
    pub(super) full: bool,
}

impl<'a> Metadata<'a> {
    /// Reads the fields that follow the null bitmap; fields of unknown types are passed over.
    pub(super) fn read(bytes: &'a [u8], wires: &[Wire]) -> Result<Self, DecodeError> {
        let mut metadata = Self {
            columns: vec![ColumnMetadata::default(); wires.len()],
            primary_key: None,
            full: false,
        };
        metadata.read_fields(bytes, wires).map_err(|error| match error {
            ValueError::Truncated => DecodeError::Truncated { what: "table metadata" },
            ValueError::Malformed(what) => DecodeError::Malformed { what },
            ValueError::OutOfRange(_) | ValueError::InvalidDate => {
                DecodeError::Malformed { what: "table metadata" }
            }
        })?;
        Ok(metadata)
    }

    fn read_fields(&mut self, bytes: &'a [u8], wires: &[Wire]) -> Result<(), ValueError> {
        let mut fields = Reader::new(bytes);
        while !fields.is_empty() {
            let field = fields.u8()?;
            let mut value = Reader::new(fields.packed_bytes()?);
            match field {
                1 => self.signedness(value.rest(), wires),
                2 => self.charsets_by_default(&mut value, wires, Wire::has_collation)?,
                3 => self.charsets(&mut value, wires, Wire::has_collation)?,
                4 => self.names(&mut value)?,
                5 => self.words(&mut value, wires, is_set)?,
                6 => self.words(&mut value, wires, is_enum)?,
                7 => self.geometries(&mut value, wires)?,
                8 => self.primary_key(&mut value, false)?,
                9 => self.primary_key(&mut value, true)?,
                10 => self.charsets_by_default(&mut value, wires, is_enum_or_set)?,
                11 => self.charsets(&mut value, wires, is_enum_or_set)?,
                // 12, visibility, and 13, a vector's dimension, change no value.
                _ => {}
            }
        }
        Ok(())
    }

    /// The columns of some kind, in order.
    fn of_kind(
        &mut self,
        wires: &[Wire],
        is: fn(&Wire) -> bool,
    ) -> impl Iterator<Item = &mut ColumnMetadata<'a>> {
        self.columns
            .iter_mut()
            .zip(wires)
            .filter(move |(_, wire)| is(wire))
            .map(|(column, _)| column)
    }

    /// One bit a numeric column, most significant bit first.
    fn signedness(&mut self, bits: &[u8], wires: &[Wire]) {
        for (index, column) in self.of_kind(wires, Wire::has_sign).enumerate() {
            column.unsigned = Some(bit(bits, index / 8 * 8 + 7 - index % 8));
        }
    }

    /// A collation for all, then pairs of index and collation for those that differ.
    fn charsets_by_default(
        &mut self,
        value: &mut Reader<'a>,
        wires: &[Wire],
        is: fn(&Wire) -> bool,
    ) -> Result<(), ValueError> {
        let default = collation(value)?;
        for column in self.of_kind(wires, is) {
            column.collation = Some(default);
        }
        while !value.is_empty() {
            let index = value.packed_size()?;
            let collation = collation(value)?;
            let column = self.of_kind(wires, is).nth(index);
            column.ok_or(ValueError::Malformed("column index"))?.collation = Some(collation);
        }
        Ok(())
    }

    fn charsets(
        &mut self,
        value: &mut Reader<'a>,
        wires: &[Wire],
        is: fn(&Wire) -> bool,
    ) -> Result<(), ValueError> {
        for column in self.of_kind(wires, is) {
            column.collation = Some(collation(value)?);
        }
        Ok(())
    }

    fn names(&mut self, value: &mut Reader<'a>) -> Result<(), ValueError> {
        for column in &mut self.columns {
            let name = std::str::from_utf8(value.packed_bytes()?);
            column.name = Some(name.map_err(|_| ValueError::Malformed("column name"))?);
        }
        self.full = true;
        Ok(())
    }

    fn words(
        &mut self,
        value: &mut Reader<'a>,
        wires: &[Wire],
        is: fn(&Wire) -> bool,
    ) -> Result<(), ValueError> {
        for column in self.of_kind(wires, is) {
            let count = value.packed_size()?;
            let mut words = Vec::new();
            for _ in 0..count {
                words.push(value.packed_bytes()?);
            }
            column.words = Some(words);
        }
        Ok(())
    }

    fn geometries(&mut self, value: &mut Reader<'a>, wires: &[Wire]) -> Result<(), ValueError> {
        for column in self.of_kind(wires, |wire| wire.kind == WireKind::Geometry) {
            column.geometry = Some(value.packed_integer()?);
        }
        Ok(())
    }

    fn primary_key(&mut self, value: &mut Reader<'a>, with_prefix: bool) -> Result<(), ValueError> {
        let mut key = Vec::new();
        while !value.is_empty() {
            let index = value.packed_size()?;
            if index >= self.columns.len() {
                return Err(ValueError::Malformed("primary key"));
            }
            key.push(index);
            if with_prefix {
                value.packed_integer()?;
            }
        }
        self.primary_key = Some(key);
        Ok(())
    }
}

fn collation(value: &mut Reader<'_>) -> Result<u16, ValueError> {
    u16::try_from(value.packed_integer()?).map_err(|_| ValueError::Malformed("collation"))
}

fn is_enum(wire: &Wire) -> bool {
    matches!(wire.kind, WireKind::Enum { .. })
}

fn is_set(wire: &Wire) -> bool {
    matches!(wire.kind, WireKind::Set { .. })
}

fn is_enum_or_set(wire: &Wire) -> bool {
    is_enum(wire) || is_set(wire)
}
