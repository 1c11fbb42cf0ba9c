//! A run as a stream of typed events, for programs that take the documents themselves.

use std::io;

use crate::Settings;
use trommel_record::OutputRecord;

use crate::run::counts::summary::Summary;
use crate::run::environment::Environment;
use crate::run::error::RunError;
use crate::run::events::{RunEvent, RunPosition, TakeEvent};
use crate::run::execution::execute;
use crate::run::execution::lanes::Caller;
use crate::run::inputs::Input;
use crate::run::plan::Plan;
use crate::run::plan::output::Output;
use crate::run::work::record::Extract;
use crate::run::work::worker::MapDocument;

/// A run whose documents go to the caller. `T` is a document as the caller takes it.
pub struct Run<'a, T = OutputRecord> {
    plan: Plan,
    extract: &'a Extract<'a>,
    map: Box<MapDocument<'a, T>>,
    start: Option<RunPosition>,
}

impl<'a> Run<'a> {
    /// Reads `inputs` under `settings` and extracts pages with `extract`.
    pub fn new(settings: Settings, inputs: Vec<Input>, extract: &'a Extract<'a>) -> Self {
        Self::of_plan(&Plan::new(inputs, Output::caller()).with_settings(settings), extract)
    }

    /// The run of a plan, whose output is ignored.
    pub fn of_plan(plan: &Plan, extract: &'a Extract<'a>) -> Self {
        let plan = Plan { output: Output::caller(), ..plan.clone() };
        Self { plan, extract, map: Box::new(|record| record), start: None }
    }
}

impl<'a, T: Send> Run<'a, T> {
    /// Sets the function by which workers turn each document into the caller's form, in any order. Encoding belongs
    /// here, because [`Run::each`] calls its function on one thread.
    #[must_use]
    pub fn map<U: Send>(self, map: impl Fn(T) -> U + Sync + 'a) -> Run<'a, U>
    where
        T: 'a,
    {
        let before = self.map;
        let map = Box::new(move |record| map(before(record)));
        Run { plan: self.plan, extract: self.extract, map, start: self.start }
    }

    /// Starts at a position that an earlier run with the same settings and inputs gave. A run that gives no positions
    /// ends with [`RunError::Start`].
    #[must_use]
    pub fn starting_at(mut self, position: RunPosition) -> Self {
        self.start = Some(position);
        self
    }

    /// Reads all inputs, and gives `take` each event in order.
    ///
    /// # Errors
    /// As for a whole run; an error of `take` ends it.
    pub fn each(self, environment: Environment<'_>, take: &mut TakeEvent<'_, T>) -> Result<Summary, RunError> {
        self.execute(environment, true, take)
    }

    /// Reads all inputs, and gives `take` the documents in order.
    ///
    /// # Errors
    /// As for [`Run::each`].
    pub fn documents(
        self,
        environment: Environment<'_>,
        mut take: impl FnMut(T) -> io::Result<()>,
    ) -> Result<Summary, RunError> {
        self.execute(environment, false, &mut |event, _| match event {
            RunEvent::Document(document) => take(document),
            _ => Ok(()),
        })
    }

    fn execute(
        self,
        environment: Environment<'_>,
        wants_drops: bool,
        take: &mut TakeEvent<'_, T>,
    ) -> Result<Summary, RunError> {
        let mut take = |event, position| take(event, position).map_err(RunError::Caller);
        let caller = Caller { map: &*self.map, take: &mut take, wants_drops, start: self.start };
        execute(&self.plan, self.extract, environment, Some(caller))
    }
}
