//! Reports the progress of a run.

/// Counts of a run at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct ProgressState {
    /// Stored bytes read.
    pub bytes: u64,
    /// Stored bytes of all inputs; none if standard input is among them.
    // Without it a bar can count, but not say how much is left.
    pub total: Option<u64>,
    /// Records done.
    pub records: u64,
    /// Documents written.
    pub documents: u64,
    /// Records that failed.
    pub failures: u64,
}

/// Receives the progress of a run: several times a second, and once at the end.
pub trait Progress {
    /// Takes note of the counts.
    fn update(&mut self, state: &ProgressState);
}

/// Takes no note.
impl Progress for () {
    fn update(&mut self, _: &ProgressState) {}
}
