use super::temporal::{Date, DateTime};

/// How many digits of a fraction are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fraction {
    /// Exactly so many, and no point for none.
    Exactly(u8),
    /// As many as the value has, trailing zeros left out.
    Trimmed,
}

/// A short text on the stack; what does not fit is a fault of the caller and is cut.
pub(super) struct ShortText {
    bytes: [u8; 40],
    length: usize,
}

impl ShortText {
    pub(super) fn new() -> Self {
        Self { bytes: [0; 40], length: 0 }
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }

    /// The text; only ASCII is ever pushed.
    pub(super) fn as_str(&self) -> &str {
        std::str::from_utf8(self.as_bytes()).unwrap_or_default()
    }

    pub(super) fn push(&mut self, byte: u8) -> &mut Self {
        if let Some(slot) = self.bytes.get_mut(self.length) {
            *slot = byte;
            self.length += 1;
        }
        self
    }

    /// A number with at least `width` digits.
    fn number(&mut self, value: u32, width: usize) -> &mut Self {
        let mut digits = [b'0'; 10];
        let (mut rest, mut start) = (value, 10);
        for (place, digit) in digits.iter_mut().enumerate().rev() {
            if rest == 0 && 10 - place > width {
                break;
            }
            *digit = b'0' + u8::try_from(rest % 10).unwrap_or_default();
            rest /= 10;
            start = place;
        }
        for &digit in digits.get(start..).unwrap_or_default() {
            self.push(digit);
        }
        self
    }

    pub(super) fn date(&mut self, date: Date) -> &mut Self {
        self.number(u32::from(date.year), 4).push(b'-').number(u32::from(date.month), 2).push(b'-');
        self.number(u32::from(date.day), 2)
    }

    pub(super) fn clock(&mut self, hours: u32, minutes: u8, seconds: u8) -> &mut Self {
        self.number(hours, 2).push(b':').number(u32::from(minutes), 2).push(b':');
        self.number(u32::from(seconds), 2)
    }

    pub(super) fn fraction(&mut self, micros: u32, fraction: Fraction) -> &mut Self {
        let (mut digits, mut value) = match fraction {
            Fraction::Exactly(digits) => (usize::from(digits.min(6)), micros),
            Fraction::Trimmed => (6, micros),
        };
        value /= 10_u32.pow(u32::try_from(6 - digits).unwrap_or_default());
        while fraction == Fraction::Trimmed && digits > 0 && value.is_multiple_of(10) {
            value /= 10;
            digits -= 1;
        }
        if digits > 0 {
            self.push(b'.').number(value, digits);
        }
        self
    }

    /// Date, separator, clock and fraction.
    pub(super) fn datetime(
        &mut self,
        value: DateTime,
        between: u8,
        fraction: Fraction,
    ) -> &mut Self {
        self.date(value.date).push(between);
        self.clock(u32::from(value.hour), value.minute, value.second);
        self.fraction(value.micros, fraction)
    }

    /// A TIME with its sign; hours may have three digits.
    pub(super) fn time(&mut self, micros: i64, fraction: Fraction) -> &mut Self {
        if micros < 0 {
            self.push(b'-');
        }
        let seconds = micros.unsigned_abs() / 1_000_000;
        let part = |value: u64| u8::try_from(value % 60).unwrap_or_default();
        let hours = u32::try_from(seconds / 3600).unwrap_or_default();
        self.clock(hours, part(seconds / 60), part(seconds));
        let below = micros.unsigned_abs() % 1_000_000;
        self.fraction(u32::try_from(below).unwrap_or_default(), fraction)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_are_written_as_asked() {
        let text = |micros, fraction| {
            let mut text = ShortText::new();
            text.time(micros, fraction);
            text.as_str().to_owned()
        };
        assert_eq!(text(40_953_250_000, Fraction::Trimmed), "11:22:33.25");
        assert_eq!(text(-3_723_000_000, Fraction::Trimmed), "-01:02:03");
        assert_eq!(text(3_020_399_000_012, Fraction::Trimmed), "838:59:59.000012");
        assert_eq!(text(780_000, Fraction::Exactly(3)), "00:00:00.780");
        assert_eq!(text(780_000, Fraction::Exactly(0)), "00:00:00");
        assert_eq!(text(0, Fraction::Exactly(1)), "00:00:00.0");
    }
}
