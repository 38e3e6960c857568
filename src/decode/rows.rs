use bumpalo::Bump;

use super::plan::{ColumnPlan, TablePlan};
use super::raw::Raw;
use super::reader::{Reader, bit, bitmap_length, little_endian};
use super::wire::WireKind;
use super::{DecodeError, ValueError};
use crate::connect::{Cell, Operation, RowChange, Value};

/// A `WRITE_ROWS`, `UPDATE_ROWS`, `DELETE_ROWS` or `PARTIAL_UPDATE_ROWS` event, of version 1 or 2.
#[derive(Clone, Copy, Debug)]
pub struct RowsEvent<'b> {
    /// The number of the table map that the rows follow.
    pub table_id: u64,
    /// Whether the statement ends with this event.
    pub ends_statement: bool,
    pub(super) kind: RowsKind,
    pub(super) columns: usize,
    /// The image of inserted and deleted rows, and of updated ones before.
    pub(super) first: Image<'b>,
    /// The image of updated rows after.
    pub(super) second: Image<'b>,
    pub(super) rows: Reader<'b>,
    /// A row of no columns takes no byte: all of them took their defaults.
    pub(super) empty_row: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RowsKind {
    Insert,
    Update,
    PartialUpdate,
    Delete,
}

/// Which columns a row image has.
#[derive(Clone, Copy, Debug)]
pub(super) struct Image<'b> {
    present: &'b [u8],
    /// How many there are, which is the length of the NULL bitmap.
    count: usize,
}

impl<'b> Image<'b> {
    /// Padding bits behind the last column are set, so columns are counted one by one.
    fn read(reader: &mut Reader<'b>, columns: usize) -> Result<Self, ValueError> {
        let present = reader.take(bitmap_length(columns))?;
        let count = (0..columns).filter(|&column| bit(present, column)).count();
        Ok(Self { present, count })
    }
}

/// A column's part of a row image.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Part<'b> {
    Absent,
    Null,
    Bytes(&'b [u8]),
    /// Changes of a JSON document in place of the document.
    Difference,
}

/// The number of the table map that a rows event follows.
#[must_use]
pub fn rows_table_id(body: &[u8]) -> Option<u64> {
    body.get(..6).map(little_endian)
}

impl<'b> RowsEvent<'b> {
    /// Reads the head of an event's body: what stands between the event's header and the checksum.
    ///
    /// # Errors
    /// When the event type carries no rows or the body is cut off.
    pub fn parse(event_type: u8, body: &'b [u8]) -> Result<Self, DecodeError> {
        let (kind, version) = match event_type {
            23 => (RowsKind::Insert, 1),
            24 => (RowsKind::Update, 1),
            25 => (RowsKind::Delete, 1),
            30 => (RowsKind::Insert, 2),
            31 => (RowsKind::Update, 2),
            32 => (RowsKind::Delete, 2),
            39 => (RowsKind::PartialUpdate, 2),
            _ => return Err(DecodeError::NotRows { event_type }),
        };
        Self::read(kind, version, body).map_err(|error| match error {
            ValueError::Malformed(what) => DecodeError::Malformed { what },
            _ => DecodeError::Truncated { what: "head of a rows event" },
        })
    }

    fn read(kind: RowsKind, version: u8, body: &'b [u8]) -> Result<Self, ValueError> {
        let mut reader = Reader::new(body);
        let table_id = little_endian(reader.take(6)?);
        let flags = reader.u16()?;
        if version == 2 {
            // Partition numbers and the like; the length counts itself.
            let length = usize::from(reader.u16()?).checked_sub(2);
            reader.take(length.ok_or(ValueError::Malformed("length of extra row data"))?)?;
        }
        let columns = reader.packed_size()?;
        let first = Image::read(&mut reader, columns)?;
        let second = match kind {
            RowsKind::Update | RowsKind::PartialUpdate => Image::read(&mut reader, columns)?,
            RowsKind::Insert | RowsKind::Delete => first,
        };
        let empty_row = first.count == 0 && kind == RowsKind::Insert;
        if first.count == 0 && !reader.is_empty() {
            return Err(ValueError::Malformed("row without columns"));
        }
        let ends_statement = flags & 1 == 1;
        Ok(Self { table_id, ends_statement, kind, columns, first, second, rows: reader, empty_row })
    }

