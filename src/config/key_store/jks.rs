//! Java's own key store.
//! Source: OpenJDK, the documentation of `sun.security.provider.JavaKeyStore` and `KeyProtector`.

use ring::digest::{Context, SHA1_FOR_LEGACY_USE_ONLY, SHA1_OUTPUT_LEN};
use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer};

use super::{Identity, KeyStore};

/// The digest of the whole store is over this, too.
const WHITENER: &[u8] = b"Mighty Aphrodite";
const PRIVATE_KEY: u32 = 1;
const TRUSTED_CERTIFICATE: u32 = 2;
/// ASN.1.
const OCTET_STRING: u8 = 4;
const SEQUENCE: u8 = 0x30;
/// 1.3.6.1.4.1.42.2.17.1.1, the one cipher of such stores.
const KEY_PROTECTOR: &[u8] = b"\x06\x0a\x2b\x06\x01\x04\x01\x2a\x02\x11\x01\x01";
/// Bytes of the salt before a key's ciphertext, and of the digest behind it.
const SALT: usize = SHA1_OUTPUT_LEN;

/// Reads a store. The key's password is the store's where it has none of its own.
pub(super) fn read(bytes: &[u8], password: &str, key_password: &str) -> Result<KeyStore, String> {
    let damaged = || "is damaged: it ends too early".to_owned();
    let (body, digest) =
        bytes.split_at_checked(bytes.len().saturating_sub(SHA1_OUTPUT_LEN)).ok_or_else(damaged)?;
    if sha1(&[&utf16(password), WHITENER, body]) != digest {
        return Err("cannot be opened with this password, or is damaged".to_owned());
    }
    let mut rest = body;
    let entries = entries(&mut rest).ok_or_else(damaged)?;
    let mut store = KeyStore { certificates: Vec::new(), identity: None };
    for entry in entries {
        match entry {
            Entry::Trusted(certificate) => store.certificates.push(certificate),
            Entry::Key { protected, chain } => {
                // Java trusts whom it is.
                store.certificates.extend(chain.first().cloned());
                if store.identity.is_none() {
                    let key = reveal(protected, key_password)?;
                    let key = PrivatePkcs8KeyDer::from(key).into();
                    store.identity = Some(Identity { chain, key });
                }
            }
        }
    }
    Ok(store)
}

enum Entry<'a> {
    Trusted(CertificateDer<'static>),
    Key { protected: &'a [u8], chain: Vec<CertificateDer<'static>> },
}

/// All entries; none where the bytes end too early or are of an unknown kind.
fn entries<'a>(rest: &mut &'a [u8]) -> Option<Vec<Entry<'a>>> {
    let (_magic, version, count) = (number(rest)?, number(rest)?, number(rest)?);
    let mut entries = Vec::new();
    for _ in 0..count {
        let tag = number(rest)?;
        text(rest)?; // The alias.
        take(rest, 8)?; // When it was made.
        entries.push(match tag {
            PRIVATE_KEY => {
                let length = number(rest)?;
                let protected = take(rest, usize::try_from(length).ok()?)?;
                let links = number(rest)?;
                let chain =
                    (0..links).map(|_| certificate(rest, version)).collect::<Option<_>>()?;
                Entry::Key { protected, chain }
            }
            TRUSTED_CERTIFICATE => Entry::Trusted(certificate(rest, version)?),
            _ => return None,
        });
    }
    Some(entries)
}

fn certificate(rest: &mut &[u8], version: u32) -> Option<CertificateDer<'static>> {
    if version != 1 {
        text(rest)?; // Its type, which is X.509.
    }
    let length = number(rest)?;
    Some(take(rest, usize::try_from(length).ok()?)?.to_vec().into())
}

fn take<'a>(rest: &mut &'a [u8], length: usize) -> Option<&'a [u8]> {
    let (taken, after) = rest.split_at_checked(length)?;
    *rest = after;
    Some(taken)
}

fn number(rest: &mut &[u8]) -> Option<u32> {
    Some(u32::from_be_bytes(take(rest, 4)?.try_into().ok()?))
}

fn text<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = u16::from_be_bytes(take(rest, 2)?.try_into().ok()?);
    take(rest, length.into())
}

/// The private key, in PKCS#8.
fn reveal(protected: &[u8], password: &str) -> Result<Vec<u8>, String> {
    let unknown = || "holds a private key in an unknown cipher".to_owned();
    let content = ciphertext(protected).ok_or_else(unknown)?;
    let (salt, rest) = content.split_at_checked(SALT).ok_or_else(unknown)?;
    let length = rest.len().checked_sub(SHA1_OUTPUT_LEN).ok_or_else(unknown)?;
    let (encrypted, digest) = rest.split_at_checked(length).ok_or_else(unknown)?;
    let password = utf16(password);
    let mut pad = salt.to_vec();
    let mut key = Vec::with_capacity(length);
    for block in encrypted.chunks(SHA1_OUTPUT_LEN) {
        pad = sha1(&[&password, &pad]);
        key.extend(block.iter().zip(&pad).map(|(byte, pad)| byte ^ pad));
    }
    if sha1(&[&password, &key]) == digest {
        Ok(key)
    } else {
        Err("holds a private key that this password does not open".to_owned())
    }
}

/// The octets of an EncryptedPrivateKeyInfo of the one known cipher.
fn ciphertext(protected: &[u8]) -> Option<&[u8]> {
    let mut rest = protected;
    let mut info = element(&mut rest, SEQUENCE)?;
    let algorithm = element(&mut info, SEQUENCE)?;
    if !algorithm.starts_with(KEY_PROTECTOR) {
        return None;
    }
    element(&mut info, OCTET_STRING)
}

