//! Programs with faults that the sanitizer finds, and programs that it lets pass.

mod devices;
mod flaws;
mod program;
mod sharing;
mod taint;
