//! The text of `--version`.

use std::sync::LazyLock;

use trommel::Model;
use trommel::run::BUILD;

/// Version, commit, features, built-in models and build, a line each. A run goes on under the same build.
pub static LONG_VERSION: LazyLock<String> = LazyLock::new(|| {
    let models: Vec<&str> = Model::builtin_names().collect();
    format!(
        "{}\ncommit {}\nfeatures {}\nmodels {}\nbuild {BUILD}",
        env!("CARGO_PKG_VERSION"),
        env!("TROMMEL_COMMIT"),
        env!("TROMMEL_FEATURES"),
        models.join(", ")
    )
});
