//! What the compilers are given and, of AMD's, how it is asked: shared with the program that counts instructions.

pub mod aco;
pub mod translate;
