//! The fuzz target `plan`, for cargo-fuzz.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    clamp_fuzz::plan::run(bytes, Some(&clamp_testing::executed::Run::execute));
});
