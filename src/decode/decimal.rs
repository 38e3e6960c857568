use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;

use super::ValueError;
use super::reader::big_endian;

/// Bytes that a group of so many digits takes: nine digits in four bytes, fewer in as few as hold them.
const GROUP_BYTES: [usize; 10] = [0, 1, 1, 2, 2, 3, 3, 4, 4, 4];

/// The bytes of a `DECIMAL(precision, scale)`.
pub(super) fn binary_length(precision: u8, scale: u8) -> usize {
    digits_length(precision.saturating_sub(scale)) + digits_length(scale)
}

fn digits_length(digits: u8) -> usize {
    usize::from(digits / 9) * 4
        + GROUP_BYTES.get(usize::from(digits % 9)).copied().unwrap_or_default()
}

/// A decimal from its binary form as plain digits with the full scale; zero has no sign, as in Java.
pub(super) fn text<'a>(
    bytes: &[u8],
    precision: u8,
    scale: u8,
    arena: &'a Bump,
) -> Result<&'a str, ValueError> {
    let mut out = ArenaVec::with_capacity_in(usize::from(precision) + 3, arena);
    write(bytes, precision, scale, &mut out)?;
    std::str::from_utf8(out.into_bump_slice()).map_err(|_| ValueError::Malformed("DECIMAL"))
}

/// Appends the same text.
pub(super) fn write(
    bytes: &[u8],
    precision: u8,
    scale: u8,
    out: &mut ArenaVec<'_, u8>,
) -> Result<(), ValueError> {
    // The largest that MySQL has.
    if precision > 65 || scale > 30 || scale > precision {
        return Err(ValueError::Malformed("DECIMAL precision"));
    }
    let length = binary_length(precision, scale);
    let mut flipped = [0; 32];
    let buffer = flipped.get_mut(..length).ok_or(ValueError::Malformed("DECIMAL precision"))?;
    buffer.copy_from_slice(bytes.get(..length).ok_or(ValueError::Truncated)?);
    let Some(first) = buffer.first_mut() else { return Err(ValueError::Truncated) };
    // The first bit is the sign, set for positive; negative numbers have all bits inverted.
    let negative = *first & 0x80 == 0;
    *first ^= 0x80;
    if negative {
        buffer.iter_mut().for_each(|byte| *byte = !*byte);
    }
    let mut digits = [b'0'; 65];
    let count = usize::from(precision);
    let whole = precision - scale;
    write_digits(buffer, whole, scale, &mut digits)?;
    let (whole, fraction) = digits
        .get(..count)
        .and_then(|digits| digits.split_at_checked(usize::from(whole)))
        .ok_or(ValueError::Malformed("DECIMAL precision"))?;
    let leading = whole.iter().take_while(|&&digit| digit == b'0').count();
    let is_zero = leading == whole.len() && fraction.iter().all(|&digit| digit == b'0');
    if negative && !is_zero {
        out.push(b'-');
    }
    match whole.get(leading..) {
        Some(significant) if !significant.is_empty() => out.extend_from_slice_copy(significant),
        _ => out.push(b'0'),
    }
    if !fraction.is_empty() {
        out.push(b'.');
        out.extend_from_slice_copy(fraction);
    }
    Ok(())
}

/// Unpacks the groups: the short one comes first before the point and last behind it.
fn write_digits(bytes: &[u8], whole: u8, scale: u8, out: &mut [u8]) -> Result<(), ValueError> {
    let full = |digits: u8| std::iter::repeat_n(9, usize::from(digits / 9));
    let groups = std::iter::once(usize::from(whole % 9))
        .chain(full(whole))
        .chain(full(scale))
        .chain(std::iter::once(usize::from(scale % 9)));
    let (mut bytes, mut out) = (bytes, out);
    for digits in groups {
        let width = GROUP_BYTES.get(digits).copied().unwrap_or_default();
        let (group, rest) = bytes.split_at_checked(width).ok_or(ValueError::Truncated)?;
        let (text, tail) = std::mem::take(&mut out)
            .split_at_mut_checked(digits)
            .ok_or(ValueError::Malformed("DECIMAL precision"))?;
        let mut value = big_endian(group);
        for digit in text.iter_mut().rev() {
            *digit = b'0' + u8::try_from(value % 10).unwrap_or_default();
            value /= 10;
        }
        if value != 0 {
            return Err(ValueError::Malformed("DECIMAL digits"));
        }
        (bytes, out) = (rest, tail);
    }
    Ok(())
}

