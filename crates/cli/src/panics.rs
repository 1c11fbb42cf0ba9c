//! Reports panics in one line.

use std::thread;

/// A panic on one record is caught, counted and logged in one line with the record's place, so the
/// usual message, which can't know the place, would only repeat it.
pub fn quiet_workers() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        let is_caught = thread::current()
            .name()
            .is_some_and(|name| name == "reader" || name.starts_with("worker-"));
        if is_caught {
            tracing::debug!("{info}");
        } else {
            usual(info);
        }
    }));
}
