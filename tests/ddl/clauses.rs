use crate::support::Random;

/// Types, each with the defaults that it may get; `C` stands for a character set or collation.
const TYPES: [(&str, &[&str]); 40] = [
    ("INT", &["5", "-7", "'12'"]),
    ("INT(11) UNSIGNED", &["0"]),
    ("int(4) zerofill", &[]),
    ("BIGINT UNSIGNED", &["18446", "1"]),
    ("SMALLINT", &["1"]),
    ("MEDIUMINT", &["+3"]),
    ("TINYINT(1)", &["TRUE", "0"]),
    ("TINYINT UNSIGNED", &["200"]),
    ("BOOLEAN", &["FALSE"]),
    ("BIT(5)", &["b'101'", "3"]),
    ("BIT", &["1"]),
    ("DECIMAL(10,2)", &["1", "1.5", "'2.25'", "-0.01"]),
    ("NUMERIC", &["7"]),
    ("DEC(5) UNSIGNED", &[]),
    ("FLOAT", &["1.5"]),
    ("FLOAT(7,3)", &[]),
    ("DOUBLE PRECISION", &["-2.5", "100"]),
    ("DATE", &["'2020-01-31'", "(CURDATE())"]),
    ("TIME(2)", &["'10:11:12.50'"]),
    (
        "DATETIME",
        &["'2020-01-31 10:11:12'", "NOW()", "CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP"],
    ),
    ("DATETIME(6)", &["CURRENT_TIMESTAMP(6)", "now(6) on update now(6)", "NULL ON UPDATE NOW(6)"]),
    ("TIMESTAMP(3)", &["LOCALTIMESTAMP(3)", "NULL"]),
    ("YEAR", &[]),
    ("CHAR C", &["'x'"]),
    ("CHAR(36) C", &["''", "'abc'"]),
    ("VARCHAR(20) C", &["'it''s'", "\"q\"", "7", "(UUID())"]),
    ("character varying(255) C", &["'ö'"]),
    ("VARCHAR(300) C", &["(CONCAT('a', UUID()))"]),
    ("TEXT C", &["('t')"]),
    ("LONGTEXT C", &[]),
    ("ENUM('a','it''s','c ') C", &["'a'", "'c'"]),
    ("SET('x','y') C", &["'x'"]),
    ("BINARY(16)", &["(UUID_TO_BIN(UUID()))"]),
    ("VARBINARY(255)", &[]),
    ("MEDIUMBLOB", &[]),
    ("JSON", &["(JSON_OBJECT('a', 1))", "NULL"]),
    ("POINT", &[]),
    ("GEOMETRYCOLLECTION", &[]),
    ("VECTOR(4)", &[]),
    ("POINT NOT NULL SRID 4326", &[]),
];

/// What may stand behind a character type.
const CHARSETS: [&str; 9] = [
    "",
    "",
    "",
    "CHARACTER SET utf8mb4",
    "CHARSET latin1",
    "COLLATE utf8mb4_bin",
    "CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci",
    "CHARACTER SET ascii",
    "CHARACTER SET gbk",
];

/// A table as it is, by its columns' names and types.
pub(super) struct Table<'a> {
    pub(super) name: &'a str,
    pub(super) columns: Vec<(String, String)>,
    pub(super) key: Vec<String>,
}

/// A statement that makes a table.
pub(super) fn create(name: &str, random: &mut Random) -> String {
    let mut items = vec!["id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT".to_owned()];
    for at in 0..3 + random.below(5) {
        items.push(format!("c{at} {}", definition(random)));
    }
    let key = if random.chance(50) {
        "PRIMARY KEY (id)"
    } else {
        "CONSTRAINT PRIMARY KEY USING BTREE (`id` ASC)"
    };
    items.push(key.to_owned());
    items.push("KEY by_id (id), CHECK (1 > 0)".to_owned());
    let options = random.pick(&[
        "",
        "ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin COMMENT='x, y'",
        "CHARACTER SET utf8mb4",
        "COLLATE latin1_german1_ci ROW_FORMAT = DYNAMIC, STATS_PERSISTENT=0",
        "/*!50100 PARTITION BY HASH (id) PARTITIONS 2 */",
    ]);
    format!("CREATE TABLE `{name}` ({}) {options}", items.join(", "))
}

fn definition(random: &mut Random) -> String {
    let (name, defaults) = random.pick(&TYPES);
    let charset = random.pick(&CHARSETS);
    let mut text = name.replace(" C", &format!(" {charset}"));
    if random.chance(10) && !name.contains("SRID") {
        let how = random.pick(&["STORED", "VIRTUAL", "", "STORED NOT NULL", "VIRTUAL INVISIBLE"]);
        return format!("{text} GENERATED ALWAYS AS (NULL) {how}")
            .replace("NULL) STORED NOT NULL", "1) STORED NOT NULL");
    }
    if !defaults.is_empty() && random.chance(60) {
        let default = random.pick(defaults);
        text += if default.starts_with("NULL") || random.chance(50) { "" } else { " NOT NULL" };
        text += &format!(" DEFAULT {default}");
    } else {
        text += *random.pick(&["", " NULL", " NOT NULL"]);
    }
    text += *random.pick(&[
        "",
        "",
        "",
        " INVISIBLE",
        " COMMENT 'a, (b'",
        " /* c */ VISIBLE",
        " CHECK (1 > 0)",
    ]);
    text
}

