//! Sets of roles, for policies.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::role::Role;

/// A set of roles; in files a list of their names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(from = "Vec<Role>", into = "Vec<Role>")]
#[cfg_attr(feature = "schema", schemars(with = "Vec<Role>"))]
pub struct RoleSet(u32);

impl RoleSet {
    /// Returns whether no role is in it.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns whether a role is in it.
    pub fn contains(self, role: Role) -> bool {
        self.0 & bit(role) != 0
    }

    /// Its roles, in the order of [`Role::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Role> {
        Role::ALL.into_iter().filter(move |role| self.contains(*role))
    }
}

fn bit(role: Role) -> u32 {
    1 << role as u32
}

impl FromIterator<Role> for RoleSet {
    fn from_iter<I: IntoIterator<Item = Role>>(roles: I) -> Self {
        Self(roles.into_iter().fold(0, |set, role| set | bit(role)))
    }
}

impl From<Vec<Role>> for RoleSet {
    fn from(roles: Vec<Role>) -> Self {
        roles.into_iter().collect()
    }
}

impl From<RoleSet> for Vec<Role> {
    fn from(set: RoleSet) -> Self {
        set.iter().collect()
    }
}

/// Names divided by commas.
impl fmt::Display for RoleSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.iter().map(Role::name).collect();
        f.write_str(&names.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_holds_what_was_put_in() {
        for role in Role::ALL {
            let set: RoleSet = [role].into_iter().collect();
            assert_eq!(set.iter().collect::<Vec<_>>(), [role]);
        }
        let set: RoleSet = [Role::Other, Role::Review].into_iter().collect();
        assert_eq!(set.to_string(), "review,other");
        assert!(!set.contains(Role::Body) && !set.is_empty() && RoleSet::default().is_empty());
        assert_eq!(RoleSet::from(Vec::from(set)), set);
    }
}
