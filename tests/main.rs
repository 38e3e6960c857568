//! Tests of the whole program against real servers: MySQL and Kafka as `tests/servers.sh` starts them, or those
//! that the environment names.

#[cfg(test)]
mod admin;
#[cfg(test)]
mod chaos;
#[cfg(test)]
mod cli;
#[cfg(test)]
mod ddl;
#[cfg(test)]
mod exactly_once;
#[cfg(test)]
mod failover;
#[cfg(test)]
mod faults;
#[cfg(test)]
mod fuzz;
#[cfg(test)]
mod generate;
#[cfg(test)]
mod migration;
#[cfg(test)]
mod parity;
#[cfg(test)]
mod resume;
#[cfg(test)]
mod security;
#[cfg(test)]
mod snapshot;
#[cfg(test)]
mod support;
#[cfg(test)]
mod tidy;
