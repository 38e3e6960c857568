//! The grammar of `table.fields.additional.placement`.

use super::properties::{Words, java_trim};
use super::{Placement, PlacementKind};

/// The items of `text`, or what is wrong with the first bad one. Empty parts at the end vanish, as in Java's `split`.
pub(super) fn parse(text: &str) -> Result<Vec<Placement>, String> {
    if java_trim(text).is_empty() {
        return Err("is empty".to_owned());
    }
    java_split(text, ',').into_iter().map(item).collect()
}

fn item(text: &str) -> Result<Placement, String> {
    let parts: Vec<&str> = java_split(text, ':').into_iter().map(java_trim).collect();
    let (column, kind, alias) = match parts.as_slice() {
        [column, kind] => (*column, *kind, *column),
        [column, kind, alias] => (*column, *kind, *alias),
        _ => return Err(format!("has {:?}, which is neither a pair nor a trio", java_trim(text))),
    };
    if column.is_empty() {
        return Err(format!("names no column in {:?}", java_trim(text)));
    }
    let kind =
        PlacementKind::of(kind).ok_or_else(|| format!("has an unknown placement {kind:?}"))?;
    Ok(Placement { column: column.to_owned(), kind, alias: alias.to_owned() })
}

/// `String.split` of Java: parts that are empty at the end are dropped.
fn java_split(text: &str, separator: char) -> Vec<&str> {
    let mut parts: Vec<&str> = text.split(separator).collect();
    while parts.last().is_some_and(|part| part.is_empty()) {
        parts.pop();
    }
    parts
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn placement(column: &str, kind: PlacementKind, alias: &str) -> Placement {
        Placement { column: column.to_owned(), kind, alias: alias.to_owned() }
    }

    #[test]
    fn items_are_read_as_debezium_reads_them() {
        use PlacementKind::{Envelope, Header, Partition};
        let cases: &[(&str, &[Placement])] = &[
            (" type : HEADER : eventType ", &[placement("type", Header, "eventType")]),
            ("a:header,", &[placement("a", Header, "a")]),
            ("a:header:", &[placement("a", Header, "a")]),
            (",", &[]),
            ("a:partition:x", &[placement("a", Partition, "x")]),
            (
                "a:header:id,b:Envelope:x y.z",
                &[placement("a", Header, "id"), placement("b", Envelope, "x y.z")],
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(parse(text).as_deref(), Ok(*expected), "{text}");
        }
    }

    #[test]
    fn what_debezium_refuses_or_trips_over_is_refused() {
        for text in [
            "",
            "  ",
            "a",
            "a:header,,b:header",
            "a:header:x:y",
            "a:bogus",
            ":header",
            " :header",
            "a:header, ",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "[a:, \u{0}headrpé]{0,30}") {
            let _outcome = parse(&text);
        }
    }
}
