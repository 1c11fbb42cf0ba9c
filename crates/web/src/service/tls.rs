//! Certificate and key of the service.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::ServerConfig;
use rustls::pki_types::pem::{self, PemObject as _};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// Reason why TLS cannot be had.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TlsError {
    /// A file cannot be read, or holds no such thing.
    #[error("{path}: {source}", path = path.display())]
    Pem {
        /// The file.
        path: PathBuf,
        /// The fault of the file.
        source: pem::Error,
    },
    /// Certificate and key cannot be used.
    #[error("certificate and key cannot be used: {0}")]
    Unusable(#[from] rustls::Error),
}

/// TLS with the certificates and the key in these PEM files.
///
/// # Errors
/// If they cannot be read or used.
pub fn server_config(certificates: &Path, key: &Path) -> Result<Arc<ServerConfig>, TlsError> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source| TlsError::Pem { path, source }
    };
    let chain: Vec<CertificateDer> =
        CertificateDer::pem_file_iter(certificates).and_then(Iterator::collect).map_err(failed(certificates))?;
    let key = PrivateKeyDer::from_pem_file(key).map_err(failed(key))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(chain, key)?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}
