//! Finds the minimum of a smooth function by the L-BFGS of argmin.

use std::sync::{Mutex, PoisonError};

use argmin::core::{CostFunction, Error, Executor, Gradient, State};
use argmin::solver::linesearch::MoreThuenteLineSearch;
use argmin::solver::quasinewton::LBFGS;
use ndarray::Array1;

use crate::error::LearnError;

/// Past steps that L-BFGS remembers.
const MEMORY: usize = 10;

/// Conditions for stopping the solver.
pub(super) struct Stop {
    pub steps: u64,
    /// Size of the gradient.
    pub gradient: f64,
}

/// The parameters, `width` of them, at which the cost is least. `function` gives the cost and the gradient at a point.
///
/// # Errors
/// If the solver fails.
pub(super) fn minimum<F>(function: F, width: usize, stop: &Stop) -> Result<Array1<f64>, LearnError>
where
    F: Fn(&Array1<f64>) -> (f64, Array1<f64>),
{
    let failed = |error: Error| LearnError::Solver(error.to_string());
    let solver = LBFGS::new(MoreThuenteLineSearch::new(), MEMORY).with_tolerance_grad(stop.gradient).map_err(failed)?;
    let result = Executor::new(Function { function, last: Mutex::default() }, solver)
        .configure(|state| state.param(Array1::zeros(width)).max_iters(stop.steps))
        .run()
        .map_err(failed)?;
    let best = result.state().get_best_param().cloned();
    best.ok_or_else(|| LearnError::Solver("no solution was found".into()))
}

struct Function<F> {
    function: F,
    /// The solver asks for cost and gradient of one point one after the other.
    last: Mutex<Option<Point>>,
}

/// Parameters, cost and gradient.
type Point = (Array1<f64>, f64, Array1<f64>);

impl<F: Fn(&Array1<f64>) -> (f64, Array1<f64>)> Function<F> {
    fn at(&self, param: &Array1<f64>) -> (f64, Array1<f64>) {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, cost, gradient)) = last.as_ref().filter(|(known, ..)| known == param) {
            return (*cost, gradient.clone());
        }
        let (cost, gradient) = (self.function)(param);
        *last = Some((param.clone(), cost, gradient.clone()));
        (cost, gradient)
    }
}

impl<F: Fn(&Array1<f64>) -> (f64, Array1<f64>)> CostFunction for Function<F> {
    type Param = Array1<f64>;
    type Output = f64;

    fn cost(&self, param: &Array1<f64>) -> Result<f64, Error> {
        Ok(self.at(param).0)
    }
}

impl<F: Fn(&Array1<f64>) -> (f64, Array1<f64>)> Gradient for Function<F> {
    type Param = Array1<f64>;
    type Gradient = Array1<f64>;

    fn gradient(&self, param: &Array1<f64>) -> Result<Array1<f64>, Error> {
        Ok(self.at(param).1)
    }
}
