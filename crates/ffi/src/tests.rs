//! Calls the functions as C does: with null pointers, invalid strings, and pages.
#![allow(unsafe_code)]

use std::ffi::{CStr, CString, c_char, c_int};
use std::ptr;

use crate::{
    TrommelForm, TrommelVerdict, trommel_extract, trommel_extractor_free, trommel_extractor_new,
    trommel_extractor_with_settings, trommel_session_feed, trommel_session_finish, trommel_session_free,
    trommel_session_known, trommel_session_new, trommel_session_stop_early, trommel_string_free, trommel_version,
};

/// Copies a string that the library returned, and frees it; `None` for null.
fn taken(text: *mut c_char) -> Option<String> {
    if text.is_null() {
        return None;
    }
    // SAFETY: the library gave it.
    let copy = unsafe { CStr::from_ptr(text) }.to_str().unwrap().to_owned();
    // SAFETY: as above, and nobody else has it.
    unsafe { trommel_string_free(text) };
    Some(copy)
}

const PAGE: &[u8] = b"<title>Mills</title><nav><a href=/x>Home</a></nav><article><h1>Mills</h1>\
    <p>The mill stands by the river, and its wheel has turned there for two hundred years.</p>";

#[test]
fn a_page_in_one_call_and_in_parts() {
    let url = CString::new("https://example.org/").unwrap();
    // SAFETY: pointers are those that the library gave, each freed once; strings end with 0.
    unsafe {
        let extractor = trommel_extractor_new(ptr::null());
        let whole = |form: TrommelForm| {
            let (page, length) = (PAGE.as_ptr(), PAGE.len());
            let null = ptr::null();
            taken(trommel_extract(extractor, page, length, url.as_ptr(), null, null, form as c_int)).unwrap()
        };
        let text = "The mill stands by the river, and its wheel has turned there for two hundred years.";
        assert_eq!(whole(TrommelForm::Text), text);
        assert!(whole(TrommelForm::Markdown).starts_with("# Mills\n"));
        assert!(whole(TrommelForm::Json).contains("\"title\":\"Mills\""));
        let null = ptr::null();
        let session = trommel_session_new(extractor, url.as_ptr(), null, null, 2);
        trommel_extractor_free(extractor);
        for part in PAGE.chunks(7) {
            let verdict = trommel_session_feed(session, part.as_ptr(), part.len());
            assert_eq!(verdict, TrommelVerdict::Continue);
        }
        let known = taken(trommel_session_known(session)).unwrap();
        assert!(known.starts_with("{\"canonical\":null,"), "{known}");
        let json = taken(trommel_session_finish(session)).unwrap();
        assert!(json.contains(text), "{json}");
    }
}

#[test]
fn null_is_no_fault() {
    let unknown = CString::new("no such model").unwrap();
    let broken = CString::new(b"\xFF".to_vec()).unwrap();
    let null = ptr::null();
    // SAFETY: null and strings that end with 0.
    unsafe {
        assert!(trommel_extractor_new(unknown.as_ptr()).is_null());
        assert!(trommel_extractor_new(broken.as_ptr()).is_null());
        assert!(trommel_session_new(ptr::null(), null, null, null, 0).is_null());
        let verdict = trommel_session_feed(ptr::null_mut(), ptr::null(), 5);
        assert_eq!(verdict, TrommelVerdict::Error);
        assert!(trommel_session_known(ptr::null_mut()).is_null());
        assert!(trommel_session_finish(ptr::null_mut()).is_null());
        trommel_session_stop_early(ptr::null_mut(), ptr::null());
        trommel_session_free(ptr::null_mut());
        trommel_extractor_free(ptr::null_mut());
        trommel_string_free(ptr::null_mut());
        let extractor = trommel_extractor_new(ptr::null());
        let session = trommel_session_new(extractor, broken.as_ptr(), null, null, 0);
        let verdict = trommel_session_feed(session, ptr::null(), 5);
        assert_eq!(verdict, TrommelVerdict::Continue);
        assert_eq!(taken(trommel_session_finish(session)).as_deref(), Some(""));
        trommel_extractor_free(extractor);
        let version = CStr::from_ptr(trommel_version()).to_str().unwrap();
        assert_eq!(version, env!("CARGO_PKG_VERSION"));
    }
}

