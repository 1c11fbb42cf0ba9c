//! Counts and logs requests and pages, and answers `GET /metrics` for a run.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use std::{io, sync::Arc, thread, thread::JoinHandle};

use axum::extract::{Request, State};
use axum::response::{IntoResponse as _, Response};
use axum::{Router, body::Body, middleware::Next, routing::get};
use http::HeaderValue;
use percent_encoding::percent_decode_str;
use trommel::metrics::{CONTENT_TYPE, Metrics};

use crate::service::shared_state::{App, REQUEST_ID};
use crate::service::{Listen, ServiceLimits, Socket, answer, memory, serve_router};
use crate::{
    service::access::OPEN_PATHS, service::access::admitted, service::answer::Refusal, service::body::LingeringBody,
};

/// Handles every request: checks its access, gives it an id, measures its time and logs it.
pub(crate) async fn around(State(app): State<Arc<App>>, mut request: Request, next: Next) -> Response {
    let begin = Instant::now();
    let id = app.id_of(request.headers());
    request.headers_mut().insert(REQUEST_ID, id.clone());
    let (head, body) = request.into_parts();
    let body = LingeringBody::new(body, &head.headers, &app.settings.limits);
    let request = Request::from_parts(head, Body::new(body));
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let is_open = OPEN_PATHS.contains(&path.as_str());
    // A request that waits for its body holds what it chooses and names; what is open to everyone is little.
    let weight = if is_open { 0 } else { memory::of_head(request.uri(), request.headers()) };
    let held = admitted(&app, &request, is_open).and_then(|()| app.admission.bodies.share(weight));
    let mut response = match &held {
        Err(refusal) => refusal.clone().into_response(),
        Ok(_) if !is_utf8(request.uri().query()) => Refusal::bad("the query is not UTF-8").into_response(),
        Ok(_) => next.run(request).await,
    };
    let headers = response.headers_mut();
    headers.insert(REQUEST_ID, id.clone());
    headers.insert("x-content-type-options", HeaderValue::from_static("nosniff"));
    let time = begin.elapsed();
    let status = response.status().as_u16();
    app.metrics.request(status);
    app.metrics.stage("request", time);
    let id = id.to_str().unwrap_or_default();
    let milliseconds = time.as_secs_f64() * 1000.0;
    // Health and metrics are asked for all the time.
    if is_open || path == "/metrics" {
        tracing::debug!(request_id = id, %method, path, status, milliseconds, "request");
    } else {
        tracing::info!(request_id = id, %method, path, status, milliseconds, "request");
    }
    response
}

fn is_utf8(query: Option<&str>) -> bool {
    query.is_none_or(|query| percent_decode_str(query).decode_utf8().is_ok())
}

/// Maximum number of simultaneous connections to the metrics listener; Prometheus asks only every few seconds.
const CONNECTIONS: usize = 16;
/// Maximum time for a request of metrics, and for finishing current requests when the run ends.
const TIMEOUT: Duration = Duration::from_secs(2);

/// Listener that answers `GET /metrics` on a separate thread until it is dropped.
#[derive(Debug)]
pub struct MetricsListener {
    /// Metrics that the listener sends.
    pub metrics: Arc<Metrics>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl MetricsListener {
    /// Starts to listen on an address.
    ///
    /// # Errors
    /// Fails if the address cannot be listened on.
    pub fn bind(address: &Listen) -> io::Result<Self> {
        let metrics = Arc::new(Metrics::new());
        let answered = metrics.clone();
        let socket = Socket::bind(address)?;
        let stop = Arc::new(AtomicBool::new(false));
        let flag = stop.clone();
        let scrape = move || async move { answer::body(CONTENT_TYPE, answered.to_string()) };
        let router = Router::new().route("/metrics", get(scrape));
        let jobs = std::num::NonZeroUsize::MIN;
        let (timeout, grace, connections) = (TIMEOUT, TIMEOUT, CONNECTIONS);
        let limits = ServiceLimits { jobs, timeout, grace, connections, ..ServiceLimits::default() };
        let thread = thread::Builder::new().name("metrics".to_owned()).spawn(move || {
            if let Err(error) = serve_router(router, &limits, vec![socket], &flag) {
                tracing::warn!("--metrics: {error}");
            }
        })?;
        Ok(Self { metrics, stop, thread: Some(thread) })
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read as _, Write as _};
    use std::net::{SocketAddr, TcpListener, TcpStream};

    #[test]
    fn queries_are_utf_8() {
        assert!(is_utf8(None) && is_utf8(Some("url=%C3%A9&x=é")));
        assert!(!is_utf8(Some("url=%ff")));
    }

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
        assert!(MetricsListener::bind(&listen).is_err(), "the address is taken");
        drop(free);
        let listener = MetricsListener::bind(&listen).unwrap();
        listener.metrics.record();
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
