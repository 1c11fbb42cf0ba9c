//! A plan in words.

use std::{fmt, fs};

use crate::{Input, Plan};

/// What the run would read, do and write, in order: inputs with their stored bytes, stages with their
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
                Input::Nothing { reason, .. } => (*reason).to_owned(),
            };
            writeln!(f, "  {}: {size}", input.name())?;
        }
        writeln!(f, "stages:")?;
        writeln!(
            f,
            "  read: {} bytes of a record and {} of a page at most",
            self.max_record, self.max_payload
        )?;
        let (early, late) = self.filters.describe_both();
        for stage in early {
            writeln!(f, "  {stage}")?;
        }
        let recipe: Vec<String> = self
            .recipe
            .iter()
            .map(|(name, value)| format!("{name} {value}"))
            .collect();
        writeln!(f, "  extract: {}", recipe.join(", "))?;
        for stage in late {
            writeln!(f, "  {stage}")?;
        }
        let output = &self.output;
        writeln!(
            f,
            "  encode: {}, compression {}",
            output.format, output.compression
        )?;
        writeln!(f, "workers: {}", self.jobs)?;
        writeln!(f, "outputs:")?;
        let mut targets: Vec<String> = output
            .shards(&self.inputs)
            .iter()
            .map(|shard| {
                let target = self.target(shard);
                target.map_or("standard output".to_owned(), |path| {
                    path.to_string_lossy().into_owned()
                })
            })
            .collect();
        targets.dedup();
        for target in targets {
            writeln!(f, "  {target}")?;
        }
        Ok(())
    }
}
