use super::charset::Charset;
use super::collation::character_set;
use super::layout::ColumnLayout;
use super::metadata::ColumnMetadata;
use super::wire::{Wire, WireKind};

/// A column's declared type, as far as it shapes values.
#[derive(Clone, Debug)]
pub(super) enum ColumnType {
    Integer { size: IntegerSize, unsigned: bool },
    Float { widened: bool },
    Double,
    Decimal { precision: u8, scale: u8 },
    Bit { bits: u16 },
    Year,
    Date,
    Time,
    DateTime { fsp: u8 },
    Timestamp { fsp: u8 },
    Text(Charset),
    Binary { padded_to: Option<u16> },
    Enum(Options),
    Set(Options),
    Json,
    Geometry,
    Point,
    Vector,
}

/// The five widths of integers; `TINYINT(1)` is told apart for the boolean converter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum IntegerSize {
    TinyOne,
    Tiny,
    Small,
    Medium,
    Int,
    Big,
}

/// The options of an ENUM or SET, as rows of the binlog are given them: commas behind a backslash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Options {
    words: Box<[Box<str>]>,
}

impl Options {
    fn new<T: AsRef<str>>(words: impl IntoIterator<Item = T>) -> Self {
        let escaped = |word: T| word.as_ref().replace(',', "\\,").into_boxed_str();
        Self { words: words.into_iter().map(escaped).collect() }
    }

    pub(super) fn get(&self, index: usize) -> Option<&str> {
        self.words.get(index).map(AsRef::as_ref)
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.words.len()
    }

    /// The value of the schema's parameter `allowed`.
    pub(super) fn allowed(&self) -> String {
        self.words.join(",")
    }
}

impl ColumnType {
    /// The type as `information_schema` declares it, or why it cannot be read.
    pub(super) fn of_layout(column: &ColumnLayout) -> Result<Self, String> {
        let (first, second) = column.arguments();
        let number = |argument: Option<u16>| u8::try_from(argument.unwrap_or(0)).unwrap_or(u8::MAX);
        let integer = |size| Self::Integer { size, unsigned: column.is_unsigned() };
        let text = || Self::Text(Charset::named(column.character_set.as_deref().unwrap_or("utf8")));
        Ok(match column.data_type.as_str() {
            "tinyint" => integer(tiny(Some(column))),
            "smallint" => integer(IntegerSize::Small),
            "mediumint" => integer(IntegerSize::Medium),
            "int" | "integer" => integer(IntegerSize::Int),
            "bigint" => integer(IntegerSize::Big),
            "float" => Self::Float { widened: second.is_some() },
            "double" | "real" => Self::Double,
            "decimal" | "numeric" => Self::Decimal {
                precision: first.map_or(10, |_| number(first)),
                scale: number(second),
            },
            "bit" => Self::Bit { bits: first.unwrap_or(1) },
            "year" => Self::Year,
            "date" => Self::Date,
            "time" => Self::Time,
            "datetime" => Self::DateTime { fsp: number(first) },
            "timestamp" => Self::Timestamp { fsp: number(first) },
            "char" | "varchar" | "tinytext" | "text" | "mediumtext" | "longtext" => text(),
            "binary" => Self::Binary { padded_to: Some(first.unwrap_or(1)) },
            "varbinary" | "tinyblob" | "blob" | "mediumblob" | "longblob" => {
                Self::Binary { padded_to: None }
            }
            "enum" => Self::Enum(Options::new(column.words())),
            "set" => Self::Set(Options::new(column.words())),
            "json" => Self::Json,
            "point" => Self::Point,
            "geometry" | "linestring" | "polygon" | "multipoint" | "multilinestring"
            | "multipolygon" | "geometrycollection" | "geomcollection" => Self::Geometry,
            "vector" => Self::Vector,
            other => return Err(format!("column {} has the unknown type {other}", column.name)),
        })
    }

    /// The type as a table map with full metadata tells it. The layout's column of the same name adds what
    /// the map has not: `TINYINT(1)` and `FLOAT(m,d)`.
    pub(super) fn of_map(
        wire: Wire,
        metadata: &ColumnMetadata<'_>,
        declared: Option<&ColumnLayout>,
    ) -> Self {
        let integer = |size| Self::Integer { size, unsigned: metadata.unsigned == Some(true) };
        match wire.kind {
            WireKind::Tiny => integer(tiny(declared)),
            WireKind::Short => integer(IntegerSize::Small),
            WireKind::Int24 => integer(IntegerSize::Medium),
            WireKind::Long => integer(IntegerSize::Int),
            WireKind::LongLong => integer(IntegerSize::Big),
            WireKind::Float => Self::Float {
                widened: declared.is_some_and(|column| column.arguments().1.is_some()),
            },
            WireKind::Double => Self::Double,
            WireKind::Decimal { precision, scale } => Self::Decimal { precision, scale },
            WireKind::Bit { bits } => Self::Bit { bits },
            WireKind::Year => Self::Year,
            WireKind::Date => Self::Date,
            WireKind::OldTime => Self::Time,
            WireKind::OldDateTime => Self::DateTime { fsp: 0 },
            WireKind::OldTimestamp => Self::Timestamp { fsp: 0 },
            WireKind::Time { .. } => Self::Time,
            WireKind::DateTime { fsp } => Self::DateTime { fsp },
            WireKind::Timestamp { fsp } => Self::Timestamp { fsp },
            WireKind::String { .. }
            | WireKind::VarChar { .. }
            | WireKind::Blob { .. }
            | WireKind::Null => characters(wire, metadata),
            WireKind::Enum { .. } => Self::Enum(options(metadata)),
            WireKind::Set { .. } => Self::Set(options(metadata)),
            WireKind::Json => Self::Json,
            WireKind::Geometry if metadata.geometry == Some(POINT) => Self::Point,
            WireKind::Geometry => Self::Geometry,
            WireKind::Vector => Self::Vector,
        }
    }
}

/// The number of POINT among the geometry types of a table map.
const POINT: u64 = 1;

/// The collation that makes CHAR a BINARY and TEXT a BLOB.
const BINARY_COLLATION: u16 = 63;

fn tiny(declared: Option<&ColumnLayout>) -> IntegerSize {
    match declared.map(ColumnLayout::arguments) {
        Some((Some(1), _)) => IntegerSize::TinyOne,
        _ => IntegerSize::Tiny,
    }
}

fn characters(wire: Wire, metadata: &ColumnMetadata<'_>) -> ColumnType {
    match (metadata.collation, wire.kind) {
        (Some(BINARY_COLLATION), WireKind::String { max }) => {
            ColumnType::Binary { padded_to: Some(max) }
        }
        (Some(BINARY_COLLATION), _) => ColumnType::Binary { padded_to: None },
        (collation, _) => ColumnType::Text(charset_of(collation)),
    }
}

/// The decoder for a collation's id.
pub(super) fn charset_of(collation: Option<u16>) -> Charset {
    match collation {
        Some(id) => Charset::named(character_set(id).unwrap_or("of an unknown collation")),
        None => Charset::Utf8,
    }
}

fn options(metadata: &ColumnMetadata<'_>) -> Options {
    let arena = bumpalo::Bump::new();
    let charset = charset_of(metadata.collation);
    let words = metadata.words.as_deref().unwrap_or_default();
    Options::new(words.iter().map(|word| charset.decode(word, &arena)))
}
