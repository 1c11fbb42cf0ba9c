//! The text of `--version`.

use std::sync::LazyLock;

use trommel_model::Model;

/// Version, commit, features and built-in models, a line each.
pub static LONG: LazyLock<String> = LazyLock::new(|| {
    let models: Vec<&str> = Model::builtin_names().collect();
    format!(
        "{}\ncommit {}\nfeatures {}\nmodels {}",
        env!("CARGO_PKG_VERSION"),
        env!("TROMMEL_COMMIT"),
        env!("TROMMEL_FEATURES"),
        models.join(", ")
    )
});
