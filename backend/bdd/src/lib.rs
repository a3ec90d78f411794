//! Reduced ordered binary decision diagrams with complement edges.
//!
//! * [`manager`]: [`BddManager`], its options, variables, limits and statistics
//! * [`bdd`]: [`Bdd`], a reference-counted root, and the operations on it
//! * [`substitute`]: [`Substitution`], simultaneous composition and renaming
//! * [`cubes`]: [`Cube`], path cubes and satisfying assignments
//! * `edge`, `node`, `unique`, `computed`, `gc`: the storage
//! * `reorder`: sifting, over groups of variables
//! * `apply`, `quantify`, `restrict`, `count`, `support`, `dot`: one family of operations each
//!
//! Every operation that may create nodes returns `Result<_, LimitReached>`: a limit of the
//! manager is a value, never an abort. Recursion is as deep as there are variables.
//!
//! ```
//! use sapa_bdd::BddManager;
//! # fn main() -> Result<(), sapa_bdd::LimitReached> {
//! let manager = BddManager::new();
//! let [x, y] = [manager.new_var(), manager.new_var()];
//! let f = manager.var(x)?.and(&manager.var(y)?)?;
//! assert_eq!(f.exists(&manager.cube(&[x])?)?, manager.var(y)?);
//! assert_eq!(f.sat_count(&[x, y]), Some(1u32.into()));
//! # Ok(())
//! # }
//! ```

mod apply;
pub mod bdd;
mod computed;
mod count;
pub mod cubes;
mod dot;
mod edge;
mod gc;
pub mod manager;
mod node;
mod quantify;
mod reorder;
mod restrict;
mod split;
pub mod substitute;
mod support;
mod unique;

pub use bdd::Bdd;
pub use cubes::Cube;
pub use manager::{BddManager, LimitReached, ManagerOptions, Statistics, Var};
pub use substitute::Substitution;