    /// Whether it tells of deleted rows.
    #[must_use]
    pub fn are_deleted(&self) -> bool {
        matches!(self.kind, RowsKind::Delete)
    }

    /// The next row, or `None` behind the last.
    ///
    /// An update is told from its key: unchanged it is an `Update` whose cells are all skipped, changed it is
    /// a `Create` with the old key. After an [`Unconvertible`](DecodeError::Unconvertible) error the next
    /// call goes on with the row behind it; any other error ends the event.
    ///
    /// # Errors
    /// When the row cannot be read with this plan.
    pub fn next_row<'a>(
        &mut self,
        plan: &'a TablePlan,
        arena: &'a Bump,
        source_ts_ms: i64,
    ) -> Result<Option<RowChange<'a>>, DecodeError>
    where
        'b: 'a,
    {
        if self.rows.is_empty() && !std::mem::take(&mut self.empty_row) {
            return Ok(None);
        }
        if !plan.has_map || plan.columns.len() != self.columns {
            return Err(plan.wrong_width(plan.columns.len(), self.columns));
        }
        let (operation, cells, old_key) = match self.kind {
            RowsKind::Insert => {
                let cell = |column, part| plan.cell(column, part, arena);
                (Operation::Create, self.inserted(plan, arena, cell)?, None)
            }
            RowsKind::Delete => {
                self.first.walk(&mut self.rows, plan, &[], |_, _| ())?;
                (Operation::Delete, plan.skipped.as_slice(), None)
            }
            RowsKind::Update | RowsKind::PartialUpdate => self.updated(plan, arena)?,
        };
        Ok(Some(RowChange { operation, schema: &plan.schema, cells, old_key, source_ts_ms }))
    }

    /// The cells of an inserted row, each made by `cell`.
    pub(super) fn inserted<'a>(
        &mut self,
        plan: &'a TablePlan,
        arena: &'a Bump,
        cell: impl Fn(&'a ColumnPlan, Part<'b>) -> Result<Cell<'a>, DecodeError>,
    ) -> Result<&'a [Cell<'a>], DecodeError> {
        let cells = arena.alloc_slice_fill_copy(plan.skipped.len(), Cell::Skipped);
        let mut failure = None;
        self.first.walk(&mut self.rows, plan, &[], |column, part| {
            let Some(place) = wanted_cell(cells, column) else { return };
            match cell(column, part) {
                Ok(value) => *place = column.shown(value, arena),
                Err(error) => failure = failure.take().or(Some(error)),
            }
        })?;
        failure.map_or(Ok(&*cells), Err)
    }

    fn updated<'a>(
        &mut self,
        plan: &'a TablePlan,
        arena: &'a Bump,
    ) -> Result<Change<'a>, DecodeError>
    where
        'b: 'a,
    {
        let before_start = self.rows;
        let old = self.first.key_parts(&mut self.rows, plan, &[], arena)?;
        let partial = self.partial_columns(plan)?;
        let after_start = self.rows;
        let new = self.second.key_parts(&mut self.rows, plan, partial, arena)?;
        // A part that the after image leaves out has not changed.
        let changed = |(old, new): (&Part<'_>, &Part<'_>)| *new != Part::Absent && old != new;
        if !old.iter().zip(new).any(changed) {
            return Ok((Operation::Update, &plan.skipped, None));
        }
        let (old_key, new_key) = (plan.key_values(old, arena)?, plan.key_values(new, arena)?);
        let same = |((old, new), part): ((&Value<'_>, &Value<'_>), &Part<'_>)| {
            old == new || *part == Part::Absent
        };
        if old_key.iter().zip(new_key).zip(new).all(same) {
            return Ok((Operation::Update, &plan.skipped, None));
        }
        let cells = arena.alloc_slice_fill_copy(plan.skipped.len(), Cell::Absent);
        let mut failure = None;
        for (image, mut rows, partial) in
            [(self.first, before_start, [].as_slice()), (self.second, after_start, partial)]
        {
            image.walk(&mut rows, plan, partial, |column, part| {
                let Some(cell) = column.field.and_then(|field| cells.get_mut(field)) else {
                    return;
                };
                match part {
                    _ if !column.wanted => *cell = Cell::Skipped,
                    Part::Absent => {}
                    // The document itself is not in the image.
                    Part::Difference => *cell = Cell::Absent,
                    Part::Null | Part::Bytes(_) => match plan.cell(column, part, arena) {
                        Ok(value) => *cell = column.shown(value, arena),
                        Err(error) => failure = failure.take().or(Some(error)),
                    },
                }
            })?;
        }
        failure.map_or(Ok((Operation::Create, &*cells, Some(old_key))), Err)
    }

    /// What stands before the after image of a partial update: one bit a JSON column of the table, set where
    /// the image has differences.
    pub(super) fn partial_columns(&mut self, plan: &TablePlan) -> Result<&'b [u8], DecodeError> {
        if self.kind != RowsKind::PartialUpdate {
            return Ok(&[]);
        }
        let cut = |_| DecodeError::Truncated { what: "partial update" };
        let options = self.rows.packed_integer().map_err(cut)?;
        if options & 1 == 0 {
            return Ok(&[]);
        }
        let json = plan.columns.iter().filter(|column| column.wire.kind == WireKind::Json).count();
        self.rows.take(bitmap_length(json)).map_err(cut)
    }
}

