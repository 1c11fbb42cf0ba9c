//! `trommel methods`, and the method of `--method`.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::bail;
use clap::Args;
use trommel_learn::{LABEL_SHARE, PageSet};
use trommel_methods::{Example, Method, all, by_name};

use crate::labelled::read_beside;

/// List the published methods, with a line and a citation each
#[derive(Debug, Args)]
pub struct MethodsArgs {}

/// The choice of a published method instead of a model.
#[derive(Debug, Args)]
pub struct MethodArgs {
    /// Use a published method instead of a model; `trommel methods` lists them
    #[arg(long, value_name = "NAME")]
    method: Option<String>,
    /// Labelled archives to fit the method on, if it learns (gold beside each, as for train)
    #[arg(long, num_args = 1.., value_name = "WARC", requires = "method")]
    fit: Vec<PathBuf>,
}

impl MethodArgs {
    /// The method, fitted if it learns; `None` if no method was asked for.
    pub fn fitted(&self) -> anyhow::Result<Option<Box<dyn Method>>> {
        let Some(name) = &self.method else {
            return Ok(None);
        };
        let Some(mut method) = by_name(name) else {
            let names: Vec<&str> = all().iter().map(|method| method.about().name).collect();
            bail!(
                "unknown method {name}, expected one of {}",
                names.join(", ")
            );
        };
        if method.about().learns {
            if self.fit.is_empty() {
                bail!("{name} learns: name labelled archives to fit it on with --fit");
            }
            let mut sets = Vec::new();
            for pages in &self.fit {
                sets.push(read_beside(pages)?);
            }
            fit(method.as_mut(), &sets)?;
        } else if !self.fit.is_empty() {
            bail!("{name} does not learn: --fit does nothing for it");
        }
        Ok(Some(method))
    }
}

fn fit(method: &mut dyn Method, sets: &[PageSet]) -> anyhow::Result<()> {
    let labels: Vec<Vec<Vec<bool>>> = sets
        .iter()
        .map(|set| set.labels(true, LABEL_SHARE))
        .collect();
    let examples: Vec<Example> = sets
        .iter()
        .zip(&labels)
        .flat_map(|(set, labels)| set.examples(labels))
        .collect();
    Ok(method.fit(&examples)?)
}

pub fn run(_: &MethodsArgs) -> anyhow::Result<ExitCode> {
    for method in all() {
        let about = method.about();
        let learns = if about.learns { " (learns)" } else { "" };
        crate::out(&format!(
            "{}{learns}\n    {}\n    {}\n",
            about.name, about.line, about.citation
        ))?;
    }
    Ok(ExitCode::SUCCESS)
}
