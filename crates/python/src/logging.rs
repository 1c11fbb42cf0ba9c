//! Sends log lines to Python's `logging`, to the logger `trommel_text`.

use std::{fmt::Write as _, sync::Once};

use pyo3::prelude::*;
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Metadata, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::{Context, SubscriberExt};

/// Sends log lines to `logging` from now on.
pub(crate) fn connect() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // Whoever embeds this module and listens already goes on listening.
        let _ = tracing::subscriber::set_global_default(tracing_subscriber::registry().with(ToPython));
    });
}

struct ToPython;

impl<S: Subscriber> Layer<S> for ToPython {
    fn enabled(&self, metadata: &Metadata<'_>, _: Context<'_, S>) -> bool {
        *metadata.level() <= Level::INFO && metadata.target().starts_with("trommel")
    }

    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut line = Line::default();
        event.record(&mut line);
        // Numbers of the levels of `logging`.
        let level = match *event.metadata().level() {
            Level::ERROR => 40,
            Level::WARN => 30,
            _ => 20,
        };
        // A logger that fails must not end a run; nothing can be said anywhere else.
        let _ = Python::attach(|py| -> PyResult<()> {
            let logger = py.import("logging")?.call_method1("getLogger", ("trommel_text",))?;
            logger.call_method1("log", (level, "%s", line.0))?;
            Ok(())
        });
    }
}

/// The message, followed by the other fields.
#[derive(Default)]
struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        let _ = match field.name() {
            "message" => write!(self.0, "{value:?}"),
            name => write!(self.0, " {name}={value:?}"),
        };
    }
}
