//! L2 logistic regression over binned features and chosen crosses of two, by the L-BFGS of argmin.
//!
//! A feature's step function is written as a sum of steps up at its edges, and the penalty is on the
//! steps: neighbouring bins stay close unless the data says otherwise, so many bins cost little. The
//! crosses are the pairs whose table of residuals gains most once the single features are fitted (the
//! ranking of Lou, Caruana, Gehrke and Hooker, KDD 2013). Cost and gradient take two passes over the
//! bins, one look-up or one addition each.

use std::sync::Mutex;

use argmin::core::{CostFunction, Error, Executor, Gradient, State};
use argmin::solver::linesearch::MoreThuenteLineSearch;
use argmin::solver::quasinewton::LBFGS;
use ndarray::Array1;
use rayon::prelude::*;
use trommel_model::{Additive, Cross, Steps};

use crate::bins::Binned;
use crate::crosses::{best_pairs, coarse};
use crate::error::LearnError;

/// Steps after which the solver stops.
const STEPS: u64 = 100;
/// Steps of the fit without crosses, which only ranks them.
const FIRST_STEPS: u64 = 40;
/// Size of the gradient of the mean loss at which the solver stops.
const GRADIENT: f64 = 3e-5;
/// Past steps that L-BFGS remembers.
const MEMORY: usize = 10;
/// Rows a unit of work; partial sums are added in row order.
const ROWS: usize = 1 << 15;

/// Penalties of a fit, each the strength of an L2 term against the weighted mean loss of a row.
#[derive(Clone, Copy, Debug)]
pub struct AdditiveOptions {
    /// On the steps of single features.
    pub steps: f64,
    /// On the cells of crosses.
    pub cells: f64,
    /// Number of crosses.
    pub crosses: usize,
}

/// Fits the log odds of a true label.
///
/// # Errors
/// If there are no rows, all of them have one label, or the solver fails.
pub fn fit_additive(
    table: &Binned,
    labels: &[bool],
    weights: &[f32],
    options: &AdditiveOptions,
) -> Result<Additive, LearnError> {
    if table.rows == 0 || table.columns.is_empty() {
        return Err(LearnError::Nothing("no blocks"));
    }
    if labels.iter().all(|label| *label == labels[0]) {
        return Err(LearnError::Nothing("all blocks have the same label"));
    }
    let singles: Vec<Column> = table
        .columns
        .iter()
        .zip(&table.edges)
        .map(|(bins, edges)| Column::new(bins, edges.len() + 1, true, options.steps, weights))
        .collect();
    let data = Data { labels, weights };
    if options.crosses == 0 {
        let solved = solve(&singles, &data, STEPS)?;
        return Ok(model(table, &singles, &solved, &[], &[]));
    }
    let first = solve(&singles, &data, FIRST_STEPS)?;
    let residuals = first.residuals(&singles, &data);
    let coarse: Vec<(Vec<u8>, Vec<u8>)> = coarse(table, weights);
    let pairs = best_pairs(&coarse, &residuals, weights, options.crosses);
    let cells: Vec<(Vec<u8>, usize)> = pairs
        .par_iter()
        .map(|(a, b)| {
            let ((bins_a, cuts_a), (bins_b, cuts_b)) = (&coarse[*a], &coarse[*b]);
            let width = cuts_b.len() + 1;
            let bins = bins_a.iter().zip(bins_b);
            (
                bins.map(|(a, b)| a * width as u8 + b).collect(),
                (cuts_a.len() + 1) * width,
            )
        })
        .collect();
    let mut columns = singles;
    columns.extend(
        cells
            .iter()
            .map(|(bins, count)| Column::new(bins, *count, false, options.cells, weights)),
    );
    let solved = solve(&columns, &data, STEPS)?;
    Ok(model(table, &columns, &solved, &pairs, &coarse))
}

