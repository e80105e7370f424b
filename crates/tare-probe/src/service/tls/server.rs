//! A server of TLS 1.3 for tests. Its certificate and its signatures are nonsense, which a client that looks at neither takes.

use super::crypto;
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::{CertifiedKey, Signer, SigningKey};
use rustls::{Error, ServerConfig, ServerConnection, SignatureAlgorithm, SignatureScheme, Stream};
use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::thread;

/// Gives `answer` to each request, and says the port where.
pub fn serve(answer: &'static [u8]) -> u16 {
    let builder = ServerConfig::builder_with_provider(Arc::new(crypto::provider()));
    let builder = builder.with_protocol_versions(&[&rustls::version::TLS13]).unwrap();
    let config = builder.with_no_client_auth().with_cert_resolver(Arc::new(Nonsense));
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for socket in listener.incoming() {
            let (mut socket, config) = (socket.unwrap(), config.clone());
            thread::spawn(move || {
                let mut connection = ServerConnection::new(config).unwrap();
                let mut stream = Stream::new(&mut connection, &mut socket);
                let mut request = [0; 4096];
                while stream.read(&mut request).is_ok_and(|size| size > 0) {
                    if stream.write_all(answer).and_then(|()| stream.flush()).is_err() {
                        break;
                    }
                }
            });
        }
    });
    port
}

#[derive(Debug)]
struct Nonsense;

impl ResolvesServerCert for Nonsense {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        let certificate = vec![b"no certificate".to_vec().into()];
        Some(Arc::new(CertifiedKey::new(certificate, Arc::new(Nonsense))))
    }
}

impl SigningKey for Nonsense {
    fn choose_scheme(&self, offered: &[SignatureScheme]) -> Option<Box<dyn Signer>> {
        let wanted = &SignatureScheme::ECDSA_NISTP256_SHA256;
        offered.contains(wanted).then(|| Box::new(Nonsense) as Box<dyn Signer>)
    }

    fn algorithm(&self) -> SignatureAlgorithm {
        SignatureAlgorithm::ECDSA
    }
}

impl Signer for Nonsense {
    fn sign(&self, _: &[u8]) -> Result<Vec<u8>, Error> {
        Ok(b"no signature".to_vec())
    }

    fn scheme(&self) -> SignatureScheme {
        SignatureScheme::ECDSA_NISTP256_SHA256
    }
}
