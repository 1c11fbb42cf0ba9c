//! Shows the progress of a run on standard error, and passes it on to `--metrics` and `--profile`.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use trommel::run::{Progress, ProgressState};

/// Time between two log lines about progress, if standard error is not a terminal.
const PAUSE: Duration = Duration::from_secs(5);

/// True if a progress bar may be shown.
static BAR_ALLOWED: AtomicBool = AtomicBool::new(false);

/// Sets whether a progress bar may be shown, which requires a terminal that can redraw a line.
pub fn show(shown: bool) {
    BAR_ALLOWED.store(shown, Ordering::Relaxed);
}

/// Progress bar on the screen, if one is shown. Log lines must be written above it.
static BAR: Mutex<Option<ProgressBar>> = Mutex::new(None);

fn with_bar<T>(act: impl FnOnce(&mut Option<ProgressBar>) -> T) -> T {
    act(&mut BAR.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Reporter of the progress of a run: a bar on a terminal, otherwise a log line every five seconds.
pub struct Reporter {
    bar: Option<ProgressBar>,
    /// Time of the first update, and the number of bytes read by then.
    first: Option<(Instant, u64)>,
    last: Instant,
}

impl Reporter {
    /// Creates a reporter of progress, with a bar if one may be shown.
    pub fn new() -> Self {
        let bar = BAR_ALLOWED.load(Ordering::Relaxed).then(|| {
            let bar = ProgressBar::no_length();
            let template = "{elapsed} {bar:24} {bytes}/{total_bytes} ({bytes_per_sec}, {eta}) {msg}";
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style);
            }
            bar
        });
        with_bar(|shown| shown.clone_from(&bar));
        Self { bar, first: None, last: Instant::now() }
    }
}

impl Drop for Reporter {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
            with_bar(|shown| *shown = None);
        }
    }
}

impl Progress for Reporter {
    fn update(&mut self, state: &ProgressState) {
        let counts = counts(state);
        if let Some(bar) = &self.bar {
            if let Some(total) = state.total {
                bar.set_length(total);
            }
            bar.set_position(state.bytes);
            bar.set_message(counts);
        } else {
            let (begun, before) = *self.first.get_or_insert((Instant::now(), state.bytes));
            if self.last.elapsed() >= PAUSE {
                self.last = Instant::now();
                tracing::info!("{}, {counts}", speed(state, begun.elapsed(), before));
            }
        }
    }
}

/// Describes the number of archives in progress, and of pages, documents, drops and failures so far.
fn counts(state: &ProgressState) -> String {
    let ProgressState { archives, pages, documents, dropped, failures, .. } = state;
    let plural = if *archives == 1 { "" } else { "s" };
    format!(
        "{archives} archive{plural} in work, {pages} pages, {documents} documents, {dropped} dropped, {failures} failed"
    )
}

/// Describes the bytes read, the speed and the time left. The speed is the mean over `time`, in which the bytes after
/// the first `before` were read.
fn speed(state: &ProgressState, time: Duration, before: u64) -> String {
    let rate = state.bytes.saturating_sub(before) as f64 / time.as_secs_f64().max(1e-3);
    let Some(total) = state.total else { return format!("{} bytes, {:.1} MB/s", state.bytes, rate / 1e6) };
    let left = total.saturating_sub(state.bytes) as f64 / rate.max(1.0);
    format!("{} of {total} bytes, {:.1} MB/s, {left:.0} s left", state.bytes, rate / 1e6)
}

/// Calls `write`, which writes to standard error, so that its lines appear above the progress bar if there is one.
pub fn above_bar(write: impl FnOnce()) {
    match with_bar(|shown| shown.clone()) {
        Some(bar) => bar.suspend(write),
        None => write(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_say_how_fast_and_how_long() {
        let state = ProgressState {
            bytes: 30_000_000,
            total: Some(50_000_000),
            archives: 4,
            pages: 8,
            documents: 5,
            dropped: 2,
            failures: 1,
            ..ProgressState::default()
        };
        let time = Duration::from_secs(2);
        assert_eq!(speed(&state, time, 10_000_000), "30000000 of 50000000 bytes, 10.0 MB/s, 2 s left");
        assert_eq!(speed(&ProgressState { total: None, ..state }, time, 0), "30000000 bytes, 15.0 MB/s");
        assert_eq!(counts(&state), "4 archives in work, 8 pages, 5 documents, 2 dropped, 1 failed");
        assert!(counts(&ProgressState { archives: 1, ..state }).starts_with("1 archive in work"));
    }
}
