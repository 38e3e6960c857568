use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;

use base64::Engine;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

use crate::support::{Certificates, Outbox, Scratch};

/// What the admin port answers over TLS; an error where the certificate is not `authority`'s.
fn get(port: u16, path: &str, login: &str, authority: &std::path::Path) -> std::io::Result<String> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(authority).unwrap()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from("127.0.0.1").unwrap();
    let connection = ClientConnection::new(Arc::new(config), name).unwrap();
    let mut stream = StreamOwned::new(connection, TcpStream::connect(("127.0.0.1", port))?);
    let login = base64::engine::general_purpose::STANDARD.encode(login);
    write!(
        stream,
        "GET {path} HTTP/1.1\r\nHost: outflow\r\nAuthorization: Basic {login}\r\nConnection: close\r\n\r\n"
    )?;
    let mut answer = String::new();
    match stream.read_to_string(&mut answer) {
        Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => {} // Closed without a word.
        result => drop(result?),
    }
    Ok(answer)
}

#[test]
fn the_admin_port_speaks_tls_and_asks_for_a_password() {
    let scratch = Scratch::new("admin-tls");
    let certificates = Certificates::make(&scratch);
    let users = scratch.write("users.properties", "# who may look\nops = Grey:Lantern\n");
    let outbox = Outbox::new("admin-tls");
    let mut outflow = outbox.start_with(&[
        "--bootstrap-servers",
        &outbox.broker.bootstrap_servers,
        "--admin-certificate",
        certificates.broker.to_str().unwrap(),
        "--admin-users",
        users.to_str().unwrap(),
    ]);
    outflow.logs("streaming", super::TOLD_MAX);
    let port = outflow.port().unwrap();
    let ask = |path: &str, login: &str| {
        let answer = get(port, path, login, &certificates.authority).unwrap();
        answer.lines().next().unwrap_or_default().to_owned()
    };
    assert_eq!(ask("/metrics", "ops:Grey:Lantern"), "HTTP/1.1 200 OK");
    assert_eq!(ask("/metrics", "ops:wrong"), "HTTP/1.1 401 Unauthorized");
    assert_eq!(ask("/metrics", "nobody:Grey:Lantern"), "HTTP/1.1 401 Unauthorized");
    assert_eq!(ask("/livez", ":"), "HTTP/1.1 200 OK", "a probe has no password");
    assert!(get(port, "/livez", ":", &certificates.stranger).is_err());
    assert!(outflow.get("/livez").is_none_or(|(code, _)| code != 200), "it answers without TLS");
    assert!(!outflow.log().contains("Lantern"), "the password is in the log");
    assert_eq!(outflow.stop(), 0);
}
