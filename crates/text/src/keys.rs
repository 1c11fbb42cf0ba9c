//! Keys of the JSON lines that are written: a struct declares each once, with its meaning, its type and its value.
//!
//! JSON comes from serde. Columns of tables, attributes in Python, mappings of search engines and lists in the
//! documentation come from [`Keyed::KEYS`].

use std::borrow::Cow;
use std::ops::{Deref, DerefMut};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Kind of values that a key of a JSON line may have.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    /// Text for readers, such as a title, which is not compared as a whole.
    Text,
    /// Text that is compared as a whole: a name or a code.
    Word,
    /// Address (URL), or another name that may be long.
    Address,
    /// Date, or date and time, in ISO 8601.
    Date,
    /// Integer of at most 32 bits.
    Int,
    /// Integer of at most 64 bits.
    Long,
    /// Time in milliseconds since 1970.
    Time,
    /// Floating-point number.
    Number,
    /// True or false.
    Boolean,
    /// List of texts.
    Texts,
    /// Rows of a table, each a list of cells.
    Rows,
    /// JSON object.
    Object,
    /// List of objects with the keys that the function returns.
    Objects(fn() -> Vec<Field>),
}

/// Declaration of a key of a JSON line: its name, its documentation and the kind of its values.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Name of the key.
    pub name: &'static str,
    /// Documentation of the key, of which each line begins with a blank.
    pub about: &'static str,
    /// Kind of the key's values.
    pub shape: Shape,
}

/// A key of the record type `R`, with the function that reads its value.
#[derive(Debug)]
pub struct Key<R: 'static> {
    /// Declaration of the key.
    pub field: Field,
    /// Function that returns the key's value in a record.
    pub value: fn(&R) -> Value<'_>,
}

/// Value of a key in one record.
#[derive(Debug)]
pub enum Value<'a> {
    /// Missing value.
    Missing,
    /// Text, also a word, an address or a date; for an object, the text that names it.
    Text(Cow<'a, str>),
    /// Integer, also a time in milliseconds.
    Integer(i64),
    /// Floating-point number.
    Number(f32),
    /// True or false.
    Boolean(bool),
    /// List of texts.
    Texts(&'a [String]),
    /// Rows of a table, each a list of cells.
    Rows(&'a [Vec<String>]),
    /// List of objects.
    Objects(Box<dyn Objects + 'a>),
}

/// A struct that [`keyed!`](crate::keyed) declares: a record whose keys are known with their documentation.
pub trait Keyed: Sized + 'static {
    /// Keys of the record, in order.
    const KEYS: &'static [Key<Self>];

    /// Returns the declarations of the record's keys, in order.
    fn fields() -> Vec<Field> {
        Self::KEYS.iter().map(|key| key.field).collect()
    }
}

/// A list of objects that all have the same keys.
pub trait Objects: std::fmt::Debug {
    /// Returns the number of objects in the list.
    fn count(&self) -> usize;

    /// Returns the value of a key in an object; both are given by their indices.
    fn value(&self, object: usize, key: usize) -> Value<'_>;
}

impl<T: Keyed + std::fmt::Debug> Objects for &[T] {
    fn count(&self) -> usize {
        self.len()
    }

    fn value(&self, object: usize, key: usize) -> Value<'_> {
        let found = self.get(object).zip(T::KEYS.get(key));
        found.map_or(Value::Missing, |(object, key)| (key.value)(object))
    }
}

/// A Rust type that the values of a key may have.
pub trait KeyType {
    /// Kind of the values of this type, unless the key states another.
    const SHAPE: Shape;

    /// Converts the value to the [`Value`] of a key.
    fn value(&self) -> Value<'_>;
}

impl KeyType for String {
    const SHAPE: Shape = Shape::Text;

    fn value(&self) -> Value<'_> {
        Value::Text(Cow::Borrowed(self))
    }
}

impl KeyType for f32 {
    const SHAPE: Shape = Shape::Number;

