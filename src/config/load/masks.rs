//! `column.truncate.to.N.chars`, `column.mask.with.N.chars` and `column.mask.hash.*`.

use super::{Entry, Findings, java_trim};
use crate::config::report::Verdict;
use crate::config::{ColumnMask, HashAlgorithm, MaskRule, RegexList};

/// The rules, in the order in which Debezium tries them on a column.
pub(super) fn masks(entries: &[Entry], findings: &mut Findings) -> Vec<ColumnMask> {
    let mut masks = Vec::new();
    for entry in entries {
        let Some(rest) = entry
            .key
            .strip_prefix("column.")
            .filter(|rest| rest.starts_with("mask.") || rest.starts_with("truncate."))
        else {
            continue;
        };
        match rule(rest) {
            Ok(rule) => match RegexList::parse(&entry.value) {
                _ if java_trim(&entry.value).is_empty() => {
                    findings.row(&entry.written, Verdict::WithoutEffect, "names no column");
                }
                Ok(columns) => {
                    findings.row(&entry.written, Verdict::Used, "");
                    masks.push(ColumnMask { columns, rule });
                }
                Err(err) => findings.problem(entry.invalid(
                    entry.quoting(format!("is not a list of regular expressions: {err}")),
                    "write patterns of database.table.column between commas",
                )),
            },
            Err(reason) => {
                findings.row(&entry.written, Verdict::Refused, reason);
                findings.problem(entry.refused(
                    reason,
                    "write column.truncate.to.N.chars, column.mask.with.N.chars or \
                     column.mask.hash.v2.SHA-256.with.salt.SALT, or leave the column out with \
                     `column.exclude.list`",
                ));
            }
        }
    }
    masks.sort_by_key(|mask| match mask.rule {
        MaskRule::Truncate(_) => 0,
        MaskRule::Chars(_) => 1,
        MaskRule::Hash { serialized: true, .. } => 2,
        MaskRule::Hash { serialized: false, .. } => 3,
    });
    masks
}

/// A key without `column.`, read as a rule.
fn rule(key: &str) -> Result<MaskRule, &'static str> {
    let number = |prefix, suffix| -> Option<usize> {
        key.strip_prefix(prefix)?.strip_suffix(suffix)?.parse().ok()
    };
    if let Some(chars) = number("truncate.to.", ".chars").filter(|chars| *chars > 0) {
        return Ok(MaskRule::Truncate(chars));
    }
    if let Some(chars) = number("mask.with.", ".chars") {
        return Ok(MaskRule::Chars(chars));
    }
    let hash = key
        .strip_prefix("mask.hash.")
        .ok_or("no such rule: values would be published as they are")?;
    let (serialized, hash) = match hash.strip_prefix("v2.") {
        Some(rest) => (false, rest),
        None => (true, hash),
    };
    let (algorithm, salt) = hash
        .split_once(".with.salt.")
        .filter(|(_, salt)| !salt.is_empty())
        .ok_or("a hash needs its salt: values would be published as they are")?;
    let algorithm = match algorithm.to_ascii_uppercase().as_str() {
        "MD5" => HashAlgorithm::Md5,
        "SHA-1" | "SHA1" | "SHA" => HashAlgorithm::Sha1,
        "SHA-256" => HashAlgorithm::Sha256,
        "SHA-384" => HashAlgorithm::Sha384,
        "SHA-512" => HashAlgorithm::Sha512,
        _ => return Err("outflow has the algorithms MD5, SHA-1, SHA-256, SHA-384 and SHA-512"),
    };
    Ok(MaskRule::Hash { algorithm, salt: salt.to_owned(), serialized })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_as_rules() {
        let hash = |algorithm, salt: &str, serialized| MaskRule::Hash {
            algorithm,
            salt: salt.to_owned(),
            serialized,
        };
        for (key, expected) in [
            ("truncate.to.12.chars", Some(MaskRule::Truncate(12))),
            ("truncate.to.0.chars", None),
            ("truncate.to.x.chars", None),
            ("mask.with.0.chars", Some(MaskRule::Chars(0))),
            ("mask.with.3.letters", None),
            ("mask.hash.SHA-256.with.salt.a.b", Some(hash(HashAlgorithm::Sha256, "a.b", true))),
            ("mask.hash.v2.SHA-512.with.salt.s", Some(hash(HashAlgorithm::Sha512, "s", false))),
            ("mask.hash.v2.SHA-512.with.salt.", None),
            ("mask.hash.v2.MD5.with.salt.x", Some(hash(HashAlgorithm::Md5, "x", false))),
            ("mask.hash.v2.MD4.with.salt.x", None),
            ("mask.hash.SHA-1", None),
        ] {
            assert_eq!(rule(key).ok(), expected, "{key}");
        }
    }
}
