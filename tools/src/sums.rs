//! Counts that add up: structs of them, and the sum of two.

/// What can be added up.
pub trait Sums: Clone + Default {
    /// Adds what came later.
    fn take(&mut self, later: &Self);
}

/// Makes a struct of counts, and the sum of two of them.
macro_rules! counts {
    ($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
        pub struct $name {
            $($(#[$field_doc])* pub $field: u64,)*
        }

        impl $crate::sums::Sums for $name {
            fn take(&mut self, later: &Self) {
                $(self.$field = self.$field.saturating_add(later.$field);)*
            }
        }
    };
}
pub(crate) use counts;
