// Streams: an invocation fills a unit of a run, its neighbour the next one. Its turn `n` takes the unit `n * of_run`
// behind, where `of_run` is the number of the run's invocations.
//
// Provides: run_of_units, unit_of_run
// Needs: params, Place, place_in_runs, whole_units, UNIT

// An invocation's unit in a turn.
struct Unit {
    inside: bool, // whether it lies within the run
    first: u32,   // the index of its first element in the run
    src: u32,     // the address of this element, if src has one stride along the run
    dst: u32,
}

fn run_of_units(workgroup: vec3<u32>, invocation: u32) -> Place {
    return place_in_runs(params.geometry.units, workgroup, invocation);
}

fn unit_of_run(at: Place, turn: u32) -> Unit {
    let g = params.geometry;
    let whole = whole_units(at);
    let unit = whole.x + at.index + turn * g.units.of_run;
    let first = unit * UNIT - at.dst;
    return Unit(at.inside && unit < whole.y, first, at.src + first * g.run[0].src_stride, unit * UNIT);
}