/// The model of a solution.
fn model(
    table: &Binned,
    columns: &[Column],
    solved: &Solved,
    pairs: &[(usize, usize)],
    coarse: &[(Vec<u8>, Vec<u8>)],
) -> Additive {
    let tables = solved.tables(columns);
    let is_used = |weights: &[f32]| weights.iter().any(|weight| weight.abs() > 1e-6);
    let (singles, cells) = tables.split_at(table.columns.len());
    Additive {
        intercept: solved.param[0] as f32,
        steps: singles
            .iter()
            .enumerate()
            .filter(|(_, weights)| is_used(weights))
            .map(|(column, weights)| Steps {
                column: column as u16,
                edges: table.edges[column].clone(),
                weights: weights.clone(),
            })
            .collect(),
        crosses: pairs
            .iter()
            .zip(cells)
            .filter(|(_, weights)| is_used(weights))
            .map(|((a, b), weights)| {
                let cut = |column: usize| -> Vec<f32> {
                    let cuts = &coarse[column].1;
                    cuts.iter()
                        .map(|at| table.edges[column][usize::from(*at)])
                        .collect()
                };
                Cross {
                    columns: (*a as u16, *b as u16),
                    edges: (cut(*a), cut(*b)),
                    weights: weights.clone(),
                }
            })
            .collect(),
    }
}

struct Data<'a> {
    labels: &'a [bool],
    weights: &'a [f32],
}

/// Bins of a feature or a cross, and what its parameters mean.
struct Column<'a> {
    bins: &'a [u8],
    /// Number of bins.
    count: usize,
    /// Whether the parameters are steps between bins (one fewer than bins) or cells.
    cumulative: bool,
    penalty: f64,
    /// Standard deviation of each parameter's indicator: a step is as strong as its indicator varies,
    /// as with standardised features.
    scales: Vec<f64>,
}

impl<'a> Column<'a> {
    fn new(bins: &'a [u8], count: usize, cumulative: bool, penalty: f64, weights: &[f32]) -> Self {
        let mut mass = vec![0.0f64; count];
        let mut total = 0.0;
        for (bin, weight) in bins.iter().zip(weights) {
            mass[usize::from(*bin)] += f64::from(*weight);
            total += f64::from(*weight);
        }
        let deviation = |share: f64| (share * (1.0 - share)).max(1e-6).sqrt();
        let scales = if cumulative {
            let mut above = 1.0;
            mass.iter()
                .take(count - 1)
                .map(|own| {
                    above -= own / total;
                    deviation(above)
                })
                .collect()
        } else {
            mass.iter().map(|own| deviation(own / total)).collect()
        };
        Self {
            bins,
            count,
            cumulative,
            penalty,
            scales,
        }
    }

    /// The weight of each bin, from its parameters.
    fn table(&self, param: &[f64]) -> Vec<f32> {
        let own = param.iter().zip(&self.scales).map(|(p, scale)| p / scale);
        if self.cumulative {
            let mut sum = 0.0;
            std::iter::once(0.0)
                .chain(own.map(|step| {
                    sum += step;
                    sum as f32
                }))
                .collect()
        } else {
            own.map(|cell| cell as f32).collect()
        }
    }

    /// The gradient of its parameters, from the sums of the residuals of its bins.
    fn gradient(&self, sums: &[f64], total: f64, param: &[f64], gradient: &mut [f64]) {
        let mut above = 0.0;
        for at in (0..gradient.len()).rev() {
            let own = if self.cumulative {
                above += sums[at + 1];
                above
            } else {
                sums[at]
            };
            gradient[at] = own / total / self.scales[at] + 2.0 * self.penalty * param[at];
        }
    }
}

struct Solved {
    param: Vec<f64>,
}

impl Solved {
    fn tables(&self, columns: &[Column]) -> Vec<Vec<f32>> {
        let mut start = 1;
        columns
            .iter()
            .map(|column| {
                let own = &self.param[start..start + column.scales.len()];
                start += column.scales.len();
                column.table(own)
            })
            .collect()
    }

