//! The cryptography of a client that verifies no certificates: one cipher suite and one group, which every server of TLS 1.3 has to have
//! (RFC 8446, section 9.1), by crates that are Rust alone and use no register beyond those of SSE.

use aes_gcm::aead::{AeadInPlace, KeyInit};
use aes_gcm::{Aes128Gcm, Tag as Mark};
use hmac::{Hmac as HmacOf, Mac};
use p256::elliptic_curve::sec1::ToEncodedPoint;
use p256::{PublicKey, SecretKey};
use rustls::crypto::cipher::{
    AeadKey, InboundOpaqueMessage, InboundPlainMessage, Iv, MessageDecrypter, MessageEncrypter,
    Nonce, OutboundOpaqueMessage, OutboundPlainMessage, PrefixedPayload, Tls13AeadAlgorithm,
    UnsupportedOperationError, make_tls13_aad,
};
use rustls::crypto::hash::{Context, Hash, HashAlgorithm, Output};
use rustls::crypto::hmac::{Hmac, Key, Tag};
use rustls::crypto::tls13::HkdfUsingHmac;
use rustls::crypto::{
    ActiveKeyExchange, CipherSuiteCommon, CryptoProvider, GetRandomFailed, KeyProvider,
    SecureRandom, SharedSecret, SupportedKxGroup, WebPkiSupportedAlgorithms,
};
use rustls::ffdhe_groups::FfdheGroup;
use rustls::pki_types::PrivateKeyDer;
use rustls::sign::SigningKey;
use rustls::{
    CipherSuite, ConnectionTrafficSecrets, ContentType, Error, NamedGroup, PeerMisbehaved,
    ProtocolVersion, SupportedCipherSuite, Tls13CipherSuite,
};
use sha2::digest::Output as Digested;
use sha2::{Digest, Sha256};
use std::sync::Arc;

/// Bytes of the key and of the mark of AES-128-GCM, and of a hash.
const KEY: usize = 16;
const MARK: usize = 16;
const HASH: usize = 32;

/// Messages under one key (RFC 8446, section 5.5): 2^24.5 at most.
const MESSAGES: u64 = 1 << 24;

static SUITE: Tls13CipherSuite = Tls13CipherSuite {
    common: CipherSuiteCommon {
        suite: CipherSuite::TLS13_AES_128_GCM_SHA256,
        hash_provider: &Sha,
        confidentiality_limit: MESSAGES,
    },
    hkdf_provider: &HkdfUsingHmac(&Sha),
    aead_alg: &Gcm,
    quic: None,
};

/// All of it, for rustls.
pub fn provider() -> CryptoProvider {
    CryptoProvider {
        cipher_suites: vec![SupportedCipherSuite::Tls13(&SUITE)],
        kx_groups: vec![&P256],
        signature_verification_algorithms: WebPkiSupportedAlgorithms { all: &[], mapping: &[] },
        secure_random: &Kernel,
        key_provider: &Keyless,
    }
}

/// The kernel's random numbers.
#[derive(Debug)]
struct Kernel;

impl SecureRandom for Kernel {
    fn fill(&self, mut room: &mut [u8]) -> Result<(), GetRandomFailed> {
        while !room.is_empty() {
            // SAFETY: the room has as many bytes as are said.
            let got = unsafe { libc::getrandom(room.as_mut_ptr().cast(), room.len(), 0) };
            match usize::try_from(got) {
                Ok(got) => room = &mut room[got..],
                Err(_) if interrupted() => {}
                Err(_) => return Err(GetRandomFailed),
            }
        }
        Ok(())
    }
}

fn interrupted() -> bool {
    std::io::Error::last_os_error().kind() == std::io::ErrorKind::Interrupted
}

/// A client without keys of its own.
#[derive(Debug)]
struct Keyless;

impl KeyProvider for Keyless {
    fn load_private_key(&self, _: PrivateKeyDer<'static>) -> Result<Arc<dyn SigningKey>, Error> {
        Err(Error::General("a client without keys".into()))
    }
}

/// SHA-256, alone and in HMAC.
struct Sha;

impl Hash for Sha {
    fn start(&self) -> Box<dyn Context> {
        Box::new(Hashing(Sha256::new()))
    }

    fn hash(&self, data: &[u8]) -> Output {
        output(Sha256::digest(data))
    }

    fn output_len(&self) -> usize {
        HASH
    }

    fn algorithm(&self) -> HashAlgorithm {
        HashAlgorithm::SHA256
    }
}

struct Hashing(Sha256);

impl Context for Hashing {
    fn fork_finish(&self) -> Output {
        output(self.0.clone().finalize())
    }

    fn fork(&self) -> Box<dyn Context> {
        Box::new(Hashing(self.0.clone()))
    }

    fn finish(self: Box<Self>) -> Output {
        output(self.0.finalize())
    }

    fn update(&mut self, data: &[u8]) {
        self.0.update(data);
    }
}

fn output(hash: Digested<Sha256>) -> Output {
    Output::new(&hash)
}

impl Hmac for Sha {
    fn with_key(&self, key: &[u8]) -> Box<dyn Key> {
        Box::new(Keyed(Mac::new_from_slice(key).expect("HMAC has keys of any length")))
    }

    fn hash_output_len(&self) -> usize {
        HASH
    }
}

