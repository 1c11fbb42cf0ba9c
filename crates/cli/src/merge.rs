//! `trommel merge`: takes the texts of another extractor into the outputs of a run.

use std::path::PathBuf;

use clap::Args;
use trommel_pipeline::{MergeRequest, Merged};

use crate::assemble::like;
use crate::exit::Exit;
use crate::messages::{fail, say};

/// Put the texts of another extractor into the outputs of a run, for the pages of --hard-to
#[derive(Debug, Args)]
#[command(
    after_help = "A text is a line {\"id\": ..., \"text\": ...} with the id of a document, and optionally title, \
markdown and by. Documents keep their order and number; the key `by` of a document names the extractor. The exit \
code is 1 if a line cannot be used."
)]
pub struct MergeArgs {
    /// Output of `run`, or a folder of such outputs: JSON lines, MessagePack or Parquet
    #[arg(value_name = "OUT")]
    output: PathBuf,
    /// Texts: JSON lines, plain or in gzip or zstd
    #[arg(value_name = "TEXTS.jsonl", required = true)]
    texts: Vec<PathBuf>,
    /// File or folder for the merged outputs. Without it they replace the old ones
    #[arg(short = 'o', long = "output", value_name = "NEW")]
    target: Option<PathBuf>,
    /// Use the key markdown of a line, if it has one, for outputs of `run --markdown`
    #[arg(long)]
    markdown: bool,
}

pub fn run(args: MergeArgs) -> anyhow::Result<Exit> {
    let MergeArgs { output, texts, target, markdown } = args;
    let request = MergeRequest { output, texts, target, is_markdown: markdown };
    let Merged { outputs, documents, replaced, passed_over, faults } = request.merge(&like)?;
    for path in passed_over {
        say(&format!("{}: passed over, documents cannot be read back from it", path.display()));
    }
    for fault in &faults {
        fail(fault);
    }
    say(&format!(
        "{replaced} of {documents} documents have another text, in {outputs} outputs; {} lines left out",
        faults.len()
    ));
    Ok(if faults.is_empty() { Exit::Clean } else { Exit::SomeFailed })
}
