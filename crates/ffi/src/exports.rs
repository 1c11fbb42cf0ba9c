//! Functions of the C interface. This is the only module of the library with pointers.
//!
//! The contract of the header makes each `unsafe` block sound. A pointer is null or comes from the library
//! and has not been freed. A string ends with 0. `length` bytes are readable at `bytes`. No two calls use one
//! session at the same time. Every function checks for null, and no panic leaves the library.
#![allow(unsafe_code)]

use std::ffi::{CStr, CString, c_char, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::{ptr, slice};

use trommel::Hints;

use crate::session::{TrommelExtractor, TrommelForm, TrommelSession, TrommelVerdict};

/// Returns the string at a pointer; `None` if the pointer is null or the string is not UTF-8.
///
/// # Safety
/// `pointer` is null or a string that ends with 0 and does not change during `'a`.
unsafe fn text<'a>(pointer: *const c_char) -> Option<&'a str> {
    if pointer.is_null() {
        return None;
    }
    // SAFETY: not null, and a string by the contract of this function.
    unsafe { CStr::from_ptr(pointer) }.to_str().ok()
}

/// Returns the bytes at a pointer; an empty slice if the pointer is null.
///
/// # Safety
/// `pointer` is null, or `length` bytes can be read there that do not change during `'a`.
unsafe fn bytes<'a>(pointer: *const u8, length: usize) -> &'a [u8] {
    if pointer.is_null() || length == 0 || length > isize::MAX as usize {
        return &[];
    }
    // SAFETY: not null, and so many bytes by the contract of this function.
    unsafe { slice::from_raw_parts(pointer, length) }
}

/// Returns hints about a page from C strings; null pointers are missing hints.
///
/// # Safety
/// Each pointer meets the contract of [`text`].
unsafe fn hints<'a>(url: *const c_char, charset: *const c_char, date: *const c_char) -> Hints<'a> {
    // SAFETY: by the contract of this function.
    unsafe { Hints { url: text(url), http_charset: text(charset), crawl_charset: None, date: text(date) } }
}

/// Allocates a C string for the caller; null for `None`. The text is cut at its first 0 byte, where a C string ends.
fn owned_c_text(text: Option<String>) -> *mut c_char {
    let text = text.map(|text| match text.find('\0') {
        Some(end) => text.get(..end).unwrap_or_default().to_owned(),
        None => text,
    });
    let text = text.and_then(|text| CString::new(text).ok());
    text.map_or(ptr::null_mut(), CString::into_raw)
}

/// Calls `work` and returns its result, or `otherwise` if `work` panics.
fn guarded<T>(otherwise: T, work: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or(otherwise)
}

/// The version of the library. Do not free it.
#[unsafe(no_mangle)]
pub extern "C" fn trommel_version() -> *const c_char {
    const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    VERSION.as_ptr().cast()
}

/// Returns an extractor with a built-in model: "fast" (also for null) or "lite". Null if there is no such model.
///
/// # Safety
/// `model` is null or a string that ends with 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trommel_extractor_new(model: *const c_char) -> *mut TrommelExtractor {
    guarded(ptr::null_mut(), || {
        // SAFETY: by the contract of this function.
        let name = unsafe { text(model) };
        if name.is_none() && !model.is_null() {
            return ptr::null_mut();
        }
        let extractor = TrommelExtractor::new(name).map(Box::new);
        extractor.map_or(ptr::null_mut(), Box::into_raw)
    })
}

/// Returns an extractor with settings, a JSON object with their names:
/// {"model": "lite", "comments": "include", "blocks": true}. Null if this is no JSON object, or if a setting is
/// unknown or invalid. Then *error, unless error is null, is the reason in one line: free it with
/// trommel_string_free.
///
/// # Safety
/// `settings` is null or a string that ends with 0; `error` is null or a place for a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trommel_extractor_with_settings(
    settings: *const c_char,
    error: *mut *mut c_char,
) -> *mut TrommelExtractor {
    guarded(ptr::null_mut(), || {
        // SAFETY: by the contract of this function.
        let (settings, error) = unsafe { (text(settings), error.as_mut()) };
        let made = match settings {
            Some(settings) => TrommelExtractor::with_settings(settings),
            None => Err("settings: expected an object in JSON".to_owned()),
        };
        let (made, message) = match made {
            Ok(made) => (Box::into_raw(Box::new(made)), None),
            Err(message) => (ptr::null_mut(), Some(message)),
        };
        if let Some(error) = error {
            *error = owned_c_text(message);
        }
        made
    })
}

/// Frees an extractor. Its sessions stay valid.
///
/// # Safety
/// `extractor` is null or one that has not been freed and is not in use.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trommel_extractor_free(extractor: *mut TrommelExtractor) {
    if !extractor.is_null() {
        // SAFETY: it came from `Box::into_raw` and is not used again, by the contract of this function.
        guarded((), || drop(unsafe { Box::from_raw(extractor) }));
    }
}

