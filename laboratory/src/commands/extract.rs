//! `trommel-lab extract`

use std::fs;
use std::io::Read as _;

use anyhow::Context as _;
use clap::{Args, ValueEnum};
use trommel_extract::{Extraction, Hints, MarkdownOptions, Verdicts};
use trommel_html::{Engine as _, Limits, ScanEngine, charset};
use trommel_lab::methods::{Method, to_xml};
use trommel_model::Choice;

use super::methods::MethodArgs;

/// Extract the main text of one HTML page by a published method
#[derive(Debug, Args)]
pub struct MethodExtractArgs {
    /// The page; `-` or nothing for standard input
    #[arg(value_name = "FILE", default_value = "-")]
    file: String,
    /// URL of the page
    #[arg(long)]
    url: Option<String>,
    /// Form of the output
    #[arg(short, long, value_enum, default_value_t = Form::Text)]
    format: Form,
    #[command(flatten)]
    method: MethodArgs,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Form {
    /// Main text
    Text,
    /// Main text as Markdown, with links
    Markdown,
    /// Every block, kept or not; one JSON object a line
    Blocks,
    /// The whole page as well-formed XML, whatever the method keeps
    Xml,
}

pub fn run(args: &MethodExtractArgs) -> anyhow::Result<()> {
    let method = args.method.fitted()?;
    let mut bytes = Vec::new();
    if args.file == "-" {
        let read = std::io::stdin().lock().read_to_end(&mut bytes);
        read.context("standard input")?;
    } else {
        bytes = fs::read(&args.file).with_context(|| args.file.clone())?;
    }
    let hints = Hints { url: args.url.as_deref(), http_charset: None, crawl_charset: None, date: None };
    if let Form::Xml = args.format {
        let decoded = charset::decode(&bytes, &hints.charset());
        let page = ScanEngine.read(&decoded.text, &Limits::default());
        return crate::out(&to_xml(&page));
    }
    let extraction = by_method(method.as_ref(), &bytes, &hints)?;
    match args.format {
        Form::Markdown => {
            let options = MarkdownOptions::default().with_links(true);
            crate::out(&extraction.markdown(&options))?;
        }
        Form::Blocks => {
            for block in extraction.blocks() {
                crate::out(&format!("{}\n", serde_json::to_string(&block)?))?;
            }
        }
        Form::Text | Form::Xml => crate::out(&format!("{}\n", extraction.text()))?,
    }
    Ok(())
}

/// A page judged by a published method: it gives verdicts but neither probabilities (they are 0 or
/// 1) nor a confidence (0).
fn by_method<'a>(method: &dyn Method, bytes: &'a [u8], hints: &Hints<'a>) -> anyhow::Result<Extraction<'a>> {
    let decoded = charset::decode(bytes, &hints.charset());
    let page = ScanEngine.read_styled(&decoded.text, &Limits::default());
    let kept = method.extract_from(&page, &decoded.text)?;
    let probabilities: Vec<f32> = kept.iter().map(|kept| f32::from(u8::from(*kept))).collect();
    let choice = Choice { kept, expected_f1: 0.0 };
    Ok(Extraction::new(decoded, page, Verdicts::of_method(probabilities, choice), hints))
}
