//! The text that Java gives to numbers, and the bytes of its big integers.

use bumpalo::collections::Vec as ArenaVec;

/// Significant digits of a finite number and the power of ten of the first: `d.ddd × 10^exponent`.
struct Decimal {
    digits: [u8; 20],
    len: usize,
    exponent: i32,
}

/// Appends an integer's digits.
pub(crate) fn write_integer(value: i64, out: &mut ArenaVec<'_, u8>) {
    let mut digits = [0u8; 20];
    let mut start = digits.len();
    let mut rest = value.unsigned_abs();
    loop {
        start -= 1;
        if let (Some(slot), Ok(digit)) = (digits.get_mut(start), u8::try_from(rest % 10)) {
            *slot = b'0' + digit;
        }
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    if value < 0 {
        out.push(b'-');
    }
    out.extend_from_slice_copy(digits.get(start..).unwrap_or_default());
}

/// Appends `Double.toString`'s text.
pub(crate) fn write_f64(value: f64, out: &mut ArenaVec<'_, u8>) {
    if let Some(word) = special(value) {
        out.extend_from_slice_copy(word);
        return;
    }
    let mut buffer = ryu::Buffer::new();
    let mut decimal = Decimal::parse(buffer.format_finite(value.abs()));
    if decimal.len == 1 {
        // Of all texts of at most two digits Java takes the one closest to the number.
        let two = format!("{:.1e}", value.abs());
        if two.parse() == Ok(value.abs()) {
            decimal = Decimal::parse(&two);
        }
    }
    decimal.write(value.is_sign_negative(), out);
}

/// Appends `Float.toString`'s text.
pub(crate) fn write_f32(value: f32, out: &mut ArenaVec<'_, u8>) {
    if let Some(word) = special(f64::from(value)) {
        out.extend_from_slice_copy(word);
        return;
    }
    let mut buffer = ryu::Buffer::new();
    let mut decimal = Decimal::parse(buffer.format_finite(value.abs()));
    if decimal.len == 1 {
        let two = format!("{:.1e}", value.abs());
        if two.parse() == Ok(value.abs()) {
            decimal = Decimal::parse(&two);
        }
    }
    decimal.write(value.is_sign_negative(), out);
}

fn special(value: f64) -> Option<&'static [u8]> {
    if value.is_nan() {
        Some(b"NaN")
    } else if value.is_infinite() {
        Some(if value > 0.0 { b"Infinity" } else { b"-Infinity" })
    } else if value == 0.0 {
        Some(if value.is_sign_negative() { b"-0.0" } else { b"0.0" })
    } else {
        None
    }
}

impl Decimal {
    /// Reads a positive number's text, plain or with an exponent.
    fn parse(text: &str) -> Self {
        let (mantissa, power) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let mut decimal = Self { digits: [0; 20], len: 0, exponent: 0 };
        let mut before_point = 0i32;
        let mut leading_zeros = 0i32;
        let mut in_fraction = false;
        for byte in mantissa.bytes() {
            match byte {
                b'.' => in_fraction = true,
                b'0' if decimal.len == 0 => {
                    leading_zeros += 1;
                    before_point += i32::from(!in_fraction);
                }
                digit => {
                    before_point += i32::from(!in_fraction);
                    if let Some(slot) = decimal.digits.get_mut(decimal.len) {
                        *slot = digit;
                        decimal.len += 1;
                    }
                }
            }
        }
        while decimal.len > 1 && decimal.digits.get(decimal.len - 1) == Some(&b'0') {
            decimal.len -= 1;
        }
        decimal.exponent = before_point - leading_zeros - 1 + power.parse().unwrap_or(0);
        decimal
    }

    fn digits(&self) -> &[u8] {
        self.digits.get(..self.len).unwrap_or_default()
    }

    /// Lays the digits out as Java does: plain from 10^-3 to below 10^7, otherwise with an exponent.
    fn write(&self, negative: bool, out: &mut ArenaVec<'_, u8>) {
        if negative {
            out.push(b'-');
        }
        let digits = self.digits();
        let (whole, fraction) = match self.exponent {
            0..7 => {
                let before = usize::try_from(self.exponent).unwrap_or(0) + 1;
                let zeros = before.saturating_sub(digits.len());
                let (whole, fraction) = digits.split_at_checked(before).unwrap_or((digits, &[]));
                out.extend_from_slice_copy(whole);
                out.extend(std::iter::repeat_n(b'0', zeros));
                (&[][..], fraction)
            }
            -3..0 => {
                out.extend_from_slice_copy(b"0.");
                let zeros = usize::try_from(-self.exponent - 1).unwrap_or(0);
                out.extend(std::iter::repeat_n(b'0', zeros));
                out.extend_from_slice_copy(digits);
                return;
            }
            _ => digits.split_at_checked(1).unwrap_or((digits, &[])),
        };
        out.extend_from_slice_copy(whole);
        out.push(b'.');
        out.extend_from_slice_copy(if fraction.is_empty() { b"0" } else { fraction });
        if !(-3..7).contains(&self.exponent) {
            out.push(b'E');
            write_integer(i64::from(self.exponent), out);
        }
    }
}

