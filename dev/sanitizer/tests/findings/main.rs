//! Programs with faults that the sanitizer finds, and programs that it lets pass.

mod access;
mod devices;
mod errors;
mod flaw;
mod harmless;
mod sharing;
mod taint;
