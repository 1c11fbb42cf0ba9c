//! The keys of what is written: a struct declares each once, with its meaning, its type and its value.
//!
//! JSON comes from serde. Columns of tables, attributes in Python, mappings of search engines and lists in the
//! documentation come from [`Keyed::KEYS`].

use std::borrow::Cow;
use std::ops::{Deref, DerefMut};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The kind of values that a key of a JSON line may have.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    /// A text to read.
    Text,
    /// A text that is compared as a whole: a name or a code.
    Word,
    /// An address or another name that may be long.
    Address,
    /// A date, or a date and time, in ISO 8601.
    Date,
    /// An integer of at most 32 bits.
    Int,
    /// An integer of at most 64 bits.
    Long,
    /// Milliseconds since 1970.
    Time,
    /// A number.
    Number,
    /// True or false.
    Boolean,
    /// A list of texts.
    Texts,
    /// Rows of cells.
    Rows,
    /// An object.
    Object,
    /// A list of objects with these keys.
    Objects(fn() -> Vec<Field>),
}

/// The declaration of a key of a JSON line: its name, its documentation and the kind of its values.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// Its documentation, of which each line begins with a blank.
    pub about: &'static str,
    /// The kind of its values.
    pub shape: Shape,
}

/// A key of the record type `R`, with the function that reads its value.
#[derive(Debug)]
pub struct Key<R: 'static> {
    /// Its declaration.
    pub field: Field,
    /// Its value in a record.
    pub value: fn(&R) -> Value<'_>,
}

/// The value of a key in one record.
#[derive(Debug)]
pub enum Value<'a> {
    /// Nothing is known.
    Missing,
    /// A text, also a word, an address or a date; of an object the text that names it.
    Text(Cow<'a, str>),
    /// An integer, also a time.
    Integer(i64),
    /// A number.
    Number(f32),
    /// True or false.
    Boolean(bool),
    /// A list of texts.
    Texts(&'a [String]),
    /// Rows of cells.
    Rows(&'a [Vec<String>]),
    /// A list of objects.
    Objects(Box<dyn Objects + 'a>),
}

/// A struct that [`keyed!`](crate::keyed) declares: a record whose keys are known with their documentation.
pub trait Keyed: Sized + 'static {
    /// Its keys, in their order.
    const KEYS: &'static [Key<Self>];

    /// Their declarations.
    fn fields() -> Vec<Field> {
        Self::KEYS.iter().map(|key| key.field).collect()
    }
}

/// A list of objects that all have the same keys.
pub trait Objects: std::fmt::Debug {
    /// Number of the objects.
    fn count(&self) -> usize;

    /// The value of an object, given by its place, for a key, given by its place among the keys.
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

/// A type that the value of a key may have.
pub trait KeyType {
    /// The kind of its values, if the key says nothing else.
    const SHAPE: Shape;

    /// The value.
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

/// A list of texts that is written as one text, with a sign and a blank between them.
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
    /// All values.
    const VALUES: &'static [Self];

    /// The name of the value.
    fn named(self) -> &'static str;
}

/// Writes a value that may be missing as the value of its type that says nothing, so that its key has one type. For
/// `#[serde(with = "filled")]`.
pub mod filled {
    use super::*;

    /// Writes the value, or the default of its type.
    ///
    /// # Errors
    /// Those of the format.
    pub fn serialize<T: Serialize + Default, S: Serializer>(
        value: &Option<T>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match value {
            Some(value) => value.serialize(serializer),
            None => T::default().serialize(serializer),
        }
    }

    /// Reads the value; none if it is the default of its type, or null.
    ///
    /// # Errors
    /// If a value of another type is written.
    pub fn deserialize<'de, T, D>(deserializer: D) -> Result<Option<T>, D::Error>
    where
        T: Deserialize<'de> + Default + PartialEq,
        D: Deserializer<'de>,
    {
        Ok(Option::deserialize(deserializer)?.filter(|value| *value != T::default()))
    }
}

/// Writes the name of a value, or nothing if the value is missing. For `#[serde(with = "by_name")]`.
pub mod by_name {
    use super::*;

    /// Writes the name, or an empty text.
    ///
    /// # Errors
    /// Those of the format.
    pub fn serialize<T: Named, S: Serializer>(value: &Option<T>, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(value.map_or("", T::named))
    }

    /// Reads the value by its name; none if the name is unknown.
    ///
    /// # Errors
    /// If no text is written.
    pub fn deserialize<'de, T: Named, D: Deserializer<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
        let name = Cow::<str>::deserialize(deserializer)?;
        Ok(T::VALUES.iter().copied().find(|value| value.named() == name))
    }
}

/// Declares a struct and its keys at once: each field with its documentation is a [`Key`] of its name. `as` names
/// another [`Shape`] than that of the type. Fields after `besides` are no keys.
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
