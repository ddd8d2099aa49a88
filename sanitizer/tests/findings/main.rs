//! What the sanitizer finds and what it lets pass, with a program for each.

mod access;
mod devices;
mod errors;
mod flaw;
mod harmless;
mod sharing;
mod taint;
