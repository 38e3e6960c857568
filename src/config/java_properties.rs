//! Java's `.properties` text (`java.util.Properties.load`): comments, three separators, escapes, continued lines.

use super::Problem;

/// The pairs of `text` in their order; a key may stand twice.
///
/// # Errors
/// A `\u` that four hexadecimal digits do not follow, with its place.
pub(super) fn parse(text: &str) -> Result<Vec<(String, String)>, Problem> {
    let mut pairs = Vec::new();
    let mut lines = physical_lines(text).enumerate();
    while let Some((index, line)) = lines.next() {
        let line = line.trim_start_matches(BLANKS);
        if line.is_empty() || line.starts_with(['#', '!']) {
            continue;
        }
        let mut logical = line.to_owned();
        while is_continued(&logical) {
            logical.pop();
            let Some((_, next)) = lines.next() else { break };
            logical.push_str(next.trim_start_matches(BLANKS));
        }
        pairs.push(pair(&logical, index + 1)?);
    }
    Ok(pairs)
}

const BLANKS: [char; 3] = [' ', '\t', '\u{c}'];

/// Lines ended by LF, CR or CRLF.
fn physical_lines(text: &str) -> impl Iterator<Item = &str> {
    text.split('\n').flat_map(|line| line.strip_suffix('\r').unwrap_or(line).split('\r'))
}

/// An odd number of backslashes at the end joins the next line.
fn is_continued(line: &str) -> bool {
    line.bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 1
}

fn pair(line: &str, number: usize) -> Result<(String, String), Problem> {
    let mut end = line.len();
    let mut escaped = false;
    for (at, character) in line.char_indices() {
        if escaped {
            escaped = false;
        } else if character == '\\' {
            escaped = true;
        } else if character == '=' || character == ':' || BLANKS.contains(&character) {
            end = at;
            break;
        }
    }
    let (key, rest) = line.split_at_checked(end).unwrap_or((line, ""));
    let rest = rest.trim_start_matches(BLANKS);
    let value = rest.strip_prefix(['=', ':']).unwrap_or(rest).trim_start_matches(BLANKS);
    let fault = |part: &str| Problem::Syntax {
        line: number,
        column: line.find(part).map_or(1, |at| at + 1),
        reason: "`\\u` needs four hexadecimal digits".to_owned(),
    };
    Ok((unescape(key).ok_or_else(|| fault(key))?, unescape(value).ok_or_else(|| fault(value))?))
}

/// `\t \n \r \f \uXXXX`, and any other character behind a backslash for itself.
fn unescape(text: &str) -> Option<String> {
    let mut units = Vec::with_capacity(text.len());
    let mut characters = text.chars();
    let mut buffer = [0_u16; 2];
    while let Some(character) = characters.next() {
        let plain = if character == '\\' {
            match characters.next() {
                None => break,
                Some('t') => '\t',
                Some('n') => '\n',
                Some('r') => '\r',
                Some('f') => '\u{c}',
                Some('u') => {
                    let digits: String = characters.by_ref().take(4).collect();
                    let is_hex = digits.len() == 4 && digits.bytes().all(|b| b.is_ascii_hexdigit());
                    units.push(u16::from_str_radix(&digits, 16).ok().filter(|_| is_hex)?);
                    continue;
                }
                Some(other) => other,
            }
        } else {
            character
        };
        units.extend_from_slice(plain.encode_utf16(&mut buffer));
    }
    // Two escapes may form one character; a lone half becomes U+FFFD.
    Some(String::from_utf16_lossy(&units))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn pairs_are_read_as_java_reads_them() {
        let cases: &[(&str, &[(&str, &str)])] = &[
            ("", &[]),
            ("# c\n! c\n  # c\n\n", &[]),
            ("a=1\nb:2\nc 3", &[("a", "1"), ("b", "2"), ("c", "3")]),
            ("  a = 1 ", &[("a", "1 ")]),
            ("a\t \t=\t1", &[("a", "1")]),
            ("a==1", &[("a", "=1")]),
            ("a : = 1", &[("a", "= 1")]),
            ("a", &[("a", "")]),
            ("a=1\r\nb=2\rc=3", &[("a", "1"), ("b", "2"), ("c", "3")]),
            ("a=1,\\\n   2,\\\n   3\nb=x", &[("a", "1,2,3"), ("b", "x")]),
            ("a=1\\\\\nb=2", &[("a", "1\\"), ("b", "2")]),
            ("a=1\\", &[("a", "1")]),
            ("a\\=b\\:c\\ d=1", &[("a=b:c d", "1")]),
            ("a=\\t\\n\\r\\f\\x\\\\", &[("a", "\t\n\r\u{c}x\\")]),
            ("a=\\u0041\\uD83D\\uDE00", &[("a", "A😀")]),
            ("a=x#y", &[("a", "x#y")]),
            ("a=1\\\n# not a comment", &[("a", "1# not a comment")]),
        ];
        for (text, expected) in cases {
            let pairs = parse(text).unwrap();
            let pairs: Vec<_> = pairs.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
            assert_eq!(&pairs, expected, "{text:?}");
        }
    }

    #[test]
    fn a_bad_escape_is_named_with_its_place() {
        let Err(Problem::Syntax { line, column, .. }) = parse("a=1\nbc=\\u00g0") else { panic!() };
        assert_eq!((line, column), (2, 4));
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "(?s).{0,80}") {
            let _outcome = parse(&text);
        }

        #[test]
        fn any_mix_of_syntax_is_read_or_refused(text in "[a=: \\\\\n\r#!u0\u{c}é]{0,40}") {
            let _outcome = parse(&text);
        }
    }
}
