/// Something that must be mended before the start.
#[derive(Debug, thiserror::Error)]
pub enum PreflightProblem {
    /// The binary log is off.
    #[error("the binary log is off")]
    LogBinOff,
}
