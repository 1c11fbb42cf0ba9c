//! Every method by its name.

use crate::all_text::AllText;
use crate::method::Method;

/// A fresh instance of every method, in the order of tables.
pub fn all() -> Vec<Box<dyn Method>> {
    vec![Box::new(AllText)]
}

/// A fresh instance of the method of that name.
pub fn by_name(name: &str) -> Option<Box<dyn Method>> {
    all().into_iter().find(|method| method.about().name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_found() {
        let names: Vec<&str> = all().iter().map(|method| method.about().name).collect();
        for name in &names {
            assert_eq!(names.iter().filter(|other| *other == name).count(), 1, "{name}");
            assert!(by_name(name).is_some());
        }
        assert!(by_name("none").is_none());
    }
}