/// Returns the main text of one whole page: free it with trommel_string_free. The URL, the charset of the HTTP
/// header and the date of the capture may be null. `form` is one of enum TrommelForm. Null if `form` is invalid,
/// or after an internal error.
///
/// # Safety
/// `extractor` is one that has not been freed; `length` bytes can be read at `page`; the strings end with 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trommel_extract(
    extractor: *const TrommelExtractor,
    page: *const u8,
    length: usize,
    url: *const c_char,
    charset: *const c_char,
    date: *const c_char,
    form: c_int,
) -> *mut c_char {
    guarded(ptr::null_mut(), || {
        // SAFETY: null or an extractor, and strings and bytes, by the contract of this function.
        let (extractor, page, hints) = unsafe { (extractor.as_ref(), bytes(page, length), hints(url, charset, date)) };
        let form = TrommelForm::of(form);
        owned_c_text(extractor.zip(form).and_then(|(extractor, form)| extractor.extract(page, &hints, form)))
    })
}

/// Begins a page that arrives in parts. End it with trommel_session_finish or trommel_session_free. The URL, the
/// charset of the HTTP header and the date of the capture may be null. `form` is one of enum TrommelForm. Null if
/// `form` is invalid.
///
/// # Safety
/// `extractor` is null or one that has not been freed; the strings are null or end with 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trommel_session_new(
    extractor: *const TrommelExtractor,
    url: *const c_char,
    charset: *const c_char,
    date: *const c_char,
    form: c_int,
) -> *mut TrommelSession {
    guarded(ptr::null_mut(), || {
        // SAFETY: null or an extractor, and strings, by the contract of this function.
        let (extractor, hints) = unsafe { (extractor.as_ref(), hints(url, charset, date)) };
        let form = TrommelForm::of(form);
        let session = extractor.zip(form);
        let session = session.map(|(extractor, form)| Box::new(extractor.session(&hints, form)));
        session.map_or(ptr::null_mut(), Box::into_raw)
    })
}

/// Makes a session report unwanted pages early: other data than HTML, noindex, other languages than these
/// (separated by commas; null for all), pages without content, and block pages.
///
/// # Safety
/// `session` is null or one that has not ended; `languages` is null or a string that ends with 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trommel_session_stop_early(session: *mut TrommelSession, languages: *const c_char) {
    guarded((), || {
        // SAFETY: null or a session that nobody else uses, and a string, by the contract of this function.
        let (session, languages) = unsafe { (session.as_mut(), text(languages)) };
        if let Some(session) = session {
            session.stop_early(languages.unwrap_or_default());
        }
    });
}

/// Takes the next bytes of the page, cut anywhere.
///
/// # Safety
/// `session` is null or one that has not ended; `length` bytes can be read at `part`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trommel_session_feed(
    session: *mut TrommelSession,
    part: *const u8,
    length: usize,
) -> TrommelVerdict {
    guarded(TrommelVerdict::Error, || {
        // SAFETY: null or a session that nobody else uses, and bytes, by the contract of this function.
        let (session, part) = unsafe { (session.as_mut(), bytes(part, length)) };
        session.map_or(TrommelVerdict::Error, |session| session.feed(part))
    })
}

/// Returns the facts about the page so far, as JSON: canonical, robots, next_page, and links with url, block,
/// probability, kept and role. Free it with trommel_string_free.
///
/// # Safety
/// `session` is null or one that has not ended.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trommel_session_known(session: *mut TrommelSession) -> *mut c_char {
    guarded(ptr::null_mut(), || {
        // SAFETY: null or a session, by the contract of this function.
        owned_c_text(unsafe { session.as_mut() }.map(TrommelSession::known))
    })
}

/// Ends and frees a session, and returns its page: free it with trommel_string_free. Null after an internal
/// error.
///
/// # Safety
/// `session` is null or one that has not ended.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trommel_session_finish(session: *mut TrommelSession) -> *mut c_char {
    if session.is_null() {
        return ptr::null_mut();
    }
    guarded(ptr::null_mut(), || {
        // SAFETY: it came from `Box::into_raw` and is not used again, by the contract of this function.
        owned_c_text(unsafe { Box::from_raw(session) }.finish())
    })
}

/// Ends and frees a session without its page.
///
/// # Safety
/// `session` is null or one that has not ended.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trommel_session_free(session: *mut TrommelSession) {
    if !session.is_null() {
        // SAFETY: it came from `Box::into_raw` and is not used again, by the contract of this function.
        guarded((), || drop(unsafe { Box::from_raw(session) }));
    }
}

/// Frees a string that the library returned.
///
/// # Safety
/// `text` is null or such a string, which has not been freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trommel_string_free(text: *mut c_char) {
    if !text.is_null() {
        // SAFETY: it came from `CString::into_raw`, by the contract of this function.
        drop(unsafe { CString::from_raw(text) });
    }
}
