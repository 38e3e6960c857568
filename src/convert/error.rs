use crate::connect::SchemaType;
use crate::error::Remedy;
use crate::route::Place;

/// Why a record cannot be written, or never could be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConvertError {
    /// The converter does not write this type; found when the connector starts.
    #[error(
        "{}: {converter} cannot write column {column:?}, which is {found}; {cure}",
        place.property()
    )]
    Impossible {
        /// Which converter.
        place: Place,
        /// Its name.
        converter: &'static str,
        /// The column that it would have to write.
        column: String,
        /// What the column is.
        found: String,
        /// What to do.
        cure: &'static str,
    },
    /// The charset of `converter.encoding` is unknown.
    #[error("{}.encoding: the charset {encoding:?} is unknown; leave it out for UTF-8", place.property())]
    Encoding {
        /// Which converter.
        place: Place,
        /// The charset.
        encoding: String,
    },
    /// A converter of this kind needs another one for what it does not write itself.
    #[error("{}: {converter} {reason}", place.property())]
    Misplaced {
        /// Which converter.
        place: Place,
        /// Its name.
        converter: &'static str,
        /// What is wrong with it there, and what to do.
        reason: &'static str,
    },
    /// The converter does not write this value.
    #[error("{}: {converter} cannot write a value of type {found}", place.property())]
    Type {
        /// Which converter.
        place: Place,
        /// Its name.
        converter: &'static str,
        /// What the value is.
        found: &'static str,
    },
    /// A value is not what its schema says.
    #[error("{}: a value of type {found} under a schema of type {expected:?}", place.property())]
    Mismatch {
        /// Which converter.
        place: Place,
        /// The schema's type.
        expected: SchemaType,
        /// What the value is.
        found: &'static str,
    },
    /// A null where the schema requires a value.
    #[error("{}: null for a field that is required and has no default value", place.property())]
    Null {
        /// Which converter.
        place: Place,
    },
}

impl ConvertError {
    /// Whether waiting can cure it.
    #[must_use]
    pub fn remedy(&self) -> Remedy {
        match self {
            Self::Impossible { .. }
            | Self::Encoding { .. }
            | Self::Misplaced { .. }
            | Self::Type { .. }
            | Self::Mismatch { .. }
            | Self::Null { .. } => Remedy::Stop, // The same row fails again.
        }
    }
}
