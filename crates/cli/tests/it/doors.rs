//! Tests that every setting gives the same document for the same page in each interface.

use std::{fs, path::Path};

use serde_json::{Value, json};
use trommel::archive::write::gzip_member;
use trommel::{Extractor, Field, Hints, Kind, PageForm, Session, Settings, fields};

use crate::program::{trommel, workspace};
use crate::sample::record;

const URL: &str = "https://valley.example/news/1";

/// Names of test pages on which every setting of pages has an effect.
const PAGES: [&str; 3] = ["article", "short", "thread"];

fn page(name: &str) -> Vec<u8> {
    fs::read(workspace().join(format!("tests/doors/{name}.html"))).unwrap()
}

/// Returns values of a setting that differ from its default.
fn others(field: &Field) -> Vec<Value> {
    match &field.kind {
        Kind::Switch => vec![(!field.default.as_bool().unwrap()).into()],
        // The others are asked for in Markdown.
        Kind::OneOf(_) if field.name == "text" => vec!["plain".into()],
        Kind::OneOf(values) => {
            let others = values.iter().filter(|value| field.default != value.name);
            others.map(|value| value.name.clone().into()).collect()
        }
        Kind::ListOf(_) if field.name == "include" => vec![json!(["navigation", "footer"])],
        Kind::ListOf(_) => vec![json!(["body"])],
        Kind::Texts if field.name == "keep" => vec![json!(["nav"])],
        Kind::Texts if field.name == "drop" => vec![json!(["h1"])],
        _ if field.name == "chunks" => vec!["words=20".into()],
        _ if field.name == "model" => vec!["lite".into()],
        _ if field.name == "max_tokens" => vec![20.into()],
        kind => panic!("{}: no other value of {kind:?} is known", field.name),
    }
}

/// Formats the value of a setting as on a command line or in a query.
fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(list) => {
            let names = list.iter().map(|name| name.as_str().unwrap());
            names.collect::<Vec<_>>().join(",")
        }
        other => other.to_string(),
    }
}

/// Parses a document without the keys that describe its capture, to compare it.
fn document(line: &str) -> Value {
    let mut document: Value = serde_json::from_str(line).unwrap();
    for key in ["id", "date", "source", "status"] {
        document.as_object_mut().unwrap().remove(key).unwrap();
    }
    document
}

fn archive(page: &[u8]) -> Vec<u8> {
    let mut block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n".to_vec();
    block.extend_from_slice(page);
    gzip_member(&record("response", 1, URL, &[], &block), 6).unwrap()
}

/// Page to extract through every interface, with the folder and the service that the requests need.
struct PageRequest<'a> {
    folder: &'a Path,
    service: Option<&'a Service>,
    page: Vec<u8>,
}

