//! The models that requests may name, and variants with another threshold.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use trommel::Model;
use trommel_model::Selection;

use crate::service::answer::Refusal;

/// Models with thresholds that are kept: moving a slider asks for the same ones again.
const MAX_KEPT_MODELS: usize = 16;

/// The models of a service.
pub(crate) struct Models {
    named: Vec<(String, Arc<Model>)>,
    thresholds: Mutex<VecDeque<ThresholdModel>>,
}

/// A model with another threshold.
struct ThresholdModel {
    name: String,
    percent: u8,
    model: Arc<Model>,
}

impl Models {
    pub(crate) fn new(named: Vec<(String, Arc<Model>)>) -> Self {
        Self { named, thresholds: Mutex::default() }
    }

    /// Their names; the first is the default.
    pub(crate) fn names(&self) -> Vec<&str> {
        self.named.iter().map(|(name, _)| name.as_str()).collect()
    }

    /// The model of that name, or the default.
    ///
    /// # Errors
    /// If there is none.
    pub(crate) fn get(&self, name: Option<&str>) -> Result<(&str, Arc<Model>), Refusal> {
        let found = match name {
            None => self.named.first(),
            Some(name) => {
                let of_name = |name: &str| self.named.iter().find(|(known, _)| known == name);
                of_name(name).or_else(|| of_name(Model::main_name(name)))
            }
        };
        match found {
            Some((name, model)) => Ok((name, model.clone())),
            None => Err(Refusal::BadRequest(format!("there is no such model; there are {}", self.names().join(", ")))),
        }
    }

    /// The model of that name, which keeps the blocks of at least `percent` probability.
    pub(crate) fn with_threshold(&self, name: Option<&str>, percent: u8) -> Result<Arc<Model>, Refusal> {
        let (name, model) = self.get(name)?;
        let mut kept = self.thresholds.lock().unwrap_or_else(PoisonError::into_inner);
        let mut same = kept.iter().filter(|entry| entry.percent == percent);
        if let Some(entry) = same.find(|entry| entry.name == name) {
            return Ok(entry.model.clone());
        }
        let mut file = model.file().clone();
        file.selection = Selection::Threshold(f32::from(percent) / 100.0);
        let model = Arc::new(Model::new(file).map_err(|_| Refusal::Fault)?);
        kept.push_back(ThresholdModel { name: name.to_owned(), percent, model: model.clone() });
        if kept.len() > MAX_KEPT_MODELS {
            kept.pop_front();
        }
        Ok(model)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_are_found_by_name_and_threshold() {
        let fast = Arc::new(Model::builtin("fast").unwrap());
        let models = Models::new(vec![("fast".into(), fast.clone())]);
        assert_eq!(models.get(None).unwrap().0, "fast");
        assert_eq!(models.get(Some("best")).unwrap().0, "fast");
        let error = models.get(Some("/etc/passwd")).unwrap_err();
        assert_eq!(error.to_string(), "there is no such model; there are fast");
        let first = models.with_threshold(None, 30).unwrap();
        assert_eq!(first.file().selection, Selection::Threshold(0.3));
        assert_eq!(first.file().columns, fast.file().columns);
        assert!(Arc::ptr_eq(&first, &models.with_threshold(Some("fast"), 30).unwrap()));
        for percent in 0..20 {
            models.with_threshold(None, percent).unwrap();
        }
        assert_eq!(models.thresholds.lock().unwrap().len(), MAX_KEPT_MODELS);
    }
}
