//! `trommel extract`

use std::fs::File;
use std::io::Read;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context;
use clap::{Args, ValueEnum};
use trommel::{Document, Extractor, Hints, charset_hints, document, markdown};
use trommel_html::{Engine, Limits, LolEngine, charset};
use trommel_methods::{Method, to_xml};
use trommel_model::Choice;

use crate::methods::MethodArgs;
use crate::models;

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
    /// Form of the output: the text; Markdown; one JSON object; every block with its probability, one JSON
    /// object a line; or the whole page as well-formed XML
    #[arg(short, long, value_enum, default_value_t = Form::Text)]
    format: Form,
    /// Name of a built-in model, or a model file
    #[arg(long, value_name = "NAME|FILE", conflicts_with = "method")]
    model: Option<String>,
    #[command(flatten)]
    method: MethodArgs,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Form {
    Text,
    Markdown,
    Json,
    Blocks,
    Xml,
}

pub fn run(args: &ExtractArgs) -> anyhow::Result<ExitCode> {
    let method = args.method.fitted()?;
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
    let extract = || match &method {
        Some(method) => by_method(method.as_ref(), &bytes, &hints),
        None => Ok(Extractor::new(Arc::new(model.clone())).extract(&bytes, &hints)),
    };
    match args.format {
        Form::Text => crate::out(&format!("{}\n", extract()?.text))?,
        Form::Markdown => crate::out(&markdown(&extract()?))?,
        Form::Json => {
            let mut object = serde_json::to_value(extract()?)?;
            if let Some(object) = object.as_object_mut() {
                object.remove("blocks");
                object.insert("url".to_owned(), args.url.clone().into());
            }
            crate::out(&format!("{object}\n"))?;
        }
        Form::Blocks => {
            for block in &extract()?.blocks {
                crate::out(&format!("{}\n", serde_json::to_string(block)?))?;
            }
        }
        Form::Xml => {
            let decoded = charset::decode(&bytes, &charset_hints(&hints));
            crate::out(&to_xml(&LolEngine.read(&decoded.text, &Limits::default())))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The document of a page by a published method: it gives verdicts but neither probabilities (they
/// are 0 or 1) nor a confidence (0).
fn by_method(method: &dyn Method, bytes: &[u8], hints: &Hints) -> anyhow::Result<Document> {
    let decoded = charset::decode(bytes, &charset_hints(hints));
    let page = LolEngine.read(&decoded.text, &Limits::default());
    let kept = method.extract(&page)?;
    let probabilities: Vec<f32> = kept.iter().map(|kept| f32::from(u8::from(*kept))).collect();
    let choice = Choice {
        kept,
        expected_f1: 0.0,
    };
    Ok(document(&decoded, &page, hints, &probabilities, &choice))
}
