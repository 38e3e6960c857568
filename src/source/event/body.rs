use super::super::bytes::Reader;
use super::EventError;

/// FORMAT_DESCRIPTION_EVENT: what the events of one log file look like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormatDescription<'a> {
    /// The version of the server that wrote the file.
    pub server_version: &'a [u8],
    /// Length of each event type's post-header, from type 1 on.
    pub post_header_lengths: &'a [u8],
    /// Whether events end in a CRC32.
    pub checksums: bool,
}

impl<'a> FormatDescription<'a> {
    /// Length of the algorithm byte.
    const ALGORITHM: usize = 1;
    /// Checksum algorithm numbers.
    const OFF: u8 = 0;
    const CRC32: u8 = 1;

    /// Reads the body, without the four bytes of checksum that this event always ends in.
    ///
    /// # Errors
    /// When the body is malformed, of another binlog version than 4 or of an unknown checksum algorithm.
    pub fn parse(body: &'a [u8]) -> Result<Self, EventError> {
        let mut rest = Reader(body);
        if rest.u16()? != 4 {
            return Err(EventError::Malformed("the binlog version"));
        }
        let version = rest.take(50)?;
        let length = version.iter().position(|&byte| byte == 0).unwrap_or(version.len());
        let _created = rest.u32()?;
        if usize::from(rest.u8()?) != super::HEADER_LENGTH {
            return Err(EventError::Malformed("the header's length"));
        }
        let lengths = rest.0.len().checked_sub(Self::ALGORITHM).ok_or(EventError::TooShort)?;
        let post_header_lengths = rest.take(lengths)?;
        let checksums = match rest.u8()? {
            Self::OFF => false,
            Self::CRC32 => true,
            _ => return Err(EventError::Malformed("the checksum algorithm")),
        };
        let server_version = version.get(..length).unwrap_or_default();
        Ok(Self { server_version, post_header_lengths, checksums })
    }
}

/// ROTATE_EVENT: the stream goes on in this file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rotate<'a> {
    /// Where in it.
    pub position: u64,
    /// The file's name.
    pub file: &'a str,
}

impl<'a> Rotate<'a> {
    /// Reads the body.
    ///
    /// # Errors
    /// When the body is malformed.
    pub fn parse(body: &'a [u8]) -> Result<Self, EventError> {
        let mut rest = Reader(body);
        let position = rest.u64()?;
        Ok(Self { position, file: file_name(rest.0)? })
    }
}

fn file_name(bytes: &[u8]) -> Result<&str, EventError> {
    std::str::from_utf8(bytes).map_err(|_| EventError::Malformed("the log file's name"))
}

/// QUERY_EVENT: a statement, or the BEGIN, COMMIT or ROLLBACK of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Query<'a> {
    /// The session that ran it.
    pub thread_id: u32,
    /// The error it ended in at the server, 0 for none.
    pub error_code: u16,
    /// The session's default database, in UTF-8; empty for none.
    pub database: &'a [u8],
    /// What the session had set, as [`Query::session`] reads it.
    pub(super) variables: &'a [u8],
    /// The statement in the session's character set: not always UTF-8.
    pub statement: &'a [u8],
}

impl<'a> Query<'a> {
    /// Which part of EXECUTE_LOAD_QUERY_EVENT's statement names the file, its number, and what becomes of duplicates.
    const LOAD: usize = 4 + 4 + 4 + 1;

    /// Reads the body of QUERY_EVENT.
    ///
    /// # Errors
    /// When the body is malformed.
    pub fn parse(body: &'a [u8]) -> Result<Self, EventError> {
        Self::read(body, 0)
    }

    /// Reads the body of EXECUTE_LOAD_QUERY_EVENT: `LOAD DATA` as text.
    ///
    /// # Errors
    /// When the body is malformed.
    pub fn parse_load(body: &'a [u8]) -> Result<Self, EventError> {
        Self::read(body, Self::LOAD)
    }

    /// `more`: bytes between those that every statement has and what their lengths speak of.
    fn read(body: &'a [u8], more: usize) -> Result<Self, EventError> {
        let mut rest = Reader(body);
        let thread_id = rest.u32()?;
        let _seconds = rest.u32()?;
        let database_length = rest.u8()?;
        let error_code = rest.u16()?;
        let variables_length = rest.u16()?;
        rest.take(more)?;
        let variables = rest.take(usize::from(variables_length))?;
        let database = rest.take(usize::from(database_length))?;
        if rest.u8()? != 0 {
            return Err(EventError::Malformed("the end of the database's name"));
        }
        Ok(Self { thread_id, error_code, database, variables, statement: rest.0 })
    }
}

/// XID_EVENT: the transaction is committed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Xid(pub u64);

impl Xid {
    /// Reads the body.
    ///
    /// # Errors
    /// When the body is too short.
    pub fn parse(body: &[u8]) -> Result<Self, EventError> {
        Reader(body).u64().map(Self)
    }
}

/// XA_PREPARE_LOG_EVENT: the rows before it are prepared, and committed as well if in one phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct XaPrepare<'a> {
    /// `XA COMMIT … ONE PHASE`.
    pub one_phase: bool,
    /// The transaction's format.
    pub format_id: i32,
    /// The global part of its name.
    pub global_id: &'a [u8],
    /// The branch part of its name.
    pub branch_qualifier: &'a [u8],
}

