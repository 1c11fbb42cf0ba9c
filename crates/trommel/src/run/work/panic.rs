//! Catches faults of the program itself during the work on a record.

use std::any::Any;

/// The message of a panic, in one line.
pub(crate) fn panic_message(panic: &(dyn Any + Send)) -> String {
    let message = panic
        // `panic!` with a plain text and with arguments give two types.
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message");
    format!("internal fault: {}", message.replace('\n', " "))
}
