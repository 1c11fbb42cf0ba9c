//! Listens on TCP, Unix sockets, and sockets handed over by systemd, with the certificate and key of the service.

use std::net::{SocketAddr, TcpListener, ToSocketAddrs as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::{fmt, fs, io, os::unix::fs::FileTypeExt as _, str::FromStr, sync::Arc};

use listenfd::ListenFd;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, pem};
use rustls::{ServerConfig, pki_types::pem::PemObject as _};

/// An address to listen on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Listen {
    /// `HOST:PORT`.
    Tcp(String),
    /// `unix:PATH`.
    Unix(PathBuf),
}

impl Listen {
    /// The host of a TCP address, as it was named.
    pub fn host(&self) -> Option<&str> {
        match self {
            Self::Tcp(address) => address.rsplit_once(':').map(|(host, _)| host),
            Self::Unix(_) => None,
        }
    }
}

impl FromStr for Listen {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.strip_prefix("unix:") {
            Some("") => Err("unix: without a path".to_owned()),
            Some(path) => Ok(Self::Unix(path.into())),
            None => match text.rsplit_once(':') {
                Some((host, port)) if !host.is_empty() && port.parse::<u16>().is_ok() => Ok(Self::Tcp(text.to_owned())),
                _ => Err("expected HOST:PORT or unix:PATH".to_owned()),
            },
        }
    }
}

/// Reason why the service cannot listen on an address.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ListenError {
    /// The system refused.
    #[error("{address}: {source}")]
    Bind {
        /// The address.
        address: String,
        /// The error of the system.
        source: io::Error,
    },
    /// Another program answers there.
    #[error("{address}: another program listens here")]
    Taken {
        /// The address.
        address: String,
    },
    /// There is a file that is not a socket.
    #[error("{address}: there is a file that is no socket")]
    File {
        /// The address.
        address: String,
    },
}

/// A listening socket.
#[derive(Debug)]
pub struct Socket {
    pub(crate) kind: Kind,
    /// The file to remove in the end.
    file: Option<PathBuf>,
}

#[derive(Debug)]
pub(crate) enum Kind {
    Tcp(TcpListener),
    Unix(UnixListener),
}

impl Socket {
    /// Begins to listen. A Unix socket that a dead program left is replaced.
    ///
    /// # Errors
    /// If the address cannot be listened at.
    pub fn bind(listen: &Listen) -> Result<Self, ListenError> {
        let address = listen.to_string();
        let failed = |source| ListenError::Bind { address: address.clone(), source };
        let (kind, file) = match listen {
            Listen::Tcp(host) => {
                let all: Vec<SocketAddr> = host.to_socket_addrs().map_err(failed)?.collect();
                (Kind::Tcp(TcpListener::bind(&*all).map_err(failed)?), None)
            }
            Listen::Unix(path) => {
                remove_stale(path, &address)?;
                let listener = UnixListener::bind(path).map_err(failed)?;
                (Kind::Unix(listener), Some(path.clone()))
            }
        };
        Ok(Self { kind, file })
    }

    /// The sockets that systemd or another supervisor passes (`LISTEN_FDS`); none if it passes none.
    ///
    /// # Errors
    /// If one of them is neither TCP nor Unix.
    pub fn activated() -> Result<Vec<Self>, ListenError> {
        let mut handed = ListenFd::from_env();
        let mut sockets = Vec::new();
        for at in 0..handed.len() {
            let failed = |source| ListenError::Bind { address: format!("socket {at} that was handed over"), source };
            let kind = match handed.take_tcp_listener(at) {
                Ok(Some(listener)) => Kind::Tcp(listener),
                _ => match handed.take_unix_listener(at).map_err(failed)? {
                    Some(listener) => Kind::Unix(listener),
                    None => continue,
                },
            };
            sockets.push(Self { kind, file: None });
        }
        Ok(sockets)
    }

    /// Returns whether it is a TCP socket.
    pub fn is_tcp(&self) -> bool {
        matches!(self.kind, Kind::Tcp(_))
    }

    /// Returns whether only programs on this machine can reach it.
    pub fn is_local(&self) -> bool {
        match &self.kind {
            Kind::Unix(_) => true,
            Kind::Tcp(listener) => listener.local_addr().is_ok_and(|address| address.ip().is_loopback()),
        }
    }
}

impl fmt::Display for Listen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(host) => f.write_str(host),
            Self::Unix(path) => write!(f, "unix:{}", path.display()),
        }
    }
}

impl fmt::Display for Socket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Kind::Tcp(listener) => match listener.local_addr() {
                Ok(address) => write!(f, "{address}"),
                Err(_) => f.write_str("a TCP socket"),
            },
            Kind::Unix(listener) => {
                let address = listener.local_addr().ok();
                match address.as_ref().and_then(|address| address.as_pathname()) {
                    Some(path) => write!(f, "unix:{}", path.display()),
                    None => f.write_str("a Unix socket"),
                }
            }
        }
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        if let Some(file) = &self.file {
            let _ = fs::remove_file(file);
        }
    }
}

fn remove_stale(path: &Path, address: &str) -> Result<(), ListenError> {
    let address = address.to_owned();
    let Ok(found) = fs::symlink_metadata(path) else { return Ok(()) };
    if !found.file_type().is_socket() {
        return Err(ListenError::File { address });
    }
    if UnixStream::connect(path).is_ok() {
        return Err(ListenError::Taken { address });
    }
    fs::remove_file(path).map_err(|source| ListenError::Bind { address, source })
}

/// Reason why TLS cannot be used.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read() {
        let unix = Listen::Unix("/run/trommel.sock".into());
        assert_eq!("unix:/run/trommel.sock".parse(), Ok(unix));
        for tcp in ["127.0.0.1:8642", "[::1]:0", "localhost:80"] {
            assert_eq!(tcp.parse(), Ok(Listen::Tcp(tcp.to_owned())));
        }
        for bad in ["", "8642", ":8642", "localhost", "localhost:x", "a:99999", "unix:"] {
            assert!(bad.parse::<Listen>().is_err(), "{bad}");
        }
    }

    #[test]
    fn sockets_replace_dead_ones_only() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.sock");
        let listen = Listen::Unix(path.clone());
        let first = Socket::bind(&listen).unwrap();
        assert!(matches!(Socket::bind(&listen), Err(ListenError::Taken { .. })));
        assert!(first.is_local() && first.to_string().ends_with("s.sock"));
        drop(first);
        assert!(!path.exists());
        // As a program that was killed leaves it.
        drop(UnixListener::bind(&path).unwrap());
        drop(Socket::bind(&listen).unwrap());
        fs::write(&path, "a file").unwrap();
        assert!(matches!(Socket::bind(&listen), Err(ListenError::File { .. })));
        assert_eq!(fs::read_to_string(&path).unwrap(), "a file");
    }
}
