//! Reads and writes the gold file, which holds the labels of pages.
//!
//! Other programs and people may also write it. So it is read again before every change, and locked during
//! the change.

use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use flate2::{Compression, GzBuilder};
use http::StatusCode;
use serde::{Deserialize, Deserializer, Serialize, de::Error as _};
use serde_json::{Map, Value, json};
use trommel::{Role, learn::numbered_lines, record::AtomicFile};

use crate::label::page_list::{LabelBlock, LabelPage};

/// Part of a gold object (the labelled text of one page) that the text of a block goes into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    /// Main text, stored under the key `gold`.
    Gold,
    /// Readers' comments, stored under the key `gold_comments`.
    Comments,
    /// No part: the text is left out of the gold object.
    Dropped,
}

/// Roles that a person may give to a block, those of main text first, each with the part of the gold object that the
/// text goes into. `docs/labelling.md` defines the roles.
pub const LABEL_ROLES: [(Role, Part); 14] = [
    (Role::Body, Part::Gold),
    (Role::Headline, Part::Gold),
    (Role::Ingredient, Part::Gold),
    (Role::Step, Part::Gold),
    (Role::Caption, Part::Gold),
    (Role::QuestionAnswer, Part::Gold),
    (Role::Card, Part::Gold),
    (Role::Specification, Part::Gold),
    (Role::Comment, Part::Comments),
    (Role::Review, Part::Comments),
    (Role::Byline, Part::Dropped),
    (Role::Notice, Part::Dropped),
    (Role::Navigation, Part::Dropped),
    (Role::Other, Part::Dropped),
];

/// Returns the part of the gold object that text of a role goes into; `None` if a person may not choose the role.
pub(crate) fn part_of(role: Role) -> Option<Part> {
    LABEL_ROLES.iter().find(|(known, _)| *known == role).map(|(_, part)| *part)
}

/// Deserializes the roles that a person chose, and rejects roles that a person may not choose.
fn chosen<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Role>, D::Error> {
    let roles: Vec<Role> = Vec::deserialize(deserializer)?;
    match roles.iter().find(|role| part_of(**role).is_none()) {
        None => Ok(roles),
        Some(other) => Err(D::Error::custom(format_args!("{} is not for people to choose", other.name()))),
    }
}

/// Error that a gold file cannot be used or labels cannot be saved: the HTTP status of the answer, and the message.
#[derive(Debug, thiserror::Error)]
#[error("{1}")]
pub struct GoldError(pub(crate) StatusCode, String);

/// Labels that a person gave to a page.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PageLabels {
    /// Role of each block of the page, one of [`LABEL_ROLES`](crate::label::LABEL_ROLES).
    #[serde(deserialize_with = "chosen")]
    pub roles: Vec<Role>,
    /// Type of the page, such as `product` or `listing`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page_type: Option<String>,
    /// Language code of the page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lang: Option<String>,
    /// Note about doubts, by the person who labelled the page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// Gold file: one JSON object for each labelled page, in the order in which the pages were labelled. Objects and keys
/// that other programs wrote stay unchanged.
#[derive(Clone, Debug)]
pub struct GoldFile {
    path: PathBuf,
    lines: Vec<Map<String, Value>>,
}

fn bare(id: &str) -> &str {
    id.trim().trim_start_matches('<').trim_end_matches('>')
}

impl GoldFile {
    /// Reads a gold file, gzip or plain; an absent file counts as empty.
    ///
    /// # Errors
    /// Fails if the file cannot be read, or a line is not an object with a `record_id`.
    pub fn open(path: &Path) -> Result<Self, GoldError> {
        // A link stays one.
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let mut gold_file = Self { path, lines: Vec::new() };
        gold_file.read()?;
        Ok(gold_file)
    }

