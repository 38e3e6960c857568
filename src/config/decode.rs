use super::RegexList;

/// How column values become Connect values.
#[derive(Clone, Debug, Default)]
pub struct DecodeConfig {
    /// `decimal.handling.mode`.
    pub decimal: DecimalHandling,
    /// `bigint.unsigned.handling.mode`.
    pub bigint_unsigned: BigintUnsignedHandling,
    /// `time.precision.mode`.
    pub time_precision: TimePrecision,
    /// `binary.handling.mode`.
    pub binary: BinaryHandling,
    /// `enable.time.adjuster`.
    pub time_adjuster: bool,
    /// `event.converting.failure.handling.mode`.
    pub converting_failure: FailureHandling,
    /// `event.processing.failure.handling.mode`.
    pub processing_failure: FailureHandling,
    /// `inconsistent.schema.handling.mode`: a row of a captured table whose layout is not known.
    pub inconsistent_schema: FailureHandling,
    /// `field.name.adjustment.mode`, for column names.
    pub field_names: FieldNameAdjustment,
    /// `schema.name.adjustment.mode`, for the names of row, key and envelope.
    pub schema_names: FieldNameAdjustment,
    /// `TinyIntOneToBooleanConverter`s, each with its selector and whether it looks at the length.
    pub tiny_int_one: Vec<TinyIntOne>,
    /// `column.truncate.*` and `column.mask.*`, in the order in which they are tried.
    pub masks: Vec<ColumnMask>,
}

/// A rule that changes values before anyone sees them.
#[derive(Clone, Debug)]
pub struct ColumnMask {
    /// The columns, as `database.table.column`.
    pub columns: RegexList,
    /// What is done.
    pub rule: MaskRule,
}

/// What is done to values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MaskRule {
    /// `column.truncate.to.N.chars`.
    Truncate(usize),
    /// `column.mask.with.N.chars`.
    Chars(usize),
    /// `column.mask.hash.ALGORITHM.with.salt.SALT`.
    Hash {
        /// The algorithm.
        algorithm: HashAlgorithm,
        /// The salt.
        salt: String,
        /// Not `v2`: hashes are taken of Java's serialized form.
        serialized: bool,
    },
}

/// The algorithms of `column.mask.hash.*`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the algorithms'")]
pub enum HashAlgorithm {
    Md5,
    Sha1,
    Sha256,
    Sha384,
    Sha512,
}

/// A configured `TinyIntOneToBooleanConverter`.
#[derive(Clone, Debug)]
pub struct TinyIntOne {
    /// `selector`, on `database.table.column`; `None` matches every column.
    pub selector: Option<RegexList>,
    /// `length.checker`: only columns of length 1.
    pub length_checker: bool,
}

/// `decimal.handling.mode`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the property's values")]
pub enum DecimalHandling {
    #[default]
    Precise,
    Double,
    String,
}

/// `bigint.unsigned.handling.mode`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the property's values")]
pub enum BigintUnsignedHandling {
    #[default]
    Long,
    Precise,
}

/// `time.precision.mode`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the property's values")]
pub enum TimePrecision {
    #[default]
    AdaptiveTimeMicroseconds,
    Connect,
    IsoString,
    Microseconds,
    Nanoseconds,
}

/// `binary.handling.mode`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the property's values")]
pub enum BinaryHandling {
    #[default]
    Bytes,
    Base64,
    Base64UrlSafe,
    Hex,
}

/// What to do with a value or row that cannot be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FailureHandling {
    /// Stop before it.
    #[default]
    Fail,
    /// Go on without it and say so.
    Warn,
    /// Go on without it.
    Skip,
}

/// `field.name.adjustment.mode`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the property's values")]
pub enum FieldNameAdjustment {
    #[default]
    None,
    Avro,
    AvroUnicode,
}
