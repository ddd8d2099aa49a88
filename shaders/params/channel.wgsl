// The parameters of the elements that are worked on, where channels have a clamp each.
//
// Provides: set_channel, bounds, numbers
// Needs: Parameters, Bounds, Affine, parameters_of
//
// Looked up once, however many elements there are.
var<private> current: Parameters;

fn set_channel(index: u32) {
    current = parameters_of(index);
}

fn bounds() -> Bounds {
    return current.bounds;
}

// Those of the affine step.
fn numbers() -> Affine {
    return current.affine;
}
