use crate::config::FieldNameAdjustment;

/// `field.name.adjustment.mode`.
pub(super) fn adjusted_name(name: &str, mode: FieldNameAdjustment) -> String {
    adjusted(name, mode, |_| false)
}

/// `schema.name.adjustment.mode`: dots stay.
pub(super) fn adjusted_full_name(name: &str, mode: FieldNameAdjustment) -> String {
    adjusted(name, mode, |c| c == '.')
}

fn adjusted(name: &str, mode: FieldNameAdjustment, stays: impl Fn(char) -> bool) -> String {
    let unicode = |c: char| {
        let mut units = [0; 2];
        let unit = |unit: &u16| match unit {
            // Codes of one or two digits get two zeros more.
            ..=0xFF => format!("_u00{unit:x}"),
            _ => format!("_u{unit:x}"),
        };
        c.encode_utf16(&mut units).iter().map(unit).collect::<String>()
    };
    let legal =
        |index: usize, c: char| c.is_ascii_alphabetic() || (index > 0 && c.is_ascii_digit());
    let mut adjusted = String::with_capacity(name.len());
    for (index, c) in name.chars().enumerate() {
        match mode {
            FieldNameAdjustment::None => adjusted.push(c),
            _ if legal(index, c) || stays(c) => adjusted.push(c),
            FieldNameAdjustment::AvroUnicode => adjusted.push_str(&unicode(c)),
            FieldNameAdjustment::Avro => {
                adjusted.push('_');
                // A leading digit stays behind the underscore.
                if c.is_ascii_digit() {
                    adjusted.push(c);
                }
            }
        }
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_adjusted_by_their_mode() {
        for (name, mode, expected) in [
            ("a-b", FieldNameAdjustment::None, "a-b"),
            ("a-b_c1", FieldNameAdjustment::Avro, "a_b_c1"),
            ("1x", FieldNameAdjustment::Avro, "_1x"),
            ("a-b_c", FieldNameAdjustment::AvroUnicode, "a_u002db_u005fc"),
            ("1x", FieldNameAdjustment::AvroUnicode, "_u0031x"),
            ("Δ", FieldNameAdjustment::AvroUnicode, "_u394"),
        ] {
            assert_eq!(adjusted_name(name, mode), expected);
        }
    }
}
