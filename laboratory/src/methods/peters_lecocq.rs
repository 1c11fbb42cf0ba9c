//! Content extraction using diverse feature sets (Peters and Lecocq, WWW 2013): logistic regression over
//! blocks with shallow text features (ST), attribute tokens (IC) and CETR, alone and together.
//!
//! As in the paper, the L2 penalty is chosen by 5-fold cross-validation and a block is content from a
//! probability of .5. Every block counts once, of which the paper does not speak
//! ([`PetersLecocq2013`](super::PetersLecocq2013) weights them by words). Not in the paper: folds never divide a host, the penalty
//! is the one with the least log loss on held-out blocks, and the tokens are listed by the paper's odds
//! and shares with "an obvious meaning" replaced by a least number of hosts.

use trommel_html::Page;
use trommel_learn::{Fit, LearnError, Sample, by_group, fit_weighted, list};
use trommel_model::features::{FeatureGroup, FeatureMatrix, Schema};

use crate::methods::method::{About, Example, Method, MethodError};

const CITATION: &str = "Peters and Lecocq, Content Extraction Using Diverse Feature Sets, WWW 2013; \
    tokens are picked by rule, not by hand, and folds never divide a host";

/// Strengths of the penalty, against the mean loss of a block, that are tried.
const PENALTIES: [f64; 4] = [1e-5, 1e-4, 1e-3, 1e-2];
const FOLDS: usize = 5;
/// Probability from which a block is content (the paper's).
const THRESHOLD: f64 = 0.5;

/// A logistic regression over one or several of the paper's groups of features.
#[derive(Clone, Debug)]
pub struct PetersLecocq {
    about: About,
    groups: &'static [FeatureGroup],
    fitted: Option<(Schema, Fit)>,
}

impl PetersLecocq {
    fn new(name: &'static str, line: &'static str, groups: &'static [FeatureGroup]) -> Self {
        Self { about: About { name, line, citation: CITATION, learns: true }, groups, fitted: None }
    }

    /// Tag ratios alone.
    pub fn cetr() -> Self {
        Self::new("peters-lecocq-cetr", "logistic regression over tag ratios", &[FeatureGroup::Cetr])
    }

    /// Attribute tokens alone.
    pub fn ic() -> Self {
        Self::new("peters-lecocq-ic", "logistic regression over id and class tokens", &[FeatureGroup::ListedWords])
    }

    /// Shallow text features alone.
    pub fn st() -> Self {
        Self::new("peters-lecocq-st", "logistic regression over text and link densities", &[FeatureGroup::Shallow])
    }

    /// Shallow text features and attribute tokens.
    pub fn st_ic() -> Self {
        Self::new(
            "peters-lecocq-st-ic",
            "logistic regression over densities and tokens",
            &[FeatureGroup::Shallow, FeatureGroup::ListedWords],
        )
    }

    /// All three groups: the paper's method.
    pub fn all() -> Self {
        Self::new("peters-lecocq", "logistic regression over densities, tokens and tag ratios", &FeatureGroup::PAPER)
    }

    /// The schema that these pages give.
    fn schema(&self, examples: &[Example]) -> Schema {
        let listed = if self.groups.contains(&FeatureGroup::ListedWords) { list(examples) } else { Vec::new() };
        Schema::new(self.groups, &listed, &[], &[])
    }

    /// The penalty with the least log loss on blocks of pages that were held out; the first of equals.
    fn penalty(&self, examples: &[Example]) -> Result<f64, MethodError> {
        let groups: Vec<&str> = examples.iter().map(|example| example.group).collect();
        let folds = by_group(&groups, FOLDS);
        let mut losses = [0.0; PENALTIES.len()];
        for fold in 0..FOLDS {
            let part = |held: bool| -> Vec<Example> {
                let of_fold = examples.iter().zip(&folds).filter(|(_, of)| (**of == fold) == held);
                of_fold.map(|(example, _)| *example).collect()
            };
            let (training, held) = (part(false), part(true));
            let schema = self.schema(&training);
            let sample = sample(&schema, &training);
            // A fold whose training part has one label only, or no listed token, can judge nothing.
            if held.is_empty() || is_single(&sample) {
                continue;
            }
            let unit = vec![1.0; sample.labels.len()];
            let judged: Vec<(FeatureMatrix, &[bool])> =
                held.iter().map(|example| (schema.rows(example.page, None), example.labels)).collect();
            for (loss, penalty) in losses.iter_mut().zip(PENALTIES) {
                let fit = fit_weighted(&sample, &unit, penalty).map_err(|error| self.failed(&error))?;
                *loss += judged.iter().map(|(rows, labels)| log_loss(&fit, rows, labels)).sum::<f64>();
            }
        }
        let mut best = (PENALTIES[0], f64::INFINITY);
        for (penalty, loss) in PENALTIES.into_iter().zip(losses) {
            if loss < best.1 {
                best = (penalty, loss);
            }
        }
        Ok(best.0)
    }

    fn failed(&self, error: &LearnError) -> MethodError {
        MethodError::Nothing { method: self.about.name, why: error.to_string() }
    }
}

/// Returns whether there is nothing to tell apart, or nothing to tell it by.
fn is_single(sample: &Sample) -> bool {
    sample.width == 0 || sample.labels.windows(2).all(|pair| pair[0] == pair[1])
}

