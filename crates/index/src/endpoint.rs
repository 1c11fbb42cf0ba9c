//! Sends documents to the `_bulk` endpoint of Elasticsearch, OpenSearch or a compatible server.

mod answer;
#[cfg(test)]
mod tests;

use std::{thread, time::Duration};

use trommel_output::{BULK_MAPPING, OutputError, OutputRecord, bulk_id, bulk_lines};
use trommel_sources::{CallError, Http, HttpAnswer, redacted};
use trommel_text::without_controls;

use answer::{Answer, Fate};

/// Bytes of a request, about: more than one document only if they are less.
const REQUEST: usize = 10 << 20;
/// Times that a request or a document is sent before it is given up.
const MAX_TRIES: u32 = 8;
/// Pause before the second try; it doubles from try to try.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
/// Longest pause.
const MAX_PAUSE: Duration = Duration::from_secs(60);
/// Time for an answer.
const TIMEOUT: Duration = Duration::from_secs(120);
/// Longest answer that is read: a `_bulk` answer has some hundred bytes a document.
const MAX_ANSWER_BYTES: usize = 64 << 20;
/// Refused documents that are kept to be named; all are counted.
const MAX_NAMED: usize = 20;

/// Why documents cannot be sent.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EndpointError {
    /// The server cannot be reached, however often it is tried.
    #[error("{url}: {source}")]
    Http {
        /// The endpoint.
        url: String,
        /// The error of the call.
        source: CallError,
    },
    /// The system gives no thread for the network.
    #[error("network: {0}")]
    Network(#[from] std::io::Error),
    /// The server refuses the request as a whole.
    #[error("{url}: status {status}: {message}")]
    Status {
        /// The endpoint.
        url: String,
        /// HTTP status code.
        status: u16,
        /// The start of what it says.
        message: String,
    },
    /// The answer is none of a `_bulk` endpoint.
    #[error("{url}: not the answer of a _bulk endpoint: {message}")]
    Answer {
        /// The endpoint.
        url: String,
        /// The fault.
        message: String,
    },
    /// A document cannot be written.
    #[error(transparent)]
    Output(#[from] OutputError),
}

/// A document that the server refused for good.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// Its id.
    pub id: String,
    /// Status code of the document.
    pub status: u16,
    /// The reason that the server states.
    pub reason: String,
}

/// The results for the documents sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sent {
    /// Documents that are new in the index.
    pub created: u64,
    /// Documents that were in it already, with the same id.
    pub existing: u64,
    /// Documents refused.
    pub refused: u64,
    /// The first of them.
    pub named: Vec<Refused>,
}

/// A document that is to be sent.
struct Item {
    id: String,
    /// Action and document, two lines.
    lines: Vec<u8>,
}

/// Sends documents to an index. They are sent by `create` under their ids, so sending them again, after
/// a failure or on purpose, changes nothing.
pub struct Endpoint {
    http: Http,
    url: String,
    /// The URL as it is shown, without its password.
    name: String,
    first_pause: Duration,
    items: Vec<Item>,
    bytes: usize,
    sent: Sent,
}

impl Endpoint {
    /// An endpoint for the index at `url` (`http://HOST:9200/INDEX`, with `USER:PASSWORD@` before the
    /// host if it needs them). If there is no such index, it is made, with [`BULK_MAPPING`].
    ///
    /// # Errors
    /// If the server cannot be reached or refuses.
    pub fn connect(url: &str) -> Result<Self, EndpointError> {
        Self::with_pause(url, FIRST_PAUSE)
    }

    fn with_pause(url: &str, first_pause: Duration) -> Result<Self, EndpointError> {
        let user_agent = concat!("trommel/", env!("CARGO_PKG_VERSION"));
        let endpoint = Self {
            http: Http::new(TIMEOUT, MAX_ANSWER_BYTES, user_agent)?,
            url: url.trim_end_matches('/').to_owned(),
            name: redacted(url.trim_end_matches('/')),
            first_pause,
            items: Vec::new(),
            bytes: 0,
            sent: Sent::default(),
        };
        endpoint.make_index()?;
        Ok(endpoint)
    }

    fn make_index(&self) -> Result<(), EndpointError> {
        let (status, _) = self.tried("HEAD", &self.url, None)?;
        if status != 404 {
            // A server that answers nothing of use to HEAD may yet take documents.
            return Ok(());
        }
        let mapping = Some(("application/json", BULK_MAPPING.as_bytes()));
        let (status, body) = self.tried("PUT", &self.url, mapping)?;
        // Somebody else may have made it in the meantime.
        if (200..300).contains(&status) || body.contains("resource_already_exists") {
            Ok(())
        } else {
            Err(self.refusal(status, &body))
        }
    }