impl PageRequest<'_> {
    /// Extracts the page through each interface. Returns the name of each interface with its document.
    fn through(&self, settings: &Value) -> Vec<(String, Value)> {
        let chosen = settings.as_object().unwrap().iter();
        let given = |is_option: fn(&Field) -> bool| -> Vec<String> {
            let has_option = |name: &str| fields().iter().any(|field| field.name == name && is_option(field));
            let given = chosen.clone().map(|(name, value)| match has_option(name) {
                true => format!("--{}={}", name.replace('_', "-"), text(value)),
                false => format!("--set={name}={}", text(value)),
            });
            given.collect()
        };
        // A run has options for the usual settings alone.
        let (options, set) = (given(|field| !field.is_rare()), given(Field::is_usual));
        let options: Vec<&str> = options.iter().map(String::as_str).collect();
        let set: Vec<&str> = set.iter().map(String::as_str).collect();
        let toml: Vec<String> = chosen.clone().map(|(name, value)| format!("{name} = {value}\n")).collect();
        let query: Vec<String> =
            chosen.map(|(name, value)| format!("{name}={}", text(value).replace(',', "%2C"))).collect();
        let query = query.join("&");
        fs::write(self.folder.join("c.toml"), toml.concat()).unwrap();
        fs::write(self.folder.join("page.html"), &self.page).unwrap();
        fs::write(self.folder.join("page.warc.gz"), archive(&self.page)).unwrap();
        let mut doors = Vec::new();
        let extract: &[&str] = &["extract", "page.html", "--url", URL, "-f", "json"];
        let run: &[&str] = &["run", "page.warc.gz", "-o", "-", "-f", "jsonl"];
        for (command, options) in [(extract, &options), (run, &set)] {
            for more in [&options[..], &["--config", "c.toml"]] {
                let arguments = [command, more].concat();
                doors.push((arguments.join(" "), document(trommel(self.folder, &arguments, b"").well())));
            }
        }
        let extractor = Extractor::new(&Settings::from_json(&settings.to_string()).unwrap()).unwrap();
        let hints = Hints { url: Some(URL), ..Hints::default() };
        let mut session = Session::new(&extractor, hints);
        for part in self.page.chunks(700) {
            session.feed(part);
        }
        for (door, made) in [("Extractor", extractor.document(&self.page, &hints)), ("Session", session.finish())] {
            doors.push((door.to_owned(), document(&PageForm::Json.print(made, Some(URL), None).unwrap())));
        }
        if let Some(service) = self.service {
            for (target, body) in [
                (format!("/extract?{query}&url={URL}"), self.page.clone()),
                (format!("/extract/batch?{query}"), archive(&self.page)),
            ] {
                let (status, answer) = service.post(&target, "", &body);
                let answer = String::from_utf8(answer).unwrap();
                assert_eq!(status, 200, "{target}: {answer}");
                doors.push((target, document(answer.trim_end())));
            }
        }
        doors
    }
}

#[test]
fn golden_a_setting_gives_the_same_through_every_door() {
    let folder = tempfile::tempdir().unwrap();
    let service = service();
    let mut lines = String::new();
    let asked = PAGES.map(|name| PageRequest { folder: folder.path(), service: service.as_ref(), page: page(name) });
    let usual = |asked: &PageRequest<'_>| asked.through(&json!({"text": "markdown"})).remove(0).1;
    let usual: Vec<Value> = asked.iter().map(usual).collect();
    // A tokenizer is a file of the machine, which requests must not name, and needs a feature.
    for field in fields().iter().filter(|field| field.is_of_pages() && field.name != "tokenizer") {
        for value in others(field) {
            let mut has_effect = false;
            for ((asked, usual), page) in asked.iter().zip(&usual).zip(PAGES) {
                // In Markdown, where everything shows; written as a map in the order of the names.
                let mut settings = json!({field.name.as_str(): value});
                if field.name != "text" {
                    settings["text"] = "markdown".into();
                }
                if field.name == "addresses" {
                    settings["links"] = true.into();
                }
                if value == "all" {
                    // Other models have all metadata anyway.
                    settings["model"] = "lite".into();
                }
                let made = asked.through(&settings);
                for (door, document) in &made {
                    assert_eq!(*document, made[0].1, "{} = {value}: {door}", field.name);
                }
                has_effect |= made[0].1 != *usual;
                let line = json!({
                    "page": page, "settings": settings, "document": made[0].1,
                });
                lines.push_str(&line.to_string());
                lines.push('\n');
            }
            assert!(has_effect, "{} = {value} has no effect", field.name);
        }
    }
    // The Python module is tested against these: crates/python/tests/test_doors.py.
    let found = [("doors.jsonl".to_owned(), lines)].into();
    crate::golden::compare(&workspace().join("tests/doors"), ".jsonl", &found);
}

#[cfg(feature = "serve")]
use crate::serve::Service;

/// Starts a service, through which pages are extracted as well.
#[cfg(feature = "serve")]
fn service() -> Option<Service> {
    Some(Service::begin(&[], &[]))
}

#[cfg(not(feature = "serve"))]
use none::Service;

#[cfg(not(feature = "serve"))]
fn service() -> Option<Service> {
    None
}

#[cfg(not(feature = "serve"))]
mod none {
    /// Stand-in for the service in a program that is built without it.
    pub enum Service {}

    impl Service {
        pub fn post(&self, _: &str, _: &str, _: &[u8]) -> (u16, Vec<u8>) {
            match *self {}
        }
    }
}
