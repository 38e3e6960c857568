use crate::error::Remedy;

/// Why a table map, a row or a value could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// An event ends before what it announces.
    #[error("event ends inside {what}")]
    Truncated {
        /// The part that is cut off.
        what: &'static str,
    },
    /// An event contradicts itself.
    #[error("event holds an impossible {what}")]
    Malformed {
        /// The part that cannot be.
        what: &'static str,
    },
    /// An event type that carries no rows was taken for one that does.
    #[error("event type {event_type} carries no rows")]
    NotRows {
        /// The event type.
        event_type: u8,
    },
    /// A column type that MySQL has not documented for the binlog.
    #[error("unknown column type {code} in a table map")]
    UnknownColumnType {
        /// The type's code.
        code: u8,
    },
    /// The known layout of a table is not the one that the rows were written with.
    #[error(
        "layout of {database}.{table} does not fit its table map: {reason}; \
         binlog_row_metadata=FULL makes the log carry its own layout"
    )]
    LayoutMismatch {
        /// The database.
        database: String,
        /// The table.
        table: String,
        /// What differs.
        reason: String,
    },
    /// A row ends, or a value is impossible, at this column.
    #[error("column {column} of {database}.{table} cannot be read")]
    Value {
        /// The database.
        database: String,
        /// The table.
        table: String,
        /// The column.
        column: String,
        /// What is wrong.
        source: ValueError,
    },
    /// A value is sound in MySQL but has no form in its Connect type; the row was read to its end.
    #[error("value of column {column} of {database}.{table} cannot be converted")]
    Unconvertible {
        /// The database.
        database: String,
        /// The table.
        table: String,
        /// The column.
        column: String,
        /// What is wrong.
        source: ValueError,
    },
    /// A snapshot's row has another number of columns than its plan.
    #[error("a row of {database}.{table} has {actual} columns in place of {expected}")]
    WrongWidth {
        /// The database.
        database: String,
        /// The table.
        table: String,
        /// The columns that the plan has.
        expected: usize,
        /// The columns that came.
        actual: usize,
    },
}

/// What is wrong with a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ValueError {
    /// The bytes end too early.
    #[error("its bytes end too early")]
    Truncated,
    /// The bytes cannot be a value of the column's type.
    #[error("impossible {0}")]
    Malformed(&'static str),
    /// The Connect type cannot hold the value.
    #[error("{0}")]
    OutOfRange(&'static str),
    /// A date that no calendar has, as the 31st of February.
    #[error("a date that no calendar has")]
    InvalidDate,
}

impl ValueError {
    /// Whether the bytes are sound and only Connect's type cannot hold the value.
    pub(super) fn is_conversion(self) -> bool {
        match self {
            Self::Truncated | Self::Malformed(_) => false,
            Self::OutOfRange(_) | Self::InvalidDate => true,
        }
    }
}

impl DecodeError {
    /// Whether waiting can cure it.
    #[must_use]
    pub fn remedy(&self) -> Remedy {
        match self {
            // The log does not change by waiting; a person must look at it or at the property named.
            Self::Truncated { .. }
            | Self::Malformed { .. }
            | Self::NotRows { .. }
            | Self::UnknownColumnType { .. }
            | Self::LayoutMismatch { .. }
            | Self::Value { .. }
            | Self::Unconvertible { .. }
            | Self::WrongWidth { .. } => Remedy::Stop,
        }
    }
}
