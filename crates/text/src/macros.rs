//! Macros that declare enums whose values have names, tables of settings, and methods that change one field.

/// Declares an enum in which each value has a name, as in `Zstd = "zst"`. `ALL` lists the values in order, `name`
/// returns the name, and `Display` writes it.
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
            /// All values of the enum, in order.
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$variant),+];

            /// Returns the name of the value.
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

/// Declares tables of settings: each key with its purpose, its type and, unless the type's default is meant, a default,
/// as in `pub memory: ByteSize = ByteSize(256 << 20),`. A type without a JSON schema names another with the same
/// written form after `as`, as in `pub keep: Vec<Selector> as "Vec<String>",`. A missing key has its default; an
/// unknown key is refused.
#[macro_export]
macro_rules! settings {
    ($($(#[$attribute:meta])* pub struct $type:ident {
        $($(#[$of_key:meta])* pub $key:ident: $value:ty $(as $written:tt)? $(= $default:expr)?,)+
    })+) => {$(
        $(#[$attribute])*
        #[derive(Clone, Debug, PartialEq, ::serde::Serialize, ::serde::Deserialize)]
        #[cfg_attr(feature = "schema", derive(::schemars::JsonSchema))]
        #[serde(default, deny_unknown_fields)]
        pub struct $type {
            $(
                $(#[$of_key])*
                $(#[cfg_attr(feature = "schema", schemars(with = $written))])?
                pub $key: $value,
            )+
        }

        impl ::std::default::Default for $type {
            fn default() -> Self {
                Self { $($key: $crate::settings!(@default $($default)?),)+ }
            }
        }
    )+};
    (@default) => { ::std::default::Default::default() };
    (@default $default:expr) => { $default };
}

/// Declares methods that return the value with one field changed, such as `with_blocks(blocks: bool);`.
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
