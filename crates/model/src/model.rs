//! A model ready to score pages.

use std::path::Path;

use rustc_hash::FxHashMap;
use trommel_features::{Rows, Schema};
use trommel_html::Page;

use crate::error::ModelError;
use crate::file::{FORMAT, FeatureWeight, ModelFile, VERSION};
use crate::selection::Choice;

/// Models built into the program, by name; the first is the default.
const BUILTIN: [(&str, &[u8]); 1] = [("fast", include_bytes!("../../../models/fast.trommel"))];

/// A model ready to score pages.
#[derive(Clone, Debug)]
pub struct Model {
    file: ModelFile,
    schema: Schema,
    /// Weight of each column of the schema.
    weights: Vec<f32>,
}

impl Model {
    /// Readies the contents of a model file.
    ///
    /// # Errors
    /// If it is of a later version, names a feature that this program does not know, or holds a
    /// number that is not finite.
    pub fn new(file: ModelFile) -> Result<Self, ModelError> {
        if file.format != FORMAT {
            return Err(ModelError::NotAModel {
                format: file.format,
            });
        }
        if file.version > VERSION {
            return Err(ModelError::TooNew {
                version: file.version,
                known: VERSION,
            });
        }
        let schema = Schema::new(&file.groups, &file.listed, &file.token_weights, &[]);
        let columns: FxHashMap<&str, usize> = schema
            .names()
            .iter()
            .enumerate()
            .map(|(at, name)| (name.as_str(), at))
            .collect();
        let mut weights = vec![0.0; schema.names().len()];
        for FeatureWeight { name, weight, .. } in &file.features {
            if !weight.is_finite() {
                return Err(ModelError::NotFinite {
                    feature: name.clone(),
                });
            }
            match columns
                .get(name.as_str())
                .and_then(|at| weights.get_mut(*at))
            {
                Some(slot) => *slot = *weight,
                None => {
                    return Err(ModelError::UnknownFeature {
                        feature: name.clone(),
                    });
                }
            }
        }
        if !file.intercept.is_finite() {
            return Err(ModelError::NotFinite {
                feature: "intercept".into(),
            });
        }
        Ok(Self {
            file,
            schema,
            weights,
        })
    }

    /// Reads a model from the bytes of a model file.
    ///
    /// # Errors
    /// If they are no model file, or as for [`Model::new`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ModelError> {
        Self::new(rmp_serde::from_slice(bytes)?)
    }

    /// Reads a model file.
    ///
    /// # Errors
    /// If it cannot be read, or as for [`Model::from_bytes`].
    pub fn load(path: &Path) -> Result<Self, ModelError> {
        let bytes = std::fs::read(path).map_err(|source| ModelError::Io {
            path: path.display().to_string(),
            source,
        })?;
        Self::from_bytes(&bytes)
    }

    /// Reads a model that is built into the program; `None` if there is none of that name.
    pub fn builtin(name: &str) -> Option<Self> {
        let (_, bytes) = BUILTIN.iter().find(|(known, _)| *known == name)?;
        Self::from_bytes(bytes).ok()
    }

    /// Names of the models built into the program; the first is the default.
    pub fn builtin_names() -> impl Iterator<Item = &'static str> {
        BUILTIN.iter().map(|(name, _)| *name)
    }

    /// The bytes of its model file.
    ///
    /// # Errors
    /// Only if memory runs out.
    pub fn to_bytes(&self) -> Result<Vec<u8>, ModelError> {
        Ok(rmp_serde::to_vec_named(&self.file)?)
    }

    /// All that its file holds.
    pub fn file(&self) -> &ModelFile {
        &self.file
    }

    /// Its feature schema.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Probability of being content of each row's block.
    pub fn score(&self, rows: &Rows) -> Vec<f32> {
        rows.iter().map(|row| self.probability(row)).collect()
    }

    fn probability(&self, row: &[f32]) -> f32 {
        let dot: f32 = row
            .iter()
            .zip(&self.weights)
            .map(|(value, weight)| value * weight)
            .sum();
        sigmoid(self.file.intercept + dot)
    }

    /// Scores and chooses the blocks of a page: their probabilities and the choice.
    pub fn judge(&self, page: &Page) -> (Vec<f32>, Choice) {
        let probabilities = self.score(&self.schema.rows(page, None));
        let words: Vec<u32> = page.blocks.iter().map(|block| block.words).collect();
        let choice = self.file.selection.choose(&probabilities, &words);
        (probabilities, choice)
    }
}

/// The logistic function.
pub fn sigmoid(log_odds: f32) -> f32 {
    1.0 / (1.0 + (-log_odds).exp())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::Training;
    use crate::selection::Selection;
    use trommel_features::Group;
    use trommel_html::{Engine, Limits, LolEngine};

    fn file() -> ModelFile {
        ModelFile {
            format: FORMAT.into(),
            version: VERSION,
            name: "test".into(),
            created: "2026-01-01".into(),
            groups: vec![Group::Shallow],
            features: vec![
                FeatureWeight {
                    name: "text_density".into(),
                    weight: 0.5,
                    deviation: 1.0,
                },
                FeatureWeight {
                    name: "link_density".into(),
                    weight: -4.0,
                    deviation: 1.0,
                },
            ],
            intercept: -2.0,
            listed: vec![],
            token_weights: vec![],
            selection: Selection::Threshold(0.5),
            training: Training::default(),
            scores: vec![],
        }
    }

    #[test]
    fn weights_find_their_columns_by_name() {
        let model = Model::new(file()).unwrap();
        let page = LolEngine.read(
            "<p>one two three four five six</p><p><a href=x>one two three four five six</a></p>",
            &Limits::default(),
        );
        let (probabilities, choice) = model.judge(&page);
        assert_eq!(probabilities, [sigmoid(1.0), sigmoid(-3.0)]);
        assert_eq!(choice.kept, [true, false]);
    }

    #[test]
    fn a_file_comes_back_as_it_was() {
        let model = Model::new(file()).unwrap();
        let bytes = model.to_bytes().unwrap();
        assert_eq!(Model::from_bytes(&bytes).unwrap().file(), model.file());
    }

    #[test]
    fn what_cannot_be_used_is_refused() {
        let message = |change: fn(&mut ModelFile)| {
            let mut file = file();
            change(&mut file);
            Model::new(file).unwrap_err().to_string()
        };
        assert!(message(|f| f.format = "x".into()).contains("not a trommel model"));
        assert!(message(|f| f.version = 99).contains("version 99"));
        assert!(message(|f| f.features[0].name = "odd".into()).contains("feature odd"));
        assert!(message(|f| f.features[0].weight = f32::NAN).contains("text_density"));
        for bytes in [&b""[..], b"\x80", b"no model", &[0xff; 40]] {
            assert!(matches!(
                Model::from_bytes(bytes),
                Err(ModelError::Format(_))
            ));
        }
    }

    #[test]
    fn the_built_in_models_load() {
        for name in Model::builtin_names() {
            assert_eq!(Model::builtin(name).unwrap().file().name, name);
        }
        assert!(Model::builtin("none").is_none());
    }
}