    /// Weighted residuals of the rows: what the next part would have to explain.
    fn residuals(&self, columns: &[Column], data: &Data) -> Vec<f32> {
        let tables = self.tables(columns);
        residuals(columns, &tables, self.param[0] as f32, data).1
    }
}

/// The weighted loss and each row's residual (its weight times probability less label).
fn residuals(
    columns: &[Column],
    tables: &[Vec<f32>],
    intercept: f32,
    data: &Data,
) -> (f64, Vec<f32>) {
    let rows = data.labels.len();
    let chunks: Vec<(f64, Vec<f32>)> = (0..rows.div_ceil(ROWS))
        .into_par_iter()
        .map(|chunk| {
            let range = chunk * ROWS..rows.min((chunk + 1) * ROWS);
            let mut scores = vec![intercept; range.len()];
            for (column, table) in columns.iter().zip(tables) {
                for (score, bin) in scores.iter_mut().zip(&column.bins[range.clone()]) {
                    *score += table[usize::from(*bin)];
                }
            }
            let mut loss = 0.0;
            for ((score, label), weight) in scores
                .iter_mut()
                .zip(&data.labels[range.clone()])
                .zip(&data.weights[range])
            {
                let z = f64::from(*score);
                let y = f64::from(u8::from(*label));
                let weight = f64::from(*weight);
                // log(1 + e^z) without overflow
                loss += weight * (z.max(0.0) + (-z.abs()).exp().ln_1p() - y * z);
                *score = (weight * (1.0 / (1.0 + (-z).exp()) - y)) as f32;
            }
            (loss, scores)
        })
        .collect();
    let loss = chunks.iter().map(|(loss, _)| loss).sum();
    (
        loss,
        chunks.into_iter().flat_map(|(_, part)| part).collect(),
    )
}

fn solve(columns: &[Column], data: &Data, steps: u64) -> Result<Solved, LearnError> {
    let params = 1 + columns
        .iter()
        .map(|column| column.scales.len())
        .sum::<usize>();
    let problem = Loss {
        columns,
        data,
        total: data.weights.iter().map(|w| f64::from(*w)).sum(),
        last: Mutex::default(),
    };
    let solver = LBFGS::new(MoreThuenteLineSearch::new(), MEMORY)
        .with_tolerance_grad(GRADIENT)
        .map_err(|error| LearnError::Solver(error.to_string()))?;
    let result = Executor::new(problem, solver)
        .configure(|state| state.param(Array1::zeros(params)).max_iters(steps))
        .run()
        .map_err(|error| LearnError::Solver(error.to_string()))?;
    let best = result
        .state()
        .get_best_param()
        .ok_or_else(|| LearnError::Solver("no solution was found".into()))?;
    Ok(Solved {
        param: best.to_vec(),
    })
}

struct Loss<'a> {
    columns: &'a [Column<'a>],
    data: &'a Data<'a>,
    total: f64,
    /// The solver asks for cost and gradient of one point one after the other.
    last: Mutex<Option<(Array1<f64>, f64, Array1<f64>)>>,
}

