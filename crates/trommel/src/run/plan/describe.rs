//! Describes a plan in words.

use std::{fmt, fs};

use trommel_record::filters::Filters;

use crate::run::inputs::Input;
use crate::run::plan::Plan;
use crate::run::plan::output::Encoding;

/// Lists what the run would read, do and write, in order: inputs with their stored bytes, stages with their
/// settings, outputs.
impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "inputs: {}", self.inputs.len())?;
        for input in &self.inputs {
            let size = match input {
                Input::File(path) => match fs::metadata(path) {
                    Ok(file) => format!("{} bytes", file.len()),
                    Err(error) => error.to_string(),
                },
                Input::Selection(selection) => format!(
                    "{} records of {} archives, {} bytes",
                    selection.rows().len(),
                    selection.archives().len(),
                    selection.bytes()
                ),
                Input::Url(_) | Input::Stdin => "size not known".to_owned(),
                Input::Packed(packed) => format!("{} bytes", packed.bytes()),
                Input::Pages(pages) => format!("{} pages, {} bytes", pages.files().len(), pages.bytes()),
                Input::Nothing { reason, .. } => reason.clone(),
            };
            writeln!(f, "  {}: {size}", input.name())?;
        }
        writeln!(f, "stages:")?;
        writeln!(f, "  read: {} bytes of a record and {} of a page at most", self.max_record(), self.max_payload())?;
        // In the order of a run: filters of captures come before the page is read, those of documents after.
        let (early, late) = Filters::new(&self.settings.filters).describe_both();
        for stage in early {
            writeln!(f, "  {stage}")?;
        }
        let choices = self.settings.canonical().into_iter();
        let choices = choices.filter(|(_, value)| !matches!(value.as_str(), "" | "[]" | "null"));
        let choices: Vec<String> = choices.map(|(name, value)| format!("{name} {value}")).collect();
        writeln!(f, "  extract: model {}, {}", self.files.model, choices.join(", "))?;
        for stage in late {
            writeln!(f, "  {stage}")?;
        }
        for Encoding { format, compression, by_page } in &self.output.encodings {
            let files = if *by_page { ", a file a page" } else { "" };
            writeln!(f, "  encode: {format}, compression {compression}{files}")?;
        }
        if let Some(size) = self.output.split {
            writeln!(f, "  split: {size} bytes of documents in a part at most")?;
        }
        writeln!(f, "workers: {}", self.jobs())?;
        writeln!(f, "outputs:")?;
        let paths = self.output.paths(&self.inputs);
        if paths.is_empty() {
            writeln!(f, "  standard output")?;
        }
        for path in paths {
            writeln!(f, "  {}", path.display())?;
        }
        Ok(())
    }
}
