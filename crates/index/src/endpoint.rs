//! Documents sent to the `_bulk` endpoint of Elasticsearch, OpenSearch or what speaks like them.

mod answer;
#[cfg(test)]
mod tests;

use std::{thread, time::Duration};

use ureq::{Agent, Body, http::Response};

use trommel_output::{BULK_MAPPING, OutputError, OutputRecord, bulk_id, bulk_lines};

use answer::{Answer, Fate};

/// Bytes of a request, about: more than one document only if they are less.
const REQUEST: usize = 10 << 20;
/// Times that a request or a document is sent before it is given up.
const TRIES: u32 = 8;
/// Pause before the second try; it doubles from try to try.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
/// Longest pause.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
/// Time for an answer.
const TIMEOUT: Duration = Duration::from_secs(120);
/// Refused documents that are kept to be named; all are counted.
const NAMED: usize = 20;

/// Why documents cannot be sent.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EndpointError {
    /// The server cannot be reached, however often it is tried.
    #[error("{url}: {source}")]
    Http {
        /// The endpoint.
        url: String,
        /// What went wrong.
        source: Box<ureq::Error>,
    },
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
        /// What is wrong with it.
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
    /// What the server says of it.
    pub reason: String,
}

/// What became of the documents sent.
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
    agent: Agent,
    url: String,
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
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(TIMEOUT))
            .user_agent(concat!("trommel/", env!("CARGO_PKG_VERSION")));
        let endpoint = Self {
            agent: config.build().into(),
            url: url.trim_end_matches('/').to_owned(),
            first_pause,
            items: Vec::new(),
            bytes: 0,
            sent: Sent::default(),
        };
        endpoint.make_index()?;
        Ok(endpoint)
    }

    fn make_index(&self) -> Result<(), EndpointError> {
        let (status, _) = self.tried(|| self.agent.head(&self.url).call())?;
        if status != 404 {
            // A server that answers nothing of use to HEAD may yet take documents.
            return Ok(());
        }
        let (status, body) = self.tried(|| {
            self.agent
                .put(&self.url)
                .content_type("application/json")
                .send(BULK_MAPPING)
        })?;
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
        self.items.push(Item {
            id: bulk_id(&record.id).into_owned(),
            lines,
        });
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
                    url: self.url.clone(),
                    message: format!("{} documents, {} fates", items.len(), fates.len()),
                });
            }
            let mut again = Vec::new();
            for (item, fate) in items.into_iter().zip(fates) {
                match fate {
                    Fate::Created => self.sent.created += 1,
                    Fate::Existing => self.sent.existing += 1,
                    Fate::Busy { .. } if tries < TRIES => again.push(item),
                    Fate::Busy { status, reason } | Fate::Refused { status, reason } => {
                        self.refuse(item.id, status, reason);
                    }
                }
            }
            items = again;
            if !items.is_empty() {
                thread::sleep(self.pause(tries, None));
            }
        }
        Ok(())
    }

    /// Sends one request; one that is too large for the server is sent in halves.
    fn request(&self, items: &[Item]) -> Result<Answer, EndpointError> {
        let body: Vec<u8> = items.iter().flat_map(|item| &item.lines).copied().collect();
        let url = format!("{}/_bulk", self.url);
        let (status, text) = self.tried(|| {
            self.agent
                .post(&url)
                .content_type("application/x-ndjson")
                .send(body.as_slice())
        })?;
        match status {
            200..300 => Answer::parse(&text).map_err(|error| EndpointError::Answer {
                url,
                message: error.to_string(),
            }),
            413 if items.len() > 1 => {
                let (first, second) = items.split_at(items.len() / 2);
                Ok(self.request(first)?.then(self.request(second)?))
            }
            413 => Ok(Answer::refused(413, "too large for the server")),
            _ => Err(self.refusal(status, &text)),
        }
    }

    /// Status and body of what `call` is answered, called again for as long as the server is busy or
    /// away.
    fn tried(
        &self,
        call: impl Fn() -> Result<Response<Body>, ureq::Error>,
    ) -> Result<(u16, String), EndpointError> {
        let http = |source| EndpointError::Http {
            url: self.url.clone(),
            source: Box::new(source),
        };
        let mut tries = 0;
        loop {
            tries += 1;
            let asked = match call() {
                Ok(mut response) => {
                    let status = response.status().as_u16();
                    let is_busy = matches!(status, 429 | 502 | 503 | 504);
                    if !is_busy || tries >= TRIES {
                        let body = response.body_mut().with_config().limit(1 << 30);
                        return Ok((status, body.read_to_string().map_err(http)?));
                    }
                    let after = response.headers().get("retry-after");
                    let seconds = after.and_then(|value| value.to_str().ok()?.parse().ok());
                    seconds.map(Duration::from_secs)
                }
                Err(error) if tries >= TRIES || !is_passing(&error) => return Err(http(error)),
                Err(_) => None,
            };
            thread::sleep(self.pause(tries, asked));
        }
    }

    fn pause(&self, tries: u32, asked: Option<Duration>) -> Duration {
        let doubled = self.first_pause.saturating_mul(1 << (tries - 1).min(16));
        doubled.max(asked.unwrap_or_default()).min(LONGEST_PAUSE)
    }

    fn refuse(&mut self, id: String, status: u16, reason: String) {
        self.sent.refused += 1;
        if self.sent.named.len() < NAMED {
            self.sent.named.push(Refused { id, status, reason });
        }
    }

    fn refusal(&self, status: u16, body: &str) -> EndpointError {
        EndpointError::Status {
            url: self.url.clone(),
            status,
            message: body.chars().take(300).collect(),
        }
    }
}

/// Whether the same call may go well later.
fn is_passing(error: &ureq::Error) -> bool {
    matches!(
        error,
        ureq::Error::Io(_)
            | ureq::Error::Timeout(_)
            | ureq::Error::ConnectionFailed
            | ureq::Error::Protocol(_)
    )
}
