//! `trommel search`

use std::{fmt::Write as _, io::IsTerminal as _, path::PathBuf, process::ExitCode};

use clap::Args;
use trommel_index::{Hit, Index, Snippet};

use crate::place::Place;

/// Find documents in an index made by `index`
#[derive(Debug, Args)]
pub struct SearchArgs {
    /// What to look for: words, "phrases", +must, -mustnot
    #[arg(required = true, allow_hyphen_values = true)]
    query: String,
    /// Folder of the index
    #[arg(long, value_name = "DIR")]
    index: PathBuf,
    /// Most documents shown
    #[arg(short, value_name = "N", default_value_t = 10)]
    n: usize,
    /// Print one JSON object a document
    #[arg(long)]
    json: bool,
}

/// Runs the command: 0 if something was found, 1 if nothing was, 2 for errors, as grep does.
pub fn run(args: &SearchArgs) -> anyhow::Result<ExitCode> {
    let hits = Index::open(&args.index)?.search(&args.query, args.n)?;
    let marks = if std::io::stdout().is_terminal() {
        ("\x1b[1m", "\x1b[0m")
    } else {
        ("[", "]")
    };
    let mut out = String::new();
    for (at, hit) in hits.iter().enumerate() {
        if args.json {
            let _ = writeln!(out, "{}", serde_json::to_string(hit)?);
        } else {
            describe(at + 1, hit, marks, &mut out);
        }
    }
    crate::out(&out)?;
    Ok(ExitCode::from(u8::from(hits.is_empty())))
}

fn describe(rank: usize, hit: &Hit, marks: (&str, &str), out: &mut String) {
    let url = hit.url.as_deref().unwrap_or(&hit.id);
    let title = visible(hit.title.as_deref().unwrap_or("(no title)"));
    // Writing to a string cannot fail.
    let _ = writeln!(out, "{rank}. {title}  ({:.1})", hit.score);
    let _ = writeln!(out, "   {}", visible(url));
    if let Some(source) = &hit.source {
        let _ = writeln!(out, "   {}", visible(&Place::from(source).to_string()));
    }
    if !hit.snippet.text.is_empty() {
        let _ = writeln!(out, "   {}", highlighted(&hit.snippet, marks));
    }
    out.push('\n');
}

/// Text of a page must not steer the terminal.
fn visible(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect()
}

fn highlighted(snippet: &Snippet, (before, after): (&str, &str)) -> String {
    let (mut out, mut at) = (String::new(), 0);
    let piece = |from: usize, to: usize| visible(snippet.text.get(from..to).unwrap_or_default());
    for range in &snippet.highlights {
        out.push_str(&piece(at, range.start));
        out.push_str(before);
        out.push_str(&piece(range.start, range.end));
        out.push_str(after);
        at = range.end;
    }
    out.push_str(&piece(at, snippet.text.len()));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn highlights_stand_between_marks() {
        let snippet = Snippet {
            text: "Die Straße\u{1b} am Fluß".into(),
            highlights: vec![4..11, 16..21],
        };
        assert_eq!(highlighted(&snippet, ("[", "]")), "Die [Straße]  am [Fluß]");
    }
}
