//! Reads the texts of another extractor: a JSON object on each line.

use std::collections::HashMap;
use std::io::BufRead as _;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use trommel_output::{Replacement, open_plain};

use super::MergeError;

/// A line as it is written. Other keys are passed over.
#[derive(Deserialize)]
struct TextLine {
    id: String,
    text: Option<String>,
    markdown: Option<String>,
    title: Option<String>,
    by: Option<String>,
}

/// A text and its place.
struct Given {
    text: Replacement,
    /// File and line, for messages.
    place: String,
    /// Number of the line over all files.
    number: usize,
    is_used: bool,
}

/// Texts by the ids of their documents.
#[derive(Default)]
pub(super) struct Texts(HashMap<String, Given>);

impl Texts {
    /// Reads files of texts. A line that is none, or has an id that came before, is left out and listed in `faults`. A text
    /// without `by` is by its file, without the endings of its name.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub(super) fn read(paths: &[PathBuf], is_markdown: bool, faults: &mut Vec<String>) -> Result<Self, MergeError> {
        let mut texts = Self::default();
        for path in paths {
            texts.read_file(path, is_markdown, faults).map_err(MergeError::of(path))?;
        }
        Ok(texts)
    }

    fn read_file(&mut self, path: &Path, is_markdown: bool, faults: &mut Vec<String>) -> std::io::Result<()> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let usual = name.split('.').next().unwrap_or_default();
        let mut file = open_plain(path)?;
        let mut bytes = Vec::new();
        for line in 1u64.. {
            bytes.clear();
            if file.read_until(b'\n', &mut bytes)? == 0 {
                break;
            }
            if bytes.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            let place = format!("{}:{line}", path.display());
            let given: TextLine = match serde_json::from_slice(&bytes) {
                Ok(given) => given,
                Err(error) => {
                    faults.push(format!("{place}: {}", without_line(&error)));
                    continue;
                }
            };
            let text = if is_markdown { given.markdown.or(given.text) } else { given.text };
            let Some(text) = text else {
                faults.push(format!("{place}: {} has no text", given.id));
                continue;
            };
            if let Some(before) = self.0.get(&given.id) {
                faults.push(format!("{place}: {} is in {} already", given.id, before.place));
                continue;
            }
            let by = given.by.filter(|by| !by.is_empty()).unwrap_or_else(|| usual.to_owned());
            let text = Replacement { text, title: given.title, by };
            let number = self.0.len();
            self.0.insert(given.id, Given { text, place, number, is_used: false });
        }
        Ok(())
    }

    /// Whether a document takes a text.
    pub(super) fn has(&self, id: &str) -> bool {
        self.0.contains_key(id)
    }

    /// The text of a document.
    // Copied, as the same capture may be in several archives: each of its documents takes the text.
    pub(super) fn take(&mut self, id: &str) -> Option<Replacement> {
        let given = self.0.get_mut(id)?;
        given.is_used = true;
        Some(given.text.clone())
    }

    /// A line about each text that no document took, in their order.
    pub(super) fn unused(self) -> Vec<String> {
        let mut unused: Vec<(String, Given)> = self.0.into_iter().filter(|(_, given)| !given.is_used).collect();
        unused.sort_by_key(|(_, given)| given.number);
        unused.into_iter().map(|(id, given)| format!("{}: no document has the id {id}", given.place)).collect()
    }
}

/// What an error of the JSON reader says, without its line: it is always 1.
fn without_line(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let end = text.rfind(" at line ").unwrap_or(text.len());
    format!("{}, character {}", text.get(..end).unwrap_or_default(), error.column())
}
