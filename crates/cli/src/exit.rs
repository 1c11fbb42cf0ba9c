//! Exit codes of the program.

use std::process::ExitCode;

use trommel::run::{Outcome, Summary};

use crate::messages::say;

/// The end of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// All went well; of `search`, something was found.
    Clean,
    /// Some records failed, the others are there; of `search`, nothing was found.
    SomeFailed,
    /// Nothing is there: wrong usage, or an error that ended the command.
    Fatal,
    /// A panic ended the program, with the code that Rust gives.
    Panicked,
    /// Ctrl-C ended the command, with the code that shells give.
    Interrupted,
}

impl Exit {
    /// Its number.
    pub const fn code(self) -> u8 {
        match self {
            Self::Clean => 0,
            Self::SomeFailed => 1,
            Self::Fatal => 2,
            Self::Panicked => 101,
            Self::Interrupted => 130,
        }
    }
}

impl Exit {
    /// The end of a command that read archives. Its last line says why it is not clean.
    pub fn of_run(summary: &Summary) -> Self {
        let exit = Self::from(summary.outcome());
        if let (Self::SomeFailed, Some(faults)) = (exit, summary.faults()) {
            exit.because(&faults);
        }
        exit
    }

    /// Says why a command ends so, as its last line: the reader of a log looks there.
    pub fn because(self, why: &str) {
        say(&format!("exit {}: {why}", self.code()));
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

impl From<Outcome> for Exit {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Clean => Self::Clean,
            Outcome::Partial => Self::SomeFailed,
            Outcome::Nothing => Self::Fatal,
        }
    }
}
