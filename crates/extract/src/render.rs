//! Renders kept blocks as plain text or Markdown, with options for formulas, raised and lowered text, notes, readings.
//!
//! The sections of a page can be written as divisions of the Markdown.

pub(crate) mod content;
pub(crate) mod data_table;
pub(crate) mod markdown;
pub(crate) mod pieces;
pub(crate) mod table_rows;
pub(crate) mod text;
pub(crate) mod traced;

use crate::render::traced::{Origin, OriginSource, TracedText};
use crate::{content_policy::choices, role::Role};

pub use markdown::MarkdownOptions;
pub use table_rows::DocumentTable;
pub use traced::TextSpan;

choices! {
    /// Form of formulas in the text.
    pub enum MathForm {
        /// TeX of formulas; in Markdown between dollar signs.
        #[default]
        Tex,
        /// TeX of formulas without dollar signs.
        Plain,
        /// No formulas.
        Off,
    }

    /// Treatment of notes and of the marks that refer to them.
    pub enum NoteForm {
        /// Marks become references, and notes follow the text.
        #[default]
        Keep,
        /// Neither marks nor notes.
        Drop,
    }

    /// Form of superscripts and subscripts that follow a letter or digit.
    pub enum ScriptForm {
        /// Scripts after `^` and `_`: `10^2`, `x_i`.
        #[default]
        Caret,
        /// Scripts in Unicode, if all characters exist: `10²`, `xᵢ`.
        Unicode,
    }

    /// Form of ruby readings, which give the pronunciation of characters.
    pub enum ReadingForm {
        /// Readings in brackets behind the characters.
        #[default]
        Keep,
        /// No readings.
        Drop,
    }

    /// Form of the addresses of links and images in Markdown.
    pub enum AddressForm {
        /// Absolute addresses, by the page's `<base>` and URL; where both are unknown, links with relative addresses are text alone.
        #[default]
        Absolute,
        /// Addresses as the page has them.
        AsWritten,
    }
}

/// Forms of formulas, footnotes, superscripts and subscripts, and ruby readings, in plain text and in Markdown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TextOptions {
    /// Form of formulas.
    pub math: MathForm,
    /// Treatment of footnotes and of the marks that refer to them.
    pub notes: NoteForm,
    /// Form of superscripts and subscripts.
    pub scripts: ScriptForm,
    /// Treatment of ruby readings, which give the pronunciation of characters.
    pub readings: ReadingForm,
}

impl TextOptions {
    trommel_text::setters! {
        /// Returns the same options with this form of formulas.
        with_math(math: MathForm);
        /// Returns the same options with notes kept or dropped.
        with_notes(notes: NoteForm);
        /// Returns the same options with this form of superscripts and subscripts.
        with_scripts(scripts: ScriptForm);
        /// Returns the same options with ruby readings kept or dropped.
        with_readings(readings: ReadingForm);
    }
}

/// Writes `::: ROLE` above and `:::` below the parts with one role (Pandoc's fenced divisions), with blank lines
/// around. `role` returns the role of a block; `None` for ordinary text. An image between two blocks of one role stays
/// in their division.
pub(crate) fn divided(traced: &TracedText, role: impl Fn(u32) -> Option<Role>) -> String {
    let role = |origin: &Origin| match origin.source {
        OriginSource::Copied { block, .. } | OriginSource::Blocks(block, _) | OriginSource::Row { own: block, .. } => {
            role(block)
        }
        // Texts of scripts have no place on the page, and so no section.
        OriginSource::Page(..) | OriginSource::Image(..) => None,
    };
    let mut out = String::with_capacity(traced.text.len());
    let mut add = |role: Option<Role>, from: usize, to: usize| {
        let part = traced.text.get(from..to).unwrap_or_default();
        let part = without_blank_lines(part);
        if part.is_empty() {
            return;
        }
        if !out.is_empty() {
            out.push('\n');
        }
        match role {
            Some(role) => out.extend(["::: ", role.name(), "\n\n", part, "\n\n:::\n"]),
            None => out.extend([part, "\n"]),
        }
    };
    let mut done = 0;
    let is_image = |origin: &&Origin| matches!(origin.source, OriginSource::Image(..));
    let mut origins = traced.origins.iter().filter(|origin| !is_image(origin)).peekable();
    while let Some(first) = origins.next() {
        let Some(first_role) = role(first) else { continue };
        let mut last = first;
        while let Some(next) = origins.next_if(|next| role(next) == Some(first_role)) {
            last = next;
        }
        add(None, done, first.place.start);
        add(Some(first_role), first.place.start, last.place.end);
        done = last.place.end;
    }
    add(None, done, traced.text.len());
    out
}

/// Returns a text without line ends at its start, and without lines at its end that are empty or have only `>` signs.
fn without_blank_lines(part: &str) -> &str {
    let mut part = part.trim_start_matches('\n');
    loop {
        let (before, last) = part.rsplit_once('\n').unwrap_or(("", part));
        if part.is_empty() || !last.chars().all(|c| matches!(c, '>' | ' ')) {
            return part;
        }
        part = before;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_of_one_role_stand_together() {
        let mut traced = TracedText::default();
        let mut add = |block: u32, text: &str| traced.push(text, OriginSource::Blocks(block, block));
        add(0, "A text.");
        add(9, "\n\n");
        add(1, "> Said.");
        add(9, "\n>\n");
        add(2, "> Great mill.");
        add(9, "\n\n");
        add(3, "- Five stars");
        add(9, "\n");
        add(4, "- Flour");
        add(9, "\n");
        add(5, "The end.\n");
        traced.origins.retain(|origin| origin.source != OriginSource::Blocks(9, 9));
        traced.push("Of JSON-LD.\n", OriginSource::Page(0, 4));
        let role = |block| match block {
            2 | 3 => Some(Role::Review),
            4 => Some(Role::Ingredient),
            _ => None,
        };
        assert_eq!(
            divided(&traced, role),
            "A text.\n\n> Said.\n\n::: review\n\n> Great mill.\n\n- Five stars\n\n:::\n\n\
             ::: ingredient\n\n- Flour\n\n:::\n\nThe end.\nOf JSON-LD.\n"
        );
        assert_eq!(divided(&traced, |_| None), traced.text);
        assert_eq!(divided(&TracedText::default(), role), "");
    }
}
