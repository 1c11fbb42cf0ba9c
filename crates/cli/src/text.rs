//! Arguments on how text says what a page says by setting.

use clap::{Args, ValueEnum};
use trommel_extract::{MathForm, NoteForm, ScriptForm, TextOptions};

/// How formulas, notes and raised or lowered letters are written.
#[derive(Clone, Copy, Debug, Args)]
pub struct TextArgs {
    /// Formulas
    #[arg(long, value_enum, default_value_t = Math::Tex)]
    math: Math,
    /// Footnotes, and the marks that refer to them
    #[arg(long, value_enum, default_value_t = Notes::Keep)]
    notes: Notes,
    /// Superscripts and subscripts that would run together with what is before them
    #[arg(long, value_enum, default_value_t = Scripts::Caret)]
    scripts: Scripts,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Math {
    /// As TeX, in Markdown between dollar signs
    Tex,
    /// As TeX without dollar signs
    Plain,
    /// Left out
    Off,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Notes {
    /// Behind the text, in Markdown as `[^1]`
    Keep,
    /// Left out
    Drop,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Scripts {
    /// 10^2, x_i
    Caret,
    /// 10², xᵢ, where Unicode has the signs
    Unicode,
}

impl TextArgs {
    /// The options that were asked for.
    pub fn options(self) -> TextOptions {
        let math = match self.math {
            Math::Tex => MathForm::Tex,
            Math::Plain => MathForm::Plain,
            Math::Off => MathForm::Off,
        };
        let notes = match self.notes {
            Notes::Keep => NoteForm::Keep,
            Notes::Drop => NoteForm::Drop,
        };
        let scripts = match self.scripts {
            Scripts::Caret => ScriptForm::Caret,
            Scripts::Unicode => ScriptForm::Unicode,
        };
        TextOptions::default()
            .with_math(math)
            .with_notes(notes)
            .with_scripts(scripts)
    }
}
