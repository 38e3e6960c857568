//! The password for a server without TLS, under its RSA public key.

use rustls::pki_types::SubjectPublicKeyInfoDer;
use rustls::pki_types::pem::PemObject;

/// Bytes of a key that padding takes: OAEP with SHA-1.
const PADDING: usize = 42;
/// Smaller keys are not used by any server, larger ones only to keep us busy.
const MODULUS: std::ops::RangeInclusive<usize> = 128..=2048;
const SEQUENCE: u8 = 0x30;
const INTEGER: u8 = 2;
const BIT_STRING: u8 = 3;

/// The password, its end marked by a zero, mixed with the nonce and encrypted; `None` for a malformed key.
pub(super) fn encrypt_password(password: &[u8], nonce: &[u8], key: &[u8]) -> Option<Vec<u8>> {
    // The encryption that follows trusts its key, which came from outside.
    let modulus_length = modulus_length(key)?;
    if nonce.is_empty() || password.len() > modulus_length.checked_sub(PADDING)? {
        return None;
    }
    let mixed: Vec<u8> = password.iter().zip(nonce.iter().cycle()).map(|(a, b)| a ^ b).collect();
    Some(mysql_common::crypto::encrypt(&mixed, key))
}

/// Checks that this is the PEM of a usable RSA key: a sequence of the algorithm and of a bit string that
/// holds the sequence of modulus and exponent.
fn modulus_length(pem: &[u8]) -> Option<usize> {
    let der = SubjectPublicKeyInfoDer::from_pem_slice(pem).ok()?;
    let (info, []) = element(SEQUENCE, &der)? else { return None };
    let (_algorithm, rest) = element(SEQUENCE, info)?;
    let (bits, []) = element(BIT_STRING, rest)? else { return None };
    let (key, []) = element(SEQUENCE, bits.strip_prefix(&[0])?)? else { return None };
    let (modulus, rest) = element(INTEGER, key)?;
    let (exponent, []) = element(INTEGER, rest)? else { return None };
    let modulus = modulus.strip_prefix(&[0]).unwrap_or(modulus);
    // With the highest bit set the modulus has as many octets as bytes.
    let usable = MODULUS.contains(&modulus.len()) && modulus.first()? & 0x80 != 0;
    (usable && (1..=8).contains(&exponent.len())).then_some(modulus.len())
}

/// An element of DER of this kind, and what follows it.
fn element(kind: u8, der: &[u8]) -> Option<(&[u8], &[u8])> {
    let (&[found, first], rest) = der.split_first_chunk()?;
    let (length, rest) = match first {
        0..=0x7f => (usize::from(first), rest),
        0x81 => rest.split_first().map(|(&length, rest)| (usize::from(length), rest))?,
        0x82 => {
            let (length, rest) = rest.split_first_chunk()?;
            (usize::from(u16::from_be_bytes(*length)), rest)
        }
        _ => return None,
    };
    if found == kind { rest.split_at_checked(length) } else { None }
}

#[cfg(test)]
mod tests {
    use base64::Engine;
    use proptest::prelude::*;

    use super::*;

    fn pem(der: &[u8]) -> Vec<u8> {
        let text = base64::engine::general_purpose::STANDARD.encode(der);
        format!("-----BEGIN PUBLIC KEY-----\n{text}\n-----END PUBLIC KEY-----\n").into_bytes()
    }

    fn tlv(kind: u8, content: &[u8]) -> Vec<u8> {
        let length = u16::try_from(content.len()).unwrap().to_be_bytes();
        [&[kind, 0x82], &length[..], content].concat()
    }

    fn key(modulus: &[u8]) -> Vec<u8> {
        let numbers = [tlv(INTEGER, modulus), tlv(INTEGER, &[1, 0, 1])].concat();
        let bits = [vec![0], tlv(SEQUENCE, &numbers)].concat();
        tlv(SEQUENCE, &[tlv(SEQUENCE, &[]), tlv(BIT_STRING, &bits)].concat())
    }

    #[test]
    fn a_password_is_encrypted_under_a_sound_key_only() {
        let sound = pem(&key(&[&[0], &[0xc3; 256][..]].concat()));
        assert_eq!(encrypt_password(b"secret\0", &[7; 20], &sound).unwrap().len(), 256);
        assert_eq!(encrypt_password(&[1; 300], &[7; 20], &sound), None);
        assert_eq!(encrypt_password(b"secret\0", &[], &sound), None);
        for unsound in [pem(&key(&[0; 256])), pem(&key(&[0xc3; 12])), pem(b"x"), b"no PEM".to_vec()]
        {
            assert_eq!(encrypt_password(b"secret\0", &[7; 20], &unsound), None);
        }
    }

    proptest! {
        #[test]
        fn any_key_returns(der in prop::collection::vec(any::<u8>(), 0..60), cut in 0_usize..300) {
            let _returned = encrypt_password(b"secret\0", &[7; 20], &pem(&der));
            let sound = key(&[0xc3; 256]);
            let _returned = encrypt_password(b"secret\0", &[7; 20], &pem(&sound[..cut.min(sound.len())]));
        }
    }
}