/// A decimal's text brought to a scale, half up, as plain digits; `None` when it is no number.
pub(super) fn rescale(text: &str, scale: usize) -> Option<String> {
    let (sign, digits) = match text.as_bytes().first()? {
        b'-' => ("-", text.get(1..)?),
        b'+' => ("", text.get(1..)?),
        _ => ("", text),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let all = whole.bytes().chain(fraction.bytes());
    if whole.len() + fraction.len() == 0 || !all.clone().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let kept = whole.len() + scale;
    let mut number: Vec<u8> = all.clone().chain(std::iter::repeat(b'0')).take(kept).collect();
    if all.clone().nth(kept).is_some_and(|digit| digit >= b'5') {
        increment(&mut number);
    }
    let point = number.len() - scale;
    let text = std::str::from_utf8(&number).ok()?;
    let (whole, fraction) = text.split_at_checked(point)?;
    let whole = whole.trim_start_matches('0');
    let sign = if number.iter().all(|&digit| digit == b'0') { "" } else { sign };
    let whole = if whole.is_empty() { "0" } else { whole };
    Some(if scale == 0 { format!("{sign}{whole}") } else { format!("{sign}{whole}.{fraction}") })
}

/// Adds one in the last place.
fn increment(digits: &mut Vec<u8>) {
    for digit in digits.iter_mut().rev() {
        if *digit < b'9' {
            *digit += 1;
            return;
        }
        *digit = b'0';
    }
    digits.insert(0, b'1');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(bytes: &[u8], precision: u8, scale: u8) -> Result<String, ValueError> {
        let arena = Bump::new();
        text(bytes, precision, scale, &arena).map(str::to_owned)
    }

    #[test]
    fn digits_are_unpacked_from_their_groups() {
        // The manual's example, DECIMAL(14,4).
        let positive = [0x81, 0x0D, 0xFB, 0x38, 0xD2, 0x04, 0xD2];
        assert_eq!(decoded(&positive, 14, 4).unwrap(), "1234567890.1234");
        let negative = [0x7E, 0xF2, 0x04, 0xC7, 0x2D, 0xFB, 0x2D];
        assert_eq!(decoded(&negative, 14, 4).unwrap(), "-1234567890.1234");
    }

    #[test]
    fn zero_keeps_its_scale_and_has_no_sign() {
        assert_eq!(decoded(&[0x80, 0, 0, 0, 0], 10, 2).unwrap(), "0.00");
        assert_eq!(decoded(&[0x7F, 0xFF, 0xFF, 0xFF, 0xFF], 10, 2).unwrap(), "0.00");
        assert_eq!(decoded(&[0x80, 0, 1], 5, 5).unwrap(), "0.00001");
    }

    #[test]
    fn impossible_decimals_are_refused() {
        assert!(decoded(&[0x80], 10, 2).is_err());
        assert!(decoded(&[0xFF; 40], 255, 255).is_err());
        assert!(decoded(&[0xFF, 0xFF, 0xFF, 0xFF], 9, 0).is_err());
        assert!(decoded(&[], 0, 0).is_err());
    }

    #[test]
    fn literals_are_rounded_half_up() {
        for (text, scale, expected) in [
            ("1.005", 2, "1.01"),
            ("-1.005", 2, "-1.01"),
            ("9.99", 1, "10.0"),
            ("5", 2, "5.00"),
            ("-0.001", 2, "0.00"),
            (".5", 0, "1"),
            ("007", 0, "7"),
        ] {
            assert_eq!(rescale(text, scale).as_deref(), Some(expected), "{text}");
        }
        assert_eq!(rescale("x", 2), None);
        assert_eq!(rescale("", 2), None);
    }
}
