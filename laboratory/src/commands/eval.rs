//! `trommel-lab eval`

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use rustc_hash::FxHashMap;
use trommel_lab::methods::{extract_by_host, pages_by_host};
use trommel_learn::{EvalOptions, LabelledPage, evaluate, kept_text};
use trommel_text::words::Rule;

use super::methods::{MethodArgs, read_beside};

/// Score a published method on labelled pages: word precision, recall and F1, means over pages. The
/// comments of readers are content where the gold keeps them apart
#[derive(Debug, Args)]
pub struct MethodEvalArgs {
    /// Archives of labelled pages, NAME.warc.gz with NAME.gold.jsonl.gz beside it
    #[arg(long, required = true, num_args = 1.., value_name = "WARC")]
    pages: Vec<PathBuf>,
    #[command(flatten)]
    method: MethodArgs,
    /// Give methods that compare pages those of one host together; for these methods only
    #[arg(long, value_enum)]
    group_by: Option<GroupBy>,
    /// Score only pages of hosts that have this many in the set
    #[arg(long, value_name = "N", requires = "group_by")]
    least_pages: Option<usize>,
    /// Print one JSON object a set
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum GroupBy {
    /// The host of the page's URL
    Host,
}

pub fn run(args: &MethodEvalArgs) -> anyhow::Result<()> {
    let by_site = args.method.by_site()?.filter(|_| args.group_by.is_some());
    let single = match &by_site {
        Some(_) => None,
        None if args.group_by.is_some() => {
            anyhow::bail!("--group-by is for methods that compare pages")
        }
        None => Some(args.method.fitted()?),
    };
    let options = EvalOptions { rule: Rule::Characters, comments: true };
    for pages in &args.pages {
        let mut set = read_beside(pages)?;
        let mut grouped: FxHashMap<String, Vec<bool>> = FxHashMap::default();
        if let Some(method) = &by_site {
            let hosts = pages_by_host(&set, args.least_pages.unwrap_or(1));
            let kept = extract_by_host(method.as_ref(), &set, &hosts);
            let ids = set.pages.iter().map(|page| page.gold.record_id.clone());
            grouped = ids.zip(kept).filter_map(|(id, kept)| Some((id, kept?))).collect();
            set.pages.retain(|page| grouped.contains_key(&page.gold.record_id));
        }
        let keep = |page: &LabelledPage| {
            let kept: Vec<bool> = match &single {
                // A method that is not fitted never gets here.
                Some(method) => method.extract_from(&page.page, &page.html).unwrap_or_default(),
                None => grouped.get(&page.gold.record_id).cloned().unwrap_or_default(),
            };
            kept_text(&page.page, &kept, &[])
        };
        let report = evaluate(&set, keep, &options);
        if args.json {
            crate::out(&format!("{}\n", serde_json::to_string(&report)?))?;
        } else {
            crate::out(&report.to_string())?;
        }
    }
    Ok(())
}
