use std::fmt::Write;

use super::event::Event;

/// Compares whole records, in order within each partition, surplus included.
pub(super) fn compare(expected: &[Event], actual: &[Event]) -> Result<(), String> {
    let (expected, actual) = (lines(expected), lines(actual));
    if expected == actual {
        return Ok(());
    }
    let mut text = format!("{} records expected, {} published\n", expected.len(), actual.len());
    let (mut expected, mut actual) =
        (expected.into_iter().peekable(), actual.into_iter().peekable());
    loop {
        match (expected.peek(), actual.peek()) {
            (None, None) => return Err(text),
            (Some(a), Some(b)) if a == b => {
                expected.next();
                actual.next();
            }
            (a, b) => {
                let missing = a.map(|(_, line)| format!("- {line}\n")).unwrap_or_default();
                let surplus = b.map(|(_, line)| format!("+ {line}\n")).unwrap_or_default();
                write!(text, "{missing}{surplus}").unwrap();
                expected.next();
                actual.next();
            }
        }
    }
}

/// Lines by topic and partition; where any partition is right the order between records is open.
fn lines(events: &[Event]) -> Vec<((String, Option<i32>), String)> {
    let mut lines: Vec<_> =
        events.iter().map(|event| ((event.topic.clone(), event.partition), event.line())).collect();
    lines.sort_by(|(a, line_a), (b, line_b)| {
        a.cmp(b).then_with(|| {
            if a.1.is_none() { line_a.cmp(line_b) } else { std::cmp::Ordering::Equal }
        })
    });
    lines
}
