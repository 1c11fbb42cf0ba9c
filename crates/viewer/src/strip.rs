//! The strip: a small picture of the page. Each bar is a link to its block.

use std::fmt::{self, Write as _};

use crate::bars::Bar;
use crate::escape::WordCount;

/// Height of each half of the strip, in units of its own.
const HALF_HEIGHT: f64 = 50.0;

/// Writes the strip as inline SVG: kept bars stand above the middle line, dropped ones hang below
/// it, their length goes with the square root of their words.
pub fn svg(out: &mut String, bars: &[Bar]) -> fmt::Result {
    let most = bars.iter().map(|bar| bar.words).max().unwrap_or(0);
    write!(
        out,
        "<svg class=\"strip\" viewBox=\"0 0 {} {}\" preserveAspectRatio=\"none\" style=\"--n:{}\" \
         role=\"img\" aria-label=\"Blocks in page order: kept above the line, dropped below\">",
        bars.len(),
        HALF_HEIGHT * 2.0,
        bars.len()
    )?;
    for (x, bar) in bars.iter().enumerate() {
        let height = length(bar.words, most);
        let y = if bar.kept { HALF_HEIGHT - height } else { HALF_HEIGHT };
        let what = if bar.kept { "kept" } else { "dropped" };
        let last = bar.first + bar.blocks;
        write!(out, "\n<a href=\"#b{}\" tabindex=\"-1\"><title>", bar.first + 1)?;
        match bar.blocks {
            1 => write!(out, "Block {last}")?,
            _ => write!(out, "Blocks {} to {last}", bar.first + 1)?,
        }
        write!(
            out,
            ": {what}, {:.3}, {}</title><rect class=\"hit\" x=\"{x}\" y=\"0\" width=\"1\" height=\"{}\"/>\
             <rect x=\"{x}\" y=\"{y:.1}\" width=\".9\" height=\"{height:.1}\" style=\"--p:{:.3}\"/></a>",
            bar.probability,
            WordCount(bar.words),
            HALF_HEIGHT * 2.0,
            bar.probability,
        )?;
    }
    out.push_str("</svg>\n");
    Ok(())
}

/// Length of a bar of `words` words where the longest has `most`: never so short that it is not seen.
fn length(words: u64, most: u64) -> f64 {
    let share = words as f64 / most.max(1) as f64;
    (share.sqrt() * HALF_HEIGHT).max(2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kept_bars_stand_and_dropped_ones_hang() {
        let bar = |first, words, kept| Bar { first, blocks: 1, words, probability: 0.25, kept };
        let mut out = String::new();
        svg(&mut out, &[bar(0, 1600, true), bar(1, 400, false)]).unwrap();
        let lines: Vec<&str> = out.lines().collect();
        assert!(lines[0].contains("viewBox=\"0 0 2 100\""), "{out}");
        assert!(lines[1].starts_with("<a href=\"#b1\" tabindex=\"-1\"><title>Block 1: kept, 0.250, 1,600 words<"));
        let rect = "<rect x=\"0\" y=\"0.0\" width=\".9\" height=\"50.0\" style=\"--p:0.250\"/>";
        assert!(lines[1].contains(rect), "{out}");
        let rect = "<rect x=\"1\" y=\"50.0\" width=\".9\" height=\"25.0\" style=\"--p:0.250\"/>";
        assert!(lines[2].contains(rect), "{out}");
    }

    #[test]
    fn runs_name_their_ends_and_bars_are_seen() {
        let run = Bar { first: 6, blocks: 3, words: 0, probability: 0.0, kept: false };
        let mut out = String::new();
        svg(&mut out, &[run]).unwrap();
        assert!(out.contains("href=\"#b7\""), "{out}");
        assert!(out.contains("Blocks 7 to 9: dropped"), "{out}");
        assert_eq!(length(0, 0), 2.0);
    }
}
