//! VIPS on the layouts of three small pages of our own.

use std::path::PathBuf;

use trommel_html::{Engine, Limits, ScanEngine};

use super::*;
use crate::layout::{PageLayout, block_nodes, read_layouts};
use crate::visual_content::visual_content;

fn folder() -> PathBuf {
    PathBuf::from("layouts")
}

/// A page and its layout, by the name of its file.
fn page(name: &str) -> (String, PageLayout) {
    let layouts = read_layouts(&folder().join("own.layout.jsonl.gz")).unwrap();
    let layout = layouts.into_iter().find(|page_layout| page_layout.record_id == name).unwrap();
    (std::fs::read_to_string(folder().join(name)).unwrap(), layout)
}

/// First words of each text of the nodes inside `roots`, divided by `|`.
fn texts(html: &str, layout: &PageLayout, roots: &[u32]) -> String {
    let ends = layout.ends();
    let nodes = roots.iter().flat_map(|root| *root..ends[*root as usize]);
    let texts = nodes.map(|at| &layout.nodes[at as usize]).filter(|node| node.is_text).map(|node| {
        let rest = &html[node.start.unwrap() as usize..];
        let text = rest.split('<').next().unwrap();
        text.split_whitespace().take(2).collect::<Vec<_>>().join(" ")
    });
    texts.collect::<Vec<_>>().join("|")
}

/// Degree and texts of the blocks that are not divided further.
fn leaves(name: &str, degree: u8) -> Vec<(u8, String)> {
    let (html, layout) = page(name);
    vips(&layout, degree).leaves().map(|block| (block.degree, texts(&html, &layout, &block.roots))).collect()
}

#[test]
fn columns_and_bars_are_blocks() {
    let found = leaves("columns.html", 7);
    let found: Vec<(u8, &str)> = found.iter().map(|(degree, text)| (*degree, text.as_str())).collect();
    assert_eq!(
        found,
        [
            (11, "The Ferry"),
            (10, "Home|Boats|Harbours|Tides"),
            (8, "The last|For ninety|The new|What becomes"),
            (8, "Tide tables|Ten harbours|How a"),
            (11, "Printed on"),
        ]
    );
    // The headline is set larger than what follows, so it parts from it first.
    assert_eq!(
        leaves("columns.html", 9)[2..4],
        [(11, "The last".into()), (10, "For ninety|The new|What becomes".into())]
    );
    assert_eq!(leaves("columns.html", 1).len(), 1);
}

#[test]
fn directions_take_turns_in_the_tree_of_vips_java() {
    let (html, layout) = page("columns.html");
    let structure = vips_java(&layout, 8);
    let leaves: Vec<(u8, String)> =
        structure.leaves().map(|block| (block.degree, texts(&html, &layout, &block.roots))).collect();
    let leaves: Vec<(u8, &str)> = leaves.iter().map(|(degree, text)| (*degree, text.as_str())).collect();
    // All bands of a round divide, whatever they weigh: no column stays whole for its light bands alone.
    assert_eq!(
        leaves,
        [
            (8, "The Ferry"),
            (7, "Home|Boats|Harbours|Tides"),
            (9, "The last"),
            (9, "For ninety"),
            (10, "The new"),
            (10, "What becomes"),
            (11, "Tide tables"),
            (11, "Ten harbours"),
            (11, "How a"),
            (8, "Printed on"),
        ]
    );
}

#[test]
fn rules_divide() {
    let texts: Vec<String> = leaves("rules.html", 7).into_iter().map(|(_, text)| text).collect();
    assert_eq!(
        texts,
        ["Oat soup|Toast a", "Plum cake|Cream butter|Use firm", "Barley water|Boil a|two quarts|of water,"]
    );
}

#[test]
fn cells_are_blocks_at_the_highest_degree() {
    let texts: Vec<String> = leaves("table.html", 11).into_iter().map(|(_, text)| text).collect();
    assert_eq!(texts[..3], ["Chess club", "News|Games|Members|The mill", "Winter tournament"]);
    assert_eq!(texts.len(), 6);
}

#[test]
fn the_largest_central_block_is_content() {
    let (html, layout) = page("columns.html");
    let tables = ScanEngine.read(&html, &Limits::default());
    let kept = visual_content(&tables, &layout);
    let texts: Vec<&str> = tables
        .blocks
        .iter()
        .zip(kept)
        .filter(|(_, kept)| *kept)
        .map(|(block, _)| tables.text(block).split(' ').next().unwrap())
        .collect();
    assert_eq!(texts, ["The", "For", "The", "What"]);
}

#[test]
fn the_texts_of_a_layout_are_those_of_the_blocks() {
    for name in ["columns.html", "rules.html", "table.html"] {
        let (html, layout) = page(name);
        let tables = ScanEngine.read(&html, &Limits::default());
        for (block, nodes) in tables.blocks.iter().zip(block_nodes(&tables, &layout)) {
            let text = tables.text(block);
            let shown: u32 = nodes.iter().map(|at| layout.nodes[*at as usize].chars).sum();
            let letters = text.chars().filter(|c| !c.is_whitespace()).count() as u32;
            let is_shown = !text.starts_with("Subscribe");
            assert_eq!(shown, if is_shown { letters } else { 0 }, "{name}: {text}");
        }
    }
}

#[test]
fn degrees_rise_inwards_and_blocks_divide_those_around_them() {
    let (_, layout) = page("columns.html");
    let structure = vips(&layout, MAX_DEGREE);
    assert!(structure.blocks.len() > 10);
    for block in &structure.blocks {
        let Some(around) = block.parent.map(|at| &structure.blocks[at]) else {
            continue;
        };
        assert!(block.degree >= around.degree && !around.is_leaf);
        assert_eq!(around.rect.union(&block.rect), around.rect);
    }
}
