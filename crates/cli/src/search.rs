//! `trommel search`: finds documents in an index.

use std::{fmt::Write as _, path::PathBuf};

use clap::Args;
use trommel::index::{Hit, Index, Search, SearchResults, Snippet, foreign_syntax};
use trommel_text::language::LanguageCode;

use crate::{cat, exit::Exit, messages};

/// Search an index
#[derive(Debug, Args)]
pub struct SearchArgs {
    /// Query: words, "phrases", +required words; excluded words as -word after `--` or inside quotes
    #[arg(required = true, value_name = "WORD")]
    words: Vec<String>,
    /// Folder of the index
    #[arg(long, value_name = "DIR")]
    index: PathBuf,
    /// Number of documents to show
    #[arg(short, value_name = "N", default_value_t = 10)]
    n: usize,
    /// Number of documents to skip
    #[arg(long, value_name = "N", default_value_t = 0)]
    offset: usize,
    /// Only documents in this language (ISO 639-1 or 639-3)
    #[arg(long, value_name = "CODE")]
    lang: Option<LanguageCode>,
    /// Only documents of this host or domain
    #[arg(long, value_name = "HOST")]
    site: Option<String>,
    /// Print a JSON object for each document
    #[arg(long)]
    json: bool,
}

/// Runs `trommel search`. Returns exit code 0 if a document was found, 1 if none was, and 2 for errors, as grep does.
pub fn run(args: &SearchArgs) -> anyhow::Result<Exit> {
    let query = args.words.join(" ");
    let found = Index::open(&args.index)?.find(&Search {
        query: &query,
        limit: args.n,
        offset: args.offset,
        language: args.lang.map(LanguageCode::as_str),
        site: args.site.as_deref(),
    })?;
    let marks = if messages::has_colour(&std::io::stdout()) { ("\x1b[1m", "\x1b[0m") } else { ("[", "]") };
    let mut out = String::new();
    for (at, hit) in found.hits.iter().enumerate() {
        if args.json {
            let _ = writeln!(out, "{}", serde_json::to_string(hit)?);
        } else {
            describe(args.offset + at + 1, hit, marks, &mut out);
        }
    }
    crate::out(&out)?;
    messages::say(&summary(&found, args.offset));
    let foreign = foreign_syntax(&query);
    if !foreign.is_empty() {
        messages::say(&format!(
            "searched as words: {}; a query has words, \"phrases\", +required and -excluded words, and --site and --lang \
             limit it",
            foreign.join(" ")
        ));
    }
    Ok(match found.documents {
        0 => Exit::SomeFailed,
        _ => Exit::Clean,
    })
}

/// Describes the number of documents found, and the option that shows further ones.
fn summary(found: &SearchResults, offset: usize) -> String {
    let end = offset + found.hits.len();
    let documents = messages::counted(found.documents as u64, "document");
    match (found.documents, found.hits.len()) {
        (0, _) => "nothing found".to_owned(),
        (_, 0) => format!("{documents} found, none beyond {offset}"),
        (all, shown) if all == shown => format!("{documents} found"),
        (all, _) if all > end => format!("{documents} found, {} to {end} shown; more with --offset {end}", offset + 1),
        _ => format!("{documents} found, {} to {end} shown", offset + 1),
    }
}

fn describe(rank: usize, hit: &Hit, marks: (&str, &str), out: &mut String) {
    let document = &hit.document;
    let url = document.url.as_deref().unwrap_or(&document.id);
    let title = visible(document.title.as_deref().unwrap_or("(no title)"));
    // Writing to a string cannot fail.
    let _ = writeln!(out, "{rank}. {title}  ({:.1})", hit.score);
    let _ = writeln!(out, "   {}", visible(url));
    if let Some(source) = &document.source {
        let _ = writeln!(out, "   {}", visible(&cat::shown(source)));
    }
    if !hit.snippet.text.is_empty() {
        let _ = writeln!(out, "   {}", highlighted(&hit.snippet, marks));
    }
    out.push('\n');
}

/// Replaces control characters in a text of a page by spaces, because they could control the terminal.
fn visible(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

fn highlighted(snippet: &Snippet, (before, after): (&str, &str)) -> String {
    let parts = snippet.parts().into_iter();
    let shown = parts.map(|(text, is_hit)| match is_hit {
        true => format!("{before}{}{after}", visible(text)),
        false => visible(text),
    });
    shown.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel::index::IndexedDocument;

    #[test]
    fn pages_of_hits_are_told() {
        let said = |documents, shown, offset| {
            let hit = Hit { score: 1.0, document: IndexedDocument::default(), snippet: Snippet::default() };
            let hits = vec![hit; shown];
            summary(&SearchResults { documents, hits }, offset)
        };
        assert_eq!(said(0, 0, 0), "nothing found");
        assert_eq!(said(1, 1, 0), "1 document found");
        assert_eq!(said(57, 10, 20), "57 documents found, 21 to 30 shown; more with --offset 30");
        assert_eq!(said(57, 7, 50), "57 documents found, 51 to 57 shown");
        assert_eq!(said(57, 0, 60), "57 documents found, none beyond 60");
    }

    #[test]
    fn highlights_stand_between_marks() {
        let snippet = Snippet { text: "Die Straße\u{1b} am Fluß".into(), highlights: vec![4..11, 16..21] };
        assert_eq!(highlighted(&snippet, ("[", "]")), "Die [Straße]  am [Fluß]");
    }
}
