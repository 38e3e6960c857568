//! A table of random columns, its map event and events with random rows, byte by byte as a server writes them.

use outflow::decode::{ColumnLayout, TableLayout};

use crate::support::Random;

/// How a column is declared and written: data type, column type, wire type and metadata.
type Kind = (&'static str, &'static str, u8, &'static [u8]);

const KINDS: &[Kind] = &[
    ("tinyint", "tinyint(1)", 1, &[]),
    ("tinyint", "tinyint unsigned", 1, &[]),
    ("smallint", "smallint", 2, &[]),
    ("mediumint", "mediumint unsigned", 9, &[]),
    ("int", "int", 3, &[]),
    ("bigint", "bigint unsigned", 8, &[]),
    ("float", "float", 4, &[4]),
    ("float", "float(7,3)", 4, &[4]),
    ("double", "double", 5, &[8]),
    ("decimal", "decimal(10,2)", 246, &[10, 2]),
    ("decimal", "decimal(65,30)", 246, &[65, 30]),
    ("bit", "bit(1)", 16, &[1, 0]),
    ("bit", "bit(12)", 16, &[4, 1]),
    ("year", "year", 13, &[]),
    ("date", "date", 10, &[]),
    ("time", "time(3)", 19, &[3]),
    ("datetime", "datetime", 18, &[0]),
    ("datetime", "datetime(6)", 18, &[6]),
    ("timestamp", "timestamp(2)", 17, &[2]),
    ("varchar", "varchar(20)", 15, &[]),
    ("varchar", "varchar(300)", 15, &[]),
    ("char", "char(9)", 254, &[254]),
    ("binary", "binary(8)", 254, &[254, 8]),
    ("varbinary", "varbinary(9)", 15, &[9, 0]),
    ("enum", "enum('a','b,c','é')", 254, &[247, 1]),
    ("set", "set('x','y','z')", 254, &[248, 1]),
    ("tinytext", "tinytext", 252, &[1]),
    ("text", "text", 252, &[2]),
    ("blob", "blob", 252, &[2]),
    ("json", "json", 245, &[4]),
    ("geometry", "point", 255, &[4]),
    ("vector", "vector(3)", 242, &[4]),
];

const NAMES: &[&str] = &[
    "id",
    "aggregatetype",
    "aggregateid",
    "type",
    "payload",
    "a",
    "b",
    "p",
    "1odd-é",
    "version",
    "at",
];

const DEFAULTS: &[Option<&str>] = &[
    None,
    None,
    Some("0"),
    Some("1.5"),
    Some("abc"),
    Some("a,b"),
    Some("b'101'"),
    Some("0x00ff"),
    Some("2024-02-29 12:34:56.789"),
    Some("0000-00-00"),
    Some("CURRENT_TIMESTAMP(6)"),
    Some("99999999999999999999"),
    Some(""),
];

/// A table and what its columns are on the wire.
pub(super) struct Table {
    pub(super) layout: TableLayout,
    kinds: Vec<Kind>,
    metadata: Vec<Vec<u8>>,
}

/// Characters sets, and the bytes of their widest character.
const CHARSETS: &[(&str, u16)] =
    &[("utf8mb4", 4), ("utf8mb4", 4), ("latin1", 1), ("ucs2", 2), ("sjis", 2)];

/// The metadata of a column with characters that are so wide.
fn metadata_of(kind: Kind, width: u16) -> Vec<u8> {
    match kind.1 {
        "varchar(20)" => (20 * width).to_le_bytes().to_vec(),
        "varchar(300)" => (300 * width).to_le_bytes().to_vec(),
        "char(9)" => vec![254, u8::try_from(9 * width).unwrap()],
        _ => kind.3.to_vec(),
    }
}

impl Table {
    pub(super) fn any(random: &mut Random) -> Self {
        let count = 5 + usize::try_from(random.below(7)).unwrap();
        let mut columns = Vec::new();
        let (mut kinds, mut metadata) = (Vec::new(), Vec::new());
        for name in NAMES.iter().take(count) {
            // The router's own columns are mostly of a type that it takes.
            let routes = *name == "aggregatetype" || random.chance(30);
            let kind = if routes { KINDS[19] } else { *random.pick(KINDS) };
            let (charset, width) = *random.pick(CHARSETS);
            let is_text =
                matches!(kind.0, "varchar" | "char" | "tinytext" | "text" | "enum" | "set");
            columns.push(ColumnLayout {
                name: (*name).to_owned(),
                data_type: kind.0.to_owned(),
                column_type: kind.1.to_owned(),
                character_set: is_text.then(|| charset.to_owned()),
                collation: None,
                nullable: random.chance(60),
                default: random.pick(DEFAULTS).map(str::to_owned),
                extra: if random.chance(5) {
                    "DEFAULT_GENERATED".to_owned()
                } else {
                    String::new()
                },
            });
            kinds.push(kind);
            metadata.push(metadata_of(kind, width));
        }
        let layout = TableLayout {
            database: "d".to_owned(),
            table: "t".to_owned(),
            columns,
            primary_key: if random.chance(80) { vec![0] } else { Vec::new() },
            collation: None,
        };
        Self { layout, kinds, metadata }
    }

    /// The body of its TABLE_MAP_EVENT, without optional metadata.
    pub(super) fn map(&self) -> Vec<u8> {
        let mut body = vec![1, 0, 0, 0, 0, 0, 1, 0, 1, b'd', 0, 1, b't', 0];
        body.push(u8::try_from(self.kinds.len()).unwrap());
        body.extend(self.kinds.iter().map(|kind| kind.2));
        let metadata = self.metadata.concat();
        body.push(u8::try_from(metadata.len()).unwrap());
        body.extend(metadata);
        body.extend(self.bitmap(|column| self.layout.columns[column].nullable));
        body
    }

    /// The body of an event with rows: 30 inserts, 31 updates, 32 deletes.
    pub(super) fn rows(&self, event_type: u8, random: &mut Random) -> Vec<u8> {
        let mut body = vec![1, 0, 0, 0, 0, 0, 1, 0, 2, 0];
        body.push(u8::try_from(self.kinds.len()).unwrap());
        let images = if event_type == 31 { 2 } else { 1 };
        let minimal = random.chance(10);
        let mut present = Vec::new();
        for _ in 0..images {
            let columns: Vec<bool> =
                self.kinds.iter().map(|_| !minimal || random.chance(60)).collect();
            body.extend(self.bitmap(|column| columns[column]));
            present.push(columns);
        }
        for _ in 0..1 + random.below(3) {
            for columns in &present {
                self.row(columns, random, &mut body);
            }
        }
        body
    }

    fn row(&self, present: &[bool], random: &mut Random, body: &mut Vec<u8>) {
        let columns: Vec<usize> = (0..self.kinds.len()).filter(|&column| present[column]).collect();
        let nulls: Vec<bool> = columns.iter().map(|_| random.chance(15)).collect();
        let mut bitmap = vec![0_u8; columns.len().div_ceil(8)];
        for (at, _) in nulls.iter().enumerate().filter(|(_, null)| **null) {
            bitmap[at / 8] |= 1 << (at % 8);
        }
        body.extend(bitmap);
        for (column, _) in columns.iter().zip(nulls).filter(|(_, null)| !null) {
            value(self.kinds[*column], &self.metadata[*column], random, body);
        }
    }

    fn bitmap(&self, set: impl Fn(usize) -> bool) -> Vec<u8> {
        let mut bitmap = vec![0_u8; self.kinds.len().div_ceil(8)];
        for column in (0..self.kinds.len()).filter(|&column| set(column)) {
            bitmap[column / 8] |= 1 << (column % 8);
        }
        bitmap
    }
}

fn some(count: usize, random: &mut Random) -> Vec<u8> {
    let small = random.chance(50);
    let byte =
        |random: &mut Random| u8::try_from(random.below(if small { 6 } else { 256 })).unwrap();
    (0..count).map(|_| byte(random)).collect()
}

/// A text, or bytes that are none.
fn content(random: &mut Random) -> Vec<u8> {
    const TEXTS: &[&str] = &[
        "",
        "Order",
        "a",
        "{\"a\":1}",
        "{\"a\":[1,{\"b\":null}],\"\":2}",
        "[[],[1]]",
        "{\"a\":1e400}",
        " x ",
        "é😀",
        "{\"a\":99999999999999999999}",
        "[{\"p\":1},{\"p\":\"x\"}]",
        "{",
        "12",
    ];
    if random.chance(75) {
        return random.pick(TEXTS).as_bytes().to_vec();
    }
    let count = usize::try_from(random.below(30)).unwrap();
    some(count, random)
}

fn value(kind: Kind, metadata: &[u8], random: &mut Random, body: &mut Vec<u8>) {
    let wire = kind.2;
    let fixed = |bytes: usize, random: &mut Random| some(bytes, random);
    let fraction = |base: usize| base + usize::from(metadata[0]).div_ceil(2);
    let prefixed = |bytes: Vec<u8>, width: usize, body: &mut Vec<u8>| {
        body.extend(&u64::try_from(bytes.len()).unwrap().to_le_bytes()[..width]);
        body.extend(bytes);
    };
    match wire {
        1 | 13 => body.extend(fixed(1, random)),
        2 => body.extend(fixed(2, random)),
        9 | 10 => body.extend(fixed(3, random)),
        3 | 4 => body.extend(fixed(4, random)),
        8 | 5 => body.extend(fixed(8, random)),
        246 if random.chance(70) => {
            body.push(0x80); // Zero.
            body.extend(vec![0; if metadata[0] == 10 { 4 } else { 29 }]);
        }
        246 => body.extend(fixed(if metadata[0] == 10 { 5 } else { 30 }, random)),
        16 => body.extend(fixed(if metadata[1] == 0 { 1 } else { 2 }, random)),
        19 => body.extend(fixed(fraction(3), random)),
        18 if random.chance(70) => {
            let (year_month, day) = (2024 * 13 + 1 + random.below(12), 1 + random.below(28));
            let packed = ((year_month << 5 | day) << 17) + 0x80_0000_0000;
            body.extend(&packed.to_be_bytes()[3..]);
            body.extend(vec![0; usize::from(metadata[0]).div_ceil(2)]);
        }
        18 => body.extend(fixed(fraction(5), random)),
        17 => body.extend(fixed(fraction(4), random)),
        254 if metadata[0] != 254 => body.push(u8::try_from(random.below(5)).unwrap()),
        254 => {
            let mut bytes = content(random);
            bytes.truncate(usize::from(metadata[1]));
            prefixed(bytes, 1, body);
        }
        15 => {
            let mut bytes = content(random);
            bytes.truncate(9);
            let is_long = u16::from_le_bytes([metadata[0], metadata[1]]) > 255;
            prefixed(bytes, if is_long { 2 } else { 1 }, body);
        }
        252 => prefixed(content(random), usize::from(metadata[0]), body),
        245 if random.chance(50) => {
            let mut document = vec![0x0c]; // A string.
            let mut text = content(random);
            text.truncate(100);
            document.push(u8::try_from(text.len()).unwrap());
            document.extend(text);
            prefixed(document, 4, body);
        }
        245 => {
            let mut document = vec![u8::try_from(random.below(17)).unwrap()];
            let count = usize::try_from(random.below(60)).unwrap();
            document.extend(some(count, random));
            prefixed(document, 4, body);
        }
        242 => prefixed(fixed(12, random), 4, body),
        _ => {
            let mut point = vec![0, 0, 0, 0, 1, 1, 0, 0, 0];
            point.extend(fixed(16, random));
            prefixed(point, 4, body);
        }
    }
}