type Change<'a> = (Operation, &'a [Cell<'a>], Option<&'a [Value<'a>]>);

#[inline]
fn wanted_cell<'c, 'a>(cells: &'c mut [Cell<'a>], column: &ColumnPlan) -> Option<&'c mut Cell<'a>> {
    if column.wanted { column.field.and_then(|field| cells.get_mut(field)) } else { None }
}

impl<'b> Image<'b> {
    /// Passes over one row image and shows each column's part of it.
    #[inline]
    pub(super) fn walk<'p>(
        &self,
        rows: &mut Reader<'b>,
        plan: &'p TablePlan,
        partial: &[u8],
        mut visit: impl FnMut(&'p ColumnPlan, Part<'b>),
    ) -> Result<(), DecodeError> {
        let nulls = rows
            .take(bitmap_length(self.count))
            .map_err(|_| DecodeError::Truncated { what: "NULL bitmap of a row" })?;
        let (mut included, mut json) = (0, 0);
        for (index, column) in plan.columns.iter().enumerate() {
            let is_json = column.wire.kind == WireKind::Json;
            json += usize::from(is_json);
            if !bit(self.present, index) {
                visit(column, Part::Absent);
                continue;
            }
            let is_null = bit(nulls, included);
            included += 1;
            if is_null {
                visit(column, Part::Null);
                continue;
            }
            let bytes = column.wire.take(rows).map_err(|error| plan.unreadable(column, error))?;
            if is_json && !partial.is_empty() && bit(partial, json - 1) {
                // Without a single difference the document is as it was.
                visit(column, if bytes.is_empty() { Part::Absent } else { Part::Difference });
            } else {
                visit(column, Part::Bytes(bytes));
            }
        }
        Ok(())
    }

    /// Passes over one row image and gives the primary key's parts.
    pub(super) fn key_parts<'a>(
        &self,
        rows: &mut Reader<'b>,
        plan: &TablePlan,
        partial: &[u8],
        arena: &'a Bump,
    ) -> Result<&'a [Part<'a>], DecodeError>
    where
        'b: 'a,
    {
        let parts = arena.alloc_slice_fill_copy(plan.key.len(), Part::Absent);
        let mut index = 0;
        self.walk(rows, plan, partial, |_, part| {
            for (slot, _) in parts.iter_mut().zip(&plan.key).filter(|(_, key)| **key == index) {
                *slot = part;
            }
            index += 1;
        })?;
        Ok(parts)
    }
}