    /// Reads the gold file again, because other programs may have changed it.
    ///
    /// # Errors
    /// Fails like [`GoldFile::open`], and then keeps the labels that were read before.
    pub fn read(&mut self) -> Result<(), GoldError> {
        let found = match numbered_lines(&self.path) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                self.lines.clear();
                return Ok(());
            }
            found => found.map_err(|error| self.failed(error))?,
        };
        let mut lines = Vec::new();
        for (number, line) in found {
            let line = line.map_err(|error| self.failed(error))?;
            let bad = |fault: String| self.unusable(format!(", line {number}: {fault}"));
            let object: Map<String, Value> = serde_json::from_str(&line).map_err(|error| bad(error.to_string()))?;
            if object.get("record_id").and_then(Value::as_str).is_none() {
                return Err(bad("no record_id".into()));
            }
            lines.push(object);
        }
        self.lines = lines;
        Ok(())
    }

    /// Locks the gold file, which is created if absent, after waiting for other programs to finish their changes.
    fn lock(&self) -> Result<File, GoldError> {
        let lock = || -> std::io::Result<File> {
            loop {
                let mut open = File::options();
                let file = open.append(true).create(true).open(&self.path)?;
                file.lock()?;
                // Whoever held the lock before has put a new file in its place.
                let (opened, now) = (file.metadata()?, fs::metadata(&self.path));
                if now.is_ok_and(|now| (now.dev(), now.ino()) == (opened.dev(), opened.ino())) {
                    return Ok(file);
                }
            }
        };
        lock().map_err(|error| self.failed(error))
    }

    fn failed(&self, error: std::io::Error) -> GoldError {
        self.unusable(format!(": {error}"))
    }

    fn unusable(&self, why: String) -> GoldError {
        GoldError(StatusCode::INTERNAL_SERVER_ERROR, format!("{}{why}", self.path.display()))
    }

    /// Returns the number of labelled pages in the gold file.
    pub fn labelled(&self) -> usize {
        self.lines.len()
    }

    fn at(&self, record_id: &str) -> Option<usize> {
        self.lines.iter().position(|line| {
            let id = line.get("record_id").and_then(Value::as_str);
            id.map(bare) == Some(bare(record_id))
        })
    }

    /// Returns whether the gold file has labels for the page with this record id.
    pub fn has(&self, record_id: &str) -> bool {
        self.at(record_id).is_some()
    }

    /// Returns a fingerprint of the page's line in the gold file, which shows whether another program changed the line.
    pub fn mark(&self, page: &LabelPage) -> String {
        let mut hasher = DefaultHasher::new();
        let line = self.at(&page.record_id).and_then(|at| self.lines.get(at));
        line.map(|line| Value::Object(line.clone()).to_string()).hash(&mut hasher);
        format!("{:016x}", hasher.finish())
    }

    /// Returns the stored labels of a page; `None` if there are none or they do not match the page's blocks.
    pub fn choice(&self, page: &LabelPage, blocks: &[LabelBlock]) -> Option<PageLabels> {
        let line = self.lines.get(self.at(&page.record_id)?)?;
        let noted = line.get("blocks")?.as_array()?;
        let mut roles: Vec<Role> = noted
            .iter()
            .zip(blocks)
            .map(|(noted, block)| {
                let span: (u32, u32) = serde_json::from_value(noted.get("span")?.clone()).ok()?;
                let role = serde_json::from_value(noted.get("role")?.clone()).ok()?;
                (span == block.span && part_of(role).is_some()).then_some(role)
            })
            .collect::<Option<_>>()?;
        // Before the texts of scripts were shown, files ended with the blocks of the page.
        let mut rest = blocks.iter().skip(noted.len());
        if roles.len() != noted.len() || !rest.all(|block| block.of_script) {
            return None;
        }
        roles.resize(blocks.len(), Role::Other);
        let text = |key: &str| line.get(key).and_then(Value::as_str).map(str::to_owned);
        Some(PageLabels { roles, page_type: text("page_type"), lang: text("lang"), note: text("note") })
    }

    /// Saves the labels of a page to the gold file. Texts are joined in the order of their blocks on the page. If
    /// `mark` is given, it must equal the present fingerprint of the page's line in the file.
    ///
    /// # Errors
    /// Fails if there are not as many roles as blocks, somebody else has labelled the page, or the file cannot be read
    /// or written. Nothing is saved then.
    pub fn save(
        &mut self,
        page: &LabelPage,
        blocks: &[LabelBlock],
        choice: &PageLabels,
        mark: Option<&str>,
    ) -> Result<(), GoldError> {
        if choice.roles.len() != blocks.len() {
            let message = format!("{} roles for a page of {} blocks", choice.roles.len(), blocks.len());
            return Err(GoldError(StatusCode::BAD_REQUEST, message));
        }
        let _lock = self.lock()?;
        self.read()?;
        if mark.is_some_and(|mark| mark != self.mark(page)) {
            let message = "this page was labelled by somebody else meanwhile: go back to it and look";
            return Err(GoldError(StatusCode::PRECONDITION_FAILED, message.to_owned()));
        }
        let both = || blocks.iter().zip(&choice.roles);
        let text = |part: Part| {
            let of_part = both().filter(|(_, role)| part_of(**role) == Some(part));
            let of_part = of_part.map(|(block, _)| block.text.as_str());
            of_part.collect::<Vec<_>>().join("\n")
        };
        let at = self.at(&page.record_id);
        let mut lines = self.lines.clone();
        let mut line = at.and_then(|at| lines.get(at).cloned()).unwrap_or_default();
        line.entry("record_id").or_insert_with(|| json!(page.record_id));
        line.entry("url").or_insert_with(|| json!(page.url));
        line.insert("gold".into(), json!(text(Part::Gold)));
        line.insert("gold_comments".into(), json!(text(Part::Comments)));
        for (key, value) in [("page_type", &choice.page_type), ("lang", &choice.lang), ("note", &choice.note)] {
            match value.as_deref().map(str::trim).filter(|text| !text.is_empty()) {
                Some(text) => line.insert(key.into(), json!(text)),
                None => line.remove(key),
            };
        }
        let noted = both().map(|(block, role)| json!({"span": block.span, "role": role}));
        line.insert("blocks".into(), noted.collect());
        match at.and_then(|at| lines.get_mut(at)) {
            Some(slot) => *slot = line,
            None => lines.push(line),
        }
        self.write(&lines).map_err(|error| self.failed(error))?;
        self.lines = lines;
        Ok(())
    }

    fn write(&self, lines: &[Map<String, Value>]) -> std::io::Result<()> {
        let mut text = Vec::new();
        for line in lines {
            serde_json::to_writer(&mut text, line)?;
            text.push(b'\n');
        }
        let mut file = AtomicFile::create(&self.path)?;
        if self.path.extension().is_some_and(|ending| ending == "gz") {
            // Neither name nor time in the header, so the bytes repeat.
            let mut gzip = GzBuilder::new().write(&mut file, Compression::default());
            gzip.write_all(&text)?;
            gzip.finish()?;
        } else {
            file.write_all(&text)?;
        }
        file.finish()
    }
}