/// Appends `BigDecimal.toString`'s text of plain digits with their full scale, such as `-12.50`.
pub(crate) fn write_decimal(plain: &str, out: &mut ArenaVec<'_, u8>) {
    let (negative, magnitude) = match plain.strip_prefix('-') {
        Some(magnitude) => (true, magnitude),
        None => (false, plain),
    };
    let (whole, fraction) = magnitude.split_once('.').unwrap_or((magnitude, ""));
    let scale = fraction.len();
    let significant = |c: &u8| *c != b'0';
    let unscaled = whole.bytes().chain(fraction.bytes()).skip_while(|c| !significant(c));
    let precision = unscaled.clone().count();
    if negative && precision > 0 {
        out.push(b'-');
    }
    let precision = precision.max(1);
    // The exponent that the first digit has: below -6 Java leaves the plain form.
    if precision + 6 > scale {
        out.extend_from_slice_copy(magnitude.as_bytes());
        return;
    }
    let mut unscaled = unscaled.chain(std::iter::empty());
    out.push(unscaled.next().unwrap_or(b'0'));
    if precision > 1 {
        out.push(b'.');
        out.extend(unscaled);
    }
    out.extend_from_slice_copy(b"E-");
    write_integer(i64::try_from(scale + 1 - precision).unwrap_or(i64::MAX), out);
}

/// The unscaled value of plain digits as `BigInteger.toByteArray` has it: two's complement, big-endian,
/// as short as possible.
pub(crate) fn unscaled_bytes<'b>(plain: &str, arena: &'b bumpalo::Bump) -> &'b [u8] {
    let negative = plain.starts_with('-');
    let digits = plain.bytes().filter(u8::is_ascii_digit);
    // Little-endian magnitude; a decimal has at most 65 digits, so this stays short.
    let mut bytes = ArenaVec::new_in(arena);
    for digit in digits {
        let mut carry = u32::from(digit - b'0');
        for byte in &mut bytes {
            let product: u32 = u32::from(*byte) * 10 + carry;
            [*byte, ..] = product.to_le_bytes();
            carry = product >> 8;
        }
        if carry > 0 {
            bytes.extend(u8::try_from(carry));
        }
    }
    if negative {
        let mut carry = true;
        for byte in &mut bytes {
            let (sum, overflow) = (!*byte).overflowing_add(u8::from(carry));
            *byte = sum;
            carry = overflow;
        }
    }
    trim_sign(&mut bytes, negative);
    bytes.reverse();
    bytes.into_bump_slice()
}

/// Makes the last byte of a little-endian number carry the sign, and drops those that say nothing.
fn trim_sign(bytes: &mut ArenaVec<'_, u8>, negative: bool) {
    let nonzero = bytes.iter().any(|byte| *byte != 0);
    let negative = negative && nonzero;
    let filler = if negative { 0xff } else { 0 };
    let says = |byte: Option<&u8>| byte.is_some_and(|byte| (*byte >= 0x80) == negative);
    if !says(bytes.last()) {
        bytes.push(filler);
    }
    while bytes.len() > 1 && bytes.last() == Some(&filler) && says(bytes.get(bytes.len() - 2)) {
        bytes.pop();
    }
}

#[cfg(test)]
mod tests {
    use bumpalo::Bump;

    use super::*;

    fn text(write: impl FnOnce(&mut ArenaVec<'_, u8>)) -> String {
        let arena = Bump::new();
        let mut out = ArenaVec::new_in(&arena);
        write(&mut out);
        String::from_utf8(out.to_vec()).unwrap()
    }

    #[test]
    fn doubles_print_as_java_prints_them() {
        for (value, expected) in [
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (5.0, "5.0"),
            (1e7, "1.0E7"),
            (9_999_999.0, "9999999.0"),
            (1e-3, "0.001"),
            (1e-4, "1.0E-4"),
            (0.01, "0.01"),
            (123_456.75, "123456.75"),
            (1_000_000.0, "1000000.0"),
            (f64::MAX, "1.7976931348623157E308"),
            (5e-324, "4.9E-324"),
            (2e23, "2.0E23"),
            (1e20, "1.0E20"),
            (-1.5e-5, "-1.5E-5"),
            (f64::NAN, "NaN"),
            (f64::INFINITY, "Infinity"),
            (f64::NEG_INFINITY, "-Infinity"),
            (1.100_000_023_841_858, "1.100000023841858"),
        ] {
            assert_eq!(text(|out| write_f64(value, out)), expected);
        }
    }

    #[test]
    fn floats_print_as_java_prints_them() {
        for (value, expected) in [
            (1.1f32, "1.1"),
            (-3e10, "-3.0E10"),
            (1e-45, "1.4E-45"),
            (f32::MAX, "3.4028235E38"),
            (16_777_216.0, "1.6777216E7"),
        ] {
            assert_eq!(text(|out| write_f32(value, out)), expected);
        }
    }

    #[test]
    fn decimals_print_as_java_prints_them() {
        for (plain, expected) in [
            ("12345678.90", "12345678.90"),
            ("0.0000000000", "0E-10"),
            ("0.0000001000", "1.000E-7"),
            ("0.000001", "0.000001"),
            ("0.0000001", "1E-7"),
            ("0.000000", "0.000000"),
            ("0.0000000", "0E-7"),
            ("-0.00001", "-0.00001"),
            ("-0.05", "-0.05"),
            ("-0.00", "0.00"),
            ("0", "0"),
            ("18446744073709551615", "18446744073709551615"),
        ] {
            assert_eq!(text(|out| write_decimal(plain, out)), expected);
        }
    }

    #[test]
    fn unscaled_values_are_minimal_twos_complement() {
        let arena = Bump::new();
        for (plain, expected) in [
            ("0.00", &[0u8][..]),
            ("-0.05", &[0xfb]),
            ("0.127", &[0x7f]),
            ("0.128", &[0, 0x80]),
            ("-1.28", &[0x80]),
            ("-1.29", &[0xff, 0x7f]),
            ("12345678.90", &[0x49, 0x96, 0x02, 0xd2]),
            ("-256", &[0xff, 0]),
            ("255", &[0, 0xff]),
            ("18446744073709551615", &[0, 255, 255, 255, 255, 255, 255, 255, 255]),
        ] {
            assert_eq!(unscaled_bytes(plain, &arena), expected, "{plain}");
        }
    }
}
