/// The character set of a collation's id (`information_schema.collations` of MySQL 9.7); `None` for an id
/// that is not MySQL's.
pub(super) fn character_set(collation: u16) -> Option<&'static str> {
    let name = match collation {
        1 | 84 => "big5",
        3 | 69 => "dec8",
        4 | 80 => "cp850",
        6 | 72 => "hp8",
        7 | 74 => "koi8r",
        5 | 8 | 15 | 31 | 47..=49 | 94 => "latin1",
        2 | 9 | 21 | 27 | 77 => "latin2",
        10 | 82 => "swe7",
        11 | 65 => "ascii",
        12 | 91 => "ujis",
        13 | 88 => "sjis",
        16 | 71 => "hebrew",
        18 | 89 => "tis620",
        19 | 85 => "euckr",
        22 | 75 => "koi8u",
        24 | 86 => "gb2312",
        25 | 70 => "greek",
        26 | 34 | 44 | 66 | 99 => "cp1250",
        28 | 87 => "gbk",
        30 | 78 => "latin5",
        32 | 64 => "armscii8",
        35 | 90 | 128..=151 | 159 => "ucs2",
        36 | 68 => "cp866",
        37 | 73 => "keybcs2",
        38 | 43 => "macce",
        39 | 53 => "macroman",
        40 | 81 => "cp852",
        20 | 41 | 42 | 79 => "latin7",
        14 | 23 | 50..=52 => "cp1251",
        54 | 55 | 101..=124 => "utf16",
        56 | 62 => "utf16le",
        57 | 67 => "cp1256",
        29 | 58 | 59 => "cp1257",
        60 | 61 | 160..=183 => "utf32",
        63 => "binary",
        92 | 93 => "geostd8",
        95 | 96 => "cp932",
        97 | 98 => "eucjpms",
        248..=250 => "gb18030",
        33 | 76 | 83 | 192..=215 | 223 => "utf8mb3",
        45 | 46 | 224..=247 | 255..=323 => "utf8mb4",
        _ => return None,
    };
    Some(name)
}

/// The most bytes that a character of this set takes (`information_schema.character_sets`).
pub(super) fn character_bytes_max(character_set: &str) -> u16 {
    match character_set {
        "big5" | "sjis" | "cp932" | "euckr" | "gb2312" | "gbk" | "ucs2" => 2,
        "ujis" | "eucjpms" | "utf8mb3" | "utf8" => 3,
        "utf8mb4" | "utf16" | "utf16le" | "utf32" | "gb18030" => 4,
        _ => 1,
    }
}
