//! `trommel-lab layout`

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;
use rustc_hash::FxHashSet;
use trommel_archive::file_name::is_archive;
use trommel_html::{Engine as _, Limits, ScanEngine};
use trommel_lab::layout::{
    Browser, OverlayColumn, PageLayout, PageSource, Rect, Resources, block_nodes, read_archive, write_layouts,
};
use trommel_lab::vips::vips;
use trommel_learn::{gold_beside, read_gold};
use trommel_model::Model;

/// Lay out the pages of an archive with Chromium and write their boxes, fonts and backgrounds. Scripts are off,
/// the network is not reached: requests are answered from the archive, or fail
#[derive(Debug, Args)]
pub struct LayoutArgs {
    /// Archives, and pages by themselves (NAME.html). If NAME.gold.jsonl.gz stands beside NAME.warc.gz, its
    /// pages are laid out; else every response that is HTML
    #[arg(long, required = true, num_args = 1.., value_name = "FILE")]
    pages: Vec<PathBuf>,
    /// File to write, such as NAME.layout.jsonl.gz
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Number of pages, evenly from all of them
    #[arg(long, value_name = "N")]
    sample: Option<usize>,
    /// Picture to write of the page: with its visual blocks and with the blocks that the model `best` judged,
    /// side by side. Of several pages, NAME-1.png, NAME-2.png ...
    #[arg(long, value_name = "NAME.png")]
    overlay: Option<PathBuf>,
    /// Degree of coherence of the visual blocks that are drawn, 1 to 11
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u8).range(1..=11))]
    degree: u8,
}

pub fn run(args: &LayoutArgs) -> anyhow::Result<()> {
    let (mut pages, mut resources) = (Vec::new(), Resources::default());
    for path in &args.pages {
        pages.extend(read(path, args.sample, &mut resources)?);
    }
    let model = match &args.overlay {
        Some(path) => Some((path, Model::open("best")?)),
        None => None,
    };
    let browser = Browser::start(resources)?;
    let mut layouts = Vec::new();
    let mut failed = 0;
    for (number, page) in pages.iter().enumerate() {
        // A page that cannot be laid out costs that page.
        let layout = match browser.layout(page) {
            Ok(layout) => layout,
            Err(error) => {
                failed += 1;
                tracing::warn!(page = page.record_id, url = page.url, %error, "not laid out");
                continue;
            }
        };
        if let Some((path, model)) = &model {
            let path = numbered(path, (pages.len() > 1).then_some(number + 1));
            let columns = [visual_blocks(&layout, args.degree), judged_blocks(page, &layout, model)];
            let picture = browser.overlay(&layout, &columns)?;
            std::fs::write(&path, picture).with_context(|| path.display().to_string())?;
        }
        layouts.push(layout);
    }
    write_layouts(&args.out, &layouts)?;
    tracing::info!(pages = layouts.len(), failed, out = %args.out.display(), "laid out");
    Ok(())
}

/// The pages of a file; what its archive answers beside them is added to `resources`.
fn read(path: &Path, sample: Option<usize>, resources: &mut Resources) -> anyhow::Result<Vec<PageSource>> {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
    let name = name.unwrap_or_default();
    if !is_archive(&name) {
        let html = std::fs::read(path).with_context(|| path.display().to_string())?;
        return Ok(vec![PageSource {
            url: format!("http://localhost/{name}"),
            record_id: name,
            html: String::from_utf8_lossy(&html).into_owned(),
        }]);
    }
    let wanted = match gold_beside(path).filter(|gold| gold.exists()) {
        Some(gold) => {
            let golds = read_gold(&gold)?;
            let ids = golds.iter().map(|gold| gold.record_id.trim_matches(['<', '>']).to_owned());
            Some(evenly(ids.collect(), sample).into_iter().collect::<FxHashSet<_>>())
        }
        None => None,
    };
    let pages = read_archive(path, wanted.as_ref(), resources)?;
    Ok(match wanted {
        Some(_) => pages,
        None => evenly(pages, sample),
    })
}

/// `NAME-NUMBER.png` for `NAME.png`.
fn numbered(path: &Path, number: Option<usize>) -> PathBuf {
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    match number {
        Some(number) => path.with_file_name(format!("{}-{number}.png", stem.unwrap_or_default())),
        None => path.to_owned(),
    }
}

fn visual_blocks(layout: &PageLayout, degree: u8) -> OverlayColumn {
    let structure = vips(layout, degree);
    OverlayColumn {
        title: format!("VIPS, degree {degree}"),
        boxes: structure.leaves().map(|block| (block.rect, "royalblue", block.degree.to_string())).collect(),
    }
}

/// Kept blocks in green, dropped ones in gray, each with its probability.
fn judged_blocks(page: &PageSource, layout: &PageLayout, model: &Model) -> OverlayColumn {
    let tables = ScanEngine.read(&page.html, &Limits::default());
    let judged = model.judge(&tables, Some(&page.url));
    let mut boxes = Vec::new();
    for (at, nodes) in block_nodes(&tables, layout).into_iter().enumerate() {
        let nodes = nodes.into_iter().filter_map(|node| layout.nodes.get(node as usize));
        let rect = nodes.fold(Rect::default(), |all, node| all.union(&node.rect));
        if rect.is_empty() {
            continue;
        }
        let kept = judged.choice.kept.get(at).copied().unwrap_or_default();
        let probability = judged.probabilities.get(at).copied().unwrap_or_default();
        boxes.push((rect, if kept { "green" } else { "gray" }, format!("{probability:.2}")));
    }
    OverlayColumn { title: "model best: kept in green".to_owned(), boxes }
}

/// `count` of the items, evenly from the first to the last; all of them without a count.
fn evenly<T>(items: Vec<T>, count: Option<usize>) -> Vec<T> {
    let all = items.len();
    let count = count.unwrap_or(all).min(all);
    let picked: Vec<bool> = (0..all).map(|at| at * count / all.max(1) != (at + 1) * count / all.max(1)).collect();
    items.into_iter().zip(picked).filter_map(|(item, picked)| picked.then_some(item)).collect()
}
