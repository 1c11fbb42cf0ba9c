//! Reads the answer of a `_bulk` endpoint: the result for each document, in the order of the request.

use serde::Deserialize;
use serde_json::Value;

/// An answer.
#[derive(Debug, Deserialize)]
pub(super) struct Answer {
    items: Vec<Action>,
}

#[derive(Debug, Deserialize)]
struct Action {
    #[serde(alias = "index")]
    create: Status,
}

#[derive(Debug, Deserialize)]
struct Status {
    status: u16,
    #[serde(default)]
    error: Value,
}

/// The result for a document.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// It is new in the index.
    Created,
    /// There is one of the same id.
    Existing,
    /// The server had no room for it at the moment.
    Busy { status: u16, reason: String },
    /// The server will not take it.
    Refused { status: u16, reason: String },
}

impl Answer {
    pub(super) fn parse(text: &str) -> serde_json::Result<Self> {
        serde_json::from_str(text)
    }

    /// The answer that refuses one document.
    pub(super) fn refused(status: u16, reason: &str) -> Self {
        let error = Value::from(reason);
        let create = Status { status, error };
        Self { items: vec![Action { create }] }
    }

    /// The answer to both of two requests.
    pub(super) fn then(mut self, mut other: Self) -> Self {
        self.items.append(&mut other.items);
        self
    }

    pub(super) fn fates(self) -> Vec<Fate> {
        self.items
            .into_iter()
            .map(|item| {
                let Status { status, error } = item.create;
                let reason = match (error.get("type"), error.get("reason"), &error) {
                    (Some(Value::String(kind)), Some(Value::String(reason)), _) => {
                        format!("{kind}: {reason}")
                    }
                    (.., Value::String(reason)) => reason.clone(),
                    (.., other) => other.to_string(),
                };
                match status {
                    200..300 => Fate::Created,
                    409 => Fate::Existing,
                    429 | 502..505 => Fate::Busy { status, reason },
                    _ => Fate::Refused { status, reason },
                }
            })
            .collect()
    }
}
