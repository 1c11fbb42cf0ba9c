//! Answers `GET /metrics` for a run, with the HTTP code of the service.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use axum::{Router, routing::get};
use trommel::metrics::{CONTENT_TYPE, Metrics};

use crate::service::{Listen, ListenError, ServiceLimits, Socket, answer, serve_router};

/// Connections at a time: Prometheus asks every few seconds.
const CONNECTIONS: usize = 16;
/// Time that a request may take, and that the run waits for one in flight when it ends.
const TIMEOUT: Duration = Duration::from_secs(2);

/// Answers `GET /metrics` on a thread of its own until it is dropped.
#[derive(Debug)]
pub struct MetricsListener {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl MetricsListener {
    /// Begins to listen at an address.
    ///
    /// # Errors
    /// If the address cannot be listened at.
    pub fn bind(address: &Listen, metrics: Arc<Metrics>) -> Result<Self, ListenError> {
        let failed = |source: io::Error| ListenError::Bind { address: address.to_string(), source };
        let socket = Socket::bind(address)?;
        let stop = Arc::new(AtomicBool::new(false));
        let flag = stop.clone();
        let thread = thread::Builder::new()
            .name("metrics".to_owned())
            .spawn(move || {
                if let Err(error) = serve_router(router(metrics), &limits(), vec![socket], &flag) {
                    tracing::warn!("--metrics: {error}");
                }
            })
            .map_err(failed)?;
        Ok(Self { stop, thread: Some(thread) })
    }
}

impl Drop for MetricsListener {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn router(metrics: Arc<Metrics>) -> Router {
    let scrape = move || async move { answer::body(CONTENT_TYPE, metrics.to_string()) };
    Router::new().route("/metrics", get(scrape))
}

fn limits() -> ServiceLimits {
    ServiceLimits {
        jobs: std::num::NonZeroUsize::MIN,
        timeout: TIMEOUT,
        grace: TIMEOUT,
        connections: CONNECTIONS,
        ..ServiceLimits::default()
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::{SocketAddr, TcpListener, TcpStream};

    use super::*;

    fn ask(address: SocketAddr, method: &str, path: &str) -> String {
        let mut stream = TcpStream::connect(address).unwrap();
        let request = format!("{method} {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    #[test]
    fn metrics_are_answered_and_nothing_else() {
        let free = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = free.local_addr().unwrap();
        let listen = Listen::Tcp(address.to_string());
        let metrics = Arc::new(Metrics::new());
        assert!(MetricsListener::bind(&listen, metrics.clone()).is_err(), "the address is taken");
        drop(free);
        let listener = MetricsListener::bind(&listen, metrics.clone()).unwrap();
        metrics.record();
        let answer = ask(address, "GET", "/metrics");
        assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
        assert!(answer.contains(CONTENT_TYPE), "{answer}");
        assert!(answer.contains("\ntrommel_records_total 1\n"), "{answer}");
        let head = ask(address, "HEAD", "/metrics");
        assert!(head.ends_with("\r\n\r\n") && !head.contains("trommel_records"), "{head}");
        for (method, path, status) in
            [("GET", "/", "404"), ("GET", "/metrics/../x", "404"), ("POST", "/metrics", "405")]
        {
            let answer = ask(address, method, path);
            assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{answer}");
        }
        drop(listener);
        assert!(TcpStream::connect(address).is_err(), "still listening");
    }
}