/// The content of the next DER element, which has this tag.
fn element<'a>(rest: &mut &'a [u8], tag: u8) -> Option<&'a [u8]> {
    const LONG: u8 = 0x80;
    if take(rest, 1)? != [tag] {
        return None;
    }
    let &[first] = take(rest, 1)? else { return None };
    let length = if first < LONG {
        usize::from(first)
    } else {
        let bytes = take(rest, usize::from(first - LONG).min(5))?;
        bytes.iter().fold(0, |length, &byte| length << 8 | usize::from(byte))
    };
    take(rest, length)
}

fn utf16(password: &str) -> Vec<u8> {
    password.encode_utf16().flat_map(u16::to_be_bytes).collect()
}

fn sha1(parts: &[&[u8]]) -> Vec<u8> {
    let mut context = Context::new(&SHA1_FOR_LEGACY_USE_ONLY);
    for part in parts {
        context.update(part);
    }
    context.finish().as_ref().to_vec()
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    use ring::signature::{Ed25519KeyPair, KeyPair};

    use super::*;

    /// As keytool makes them: a key whose password is `secret7`, and its certificate once more as one to trust,
    /// in a store with password `changeit`.
    const STORE: &str = "\
        /u3+7QAAAAIAAAACAAAAAgAFb3RoZXIAAAGiK3fLHgAFWC41MDkAAAEKMIIBBjCBuaADAgECAggZ8epodjIjSzAFBg\
        MrZXAwFzEVMBMGA1UEAxMMb3V0Zmxvdy10ZXN0MCAXDTI2MTEzMDA3NTk1OVoYDzIxMjYxMTA2MDc1OTU5WjAXMRUw\
        EwYDVQQDEwxvdXRmbG93LXRlc3QwKjAFBgMrZXADIQB0XNSh5+1X/yP9W8tx0u2/F7Rv+pre4aEW6ald8Cf8IKMhMB\
        8wHQYDVR0OBBYEFDqKmWlqNaaD4tfBv215QXTTPLqVMAUGAytlcANBAP3wBLBxCGbQ4edvWxLJp4AhMUipD0YnW25c\
        pGk8Aw7Vp+cIUe1cW++1762kuCPxi43JsXVSbeuu30BX8ei5AA8AAAABAAJtZQAAAaIrd8dhAAAAbDBqMA4GCisGAQ\
        QBKgIRAQEFAARYmQQs275Mqc7K4mr8/wolNs7DO0JanLfEvFNX8MtxNsOOdBFmtrNhNTyy5CSmjfWdfmVgBFVIGC3e\
        hZ1E09HWfoQ3HtnZOnXFxivOnUg6f6wkZvm2Go3CQgAAAAEABVguNTA5AAABCjCCAQYwgbmgAwIBAgIIGfHqaHYyI0\
        swBQYDK2VwMBcxFTATBgNVBAMTDG91dGZsb3ctdGVzdDAgFw0yNjExMzAwNzU5NTlaGA8yMTI2MTEwNjA3NTk1OVow\
        FzEVMBMGA1UEAxMMb3V0Zmxvdy10ZXN0MCowBQYDK2VwAyEAdFzUoeftV/8j/VvLcdLtvxe0b/qa3uGhFumpXfAn/C\
        CjITAfMB0GA1UdDgQWBBQ6iplpajWmg+LXwb9teUF00zy6lTAFBgMrZXADQQD98ASwcQhm0OHnb1sSyaeAITFIqQ9G\
        J1tuXKRpPAMO1afnCFHtXFvvte+tpLgj8YuNybF1Um3rrt9AV/HouQAPUbw4k+59A/N/HQGyS6OsSuFmfqY=";

    fn store() -> Vec<u8> {
        STANDARD.decode(STORE).unwrap()
    }

    #[test]
    fn a_store_of_keytool_is_read() {
        let read = read(&store(), "changeit", "secret7").unwrap();
        let [trusted, own] = read.certificates.as_slice() else { panic!("two certificates") };
        assert_eq!(trusted, own);
        let Identity { chain, key } = read.identity.unwrap();
        assert_eq!(chain, std::slice::from_ref(own));
        let pair = Ed25519KeyPair::from_pkcs8_maybe_unchecked(key.secret_der()).unwrap();
        let public = pair.public_key().as_ref();
        assert!(own.windows(public.len()).any(|window| window == public));
    }

    #[test]
    fn a_wrong_password_is_said() {
        assert!(read(&store(), "wrong", "secret7").unwrap_err().contains("with this password"));
        let error = read(&store(), "changeit", "changeit").unwrap_err();
        assert!(error.contains("private key that this password does not open"));
    }

    #[test]
    fn whatever_the_bytes_are_nothing_panics() {
        let store = store();
        let body = &store[..store.len() - SHA1_OUTPUT_LEN];
        let signed = |body: &[u8]| {
            let digest = sha1(&[&utf16("changeit"), WHITENER, body]);
            read(&[body, &digest].concat(), "changeit", "secret7")
        };
        assert!(signed(body).is_ok());
        for cut in 0..body.len() {
            assert!(signed(&body[..cut]).is_err(), "cut at {cut}");
            assert!(read(&store[..cut], "changeit", "secret7").is_err());
            for byte in [0, 1, 0x7f, 0x84, 0xff] {
                let mut changed = body.to_vec();
                changed[cut] = byte;
                drop(signed(&changed));
            }
        }
    }
}
