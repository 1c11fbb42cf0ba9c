//! Layouts on disk: one JSON object a page and line, gzip or plain (../docs/vips.md names the fields). Nodes are
//! written by columns, which compress well and hold no text of the page.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde::{Deserialize, Serialize};
use trommel_learn::numbered_lines;

use super::node::{LayoutNode, PageLayout, Requests};
use super::rect::Rect;

/// Reason why layouts cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LayoutError {
    /// The file cannot be read or written.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: String,
        /// The error of the system.
        source: std::io::Error,
    },
    /// A line is no layout.
    #[error("{path}, line {line}: {source}")]
    Json {
        /// The file.
        path: String,
        /// Number of the line, from 1.
        line: usize,
        /// The fault.
        source: serde_json::Error,
    },
    /// The columns of a line do not fit together.
    #[error("{path}, line {line}: {message}")]
    Columns {
        /// The file.
        path: String,
        /// Number of the line, from 1.
        line: usize,
        /// The fault.
        message: String,
    },
}

const TEXT: u8 = 1;
const INLINE: u8 = 2;
const INVISIBLE: u8 = 4;
const BACKGROUND_IMAGE: u8 = 8;

/// A page as it is written.
#[derive(Serialize, Deserialize)]
struct Line {
    record_id: String,
    url: String,
    window: u32,
    style_sheets: u32,
    others: u32,
    failed: u32,
    /// Names of nodes, which `name` counts from 0.
    names: Vec<String>,
    /// -1 for none, as in `start` and `background`.
    parent: Vec<i64>,
    name: Vec<usize>,
    start: Vec<i64>,
    x: Vec<i32>,
    y: Vec<i32>,
    width: Vec<i32>,
    height: Vec<i32>,
    font_size: Vec<f32>,
    font_weight: Vec<u16>,
    background: Vec<i64>,
    flags: Vec<u8>,
    chars: Vec<u32>,
}

impl Line {
    fn of(page: &PageLayout) -> Self {
        let mut line = Self {
            record_id: page.record_id.clone(),
            url: page.url.clone(),
            window: page.window,
            style_sheets: page.requests.style_sheets,
            others: page.requests.others,
            failed: page.requests.failed,
            names: Vec::new(),
            parent: Vec::new(),
            name: Vec::new(),
            start: Vec::new(),
            x: Vec::new(),
            y: Vec::new(),
            width: Vec::new(),
            height: Vec::new(),
            font_size: Vec::new(),
            font_weight: Vec::new(),
            background: Vec::new(),
            flags: Vec::new(),
            chars: Vec::new(),
        };
        let or_none = |value: Option<u32>| value.map_or(-1, i64::from);
        for node in &page.nodes {
            let known = line.names.iter().position(|name| *name == node.name);
            line.name.push(known.unwrap_or_else(|| {
                line.names.push(node.name.clone());
                line.names.len() - 1
            }));
            line.parent.push(or_none(node.parent));
            line.start.push(or_none(node.start));
            line.x.push(node.rect.x);
            line.y.push(node.rect.y);
            line.width.push(node.rect.width);
            line.height.push(node.rect.height);
            line.font_size.push(node.font_size);
            line.font_weight.push(node.font_weight);
            line.background.push(or_none(node.background));
            let flag = |is: bool, bit: u8| if is { bit } else { 0 };
            line.flags.push(
                flag(node.is_text, TEXT)
                    | flag(node.is_inline, INLINE)
                    | flag(node.is_invisible, INVISIBLE)
                    | flag(node.background_image, BACKGROUND_IMAGE),
            );
            line.chars.push(node.chars);
        }
        line
    }