impl<'a> XaPrepare<'a> {
    /// The longest of each part.
    const PART_MAX: u32 = 64;

    /// Reads the body.
    ///
    /// # Errors
    /// When the body is malformed.
    pub fn parse(body: &'a [u8]) -> Result<Self, EventError> {
        let mut rest = Reader(body);
        let one_phase = rest.u8()? != 0;
        let format_id = i32::from_le_bytes(rest.array()?);
        let (global_length, branch_length) = (rest.u32()?, rest.u32()?);
        let mut part = |length: u32| match usize::try_from(length) {
            Ok(count) if length <= Self::PART_MAX => rest.take(count),
            _ => Err(EventError::Malformed("the XA transaction's name")),
        };
        let (global_id, branch_qualifier) = (part(global_length)?, part(branch_length)?);
        Ok(Self { one_phase, format_id, global_id, branch_qualifier })
    }

    /// The name as the server writes it in `XA COMMIT` and `XA ROLLBACK` statements.
    #[must_use]
    pub fn name(&self) -> String {
        let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        format!("X'{}',X'{}',{}", hex(self.global_id), hex(self.branch_qualifier), self.format_id)
    }
}

/// HEARTBEAT_LOG_EVENT and its second version: the server is alive and has sent all before this place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heartbeat<'a> {
    /// The log file.
    pub file: &'a str,
    /// The position in it; only the second version carries all of it.
    pub position: Option<u64>,
}

impl<'a> Heartbeat<'a> {
    /// Reads the body of the first version.
    ///
    /// # Errors
    /// When the body is malformed.
    pub fn parse(body: &'a [u8]) -> Result<Self, EventError> {
        Ok(Self { file: file_name(body)?, position: None })
    }

    /// Reads the body of the second version: a list of type, length and value.
    ///
    /// # Errors
    /// When the body is malformed.
    pub fn parse_v2(body: &'a [u8]) -> Result<Self, EventError> {
        let mut rest = Reader(body);
        let mut heartbeat = Self { file: "", position: None };
        loop {
            let field = rest.length_encoded()?;
            if field == 0 {
                return Ok(heartbeat);
            }
            let length = usize::try_from(rest.length_encoded()?);
            let value = rest.take(length.map_err(|_| EventError::TooShort)?)?;
            match field {
                1 => heartbeat.file = file_name(value)?,
                2 => heartbeat.position = Some(Reader(value).length_encoded()?),
                _ => {}
            }
        }
    }
}

/// ROWS_QUERY_LOG_EVENT: the statement whose rows follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowsQuery<'a>(pub &'a [u8]);

impl<'a> RowsQuery<'a> {
    /// Reads the body: one byte of length, too small to be of use, then the text.
    ///
    /// # Errors
    /// When the body is empty.
    pub fn parse(body: &'a [u8]) -> Result<Self, EventError> {
        let mut rest = Reader(body);
        rest.u8()?;
        Ok(Self(rest.0))
    }
}

/// INCIDENT_EVENT: the log may lack changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Incident<'a> {
    /// 1 for lost events.
    pub number: u16,
    /// What happened.
    pub message: &'a [u8],
}

impl<'a> Incident<'a> {
    /// Reads the body.
    ///
    /// # Errors
    /// When the body is malformed.
    pub fn parse(body: &'a [u8]) -> Result<Self, EventError> {
        let mut rest = Reader(body);
        let number = rest.u16()?;
        let length = rest.u8()?;
        Ok(Self { number, message: rest.take(usize::from(length))? })
    }
}

/// TRANSACTION_PAYLOAD_EVENT: a transaction's events in one, usually compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Payload<'a> {
    /// 0 for zstd, 255 for none.
    pub compression: u64,
    /// Length once unpacked.
    pub uncompressed_size: Option<u64>,
    /// The bytes.
    pub data: &'a [u8],
}

impl<'a> Payload<'a> {
    /// zstd.
    pub const ZSTD: u64 = 0;
    /// No compression.
    pub const NONE: u64 = 255;

    /// Reads the body: a list of type, length and value, then the payload.
    ///
    /// # Errors
    /// When the body is malformed or its size differs from the one it names.
    pub fn parse(body: &'a [u8]) -> Result<Self, EventError> {
        let mut rest = Reader(body);
        let (mut size, mut compression, mut uncompressed_size) = (None, None, None);
        loop {
            let field = rest.length_encoded()?;
            if field == 0 {
                break;
            }
            let length = usize::try_from(rest.length_encoded()?);
            let mut value = Reader(rest.take(length.map_err(|_| EventError::TooShort)?)?);
            match field {
                1 => size = Some(value.length_encoded()?),
                2 => compression = Some(value.length_encoded()?),
                3 => uncompressed_size = Some(value.length_encoded()?),
                _ => {}
            }
        }
        if size.is_some_and(|size| usize::try_from(size) != Ok(rest.0.len())) {
            return Err(EventError::Malformed("the payload's size"));
        }
        let compression = compression.ok_or(EventError::Malformed("the compression type"))?;
        Ok(Self { compression, uncompressed_size, data: rest.0 })
    }
}