    fn value(&self) -> Value<'_> {
        Value::Number(*self)
    }
}

impl KeyType for bool {
    const SHAPE: Shape = Shape::Boolean;

    fn value(&self) -> Value<'_> {
        Value::Boolean(*self)
    }
}

macro_rules! integers {
    ($($type:ty = $shape:ident),+) => {$(
        impl KeyType for $type {
            const SHAPE: Shape = Shape::$shape;

            fn value(&self) -> Value<'_> {
                i64::try_from(*self).map_or(Value::Missing, Value::Integer)
            }
        }
    )+};
}

integers!(u16 = Int, i32 = Int, u32 = Long, i64 = Long, u64 = Long);

impl KeyType for Vec<String> {
    const SHAPE: Shape = Shape::Texts;

    fn value(&self) -> Value<'_> {
        Value::Texts(self)
    }
}

impl KeyType for Vec<Vec<String>> {
    const SHAPE: Shape = Shape::Rows;

    fn value(&self) -> Value<'_> {
        Value::Rows(self)
    }
}

impl<T: Keyed + std::fmt::Debug> KeyType for Vec<T> {
    const SHAPE: Shape = Shape::Objects(T::fields);

    fn value(&self) -> Value<'_> {
        Value::Objects(Box::new(self.as_slice()))
    }
}

impl<T: KeyType> KeyType for Option<T> {
    const SHAPE: Shape = T::SHAPE;

    fn value(&self) -> Value<'_> {
        self.as_ref().map_or(Value::Missing, T::value)
    }
}

/// List of texts that is written as one text, joined by `SIGN` and a blank.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Joined<const SIGN: char>(pub Vec<String>);

impl<const SIGN: char> Joined<SIGN> {
    fn written(&self) -> Cow<'_, str> {
        match self.0.as_slice() {
            [] => Cow::Borrowed(""),
            [only] => Cow::Borrowed(only),
            all => Cow::Owned(all.join(&format!("{SIGN} "))),
        }
    }
}

impl<const SIGN: char> FromIterator<String> for Joined<SIGN> {
    fn from_iter<I: IntoIterator<Item = String>>(texts: I) -> Self {
        Self(texts.into_iter().collect())
    }
}

impl<const SIGN: char> Deref for Joined<SIGN> {
    type Target = Vec<String>;

    fn deref(&self) -> &Vec<String> {
        &self.0
    }
}

impl<const SIGN: char> DerefMut for Joined<SIGN> {
    fn deref_mut(&mut self) -> &mut Vec<String> {
        &mut self.0
    }
}

impl<const SIGN: char> KeyType for Joined<SIGN> {
    const SHAPE: Shape = Shape::Text;

    fn value(&self) -> Value<'_> {
        if self.0.is_empty() { Value::Missing } else { Value::Text(self.written()) }
    }
}

impl<const SIGN: char> Serialize for Joined<SIGN> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.written())
    }
}

impl<'de, const SIGN: char> Deserialize<'de> for Joined<SIGN> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let written = String::deserialize(deserializer)?;
        if written.is_empty() {
            return Ok(Self::default());
        }
        Ok(written.split(&format!("{SIGN} ")).map(str::to_owned).collect())
    }
}

/// A type whose values have names; [`named!`](crate::named) declares them.
pub trait Named: Copy + 'static {
    /// All values of the type, in order.
    const VALUES: &'static [Self];

    /// Returns the name of the value.
    fn named(self) -> &'static str;
}

/// Writes a missing value as the default of its type, so that its key always has one type.
/// For `#[serde(with = "filled")]`.
pub mod filled {
    use super::*;

    /// Writes the value, or the default of its type if the value is missing.
    ///
    /// # Errors
    /// If the format cannot hold the value.
    pub fn serialize<T: Serialize + Default, S: Serializer>(
        value: &Option<T>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match value {
            Some(value) => value.serialize(serializer),
            None => T::default().serialize(serializer),
        }
    }

