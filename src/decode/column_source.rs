use super::column::{ColumnType, charset_of};
use super::fit::misfit;
use super::layout::{ColumnLayout, TableLayout};
use super::table_map::TableMap;
use super::wire::Wire;

/// What is known about a column before it has its Connect form.
pub(super) struct Source<'a> {
    pub(super) name: &'a str,
    pub(super) wire: Wire,
    pub(super) column_type: ColumnType,
    pub(super) nullable: bool,
    pub(super) layout: Option<&'a ColumnLayout>,
}

/// The columns of a map with full metadata, with the layout's where it has one of the same name.
pub(super) fn full_sources<'a>(layout: &'a TableLayout, map: &'a TableMap<'_>) -> Vec<Source<'a>> {
    let columns = map.wires.iter().zip(&map.nullable).zip(&map.metadata.columns);
    columns
        .map(|((&wire, &nullable), metadata)| {
            let name = metadata.name.unwrap_or_default();
            let layout = layout.columns.iter().find(|column| column.name == name);
            let column_type = ColumnType::of_map(wire, metadata, layout);
            Source { name, wire, column_type, nullable, layout }
        })
        .collect()
}

/// The layout's columns, once proved to be the map's.
pub(super) fn fitting_sources<'a>(
    layout: &'a TableLayout,
    map: &TableMap<'_>,
) -> Result<Vec<Source<'a>>, String> {
    let (expected, actual) = (layout.columns.len(), map.wires.len());
    if expected != actual {
        return Err(format!("it has {expected} columns and the map {actual}"));
    }
    let mut sources = layout_sources(layout)?;
    let columns = map.wires.iter().zip(&map.nullable).zip(&map.metadata.columns);
    for (source, ((&wire, &nullable), metadata)) in sources.iter_mut().zip(columns) {
        let layout = source.layout.into_iter();
        let mut misfits = layout.filter_map(|layout| misfit(layout, wire, nullable, metadata));
        if let Some(reason) = misfits.next() {
            return Err(reason);
        }
        source.wire = wire;
        if let (ColumnType::Text(charset), Some(_)) = (&mut source.column_type, metadata.collation)
        {
            *charset = charset_of(metadata.collation);
        }
    }
    Ok(sources)
}

/// The layout's columns; how they stand in a row is not known yet.
pub(super) fn layout_sources(layout: &TableLayout) -> Result<Vec<Source<'_>>, String> {
    let source = |column| {
        ColumnType::of_layout(column).map(|column_type| Source {
            name: column.name.as_str(),
            wire: Wire::UNKNOWN,
            column_type,
            nullable: column.nullable,
            layout: Some(column),
        })
    };
    layout.columns.iter().map(source).collect()
}
