//! `trommel-lab eval`

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use trommel_html::Page;
use trommel_lab::methods::SiteMethod;
use trommel_learn::{EvalOptions, LabelledPage, PageSet, evaluate, kept_text};
use trommel_sites::site_of;
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

/// What a method keeps of every page of a set whose host has at least `least` pages in it, by record.
fn by_host(method: &dyn SiteMethod, set: &PageSet, least: usize) -> FxHashMap<String, Vec<bool>> {
    let mut hosts: FxHashMap<String, Vec<&LabelledPage>> = FxHashMap::default();
    for page in &set.pages {
        // A page without a host stands for itself.
        let host = site_of(&page.gold.url);
        let host = host.map_or_else(|| page.gold.record_id.clone(), |host| host.into_owned());
        hosts.entry(host).or_default().push(page);
    }
    hosts
        .into_par_iter()
        .filter(|(_, pages)| pages.len() >= least)
        .flat_map_iter(|(_, pages)| {
            let tables: Vec<&Page> = pages.iter().map(|page| &page.page).collect();
            let kept = method.extract(&tables);
            let ids = pages.into_iter().map(|page| page.gold.record_id.clone());
            ids.zip(kept).collect::<Vec<_>>()
        })
        .collect()
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
    let options = EvalOptions {
        rule: Rule::Characters,
        comments: true,
    };
    for pages in &args.pages {
        let mut set = read_beside(pages)?;
        let mut grouped = FxHashMap::default();
        if let Some(method) = &by_site {
            grouped = by_host(method.as_ref(), &set, args.least_pages.unwrap_or(1));
            set.pages
                .retain(|page| grouped.contains_key(&page.gold.record_id));
        }
        let keep = |page: &LabelledPage| {
            let kept = match &single {
                // A method that is not fitted never gets here.
                Some(method) => method.extract(&page.page).unwrap_or_default(),
                None => grouped
                    .get(&page.gold.record_id)
                    .cloned()
                    .unwrap_or_default(),
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