fn sample(schema: &Schema, examples: &[Example]) -> Sample {
    let mut sample = Sample { width: schema.names().len(), ..Sample::default() };
    for example in examples {
        for (row, label) in schema.rows(example.page, None).iter().zip(example.labels) {
            sample.data.extend_from_slice(row);
            sample.labels.push(*label);
        }
    }
    sample
}

/// Log odds of content.
fn margin(fit: &Fit, row: &[f32]) -> f64 {
    fit.intercept + row.iter().zip(&fit.weights).map(|(value, weight)| f64::from(*value) * weight).sum::<f64>()
}

/// Sum over the blocks of the negative logarithm of the probability of their labels.
fn log_loss(fit: &Fit, rows: &FeatureMatrix, labels: &[bool]) -> f64 {
    let loss = |(row, label): (&[f32], &bool)| {
        let signed = if *label { margin(fit, row) } else { -margin(fit, row) };
        // ln(1 + e^-s), from the side that cannot overflow.
        (-signed.abs()).exp().ln_1p() + (-signed).max(0.0)
    };
    rows.iter().zip(labels).map(loss).sum()
}

impl Method for PetersLecocq {
    fn about(&self) -> &About {
        &self.about
    }

    fn fit(&mut self, examples: &[Example]) -> Result<(), MethodError> {
        self.fitted = None;
        let schema = self.schema(examples);
        let sample = sample(&schema, examples);
        if sample.width == 0 {
            let why = "no attribute token is telling".to_owned();
            return Err(MethodError::Nothing { method: self.about.name, why });
        }
        let penalty = self.penalty(examples)?;
        let unit = vec![1.0; sample.labels.len()];
        let fit = fit_weighted(&sample, &unit, penalty).map_err(|error| self.failed(&error))?;
        self.fitted = Some((schema, fit));
        Ok(())
    }

    fn extract(&self, page: &Page) -> Result<Vec<bool>, MethodError> {
        let (schema, fit) = self.fitted.as_ref().ok_or(MethodError::NotFitted { method: self.about.name })?;
        let least = (THRESHOLD / (1.0 - THRESHOLD)).ln();
        Ok(schema.rows(page, None).iter().map(|row| margin(fit, row) >= least).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::{Engine, Limits, ScanEngine};

    fn all() -> [PetersLecocq; 5] {
        [PetersLecocq::cetr(), PetersLecocq::ic(), PetersLecocq::st(), PetersLecocq::st_ic(), PetersLecocq::all()]
    }

    fn read(html: &str) -> Page {
        ScanEngine.read(html, &Limits::default())
    }

    /// A menu of three linked words, prose of 16 words twice, a footer; in classes if `classes`.
    fn page(number: usize, classes: bool) -> Page {
        let [menu, story] = if classes { [" class=menu", " class=story"] } else { ["", ""] };
        let prose = format!("Page {number} has a sentence that is long enough to fill a whole line of text, really");
        let links = "<li><a href=x>go</a>".repeat(3);
        read(&format!("<ul{menu}>{links}</ul><div{story}><p>{prose}</p><p>{prose}</p></div><div{menu}>end</div>"))
    }

    const LABELS: [bool; 6] = [false, false, false, true, true, false];

    fn fit(method: &mut PetersLecocq, pages: &[Page]) -> Result<(), MethodError> {
        let groups: Vec<String> = (0..pages.len()).map(|at| format!("h{at}")).collect();
        let examples: Vec<Example> =
            pages.iter().zip(&groups).map(|(page, group)| Example { page, labels: &LABELS, group }).collect();
        method.fit(&examples)
    }

    #[test]
    fn every_group_tells_prose_from_menus() {
        let pages: Vec<Page> = (0..12).map(|at| page(at, true)).collect();
        for mut method in all() {
            assert!(matches!(method.extract(&pages[0]), Err(MethodError::NotFitted { .. })));
            fit(&mut method, &pages).unwrap();
            assert_eq!(method.extract(&page(77, true)).unwrap(), LABELS, "{}", method.about.name);
            assert!(method.extract(&read("")).unwrap().is_empty());
            assert_eq!(method.extract(&read("one")).unwrap().len(), 1);
        }
    }

    #[test]
    fn each_model_reads_its_own_groups_only() {
        let pages: Vec<Page> = (0..12).map(|at| page(at, true)).collect();
        let widths: Vec<usize> = all()
            .into_iter()
            .map(|mut method| {
                fit(&mut method, &pages).unwrap();
                method.fitted.unwrap().0.names().len()
            })
            .collect();
        // Two tokens are telling, menu and story.
        assert_eq!(widths, [3, 2, 6, 8, 11]);
    }

    #[test]
    fn nothing_to_learn_from_is_an_error() {
        for mut method in all() {
            assert!(matches!(method.fit(&[]), Err(MethodError::Nothing { .. })), "{}", method.about.name);
        }
        let plain: Vec<Page> = (0..12).map(|at| page(at, false)).collect();
        let error = fit(&mut PetersLecocq::ic(), &plain).unwrap_err().to_string();
        assert!(error.contains("no attribute token"), "{error}");
    }
}
