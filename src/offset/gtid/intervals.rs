//! Lists of disjoint, ascending, non-adjacent intervals.

use super::GtidInterval;

pub(super) fn insert(all: &mut Vec<GtidInterval>, new: GtidInterval) {
    if let Some(last) = all.last_mut()
        && last.start <= new.start
        && new.start <= last.end.saturating_add(1)
    {
        // The usual case: the next transaction of the source.
        last.end = last.end.max(new.end);
        return;
    }
    let from = all.partition_point(|interval| interval.end.saturating_add(1) < new.start);
    let to = all.partition_point(|interval| interval.start <= new.end.saturating_add(1));
    let touched = all.get(from..to).unwrap_or_default();
    let merged = GtidInterval {
        start: touched.first().map_or(new.start, |first| first.start.min(new.start)),
        end: touched.last().map_or(new.end, |last| last.end.max(new.end)),
    };
    all.splice(from..to.max(from), [merged]);
}

pub(super) fn is_subset(mine: &[GtidInterval], theirs: &[GtidInterval]) -> bool {
    mine.iter().all(|interval| {
        let after = theirs.partition_point(|other| other.start <= interval.start);
        let holder = theirs.get(..after).and_then(<[_]>::last);
        holder.is_some_and(|holder| interval.end <= holder.end)
    })
}

pub(super) fn subtract(mine: &[GtidInterval], theirs: &[GtidInterval]) -> Vec<GtidInterval> {
    let mut left = Vec::new();
    let mut others = theirs.iter().peekable();
    for interval in mine {
        let mut start = interval.start;
        while let Some(other) = others.peek()
            && other.start <= interval.end
        {
            if start < other.start {
                left.push(GtidInterval { start, end: other.start - 1 });
            }
            start = start.max(other.end.saturating_add(1));
            if other.end > interval.end {
                break;
            }
            others.next();
        }
        if start <= interval.end {
            left.push(GtidInterval { start, end: interval.end });
        }
    }
    left
}
