//! `trommel-lab eval`

use std::path::PathBuf;

use clap::Args;
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
    /// Print one JSON object a set
    #[arg(long)]
    json: bool,
}

pub fn run(args: &MethodEvalArgs) -> anyhow::Result<()> {
    let method = args.method.fitted()?;
    let options = EvalOptions {
        rule: Rule::Characters,
        comments: true,
    };
    for pages in &args.pages {
        let set = read_beside(pages)?;
        let keep = |page: &LabelledPage| {
            // A method that is not fitted never gets here.
            let kept = method.extract(&page.page).unwrap_or_default();
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