impl Loss<'_> {
    fn at(&self, param: &Array1<f64>) -> (f64, Array1<f64>) {
        let mut last = self
            .last
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some((_, cost, gradient)) = last.as_ref().filter(|(known, ..)| known == param) {
            return (*cost, gradient.clone());
        }
        let (cost, gradient) = self.compute(param);
        *last = Some((param.clone(), cost, gradient.clone()));
        (cost, gradient)
    }

    fn compute(&self, param: &Array1<f64>) -> (f64, Array1<f64>) {
        let solved = Solved {
            param: param.to_vec(),
        };
        let tables = solved.tables(self.columns);
        let (loss, residuals) = residuals(self.columns, &tables, param[0] as f32, self.data);
        let by_column: Vec<Vec<f64>> = self
            .columns
            .par_iter()
            .map(|column| {
                let mut sums = vec![0.0f64; column.count];
                for (bin, residual) in column.bins.iter().zip(&residuals) {
                    sums[usize::from(*bin)] += f64::from(*residual);
                }
                sums
            })
            .collect();
        let mut gradient = vec![0.0; param.len()];
        gradient[0] = residuals.iter().map(|r| f64::from(*r)).sum::<f64>() / self.total;
        let mut cost = loss / self.total;
        let mut start = 1;
        for (column, sums) in self.columns.iter().zip(&by_column) {
            let range = start..start + column.scales.len();
            start = range.end;
            let own = &solved.param[range.clone()];
            column.gradient(sums, self.total, own, &mut gradient[range]);
            cost += column.penalty * own.iter().map(|p| p * p).sum::<f64>();
        }
        (cost, Array1::from_vec(gradient))
    }
}

impl CostFunction for Loss<'_> {
    type Param = Array1<f64>;
    type Output = f64;

    fn cost(&self, param: &Array1<f64>) -> Result<f64, Error> {
        Ok(self.at(param).0)
    }
}

impl Gradient for Loss<'_> {
    type Param = Array1<f64>;
    type Gradient = Array1<f64>;

    fn gradient(&self, param: &Array1<f64>) -> Result<Array1<f64>, Error> {
        Ok(self.at(param).1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(penalty: f64, crosses: usize) -> AdditiveOptions {
        AdditiveOptions {
            steps: penalty,
            cells: penalty,
            crosses,
        }
    }

    #[test]
    fn a_hump_is_learned() {
        // Content in the middle of the range only: no single weight could tell.
        let data: Vec<f32> = (0..3000).map(|row| (row % 100) as f32).collect();
        let labels: Vec<bool> = data.iter().map(|v| (40.0..60.0).contains(v)).collect();
        let weights = vec![1.0; data.len()];
        let table = Binned::new(&data, 1, &weights, 20);
        let model = fit_additive(&table, &labels, &weights, &options(1e-5, 0)).unwrap();
        assert!(model.is_sound(1));
        let right = data
            .iter()
            .zip(&labels)
            .filter(|(v, label)| (model.log_odds(&[**v]) > 0.0) == **label)
            .count();
        assert_eq!(right, data.len());
    }

    #[test]
    fn a_cross_learns_what_single_features_cannot() {
        let mut data = Vec::new();
        let mut labels = Vec::new();
        for row in 0..4000u32 {
            let (x, y, z) = (row % 2, row / 2 % 2, row / 4 % 5);
            data.extend([x as f32, z as f32, y as f32]);
            labels.push(x != y);
        }
        let weights = vec![1.0; labels.len()];
        let table = Binned::new(&data, 3, &weights, 8);
        let model = fit_additive(&table, &labels, &weights, &options(1e-5, 1)).unwrap();
        assert_eq!(model.crosses[0].columns, (0, 2));
        assert!(model.is_sound(3));
        let right = data
            .chunks_exact(3)
            .zip(&labels)
            .filter(|(row, label)| (model.log_odds(row) > 0.0) == **label)
            .count();
        assert_eq!(right, labels.len());
    }

    #[test]
    fn a_strong_penalty_leaves_the_mean() {
        let data: Vec<f32> = (0..1000).map(|row| row as f32).collect();
        let labels: Vec<bool> = (0..1000).map(|row| row >= 750).collect();
        let weights = vec![1.0; 1000];
        let table = Binned::new(&data, 1, &weights, 16);
        let model = fit_additive(&table, &labels, &weights, &options(1e3, 0)).unwrap();
        let p = trommel_model::sigmoid(model.log_odds(&[999.0]));
        assert!((p - 0.25).abs() < 0.01, "{p}");
        assert!(fit_additive(&table, &[true; 1000], &weights, &options(1.0, 0)).is_err());
    }
}
