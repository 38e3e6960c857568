use std::fmt::{self, Write};

use bumpalo::collections::Vec as ArenaVec;

/// Appends a double of a JSON document as Debezium's binlog reader writes it.
///
/// Where Java's `Double.toString` has no exponent, that text; else the exact decimal expansion without `.0`.
pub(super) fn write_double(value: f64, out: &mut ArenaVec<'_, u8>) {
    let magnitude = value.abs();
    if (1e-3..1e7).contains(&magnitude) && write_short(value, out) {
        // Most numbers in documents have few digits.
    } else if value == 0.0 || (1e-3..1e7).contains(&magnitude) {
        // In this range the shortest digits are written plainly, with at least one behind the point.
        let mut buffer = ryu::Buffer::new();
        out.extend_from_slice_copy(buffer.format_finite(value).as_bytes());
    } else {
        write_exactly(value, out);
    }
}

/// Writes a value below 1e7 that has at most three digits behind the point. A decimal of at most 15 digits
/// that rounds to the value is the only one, so it is the shortest as well.
fn write_short(value: f64, out: &mut ArenaVec<'_, u8>) -> bool {
    let magnitude = value.abs();
    for (digits, scale) in [(1, 10.0), (2, 100.0), (3, 1000.0)] {
        let scaled = (magnitude * scale).round();
        // Both are exact, so their quotient is the double nearest to the decimal.
        if scaled / scale == magnitude {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "whole, positive and below 1e10"
            )]
            write_scaled(scaled as u64, digits, value < 0.0, out);
            return true;
        }
    }
    false
}

/// A whole number with its point so many digits before the end.
fn write_scaled(scaled: u64, digits: usize, negative: bool, out: &mut ArenaVec<'_, u8>) {
    let mut text = [0; 16];
    let (mut rest, mut start, mut written) = (scaled, text.len(), 0);
    for slot in text.iter_mut().rev() {
        start -= 1;
        if written == digits {
            *slot = b'.';
        } else {
            *slot = b'0' + u8::try_from(rest % 10).unwrap_or_default();
            rest /= 10;
        }
        written += 1;
        // One digit before the point at least.
        if rest == 0 && written > digits + 1 {
            break;
        }
    }
    if negative {
        out.push(b'-');
    }
    out.extend_from_slice_copy(text.get(start..).unwrap_or_default());
}

/// Every double is an odd number times a power of two, so it has as many fraction digits as that power has
/// below zero; the standard library's formatting to a precision is exact.
fn write_exactly(value: f64, out: &mut ArenaVec<'_, u8>) {
    let bits = value.to_bits();
    let exponent = i32::try_from(bits >> 52 & 0x7FF).unwrap_or_default();
    let fraction = bits & ((1 << 52) - 1);
    let (mantissa, exponent) =
        if exponent == 0 { (fraction, -1074) } else { (fraction | 1 << 52, exponent - 1075) };
    let zeros = i32::try_from(mantissa.trailing_zeros()).unwrap_or_default();
    let digits = usize::try_from(-(exponent + zeros)).unwrap_or_default();
    write!(Text(out), "{value:.digits$}").expect("writing to memory does not fail");
}

/// An arena's bytes that `write!` can append to.
struct Text<'v, 'a>(&'v mut ArenaVec<'a, u8>);

impl Write for Text<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.extend_from_slice_copy(text.as_bytes());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use bumpalo::Bump;

    use super::*;

    fn text(value: f64) -> String {
        let arena = Bump::new();
        let mut out = ArenaVec::new_in(&arena);
        write_double(value, &mut out);
        String::from_utf8(out.to_vec()).unwrap()
    }

    proptest::proptest! {
        #[test]
        fn short_doubles_are_written_as_their_shortest_digits(
            scaled in -9_999_999_999_i64..=9_999_999_999, scale in 0..8,
        ) {
            #[expect(clippy::cast_precision_loss, reason = "below 2^53")]
            let value = scaled as f64 / 10_f64.powi(scale);
            if (1e-3..1e7).contains(&value.abs()) {
                let shortest = format!("{value:?}");
                proptest::prop_assert_eq!(text(value), shortest);
            }
        }
    }

    #[test]
    fn doubles_are_written_as_debezium_does() {
        for (value, expected) in [
            (1e7, "10000000"),
            (9_999_999.0, "9999999.0"),
            (12_345_678.9, "12345678.90000000037252902984619140625"),
            (12_345_678.99, "12345678.99000000022351741790771484375"),
            (0.001, "0.001"),
            (0.0005, "0.0005000000000000000104083408558608425664715468883514404296875"),
            (1e22, "10000000000000000000000"),
            (1e20, "100000000000000000000"),
            (1e-7, "0.0000000999999999999999954748111825886258685613938723690807819366455078125"),
            (-0.0, "-0.0"),
            (0.0, "0.0"),
            (2.5, "2.5"),
            (1000.0, "1000.0"),
            (-1234.5, "-1234.5"),
            (9_999_999.999, "9999999.999"),
            (-0.05, "-0.05"),
            (0.125, "0.125"),
            (0.0625, "0.0625"),
            (19.99, "19.99"),
            (100.0, "100.0"),
            (5.0, "5.0"),
            (-1e7, "-10000000"),
            (1.0 / 3.0, "0.3333333333333333"),
        ] {
            assert_eq!(text(value), expected);
        }
        assert!(text(f64::MAX).starts_with("179769313486231570814527423731704356798"));
        assert_eq!(text(f64::MAX).len(), 309);
        assert_eq!(text(f64::from_bits(1)).len(), 1076);
        assert!(text(f64::from_bits(1)).ends_with("419718265533447265625"));
    }
}
