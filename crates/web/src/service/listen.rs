//! Listens on TCP sockets, Unix sockets, and sockets handed over by systemd, and reads the TLS certificate and key.

use std::net::TcpListener;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::{fmt, fs, io, os::unix::fs::FileTypeExt as _, str::FromStr, sync::Arc};

use listenfd::ListenFd;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, pem};
use rustls::{ServerConfig, pki_types::pem::PemObject as _};

/// Mark on requests that came through a Unix socket, which browsers do not reach.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ByUnixSocket;

/// Address to listen on: TCP or a Unix socket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Listen {
    /// TCP address, `HOST:PORT`.
    Tcp(String),
    /// Path of a Unix socket, written as `unix:PATH`.
    Unix(PathBuf),
}

impl Listen {
    /// Returns the host of a TCP address as the user wrote it; `None` for a Unix socket.
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

/// Creates an error whose message begins with the name of its subject, such as an address or a file.
pub(crate) fn named(name: impl fmt::Display, error: impl fmt::Display) -> io::Error {
    io::Error::other(format!("{name}: {error}"))
}

/// Listening TCP or Unix socket.
#[derive(Debug)]
pub struct Socket {
    pub(crate) kind: Kind,
    /// File of a Unix socket, which is removed when the socket is dropped.
    file: Option<PathBuf>,
}

#[derive(Debug)]
pub(crate) enum Kind {
    Tcp(TcpListener),
    Unix(UnixListener),
}

impl Socket {
    /// Starts to listen on an address, and replaces a Unix socket that an ended program left behind.
    ///
    /// # Errors
    /// Fails if the address cannot be listened on.
    pub fn bind(listen: &Listen) -> io::Result<Self> {
        let bound = match listen {
            Listen::Tcp(host) => TcpListener::bind(host).map(|listener| Self { kind: Kind::Tcp(listener), file: None }),
            Listen::Unix(path) => remove_stale(path)
                .and_then(|()| UnixListener::bind(path))
                .map(|listener| Self { kind: Kind::Unix(listener), file: Some(path.clone()) }),
        };
        bound.map_err(|error| named(listen, error))
    }

    /// Returns the sockets that systemd or another supervisor passes (`LISTEN_FDS`); empty if no sockets are passed.
    ///
    /// # Errors
    /// Fails if one of the sockets is neither TCP nor Unix.
    pub fn activated() -> io::Result<Vec<Self>> {
        let mut handed = ListenFd::from_env();
        let mut sockets = Vec::new();
        for at in 0..handed.len() {
            let kind = match handed.take_tcp_listener(at) {
                Ok(listener) => listener.map(Kind::Tcp),
                Err(_) => handed
                    .take_unix_listener(at)
                    .map_err(|error| named(format_args!("socket {at} that was handed over"), error))?
                    .map(Kind::Unix),
            };
            sockets.extend(kind.map(|kind| Self { kind, file: None }));
        }
        Ok(sockets)
    }

    /// Returns whether the socket is a TCP socket.
    pub fn is_tcp(&self) -> bool {
        matches!(self.kind, Kind::Tcp(_))
    }

    /// Returns whether only programs on this machine can reach the socket.
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

fn remove_stale(path: &Path) -> io::Result<()> {
    let Ok(found) = fs::symlink_metadata(path) else { return Ok(()) };
    if !found.file_type().is_socket() {
        return Err(io::Error::other("there is a file that is no socket"));
    }
    if UnixStream::connect(path).is_ok() {
        return Err(io::Error::other("another program listens here"));
    }
    fs::remove_file(path)
}

/// Reads the certificates and the private key in PEM files, and returns the TLS configuration with them.
///
/// # Errors
/// Fails if the files cannot be read or used.
pub fn server_config(certificates: &Path, key: &Path) -> io::Result<Arc<ServerConfig>> {
    let chain: Result<Vec<CertificateDer>, pem::Error> =
        CertificateDer::pem_file_iter(certificates).and_then(Iterator::collect);
    let chain = chain.map_err(|error| named(certificates.display(), error))?;
    let key = PrivateKeyDer::from_pem_file(key).map_err(|error| named(key.display(), error))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let config = config.and_then(|config| config.with_no_client_auth().with_single_cert(chain, key));
    let mut config = config.map_err(|error| named("certificate and key cannot be used", error))?;
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
        let error = |listen: &Listen| Socket::bind(listen).unwrap_err().to_string();
        assert_eq!(error(&listen), format!("{listen}: another program listens here"));
        assert!(first.is_local() && first.to_string().ends_with("s.sock"));
        drop(first);
        assert!(!path.exists());
        // As a program that was killed leaves it.
        drop(UnixListener::bind(&path).unwrap());
        drop(Socket::bind(&listen).unwrap());
        fs::write(&path, "a file").unwrap();
        assert!(error(&listen).ends_with(": there is a file that is no socket"));
        assert_eq!(fs::read_to_string(&path).unwrap(), "a file");
    }
}