struct Keyed(HmacOf<Sha256>);

impl Key for Keyed {
    fn sign_concat(&self, first: &[u8], middle: &[&[u8]], last: &[u8]) -> Tag {
        let mut mac = self.0.clone();
        for part in [first].iter().chain(middle).chain([&last]) {
            mac.update(part);
        }
        Tag::new(&mac.finalize().into_bytes())
    }

    fn tag_len(&self) -> usize {
        HASH
    }
}

/// Diffie-Hellman on the curve secp256r1.
#[derive(Debug)]
struct P256;

impl SupportedKxGroup for P256 {
    fn start(&self) -> Result<Box<dyn ActiveKeyExchange>, Error> {
        loop {
            let mut bytes = [0; 32];
            Kernel.fill(&mut bytes)?;
            // One in 2^32 numbers is none of the group's.
            if let Ok(secret) = SecretKey::from_slice(&bytes) {
                let public = secret.public_key().to_encoded_point(false).as_bytes().to_vec();
                return Ok(Box::new(Exchange { secret, public }));
            }
        }
    }

    fn ffdhe_group(&self) -> Option<FfdheGroup<'static>> {
        None
    }

    fn name(&self) -> NamedGroup {
        NamedGroup::secp256r1
    }
}

struct Exchange {
    secret: SecretKey,
    public: Vec<u8>,
}

impl ActiveKeyExchange for Exchange {
    fn complete(self: Box<Self>, theirs: &[u8]) -> Result<SharedSecret, Error> {
        let theirs = PublicKey::from_sec1_bytes(theirs);
        let theirs = theirs.map_err(|_| Error::from(PeerMisbehaved::InvalidKeyShare))?;
        let shared =
            p256::ecdh::diffie_hellman(self.secret.to_nonzero_scalar(), theirs.as_affine());
        Ok(SharedSecret::from(&shared.raw_secret_bytes()[..]))
    }

    fn ffdhe_group(&self) -> Option<FfdheGroup<'static>> {
        None
    }

    fn pub_key(&self) -> &[u8] {
        &self.public
    }

    fn group(&self) -> NamedGroup {
        NamedGroup::secp256r1
    }
}

/// AES-128-GCM.
struct Gcm;

impl Tls13AeadAlgorithm for Gcm {
    fn encrypter(&self, key: AeadKey, iv: Iv) -> Box<dyn MessageEncrypter> {
        Box::new(Cipher::new(&key, iv))
    }

    fn decrypter(&self, key: AeadKey, iv: Iv) -> Box<dyn MessageDecrypter> {
        Box::new(Cipher::new(&key, iv))
    }

    fn key_len(&self) -> usize {
        KEY
    }

    fn extract_keys(
        &self,
        key: AeadKey,
        iv: Iv,
    ) -> Result<ConnectionTrafficSecrets, UnsupportedOperationError> {
        Ok(ConnectionTrafficSecrets::Aes128Gcm { key, iv })
    }
}

/// One direction of a connection.
struct Cipher {
    cipher: Aes128Gcm,
    iv: Iv,
}

impl Cipher {
    fn new(key: &AeadKey, iv: Iv) -> Cipher {
        let cipher = Aes128Gcm::new_from_slice(key.as_ref()).expect("a key of its length");
        Cipher { cipher, iv }
    }

    fn nonce(&self, number: u64) -> [u8; 12] {
        Nonce::new(&self.iv, number).0
    }
}

impl MessageEncrypter for Cipher {
    fn encrypt(
        &mut self,
        message: OutboundPlainMessage<'_>,
        number: u64,
    ) -> Result<OutboundOpaqueMessage, Error> {
        let length = self.encrypted_payload_len(message.payload.len());
        let mut payload = PrefixedPayload::with_capacity(length);
        payload.extend_from_chunks(&message.payload);
        payload.extend_from_slice(&[u8::from(message.typ)]);
        let (nonce, about) = (self.nonce(number), make_tls13_aad(length));
        let mark = self.cipher.encrypt_in_place_detached(&nonce.into(), &about, payload.as_mut());
        payload.extend_from_slice(&mark.map_err(|_| Error::EncryptError)?);
        let (kind, version) = (ContentType::ApplicationData, ProtocolVersion::TLSv1_2);
        Ok(OutboundOpaqueMessage::new(kind, version, payload))
    }

    fn encrypted_payload_len(&self, length: usize) -> usize {
        length + 1 + MARK
    }
}

impl MessageDecrypter for Cipher {
    fn decrypt<'a>(
        &mut self,
        mut message: InboundOpaqueMessage<'a>,
        number: u64,
    ) -> Result<InboundPlainMessage<'a>, Error> {
        let whole = message.payload.len();
        let length = whole.checked_sub(MARK).ok_or(Error::DecryptError)?;
        let (nonce, about) = (self.nonce(number), make_tls13_aad(whole));
        let (text, mark) = message.payload.split_at_mut(length);
        let (nonce, mark) = (nonce.into(), Mark::from_slice(mark));
        let opened = self.cipher.decrypt_in_place_detached(&nonce, &about, text, mark);
        opened.map_err(|_| Error::DecryptError)?;
        message.payload.truncate(length);
        message.into_tls13_unpadded_message()
    }
}
