//! Whatever the bytes, every decoder returns.

use std::hint::black_box;

use bumpalo::Bump;
use proptest::prelude::*;

use super::column::ColumnType;
use super::raw::Raw;
use super::recorded::{defaults, events, layouts};
use super::temporal_form::Rules;
use super::wire::Wire;
use super::*;
use crate::config::ColumnFilter;

const RULES: Rules = Rules { adjust_years: true, invalid_date_is_epoch: false, of_snapshot: false };

/// Reads every row that can be read, with the plan that can be made.
fn read(map: &[u8], kind: u8, rows: &[u8]) {
    let Ok(map) = TableMap::parse(map) else { return };
    let Some(layout) = layouts().remove(map.table) else { return };
    let plan = TablePlan::new(&layout, Some(&map), "p", &ColumnFilter::default(), &defaults());
    let (Ok(plan), Ok(mut event)) = (plan, RowsEvent::parse(kind, rows)) else { return };
    let arena = Bump::new();
    let mut again = event;
    while let Ok(Some(_)) = event.next_row(&plan, &arena, 0) {}
    while let Ok(Some(_)) = again.next_images(&plan, &arena) {}
}

proptest! {
    #[test]
    fn table_maps_of_any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        black_box(TableMap::parse(&bytes).is_ok());
        black_box(table_map_names(&bytes).is_ok());
        black_box(rows_table_id(&bytes).is_some());
    }

    #[test]
    fn rows_events_of_any_bytes(kind in 20_u8..45, bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let recorded = events().find(|(kind, _)| *kind == 19);
        read(recorded.unwrap().1, kind, &bytes);
    }

    #[test]
    fn recorded_events_with_other_bytes(
        at in any::<prop::sample::Index>(),
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        cut in any::<prop::sample::Index>(),
        in_map in any::<bool>(),
    ) {
        let recorded: Vec<_> = events().collect();
        let pairs: Vec<_> =
            recorded.windows(2).filter(|pair| pair[0].0 == 19 && pair[1].0 != 19).collect();
        let pair = at.get(&pairs);
        let (mut map, mut rows) = (pair[0].1.to_vec(), pair[1].1.to_vec());
        let changed = if in_map { &mut map } else { &mut rows };
        for (index, byte) in changes {
            *index.get_mut(changed) = byte;
        }
        read(&map, pair[1].0, &rows);
        changed_length(&mut rows, cut);
        read(&map, pair[1].0, &rows);
    }

    #[test]
    fn json_of_any_bytes(kind in 0_u8..17, bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let arena = Bump::new();
        let mut document = vec![kind];
        document.extend(bytes);
        black_box(json::text(&document, &arena).is_ok());
    }

    #[test]
    fn json_with_small_numbers(kind in 0_u8..4, bytes in proptest::collection::vec(0_u8..40, 0..200)) {
        let arena = Bump::new();
        let mut document = vec![kind];
        document.extend(bytes);
        black_box(json::text(&document, &arena).is_ok());
    }

    #[test]
    fn values_of_any_bytes(
        code in any::<u8>(),
        metadata in proptest::collection::vec(any::<u8>(), 2..3),
        bytes in proptest::collection::vec(any::<u8>(), 0..80),
    ) {
        let arena = Bump::new();
        let Ok(wire) = Wire::read(code, &mut reader::Reader::new(&metadata)) else { return Ok(()) };
        let column = ColumnType::of_map(wire, &metadata::ColumnMetadata::default(), None);
        let target = target::Target::new(&column, &defaults(), false);
        if let Ok(value) = wire.take(&mut reader::Reader::new(&bytes))
            && let Ok(raw) = Raw::of_row(wire.kind, &column, value, &arena)
        {
            black_box(target.value(raw, RULES, &arena).is_ok());
        }
        if let Ok(raw) = Raw::of_text(&column, &bytes, &arena) {
            black_box(target.value(raw, RULES, &arena).is_ok());
        }
    }

    #[test]
    fn decimals_of_any_bytes(
        bytes in proptest::collection::vec(any::<u8>(), 0..40),
        precision in any::<u8>(),
        scale in any::<u8>(),
    ) {
        let arena = Bump::new();
        if let Ok(text) = decimal::text(&bytes, precision, scale, &arena) {
            let exact = decimal::rescale(text, usize::from(scale));
            prop_assert_eq!(exact.as_deref(), Some(text));
        }
    }

    #[test]
    fn any_text_is_no_time_or_is_one(text in "[-0-9:. T]{0,30}") {
        black_box(temporal::parse_date(&text).is_some());
        black_box(temporal::parse_time(&text).is_some());
        black_box(temporal::parse_datetime(&text).is_some_and(|moment| moment.epoch_micros().is_ok()));
    }

    #[test]
    fn characters_of_any_bytes(set in any::<prop::sample::Index>(), bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
        let sets = ["utf8mb4", "latin1", "sjis", "ujis", "eucjpms", "big5", "gbk", "gb18030", "euckr", "ucs2", "utf16le", "utf32"];
        let arena = Bump::new();
        let charset = charset::Charset::named(sets[set.index(sets.len())]);
        let text = charset.decode(&bytes, &arena);
        if set.index(sets.len()) == 0 && !text.contains(char::REPLACEMENT_CHARACTER) {
            prop_assert_eq!(text.as_bytes(), bytes.as_slice());
        }
    }
}

fn changed_length(bytes: &mut Vec<u8>, cut: prop::sample::Index) {
    let length = cut.index(bytes.len() + 1);
    bytes.truncate(length);
}