#[test]
fn a_form_that_is_none_gives_nothing() {
    let null = ptr::null();
    // SAFETY: pointers are those that the library gave, each freed once.
    unsafe {
        let extractor = trommel_extractor_new(ptr::null());
        for form in [-1, 3, 256, c_int::MAX, c_int::MIN] {
            let (page, length) = (PAGE.as_ptr(), PAGE.len());
            let text = trommel_extract(extractor, page, length, null, null, null, form);
            assert!(text.is_null(), "{form}");
            let session = trommel_session_new(extractor, null, null, null, form);
            assert!(session.is_null(), "{form}");
        }
        trommel_extractor_free(extractor);
    }
}

#[test]
fn settings_are_those_of_every_door() {
    let null = ptr::null();
    let read = |json: &str| -> Result<String, String> {
        let json = CString::new(json).unwrap();
        let mut error = ptr::null_mut();
        // SAFETY: strings end with 0, and pointers are those that the library gave, each freed once.
        unsafe {
            let extractor = trommel_extractor_with_settings(json.as_ptr(), &raw mut error);
            if extractor.is_null() {
                return Err(taken(error).unwrap());
            }
            assert!(error.is_null());
            let (page, length, form) = (PAGE.as_ptr(), PAGE.len(), TrommelForm::Json as c_int);
            let made = taken(trommel_extract(extractor, page, length, null, null, null, form));
            trommel_extractor_free(extractor);
            Ok(made.unwrap())
        }
    };
    for (json, part) in [
        ("{}", "\"text\":\"The mill stands"),
        (r#"{"headline": "include"}"#, "\"text\":\"Mills\\n"),
        (r#"{"markdown": true, "model": "best"}"#, "\"text\":\"# Mills\\n"),
    ] {
        let made = read(json).unwrap();
        assert!(made.contains(part), "{made}");
    }
    for (json, told) in [
        ("[]", "settings: expected an object"),
        (r#"{"headlines": "include"}"#, "unknown key \"headlines\", did you mean \"headline\"?"),
        (r#"{"format": "wet"}"#, "format: is for whole runs, not for pages"),
    ] {
        assert_eq!(read(json).unwrap_err(), told);
    }
}

#[test]
fn a_setting_gives_the_same_through_every_door() {
    let folder = "../../tests/doors";
    let cases = std::fs::read_to_string(format!("{folder}/doors.jsonl")).unwrap();
    let url = CString::new("https://valley.example/news/1").unwrap();
    for case in cases.lines() {
        let case: serde_json::Value = serde_json::from_str(case).unwrap();
        let name = case["page"].as_str().unwrap();
        let page = std::fs::read(format!("{folder}/{name}.html")).unwrap();
        let settings = CString::new(case["settings"].to_string()).unwrap();
        // SAFETY: strings end with 0, and pointers are those that the library gave, each freed once.
        let made = unsafe {
            let extractor = trommel_extractor_with_settings(settings.as_ptr(), ptr::null_mut());
            let null = ptr::null();
            let (page, length, form) = (page.as_ptr(), page.len(), TrommelForm::Json as c_int);
            let made = taken(trommel_extract(extractor, page, length, url.as_ptr(), null, null, form));
            trommel_extractor_free(extractor);
            made.unwrap()
        };
        let mut made: serde_json::Value = serde_json::from_str(&made).unwrap();
        for key in ["id", "date", "source", "status"] {
            made.as_object_mut().unwrap().remove(key).unwrap();
        }
        assert_eq!(made, case["document"], "{}", case["settings"]);
    }
}
