// The parameters of the current channel.
//
// Provides: set_channel, bounds, numbers
// Needs: Parameters, Bounds, Affine, parameters_of
//
// Looks the channel up once for all of its elements.
var<private> current: Parameters;

fn set_channel(index: u32) {
    current = parameters_of(index);
}

fn bounds() -> Bounds {
    return current.bounds;
}

// The numbers of the affine step.
fn numbers() -> Affine {
    return current.affine;
}