impl Table<'_> {
    /// A statement that alters it, if the server takes it.
    pub(super) fn statement(&self, random: &mut Random) -> String {
        let count = 1 + random.below(4) * random.below(2);
        let clauses: Vec<String> = (0..count).map(|_| self.clause(random)).collect();
        let comment = random.pick(&["", "", "/* c, d */ ", "/*!50000 */ "]);
        format!("{comment}ALTER TABLE {} {}", self.name, clauses.join(", "))
    }

    fn column(&self, random: &mut Random) -> String {
        let (name, _) = random.pick(&self.columns);
        match random.below(4) {
            0 => format!("`{name}`"),
            1 => name.to_uppercase(),
            _ => name.clone(),
        }
    }

    fn new_name(random: &mut Random) -> String {
        format!("n{}", random.below(1000))
    }

    fn place(&self, random: &mut Random) -> String {
        match random.below(4) {
            0 => " FIRST".to_owned(),
            1 => format!(" AFTER {}", self.column(random)),
            _ => String::new(),
        }
    }

    fn clause(&self, random: &mut Random) -> String {
        let (column, new) = (self.column(random), Self::new_name(random));
        match random.below(22) {
            0..=2 => format!("ADD COLUMN {new} {}{}", definition(random), self.place(random)),
            3 => format!("ADD ({new} {}, {}x {})", definition(random), new, definition(random)),
            4 if self.columns.len() > 3 => format!("DROP {column}"),
            5..=7 => format!("MODIFY {column} {}{}", definition(random), self.place(random)),
            8 | 9 => {
                format!("CHANGE COLUMN {column} {new} {}{}", definition(random), self.place(random))
            }
            10 | 11 => format!("RENAME COLUMN {column} TO {new}"),
            12 => format!("ALTER {column} DROP DEFAULT"),
            13 => {
                let (_, defaults) = random.pick(&TYPES);
                let literals = defaults.iter().filter(|text| !text.contains("UPDATE"));
                let literals: Vec<&&str> = literals.collect();
                let default = if literals.is_empty() { "NULL" } else { random.pick(&literals) };
                let now =
                    ["NOW", "CURR", "LOCAL", "now"].iter().any(|now| default.starts_with(now));
                let default = if now { "(NOW())" } else { default };
                format!("ALTER COLUMN {column} SET DEFAULT {default}")
            }
            14 => format!("ALTER {column} SET {}", random.pick(&["INVISIBLE", "VISIBLE"])),
            15 => format!("ADD INDEX i{new} ({column}), DROP KEY by_id, ADD KEY by_id (id)"),
            16 => self.key(random, &column),
            17 => random
                .pick(&[
                    "DEFAULT CHARSET latin1",
                    "CHARACTER SET = utf8mb4 COLLATE utf8mb4_bin",
                    "COLLATE latin1_bin",
                    "DEFAULT CHARACTER SET utf8mb3",
                ])
                .to_string(),
            18 => random
                .pick(&[
                    "CONVERT TO CHARACTER SET utf8mb4",
                    "CONVERT TO CHARSET latin1 COLLATE latin1_bin",
                ])
                .to_string(),
            19 => random
                .pick(&[
                    "ENGINE=InnoDB ROW_FORMAT=DYNAMIC",
                    "COMMENT 'DROP c1, (' AUTO_INCREMENT = 7",
                    "FORCE, ALGORITHM=COPY",
                    "ORDER BY id",
                    "PARTITION BY KEY (id) PARTITIONS 2",
                    "REMOVE PARTITIONING",
                    "RENAME INDEX by_id TO by_id2, RENAME KEY by_id2 TO by_id",
                    "ALTER INDEX by_id INVISIBLE",
                    "ADD CONSTRAINT CHECK (1 > 0) NOT ENFORCED",
                ])
                .to_string(),
            20 => format!("CHANGE {column} {column} {}{}", definition(random), self.place(random)),
            _ => format!(
                "ADD {new} INT, MODIFY {column} {} AFTER {new}, ADD {new}b TEXT AFTER {column}",
                definition(random)
            ),
        }
    }

    fn key(&self, random: &mut Random, column: &str) -> String {
        if self.key.is_empty() {
            return format!("ADD PRIMARY KEY ({column}, {})", self.column(random));
        }
        match random.below(3) {
            0 => "DROP PRIMARY KEY, ADD PRIMARY KEY (id)".to_owned(),
            1 => format!("DROP PRIMARY KEY, ADD CONSTRAINT k PRIMARY KEY (id, {column})"),
            _ => "DROP PRIMARY KEY".to_owned(),
        }
    }
}
