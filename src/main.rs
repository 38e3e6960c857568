//! The thin binary over the library: a result becomes an exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    outflow::cli::main()
}