    /// Reads the value; returns `None` if it is null or the default of its type.
    ///
    /// # Errors
    /// If the value is of another type.
    pub fn deserialize<'de, T, D>(deserializer: D) -> Result<Option<T>, D::Error>
    where
        T: Deserialize<'de> + Default + PartialEq,
        D: Deserializer<'de>,
    {
        Ok(Option::deserialize(deserializer)?.filter(|value| *value != T::default()))
    }
}

/// Writes the name of a value, or an empty text if the value is missing. For `#[serde(with = "by_name")]`.
pub mod by_name {
    use super::*;

    /// Writes the name of the value, or an empty text if the value is missing.
    ///
    /// # Errors
    /// If the format cannot hold a text.
    pub fn serialize<T: Named, S: Serializer>(value: &Option<T>, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(value.map_or("", T::named))
    }

    /// Reads the value by its name; returns `None` if the name is unknown.
    ///
    /// # Errors
    /// If the value is not a text.
    pub fn deserialize<'de, T: Named, D: Deserializer<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
        let name = Cow::<str>::deserialize(deserializer)?;
        Ok(T::VALUES.iter().copied().find(|value| value.named() == name))
    }
}

/// Declares a struct and its keys at once: each field becomes a [`Key`] with its name and documentation. `as` names
/// another [`Shape`] than that of the field's type. Fields after `besides` are no keys.
///
/// ```
/// use trommel_text::keys::{Keyed, Value};
///
/// trommel_text::keyed! {
///     /// A mill.
///     #[derive(Debug, Default)]
///     pub struct Mill {
///         /// Its name.
///         pub name: String,
///         /// The river that drives it.
///         pub river: Option<String> as Word,
///     } besides {
///         /// The number of our visits.
///         pub visits: u32,
///     }
/// }
///
/// let [name, river] = Mill::KEYS else { panic!() };
/// assert_eq!((name.field.name, name.field.about), ("name", " Its name."));
/// assert!(matches!((river.value)(&Mill::default()), Value::Missing));
/// ```
#[macro_export]
macro_rules! keyed {
    (
        $(#[$attribute:meta])*
        pub struct $type:ident {
            $(
                $(#[doc = $doc:literal])+
                $(#[serde($($serde:tt)*)])?
                pub $name:ident: $of:ty $(as $shape:ident)?,
            )+
        }
        $(besides {
            $(
                $(#[$more:meta])*
                pub $field:ident: $of_field:ty,
            )+
        })?
    ) => {
        $(#[$attribute])*
        pub struct $type {
            $(
                $(#[doc = $doc])+
                $(#[serde($($serde)*)])?
                pub $name: $of,
            )+
            $($(
                $(#[$more])*
                pub $field: $of_field,
            )+)?
        }

        impl $crate::keys::Keyed for $type {
            const KEYS: &'static [$crate::keys::Key<Self>] = &[$(
                $crate::keys::Key {
                    field: $crate::keys::Field {
                        name: stringify!($name),
                        about: concat!($($doc),+),
                        shape: $crate::keyed!(@shape $of $(, $shape)?),
                    },
                    value: |record| $crate::keys::KeyType::value(&record.$name),
                },
            )+];
        }
    };
    (@shape $of:ty) => { <$of as $crate::keys::KeyType>::SHAPE };
    (@shape $of:ty, $shape:ident) => { $crate::keys::Shape::$shape };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joined_texts_come_back() {
        for (texts, written) in [(&[][..], "\"\""), (&["a"], "\"a\""), (&["a", "b c"], "\"a; b c\"")] {
            let texts = Joined::<';'>(texts.iter().map(|&text| text.to_owned()).collect());
            assert_eq!(serde_json::to_string(&texts).unwrap(), written);
            assert_eq!(serde_json::from_str::<Joined<';'>>(written).unwrap(), texts);
        }
    }
}
