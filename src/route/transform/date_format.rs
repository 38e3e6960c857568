use crate::connect::java_date::gregorian;

/// A pattern of Java's `SimpleDateFormat` in UTC, for the letters that name topics.
#[derive(Debug)]
pub(super) struct DateFormat(Vec<Part>);

#[derive(Debug)]
enum Part {
    Text(String),
    Field(char, usize),
}

impl DateFormat {
    pub(super) fn parse(pattern: &str) -> Result<Self, String> {
        let mut parts = Vec::new();
        let mut rest = pattern.chars().peekable();
        while let Some(c) = rest.next() {
            if c == '\'' {
                parts.push(Part::Text(quoted(&mut rest)?));
            } else if c.is_ascii_alphabetic() {
                let mut width = 1;
                while rest.next_if_eq(&c).is_some() {
                    width += 1;
                }
                if !"yMdHhkKmsSaED".contains(c) {
                    return Err(format!(
                        "timestamp.format: the letter {c:?} is unknown or not supported"
                    ));
                }
                parts.push(Part::Field(c, width));
            } else {
                parts.push(Part::Text(c.to_string()));
            }
        }
        Ok(Self(parts))
    }

    pub(super) fn format(&self, ms: i64) -> String {
        let mut out = String::new();
        for part in &self.0 {
            match part {
                Part::Text(text) => out.push_str(text),
                Part::Field(letter, width) => out.push_str(&field(*letter, *width, ms)),
            }
        }
        out
    }
}

/// Text up to the closing quote; two quotes are one.
fn quoted(rest: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Result<String, String> {
    let mut text = String::new();
    if rest.next_if_eq(&'\'').is_some() {
        return Ok("'".to_owned());
    }
    loop {
        match rest.next() {
            Some('\'') if rest.next_if_eq(&'\'').is_some() => text.push('\''),
            Some('\'') => return Ok(text),
            Some(c) => text.push(c),
            None => return Err("timestamp.format: a quote is not closed".to_owned()),
        }
    }
}

fn field(letter: char, width: usize, ms: i64) -> String {
    const MONTHS: [&str; 12] = [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ];
    const WEEKDAYS: [&str; 7] =
        ["Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday"];
    let days = ms.div_euclid(86_400_000);
    let of_day = ms.rem_euclid(86_400_000);
    let (year, month, day) = gregorian(days);
    let hour = of_day / 3_600_000;
    let number = match letter {
        'y' if width == 2 => return format!("{:02}", year.rem_euclid(100)),
        'y' => year,
        'M' if width > 2 => return name(&MONTHS, month - 1, width),
        'M' => month,
        'E' => return name(&WEEKDAYS, days.rem_euclid(7), width),
        'a' => return if hour < 12 { "AM" } else { "PM" }.to_owned(),
        'd' => day,
        'D' => day_of_year(days),
        'H' => hour,
        'k' => (hour + 23) % 24 + 1,
        'K' => hour % 12,
        'h' => (hour + 11) % 12 + 1,
        'm' => of_day / 60_000 % 60,
        's' => of_day / 1000 % 60,
        _ => of_day % 1000,
    };
    format!("{number:0width$}")
}

fn day_of_year(days: i64) -> i64 {
    let (year, ..) = gregorian(days);
    let before = (1..366).take_while(|back| gregorian(days - back).0 == year).count();
    i64::try_from(before).unwrap_or(0) + 1
}

fn name(names: &[&str], index: i64, width: usize) -> String {
    let full = usize::try_from(index).ok().and_then(|index| names.get(index)).copied();
    let full = full.unwrap_or_default();
    if width > 3 { full.to_owned() } else { full.chars().take(3).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_formatted_as_java_formats_them() {
        for (pattern, expected) in [
            ("yyyyMMdd", "20240229"),
            ("yyyy-MM-dd HH:mm:ss.SSS", "2024-02-29 12:34:56.789"),
            (
                "EEE MMM d yy h a D 'q''x' E MMMM H k K S",
                "Thu Feb 29 24 12 PM 60 q'x Thu February 12 12 0 789",
            ),
            ("''y", "'2024"),
        ] {
            let format = DateFormat::parse(pattern).unwrap();
            assert_eq!(format.format(1_709_210_096_789), expected, "{pattern}");
        }
        assert!(DateFormat::parse("b").is_err());
        assert!(DateFormat::parse("'a").is_err());
    }
}
