//! The program against the crate's CPU reference, on the adapter that it finds.

mod arrays;
mod killed;
mod refusals;
mod results;
