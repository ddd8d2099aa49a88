// Words of src that begin within a word.
//
// Provides: straddling
//
// The word that begins `shift` bits behind the start of `low`; `high` is the next one. `shift` is below 32.
fn straddling(low: u32, high: u32, shift: u32) -> u32 {
    return (low >> shift) | ((high << 1u) << (31u - shift));
}
