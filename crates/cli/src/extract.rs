//! `trommel extract`

use std::fs::File;
use std::io::Read;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, bail};
use clap::{Args, ValueEnum};
use trommel_extract::{ContentPolicy, DocumentOptions, Extractor, Hints, MarkdownOptions};

use crate::models;
use crate::policy::PolicyArgs;

/// Extract the main text of one HTML page
#[derive(Debug, Args)]
pub struct ExtractArgs {
    /// The page; `-` or nothing for standard input
    #[arg(value_name = "FILE", default_value = "-")]
    file: String,
    /// URL of the page
    #[arg(long)]
    url: Option<String>,
    /// Charset that the server named
    #[arg(long, value_name = "LABEL")]
    charset: Option<String>,
    /// Form of the output
    #[arg(short, long, value_enum, default_value_t = Form::Text)]
    format: Form,
    /// Write links into Markdown as [text](address); relative ones need --url, or an absolute base in the page
    #[arg(long)]
    links: bool,
    /// Name of a built-in model, or a model file
    #[arg(long, value_name = "NAME|FILE")]
    model: Option<String>,
    #[command(flatten)]
    policy: PolicyArgs,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Form {
    /// Main text
    Text,
    /// Main text as Markdown (CommonMark with the tables of GitHub)
    Markdown,
    /// Main text and facts of the page, one JSON object
    Json,
    /// Every block, kept or not, with its text, bytes, path, role and probability; one JSON object a line
    Blocks,
}

pub fn run(args: &ExtractArgs) -> anyhow::Result<ExitCode> {
    if args.links && !matches!(args.format, Form::Markdown) {
        bail!("--links needs --format markdown");
    }
    let model = models::load(args.model.as_deref())?;
    let mut bytes = Vec::new();
    if args.file == "-" {
        std::io::stdin()
            .lock()
            .read_to_end(&mut bytes)
            .context("standard input")?;
    } else {
        File::open(&args.file)
            .and_then(|mut file| file.read_to_end(&mut bytes))
            .with_context(|| args.file.clone())?;
    }
    let hints = Hints {
        url: args.url.as_deref(),
        http_charset: args.charset.as_deref(),
        crawl_charset: None,
        date: None,
    };
    let extraction = Extractor::new(Arc::new(model))
        .with_policy(args.policy.over(ContentPolicy::default()))
        .extract(&bytes, &hints);
    match args.format {
        Form::Text => crate::out(&format!("{}\n", extraction.text()))?,
        Form::Markdown => {
            let options = MarkdownOptions { links: args.links };
            crate::out(&extraction.markdown(&options))?;
        }
        Form::Json => {
            let mut object =
                serde_json::to_value(extraction.document(&DocumentOptions::default()))?;
            if let Some(object) = object.as_object_mut() {
                object.remove("blocks");
                object.insert("url".to_owned(), args.url.clone().into());
            }
            crate::out(&format!("{object}\n"))?;
        }
        Form::Blocks => {
            for block in extraction.blocks() {
                crate::out(&format!("{}\n", serde_json::to_string(&block)?))?;
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}
