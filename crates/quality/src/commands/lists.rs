//! `trommel-quality lists`

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;
use trommel_features::FeatureGroup;
use trommel_learn::{
    LABEL_SHARE, Learner, LeftOut, ListPages, PageSet, TrainOptions, Weighting, gold_beside, read_set, with_lists,
};
use trommel_model::Model;
use trommel_quality::lists::tested;
use trommel_quality::markdown::{MarkdownTable, share, thousands};

/// Teach finished models pages that are not one text (listings, products, documentation), from the sets that they were
/// trained on and further sets, and test what such a scorer does on pages of hosts, and of sets, that it has not seen
#[derive(Debug, Args)]
pub struct ListsArgs {
    /// Models, which were trained together: names of built-in ones, or files
    #[arg(long, num_args = 1.., value_name = "MODEL", default_values_t = ["fast".to_owned(), "best".to_owned()])]
    model: Vec<String>,
    /// Archives of the labelled pages that the models were trained on, each with its gold beside it
    #[arg(long, required = true, num_args = 1.., value_name = "WARC")]
    pages: Vec<PathBuf>,
    /// Archives of further labelled pages
    #[arg(long, required = true, num_args = 1.., value_name = "WARC")]
    further: Vec<PathBuf>,
    /// Day to write into the models, YYYY-MM-DD
    #[arg(long, requires = "out")]
    date: Option<String>,
    /// Folder to write the models to, each as NAME.trommel
    #[arg(short, long, value_name = "FOLDER", requires = "date")]
    out: Option<PathBuf>,
}

pub fn run(args: &ListsArgs) -> anyhow::Result<()> {
    let models = args.model.iter().map(|name| Ok(Model::open(name)?)).collect::<anyhow::Result<Vec<Model>>>()?;
    let base = models.first().context("no model")?;
    let read = |pages: &PathBuf| -> anyhow::Result<PageSet> {
        let gold = gold_beside(pages).with_context(|| format!("{}: no gold file beside it", pages.display()))?;
        Ok(read_set(pages, &gold)?)
    };
    let sets = args.pages.iter().chain(&args.further).map(read).collect::<anyhow::Result<Vec<PageSet>>>()?;
    let options = TrainOptions {
        names: Vec::new(),
        created: String::new(),
        groups: FeatureGroup::serving(),
        learner: Learner::Additive,
        label_share: LABEL_SHARE,
        weighting: Weighting::Pages,
        folds: 0,
        comments: true,
    };
    let pages = ListPages::new(base, &sets, args.pages.len(), &options)?;
    if let (Some(out), Some(date)) = (&args.out, &args.date) {
        teach(&models, &pages, sets.get(args.pages.len()..).unwrap_or_default(), out, date)?;
    }
    test(&models, &pages, &sets, args.pages.len())
}

/// Writes the models with the scorer that was learned from all pages.
fn teach(models: &[Model], pages: &ListPages, further: &[PageSet], out: &Path, date: &str) -> anyhow::Result<()> {
    let lists = pages.scorer(&LeftOut::Nothing)?;
    for model in models {
        let taught = with_lists(model, lists.clone(), further, date)?;
        let path = out.join(format!("{}.trommel", taught.file().name));
        std::fs::write(&path, taught.to_bytes()?).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

/// Prints the scores on the further sets.
fn test(models: &[Model], pages: &ListPages, sets: &[PageSet], trained: usize) -> anyhow::Result<()> {
    let mut table = MarkdownTable::new(["set", "pages", "model", "without", "by host", "by set"]);
    for row in tested(models, pages, sets, trained)? {
        let scores = [row.without, row.by_host, row.by_set].map(|scores| share(scores.f1));
        let cells = [row.set, thousands(row.pages), row.model];
        table.row(cells.into_iter().chain(scores));
    }
    crate::out(&table.text())
}
