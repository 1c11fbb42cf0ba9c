//! Declares methods that change one field.

/// Declares methods that give the same value with another field: `with_blocks(blocks: bool);`.
#[macro_export]
macro_rules! setters {
    ($($(#[$attribute:meta])* $method:ident($field:ident: $type:ty);)+) => {$(
        $(#[$attribute])*
        #[must_use]
        pub fn $method(mut self, $field: $type) -> Self {
            self.$field = $field.into();
            self
        }
    )+};
}