    /// Takes a document, and sends it with others when there are enough for a request. One without
    /// text is left out: false.
    ///
    /// # Errors
    /// If documents cannot be sent. All that was taken since the last success may be missing.
    pub fn add(&mut self, record: &OutputRecord) -> Result<bool, EndpointError> {
        if record.text.is_empty() {
            return Ok(false);
        }
        let mut lines = Vec::with_capacity(record.text.len() + 1024);
        bulk_lines(record, &mut lines)?;
        if !self.items.is_empty() && self.bytes + lines.len() > REQUEST {
            self.send()?;
        }
        self.bytes += lines.len();
        self.items.push(Item { id: bulk_id(&record.id).into_owned(), lines });
        Ok(true)
    }

    /// Sends what is left and tells what became of all documents.
    ///
    /// # Errors
    /// If documents cannot be sent.
    pub fn finish(mut self) -> Result<Sent, EndpointError> {
        self.send()?;
        Ok(self.sent)
    }

    /// Sends the documents taken, those again that the server has no room for at the moment.
    fn send(&mut self) -> Result<(), EndpointError> {
        let mut items = std::mem::take(&mut self.items);
        self.bytes = 0;
        let mut tries = 0;
        while !items.is_empty() {
            tries += 1;
            let fates = self.request(&items)?.fates();
            if fates.len() != items.len() {
                return Err(EndpointError::Answer {
                    url: self.name.clone(),
                    message: format!("{} documents, {} fates", items.len(), fates.len()),
                });
            }
            let mut again = Vec::new();
            for (item, fate) in items.into_iter().zip(fates) {
                match fate {
                    Fate::Created => self.sent.created += 1,
                    Fate::Existing => self.sent.existing += 1,
                    Fate::Busy { .. } if tries < MAX_TRIES => again.push(item),
                    Fate::Busy { status, reason } | Fate::Refused { status, reason } => {
                        self.refuse(item.id, status, reason);
                    }
                }
            }
            items = again;
            if !items.is_empty() {
                tracing::warn!(
                    "{}: no room for {} of the documents; sending them again (try {})",
                    self.name,
                    items.len(),
                    tries + 1
                );
                thread::sleep(self.pause(tries, None));
            }
        }
        Ok(())
    }

    /// Sends one request; one that is too large for the server is sent in halves.
    fn request(&self, items: &[Item]) -> Result<Answer, EndpointError> {
        let body: Vec<u8> = items.iter().flat_map(|item| &item.lines).copied().collect();
        let url = format!("{}/_bulk", self.url);
        let (status, text) = self.tried("POST", &url, Some(("application/x-ndjson", &body)))?;
        match status {
            200..300 => Answer::parse(&text)
                .map_err(|error| EndpointError::Answer { url: self.name.clone(), message: error.to_string() }),
            413 if items.len() > 1 => {
                let (first, second) = items.split_at(items.len() / 2);
                Ok(self.request(first)?.then(self.request(second)?))
            }
            413 => Ok(Answer::refused(413, "too large for the server")),
            _ => Err(self.refusal(status, &text)),
        }
    }

    /// Status and body of the answer to a request, sent again for as long as the server is busy or away.
    fn tried(&self, method: &str, url: &str, body: Option<(&str, &[u8])>) -> Result<(u16, String), EndpointError> {
        let mut tries = 0;
        loop {
            tries += 1;
            let body = body.map(|(content_type, bytes)| (content_type, bytes.to_vec()));
            let (asked, reason) = match self.http.call(method, url, body) {
                Ok(HttpAnswer { status, retry_after, body }) => {
                    let is_busy = matches!(status, 429 | 502 | 503 | 504);
                    if !is_busy || tries >= MAX_TRIES {
                        return Ok((status, body));
                    }
                    (retry_after, format!("status {status}"))
                }
                Err(CallError::Passing(what)) if tries < MAX_TRIES => (None, what),
                Err(source) => {
                    return Err(EndpointError::Http { url: self.name.clone(), source });
                }
            };
            let pause = self.pause(tries, asked);
            let reason = without_controls(&reason);
            tracing::warn!("{}: {reason}; asking again in {:.1} s (try {})", self.name, pause.as_secs_f64(), tries + 1);
            thread::sleep(pause);
        }
    }

    fn pause(&self, tries: u32, asked: Option<Duration>) -> Duration {
        let doubled = self.first_pause.saturating_mul(1 << (tries - 1).min(16));
        doubled.max(asked.unwrap_or_default()).min(MAX_PAUSE)
    }

    fn refuse(&mut self, id: String, status: u16, reason: String) {
        self.sent.refused += 1;
        if self.sent.named.len() < MAX_NAMED {
            let reason = without_controls(&reason).into_owned();
            self.sent.named.push(Refused { id, status, reason });
        }
    }

    fn refusal(&self, status: u16, body: &str) -> EndpointError {
        EndpointError::Status {
            url: self.name.clone(),
            status,
            message: without_controls(body).chars().take(300).collect(),
        }
    }
}
