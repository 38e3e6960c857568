//! Handshake, TLS and authentication. No crate hands over its socket after login, hence our own.
//! Source: MySQL developer documentation, "Connection Phase" and "caching_sha2_password".

use mysql_common::constants::CapabilityFlags;
use mysql_common::io::ParseBuf;
use mysql_common::packets::{
    AuthPlugin, AuthSwitchRequest, HandshakePacket, HandshakeResponse, SslRequest,
};
use mysql_common::proto::{MyDeserialize, MySerialize};
use rustls::pki_types::ServerName;
use rustls::{ClientConnection, StreamOwned};

use super::SourceError;
use super::connection::{Connection, EOF, OK};
use super::rsa::encrypt_password;
use super::stream::Stream;
use super::tls::TlsMaterial;
use crate::config::{SourceConfig, TlsMode};

const DOING: &str = "logging in";
const STARTING_TLS: &str = "starting TLS";
/// The largest packet that we accept, MySQL's own limit.
const PACKET_MAX: u32 = 1 << 30;
/// utf8mb4_general_ci, known to every version.
const COLLATION: u8 = 45;
/// First byte of further authentication data.
const MORE: u8 = 1;
/// In it, for caching_sha2_password: the cached password was right.
const FAST_OK: u8 = 3;
/// In it: the password itself is needed.
const FULL: u8 = 4;
/// Asks for the RSA public key: caching_sha2_password, sha256_password.
const KEY_REQUEST_SHA2: u8 = 2;
const KEY_REQUEST_SHA256: u8 = 1;

/// Connects and logs in.
pub(super) fn open(config: &SourceConfig, host: &str) -> Result<Connection, SourceError> {
    let address = format!("{host}:{}", config.port);
    let connect = |source| SourceError::Connect { address: address.clone(), source };
    // The stores are read first: what is wrong with them is no matter of the network.
    let tls = match config.tls.mode {
        TlsMode::Disabled => None,
        _ => Some(TlsMaterial::load(&config.tls)?),
    };
    let stream = Stream::connect(host, config.port, config.connect_timeout).map_err(connect)?;
    let mut connection =
        Connection::new(stream, &config.user, config.connect_timeout).map_err(connect)?;
    let greeting = connection.receive_no_error("being greeted")?;
    let handshake = parse::<HandshakePacket<'_>>(greeting)?.into_owned();
    if let Some(version) = mariadb_version(&handshake.server_version_str()) {
        return Err(SourceError::MariaDb(version));
    }
    let mut capabilities = wanted() & handshake.capabilities();
    let tls = tls.filter(|_| handshake.capabilities().contains(CapabilityFlags::CLIENT_SSL));
    match tls {
        Some(material) => {
            capabilities |= CapabilityFlags::CLIENT_SSL;
            connection = encrypt(connection, material, capabilities, host, &address)?;
        }
        None if matches!(config.tls.mode, TlsMode::Disabled | TlsMode::Preferred) => {}
        None => return Err(SourceError::TlsUnavailable(address)),
    }
    Login { connection, config, nonce: handshake.nonce() }.run(&handshake, capabilities)
}

/// MariaDB's own version within what it tells old clients, such as `5.5.5-10.11.6-MariaDB`.
pub(super) fn mariadb_version(version: &str) -> Option<String> {
    let is_mariadb = version.to_ascii_lowercase().contains("mariadb");
    is_mariadb.then(|| version.strip_prefix("5.5.5-").unwrap_or(version).to_owned())
}

fn wanted() -> CapabilityFlags {
    CapabilityFlags::CLIENT_LONG_PASSWORD
        | CapabilityFlags::CLIENT_LONG_FLAG
        | CapabilityFlags::CLIENT_PROTOCOL_41
        | CapabilityFlags::CLIENT_TRANSACTIONS
        | CapabilityFlags::CLIENT_SECURE_CONNECTION
        | CapabilityFlags::CLIENT_PLUGIN_AUTH
        | CapabilityFlags::CLIENT_PLUGIN_AUTH_LENENC_CLIENT_DATA
        | CapabilityFlags::CLIENT_CONNECT_ATTRS
}

fn parse<'a, T: MyDeserialize<'a, Ctx = ()>>(payload: &'a [u8]) -> Result<T, SourceError> {
    T::deserialize((), &mut ParseBuf(payload)).map_err(|_| SourceError::Protocol(DOING))
}

/// Turns the connection into TLS, from the next byte on.
fn encrypt(
    mut connection: Connection,
    material: TlsMaterial,
    capabilities: CapabilityFlags,
    host: &str,
    address: &str,
) -> Result<Connection, SourceError> {
    let mut request = Vec::new();
    SslRequest::new(capabilities, PACKET_MAX, COLLATION).serialize(&mut request);
    connection.reply(&request, STARTING_TLS)?;
    // What an attacker slips in before TLS begins must not be taken for what comes inside. A server says no
    // more than why it gives up, as one that had been frozen does.
    if !connection.framer.is_drained() {
        connection.receive_no_error(STARTING_TLS)?;
        return Err(SourceError::Protocol(STARTING_TLS));
    }
    let tls = |source| SourceError::Tls { address: address.to_owned(), source };
    let bare = host.trim_start_matches('[').trim_end_matches(']').to_owned();
    let name = ServerName::try_from(bare)
        .map_err(|_| tls(rustls::Error::General("the host is no valid name".into())))?;
    let mut session =
        ClientConnection::new(material.client_config().map_err(tls)?, name).map_err(tls)?;
    let Stream::Plain(mut socket) = connection.stream else {
        return Err(SourceError::Protocol(STARTING_TLS));
    };
    while session.is_handshaking() {
        session.complete_io(&mut socket).map_err(|error| {
            match error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>()) {
                Some(inner) => tls(inner.clone()),
                None => SourceError::Disconnected { doing: STARTING_TLS, source: Some(error) },
            }
        })?;
    }
    connection.stream = Stream::Tls(Box::new(StreamOwned::new(session, socket)));
    Ok(connection)
}