impl TablePlan {
    #[inline]
    pub(super) fn cell<'a>(
        &'a self,
        column: &'a ColumnPlan,
        part: Part<'a>,
        arena: &'a Bump,
    ) -> Result<Cell<'a>, DecodeError> {
        let raw = match part {
            Part::Absent | Part::Difference => return Ok(column.absent_cell()),
            Part::Null => Ok(Raw::Null),
            Part::Bytes(bytes) => Raw::of_row(column.wire.kind, &column.column_type, bytes, arena),
        };
        self.value(column, raw, self.row_rules, arena).map(Cell::Value)
    }

    pub(super) fn key_values<'a>(
        &'a self,
        parts: &[Part<'a>],
        arena: &'a Bump,
    ) -> Result<&'a [Value<'a>], DecodeError> {
        let values = arena.alloc_slice_fill_copy(parts.len(), Value::Null);
        for ((value, &part), &index) in values.iter_mut().zip(parts).zip(&self.key) {
            let column = self.columns.get(index);
            if let (Some(column), Part::Null | Part::Bytes(_)) = (column, part)
                && let Cell::Value(decoded) = self.cell(column, part, arena)?
            {
                *value = decoded;
            }
        }
        Ok(values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{ColumnFilter, DecodeConfig, FailureHandling, TimePrecision};
    use crate::decode::{ColumnLayout, TableLayout, TableMap};

    /// A table map without optional metadata: type codes, metadata, nullability.
    fn map(columns: &[(u8, &[u8], bool)]) -> Vec<u8> {
        let mut body = vec![9, 0, 0, 0, 0, 0, 1, 0, 1, b'd', 0, 1, b't', 0];
        body.push(u8::try_from(columns.len()).unwrap());
        body.extend(columns.iter().map(|(code, ..)| code));
        let metadata: Vec<u8> = columns.iter().flat_map(|(_, bytes, _)| bytes.to_vec()).collect();
        body.push(u8::try_from(metadata.len()).unwrap());
        body.extend(metadata);
        let mut nulls = vec![0; columns.len().div_ceil(8)];
        for (index, _) in columns.iter().enumerate().filter(|(_, (_, _, nullable))| *nullable) {
            nulls[index / 8] |= 1 << (index % 8);
        }
        body.extend(nulls);
        body
    }

    fn layout(columns: &[(&str, bool, Option<&str>)]) -> TableLayout {
        let column =
            |(index, (column_type, nullable, default)): (usize, &(&str, bool, Option<&str>))| {
                let data_type = column_type.split(['(', ' ']).next().unwrap().to_owned();
                ColumnLayout {
                    name: format!("c{index}"),
                    character_set: data_type.contains("char").then(|| "utf8mb4".to_owned()),
                    data_type,
                    column_type: (*column_type).to_owned(),
                    collation: None,
                    nullable: *nullable,
                    default: default.map(str::to_owned),
                    extra: String::new(),
                }
            };
        TableLayout {
            database: "d".into(),
            table: "t".into(),
            columns: columns.iter().enumerate().map(column).collect(),
            primary_key: vec![0],
            collation: None,
        }
    }

    fn plan(map: &[u8], layout: &TableLayout, config: &DecodeConfig) -> TablePlan {
        let map = TableMap::parse(map).unwrap();
        TablePlan::new(layout, Some(&map), "p", &ColumnFilter::default(), config).unwrap()
    }

    /// Version 1 when there is no extra data.
    fn event(extra: Option<&[u8]>, columns: u8, images: &[&[u8]], rows: &[u8]) -> Vec<u8> {
        let mut body = vec![9, 0, 0, 0, 0, 0, 1, 0];
        if let Some(extra) = extra {
            body.extend(u16::try_from(extra.len() + 2).unwrap().to_le_bytes());
            body.extend(extra);
        }
        body.push(columns);
        images.iter().for_each(|image| body.extend(*image));
        body.extend(rows);
        body
    }

    fn cells(kind: u8, body: &[u8], plan: &TablePlan) -> Result<Vec<String>, DecodeError> {
        let arena = Bump::new();
        let mut event = RowsEvent::parse(kind, body)?;
        let mut rows = Vec::new();
        while let Some(row) = event.next_row(plan, &arena, 0)? {
            rows.push(format!("{:?} {:?}", row.operation, row.cells));
        }
        Ok(rows)
    }

    const INTS: [(u8, &[u8], bool); 10] = [(3, &[], true); 10];

    fn ints() -> TableLayout {
        layout(&[("int", true, None); 10])
    }

    #[test]
    fn null_bitmap_has_one_bit_an_included_column() {
        let plan = plan(&map(&INTS), &ints(), &DecodeConfig::default());
        // Columns 1 and 9, the padding bits of the image set; column 1 is NULL.
        let rows = [0b1111_1101, 7, 0, 0, 0];
        let body = event(Some(&[0, 1, 5]), 10, &[&[0b0000_0010, 0b1111_1110]], &rows);
        let none = "Value(Null)";
        let absent = [none; 9].join(", ");
        assert_eq!(
            cells(30, &body, &plan).unwrap(),
            [format!("Create [{absent}, Value(Int32(7))]")]
        );
    }

    #[test]
    fn absent_columns_take_their_literal_default_alone() {
        let columns = [(3, [].as_slice(), true); 5];
        let mut layout = layout(&[
            ("int", true, Some("3")),
            ("int", true, None),
            ("int", true, Some("uuid()")),
            ("int", true, None),
            ("int", true, None),
        ]);
        layout.columns[2].extra = "DEFAULT_GENERATED".into();
        layout.columns[3].extra = "VIRTUAL GENERATED".into();
        let plan = plan(&map(&columns), &layout, &DecodeConfig::default());
        let body = event(Some(&[]), 5, &[&[0xF0]], &[0xFE, 9, 0, 0, 0]);
        assert_eq!(
            cells(30, &body, &plan).unwrap(),
            ["Create [Value(Int32(3)), Value(Null), Absent, Absent, Value(Int32(9))]"]
        );
    }

    #[test]
    fn rows_of_version_1_have_no_extra_data() {
        let plan =
            plan(&map(&INTS[..1]), &layout(&[("int", true, None)]), &DecodeConfig::default());
        let body = event(None, 1, &[&[0xFF]], &[0xFE, 1, 0, 0, 0, 0xFF]);
        assert_eq!(
            cells(23, &body, &plan).unwrap(),
            ["Create [Value(Int32(1))]", "Create [Value(Null)]"]
        );
        let update = event(None, 1, &[&[0xFF], &[0xFF]], &[0xFE, 1, 0, 0, 0, 0xFE, 1, 0, 0, 0]);
        assert_eq!(cells(24, &update, &plan).unwrap(), ["Update [Skipped]"]);
        assert_eq!(cells(25, &body, &plan).unwrap(), vec!["Delete [Skipped]"; 2]);
        assert!(matches!(cells(22, &body, &plan), Err(DecodeError::NotRows { event_type: 22 })));
    }

    #[test]
    fn a_cut_row_names_its_column() {
        let plan =
            plan(&map(&INTS[..2]), &layout(&[("int", true, None); 2]), &DecodeConfig::default());
        let body = event(Some(&[]), 2, &[&[3]], &[0, 1, 0, 0, 0, 2, 0]);
        let failure = cells(30, &body, &plan).unwrap_err();
        assert!(matches!(
            failure,
            DecodeError::Value { column, source: ValueError::Truncated, .. } if column == "c1"
        ));
    }

    #[test]
    fn a_plan_for_another_table_is_refused() {
        let plan =
            plan(&map(&INTS[..2]), &layout(&[("int", true, None); 2]), &DecodeConfig::default());
        let body = event(Some(&[]), 10, &[&[3, 0]], &[0, 1, 0, 0, 0, 2, 0, 0, 0]);
        assert!(matches!(cells(30, &body, &plan), Err(DecodeError::WrongWidth { actual: 10, .. })));
    }

    #[test]
    fn null_in_a_required_column_becomes_its_default_or_zero() {
        let columns = [(3, [].as_slice(), false), (15, &[40, 0], false), (10, &[], false)];
        let layout = layout(&[
            ("int", false, Some("3")),
            ("varchar(10)", false, None),
            ("date", false, Some("2020-01-02")),
        ]);
        let plan = plan(&map(&columns), &layout, &DecodeConfig::default());
        // NULLs of a lenient mode, then a zero date.
        let body = event(Some(&[]), 3, &[&[7]], &[0b011, 0, 0, 0]);
        assert_eq!(
            cells(30, &body, &plan).unwrap(),
            ["Create [Value(Int32(3)), Value(String(\"\")), Value(Int32(18263))]"]
        );
    }

    #[test]
    fn dates_that_no_calendar_has_stop_or_become_the_epoch() {
        let map = map(&[(10, &[], true)]);
        let layout = layout(&[("date", true, None)]);
        // 2023-02-31, then 2023-02-28.
        let packed = |day: u32| (2023_u32 << 9 | 2 << 5 | day).to_le_bytes();
        let mut rows = vec![0];
        rows.extend(&packed(31)[..3]);
        rows.push(0);
        rows.extend(&packed(28)[..3]);
        let body = event(Some(&[]), 1, &[&[1]], &rows);
        let strict = plan(&map, &layout, &DecodeConfig::default());
        let arena = Bump::new();
        let mut event = RowsEvent::parse(30, &body).unwrap();
        let failure = event.next_row(&strict, &arena, 0).unwrap_err();
        assert!(matches!(
            failure,
            DecodeError::Unconvertible { source: ValueError::InvalidDate, .. }
        ));
        assert!(!strict.may_skip_row(&failure));
        // The row was read to its end, so the next one can be.
        let next = event.next_row(&strict, &arena, 0).unwrap().unwrap();
        assert_eq!(next.cells, [Cell::Value(Value::Int32(19_416))]);
        let config =
            DecodeConfig { processing_failure: FailureHandling::Warn, ..DecodeConfig::default() };
        let lenient = plan(&map, &layout, &config);
        assert_eq!(cells(30, &body, &lenient).unwrap()[0], "Create [Value(Int32(0))]");
    }

    #[test]
    fn conversion_failures_follow_their_mode() {
        let map = |nullable| map(&[(19, &[0], nullable)]);
        let layout = |nullable| layout(&[("time", nullable, None)]);
        // 838:59:59 has no form in Connect's Time.
        let body = event(Some(&[]), 1, &[&[1]], &[0, 0xB4, 0x6E, 0xFB]);
        let config = |converting_failure, processing_failure| DecodeConfig {
            time_precision: TimePrecision::Connect,
            converting_failure,
            processing_failure,
            ..DecodeConfig::default()
        };
        let warn = config(FailureHandling::Warn, FailureHandling::Fail);
        let optional = plan(&map(true), &layout(true), &warn);
        assert_eq!(cells(30, &body, &optional).unwrap(), ["Create [Value(Null)]"]);
        for (config, nullable, skips) in [
            (config(FailureHandling::Fail, FailureHandling::Warn), true, false),
            (warn, false, false),
            (config(FailureHandling::Warn, FailureHandling::Skip), false, true),
        ] {
            let plan = plan(&map(nullable), &layout(nullable), &config);
            let failure = cells(30, &body, &plan).unwrap_err();
            assert!(matches!(failure, DecodeError::Unconvertible { .. }));
            assert_eq!(plan.may_skip_row(&failure), skips);
        }
    }
}
