use std::fmt::Write;

/// A string literal of SQL.
pub(super) fn text(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('\'', "''").replace('\n', "\\n");
    format!("'{escaped}'")
}

/// A hexadecimal literal of SQL.
pub(super) fn hex(bytes: &[u8]) -> String {
    let mut digits = String::new();
    for byte in bytes {
        write!(digits, "{byte:02X}").unwrap();
    }
    format!("X'{digits}'")
}