    fn page(self) -> Result<PageLayout, String> {
        let count = self.parent.len();
        let lengths = [
            ("name", self.name.len()),
            ("start", self.start.len()),
            ("x", self.x.len()),
            ("y", self.y.len()),
            ("width", self.width.len()),
            ("height", self.height.len()),
            ("font_size", self.font_size.len()),
            ("font_weight", self.font_weight.len()),
            ("background", self.background.len()),
            ("flags", self.flags.len()),
            ("chars", self.chars.len()),
        ];
        if let Some((name, len)) = lengths.iter().find(|(_, len)| *len != count) {
            return Err(format!("parent has {count} nodes and {name} {len}"));
        }
        let mut nodes = Vec::with_capacity(count);
        for at in 0..count {
            let missing = || format!("node {at} is cut");
            let parent = *self.parent.get(at).ok_or_else(missing)?;
            if parent >= at as i64 {
                return Err(format!("node {at} stands before its parent {parent}"));
            }
            let name = *self.name.get(at).ok_or_else(missing)?;
            let flags = *self.flags.get(at).ok_or_else(missing)?;
            let number = |column: &[i32]| column.get(at).copied().unwrap_or_default();
            let some = |column: &[i64]| column.get(at).and_then(|value| u32::try_from(*value).ok());
            nodes.push(LayoutNode {
                parent: u32::try_from(parent).ok(),
                name: self
                    .names
                    .get(name)
                    .cloned()
                    .ok_or_else(|| format!("node {at} has name {name} of {}", self.names.len()))?,
                start: some(&self.start),
                rect: Rect {
                    x: number(&self.x),
                    y: number(&self.y),
                    width: number(&self.width),
                    height: number(&self.height),
                },
                font_size: self.font_size.get(at).copied().unwrap_or_default(),
                font_weight: self.font_weight.get(at).copied().unwrap_or_default(),
                background: some(&self.background),
                background_image: flags & BACKGROUND_IMAGE != 0,
                is_text: flags & TEXT != 0,
                is_inline: flags & INLINE != 0,
                is_invisible: flags & INVISIBLE != 0,
                chars: self.chars.get(at).copied().unwrap_or_default(),
            });
        }
        Ok(PageLayout {
            record_id: self.record_id,
            url: self.url,
            window: self.window,
            requests: Requests { style_sheets: self.style_sheets, others: self.others, failed: self.failed },
            nodes,
        })
    }
}

/// Reads the layouts of a file.
///
/// # Errors
/// If the file cannot be read or a line is no layout.
pub fn read_layouts(path: &Path) -> Result<Vec<PageLayout>, LayoutError> {
    let name = path.display().to_string();
    let io = |source| LayoutError::Io { path: name.clone(), source };
    let mut pages = Vec::new();
    for (line, text) in numbered_lines(path).map_err(io)? {
        let text = text.map_err(io)?;
        let read: Line =
            serde_json::from_str(&text).map_err(|source| LayoutError::Json { path: name.clone(), line, source })?;
        pages.push(read.page().map_err(|message| LayoutError::Columns { path: name.clone(), line, message })?);
    }
    Ok(pages)
}

/// Writes layouts as gzip under their final name, which appears only when all are written.
///
/// # Errors
/// If the file cannot be written.
pub fn write_layouts(path: &Path, pages: &[PageLayout]) -> Result<(), LayoutError> {
    let name = path.display().to_string();
    let io = |source| LayoutError::Io { path: name.clone(), source };
    let mut part = path.as_os_str().to_owned();
    part.push(".part");
    let file = File::create(&part).map_err(io)?;
    let mut out = GzEncoder::new(BufWriter::new(file), Compression::best());
    for page in pages {
        serde_json::to_writer(&mut out, &Line::of(page)).map_err(|error| io(error.into()))?;
        out.write_all(b"\n").map_err(io)?;
    }
    out.finish().and_then(|mut rest| rest.flush()).map_err(io)?;
    std::fs::rename(&part, path).map_err(io)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page() -> PageLayout {
        let body = LayoutNode {
            name: "body".into(),
            start: Some(7),
            rect: Rect { x: 1, y: 2, width: 3, height: 4 },
            font_size: 13.3,
            font_weight: 700,
            background: Some(0x00FF_FFFF),
            background_image: true,
            ..LayoutNode::default()
        };
        let text = LayoutNode {
            parent: Some(0),
            name: "#text".into(),
            is_text: true,
            is_inline: true,
            is_invisible: true,
            chars: 12,
            ..LayoutNode::default()
        };
        PageLayout {
            record_id: "urn:x".into(),
            url: "http://a.example/".into(),
            window: 1280,
            requests: Requests { style_sheets: 1, others: 2, failed: 3 },
            nodes: vec![body, text],
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.layout.jsonl.gz");
        write_layouts(&path, &[page(), PageLayout::default()]).unwrap();
        assert_eq!(read_layouts(&path).unwrap(), [page(), PageLayout::default()]);
    }

    #[test]
    fn columns_that_do_not_fit_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.layout.jsonl");
        let mut line = Line::of(&page());
        line.chars.pop();
        std::fs::write(&path, serde_json::to_string(&line).unwrap()).unwrap();
        let error = read_layouts(&path).unwrap_err().to_string();
        assert!(error.ends_with("x.layout.jsonl, line 1: parent has 2 nodes and chars 1"), "{error}");
        let mut line = Line::of(&page());
        line.parent = vec![1, 0];
        std::fs::write(&path, serde_json::to_string(&line).unwrap()).unwrap();
        let error = read_layouts(&path).unwrap_err().to_string();
        assert!(error.contains("node 0 stands before its parent 1"), "{error}");
    }
}
