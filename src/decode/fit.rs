use super::collation::{character_bytes_max, character_set};
use super::layout::ColumnLayout;
use super::metadata::ColumnMetadata;
use super::wire::{Wire, WireKind};

/// Why a column of the layout is not the one at its place in the table map; `None` when all that the map
/// tells agrees.
pub(super) fn misfit(
    layout: &ColumnLayout,
    wire: Wire,
    nullable: bool,
    metadata: &ColumnMetadata<'_>,
) -> Option<String> {
    let differs = |what: &str| Some(format!("column {} has another {what}", layout.name));
    if layout.nullable != nullable {
        return differs("nullability");
    }
    if wire.kind != WireKind::Year
        && metadata.unsigned.is_some_and(|unsigned| unsigned != layout.is_unsigned())
    {
        return differs("sign");
    }
    if let Some(of_map) = metadata.collation.and_then(character_set)
        && wire.is_character()
        && of_map != own_character_set(layout)
    {
        return differs("character set");
    }
    if fits(layout, wire.kind, metadata) { None } else { differs("type") }
}

fn fits(layout: &ColumnLayout, kind: WireKind, metadata: &ColumnMetadata<'_>) -> bool {
    let (first, second) = layout.arguments();
    let length = first.unwrap_or(1);
    match (layout.data_type.as_str(), kind) {
        ("tinyint", WireKind::Tiny)
        | ("smallint", WireKind::Short)
        | ("mediumint", WireKind::Int24)
        | ("int" | "integer", WireKind::Long)
        | ("bigint", WireKind::LongLong)
        | ("float", WireKind::Float)
        | ("double" | "real", WireKind::Double)
        | ("year", WireKind::Year)
        | ("date", WireKind::Date)
        | ("json", WireKind::Json)
        | ("vector", WireKind::Vector)
        | ("tinytext" | "tinyblob", WireKind::Blob { prefix: 1 })
        | ("text" | "blob", WireKind::Blob { prefix: 2 })
        | ("mediumtext" | "mediumblob", WireKind::Blob { prefix: 3 })
        | ("longtext" | "longblob", WireKind::Blob { prefix: 4 }) => true,
        ("decimal" | "numeric", WireKind::Decimal { precision, scale }) => {
            u16::from(precision) == first.unwrap_or(10) && u16::from(scale) == second.unwrap_or(0)
        }
        ("bit", WireKind::Bit { bits }) => bits == length,
        ("time", WireKind::Time { fsp })
        | ("datetime", WireKind::DateTime { fsp })
        | ("timestamp", WireKind::Timestamp { fsp }) => u16::from(fsp) == first.unwrap_or(0),
        ("time", WireKind::OldTime)
        | ("datetime", WireKind::OldDateTime)
        | ("timestamp", WireKind::OldTimestamp) => first.is_none(),
        ("char" | "binary", WireKind::String { max })
        | ("varchar" | "varbinary", WireKind::VarChar { max }) => {
            u32::from(max) == u32::from(length) * u32::from(character_bytes(layout, metadata))
        }
        ("enum", WireKind::Enum { width }) => {
            width == if layout.words().len() < 256 { 1 } else { 2 }
        }
        ("set", WireKind::Set { width }) => {
            let bytes = layout.words().len().div_ceil(8);
            usize::from(width) == if bytes > 4 { 8 } else { bytes.max(1) }
        }
        (
            "geometry" | "point" | "linestring" | "polygon" | "multipoint" | "multilinestring"
            | "multipolygon" | "geometrycollection" | "geomcollection",
            WireKind::Geometry,
        ) => geometry_fits(&layout.data_type, metadata.geometry),
        _ => false,
    }
}

/// As the server names it since 8.0.30.
fn own_character_set(layout: &ColumnLayout) -> &str {
    match layout.character_set.as_deref() {
        None => "binary",
        Some("utf8") => "utf8mb3",
        Some(name) => name,
    }
}

/// Bytes of a character: by the map's collation where it has one, else by the layout's character set.
fn character_bytes(layout: &ColumnLayout, metadata: &ColumnMetadata<'_>) -> u16 {
    let of_map = metadata.collation.and_then(character_set);
    of_map.or(layout.character_set.as_deref()).map_or(1, character_bytes_max)
}

/// The numbers of geometry types in a table map.
fn geometry_fits(data_type: &str, number: Option<u64>) -> bool {
    let name = match number {
        Some(0) => "geometry",
        Some(1) => "point",
        Some(2) => "linestring",
        Some(3) => "polygon",
        Some(4) => "multipoint",
        Some(5) => "multilinestring",
        Some(6) => "multipolygon",
        Some(7) => return data_type.starts_with("geom"),
        _ => return true,
    };
    name == data_type
}