/// The rest of the connection phase.
struct Login<'a> {
    connection: Connection,
    config: &'a SourceConfig,
    nonce: Vec<u8>,
}

impl Login<'_> {
    fn run(
        mut self,
        handshake: &HandshakePacket<'_>,
        capabilities: CapabilityFlags,
    ) -> Result<Connection, SourceError> {
        let mut plugin = handshake.auth_plugin().map(|plugin| plugin.as_bytes().to_vec());
        // A server whose default plugin is unknown to us may switch to one that is not.
        if !plugin.as_deref().is_some_and(is_known) {
            plugin = Some(AuthPlugin::CachingSha2Password.as_bytes().to_vec());
        }
        let mut plugin = plugin.unwrap_or_default();
        let attributes =
            [("program_name", "outflow"), ("_client_version", env!("CARGO_PKG_VERSION"))]
                .map(|(name, value)| (name.to_owned(), value.to_owned()));
        let response = HandshakeResponse::new(
            Some(self.scramble(&plugin)?),
            (8, 0, 0),
            Some(self.config.user.as_bytes()),
            None::<Vec<u8>>,
            Some(AuthPlugin::from_bytes(&plugin)),
            capabilities,
            Some(attributes.into()),
            PACKET_MAX,
        );
        let mut bytes = Vec::new();
        response.serialize(&mut bytes);
        self.connection.reply(&bytes, DOING)?;
        loop {
            let payload = self.connection.receive_no_error(DOING)?.to_vec();
            match payload.split_first() {
                Some((&OK, _)) => return Ok(self.connection),
                Some((&EOF, rest)) if !rest.is_empty() => {
                    let request = parse::<AuthSwitchRequest<'_>>(&payload)?;
                    plugin = request.auth_plugin().as_bytes().to_vec();
                    let nonce = request.plugin_data();
                    self.nonce = nonce.strip_suffix(&[0]).unwrap_or(nonce).to_vec();
                    let scramble = self.scramble(&plugin)?;
                    self.connection.reply(&scramble, DOING)?;
                }
                Some((&MORE, data)) => self.more(&plugin, data)?,
                _ => return Err(SourceError::Protocol(DOING)),
            }
        }
    }

    /// What proves the password to this plugin at once.
    fn scramble(&self, plugin: &[u8]) -> Result<Vec<u8>, SourceError> {
        let password = self.config.password.expose();
        if !is_known(plugin) {
            return Err(SourceError::UnsupportedPlugin(
                String::from_utf8_lossy(plugin).into_owned(),
            ));
        }
        if plugin == SHA256_PASSWORD {
            return Ok(match (password.is_empty(), self.connection.stream.is_tls()) {
                (true, _) => vec![0],
                (false, true) => terminated(password),
                (false, false) => vec![KEY_REQUEST_SHA256],
            });
        }
        let data = AuthPlugin::from_bytes(plugin).gen_data(Some(password), &self.nonce);
        Ok(data.map(|data| data.to_vec()).unwrap_or_default())
    }

    /// Answers further data of the plugin.
    fn more(&mut self, plugin: &[u8], data: &[u8]) -> Result<(), SourceError> {
        let password = terminated(self.config.password.expose());
        let sha2 = plugin == AuthPlugin::CachingSha2Password.as_bytes();
        match data {
            // OK follows.
            [FAST_OK] if sha2 => Ok(()),
            [FULL] if sha2 && self.connection.stream.is_tls() => {
                self.connection.reply(&password, DOING)
            }
            [FULL] if sha2 => self.connection.reply(&[KEY_REQUEST_SHA2], DOING),
            key if sha2 || plugin == SHA256_PASSWORD => {
                let encrypted = encrypt_password(&password, &self.nonce, key);
                let encrypted =
                    encrypted.ok_or(SourceError::Protocol("reading the server's RSA key"))?;
                self.connection.reply(&encrypted, DOING)
            }
            _ => Err(SourceError::Protocol(DOING)),
        }
    }
}

const SHA256_PASSWORD: &[u8] = b"sha256_password";

fn is_known(plugin: &[u8]) -> bool {
    plugin == SHA256_PASSWORD
        || matches!(
            AuthPlugin::from_bytes(plugin),
            AuthPlugin::CachingSha2Password | AuthPlugin::MysqlNativePassword
        )
}

fn terminated(password: &str) -> Vec<u8> {
    [password.as_bytes(), &[0]].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mariadb_is_recognised() {
        assert_eq!(mariadb_version("5.5.5-10.11.6-MariaDB-1"), Some("10.11.6-MariaDB-1".into()));
        assert_eq!(mariadb_version("9.7.4-2"), None);
    }
}
