//! Macros that declare enums whose values have names, and methods that change one field.

/// Declares an enum with the name of each value beside it: `Zstd = "zst"`. `ALL` lists the values in their order, `name`
/// gives the name, and `Display` writes it.
#[macro_export]
macro_rules! named {
    ($(#[$attribute:meta])* pub enum $type:ident {
        $($(#[$of_variant:meta])* $variant:ident = $name:literal,)+
    }) => {
        $(#[$attribute])*
        pub enum $type {
            $($(#[$of_variant])* $variant,)+
        }

        impl $type {
            /// All values, in their order.
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$variant),+];

            /// The name of the value.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }
        }

        impl $crate::keys::Named for $type {
            const VALUES: &'static [Self] = &Self::ALL;

            fn named(self) -> &'static str {
                self.name()
            }
        }

        impl $crate::keys::KeyType for $type {
            const SHAPE: $crate::keys::Shape = $crate::keys::Shape::Word;

            fn value(&self) -> $crate::keys::Value<'_> {
                $crate::keys::Value::Text(self.name().into())
            }
        }

        impl ::std::fmt::Display for $type {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.pad(self.name())
            }
        }
    };
}

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
