//! Reports a panic in one line.

use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::exit::Exit;
use crate::messages;

/// Runs the program. A panic of its main thread is told only if nobody caught it: a library that fails on a
/// damaged file, and is caught, is told as an error of that file.
pub fn run(program: impl FnOnce() -> Exit) -> Exit {
    static LAST: Mutex<Option<String>> = Mutex::new(None);
    let last = || LAST.lock().unwrap_or_else(PoisonError::into_inner);
    let usual = take_hook();
    // In a process of Python the main thread has no name.
    let main = thread::current().id();
    set_hook(Box::new(move |info| {
        let is_main = thread::current().id() == main;
        // Who asks for a backtrace wants it where it is.
        if is_main && std::env::var_os("RUST_BACKTRACE").is_none() {
            *last() = Some(info.to_string());
        } else {
            usual(info);
        }
    }));
    catch_unwind(AssertUnwindSafe(program)).unwrap_or_else(|_| {
        let what = last().take().unwrap_or_default();
        messages::fail(&format_args!("internal fault: {}", what.replace('\n', " ")));
        Exit::Panicked
    })
}

/// A panic on one record is caught, counted and logged in one line with the record's place, so the
/// usual message, which can't know the place, would only repeat it.
pub fn quiet_workers() {
    let usual = take_hook();
    set_hook(Box::new(move |info| {
        let is_caught = thread::current().name().is_some_and(|name| name == "reader" || name.starts_with("worker-"));
        if is_caught {
            tracing::debug!("{info}");
        } else {
            usual(info);
        }
    }));
}
