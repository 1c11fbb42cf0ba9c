//! `trommel-lab methods`, and the method of `--method`.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use clap::Args;
use trommel_lab::methods::{Example, Method, SiteMethod, all, all_by_site, by_name};
use trommel_learn::{LABEL_SHARE, PageSet, gold_beside, read_set};

/// List the published methods, with a line and a citation each
#[derive(Debug, Args)]
pub struct MethodsArgs {}

/// The choice of a published method.
#[derive(Debug, Args)]
pub struct MethodArgs {
    /// The method; `trommel-lab methods` lists them
    #[arg(long, value_name = "NAME")]
    method: String,
    /// Labelled archives to fit the method on, if it learns (gold beside each: NAME.gold.jsonl.gz for
    /// NAME.warc.gz)
    #[arg(long, num_args = 1.., value_name = "WARC")]
    fit: Vec<PathBuf>,
}

impl MethodArgs {
    /// The method, if it looks at several pages of a site.
    pub fn by_site(&self) -> anyhow::Result<Option<Box<dyn SiteMethod>>> {
        let mut found = all_by_site().into_iter();
        let found = found.find(|method| method.about().name == self.method);
        if let Some(method) = &found
            && !self.fit.is_empty()
        {
            bail!("{} does not learn: --fit does nothing for it", method.about().name);
        }
        Ok(found)
    }

    /// The method, fitted if it learns.
    pub fn fitted(&self) -> anyhow::Result<Box<dyn Method>> {
        let name = &self.method;
        if self.by_site()?.is_some() {
            bail!("{name} compares the pages of a site: score it by `eval --group-by host`");
        }
        let Some(mut method) = by_name(name) else {
            let names: Vec<&str> = all().iter().map(|method| method.about().name).collect();
            bail!("unknown method {name}, expected one of {}", names.join(", "));
        };
        if method.about().learns {
            if self.fit.is_empty() {
                bail!("{name} learns: name labelled archives to fit it on with --fit");
            }
            let sets: Vec<PageSet> = self.fit.iter().map(|pages| read_beside(pages)).collect::<anyhow::Result<_>>()?;
            fit(method.as_mut(), &sets)?;
        } else if !self.fit.is_empty() {
            bail!("{name} does not learn: --fit does nothing for it");
        }
        Ok(method)
    }
}

fn fit(method: &mut dyn Method, sets: &[PageSet]) -> anyhow::Result<()> {
    let labels: Vec<Vec<Vec<bool>>> = sets.iter().map(|set| set.labels(true, LABEL_SHARE)).collect();
    let examples: Vec<Example> = sets.iter().zip(&labels).flat_map(|(set, labels)| set.examples(labels)).collect();
    Ok(method.fit(&examples)?)
}

/// Reads a set whose gold file stands beside its archive.
pub fn read_beside(pages: &Path) -> anyhow::Result<PageSet> {
    let gold = gold_beside(pages).with_context(|| format!("{}: cannot tell its gold file", pages.display()))?;
    Ok(read_set(pages, &gold)?)
}

pub fn run(_: &MethodsArgs) -> anyhow::Result<()> {
    let single = all().into_iter().map(|method| *method.about());
    let by_site = all_by_site().into_iter().map(|method| *method.about());
    for about in single.chain(by_site) {
        let learns = if about.learns { " (learns)" } else { "" };
        crate::out(&format!("{}{learns}\n    {}\n    {}\n", about.name, about.line, about.citation))?;
    }
    Ok(())
}
